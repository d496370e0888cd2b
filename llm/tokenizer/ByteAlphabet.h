//===- ByteAlphabet.h - the printable characters that byte-level tokenizers write bytes with --===//
//
// Vocabularies of byte-level BPE are text, but their tokens are bytes. GPT-2's alphabet writes each
// of the 256 bytes as one printable character: those of ASCII and Latin-1 that are printable as
// themselves, the other 68 in order as U+0100, U+0101, … (a space is U+0120, 'Ġ').
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relax::llm {

/// The character, in UTF-8, that stands for `byte`.
std::string_view byteToAlphabet(uint8_t byte);

/// The bytes that `text` writes, or nothing if a character of it is not of the alphabet.
std::optional<std::string> alphabetToBytes(std::string_view text);

} // namespace relax::llm
