//===- CompileKernels.h - from scheduled kernels to a shared object ---------------------------===//
//
// The last part of a kernel's way: a module of scheduled kernels (loops and vectors on memrefs, see
// docs/architecture.md) becomes machine code in one shared object, in this process:
//
//   addEntryPoints   gives each kernel its C entry point               (AddEntryPoints.cpp)
//   splitKernels     each kernel into a module of its own              (SplitKernels.cpp)
//   lowerToLlvm      expands math, half floats, vectors; to LLVM IR    (LowerToLlvm.cpp)
//   emitObject       LLVM's -O2 pipeline and code generation           (EmitObject.cpp)
//   linkShared       lld, as a library                                 (LinkShared.cpp)
//
// Kernels are lowered and generated on all threads of the MLIR context, each on its own: what
// becomes of one doesn't depend on the others, nor on the threads.
//
// The entry point of kernel `k` is
//
//   extern "C" void k(void *const *buffers, const int64_t *symbols, int64_t begin, int64_t end);
//
// with buffers in the order inputs, outputs, and symbols in the order of `relax.kernel_symbols`.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace relax::targets {

/// Registers what compileKernels needs with the context: dialects and their translations.
void registerCodegen(mlir::DialectRegistry &registry);

/// What LLVM spends time for. The results of both are the same to the last bit: neither may
/// reorder or contract what a kernel computes.
enum class CodeEffort {
  Full,  ///< Code that runs fast.
  Quick, ///< Code that is there soon: several times faster to make, slower to run.
};

/// Compiles every function with `relax.scheduled_kernel` in `module` (which it changes) for
/// `target`; returns the bytes of an ELF shared object that exports one entry point per kernel and
/// needs nothing but memcpy, memmove and memset. Errors are diagnostics.
mlir::FailureOr<std::string> compileKernels(mlir::ModuleOp module, ir::TargetAttr target,
                                            CodeEffort effort = CodeEffort::Full);

/// The assembly text of the same code; for tests and inspection.
mlir::FailureOr<std::string> kernelAssembly(mlir::ModuleOp module, ir::TargetAttr target);

// The steps, for those who need one alone.

/// Adds `llvm.func @k(buffers, symbols, begin, end)` for each scheduled kernel `@k`, which becomes
/// private and is renamed `@k.body`.
mlir::LogicalResult addEntryPoints(mlir::ModuleOp module);
/// Moves each scheduled kernel of `module` into a module inside it, with copies of what it uses;
/// nothing else stays.
void splitKernels(mlir::ModuleOp module);
/// Lowers everything in `module` to the LLVM dialect; or everything in each of the modules inside
/// it, at the same time.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module, ir::TargetAttr target);
mlir::LogicalResult lowerPartsToLlvm(mlir::ModuleOp module, ir::TargetAttr target);
/// Links object files' bytes into one shared object.
mlir::FailureOr<std::string> linkShared(mlir::Location loc, llvm::ArrayRef<std::string> objects);

} // namespace relax::targets
