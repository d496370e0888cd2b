//===- Runner.h - programs compiled together, each compared with the interpreter --------------===//
//
// Programs are compiled in batches: one module, one compilation, one load for all of them, which is
// several times cheaper than each on its own and lets them share kernels. If that fails, halves of
// them are compiled, and so on, to say which one it is.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/fuzz/programs/Values.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax::fuzz {

/// How programs are compiled and run; all combinations must give the same results.
struct RunOptions {
  bool quickCode = true;   ///< LLVM's quick way, else its thorough one.
  bool verifyEach = false; ///< Check the rules and annotations after each pass.
  bool largeCalls = false; ///< Interpret calls of ten times as many steps before giving up.
  unsigned threads = 1;
  std::vector<std::string> disabled; ///< Passes that are left out.

  /// A combination that is chosen by `seed`.
  static RunOptions random(uint64_t seed);
  [[nodiscard]] std::string text() const;
};

/// A generated program, and what came of it.
struct Program {
  uint64_t seed = 0;
  std::string entry; ///< The name of its function.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string failure; ///< What is wrong; empty if nothing is.
  Tally tally;

  /// The rest is the runner's.
  bool runs = false;
  bool hasOthers = false; ///< Graph functions beside the one that is called.
  bool mayDropOps = false;
  mlir::OwningOpRef<mlir::ModuleOp> reference;
};

/// Checks each program (verifier, rules, text round trip), compiles them, and compares each at
/// several sizes. All are in one context; their functions have different names.
void runPrograms(std::vector<Program> &programs, const RunOptions &options);

} // namespace relax::fuzz
