//===- Evaluator.h - the machine behind interpret(); for this folder only ---------------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/dialect/ops/CallOps.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ControlFlowOps.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/interpreter/Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace relax::interpreter {

using Symbols = std::map<std::string, int64_t>;

struct LazyTensor;

/// The values of one function that is being run.
struct Frame {
  llvm::DenseMap<mlir::Value, Value> values;
  Symbols symbols;
  /// Large tensors of which only some elements are looked up, computed where they are.
  llvm::DenseMap<mlir::Value, std::shared_ptr<LazyTensor>> lazy;
};

/// A structured op that hasn't run, with what it reads.
struct LazyTensor {
  mlir::linalg::LinalgOp op;
  Frame frame;
};

class Evaluator {
public:
  Evaluator(mlir::ModuleOp module, const Options &options) : module(module), options(options) {}

  Expected<std::vector<Value>> callGraph(llvm::StringRef name, std::vector<Value> arguments);
  Expected<std::vector<Value>> callProgram(mlir::Operation *call, mlir::func::FuncOp program,
                                           std::vector<Value> arguments, Symbols symbols);

private:
  // Evaluator.cpp: functions, blocks, dispatch.
  Expected<std::vector<Value>> runFunction(mlir::func::FuncOp function,
                                           std::vector<Value> arguments, Symbols symbols);
  /// Runs the ops of a block up to its terminator.
  Status runBlock(mlir::Block &block, Frame &frame);
  Status execute(mlir::Operation *op, Frame &frame);
  /// What runs an op; looked up once.
  struct Handler {
    ScalarFunction function = nullptr; ///< Of arith and math.
    bool onTensors = false;
    mlir::Type rounded; ///< Null for none.
    Status (Evaluator::*run)(mlir::Operation *op, Frame &frame) = nullptr;
  };
  Handler handlerFor(mlir::Operation *op) const;
  Status executeNumbers(mlir::Operation *op, const Handler &handler, Frame &frame);
  Status executeElements(mlir::Operation *op, const Handler &handler, Frame &frame);
  Status executeConstant(mlir::Operation *op, Frame &frame);

  // LinalgOps.cpp
  Status executeLinalg(mlir::Operation *op, Frame &frame);
  void postpone(mlir::linalg::LinalgOp op, Frame &frame);
  // TensorOps.cpp
  Status executeTensor(mlir::Operation *op, Frame &frame);
  Status insertSlice(mlir::Operation *op, const Tensor &source, Tensor &target,
                     mlir::OffsetSizeAndStrideOpInterface slice, Frame &frame);
  // Loops.cpp
  Status executeLoop(mlir::Operation *op, Frame &frame);
  Status executeFor(mlir::scf::ForOp op, Frame &frame);
  Status executeWhile(mlir::scf::WhileOp op, Frame &frame);
  Status executeForall(mlir::scf::ForallOp op, Frame &frame);
  // GraphOps.cpp
  using Results = Expected<std::vector<Value>>;
  Status executeGraph(mlir::Operation *op, Frame &frame);
  Results graphResults(mlir::Operation *op, Frame &frame);
  Results runRegion(mlir::Region &region, Frame &frame);
  Results runWhile(ir::WhileOp loop, Frame &frame);
  Results callAny(mlir::Operation *op, Frame &frame);
  Results callHost(mlir::Operation *op, llvm::StringRef name, Frame &frame);
  Results readWeight(ir::ConstantOp op);
  Results reshaped(mlir::Operation *op, std::vector<int64_t> dims, Frame &frame);
  /// A shape that an op makes, or an error if a dimension is negative.
  static Results notNegative(mlir::Operation *op, Shape shape);
  Results evaluateDims(mlir::Location loc, llvm::ArrayRef<symbolic::Expr> exprs,
                       const Symbols &symbols);
  Results prefix(ir::PrefixOp op, Frame &frame);
  Status checkGuard(ir::GuardOp op, Frame &frame);
  Status checkValues(ir::CheckValuesOp op, Frame &frame);
  /// Binds the symbols of `type` that have no value yet, and checks those that have one, against a
  /// value.
  Status matchType(mlir::Location loc, llvm::StringRef what, mlir::Type type, const Value &value,
                   Symbols &symbols);
  // LanguageModelOps.cpp
  Status executeStructured(mlir::Operation *op, Frame &frame);
  void roundElements(Value &value) const;
  Status executeAnew(mlir::Operation *op, Frame &frame);
  Status execute(ir::RotaryTableOp op, Frame &frame);
  Status execute(ir::PackWeightsOp op, Frame &frame);
  Status execute(ir::PackedMatmulOp op, Frame &frame);
  Expected<TensorPointer> multiplyPacked(mlir::Operation *op, const Tensor &x, const Tensor &packed,
                                         const ir::BlockFormat &format, int64_t rows);
  Status execute(ir::QuantizeActivationsOp op, Frame &frame);
  Status execute(ir::QuantizedMatmulOp op, Frame &frame);
  Expected<TensorPointer> multiplyQuantized(mlir::Operation *op, const Tensor &values,
                                            const Tensor &scales, const Tensor &packed,
                                            const ir::BlockFormat &format, int64_t rows);
  Status executeLikeliest(mlir::Operation *op, Frame &frame);
  Status execute(ir::UpdateSlotsOp op, Frame &frame);
  Status execute(ir::PagedAttentionOp op, Frame &frame);
  Status execute(ir::AttentionOp op, Frame &frame);

