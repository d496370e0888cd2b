//===- Conversation.h - conversations as files ------------------------------------------------===//
//
// A JSON list of objects with "role" ("system", "user" or "assistant") and "content", as many
// programs write and read it. Other keys are ignored.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/ChatTemplate.h"
#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace relax::tool {

/// Replaces the file as a whole or not at all. `path` may begin with "~/".
Status saveConversation(const std::string &path, const std::vector<llm::ChatMessage> &messages);

/// Errors name the file and what is wrong where in it.
Expected<std::vector<llm::ChatMessage>> loadConversation(const std::string &path);

} // namespace relax::tool
