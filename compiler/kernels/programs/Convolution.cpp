// Convolutions and pools. A convolution without padding reads its input at affine places; one with
// padding is a pad and that. Where padding depends on sizes, and in pools and transposed
// convolutions, each element of a window is looked up if it is inside. See Interpolate.cpp for the
// rest of the family.

#include "compiler/dialect/Ops.h"
#include "compiler/dialect/Windows.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/ConvolutionOps.h"
#include "compiler/dialect/ops/ReduceOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"
#include "compiler/kernels/programs/Interpolate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

template <typename Op> ir::WindowAttributes attributesOf(Op op) {
  ir::WindowAttributes attributes{op.getStrides(), op.getDilations(), op.getPads(), std::nullopt,
                                  op.getAutoPad()};
  if constexpr (std::is_same_v<Op, ir::TransposedConvolutionOp>)
    attributes.outputPadding = op.getOutputPadding();
  if constexpr (std::is_same_v<Op, ir::MaxPoolOp> || std::is_same_v<Op, ir::AveragePoolOp>)
    attributes.ceilMode = op.getCeilMode();
  return attributes;
}

/// The windows over the program's symbols. The op's rule has accepted them.
template <typename Op>
SmallVector<ir::Window> programWindows(ProgramBuilder &program, ArrayRef<Expr> kernel) {
  auto op = cast<Op>(program.op);
  ir::Rule silent(op.getContext(), std::nullopt, op.getOperationName());
  return *(std::is_same_v<Op, ir::TransposedConvolutionOp>
               ? ir::transposedWindowsOf(silent, program.inputType(0), kernel, attributesOf(op))
               : ir::windowsOf(silent, program.inputType(0), kernel, attributesOf(op)));
}

/// Index arithmetic in a body.
struct Index {
  OpBuilder &b;
  Location loc;
  Value loop(unsigned i) const { return linalg::IndexOp::create(b, loc, i); }
  Value number(int64_t value) const { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulIOp::create(b, loc, x, y); }
  Value mul(Value x, int64_t y) const { return y == 1 ? x : mul(x, number(y)); }
  Value floorDiv(Value x, Value y) const { return arith::FloorDivSIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) const { return arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) const { return arith::MaxSIOp::create(b, loc, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  /// 0 <= x < size.
  Value inside(Value x, Value size) const {
    return both(compare(arith::CmpIPredicate::sge, x, number(0)),
                compare(arith::CmpIPredicate::slt, x, size));
  }
  /// x moved into [0, size); size is at least 1 where an element is read.
  Value clamp(Value x, Value size) const { return max(min(x, sub(size, number(1))), number(0)); }
};

/// The sizes that bodies need, as values of the program.
struct WindowValues {
  WindowValues(ProgramBuilder &program, const ir::Window &window)
      : stride(window.stride), dilation(window.dilation), input(program.size(window.input)),
        before(program.size(window.before)) {}
  int64_t stride, dilation;
  Value input, before;
};

/// The loops of windows: [n, channel, positions...] in parallel, then `inner` channels where there
/// are any, then the kernel's dimensions.
struct WindowLoops {
  unsigned spatial;
  bool channels; ///< Is there a loop over input channels?

  [[nodiscard]] unsigned position(unsigned i) const { return 2 + i; }
  [[nodiscard]] unsigned channel() const { return 2 + spatial; }
  [[nodiscard]] unsigned kernel(unsigned i) const { return 2 + spatial + (channels ? 1 : 0) + i; }
  [[nodiscard]] unsigned count() const { return kernel(spatial); }

  [[nodiscard]] SmallVector<utils::IteratorType> iterators() const {
    SmallVector<utils::IteratorType> types(count(), utils::IteratorType::reduction);
    std::fill_n(types.begin(), 2 + spatial, utils::IteratorType::parallel);
    return types;
  }
  [[nodiscard]] AffineMap result(MLIRContext *context) const {
    return leadingDims(context, count(), 2 + spatial);
  }
  /// (n, channel, positions...) -> (kernel...), for the operand that gives the kernel's extents.
  [[nodiscard]] AffineMap window(MLIRContext *context) const {
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i < spatial; ++i)
      exprs.push_back(getAffineDimExpr(kernel(i), context));
    return AffineMap::get(count(), 0, exprs, context);
  }
};

//===------------------------------------------------------------------------------------------===//
// Convolutions
//===------------------------------------------------------------------------------------------===//

/// The sums start as the bias, or as zero.
Value convolutionInit(ProgramBuilder &program, RankedTensorType sums) {
  Type accumulator = sums.getElementType();
  if (program.inputs.size() < 3)
    return program.filled(sums, zeroOf(accumulator));
  MLIRContext *context = sums.getContext();
  unsigned rank = unsigned(sums.getRank());
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, getAffineDimExpr(1, context)),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return program.generic(ValueRange{program.inputs[2]}, program.empty(sums), maps, iterators,
                         [&](OpBuilder &b, Location loc, ValueRange v) {
                           return Scalars(b, loc).convert(accumulator, v[0]);
                         });
}

