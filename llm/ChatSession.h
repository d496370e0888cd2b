//===- ChatSession.h - a conversation with a model --------------------------------------------===//
//
// Keeps the messages. For each answer the whole conversation is rendered and encoded again; what
// the cache has of it, from this conversation or an earlier one, is not computed again
// (SequenceCache.h). So messages may be taken back, replaced or loaded at will.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/ChatTemplate.h"
#include "llm/Generate.h"
#include "llm/SequenceCache.h"

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
  void reset() { history.clear(); }
  /// The user's and the model's, in turns; the instruction is not among them.
  [[nodiscard]] const std::vector<ChatMessage> &messages() const { return history; }

  /// The instruction, if there is one, and the messages.
  [[nodiscard]] std::vector<ChatMessage> conversation() const;
  /// Goes on from such a conversation. An error, with nothing changed, unless a first message may
  /// be the system's, and then the user's and the assistant's take turns, ending with an answer.
  Status resume(std::vector<ChatMessage> conversation);
  /// Takes the last question and its answer back; false if there is none.
  bool undo();

  using OnText = std::function<void(std::string_view text)>;
  /// Adds the user's message and the model's answer, which `onText` gets in pieces of whole
  /// characters. A cancelled answer stays in the conversation as far as it came; after an error the
  /// conversation is as before.
  Expected<Generation> ask(const std::string &message, const GenerateOptions &options,
                           const OnText &onText, const std::function<bool()> &cancelled);

private:
  ChatSession(Engine &engine, ChatTemplate chat)
      : engine(engine), chat(std::move(chat)), cache(engine) {}
  Expected<Generation> answer(const GenerateOptions &options, const OnText &onText,
                              const std::function<bool()> &cancelled);

  Engine &engine;
  ChatTemplate chat;
  SequenceCache cache;
  std::string systemText;
  std::vector<ChatMessage> history;
};

} // namespace relax::llm
