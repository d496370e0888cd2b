//===- HeaderReader.cpp - opens a GGUF file, reads its fixed header ---------------------------===//
#include "compiler/importers/gguf/HeaderReader.h"

#include "runtime/support/Text.h"

namespace relax::gguf {

Expected<File> File::parse(std::string name, std::span<const uint8_t> bytes) {
  File file;
  file.values.setSource(name);
  file.files.push_back({std::move(name), {}, bytes});
  RELAX_RETURN_IF_ERROR(HeaderReader(file).read());
  return file;
}

uint64_t File::size() const {
  uint64_t bytes = 0;
  for (const Part &part : files)
    bytes += part.bytes.size();
  return bytes;
}

const Tensor *File::find(std::string_view tensorName) const {
  auto place = positions.find(tensorName);
  return place == positions.end() ? nullptr : &list[place->second];
}

std::string File::place(const Tensor &tensor) const {
  return text(files[tensor.part].path, ": byte ", tensor.infoOffset);
}

std::string Tensor::typeText() const {
  std::string out = text(format->name, " [");
  for (size_t i = 0; i < dims.size(); ++i)
    out += text(i ? ", " : "", dims[i]);
  return out + "]";
}

Status HeaderReader::read() {
  RELAX_RETURN_IF_ERROR(readHeader());
  RELAX_RETURN_IF_ERROR(readMetadata());
  RELAX_RETURN_IF_ERROR(readTensors());
  return placeTensors();
}

Status HeaderReader::checkVersion(uint64_t at, uint32_t version) const {
  if (version == 2 || version == 3)
    return {};
  std::string found = text("found format version ", version, ", expected 2 or 3");
  if (version == 1)
    return cursor.error(at, found + ". Convert the model again with a current converter");
  if (version != 0 && (version & 0xffff) == 0)
    return cursor.error(at, found + ": the file is big-endian. Get or make a little-endian one");
  return cursor.error(at, found);
}

Status HeaderReader::readHeader() {
  uint32_t magic = 0, version = 0;
  if (cursor.size() == 0)
    return cursor.error(0, "the file is empty, expected a GGUF file");
  RELAX_RETURN_IF_ERROR(cursor.read("the magic number", magic));
  constexpr uint32_t expected = 0x46554747, swapped = 0x47475546; // "GGUF" and "FUGG"
  if (magic == swapped)
    return cursor.error(0, "found the magic number \"FUGG\", expected \"GGUF\": the file is "
                           "byte-swapped. Get or make a little-endian one");
  if (magic != expected)
    return cursor.error(0, text("found the magic number ", hexadecimal(magic).substr(10),
                                " (hexadecimal), expected ", hexadecimal(expected).substr(10),
                                ", which is \"GGUF\". This is not a GGUF file"));
  uint64_t at = cursor.offset();
  RELAX_RETURN_IF_ERROR(cursor.read("the format version", version));
  RELAX_RETURN_IF_ERROR(checkVersion(at, version));
  file.formatVersion = version;

  // The least that an item can take: a tensor's empty name, rank, format and offset; an entry's
  // empty key, type and a value of one byte.
  constexpr uint64_t leastTensor = 8 + 4 + 4 + 8, leastEntry = 8 + 4 + 1;
  uint64_t tensorsAt = cursor.offset();
  RELAX_RETURN_IF_ERROR(cursor.read("the number of tensors", tensorCount));
  uint64_t entriesAt = cursor.offset();
  RELAX_RETURN_IF_ERROR(cursor.read("the number of metadata entries", entryCount));
  RELAX_RETURN_IF_ERROR(cursor.checkCount("tensors", tensorsAt, tensorCount, leastTensor));
  return cursor.checkCount("metadata entries", entriesAt, entryCount, leastEntry);
}

Status HeaderReader::checkName(const char *what, uint64_t at, std::string_view name) const {
  constexpr size_t longest = 65535;
  if (name.empty())
    return cursor.error(at, text(what, " is empty"));
  if (name.size() > longest)
    return cursor.error(at,
                        text(what, " is ", name.size(), " bytes long, expected at most ", longest));
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      return cursor.error(at, text(what, " ", nameText(name), " holds the control character ", byte,
                                   "; expected printable text"));
  }
  if (!isUtf8(name))
    return cursor.error(at, text(what, " ", nameText(name), " is not UTF-8"));
  return {};
}

} // namespace relax::gguf
