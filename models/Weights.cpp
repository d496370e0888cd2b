#include "models/Weights.h"

#include "compiler/importers/gguf/Cursor.h"
#include "runtime/artifact/ContentHash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace relax::models {

void Weights::fail(Status error) {
  if (first.ok())
    first = std::move(error);
}

void Weights::requireAllUsed() {
  for (const gguf::Tensor &tensor : file.tensors())
    if (!used.contains(tensor.name))
      return fail(
          Status(StatusCode::Unsupported,
                 fmt::format("{}: found the tensor {}, {}, which this "
                             "architecture doesn't use; without it the model would compute "
                             "something else",
                             file.place(tensor), gguf::nameText(tensor.name), tensor.typeText())));
}

const gguf::Tensor *Weights::find(const std::string &name, llvm::ArrayRef<int64_t> dims) {
  const gguf::Tensor *tensor = file.find(name);
  used.insert(name);
  if (!tensor) {
    fail(Status(StatusCode::InvalidFile,
                fmt::format("{}: the tensor '{}' is missing; this architecture needs it, of shape "
                            "[{}]",
                            file.path(), name, fmt::join(dims, ", "))));
    return nullptr;
  }
  if (llvm::ArrayRef<int64_t>(tensor->dims) == dims)
    return tensor;
  fail(Status(StatusCode::InvalidFile,
              fmt::format("{}: the tensor '{}' is {}; expected the shape [{}], from the "
                          "model's hyper-parameters",
                          file.place(*tensor), name, tensor->typeText(), fmt::join(dims, ", "))));
  return nullptr;
}

ir::WeightAttr Weights::reference(const gguf::Tensor &tensor, uint64_t first, uint64_t size) {
  std::string text, name = tensor.name;
  if (hash)
    text = fmt::format("{:016x}", artifact::contentHash(file.bytes(tensor).subspan(first, size)));
  if (size != tensor.size)
    name += fmt::format("[{}..{}]", first, first + size);
  return ir::WeightAttr::get(context, name, tensor.part, tensor.offset + first, size, text);
}

Weight Weights::matrix(const std::string &name, int64_t rows, int64_t columns) {
  return matrixPart(name, rows, columns, 0, rows);
}

Weight Weights::matrixPart(const std::string &name, int64_t rows, int64_t columns, int64_t first,
                           int64_t count) {
  const gguf::Tensor *tensor = find(name, {rows, columns});
  if (!tensor)
    return {};
  const ir::BlockFormat *format = ir::findBlockFormat(context, tensor->format->name);
  if (!format) {
    fail(
        Status(StatusCode::Unsupported,
               fmt::format("{}: the tensor '{}' is stored as {}, which can't be computed with yet; "
                           "supported are {}",
                           file.path(), name, tensor->format->name, ir::blockFormatNames())));
    return {};
  }
  int64_t rowBytes = tensor->rowBytes();
  auto type = RankedTensorType::get({count, rowBytes}, IntegerType::get(context, 8));
  return {reference(*tensor, static_cast<uint64_t>(first * rowBytes),
                    static_cast<uint64_t>(count * rowBytes)),
          type, format->name};
}

Weight Weights::vector(const std::string &name, int64_t size) {
  return vectorPart(name, size, 0, size);
}

Weight Weights::vectorPart(const std::string &name, int64_t size, int64_t first, int64_t count) {
  const gguf::Tensor *tensor = find(name, {size});
  if (!tensor)
    return {};
  if (tensor->format->id != 0) {
    fail(Status(StatusCode::Unsupported,
                fmt::format("{}: the tensor '{}' is stored as {}; vectors must be f32", file.path(),
                            name, tensor->format->name)));
    return {};
  }
  return {reference(*tensor, static_cast<uint64_t>(4 * first), static_cast<uint64_t>(4 * count)),
          RankedTensorType::get({count}, Float32Type::get(context)), "f32"};
}

} // namespace relax::models
