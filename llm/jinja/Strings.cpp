#include "llm/jinja/Strings.h"

#include "llm/tokenizer/Unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace relax::llm::jinja {
namespace {

size_t characterLength(std::string_view text, size_t position) {
  const auto codePoint = decodeUtf8(text, position);
  return codePoint ? codePoint->bytes : 1;
}

/// `text` with each character mapped; the mapping also learns whether a word starts there.
std::string mapCharacters(std::string_view text,
                          const std::function<int32_t(int32_t, bool wordStart)> &map) {
  std::string out;
  out.reserve(text.size());
  bool wordStart = true;
  for (size_t i = 0; i < text.size();) {
    const auto codePoint = decodeUtf8(text, i);
    if (!codePoint) {
      out += text[i++];
      continue;
    }
    appendUtf8(out, static_cast<uint32_t>(map(static_cast<int32_t>(codePoint->value), wordStart)));
    wordStart = !isLetter(codePoint->value);
    i += codePoint->bytes;
  }
  return out;
}

} // namespace

std::vector<std::string_view> splitCharacters(std::string_view text) {
  std::vector<std::string_view> characters;
  characters.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = characterLength(text, i);
    characters.push_back(text.substr(i, length));
    i += length;
  }
  return characters;
}

size_t countCharacters(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); i += characterLength(text, i))
    ++count;
  return count;
}

std::string toUpper(std::string_view text) {
  return mapCharacters(text, [](int32_t c, bool) { return utf8proc_toupper(c); });
}

std::string toLower(std::string_view text) {
  return mapCharacters(text, [](int32_t c, bool) { return utf8proc_tolower(c); });
}

std::string capitalize(std::string_view text) {
  bool first = true;
  return mapCharacters(text, [&](int32_t c, bool) {
    return std::exchange(first, false) ? utf8proc_totitle(c) : utf8proc_tolower(c);
  });
}

std::string titleCase(std::string_view text) {
  return mapCharacters(text, [](int32_t c, bool wordStart) {
    return wordStart ? utf8proc_totitle(c) : utf8proc_tolower(c);
  });
}

std::string_view strip(std::string_view text, std::string_view set, bool left, bool right) {
  const auto members = splitCharacters(set);
  const auto goes = [&](std::string_view character) {
    if (!members.empty())
      return std::ranges::find(members, character) != members.end();
    const auto codePoint = decodeUtf8(character, 0);
    return codePoint && (isWhitespace(codePoint->value) ||
                         (codePoint->value >= 0x1c && codePoint->value <= 0x1f));
  };
  while (left && !text.empty()) {
    const size_t length = characterLength(text, 0);
    if (!goes(text.substr(0, length)))
      break;
    text.remove_prefix(length);
  }
  while (right && !text.empty()) {
    // The last character starts at most four bytes before the end.
    size_t start = text.size() - 1;
    for (size_t back = 1; back <= 4 && back <= text.size(); ++back)
      if (characterLength(text, text.size() - back) == back) {
        start = text.size() - back;
        break;
      }
    if (!goes(text.substr(start)))
      break;
    text = text.substr(0, start);
  }
  return text;
}

std::vector<std::string> splitAtSpaces(std::string_view text, int64_t limit) {
  std::vector<std::string> parts;
  text = strip(text, {}, true, false);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) {
      parts.emplace_back(strip(text, {}, false, true));
      break;
    }
    size_t end = 0;
    while (end < text.size()) {
      const auto codePoint = decodeUtf8(text, end);
      if (codePoint && isWhitespace(codePoint->value))
        break;
      end += codePoint ? codePoint->bytes : 1;
    }
    parts.emplace_back(text.substr(0, end));
    text = strip(text.substr(end), {}, true, false);
  }
  return parts;
}

std::vector<std::string> splitAt(std::string_view text, std::string_view separator, int64_t limit) {
  std::vector<std::string> parts;
  size_t at;
  while ((limit < 0 || static_cast<int64_t>(parts.size()) < limit) &&
         (at = text.find(separator)) != std::string_view::npos) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> splitAtFromRight(std::string_view text, std::string_view separator,
                                          int64_t limit) {
  std::vector<std::string> parts;
  size_t at;
  while ((limit < 0 || static_cast<int64_t>(parts.size()) < limit) &&
         (at = text.rfind(separator)) != std::string_view::npos) {
    parts.emplace_back(text.substr(at + separator.size()));
    text = text.substr(0, at);
  }
  parts.emplace_back(text);
  std::ranges::reverse(parts);
  return parts;
}

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find_first_of("\n\r\v\f");
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  return lines;
}

size_t countOccurrences(std::string_view text, std::string_view from, int64_t limit) {
  size_t count = 0;
  for (size_t at = text.find(from); at != std::string_view::npos;
       at = text.find(from, at + from.size())) {
    if (limit >= 0 && static_cast<int64_t>(count) == limit)
      break;
    ++count;
  }
  return count;
}

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to,
                       int64_t limit) {
  std::string out;
  size_t at;
  for (int64_t done = 0;
       (limit < 0 || done < limit) && (at = text.find(from)) != std::string_view::npos; ++done) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

} // namespace relax::llm::jinja
