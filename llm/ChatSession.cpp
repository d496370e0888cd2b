#include "llm/ChatSession.h"

#include <algorithm>

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

void ChatSession::reset() { history.clear(); }

/// Trims the sequence to what it shares with `prompt`, of which at least one token is left to read:
/// its logits are wanted.
Status ChatSession::keepCommonPrefix(const std::vector<int32_t> &prompt) {
  auto length = engine.length(sequence);
  if (!length)
    return length.takeStatus();
  const size_t most = std::min(
      {cached.size(), static_cast<size_t>(*length), prompt.empty() ? 0 : prompt.size() - 1});
  size_t common = 0;
  while (common < most && cached[common] == prompt[common])
    ++common;
  cached.resize(common);
  return engine.trim(sequence, static_cast<int64_t>(common));
}

Expected<Generation> ChatSession::answer(const GenerateOptions &options, const OnText &onText,
                                         const std::function<bool()> &cancelled,
                                         std::string &text) {
  std::vector<ChatMessage> messages;
  if (!systemText.empty())
    messages.push_back({"system", systemText});
  messages.insert(messages.end(), history.begin(), history.end());
  auto rendered = chat.render(messages, /*addGenerationPrompt=*/true);
  if (!rendered)
    return rendered.takeStatus();
  const Tokenizer &tokenizer = engine.tokenizer();
  std::vector<int32_t> prompt =
      tokenizer.encode(*rendered, {.addSpecial = true, .parseSpecial = true, .oneBegin = true});
  // Templates write the begin token themselves; the tokenizer may add another.
  if (prompt.size() > 1 && prompt[0] == prompt[1] && tokenizer.beginToken() == prompt[0])
    prompt.erase(prompt.begin());
  RELAX_RETURN_IF_ERROR(keepCommonPrefix(prompt));
  const std::span<const int32_t> unread = std::span(prompt).subspan(cached.size());
  cached = prompt;

  StreamDecoder decoder;
  const auto show = [&](const std::string &piece) {
    text += piece;
    if (onText && !piece.empty())
      onText(piece);
  };
  GenerateObserver observer;
  observer.cancelled = cancelled;
  observer.onToken = [&](int32_t token) {
    cached.push_back(token);
    if (!tokenizer.isControl(token))
      show(decoder.push(tokenizer.bytesOf(token)));
  };
  auto generation = generate(engine, sequence, unread, options, observer);
  show(decoder.finish());
  return generation;
}

Expected<Generation> ChatSession::ask(const std::string &message, const GenerateOptions &options,
                                      const OnText &onText,
                                      const std::function<bool()> &cancelled) {
  history.push_back({"user", message});
  std::string text;
  auto generation = answer(options, onText, cancelled, text);
  if (generation)
    history.push_back({"assistant", text});
  else
    history.pop_back();
  return generation;
}

} // namespace relax::llm