RankedTensorType accumulatorTensor(ProgramBuilder &program) {
  RankedTensorType type = program.types[0];
  return ir::tensorType(type.getContext(), ir::shapeOf(type), accumulatorOf(type.getElementType()));
}

SmallVector<Value> rounded(ProgramBuilder &program, Value sums) {
  Type element = program.types[0].getElementType();
  if (cast<RankedTensorType>(sums.getType()).getElementType() == element)
    return {sums};
  return {elementByElement(program, sums, element,
                           [&](const Scalars &s, Value v) { return s.convert(element, v); })};
}

Value multiplyAdd(OpBuilder &b, Location loc, Value sum, Value x, Value weight) {
  Scalars s(b, loc);
  Type type = sum.getType();
  return s.add(sum, s.mul(s.convert(type, x), s.convert(type, weight)));
}

bool isZero(Expr expr) { return expr && expr.isConstant(0); }

bool hasPadding(ArrayRef<ir::Window> windows) {
  return !llvm::all_of(windows,
                       [](const ir::Window &w) { return isZero(w.before) && isZero(w.after); });
}

/// Input element (n, c + group's first, position * stride + tap * dilation), all affine.
SmallVector<Value> buildPlainConvolution(ProgramBuilder &program, ArrayRef<ir::Window> windows) {
  auto op = cast<ir::ConvolutionOp>(program.op);
  MLIRContext *context = program.b.getContext();
  WindowLoops loops{unsigned(windows.size()), true};
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, context); };
  AffineExpr channel = dim(loops.channel());
  RankedTensorType weight = program.inputType(1);
  if (op.getGroups() > 1)
    channel =
        channel + dim(1).floorDiv(weight.getDimSize(0) / op.getGroups()) * weight.getDimSize(1);
  SmallVector<AffineExpr> input = {dim(0), channel}, kernel = {dim(1), dim(loops.channel())};
  for (auto [i, window] : llvm::enumerate(windows)) {
    input.push_back(dim(loops.position(unsigned(i))) * window.stride +
                    dim(loops.kernel(unsigned(i))) * window.dilation);
    kernel.push_back(dim(loops.kernel(unsigned(i))));
  }
  SmallVector<AffineMap> maps = {AffineMap::get(loops.count(), 0, input, context),
                                 AffineMap::get(loops.count(), 0, kernel, context),
                                 loops.result(context)};
  Value sums = program.generic(program.inputs.take_front(2),
                               convolutionInit(program, accumulatorTensor(program)), maps,
                               loops.iterators(), [](OpBuilder &b, Location loc, ValueRange v) {
                                 return multiplyAdd(b, loc, v[2], v[0], v[1]);
                               });
  return rounded(program, sums);
}

/// x at (n, channel, places...), or zero where `ok` doesn't hold; places are clamped.
Value elementOrZero(const Index &index, Value x, Value channel, ArrayRef<Value> places,
                    ArrayRef<WindowValues> windows, Value ok) {
  SmallVector<Value> indices = {index.loop(0), channel};
  for (auto [place, window] : llvm::zip_equal(places, windows))
    indices.push_back(index.clamp(place, window.input));
  Value element = tensor::ExtractOp::create(index.b, index.loc, x, indices);
  Value zero = arith::ConstantOp::create(index.b, index.loc, zeroOf(element.getType()));
  return arith::SelectOp::create(index.b, index.loc, ok, element, zero);
}

