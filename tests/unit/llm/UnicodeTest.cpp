#include "llm/tokenizer/Unicode.h"
#include "llm/tokenizer/StreamDecoder.h"

#include <gtest/gtest.h>

namespace relax::llm {
namespace {

TEST(Unicode, DecodesEachLength) {
  const std::string text = "A\u00e9\u20ac\U0001F600";
  const uint32_t expected[] = {0x41, 0xe9, 0x20ac, 0x1F600};
  size_t position = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const auto codePoint = decodeUtf8(text, position);
    ASSERT_TRUE(codePoint);
    EXPECT_EQ(codePoint->value, expected[i]);
    EXPECT_EQ(codePoint->bytes, i + 1);
    position += codePoint->bytes;
  }
  EXPECT_EQ(position, text.size());
}

TEST(Unicode, RefusesWhatIsNoCharacter) {
  for (const char *bytes :
       {"\x80", "\xff", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe2\x82", "\xe0\x80\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3("})
    EXPECT_FALSE(decodeUtf8(bytes, 0)) << bytes;
}

TEST(Unicode, FindsTheFirstInvalidByte) {
  EXPECT_EQ(findInvalidUtf8("na\u00efve"), std::nullopt);
  EXPECT_EQ(findInvalidUtf8(""), std::nullopt);
  EXPECT_EQ(findInvalidUtf8("ab\xff"), 2u);
  EXPECT_EQ(findInvalidUtf8("\xed\xa0\x80"), 0u) << "a surrogate";
  EXPECT_EQ(findInvalidUtf8("a\xe2\x82"), 1u);
}

TEST(Unicode, EncodesWhatItDecodes) {
  for (const uint32_t value : {0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    appendUtf8(text, value);
    const auto codePoint = decodeUtf8(text, 0);
    ASSERT_TRUE(codePoint) << value;
    EXPECT_EQ(codePoint->value, value);
    EXPECT_EQ(codePoint->bytes, text.size());
  }
}

TEST(Unicode, Classes) {
  EXPECT_TRUE(isLetter('q') && isLetter(0x4f60) && isLetter(0x1D400) && isLetter(0xAA));
  EXPECT_FALSE(isLetter('1') || isLetter('_') || isLetter(0x301)) << "a mark is no letter";
  EXPECT_TRUE(isNumber('7') && isNumber(0xBD) && isNumber(0x0660) && isNumber(0x2160));
  EXPECT_FALSE(isNumber('a') || isNumber(' '));
  EXPECT_TRUE(isWhitespace(' ') && isWhitespace(0x85) && isWhitespace(0x3000));
  EXPECT_FALSE(isWhitespace(0x200B) || isWhitespace(0x1C) || isWhitespace(0xFEFF));
}

TEST(Unicode, IncompleteSuffix) {
  EXPECT_EQ(incompleteSuffix(""), 0u);
  EXPECT_EQ(incompleteSuffix("abc"), 0u);
  EXPECT_EQ(incompleteSuffix("a\xc3"), 1u);
  EXPECT_EQ(incompleteSuffix("a\xe2\x82"), 2u);
  EXPECT_EQ(incompleteSuffix("\xf0\x9f\x98"), 3u);
  EXPECT_EQ(incompleteSuffix("\u00e9"), 0u);
  EXPECT_EQ(incompleteSuffix("\x80\x80\x80\x80"), 0u);
  EXPECT_EQ(incompleteSuffix("\xe0\x80"), 0u) << "no byte can make this a character";
}

/// Feeds `bytes` one at a time; every piece that comes out must be whole.
std::string stream(std::string_view bytes) {
  StreamDecoder decoder;
  std::string text;
  for (const char byte : bytes) {
    const std::string piece = decoder.push({&byte, 1});
    EXPECT_EQ(findInvalidUtf8(piece), std::nullopt);
    text += piece;
  }
  const std::string last = decoder.finish();
  EXPECT_EQ(findInvalidUtf8(last), std::nullopt);
  return text + last;
}

TEST(StreamDecoder, GivesWholeCharacters) {
  const std::string text = "Hi \u00e9\u20ac\U0001F600 \u4f60\u597d.";
  EXPECT_EQ(stream(text), text);
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("\xf0\x9f"), "");
  EXPECT_EQ(decoder.push("\x98"), "");
  EXPECT_EQ(decoder.push("\x80x"), "\U0001F600x");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, GivesWhatItHeldBackAtTheEnd) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("a\xe2\x82"), "a");
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.push("b"), "b") << "ready for the next stream";
}

TEST(StreamDecoder, ReplacesWhatIsNoCharacter) {
  EXPECT_EQ(stream("a\xff\x62"), "a\uFFFDb");
  EXPECT_EQ(stream("\xe2\x82("), "\uFFFD(");
  EXPECT_EQ(stream("\xe0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(stream("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(stream("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
}

} // namespace
} // namespace relax::llm
