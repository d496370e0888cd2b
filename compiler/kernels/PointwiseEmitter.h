//===- PointwiseEmitter.h - the elements of a tensor program, a vector at a time --------------===//
//
// A strategy decides which elements are computed when; this class knows how one of them follows
// from the program. Given
//
//   %0 = linalg.generic ins(%x, %row)  { addf }       // maps (i, j) -> (i, j) and (i, j) -> (j)
//   %1 = linalg.generic ins(%0)        { mulf, extf }
//
// `evaluate(%1, {i, j}, 8)` loads %x[i, j .. j+8) and %row[j .. j+8) and emits the two bodies on
// vector<8xf32>: nothing in between touches memory. Arguments of the program load from the kernel's
// memrefs. A tensor that a strategy computes itself (a contraction's accumulators, the sum of a
// row) is given by `bind`, and so epilogues fuse.
//
// Lanes. The last index is that of lane 0, and lanes run along the last dimension: lane l is the
// element (indices..., last + l). With lanes = 1 the result is a scalar, otherwise vector<lanes x
// element type>. The caller keeps all lanes inside the tensor. Every lane goes through the same
// operations as a scalar evaluation, so both are bit-equal.
//   Inside, a value is uniform (the same in all lanes), consecutive (base + lane) or a vector:
// uniform values are computed as scalars and splat where they meet vectors; loads at a consecutive
// last index are vector loads, and so, with a shuffle, are those at known distances from each other
// (every second element, each one twice, partners exchanged); others go element by element.
// Quotients and remainders of a consecutive index by a constant stay cheap where the base is known
// to be a multiple of enough (a loop of constant step, a product with a constant): that is what
// makes `byte = k mod 16` and `block = k floordiv 32` in a decoder vectorise. See LaneValue.h.
//
// Branches. An scf.if in a body is a branch: what isn't taken is not read. Where the lanes disagree
// they are done one by one; where they agree, which one compare shows for `index < bound`, the
// branch is done for all at once.
//
// What is understood: linalg ops with a body (maps of dimensions and affine expressions; arith,
// math, linalg.index, tensor.extract, tensor.dim, relax.symbol_value, scf.if of one result in the
// body; reductions too, as a loop around the element, in the order of the reduction's indices),
// linalg.fill, tensor.empty, splat, cast, expand_shape, collapse_shape, extract_slice, elementwise
// arith and math on tensors, constants.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/LaneValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <map>

namespace relax::kernels {

class PointwiseEmitter {
public:
  explicit PointwiseEmitter(KernelContext &context) : context(context) {}

  /// Gives the value of a bound tensor at `indices`: a scalar for lanes = 1, otherwise vector<lanes
  /// x element type>; a scalar is also fine where all lanes are the same.
  using Binding = std::function<mlir::Value(llvm::ArrayRef<mlir::Value> indices, int64_t lanes)>;

  /// From now on `tensor` is what `binding` says, not what its defining op says. Binding again
  /// replaces.
  void bind(mlir::Value tensor, Binding binding);
  /// `tensor` is read from `memref` (same shape), as arguments are.
  void bindMemref(mlir::Value tensor, mlir::Value memref);
  void unbind(mlir::Value tensor);
  /// Wherever elements of `tensor`, a result of a linalg op, are computed they are also stored to
  /// `memref` (same shape); null: no longer.
  void storeTo(mlir::Value tensor, mlir::Value memref) { stores[tensor] = memref; }

  /// The value of `tensor` at `indices`, emitted at `context.b`'s insertion point (which may be
  /// inside new loops). `tensor` must satisfy `check`.
  mlir::Value evaluate(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices, int64_t lanes);
  /// Several tensors at the same place; shared producers are computed once.
  llvm::SmallVector<mlir::Value> evaluate(llvm::ArrayRef<mlir::Value> tensors,
                                          llvm::ArrayRef<mlir::Value> indices, int64_t lanes);

  /// One step of a reduction: what the body of `op` yields for result 0 at `iteration` (a value for
  /// each loop; lanes run along the last one) from the present value of the accumulator.
  mlir::Value step(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> iteration, int64_t lanes,
                   mlir::Value accumulator);

  /// Evaluates a value of the program that is not a tensor (a constant, a dimension, arithmetic on
  /// them), in the entry block.
  mlir::Value scalar(mlir::Value value);
  /// The extent of a dimension of a tensor of the program, as an index in the entry block.
  mlir::Value dim(mlir::Value tensor, int64_t dimension);

  /// Can everything that `tensor` depends on be evaluated? `bound` are the tensors that the
  /// strategy will bind. If not, and `reason` is given, `*reason` is the op in the way.
  static bool check(mlir::Value tensor, const llvm::DenseSet<mlir::Value> &bound = {},
                    mlir::Operation **reason = nullptr);

