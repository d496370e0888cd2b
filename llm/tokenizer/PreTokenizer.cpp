#include "llm/tokenizer/PreTokenizer.h"

#include "llm/tokenizer/Unicode.h"
#include "llm/tokenizer/WordScanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace relax::llm {
namespace {

using Words = std::vector<std::string_view>;
using Character = Piece::Character;

struct Range {
  uint32_t first, last;
};

/// Letters of scripts with case, by rising code point.
constexpr Range casedLetters[] = {
    {0x41, 0x5A},       {0x61, 0x7A},       {0xB5, 0xB5},       {0xC0, 0xD6},
    {0xD8, 0xF6},       {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},
    {0x295, 0x2AF},     {0x370, 0x373},     {0x376, 0x376},     {0x377, 0x377},
    {0x37B, 0x37D},     {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},
    {0x38C, 0x38C},     {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},
    {0x48A, 0x52F},     {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},
    {0x13F8, 0x13FD},   {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},
    {0x1D6B, 0x1D77},   {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},
    {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},
    {0x1F5B, 0x1F5B},   {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},
    {0x1FB6, 0x1FBC},   {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},
    {0x1FD0, 0x1FD3},   {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},
    {0x1FF6, 0x1FFC},   {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},
    {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},
    {0x2128, 0x2128},   {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},
    {0x213C, 0x213F},   {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2183},
    {0x2184, 0x2184},   {0x2C00, 0x2C7B},   {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},
    {0x2CF2, 0x2CF2},   {0x2CF3, 0x2CF3},   {0xA640, 0xA66D},   {0xA680, 0xA69B},
    {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},   {0xAB70, 0xABBF},
    {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},   {0xFF41, 0xFF5A},
    {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB}, {0x10C80, 0x10CB2},
    {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};

/// Punctuation of ASCII, its full-width forms, and some of CJK.
constexpr Range widePunctuation[] = {
    {0x21, 0x2F},     {0x3A, 0x7E},     {0x2018, 0x201F},
    {0x3000, 0x3002}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF5E},
};

/// What DeepSeek's tokenizers take for CJK.
constexpr Range cjk[] = {{0x0800, 0x9FA5}, {0xAC00, 0xD7FF}};

bool isIn(std::span<const Range> ranges, uint32_t value) {
  const auto it = std::ranges::upper_bound(ranges, value, {}, &Range::first);
  return it != ranges.begin() && value <= std::prev(it)->last;
}

/// One regular expression: cuts each piece into what matches and what lies between matches. `end`
/// gives the end of the match that begins at a position, or the position itself if none does.
template <typename End> Words cut(const Words &pieces, const End &end) {
  Words result;
  for (const std::string_view text : pieces) {
    const Piece piece(text);
    size_t gap = 0;
    for (size_t position = 0; position < text.size();) {
      const size_t to = end(piece, position);
      if (to == position) {
        position += piece.at(position).bytes;
        continue;
      }
      if (gap < position)
        result.push_back(text.substr(gap, position - gap));
      result.push_back(text.substr(position, to - position));
      gap = position = to;
    }
    if (gap < text.size())
      result.push_back(text.substr(gap));
  }
  return result;
}

/// A run of characters of a class.
template <typename Accepts> auto run(Accepts accepts) {
  return [accepts](const Piece &piece, size_t position) { return piece.runEnd(position, accepts); };
}

/// One character of a class.
template <typename Accepts> auto single(Accepts accepts) {
  return [accepts](const Piece &piece, size_t position) {
    const Character c = piece.at(position);
    return accepts(c) ? position + c.bytes : position;
  };
}

/// \s? and a run of characters of a class.
template <typename Accepts> auto runAfterSpace(Accepts accepts) {
  return [accepts](const Piece &piece, size_t position) {
    const Character c = piece.at(position);
    const size_t start = c.kind == Piece::Class::Space ? position + c.bytes : position;
    const size_t end = piece.runEnd(start, accepts);
    if (end > start)
      return end;
    return start > position ? piece.runEnd(position, accepts) : position;
  };
}

bool isNumberCharacter(const Character &c) { return c.kind == Piece::Class::Number; }
bool isNewline(const Character &c) { return c.value == '\n' || c.value == '\r'; }
bool isCjk(const Character &c) { return isIn(cjk, c.value); }

Words falcon(Words pieces) {
  pieces = cut(pieces, run([](const Character &c) {
                 return isPunctuation(c.value) ||
                        (c.value < 0x80 && c.value != 0 &&
                         std::string_view("$+<=>^~|`").find(static_cast<char>(c.value)) !=
                             std::string_view::npos);
               }));
  pieces = cut(pieces, gpt2WordEnd);
  return cut(pieces, [](const Piece &piece, size_t position) {
    const std::string_view three = piece.view().substr(position, 3);
    const bool digits = three.size() == 3 &&
                        std::ranges::all_of(three, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? position + 3 : position;
  });
}

Words deepSeekCoder(Words pieces) {
  pieces = cut(pieces, single(isNewline));
  pieces =
      cut(pieces, runAfterSpace([](const Character &c) { return c.kind == Piece::Class::Letter; }));
  pieces = cut(pieces, runAfterSpace([](const Character &c) { return isPunctuation(c.value); }));
  pieces = cut(pieces, run(isCjk));
  return cut(pieces, single(isNumberCharacter));
}

/// \s+$ : found in one walk over the piece, whatever runs of spaces it has.
Words cutTrailingSpaces(const Words &pieces) {
  Words result;
  for (const std::string_view text : pieces) {
    const Piece piece(text);
    size_t words = 0; // Where the last run of spaces begins.
    for (size_t position = 0; position < text.size();) {
      const Character c = piece.at(position);
      position += c.bytes;
      if (c.kind != Piece::Class::Space)
        words = position;
    }
    for (const std::string_view part : {text.substr(0, words), text.substr(words)})
      if (!part.empty())
        result.push_back(part);
  }
  return result;
}

Words deepSeekLlm(Words pieces) {
  pieces = cut(pieces, single(isNewline));
  pieces =
      cut(pieces, runAfterSpace([](const Character &c) { return isIn(casedLetters, c.value); }));
  pieces =
      cut(pieces, runAfterSpace([](const Character &c) { return isIn(widePunctuation, c.value); }));
  pieces = cutTrailingSpaces(pieces);
  pieces = cut(pieces, run(isCjk));
  return cut(pieces, run(isNumberCharacter));
}

struct Name {
  std::string_view name;
  PreTokenizer preTokenizer;
};
constexpr Name names[] = {
    {"default", PreTokenizer::Gpt2},
    {"gpt-2", PreTokenizer::Gpt2},
    {"mpt", PreTokenizer::Gpt2},
    {"olmo", PreTokenizer::Gpt2},
    {"phi-2", PreTokenizer::Gpt2},
    {"smollm", PreTokenizer::SmolLm},
    {"starcoder", PreTokenizer::SmolLm},
    {"refact", PreTokenizer::SmolLm},
    {"command-r", PreTokenizer::SmolLm},
    {"llama-bpe", PreTokenizer::Llama3},
    {"llama3", PreTokenizer::Llama3},
    {"llama-v3", PreTokenizer::Llama3},
    {"qwen2", PreTokenizer::Qwen2},
    {"deepseek-r1-qwen", PreTokenizer::Qwen2},
    {"qwen35", PreTokenizer::Qwen35},
    {"falcon", PreTokenizer::Falcon},
    {"deepseek-coder", PreTokenizer::DeepSeekCoder},
    {"deepseek-llm", PreTokenizer::DeepSeekLlm},
};

} // namespace

Expected<PreTokenizer> preTokenizerByName(std::string_view name) {
  std::string known;
  for (const Name &entry : names) {
    if (entry.name == name)
      return entry.preTokenizer;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Status(StatusCode::Unsupported,
                fmt::format("tokenizer.ggml.pre: found the pre-tokenizer '{}', expected one of {}",
                            name, known));
}

bool takesWholeWords(PreTokenizer preTokenizer) { return preTokenizer == PreTokenizer::Llama3; }

std::vector<std::string_view> splitWords(PreTokenizer preTokenizer, std::string_view text) {
  if (text.empty())
    return {};
  const Words whole = {text};
  const auto llama3 = [&](size_t digits, bool marks) {
    return cut(whole, [&](const Piece &piece, size_t position) {
      return llama3WordEnd(piece, position, {digits, marks});
    });
  };
  switch (preTokenizer) {
  case PreTokenizer::SmolLm:
    return cut(cut(whole, single(isNumberCharacter)), gpt2WordEnd);
  case PreTokenizer::Llama3:
    return llama3(3, false);
  case PreTokenizer::Qwen2:
    return llama3(1, false);
  case PreTokenizer::Qwen35:
    return llama3(1, true);
  case PreTokenizer::Falcon:
    return falcon(whole);
  case PreTokenizer::DeepSeekCoder:
    return deepSeekCoder(whole);
  case PreTokenizer::DeepSeekLlm:
    return deepSeekLlm(whole);
  default:
    return cut(whole, gpt2WordEnd);
  }
}

} // namespace relax::llm
