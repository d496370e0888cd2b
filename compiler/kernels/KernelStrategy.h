//===- KernelStrategy.h - how a tensor program becomes a scheduled kernel ---------------------===//
//
// A *tensor program* is a private function on tensors with the attribute `relax.kernel`. A
// *strategy* turns one kind of tensor program into a *scheduled kernel*: loops and vectors on
// memrefs that do the units [begin, end) of [0, parallel_extent). Units are independent of each
// other, and no element's value depends on how they are split.
//
//   program    func @k(%x: tensor<?x4xf32, #relax.shape<[s0, 4]>>)
//                  -> tensor<?x4xf32, #relax.shape<[s0, 4]>>
//   scheduled  func @k(%in: memref<?x4xf32>, %out: memref<?x4xf32>, %s0: index, %begin: index,
//                      %end: index)
//
// The pass schedule-kernels walks the ordered table of Strategies.cpp, takes the first strategy
// whose `matches` holds, makes the empty kernel function with its terminator, and calls `build`
// with a builder set before that terminator.
//
// A strategy must be right for every value of the symbols: 0, 1, tails. It may use memref.alloca of
// static size up to 64 KiB in all, no other allocation, no calls, and no fastmath flag.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <vector>

namespace relax::kernels {

/// Everything `build` may look at and write to.
struct KernelContext {
  /// `kernel` is the empty scheduled function: arguments and a terminator, before which `b` stands.
  KernelContext(mlir::func::FuncOp program, mlir::func::FuncOp kernel, ir::TargetAttr target,
                std::vector<std::string> symbols);

  mlir::func::FuncOp program;
  mlir::func::FuncOp kernel;
  ir::TargetAttr target;
  mlir::OpBuilder b;
  mlir::Location loc;
  /// The program's symbols, in the order of the kernel's symbol arguments.
  std::vector<std::string> symbols;

  unsigned numInputs() const;
  unsigned numOutputs() const;
  /// The memref that holds argument `i` of the program.
  mlir::Value input(unsigned i) const;
  /// The memref that receives result `i` of the program.
  mlir::Value output(unsigned i) const;
  /// The value of a symbol; null if the program does not declare it.
  mlir::Value symbol(llvm::StringRef name) const;
  /// First and one past the last unit to do.
  mlir::Value begin() const;
  mlir::Value end() const;

  /// The value of `expr` as an index. Computed once, in the kernel's entry block, so it may be used
  /// anywhere.
  mlir::Value exprValue(symbolic::Expr expr);
  /// Constant index, in the kernel's entry block.
  mlir::Value index(int64_t value);
  /// A builder that stands in the entry block after everything else that was put there by
  /// `exprValue`, `index` or this builder, and before the body that `b` writes.
  mlir::OpBuilder &entry() { return entryBuilder; }

  /// What the program returns: the tensor value of result `i`.
  mlir::Value result(unsigned i);
  /// The dimensions of a ranked tensor, from its annotation; a dimension without one is a null
  /// Expr.
  llvm::ArrayRef<symbolic::Expr> shape(mlir::Value tensor) const;

  /// The target's vector registers hold this many elements of `type` (at least 1).
  int64_t vectorLanes(mlir::Type type) const;
  bool hasFeature(llvm::StringRef feature) const;

private:
  mlir::OpBuilder entryBuilder;
  std::map<symbolic::Expr, mlir::Value> expressions;
  std::map<int64_t, mlir::Value> constants;
};

/// What the caller of a kernel must know to split it over threads.
struct Schedule {
  /// Number of units, over the program's symbols.
  symbolic::Expr parallelExtent;
  /// About how many scalar operations the whole call takes.
  symbolic::Expr cost;
};

class KernelStrategy {
public:
  virtual ~KernelStrategy() = default;
  /// The name that `relax.strategy` and the profiler show.
  virtual llvm::StringRef name() const = 0;
  /// Can `build` handle this program? Must not change it.
  virtual bool matches(mlir::func::FuncOp program) const = 0;
  /// Writes the kernel's body. Emits a located diagnostic where it fails.
  virtual mlir::FailureOr<Schedule> build(KernelContext &context) const = 0;
};

/// The strategies in the order in which they are tried; built once, explicit in Strategies.cpp.
llvm::ArrayRef<const KernelStrategy *> kernelStrategies();

} // namespace relax::kernels
