//===- SearchPrograms.h - the programs of the Search family, for its table in Search.cpp
//-------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"

namespace relax::kernels {

/// `value` as a vector of all its elements, or an error at `op` if a dimension isn't known.
mlir::FailureOr<mlir::Value> flattened(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value value);
/// Does an operand not have rank 1?
bool hasOtherRank(mlir::Operation *op);
/// The op on vectors of all elements; results of other shapes get those back.
mlir::LogicalResult onVectors(mlir::OpBuilder &b, mlir::Operation *op,
                              llvm::SmallVectorImpl<mlir::Value> &values);

// Sort.cpp: along the last axis. The types of results are the op's and those of scratch memory.
llvm::SmallVector<mlir::Value> buildSort(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildArgsort(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildTopk(ProgramBuilder &program);
llvm::SmallVector<mlir::Type> sortBuffers(mlir::Operation *op);
llvm::SmallVector<mlir::Type> argsortBuffers(mlir::Operation *op);
llvm::SmallVector<mlir::Type> topkBuffers(mlir::Operation *op);
/// An axis that isn't the last is made the last, and back.
mlir::LogicalResult alongLastAxis(mlir::OpBuilder &b, mlir::Operation *op,
                                  llvm::SmallVectorImpl<mlir::Value> &values);
bool hasInnerAxis(mlir::Operation *op);

// Select.cpp: buffers at their upper bound, then the count, then scratch memory; and what the graph
// makes of them.
llvm::SmallVector<mlir::Value> buildUnique(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildNonzero(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildMaskedSelect(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildTopPFilter(ProgramBuilder &program);
llvm::SmallVector<mlir::Type> uniqueBuffers(mlir::Operation *op);
llvm::SmallVector<mlir::Type> nonzeroBuffers(mlir::Operation *op);
llvm::SmallVector<mlir::Type> maskedSelectBuffers(mlir::Operation *op);
llvm::SmallVector<mlir::Type> topPFilterBuffers(mlir::Operation *op);
mlir::LogicalResult finishUnique(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange results,
                                 llvm::SmallVectorImpl<mlir::Value> &values);
mlir::LogicalResult finishNonzero(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange results,
                                  llvm::SmallVectorImpl<mlir::Value> &values);
mlir::LogicalResult finishMaskedSelect(mlir::OpBuilder &b, mlir::Operation *op,
                                       mlir::ValueRange results,
                                       llvm::SmallVectorImpl<mlir::Value> &values);
mlir::LogicalResult finishTopPFilter(mlir::OpBuilder &b, mlir::Operation *op,
                                     mlir::ValueRange results,
                                     llvm::SmallVectorImpl<mlir::Value> &values);

// Suppress.cpp
llvm::SmallVector<mlir::Value> buildNonMaxSuppression(ProgramBuilder &program);
llvm::SmallVector<mlir::Type> nonMaxSuppressionBuffers(mlir::Operation *op);

// Lookup.cpp
llvm::SmallVector<mlir::Value> buildSearchsorted(ProgramBuilder &program);
llvm::SmallVector<mlir::Value> buildBincount(ProgramBuilder &program);
mlir::LogicalResult checkBincount(mlir::OpBuilder &b, mlir::Operation *op);
/// bincount takes vectors of i64.
bool isNotPlainBincount(mlir::Operation *op);
mlir::LogicalResult makePlainBincount(mlir::OpBuilder &b, mlir::Operation *op,
                                      llvm::SmallVectorImpl<mlir::Value> &values);

} // namespace relax::kernels
