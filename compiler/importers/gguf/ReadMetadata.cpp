//===- ReadMetadata.cpp - the metadata section of a GGUF file ---------------------------------===//
#include "compiler/importers/gguf/HeaderReader.h"

#include "runtime/support/Text.h"

#include <limits>
#include <type_traits>

namespace relax::gguf {

/// Elements that all arrays together may have; bounds memory at eight bytes each and more.
static constexpr uint64_t maxArrayElements = uint64_t(1) << 25;

/// The least bytes that an array's element takes in the file; 0 for what is no element type.
static uint64_t leastElementBytes(ValueType type) {
  switch (type) {
  case ValueType::U8:
  case ValueType::I8:
  case ValueType::Bool:
    return 1;
  case ValueType::U16:
  case ValueType::I16:
    return 2;
  case ValueType::U32:
  case ValueType::I32:
  case ValueType::F32:
    return 4;
  case ValueType::String:
  case ValueType::U64:
  case ValueType::I64:
  case ValueType::F64:
    return 8;
  case ValueType::Array:
    return 0;
  }
  return 0;
}

Status HeaderReader::readMetadata() {
  for (uint64_t i = 0; i < entryCount; ++i)
    RELAX_RETURN_IF_ERROR(readEntry(i));
  RELAX_RETURN_IF_ERROR(checkAlignment());
  return checkTokenizer();
}

Status HeaderReader::readEntry(uint64_t index) {
  cursor.enter(text("metadata entry ", index, " of ", entryCount));
  uint64_t at = cursor.offset();
  std::string_view key;
  RELAX_RETURN_IF_ERROR(cursor.read("the key", key));
  RELAX_RETURN_IF_ERROR(checkName("the key", at, key));
  if (file.values.contains(key))
    return cursor.error(at, text("found the key ", nameText(key),
                                 " a second time, expected each once; the first is at byte ",
                                 entryOffset(key)));
  cursor.enter(text("metadata entry ", index, " of ", entryCount, " (", nameText(key), ")"));
  MetadataValue value;
  RELAX_RETURN_IF_ERROR(readValue(value));
  file.values.set(std::string(key), std::move(value));
  entryOffsets.push_back(at);
  return {};
}

Status HeaderReader::readValue(MetadataValue &value) {
  uint64_t at = cursor.offset();
  uint32_t type = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the value's type", type));
  if (type > static_cast<uint32_t>(ValueType::F64))
    return cursor.error(at, text("found ", type, " as the value's type, expected 0 to 12"));
  if (static_cast<ValueType>(type) == ValueType::Array)
    return readArray(value);
  return readScalar(static_cast<ValueType>(type), value);
}

namespace {
/// Reads a number of type T and widens it to what Metadata holds.
template <typename T> Status readNumber(Cursor &cursor, auto &&store) {
  uint64_t at = cursor.offset();
  T number{};
  RELAX_RETURN_IF_ERROR(cursor.read("the value", number));
  if constexpr (std::is_floating_point_v<T>) {
    store(static_cast<double>(number));
  } else {
    if constexpr (std::is_same_v<T, uint64_t>)
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return cursor.error(at, text("found ", number, ", expected at most 2^63 - 1"));
    store(static_cast<int64_t>(number));
  }
  return {};
}

Status readBool(Cursor &cursor, auto &&store) {
  uint64_t at = cursor.offset();
  uint8_t byte = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the value", byte));
  if (byte > 1)
    return cursor.error(at, text("found ", byte, " as a boolean, expected 0 or 1"));
  store(byte == 1);
  return {};
}

/// Reads one value of a type other than Array and hands it, as Metadata holds it, to `store`.
Status readOne(Cursor &cursor, ValueType type, auto &&store) {
  switch (type) {
  case ValueType::U8:
    return readNumber<uint8_t>(cursor, store);
  case ValueType::I8:
    return readNumber<int8_t>(cursor, store);
  case ValueType::U16:
    return readNumber<uint16_t>(cursor, store);
  case ValueType::I16:
    return readNumber<int16_t>(cursor, store);
  case ValueType::U32:
    return readNumber<uint32_t>(cursor, store);
  case ValueType::I32:
    return readNumber<int32_t>(cursor, store);
  case ValueType::U64:
    return readNumber<uint64_t>(cursor, store);
  case ValueType::I64:
    return readNumber<int64_t>(cursor, store);
  case ValueType::F32:
    return readNumber<float>(cursor, store);
  case ValueType::F64:
    return readNumber<double>(cursor, store);
  case ValueType::Bool:
    return readBool(cursor, store);
  case ValueType::String: {
    std::string_view characters;
    RELAX_RETURN_IF_ERROR(cursor.read("the string", characters));
    store(std::string(characters));
    return {};
  }
  case ValueType::Array:
    break;
  }
  return cursor.error(cursor.offset(), "found an array inside an array, which is not supported");
}

/// Reads `count` values of one type into the vector that Metadata holds for it.
template <typename T>
Status readElements(Cursor &cursor, ValueType type, uint64_t count, MetadataValue &value) {
  std::vector<T> elements;
  elements.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    RELAX_RETURN_IF_ERROR(readOne(cursor, type, [&](auto &&element) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(element)>, T>)
        elements.push_back(std::forward<decltype(element)>(element));
    }));
  value = std::move(elements);
  return {};
}
} // namespace