  /// What the operand is, moved out of the frame where nothing needs it any more.
  Value take(mlir::OpOperand &operand, Frame &frame);
  /// The same as a tensor that no one else holds.
  TensorPointer takeTensor(mlir::OpOperand &operand, Frame &frame);
  /// The operands of a block's terminator, moved out of the frame where possible.
  std::vector<Value> takeAll(mlir::MutableOperandRange operands, Frame &frame);
  bool isLastUse(mlir::OpOperand &operand);

  const Value &at(mlir::Value value, Frame &frame) { return frame.values[value]; }
  const Tensor &tensorAt(mlir::Value value, Frame &frame) { return *at(value, frame).tensor(); }
  int64_t integerAt(mlir::Value value, Frame &frame) { return at(value, frame).scalar().integer; }
  /// The sizes of a dynamic list of attributes and operands, as MLIR's mixed lists have them.
  std::vector<int64_t> mixed(llvm::ArrayRef<mlir::OpFoldResult> list, Frame &frame);
  Expected<int64_t> evaluate(mlir::Location loc, symbolic::Expr expr, const Symbols &symbols);

  Status spend(mlir::Operation *op, uint64_t count);
  static Status error(mlir::Operation *op, const std::string &message);
  static Status error(mlir::Location loc, const std::string &message);

  friend class Body;
  friend class PlaceReader;
  mlir::ModuleOp module;
  const Options &options;
  uint64_t steps = 0;
  unsigned depth = 0;
  llvm::DenseMap<mlir::OpOperand *, bool> lastUses;
  llvm::DenseMap<mlir::Operation *, Handler> handlers;
};

/// The row-major place of an element; -1 if an index is outside.
inline int64_t placeOf(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> indices) {
  int64_t place = 0;
  for (size_t i = 0; i != dims.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= dims[i])
      return -1;
    place = place * dims[i] + indices[i];
  }
  return place;
}

/// Steps to the next of all index tuples below `dims`, last index fastest; false after the last.
inline bool nextIndices(llvm::MutableArrayRef<int64_t> indices, llvm::ArrayRef<int64_t> dims) {
  for (size_t i = dims.size(); i-- != 0;) {
    if (++indices[i] < dims[i])
      return true;
    indices[i] = 0;
  }
  return false;
}

std::string dimsText(llvm::ArrayRef<int64_t> dims);

} // namespace relax::interpreter