/// Where one output channel reads: the group's first channel, and this one's number.
struct GroupSizes {
  GroupSizes(ProgramBuilder &program, int64_t groups, Expr outputs, Expr inputs)
      : grouped(groups > 1) {
    if (!grouped)
      return;
    outputsEach = program.size(outputs);
    inputsEach = program.size(inputs);
  }
  Value inputChannel(const Index &index, Value output, Value inner) const {
    if (!grouped)
      return inner;
    return index.add(index.mul(index.floorDiv(output, outputsEach), inputsEach), inner);
  }
  bool grouped;
  Value outputsEach, inputsEach;
};

/// For padding and groups of any kind: the input is looked up where the window is inside.
SmallVector<Value> buildLookedUpConvolution(ProgramBuilder &program, ArrayRef<ir::Window> windows) {
  auto op = cast<ir::ConvolutionOp>(program.op);
  MLIRContext *context = program.b.getContext();
  WindowLoops loops{unsigned(windows.size()), true};
  ArrayRef<Expr> weight = ir::shapeOf(program.inputType(1));
  int64_t groupCount = op.getGroups();
  GroupSizes groups(
      program, groupCount,
      weight[0].getContext().floorDiv(weight[0], weight[0].getContext().constant(groupCount)),
      weight[1]);
  SmallVector<WindowValues> values;
  for (const ir::Window &window : windows)
    values.emplace_back(program, window);
  SmallVector<AffineExpr> kernel = {getAffineDimExpr(1, context),
                                    getAffineDimExpr(loops.channel(), context)};
  llvm::append_range(kernel, loops.window(context).getResults());
  SmallVector<AffineMap> maps = {AffineMap::get(loops.count(), 0, kernel, context),
                                 loops.result(context)};
  Value x = program.inputs[0];
  Value sums = program.generic(
      ValueRange{program.inputs[1]}, convolutionInit(program, accumulatorTensor(program)), maps,
      loops.iterators(), [&](OpBuilder &b, Location loc, ValueRange v) {
        Index index{b, loc};
        SmallVector<Value> places;
        Value ok = arith::ConstantIntOp::create(b, loc, 1, 1);
        for (auto [i, window] : llvm::enumerate(values)) {
          Value first = index.mul(index.loop(loops.position(unsigned(i))), window.stride);
          Value tap = index.mul(index.loop(loops.kernel(unsigned(i))), window.dilation);
          places.push_back(index.sub(index.add(first, tap), window.before));
          ok = index.both(ok, index.inside(places.back(), window.input));
        }
        Value channel = groups.inputChannel(index, index.loop(1), index.loop(loops.channel()));
        return multiplyAdd(b, loc, v[1], elementOrZero(index, x, channel, places, values, ok),
                           v[0]);
      });
  return rounded(program, sums);
}

SmallVector<Value> buildConvolution(ProgramBuilder &program) {
  auto op = cast<ir::ConvolutionOp>(program.op);
  RankedTensorType weight = program.inputType(1);
  SmallVector<ir::Window> windows =
      programWindows<ir::ConvolutionOp>(program, ir::shapeOf(weight).drop_front(2));
  bool plainGroups = op.getGroups() == 1 || (!weight.isDynamicDim(0) && !weight.isDynamicDim(1) &&
                                             weight.getDimSize(0) > 0);
  if (!hasPadding(windows) && plainGroups)
    return buildPlainConvolution(program, windows);
  return buildLookedUpConvolution(program, windows);
}

