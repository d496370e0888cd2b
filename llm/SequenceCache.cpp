#include "llm/SequenceCache.h"

#include <algorithm>

namespace relax::llm {

/// The text with the longest beginning of `prompt`, and how long that is; of equals the last used.
Expected<SequenceCache::Match> SequenceCache::longest(std::span<const int32_t> prompt) {
  Match best{texts.end(), 0};
  const size_t most = prompt.empty() ? 0 : prompt.size() - 1;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    const auto length = engine->length(text->sequence);
    if (!length)
      return length.status();
    const size_t limit = std::min({most, text->tokens.size(), static_cast<size_t>(*length)});
    const auto differ = std::mismatch(
        prompt.begin(), prompt.begin() + static_cast<ptrdiff_t>(limit), text->tokens.begin());
    const auto common = engine->resumable(text->sequence, differ.first - prompt.begin());
    if (!common)
      return common.status();
    if (static_cast<size_t>(*common) > best.common)
      best = {text, static_cast<size_t>(*common)};
  }
  return best;
}

/// Frees other texts, the oldest first, until `tokens` more tokens fit after `text`.
Status SequenceCache::makeRoom(const Text &text, int64_t tokens) {
  while (texts.size() > 1) {
    auto hasRoom = engine->hasRoom(text.sequence, tokens);
    if (!hasRoom)
      return hasRoom.takeStatus();
    if (*hasRoom && texts.size() <= most)
      return {};
    RELAX_RETURN_IF_ERROR(engine->free(texts.back().sequence));
    texts.pop_back();
  }
  return {};
}

Expected<SequenceCache::Text *> SequenceCache::begin(std::span<const int32_t> prompt,
                                                     int64_t room) {
  auto match = longest(prompt);
  if (!match)
    return match.takeStatus();
  const auto [text, common] = *match;
  if (text == texts.end()) {
    texts.push_front({engine->createSequence(), {}});
  } else {
    const auto length = static_cast<int64_t>(common);
    auto whole = engine->length(text->sequence);
    if (!whole)
      return whole.takeStatus();
    if (*whole - length < engine->pageSize()) {
      RELAX_RETURN_IF_ERROR(engine->trim(text->sequence, length));
      texts.splice(texts.begin(), texts, text);
    } else {
      auto fork = engine->fork(text->sequence, length);
      if (!fork)
        return fork.takeStatus();
      texts.push_front({*fork, text->tokens});
    }
    texts.front().tokens.resize(common);
  }
  const auto rest = static_cast<int64_t>(prompt.size() - common) + room;
  const int64_t left = engine->context() - static_cast<int64_t>(common);
  RELAX_RETURN_IF_ERROR(makeRoom(texts.front(), std::min(rest, left)));
  return &texts.front();
}

void SequenceCache::clear() {
  for (const Text &text : texts)
    (void)engine->free(text.sequence); // It is there: nobody else frees it.
  texts.clear();
}

} // namespace relax::llm
