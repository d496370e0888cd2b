//===- ChatSession.h - a conversation with a model --------------------------------------------===//
//
// Keeps the messages, and beside them the tokens that the model's cache holds. For each answer the
// whole conversation is rendered and encoded again; the tokens that are the same from the beginning
// on are not computed again.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/ChatTemplate.h"
#include "llm/Generate.h"
#include "llm/tokenizer/StreamDecoder.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace relax::llm {

class ChatSession {
public:
  /// An error if the model has no chat template. The engine must outlive the session.
  static Expected<ChatSession> create(Engine &engine);

  /// The instruction that every conversation begins with; empty: what the template itself says.
  /// Begins a new conversation.
  void setSystem(std::string text);
  [[nodiscard]] const std::string &system() const { return systemText; }
  /// Forgets the conversation.
  void reset();
  [[nodiscard]] const std::vector<ChatMessage> &messages() const { return history; }

  using OnText = std::function<void(std::string_view text)>;
  /// Adds the user's message and the model's answer, which `onText` gets in pieces of whole
  /// characters. A cancelled answer stays in the conversation as far as it came; after an error the
  /// conversation is as before.
  Expected<Generation> ask(const std::string &message, const GenerateOptions &options,
                           const OnText &onText, const std::function<bool()> &cancelled);

private:
  ChatSession(Engine &engine, ChatTemplate chat)
      : engine(engine), chat(std::move(chat)), sequence(engine.createSequence()) {}
  Expected<Generation> answer(const GenerateOptions &options, const OnText &onText,
                              const std::function<bool()> &cancelled, std::string &text);
  Status keepCommonPrefix(const std::vector<int32_t> &prompt);

  Engine &engine;
  ChatTemplate chat;
  SequenceId sequence;
  std::string systemText;
  std::vector<ChatMessage> history;
  std::vector<int32_t> cached; ///< The tokens of the sequence; may be longer than it is.
};

} // namespace relax::llm