/// Output element o gets input i through tap k where o + before = i * stride + k * dilation.
SmallVector<Value> buildTransposedConvolution(ProgramBuilder &program) {
  auto op = cast<ir::TransposedConvolutionOp>(program.op);
  MLIRContext *context = program.b.getContext();
  ArrayRef<Expr> weight = ir::shapeOf(program.inputType(1));
  SmallVector<ir::Window> windows =
      programWindows<ir::TransposedConvolutionOp>(program, weight.drop_front(2));
  WindowLoops loops{unsigned(windows.size()), true};
  symbolic::Context &symbols = ir::symbolicContext(context);
  // Input channels of one group: a loop of its own, given by no operand but this one.
  Expr inputsEach = symbols.floorDiv(weight[0], symbols.constant(op.getGroups()));
  GroupSizes groups(program, op.getGroups(), weight[1], inputsEach);
  SmallVector<Expr> loopExtents = {inputsEach};
  llvm::append_range(loopExtents, weight.drop_front(2));
  Value extents =
      program.empty(ir::tensorType(context, loopExtents, program.types[0].getElementType()));
  SmallVector<AffineExpr> extentLoops = {getAffineDimExpr(loops.channel(), context)};
  llvm::append_range(extentLoops, loops.window(context).getResults());
  SmallVector<WindowValues> values;
  for (const ir::Window &window : windows)
    values.emplace_back(program, window);
  Value x = program.inputs[0], kernel = program.inputs[1];
  SmallVector<AffineMap> maps = {AffineMap::get(loops.count(), 0, extentLoops, context),
                                 loops.result(context)};
  Value sums = program.generic(
      ValueRange{extents}, convolutionInit(program, accumulatorTensor(program)), maps,
      loops.iterators(), [&](OpBuilder &b, Location loc, ValueRange v) {
        Index index{b, loc};
        SmallVector<Value> places, taps;
        Value ok = arith::ConstantIntOp::create(b, loc, 1, 1);
        for (auto [i, window] : llvm::enumerate(values)) {
          Value tap = index.loop(loops.kernel(unsigned(i)));
          Value shifted =
              index.sub(index.add(index.loop(loops.position(unsigned(i))), window.before),
                        index.mul(tap, window.dilation));
          Value place = index.floorDiv(shifted, index.number(window.stride));
          Value exact =
              index.compare(arith::CmpIPredicate::eq, index.mul(place, window.stride), shifted);
          ok = index.both(ok, index.both(exact, index.inside(place, window.input)));
          places.push_back(place);
          taps.push_back(tap);
        }
        Value channel = groups.inputChannel(index, index.loop(1), index.loop(loops.channel()));
        Value output = index.loop(1);
        if (groups.grouped)
          output = index.sub(
              output, index.mul(index.floorDiv(output, groups.outputsEach), groups.outputsEach));
        SmallVector<Value> weightPlace = {channel, output};
        llvm::append_range(weightPlace, taps);
        Value factor = tensor::ExtractOp::create(b, loc, kernel, weightPlace);
        return multiplyAdd(b, loc, v[1], elementOrZero(index, x, channel, places, values, ok),
                           factor);
      });
  return rounded(program, sums);
}

//===------------------------------------------------------------------------------------------===//
// Pools
//===------------------------------------------------------------------------------------------===//

/// What the body of a pool sees: the element of the window (some element where it isn't inside),
/// whether it is inside, whether it is inside or in the padding, and its place.
struct PoolElement {
  Value element, inside, counted;
  SmallVector<Value> places;
};

PoolElement poolElement(const Index &index, const WindowLoops &loops, Value x,
                        ArrayRef<WindowValues> windows, ArrayRef<Value> ends) {
  PoolElement result;
  result.inside = result.counted = arith::ConstantIntOp::create(index.b, index.loc, 1, 1);
  SmallVector<Value> indices = {index.loop(0), index.loop(1)};
  for (auto [i, window] : llvm::enumerate(windows)) {
    Value first = index.mul(index.loop(loops.position(unsigned(i))), window.stride);
    Value tap = index.mul(index.loop(loops.kernel(unsigned(i))), window.dilation);
    Value place = index.sub(index.add(first, tap), window.before);
    result.inside = index.both(result.inside, index.inside(place, window.input));
    result.counted =
        index.both(result.counted, index.compare(arith::CmpIPredicate::slt, place, ends[i]));
    result.places.push_back(index.clamp(place, window.input));
  }
  llvm::append_range(indices, result.places);
  result.element = tensor::ExtractOp::create(index.b, index.loc, x, indices);
  return result;
}

