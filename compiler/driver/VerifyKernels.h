//===- VerifyKernels.h - compiled kernels beside the interpreter
//-------------------------------===//
//
// Runs a program in the interpreter, but each call of a tensor program by its compiled kernel, so
// that every kernel is met with operands that really occur: packed weights, page tables, positions.
// Each kernel is compared, for the sizes that it hasn't been compared for yet, with its program in
// the interpreter on the very same operands. So a kernel is judged by itself: what an earlier one
// did wrong it isn't blamed for.
//
// Each kernel is also run a second time, in two parts: no bit may differ, as results don't depend
// on how the work is split. And it may write nothing behind its results.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/VerifyInputs.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/symbolic/Expr.h"
#include "runtime/loader/CodeLibrary.h"

#include "llvm/ADT/StringMap.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace relax::driver {

/// Two values that differ by more than is explained.
struct Mismatch {
  std::string what;     ///< "kernel" or "program".
  std::string name;     ///< Of the kernel, or of the function.
  std::string strategy; ///< Of the kernel.
  std::string function; ///< That calls the kernel.
  SymbolValues symbols; ///< Of the kernel, or of the function.
  std::string element;  ///< "result 0 [3, 4]".
  std::string got, expected;
  double error = 0, tolerance = 0;
  std::string because; ///< What the tolerance is made of, or what else is wrong.
  std::vector<interpreter::Value> inputs;
};

/// How far two results may be apart.
struct Comparison {
  double error = 0, tolerance = 0;
  std::string because;
};

/// Compares compiled results with those of the interpreter in float64. `slack` is what else
/// explains a difference, one number a result. The first element that differs, or nothing.
std::optional<Mismatch> compareResults(llvm::ArrayRef<interpreter::Value> found,
                                       llvm::ArrayRef<interpreter::Value> exact,
                                       llvm::ArrayRef<double> slack, const std::string &slackText);

/// The first element that isn't the same in every bit, or nothing. `what` says whose results are
/// compared.
std::optional<Mismatch> compareBits(llvm::ArrayRef<interpreter::Value> found,
                                    llvm::ArrayRef<interpreter::Value> expected,
                                    const std::string &what);

/// The largest magnitude of a tensor's finite numbers; 0 if it has none.
double magnitudeOf(const interpreter::Tensor &tensor);
/// The largest difference of two runs of the interpreter, for each result.
std::vector<double> differencesOf(llvm::ArrayRef<interpreter::Value> a,
                                  llvm::ArrayRef<interpreter::Value> b);

class KernelChecker {
public:
  /// `programs` is the module before scheduling; `scheduled` after; `artifact` has the code.
  static Expected<std::unique_ptr<KernelChecker>>
  create(mlir::ModuleOp programs, mlir::ModuleOp scheduled, const artifact::Module &artifact);

  /// Only this kernel is compared; empty for all.
  std::string only;
  /// How often each kernel was compared.
  llvm::StringMap<int64_t> compared;
  /// How often it would have taken the interpreter more than `maxSteps`, so that it wasn't.
  llvm::StringMap<int64_t> tooLarge;
  /// The first that differs, where one does: the run ends with an error then.
  std::optional<Mismatch> mismatch;
  /// When to stop comparing.
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  /// Seconds after which a kernel is compared no more, so that the others get their turn.
  double secondsPerKernel = 30;
  /// Told of each comparison.
  std::function<void(const std::string &kernel, const SymbolValues &symbols)> onKernel;

  /// Runs `function` of `programs` as the top of the file says.
  Status run(llvm::StringRef function, std::vector<interpreter::Value> arguments,
             const interpreter::Options &options);
  /// The results of `function` of `whole`, a module with the same programs, one kernel after the
  /// other on memory of its own; nothing is compared.
  Expected<std::vector<interpreter::Value>> runOnly(mlir::ModuleOp whole, llvm::StringRef function,
                                                    std::vector<interpreter::Value> arguments,
                                                    const interpreter::Options &options);

private:
  /// The interpreter does some ten million of them a second.
  static constexpr uint64_t maxSteps = uint64_t(1) << 27;
  /// So often each kernel is compared, however long it takes.
  static constexpr int64_t minComparisons = 3;

  struct Kernel {
    runtime::KernelFunction code = nullptr;
    std::string strategy;
    std::vector<std::string> symbols;
    symbolic::Expr units;
  };
  struct Buffers;
  using Values = std::vector<interpreter::Value>;

  explicit KernelChecker(mlir::ModuleOp programs) : programs(programs) {}
  Expected<Values> runKernels(mlir::ModuleOp module, llvm::StringRef function, Values arguments,
                              const interpreter::Options &options);
  Expected<Values> call(mlir::func::FuncOp program, const Kernel &kernel, const Values &arguments,
                        const SymbolValues &symbols, mlir::Operation *call);
  Expected<std::optional<Mismatch>> compareQuantised(mlir::func::FuncOp program,
                                                     const Values &arguments,
                                                     const SymbolValues &symbols,
                                                     const Values &found);
  Status compare(mlir::func::FuncOp program, const Kernel &kernel, const Values &arguments,
                 const SymbolValues &symbols, const Values &found, bool sameInParts);
  Status differs(Mismatch found);
  [[nodiscard]] interpreter::Options alone() const;

  mlir::ModuleOp programs;
  runtime::CodeLibrary library;
  llvm::StringMap<Kernel> kernels;
  std::set<std::pair<std::string, SymbolValues>> done;
  llvm::StringMap<double> spent; ///< Seconds.
  /// Weights that were packed already.
  llvm::DenseMap<mlir::Operation *, Values> packedOnce;
  std::string function;
  const interpreter::Options *options = nullptr;
  bool comparing = true;
};

} // namespace relax::driver
