// From the LLVM dialect to machine code: translation, LLVM's optimisation pipeline, code
// generation.

#include "compiler/targets/cpu/CompileKernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace mlir;

namespace relax::targets {
namespace {

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> createMachine(Location loc, ir::TargetAttr target,
                                                   CodeEffort effort) {
  initializeTarget();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) {
    emitError(loc, "LLVM has no code generator for ") << triple.str() << ": " << error;
    return nullptr;
  }
  std::string features;
  for (StringAttr feature : target.getFeatures())
    features += (features.empty() ? "+" : ",+") + feature.str();
  llvm::TargetOptions options;
  // A multiply and an add become one operation only where a kernel says so: the main part of a loop
  // and its tail must round alike.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.getName(), features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      effort == CodeEffort::Full ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
}

void setFunctionAttributes(llvm::Module &module, llvm::TargetMachine &machine,
                           unsigned vectorBits) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", std::to_string(vectorBits));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.getName().ends_with(".body")) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    } else if (function.getName().contains(".part")) {
      // A part of a kernel (kernels/Siblings.cpp): its scratch memory is on the stack only while it
      // runs.
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
  }
}

/// Inlines the kernels' bodies, and takes values out of memory: what code generation needs to be
/// quick itself.
llvm::ModulePassManager quickPipeline() {
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager modules;
  modules.addPass(llvm::AlwaysInlinerPass());
  modules.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  return modules;
}

/// Whether a value depends on others in so many ways that LLVM's loop vectoriser, which follows
/// each of them (isSingleScalar in LLVM 22), would not end: x squared n times depends on x in 2^n
/// ways.
bool hasManyPaths(const llvm::Module &module) {
  constexpr double limit = 1 << 16;
  for (const llvm::Function &function : module) {
    llvm::DenseMap<const llvm::Value *, double> paths;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::PHINode>(instruction))
        continue;
      double count = 1;
      for (const llvm::Value *operand : instruction.operands())
        count += paths.lookup(operand);
      if (count > limit)
        return true;
      paths[&instruction] = count;
    }
  }
  return false;
}

/// Of a copysign whose result is rounded to float16, by way of float32 too, LLVM's code generation
/// rounds the operands instead, and takes the sign from what they were rounded from: from float64
/// by a function that no artifact has. Where anything is rounded to float16, signs are copied as
/// bits.
void copySignsAsBits(llvm::Module &module) {
  SmallVector<llvm::IntrinsicInst *> calls;
  bool roundsToHalf = false;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::copysign)
        calls.push_back(call);
      roundsToHalf |= llvm::isa<llvm::FPTruncInst>(instruction) &&
                      instruction.getType()->getScalarType()->isHalfTy();
    }
  if (!roundsToHalf)
    return;
  for (llvm::IntrinsicInst *call : calls) {
    llvm::IRBuilder<> b(call);
    llvm::Type *type = call->getType();
    llvm::Type *bits = type->getWithNewBitWidth(type->getScalarSizeInBits());
    llvm::APInt sign = llvm::APInt::getSignMask(type->getScalarSizeInBits());
    auto masked = [&](unsigned operand, const llvm::APInt &mask) {
      return b.CreateAnd(b.CreateBitCast(call->getArgOperand(operand), bits),
                         llvm::ConstantInt::get(bits, mask));
    };
    call->replaceAllUsesWith(b.CreateBitCast(b.CreateOr(masked(0, ~sign), masked(1, sign)), type));
    call->eraseFromParent();
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, CodeEffort effort) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = !hasManyPaths(module);
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = true;
  llvm::PassBuilder builder(&machine, tuning);
  // No function of the C library may be assumed, or a loop could become a call to one.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  for (auto function : {llvm::LibFunc_memcpy, llvm::LibFunc_memmove, llvm::LibFunc_memset})
    library.setAvailable(function);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager pipeline =
      effort == CodeEffort::Full
          ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
          : quickPipeline();
  pipeline.run(module, modules);
  copySignsAsBits(module);
}

/// Code for what `module` has in the LLVM dialect.
FailureOr<std::string> emitCode(ModuleOp module, ir::TargetAttr target,
                                llvm::CodeGenFileType fileType, CodeEffort effort) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(loc, target, effort);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "relax_kernels");
  if (!code)
    return failure();
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  setFunctionAttributes(*code, *machine, target.getVectorBits());
  optimize(*code, *machine, effort);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, stream, nullptr, fileType))
    return emitError(loc, "LLVM can't emit code for target ") << target;
  emission.run(*code);
  return std::string(bytes.data(), bytes.size());
}

/// How much work a kernel is, about.
size_t sizeOf(ModuleOp part) {
  size_t count = 0;
  part.walk([&](Operation *) { ++count; });
  return count;
}

} // namespace

void registerCodegen(DialectRegistry &registry) { registerAllToLLVMIRTranslations(registry); }

FailureOr<std::string> compileKernels(ModuleOp module, ir::TargetAttr target, CodeEffort effort) {
  splitKernels(module);
  for (ModuleOp part : module.getOps<ModuleOp>())
    if (failed(addEntryPoints(part)))
      return failure();
  if (failed(lowerPartsToLlvm(module, target)))
    return failure();
  // The largest come first, so that no thread is left alone with one at the end.
  auto parts = llvm::to_vector(module.getOps<ModuleOp>());
  SmallVector<std::pair<size_t, size_t>> order;
  for (auto [i, part] : llvm::enumerate(parts))
    order.emplace_back(sizeOf(part), i);
  llvm::sort(order, std::greater<>());
  std::vector<std::string> objects(parts.size());
  if (failed(failableParallelForEachN(module.getContext(), 0, parts.size(), [&](size_t i) {
        FailureOr<std::string> object =
            emitCode(parts[order[i].second], target, llvm::CodeGenFileType::ObjectFile, effort);
        if (succeeded(object))
          objects[i] = std::move(*object);
        return object;
      })))
    return failure();
  return linkShared(module.getLoc(), objects);
}

FailureOr<std::string> kernelAssembly(ModuleOp module, ir::TargetAttr target) {
  if (failed(addEntryPoints(module)) || failed(lowerToLlvm(module, target)))
    return failure();
  return emitCode(module, target, llvm::CodeGenFileType::AssemblyFile, CodeEffort::Full);
}

} // namespace relax::targets
