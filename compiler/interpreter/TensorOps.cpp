// Ops on whole tensors: pieces of them, other shapes of them, single elements.

#include "compiler/interpreter/Evaluator.h"

using namespace mlir;

namespace relax::interpreter {
namespace {

/// The dimensions of a result type, with sizes for those that the type doesn't know.
std::vector<int64_t> dimsOf(RankedTensorType type, ArrayRef<int64_t> dynamic) {
  std::vector<int64_t> dims;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(size);
      continue;
    }
    dims.push_back(dynamic.front());
    dynamic = dynamic.drop_front();
  }
  return dims;
}

/// Calls `visit(place of the element in the whole tensor, number of the element in the slice)`;
/// false if a place is outside.
template <typename F>
bool visitSlice(ArrayRef<int64_t> dims, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                ArrayRef<int64_t> strides, F visit) {
  if (elementCount(sizes) <= 0)
    return elementCount(sizes) == 0;
  SmallVector<int64_t> indices(sizes.size(), 0), whole(sizes.size());
  size_t number = 0;
  do {
    for (size_t i = 0; i != indices.size(); ++i)
      whole[i] = offsets[i] + indices[i] * strides[i];
    int64_t place = placeOf(dims, whole);
    if (place < 0)
      return false;
    visit(static_cast<size_t>(place), number++);
  } while (nextIndices(indices, sizes));
  return true;
}

/// `sizes` without the dimensions that `type`, which may have fewer, drops.
std::vector<int64_t> reducedDims(RankedTensorType type, ArrayRef<int64_t> sizes) {
  std::vector<int64_t> dims;
  size_t next = 0;
  for (int64_t size : type.getShape()) {
    // A dropped dimension is 1; the first that fits is taken, as MLIR's own inference does.
    while (next + (type.getRank() - dims.size()) < sizes.size() && sizes[next] == 1 && size != 1)
      ++next;
    dims.push_back(sizes[next++]);
  }
  return dims;
}

} // namespace

Status Evaluator::insertSlice(Operation *op, const Tensor &source, Tensor &target,
                              OffsetSizeAndStrideOpInterface slice, Frame &frame) {
  std::vector<int64_t> offsets = mixed(slice.getMixedOffsets(), frame);
  std::vector<int64_t> sizes = mixed(slice.getMixedSizes(), frame);
  std::vector<int64_t> strides = mixed(slice.getMixedStrides(), frame);
  RELAX_RETURN_IF_ERROR(spend(op, source.elements.size()));
  if (elementCount(sizes) != static_cast<int64_t>(source.elements.size()) ||
      !visitSlice(target.dims, offsets, sizes, strides, [&](size_t place, size_t number) {
        target.elements[place] = source.elements[number];
      }))
    return error(op, "puts a slice of sizes " + dimsText(sizes) + " at " + dimsText(offsets) +
                         " into a tensor of shape " + dimsText(target.dims));
  return {};
}

