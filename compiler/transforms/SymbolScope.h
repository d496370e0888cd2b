//===- SymbolScope.h - which symbols have a value where, and what is known of them ------------===//
//
// A symbol of a graph function is bound by its signature, or introduced by an op of its body
// (IntroducesSymbols). From there it is in scope in what that op dominates: the ops after it in its
// block, and their regions. A dataflow block is transparent: what it introduces stays in scope
// after it. No name is introduced at two places of a function, so facts go by name alone.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace relax::transforms {

/// The names in scope while a function is walked.
class SymbolScope {
public:
  using Mark = size_t;

  [[nodiscard]] bool has(llvm::StringRef name) const { return names.count(name) != 0; }
  /// False if it is in scope already.
  bool add(llvm::StringRef name) {
    auto [it, isNew] = names.insert({name, '\0'});
    if (isNew)
      order.push_back(it->getKey());
    return isNew;
  }
  /// Adds the symbols that the function's parameters bind.
  void addParameters(mlir::func::FuncOp function);
  /// Adds those that `op` introduces, and lists the ones that weren't in scope.
  llvm::SmallVector<ir::IntroducedSymbol> addIntroduced(mlir::Operation *op);

  /// A region ends: what was added since goes out of scope.
  [[nodiscard]] Mark mark() const { return order.size(); }
  void release(Mark mark) {
    for (; order.size() > mark; order.pop_back())
      names.erase(order.back());
  }

private:
  llvm::StringMap<char> names;
  llvm::SmallVector<llvm::StringRef> order;
};

/// What is known of the symbols of a graph function wherever they are in scope: the declared
/// ranges, the guards at its very beginning, the bounds of the symbols that its ops introduce, and
/// what match_cast says when it introduces some (of [n] to [2 * m]: n == 2 * m).
symbolic::Facts factsAt(mlir::func::FuncOp function);

} // namespace relax::transforms
