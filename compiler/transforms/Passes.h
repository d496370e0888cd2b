//===- Passes.h - the target-independent passes, one file each --------------------------------===//
//
// What each pass does, with its IR before and after, is at the top of its file. Their order in the
// compiler is in driver/Pipeline.cpp.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace relax::transforms {

std::unique_ptr<mlir::Pass> createClaimContractionsPass(llvm::StringRef mode = "int8");
std::unique_ptr<mlir::Pass> createLiftInitializationPass();
std::unique_ptr<mlir::Pass> createSimplifyStatesPass();
std::unique_ptr<mlir::Pass> createInlineDataflowPass();
std::unique_ptr<mlir::Pass> createFoldShapesPass();
std::unique_ptr<mlir::Pass> createFlattenUnknownRanksPass();
std::unique_ptr<mlir::Pass> createNameUnknownDimsPass();
std::unique_ptr<mlir::Pass> createMaterializeGuardsPass();
std::unique_ptr<mlir::Pass> createProveGuardsPass();
std::unique_ptr<mlir::Pass> createClassifyKernelsPass();
std::unique_ptr<mlir::Pass> createSimplifyGraphPass();
std::unique_ptr<mlir::Pass> createRaiseAttentionPass();
std::unique_ptr<mlir::Pass> createRaiseLoopsPass();
/// Groups what patterns of the user name, from files of PDL or PDLL.
std::unique_ptr<mlir::Pass> createFusePatternsPass(llvm::ArrayRef<std::string> files = {});
std::unique_ptr<mlir::Pass> createGroupKernelsPass();
std::unique_ptr<mlir::Pass> createMergeGroupsPass();
/// Both.
std::unique_ptr<mlir::Pass> createFuseKernelsPass();
std::unique_ptr<mlir::Pass> createDeduplicateKernelsPass();
std::unique_ptr<mlir::Pass> createAnalyzeKernelsPass();
/// Puts the straight parts of general functions into functions that can be planned.
std::unique_ptr<mlir::Pass> createOutlineRegionsPass();
std::unique_ptr<mlir::Pass> createPlanMemoryPass();
/// Decides on the functions that have no plan yet; in PlanMemory.cpp.
std::unique_ptr<mlir::Pass> createCompletePlanPass();
/// Marks the planned functions whose launches the runtime keeps and replays.
std::unique_ptr<mlir::Pass> createCaptureLaunchesPass();
/// Tries the memory plan at many values of the symbols; for tests and debug builds.
std::unique_ptr<mlir::Pass> createCheckMemoryPlanPass();
/// Makes every annotation as precise as it follows from the operands.
std::unique_ptr<mlir::Pass> createDeducePass();
/// Checks the numbered rules of the IR (listed in Verify.cpp).
std::unique_ptr<mlir::Pass> createVerifyPass();

/// Registers all of them by name, for relax-opt.
void registerTransformPasses();

} // namespace relax::transforms
