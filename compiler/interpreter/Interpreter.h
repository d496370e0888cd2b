//===- Interpreter.h - runs a module without compiling it -------------------------------------===//
//
// The reference that compiled code is compared with. It runs a module as it is before scheduling:
// graph functions with calls, control flow and values that depend on data, and tensor programs as
// what they say (linalg, tensor, scf, arith, math), users' own included. Graph ops run through
// their tensor programs: what an op means is defined in one place, and tests compare that with
// NumPy.
//
// Floating-point numbers are float64 throughout, rounded only where a program rounds on purpose;
// integers are exact at their width. Every access is checked: a program that reads outside a tensor
// is reported, not run. Time is bounded by `maxSteps`.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Value.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/support/Status.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace relax::interpreter {

/// A host function or library function, for call_packed and call_library.
using HostFunction = std::function<Expected<std::vector<Value>>(std::span<const Value>)>;

/// Products with packed weights, by the op and its operands.
using KeptProducts =
    std::map<std::pair<mlir::Operation *, std::vector<TensorPointer>>, TensorPointer>;

struct Options {
  /// Elements computed, loop trips and calls, after which the run is given up.
  uint64_t maxSteps = uint64_t(1) << 32;
  /// Asked every few million steps where it is set: true ends the run, with StatusCode::Cancelled.
  std::function<bool()> stop;
  /// Of every floating-point result: the difference to a run in float64 says how much rounding
  /// matters to a program.
  Rounding rounding = Rounding::None;
  /// How deep calls may nest.
  unsigned maxDepth = 256;
  std::map<std::string, HostFunction> hostFunctions;
  /// Where it is set: runs a call of the tensor program `program` with such operands and values of
  /// its symbols, instead of the interpreter; nothing for those that the interpreter shall run.
  std::function<std::optional<Expected<std::vector<Value>>>(
      mlir::func::FuncOp program, const std::vector<Value> &arguments,
      const std::map<std::string, int64_t> &symbols, mlir::Operation *call)>
      callKernel;
  /// The bytes of a weights file by its number, for relax.constant.
  std::vector<std::span<const uint8_t>> weights;
  /// Where it is set: weights that were read stay here, by file and offset, for later runs.
  std::shared_ptr<std::map<std::pair<uint64_t, uint64_t>, TensorPointer>> keptWeights;
  /// Where it is set: such products stay here, for a second run with the same arguments.
  std::shared_ptr<KeptProducts> keptProducts;
};

/// Brings a module into the form that runs: without dataflow blocks, with a name for every size,
/// guards for what ops need, and calls of tensor programs for graph ops.
Status prepare(mlir::ModuleOp module);

/// The results of `function` of a module that is prepared. Errors name the op, its place and what
/// was found.
Expected<std::vector<Value>> interpretPrepared(mlir::ModuleOp module, llvm::StringRef function,
                                               std::vector<Value> arguments,
                                               const Options &options = {});

/// The same of a tensor program by itself, for the values of its symbols.
Expected<std::vector<Value>> interpretProgram(mlir::ModuleOp module, mlir::func::FuncOp program,
                                              std::vector<Value> arguments,
                                              const std::map<std::string, int64_t> &symbols,
                                              const Options &options = {});

/// Prepares the module, and then the same.
Expected<std::vector<Value>> interpret(mlir::ModuleOp module, llvm::StringRef function,
                                       std::vector<Value> arguments, const Options &options = {});

} // namespace relax::interpreter
