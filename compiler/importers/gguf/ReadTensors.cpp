//===- ReadTensors.cpp - the tensor infos of a GGUF file --------------------------------------===//
#include "compiler/importers/gguf/HeaderReader.h"

#include "runtime/support/Text.h"

#include <algorithm>
#include <limits>

namespace relax::gguf {

Status HeaderReader::readTensors() {
  for (uint64_t i = 0; i < tensorCount; ++i)
    RELAX_RETURN_IF_ERROR(readTensor(i));
  return {};
}

Status HeaderReader::readTensor(uint64_t index) {
  cursor.enter(text("tensor info ", index, " of ", tensorCount));
  Tensor tensor{};
  tensor.infoOffset = cursor.offset();
  std::string_view name;
  RELAX_RETURN_IF_ERROR(cursor.read("the name", name));
  RELAX_RETURN_IF_ERROR(checkName("the name", tensor.infoOffset, name));
  if (const Tensor *first = file.find(name))
    return cursor.error(tensor.infoOffset,
                        text("found the tensor ", nameText(name),
                             " a second time, expected each once; the first is at byte ",
                             first->infoOffset));
  cursor.enter(text("tensor info ", index, " of ", tensorCount, " (", nameText(name), ")"));
  tensor.name = name;

  uint64_t dimsAt = cursor.offset();
  RELAX_RETURN_IF_ERROR(readDims(tensor));
  RELAX_RETURN_IF_ERROR(readFormat(tensor));
  RELAX_RETURN_IF_ERROR(measure(tensor, dimsAt));
  RELAX_RETURN_IF_ERROR(cursor.read("the data's offset", tensor.offset));
  file.positions.emplace(tensor.name, file.list.size());
  file.list.push_back(std::move(tensor));
  return {};
}

Status HeaderReader::readDims(Tensor &tensor) {
  constexpr uint32_t largestRank = 4;
  uint64_t at = cursor.offset();
  uint32_t rank = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the rank", rank));
  if (rank > largestRank)
    return cursor.error(at, text("found rank ", rank, ", expected at most ", largestRank));
  for (uint32_t axis = 0; axis < rank; ++axis) {
    at = cursor.offset();
    uint64_t extent = 0;
    RELAX_RETURN_IF_ERROR(cursor.read("the dimensions", extent));
    if (extent == 0 || extent > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return cursor.error(
          at, text("found ", extent, " as dimension ", axis, ", expected 1 to 2^63 - 1"));
    tensor.dims.push_back(static_cast<int64_t>(extent));
  }
  std::reverse(tensor.dims.begin(), tensor.dims.end());
  return {};
}

Status HeaderReader::readFormat(Tensor &tensor) {
  uint64_t at = cursor.offset();
  uint32_t id = 0;
  RELAX_RETURN_IF_ERROR(cursor.read("the format", id));
  tensor.format = findTensorFormat(id);
  if (tensor.format)
    return {};
  if (const char *removed = removedTensorFormat(id))
    return cursor.error(at, text("found format ", id, " (", removed,
                                 "), which was removed from the file format. Convert the model "
                                 "again with a current converter"));
  return cursor.error(
      at, text("found format ", id, ", which is unknown; expected one of ", tensorFormatNames()));
}

Status HeaderReader::measure(Tensor &tensor, uint64_t dimsAt) const {
  if (tensor.rowElements() % tensor.format->blockElements != 0)
    return cursor.error(
        dimsAt, text("found rows of ", tensor.rowElements(), " elements, expected a multiple of ",
                     tensor.format->blockElements, ", the block size of ", tensor.format->name));
  uint64_t size = tensor.format->blockBytes;
  uint64_t blocks = static_cast<uint64_t>(tensor.rowElements()) / tensor.format->blockElements;
  bool fits = !__builtin_mul_overflow(size, blocks, &size);
  for (size_t axis = 0; axis + 1 < tensor.dims.size(); ++axis)
    fits = fits && !__builtin_mul_overflow(size, static_cast<uint64_t>(tensor.dims[axis]), &size);
  if (!fits || size > cursor.size())
    return cursor.error(dimsAt, text("the tensor is ", tensor.typeText(), ", which takes ",
                                     fits ? byteText(size) : std::string("more than 2^64 bytes"),
                                     ", expected at most ", byteText(cursor.size()),
                                     ", the size of the file"));
  tensor.size = size;
  return {};
}

Status HeaderReader::placeTensors() {
  cursor.enter("tensor data");
  uint64_t end = cursor.offset();
  uint64_t start = (end + alignment - 1) / alignment * alignment;
  if (file.list.empty()) {
    file.files.front().headerSize = std::min(start, cursor.size());
    return {};
  }
  if (start > cursor.size())
    return cursor.error(end, text("the file ends before its tensor data, expected at byte ", start,
                                  ". The file is truncated; copy or download it again"));
  file.files.front().headerSize = start;
  for (Tensor &tensor : file.list) {
    cursor.enter(text("tensor info (", nameText(tensor.name), ")"));
    uint64_t available = cursor.size() - start;
    if (tensor.offset % alignment != 0)
      return cursor.error(tensor.infoOffset,
                          text("found the data's offset ", tensor.offset,
                               ", expected a multiple of the alignment ", alignment));
    if (tensor.offset > available || tensor.size > available - tensor.offset)
      return cursor.error(tensor.infoOffset,
                          text("found data of ", tensor.size, " bytes at offset ", tensor.offset,
                               " of the data section, expected it within the ", available,
                               " bytes that are there. The file is truncated or damaged; copy or "
                               "download it again"));
    tensor.offset += start;
  }
  return checkOverlaps();
}

Status HeaderReader::checkOverlaps() {
  std::vector<const Tensor *> order;
  order.reserve(file.list.size());
  for (const Tensor &tensor : file.list)
    order.push_back(&tensor);
  // Of two at one offset, the later info is the one to blame.
  std::sort(order.begin(), order.end(), [](const Tensor *a, const Tensor *b) {
    return std::pair(a->offset, a->infoOffset) < std::pair(b->offset, b->infoOffset);
  });
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    const Tensor &a = *order[i], &b = *order[i + 1];
    if (a.offset + a.size > b.offset) {
      cursor.enter(text("tensor info (", nameText(b.name), ")"));
      return cursor.error(b.infoOffset,
                          text("the data of ", nameText(b.name), " starts at byte ", b.offset,
                               " of the file, expected it after byte ", a.offset + a.size,
                               ", where ", nameText(a.name), " ends: they overlap"));
    }
  }
  return {};
}

} // namespace relax::gguf
