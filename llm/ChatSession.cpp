#include "llm/ChatSession.h"

#include <fmt/format.h>

namespace relax::llm {

Expected<ChatSession> ChatSession::create(Engine &engine) {
  auto chat = ChatTemplate::fromMetadata(engine.metadata());
  if (!chat)
    return chat.takeStatus();
  return ChatSession(engine, std::move(*chat));
}

void ChatSession::setSystem(std::string text) {
  systemText = std::move(text);
  reset();
}

std::vector<ChatMessage> ChatSession::conversation() const {
  std::vector<ChatMessage> messages;
  if (!systemText.empty())
    messages.push_back({"system", systemText});
  messages.insert(messages.end(), history.begin(), history.end());
  return messages;
}

Status ChatSession::resume(std::vector<ChatMessage> conversation) {
  const size_t first = !conversation.empty() && conversation.front().role == "system" ? 1 : 0;
  for (size_t i = first; i < conversation.size(); ++i)
    if (const char *expected = (i - first) % 2 == 0 ? "user" : "assistant";
        conversation[i].role != expected)
      return Status(StatusCode::InvalidFile,
                    fmt::format("message {}: found the role '{}', expected '{}'", i,
                                conversation[i].role, expected));
  if ((conversation.size() - first) % 2 != 0)
    return Status(StatusCode::InvalidFile, "the last message is the user's, expected its answer");
  systemText = first > 0 ? std::move(conversation.front().content) : std::string();
  conversation.erase(conversation.begin(), conversation.begin() + static_cast<ptrdiff_t>(first));
  history = std::move(conversation);
  return {};
}

bool ChatSession::undo() {
  if (history.size() < 2)
    return false;
  history.resize(history.size() - 2);
  return true;
}

Expected<Generation> ChatSession::answer(const GenerateOptions &options, const OnText &onText,
                                         const std::function<bool()> &cancelled) {
  auto rendered = chat.render(conversation(), /*addGenerationPrompt=*/true);
  if (!rendered)
    return rendered.takeStatus();
  // Templates write the begin token themselves; the tokenizer must not add another.
  const std::vector<int32_t> prompt = engine.tokenizer().encode(
      *rendered, {.addSpecial = true, .parseSpecial = true, .oneBegin = true});
  auto begun = cache.begin(prompt, options.maxTokens);
  if (!begun)
    return begun.takeStatus();
  SequenceCache::Text &text = **begun;
  const std::span<const int32_t> unread = std::span(prompt).subspan(text.tokens.size());
  text.tokens = prompt;
  GenerateObserver observer;
  observer.onText = onText;
  observer.onToken = [&](int32_t token) { text.tokens.push_back(token); };
  observer.cancelled = cancelled;
  GenerateOptions hidden = options;
  hidden.showControl = false;
  return generate(engine, text.sequence, unread, hidden, observer);
}

Expected<Generation> ChatSession::ask(const std::string &message, const GenerateOptions &options,
                                      const OnText &onText,
                                      const std::function<bool()> &cancelled) {
  history.push_back({"user", message});
  auto generation = answer(options, onText, cancelled);
  if (generation)
    history.push_back({"assistant", generation->text});
  else
    history.pop_back();
  return generation;
}

} // namespace relax::llm