/// A pool as one op with two accumulators.
struct Pool {
  template <typename Op>
  Pool(ProgramBuilder &program, Op op)
      : program(program), context(op.getContext()), x(program.inputs[0]),
        loops{unsigned(op.getKernel().size()), false} {
    symbolic::Context &symbols = ir::symbolicContext(context);
    SmallVector<Expr> kernel;
    for (int64_t size : op.getKernel())
      kernel.push_back(symbols.constant(size));
    windows = programWindows<Op>(program, kernel);
    for (const ir::Window &window : windows) {
      values.emplace_back(program, window);
      ends.push_back(program.size(window.input + window.after));
    }
    // Gives the loops over the window their extents.
    extents = program.empty(ir::tensorType(context, kernel, program.inputType(0).getElementType()));
  }

  using Body = llvm::function_ref<std::pair<Value, Value>(const Scalars &, const Index &,
                                                          const PoolElement &, ValueRange)>;
  linalg::GenericOp build(Value first, Value second, bool isUnsigned, Body body) {
    return linalg::GenericOp::create(
        program.b, program.loc, TypeRange{first.getType(), second.getType()}, ValueRange{extents},
        ValueRange{first, second},
        ArrayRef<AffineMap>{loops.window(context), loops.result(context), loops.result(context)},
        loops.iterators(), [&](OpBuilder &b, Location loc, ValueRange v) {
          Index index{b, loc};
          PoolElement element = poolElement(index, loops, x, values, ends);
          auto [a, c] = body(Scalars(b, loc, isUnsigned), index, element, v.drop_front());
          linalg::YieldOp::create(b, loc, ValueRange{a, c});
        });
  }

  ProgramBuilder &program;
  MLIRContext *context;
  Value x;
  WindowLoops loops;
  SmallVector<ir::Window> windows;
  SmallVector<WindowValues> values;
  SmallVector<Value> ends;
  Value extents;
};

SmallVector<Value> buildMaxPool(ProgramBuilder &program) {
  auto op = cast<ir::MaxPoolOp>(program.op);
  RankedTensorType type = program.types[0], input = program.inputType(0);
  Type element = type.getElementType(), i64 = program.b.getI64Type();
  bool isUnsigned = isUnsignedOperand(op, 0);
  Pool pool(program, op);
  SmallVector<Value> sizes;
  for (Expr dim : ir::shapeOf(input))
    sizes.push_back(program.size(dim));
  Value best = program.filled(type, lowestOf(element, isUnsigned));
  Value place = program.filled(type.clone(i64), program.b.getI64IntegerAttr(-1));
  linalg::GenericOp generic = pool.build(
      best, place, isUnsigned,
      [&](const Scalars &s, const Index &index, const PoolElement &x, ValueRange v) {
        // The first inside counts even if it is the least of all numbers.
        Value better = s.either(s.less(v[0], x.element), s.less(v[1], s.like(v[1], 0)));
        if (isa<FloatType>(element))
          better = s.either(better, s.both(s.isNan(x.element), s.negation(s.isNan(v[0]))));
        better = s.both(better, x.inside);
        Value flat = index.add(index.mul(index.loop(0), sizes[1]), index.loop(1));
        for (auto [i, coordinate] : llvm::enumerate(x.places))
          flat = index.add(index.mul(flat, sizes[2 + i]), coordinate);
        Value number = arith::IndexCastOp::create(s.b, s.loc, i64, flat);
        return std::pair(s.select(better, x.element, v[0]), s.select(better, number, v[1]));
      });
  SmallVector<Value> results = {generic.getResult(0)};
  if (op.getWithIndices())
    results.push_back(generic.getResult(1));
  return results;
}

SmallVector<Value> buildAveragePool(ProgramBuilder &program) {
  auto op = cast<ir::AveragePoolOp>(program.op);
  RankedTensorType type = program.types[0], wide = accumulatorTensor(program);
  Type element = type.getElementType(), accumulator = wide.getElementType();
  bool withPadding = op.getCountIncludePad();
  Pool pool(program, op);
  Value zeros = program.filled(wide, zeroOf(accumulator));
  linalg::GenericOp generic =
      pool.build(zeros, zeros, false,
                 [&](const Scalars &s, const Index &, const PoolElement &x, ValueRange v) {
                   Value zero = s.like(v[0], 0), one = s.like(v[0], 1);
                   Value term = s.select(x.inside, s.convert(accumulator, x.element), zero);
                   Value count = s.select(withPadding ? x.counted : x.inside, one, zero);
                   return std::pair(s.add(v[0], term), s.add(v[1], count));
                 });
  return {
      program.pointwise(type, generic.getResults(), [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc);
        return s.convert(element, s.div(v[0], v[1]));
      })};
}

