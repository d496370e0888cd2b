//===- HeaderReader.h - fills a File from the bytes of its header -----------------------------===//
#pragma once

#include "compiler/importers/gguf/Cursor.h"
#include "compiler/importers/gguf/File.h"

namespace relax::gguf {

/// The numbers of the metadata value types.
enum class ValueType : uint32_t {
  U8 = 0,
  I8 = 1,
  U16 = 2,
  I16 = 3,
  U32 = 4,
  I32 = 5,
  F32 = 6,
  Bool = 7,
  String = 8,
  Array = 9,
  U64 = 10,
  I64 = 11,
  F64 = 12,
};

/// One use: reads everything before the data section, in order. A File is filled only on success.
class HeaderReader {
public:
  HeaderReader(File &file) : file(file), cursor(file.path(), file.files.front().bytes) {}

  [[nodiscard]] Status read();

private:
  // HeaderReader.cpp
  [[nodiscard]] Status readHeader();
  [[nodiscard]] Status checkVersion(uint64_t at, uint32_t version) const;
  /// Checks a key or tensor name that was read at `at`.
  [[nodiscard]] Status checkName(const char *what, uint64_t at, std::string_view text) const;

  // ReadMetadata.cpp
  [[nodiscard]] Status readMetadata();
  [[nodiscard]] Status readEntry(uint64_t index);
  [[nodiscard]] Status readValue(MetadataValue &value);
  [[nodiscard]] Status readScalar(ValueType type, MetadataValue &value);
  [[nodiscard]] Status readArray(MetadataValue &value);
  /// Where the entry of `key` begins.
  [[nodiscard]] uint64_t entryOffset(std::string_view key) const;
  [[nodiscard]] Status checkAlignment();
  [[nodiscard]] Status checkTokenizer();

  // ReadTensors.cpp
  [[nodiscard]] Status readTensors();
  [[nodiscard]] Status readTensor(uint64_t index);
  [[nodiscard]] Status readFormat(Tensor &tensor);
  [[nodiscard]] Status readDims(Tensor &tensor);
  /// Computes the size, after format and dimensions are known.
  [[nodiscard]] Status measure(Tensor &tensor, uint64_t dimsAt) const;
  [[nodiscard]] Status placeTensors();
  [[nodiscard]] Status checkOverlaps();

  File &file;
  Cursor cursor;
  uint64_t tensorCount = 0, entryCount = 0;
  uint64_t alignment = 32;
  uint64_t arrayElements = 0; ///< In all arrays so far.
  /// Where each metadata key begins, in the order of the entries, for messages.
  std::vector<uint64_t> entryOffsets;
};

} // namespace relax::gguf
