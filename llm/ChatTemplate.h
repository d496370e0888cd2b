//===- ChatTemplate.h - a conversation as the text that the model was trained on --------------===//
#pragma once

#include "llm/jinja/Template.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace relax::llm {

struct ChatMessage {
  std::string role; ///< "system", "user" or "assistant".
  std::string content;
};

class ChatTemplate {
public:
  /// The template of `tokenizer.chat_template`; an error if the model has none (a base model).
  static Expected<ChatTemplate> fromMetadata(const Metadata &metadata);
  static Expected<ChatTemplate> parse(std::string_view source, std::string beginText,
                                      std::string endText);

  /// `addGenerationPrompt`: the text ends where the assistant's answer begins. The special tokens
  /// in it are by name, to be recognised by Tokenizer::encode. Where the template knows no system
  /// message, or ignores it, its text comes before the first user's.
  [[nodiscard]] Expected<std::string> render(const std::vector<ChatMessage> &messages,
                                             bool addGenerationPrompt) const;
  /// The same, with the messages and tools as the template's own values: `tools` may be none.
  [[nodiscard]] Expected<std::string> render(jinja::Value messages, jinja::Value tools,
                                             bool addGenerationPrompt) const;

private:
  ChatTemplate(jinja::Template text, std::string beginText, std::string endText)
      : text(std::move(text)), beginText(std::move(beginText)), endText(std::move(endText)) {}

  jinja::Template text;
  std::string beginText, endText; ///< The texts of the model's begin and end tokens.
};

} // namespace relax::llm