Status Evaluator::executeTensor(Operation *op, Frame &frame) {
  auto indicesOf = [&](ValueRange values) {
    SmallVector<int64_t> indices;
    for (mlir::Value value : values)
      indices.push_back(integerAt(value, frame));
    return indices;
  };
  auto outside = [&](ArrayRef<int64_t> indices, ArrayRef<int64_t> dims) {
    return error(op, "the place " + dimsText(indices) + " is outside a tensor of shape " +
                         dimsText(dims));
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    std::vector<int64_t> dims = dimsOf(empty.getType(), indicesOf(empty.getDynamicSizes()));
    if (elementCount(dims) < 0)
      return error(op, "a tensor cannot have the shape " + dimsText(dims));
    frame.values[empty] = makeTensor(empty.getType().getElementType(), dims);
    return {};
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    RELAX_RETURN_IF_ERROR(spend(op, 1));
    const Tensor &source = tensorAt(extract.getTensor(), frame);
    SmallVector<int64_t> indices = indicesOf(extract.getIndices());
    int64_t place = placeOf(source.dims, indices);
    if (place < 0)
      return outside(indices, source.dims);
    frame.values[extract] = source.elements[static_cast<size_t>(place)];
    return {};
  }
  if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    RELAX_RETURN_IF_ERROR(spend(op, 1));
    SmallVector<int64_t> indices = indicesOf(insert.getIndices());
    Scalar scalar = at(insert.getScalar(), frame).scalar();
    TensorPointer target = takeTensor(insert.getDestMutable(), frame);
    int64_t place = placeOf(target->dims, indices);
    if (place < 0)
      return outside(indices, target->dims);
    target->elements[static_cast<size_t>(place)] = scalar;
    frame.values[insert] = std::move(target);
    return {};
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    const Tensor &source = tensorAt(slice.getSource(), frame);
    std::vector<int64_t> offsets = mixed(slice.getMixedOffsets(), frame);
    std::vector<int64_t> sizes = mixed(slice.getMixedSizes(), frame);
    if (elementCount(sizes) < 0)
      return error(op, "a slice cannot have the sizes " + dimsText(sizes));
    TensorPointer result = makeTensor(source.element, reducedDims(slice.getType(), sizes));
    RELAX_RETURN_IF_ERROR(spend(op, result->elements.size()));
    if (!visitSlice(source.dims, offsets, sizes, mixed(slice.getMixedStrides(), frame),
                    [&](size_t place, size_t number) {
                      result->elements[number] = source.elements[place];
                    }))
      return error(op, "takes a slice of sizes " + dimsText(sizes) + " at " + dimsText(offsets) +
                           " of a tensor of shape " + dimsText(source.dims));
    frame.values[slice] = std::move(result);
    return {};
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    TensorPointer source = at(insert.getSource(), frame).tensor();
    TensorPointer target = takeTensor(insert.getDestMutable(), frame);
    RELAX_RETURN_IF_ERROR(insertSlice(op, *source, *target, insert, frame));
    frame.values[insert] = std::move(target);
    return {};
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    const Tensor &source = tensorAt(dim.getSource(), frame);
    int64_t index = integerAt(dim.getIndex(), frame);
    if (index < 0 || index >= static_cast<int64_t>(source.dims.size()))
      return error(op, "there is no dimension " + std::to_string(index));
    frame.values[dim] = integerScalar(source.dims[static_cast<size_t>(index)]);
    return {};
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    frame.values[cast] = take(cast.getSourceMutable(), frame);
    return {};
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    TensorPointer source = takeTensor(op->getOpOperand(0), frame);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      source->dims = mixed(
          getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), op->getContext()),
          frame);
    } else {
      auto collapse = cast<tensor::CollapseShapeOp>(op);
      std::vector<int64_t> dims;
      for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
        int64_t size = 1;
        for (int64_t i : group)
          size *= source->dims[static_cast<size_t>(i)];
        dims.push_back(size);
      }
      source->dims = std::move(dims);
    }
    if (elementCount(source->dims) != static_cast<int64_t>(source->elements.size()))
      return error(op, "the result's shape " + dimsText(source->dims) +
                           " has another number of "
                           "elements than the operand");
    frame.values[op->getResult(0)] = std::move(source);
    return {};
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    TensorPointer result = makeTensor(splat.getType().getElementType(),
                                      dimsOf(splat.getType(), indicesOf(splat.getDynamicSizes())));
    llvm::fill(result->elements, at(splat.getInput(), frame).scalar());
    frame.values[splat] = std::move(result);
    return {};
  }
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    TensorPointer result =
        makeTensor(elements.getType().getElementType(), elements.getType().getShape().vec());
    for (auto [element, operand] : llvm::zip_equal(result->elements, elements.getElements()))
      element = at(operand, frame).scalar();
    frame.values[elements] = std::move(result);
    return {};
  }
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    TensorPointer result =
        makeTensor(generate.getType().getElementType(),
                   dimsOf(generate.getType(), indicesOf(generate.getDynamicExtents())));
    Block &body = generate.getBody().front();
    SmallVector<int64_t> indices(result->dims.size(), 0);
    for (Scalar &element : result->elements) {
      RELAX_RETURN_IF_ERROR(spend(op, 1));
      for (auto [argument, index] : llvm::zip_equal(body.getArguments(), indices))
        frame.values[argument] = integerScalar(index);
      RELAX_RETURN_IF_ERROR(runBlock(body, frame));
      element = at(cast<tensor::YieldOp>(body.getTerminator()).getValue(), frame).scalar();
      nextIndices(indices, result->dims);
    }
    frame.values[generate] = std::move(result);
    return {};
  }
  return error(op, "the interpreter doesn't know this op");
}

} // namespace relax::interpreter