Status HeaderReader::readScalar(ValueType type, MetadataValue &value) {
  return readOne(cursor, type, [&](auto element) { value = std::move(element); });
}

Status HeaderReader::readArray(MetadataValue &value) {
  uint64_t typeAt = cursor.offset();
  uint32_t number = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the array's element type", number));
  auto type = static_cast<ValueType>(number);
  if (type == ValueType::Array)
    return cursor.error(typeAt, "found an array inside an array, expected elements that are "
                                "numbers, booleans or strings");
  if (number > static_cast<uint32_t>(ValueType::F64))
    return cursor.error(typeAt, text("found ", number,
                                     " as the array's element type, expected 0 "
                                     "to 12"));
  uint64_t countAt = cursor.offset();
  uint64_t count = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the array's length", count));
  RELAX_RETURN_IF_ERROR(cursor.checkCount("elements", countAt, count, leastElementBytes(type)));
  if (count > maxArrayElements - arrayElements)
    return cursor.error(countAt,
                        text("found an array of ", count, " elements after ", arrayElements,
                             " in others, expected at most ", maxArrayElements, " in all"));
  arrayElements += count;
  switch (type) {
  case ValueType::Bool:
    return readElements<bool>(cursor, type, count, value);
  case ValueType::String:
    return readElements<std::string>(cursor, type, count, value);
  case ValueType::F32:
  case ValueType::F64:
    return readElements<double>(cursor, type, count, value);
  default:
    return readElements<int64_t>(cursor, type, count, value);
  }
}

uint64_t HeaderReader::entryOffset(std::string_view key) const {
  for (size_t i = 0; i < entryOffsets.size(); ++i)
    if (file.values.entries()[i].key == key)
      return entryOffsets[i];
  return 0;
}

Status HeaderReader::checkAlignment() {
  constexpr const char *key = "general.alignment";
  constexpr int64_t largest = 1 << 20;
  cursor.enter("metadata");
  if (!file.values.contains(key))
    return {};
  Expected<int64_t> found = file.values.integer(key);
  if (!found)
    return cursor.error(entryOffset(key), found.status().message());
  if (*found < 1 || *found > largest || (*found & (*found - 1)) != 0)
    return cursor.error(entryOffset(key), text("found ", *found, " as ", key,
                                               ", expected a power of two from 1 to ", largest));
  alignment = static_cast<uint64_t>(*found);
  return {};
}

/// The number of elements of an array, 0 for what is none.
static size_t arrayLength(const MetadataValue &value) {
  return std::visit(
      [](const auto &held) -> size_t {
        if constexpr (requires { held.begin(); } &&
                      !std::is_same_v<std::decay_t<decltype(held)>, std::string>)
          return held.size();
        return 0;
      },
      value);
}

Status HeaderReader::checkTokenizer() {
  constexpr std::string_view prefix = "tokenizer.ggml.";
  cursor.enter("metadata");
  const MetadataValue *tokens = file.values.find("tokenizer.ggml.tokens");
  if (!tokens)
    return {};
  size_t vocabulary = arrayLength(*tokens);
  for (const char *key : {"tokenizer.ggml.scores", "tokenizer.ggml.token_type"}) {
    const MetadataValue *table = file.values.find(key);
    if (table && arrayLength(*table) != vocabulary)
      return cursor.error(entryOffset(key),
                          text("found ", arrayLength(*table), " elements in ", key, ", expected ",
                               vocabulary, ", as many as in tokenizer.ggml.tokens"));
  }
  for (const Metadata::Entry &entry : file.values.entries()) {
    const auto *id = std::get_if<int64_t>(&entry.value);
    if (!id || !entry.key.starts_with(prefix) || !entry.key.ends_with("_token_id"))
      continue;
    // Files spell "none" as -1, or as 2^32 - 1 in an unsigned number.
    bool none = *id == -1 || *id == 0xffffffff;
    if (!none && (*id < 0 || static_cast<uint64_t>(*id) >= vocabulary))
      return cursor.error(entryOffset(entry.key),
                          text("found ", *id, " as ", entry.key, ", expected an id from 0 to ",
                               vocabulary, " (not included), the number of tokens"));
  }
  return {};
}

} // namespace relax::gguf
