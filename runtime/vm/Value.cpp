//===- Value.cpp ------------------------------------------------------------------------------===//
#include "runtime/vm/Value.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace relax::runtime {

struct Value::TensorData final : Data {
  TensorData(const TensorView &view, Ref<Memory> memory)
      : Data(Kind::Tensor), elements(view.data), memory(std::move(memory)), dtype(view.dtype),
        rank(static_cast<uint8_t>(view.dims.size())) {
    assert(view.dims.size() <= artifact::maxRank);
    std::copy(view.dims.begin(), view.dims.end(), dims.begin());
  }
  void *elements;
  Ref<Memory> memory;
  DType dtype;
  uint8_t rank;
  std::array<int64_t, artifact::maxRank> dims;
};
struct Value::ShapeData final : Data {
  explicit ShapeData(std::span<const int64_t> dims) : Data(Kind::Shape), rank(dims.size()) {
    if (rank > few.size())
      many.assign(dims.begin(), dims.end());
    else
      std::copy(dims.begin(), dims.end(), few.begin());
  }
  [[nodiscard]] std::span<const int64_t> dims() const {
    return {rank > few.size() ? many.data() : few.data(), rank};
  }
  size_t rank;
  std::array<int64_t, artifact::maxRank> few;
  std::vector<int64_t> many;
};
struct Value::TupleData final : Data {
  TupleData(std::vector<Value> fields, uint32_t depth)
      : Data(Kind::Tuple), fields(std::move(fields)), depth(depth) {}
  std::vector<Value> fields;
  uint32_t depth;
};
struct Value::FunctionData final : Data {
  explicit FunctionData(FunctionReference reference)
      : Data(Kind::Function), reference(std::move(reference)) {}
  FunctionReference reference;
};
struct Value::ObjectData final : Data {
  explicit ObjectData(std::shared_ptr<void> object)
      : Data(Kind::Object), object(std::move(object)) {}
  std::shared_ptr<void> object;
};

namespace {

/// Memory that something else keeps.
class OwnedElsewhere final : public Memory {
public:
  explicit OwnedElsewhere(std::shared_ptr<const void> owner) : owner(std::move(owner)) {}

private:
  std::shared_ptr<const void> owner;
};

} // namespace

template <typename T> const T &Value::as() const { return static_cast<const T &>(*data); }

Value Value::tensor(const TensorView &view, Ref<Memory> memory) {
  return Value(new TensorData(view, std::move(memory)));
}

Value Value::borrow(const TensorView &view) { return tensor(view, Ref<Memory>()); }

Value Value::tensor(const TensorView &view, std::shared_ptr<const void> owner) {
  return tensor(view, Ref<Memory>(new OwnedElsewhere(std::move(owner))));
}

Expected<Value> Value::copyOf(const TensorView &view) {
  std::optional<uint64_t> bytes = tensorBytes(view.dtype, view.dims);
  if (!bytes)
    return Status(StatusCode::InvalidArgument, "its size does not fit 64 bits");
  constexpr std::align_val_t alignment{artifact::bufferAlignment};
  void *copy = ::operator new(*bytes + 1, alignment, std::nothrow);
  if (!copy)
    return Status(StatusCode::ResourceExhausted,
                  relax::text("no memory for a copy: ", *bytes, " bytes are needed"));
  std::shared_ptr<const void> owner(copy, [](const void *memory) {
    ::operator delete(const_cast<void *>(memory), std::align_val_t(artifact::bufferAlignment));
  });
  if (*bytes != 0)
    std::memcpy(copy, view.data, *bytes);
  return tensor({copy, view.dtype, view.dims}, std::move(owner));
}

Value Value::shape(std::span<const int64_t> dims) { return Value(new ShapeData(dims)); }

Expected<Value> Value::tuple(std::vector<Value> fields) {
  uint32_t depth = 1;
  for (size_t i = 0; i != fields.size(); ++i) {
    if (fields[i].isNothing())
      return Status(StatusCode::InvalidArgument, relax::text("field ", i, " is nothing"));
    if (fields[i].isTuple())
      depth = std::max(depth, fields[i].as<TupleData>().depth + 1);
  }
  if (depth > maxTupleDepth)
    return Status(StatusCode::InvalidArgument,
                  relax::text("tuples nest more than ", maxTupleDepth, " deep"));
  return Value(new TupleData(std::move(fields), depth));
}

Value Value::function(std::shared_ptr<LoadedModule> module, size_t index) {
  return Value(new FunctionData({std::move(module), index}));
}

Value Value::object(std::shared_ptr<void> object) {
  return Value(new ObjectData(std::move(object)));
}

TensorView Value::asTensor() const {
  assert(isTensor());
  const auto &tensor = as<TensorData>();
  return {tensor.elements, tensor.dtype, std::span(tensor.dims).first(tensor.rank)};
}

std::span<const int64_t> Value::asShape() const {
  assert(isShape());
  return as<ShapeData>().dims();
}

std::span<const Value> Value::asTuple() const {
  assert(isTuple());
  return as<TupleData>().fields;
}

const Value::FunctionReference &Value::asFunction() const {
  assert(isFunction());
  return as<FunctionData>().reference;
}

const std::shared_ptr<void> &Value::asObject() const {
  assert(isObject());
  return as<ObjectData>().object;
}

const Ref<Memory> &Value::memory() const {
  assert(isTensor());
  return as<TensorData>().memory;
}

Status Value::check() const {
  if (isTensor()) {
    TensorView view = asTensor();
    for (size_t axis = 0; axis != view.dims.size(); ++axis)
      if (view.dims[axis] < 0)
        return Status(
            StatusCode::InvalidArgument,
            relax::text("dimension ", axis, ": found ", view.dims[axis], ", expected at least 0"));
    std::optional<uint64_t> bytes = tensorBytes(view.dtype, view.dims);
    return bytes ? checkStorage(view, *bytes)
                 : Status(StatusCode::InvalidArgument, "its size does not fit 64 bits");
  }
  if (isTuple())
    for (size_t i = 0; i != asTuple().size(); ++i)
      if (Status status = asTuple()[i].check(); !status.ok())
        return std::move(status).withContext(relax::text("field ", i));
  if (isShape())
    for (int64_t dim : asShape())
      if (dim < 0)
        return Status(StatusCode::InvalidArgument, "a dimension is negative");
  return isNothing() ? Status(StatusCode::InvalidArgument, "found nothing, expected a value")
                     : Status();
}

static std::string dimsText(std::span<const int64_t> dims) {
  std::string out = "[";
  for (size_t i = 0; i != dims.size(); ++i)
    out += text(i == 0 ? "" : ", ", dims[i]);
  return out + "]";
}

std::string Value::text() const {
  switch (kind()) {
  case Kind::Nothing:
    return "nothing";
  case Kind::Tensor: {
    TensorView view = asTensor();
    return artifact::name(view.dtype) + dimsText(view.dims);
  }
  case Kind::Shape:
    return "shape " + dimsText(asShape());
  case Kind::Tuple:
    return relax::text("a tuple of ", asTuple().size());
  case Kind::Function:
    return "a function";
  case Kind::Object:
    return "an object";
  }
  return "?";
}

int64_t elementCount(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim == 0)
      return 0;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

std::optional<uint64_t> tensorBytes(DType dtype, std::span<const int64_t> dims) {
  auto bytes = static_cast<int64_t>(artifact::byteSize(dtype));
  bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  for (int64_t dim : dims)
    if (dim < 0 || (!empty && __builtin_mul_overflow(bytes, dim, &bytes)))
      return std::nullopt;
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

} // namespace relax::runtime