//===------------------------------------------------------------------------------------------===//
// Decomposition
//===------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<ir::Window>> convolutionWindows(ir::ConvolutionOp op) {
  ir::Rule silent(op.getContext(), std::nullopt, op.getOperationName());
  return ir::windowsOf(silent, cast<RankedTensorType>(op.getX().getType()),
                       ir::shapeOf(cast<RankedTensorType>(op.getWeight().getType())).drop_front(2),
                       attributesOf(op));
}

/// The size that the convolution of the padded input deduces.
Expr paddedOutput(const ir::Window &window) {
  Expr room = window.input + window.before + window.after -
              ((window.kernel - 1) * window.dilation + 1) + window.stride;
  return room.getContext().floorDiv(room, room.getContext().constant(window.stride));
}

/// Padding whose amount doesn't depend on sizes in a way that hides the result's size.
bool isPadded(Operation *op) {
  FailureOr<SmallVector<ir::Window>> windows = convolutionWindows(cast<ir::ConvolutionOp>(op));
  if (failed(windows) || !hasPadding(*windows))
    return false;
  return llvm::all_of(*windows, [](const ir::Window &w) {
    return w.input && w.before && w.after && w.kernel && paddedOutput(w) == w.output;
  });
}

LogicalResult decomposeConvolution(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto convolution = cast<ir::ConvolutionOp>(op);
  FailureOr<SmallVector<ir::Window>> windows = convolutionWindows(convolution);
  if (failed(windows))
    return failure();
  symbolic::Context &symbols = ir::symbolicContext(op->getContext());
  SmallVector<Expr> low(2, symbols.constant(0)), high = low;
  for (const ir::Window &window : *windows) {
    low.push_back(window.before);
    high.push_back(window.after);
  }
  FailureOr<ir::PadOp> padded = ir::createDeduced<ir::PadOp>(
      b, op->getLoc(), convolution.getX(),
      {b.getNamedAttr("low", ir::ShapeAttr::get(op->getContext(), low)),
       b.getNamedAttr("high", ir::ShapeAttr::get(op->getContext(), high))});
  if (failed(padded))
    return failure();
  SmallVector<Value> operands(op->getOperands());
  operands[0] = padded->getResult();
  OperationState state(op->getLoc(), op->getName(), operands, op->getResultTypes(), op->getAttrs());
  state.attributes.erase("pads");
  state.attributes.erase("auto_pad");
  values.push_back(b.create(state)->getResult(0));
  return success();
}

/// A global pool is a reduction of the spatial axes.
template <typename Reduction>
LogicalResult decomposeGlobalPool(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < type.getRank(); ++i)
    axes.push_back(i);
  FailureOr<Reduction> reduced =
      ir::createDeduced<Reduction>(b, op->getLoc(), op->getOperand(0),
                                   {b.getNamedAttr("axes", b.getDenseI64ArrayAttr(axes)),
                                    b.getNamedAttr("keep_dims", b.getUnitAttr())});
  if (failed(reduced))
    return failure();
  values.push_back(reduced->getResult());
  return success();
}

} // namespace

ArrayRef<ProgramEntry> convolutionPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.convolution", buildConvolution},
      {"relax.transposed_convolution", buildTransposedConvolution},
      {"relax.max_pool", buildMaxPool},
      {"relax.average_pool", buildAveragePool},
      {"relax.interpolate", buildInterpolate},
  };
  return entries;
}

ArrayRef<DecompositionEntry> convolutionDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.convolution", decomposeConvolution, isPadded},
      {"relax.global_average_pool", decomposeGlobalPool<ir::MeanOp>},
      {"relax.global_max_pool", decomposeGlobalPool<ir::MaxOp>},
  };
  return entries;
}

} // namespace relax::kernels
