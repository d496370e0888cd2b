//===- FunctionSymbols.h - the symbols of a graph function ------------------------------------===//
#pragma once

#include "compiler/dialect/Ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>
#include <string>

namespace relax::transforms {

/// Every symbol that a function's signature, types and attributes name.
std::set<std::string> symbolsIn(mlir::func::FuncOp function);

/// Names for new symbols of a function.
class FreshSymbols {
public:
  explicit FreshSymbols(mlir::func::FuncOp function) : taken(symbolsIn(function)) {}
  /// `base` if nothing has that name, else with a number after it.
  std::string make(const std::string &base);

private:
  std::set<std::string> taken;
};

/// Replaces symbols in what is written at `op`: its result types, the arguments of its regions, its
/// attributes; not in what its regions hold.
void substituteSymbols(mlir::Operation *op, const ir::Bindings &values);

/// Deduces the result types of `op` again and sets them, where they follow from its operands. True
/// if one changed. Calls need `table`, to find the signature.
bool deduceAgain(mlir::Operation *op, mlir::SymbolTable &table);

/// Puts a match_cast to `type` behind the value; who read the value reads that.
ir::MatchCastOp compareForUsers(mlir::Value value, mlir::Type type);

/// For an erase whose operand has become more precise, or was given other names. Where its sizes
/// are no longer provably the stated ones, such as 4, found where n broadcasts with it, and the
/// formula that was there for both, they are compared: a match_cast takes the erase's place. Null:
/// it may stay.
ir::MatchCastOp keepStated(ir::EraseOp op);

/// Whether the rule of the op refuses its operands, as it may once more is known of their sizes.
bool isRefused(mlir::Operation *op);

/// An op that can't be right for what is known of its operands' sizes, in a branch or loop that may
/// never run, is an error of that branch, not of the program: it gets them without what is known,
/// and they are compared when it runs. `names` are made when they are needed first.
void forgetRefuted(mlir::Operation *op, std::optional<FreshSymbols> &names,
                   mlir::SymbolTable &table);

/// Sets the result types of a branch to the joins of what it yields, without the symbols that only
/// its regions know.
void joinBranches(ir::IfOp branch);

/// Deduces everything in a function again, in one walk (Deduce.cpp).
mlir::LogicalResult deduceFunction(mlir::func::FuncOp function,
                                   mlir::SymbolTableCollection &tables);

/// Whether an op computes elements, so that it becomes a tensor program; false for those that only
/// arrange, annotate or call.
bool needsKernel(mlir::Operation *op);

} // namespace relax::transforms
