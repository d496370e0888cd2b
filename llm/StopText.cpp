#include "llm/StopText.h"

#include <algorithm>
#include <utility>

namespace relax::llm {

StopText::StopText(const std::vector<std::string> &texts) {
  for (const std::string &text : texts) {
    Stop stop{text, std::vector<size_t>(text.size(), 0), 0};
    for (size_t i = 1, border = 0; i < text.size(); ++i) {
      while (border > 0 && text[i] != text[border])
        border = stop.borders[border - 1];
      if (text[i] == text[border])
        ++border;
      stop.borders[i] = border;
    }
    stops.push_back(std::move(stop));
  }
}

void StopText::Stop::advance(char byte) {
  while (matched > 0 && byte != text[matched])
    matched = borders[matched - 1];
  if (byte == text[matched])
    ++matched;
}

std::string StopText::push(std::string_view piece) {
  if (found)
    return {};
  for (const char byte : piece) {
    held += byte;
    size_t longest = 0;
    for (Stop &stop : stops) {
      stop.advance(byte);
      if (stop.matched == stop.text.size())
        longest = std::max(longest, stop.matched);
    }
    if (longest > 0) {
      found = true;
      held.resize(held.size() - longest);
      return std::exchange(held, {});
    }
  }
  size_t open = 0;
  for (const Stop &stop : stops)
    open = std::max(open, stop.matched);
  std::string certain = held.substr(0, held.size() - open);
  held.erase(0, certain.size());
  return certain;
}

std::string StopText::finish() { return std::exchange(held, {}); }

} // namespace relax::llm
