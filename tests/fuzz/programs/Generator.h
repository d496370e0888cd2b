//===- Generator.h - random well-typed programs -----------------------------------------------===//
//
// A program is a module with a function @f over tensors of symbolic shapes, and functions that it
// calls. It grows op by op: an op is picked from the catalogue (Catalog.cpp), its operands from the
// values in scope, its attributes at random; the op's own shape rule then says what comes out, or
// that this choice is no program, and another is made. So every rule of the dialect is asked, and
// what it deduces is compared with values by the interpreter.
//
// The same seed gives the same program, and a lower `maxOps` gives its beginning: that is how a
// find is made small.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace relax::fuzz {

class Generator;

/// One way to make an op: its name, how its operands are picked and its attributes made.
struct OpTemplate {
  std::string name;
  /// Picks operands and attributes; false where nothing in scope fits.
  bool (*pick)(Generator &generator, mlir::SmallVectorImpl<mlir::Value> &operands,
               mlir::NamedAttrList &attributes);
};
/// Every op that the generator makes by its rule.
llvm::ArrayRef<OpTemplate> catalog();

class Generator {
public:
  Generator(mlir::MLIRContext *context, uint64_t seed, unsigned maxOps);

  /// The module; its function is @f.
  mlir::OwningOpRef<mlir::ModuleOp> generate();

  // ---- For the catalogue.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &oneOf(llvm::ArrayRef<T> list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }
  using Predicate = llvm::function_ref<bool(mlir::RankedTensorType)>;
  /// A tensor in scope that fits, the newer the likelier; null if there is none.
  mlir::Value tensor(Predicate fits);
  mlir::Value tensor() {
    return tensor([](mlir::RankedTensorType) { return true; });
  }
  /// A tensor whose shape broadcasts with `other`'s or is equal to it, of the same element type.
  mlir::Value companion(mlir::Value other);
  mlir::Builder &attributes() { return b; }
  std::string freshSymbol() { return "u" + std::to_string(numSymbols++); }
  /// A size over the symbols in scope.
  symbolic::Expr size();
  symbolic::Context &symbols() { return ir::symbolicContext(context); }

private:
  struct Scope {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<std::string> symbols;
  };

  mlir::func::FuncOp makeFunction(llvm::StringRef name, unsigned ops);
  mlir::RankedTensorType randomType();
  symbolic::Expr randomDim();
  mlir::Type randomElement();
  void grow(unsigned ops);
  bool addOp();
  bool addFromCatalog();
  bool addIf();
  bool addWhile();
  bool addCall();
  bool addTuple();
  bool addMatchCast();
  bool addConstant();
  bool addCast();
  mlir::Value condition();
  /// A branch: some ops, then a yield of one of its values.
  mlir::Value growRegion(mlir::Region &region, unsigned ops, mlir::Type like);
  mlir::OpBuilder atEnd(mlir::Block &block);
  bool inScope(llvm::StringRef symbol) const;
  void add(mlir::Value value) { scopes.back().values.push_back(value); }

  mlir::MLIRContext *context;
  mlir::OpBuilder b;
  mlir::Location loc;
  std::mt19937_64 random;
  unsigned opsLeft;
  unsigned depth = 0;
  unsigned numSymbols = 0;
  llvm::SmallVector<Scope> scopes;
  llvm::SmallVector<mlir::func::FuncOp> callees;
  mlir::ModuleOp module;
};

/// Builds an op by its rule; null, silently, where the rule refuses.
mlir::Operation *createByRule(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                              mlir::ValueRange operands, mlir::NamedAttrList attributes);

} // namespace relax::fuzz