  /// Treats every tensor of the program as one row: `evaluate` takes one index, the row-major
  /// number of the element. Right where all tensors have one shape (or rank 0), all maps are
  /// identities and no body asks for its index; `inputs` are then read through one-dimensional
  /// views.
  void flatten();

private:
  friend class BodyEmitter;
  struct Key {
    mlir::Value tensor;
    llvm::SmallVector<LaneValue> indices;
    bool operator<(const Key &other) const;
  };
  /// Values known at the current place: one scope for each open reduction loop and branch,
  /// innermost last, and the outermost for what surrounds them all.
  struct Scope {
    mlir::Operation *loop = nullptr;
    /// A branch: what is in it may be valid only there, so nothing is computed before it.
    bool branch = false;
    std::map<Key, LaneValue> values;
  };

  LaneValue value(mlir::Value tensor, llvm::ArrayRef<LaneValue> indices);
  LaneValue compute(mlir::Value tensor, llvm::ArrayRef<LaneValue> indices);
  /// Does `tensor` take a loop to compute an element?
  bool needsLoop(mlir::Value tensor);
  LaneValue computeLinalg(mlir::linalg::LinalgOp op, unsigned result,
                          llvm::ArrayRef<LaneValue> indices);
  LaneValue reduce(mlir::linalg::LinalgOp op, unsigned result,
                   llvm::SmallVector<LaneValue> iteration, llvm::ArrayRef<LaneValue> indices);
  LaneValue computeConstant(mlir::arith::ConstantOp op, llvm::ArrayRef<LaneValue> indices);
  LaneValue computeElementwise(mlir::Operation *op, llvm::ArrayRef<LaneValue> indices);
  llvm::SmallVector<LaneValue> expandedSource(mlir::tensor::ExpandShapeOp op,
                                              llvm::ArrayRef<LaneValue> indices);
  llvm::SmallVector<LaneValue> collapsedSource(mlir::tensor::CollapseShapeOp op,
                                               llvm::ArrayRef<LaneValue> indices);
  llvm::SmallVector<LaneValue> slicedSource(mlir::tensor::ExtractSliceOp op,
                                            llvm::ArrayRef<LaneValue> indices);
  LaneValue load(mlir::Value memref, llvm::ArrayRef<LaneValue> indices);
  /// Elements at (leading..., places), from one or two vectors of neighbours where these hold them
  /// all: what lies between two of the lanes is in the tensor, too.
  LaneValue loadAt(mlir::Value memref, llvm::ArrayRef<LaneValue> leading,
                   const LaneOffsets &places);
  /// Stores an element of each lane; lanes, if they differ, run along the last dimension.
  void store(LaneValue value, mlir::Value memref, llvm::ArrayRef<LaneValue> indices);
  /// `condition ? then() : otherwise()`, each emitted into its branch.
  LaneValue branch(mlir::Value condition, llvm::function_ref<LaneValue()> then,
                   llvm::function_ref<LaneValue()> otherwise);
  /// A loop over the lanes: `element`, evaluated with one lane, gives that of a lane's number.
  LaneValue laneByLane(mlir::Type elementType, llvm::function_ref<LaneValue(mlir::Value)> element);
  LaneValue callBinding(const Binding &binding, llvm::ArrayRef<LaneValue> indices);
  LaneValue byLane(llvm::ArrayRef<LaneValue> indices,
                   llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> element);
  /// `op` on lane values: on scalars if all are uniform, else on vectors.
  LaneValue apply(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);
  LaneValue affine(mlir::AffineExpr expr, llvm::ArrayRef<LaneValue> dims);
  llvm::SmallVector<LaneValue> mapIndices(mlir::AffineMap map, llvm::ArrayRef<LaneValue> dims);
  LaneValue laneOp(LaneOp op, LaneValue lhs, LaneValue rhs);
  /// Emits into the kernel's entry block during `emit`.
  LaneValue inEntry(llvm::function_ref<LaneValue()> emit);

  KernelContext &context;
  int64_t lanes = 1;
  bool flat = false;
  llvm::DenseMap<mlir::Value, Binding> bindings;
  llvm::DenseMap<mlir::Value, mlir::Value> memrefs;
  llvm::DenseMap<mlir::Value, mlir::Value> stores;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, bool> loopNeeded;
  std::vector<Scope> scopes;
};

/// The extent of loop `dimension` of a linalg op: the operand that has it, and which of its
/// dimensions.
std::pair<mlir::Value, int64_t> loopExtent(mlir::linalg::LinalgOp op, unsigned dimension);

/// Does evaluating `result` at indices (i, j, ...) read `tensor` only at the same (i, j, ...)? A
/// strategy that computes `tensor` in registers asks this before it fuses the epilogue. False if
/// `tensor` is read through tensor.extract or inside a reduction.
bool readsOnlyInPlace(mlir::Value result, mlir::Value tensor);

} // namespace relax::kernels
