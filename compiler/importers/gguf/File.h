//===- File.h - a GGUF model: metadata and tensors --------------------------------------------===//
//
// Reads versions 2 and 3 of the format, little-endian. A file is untrusted: every length, count and
// offset is checked before it is used, so that a damaged or hostile file gives an error that names
// the file, the byte, the section and item, what was found and what was expected; never a crash,
// and memory in proportion to the file's header only.
//
// Layout of a file:
//
//     magic "GGUF", version u32, tensor count u64, metadata count u64        header
//     metadata count × (key string, type u32, value)                         metadata
//     tensor count × (name string, rank u32, dimensions u64…, format u32,    tensor infos
//                     offset u64)
//     padding up to a multiple of `general.alignment` (32 where not given)
//     tensor data, each tensor at its offset                                 data
//
// where a string is a u64 length and its bytes, and an array an element type u32, a u64 count and
// the elements. What is checked beyond lengths: keys and names are unique, UTF-8 and printable;
// integers fit int64_t; arrays are not nested; the alignment is a power of two from 1 to 2^20; a
// dimension is at least 1; a row is a whole number of blocks; offsets are multiples of the
// alignment; tensors neither overlap nor leave the file; the tokenizer's tables are as long as each
// other and its special ids lie within them. String values may hold any bytes.
//
// A large model may be split over files called NAME-00001-of-00003.gguf and so on. Each is a whole
// GGUF file with some of the tensors and the keys split.no (from 0), split.count and
// split.tensors.count (of all parts together); the first has the model's metadata too. Opening the
// first reads them all.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/importers/gguf/TensorFormat.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relax::gguf {

/// What a tensor is and where its bytes are.
struct Tensor {
  std::string name;
  const TensorFormat *format; ///< Never null.
  /// Outermost first, as everywhere in this project (the file lists the innermost first): a matrix
  /// that maps K inputs to N outputs is [N, K].
  std::vector<int64_t> dims;
  uint32_t part;       ///< Index of the file that has it, in File::parts().
  uint64_t infoOffset; ///< Of its info, for messages.
  uint64_t offset;     ///< Of its first byte, from the start of its file.
  uint64_t size;       ///< In bytes.

  /// Values in the innermost dimension; 1 for rank 0.
  [[nodiscard]] int64_t rowElements() const { return dims.empty() ? 1 : dims.back(); }
  /// Bytes of one row.
  [[nodiscard]] int64_t rowBytes() const {
    return rowElements() / format->blockElements * format->blockBytes;
  }
  /// "q4_1 [576, 1536]", for messages.
  [[nodiscard]] std::string typeText() const;
};

/// One file of a model, which as a rule has no other.
struct Part {
  std::string path;
  MappedFile mapping; ///< Empty where the bytes are the caller's.
  std::span<const uint8_t> bytes;
  uint64_t headerSize = 0; ///< Where the data section starts: everything before it is the header.

  [[nodiscard]] std::span<const uint8_t> header() const { return bytes.first(headerSize); }
};

class File {
public:
  /// Maps the file, and the other parts of a model that is split, and reads their headers; tensor
  /// data is not touched. Errors name the part that is missing or belongs to another model.
  static Expected<File> open(const std::string &path);
  /// One file's worth from memory that outlives the File. `name` stands for the path in messages.
  static Expected<File> parse(std::string name, std::span<const uint8_t> bytes);

  [[nodiscard]] const std::string &path() const { return files.front().path; }
  [[nodiscard]] uint32_t version() const { return formatVersion; }
  [[nodiscard]] std::span<const Part> parts() const { return files; }
  /// Bytes of all parts.
  [[nodiscard]] uint64_t size() const;
  /// Of the first part.
  [[nodiscard]] const Metadata &metadata() const { return values; }

  /// In the files' order.
  [[nodiscard]] std::span<const Tensor> tensors() const { return list; }
  /// Null where there is none.
  [[nodiscard]] const Tensor *find(std::string_view tensorName) const;
  [[nodiscard]] std::span<const uint8_t> bytes(const Tensor &tensor) const {
    return files[tensor.part].bytes.subspan(tensor.offset, tensor.size);
  }
  /// "FILE: byte N", where its info is, for messages.
  [[nodiscard]] std::string place(const Tensor &tensor) const;

private:
  friend class HeaderReader;

  static Expected<File> openPart(const std::string &path);
  [[nodiscard]] Status addParts();
  [[nodiscard]] Status addPart(File part, uint64_t count);

  std::vector<Part> files; ///< At least one.
  uint32_t formatVersion = 0;
  Metadata values;
  std::vector<Tensor> list;
  std::map<std::string, size_t, std::less<>> positions;
};

} // namespace relax::gguf
