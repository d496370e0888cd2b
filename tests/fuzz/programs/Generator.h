//===- Generator.h - random well-typed programs -----------------------------------------------===//
//
// A program is a module with a function @f over tensors of symbolic shapes, shapes and tuples, and
// functions that it calls. It grows op by op: an op is picked from the catalogue (Catalog.cpp), its
// operands from the values in scope, its attributes at random; the op's own shape rule then says
// what comes out, or that this choice is no program, and another is made. So every rule of the
// dialect is asked, and what it deduces is compared with values by the interpreter. What has no
// such rule has a way of its own: control flow and calls (Structure.cpp), annotations, checks and
// shapes as values (Annotations.cpp), tensor programs that a user wrote as loops and functions of
// the host (UserPrograms.cpp).
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
  /// The names of all functions begin with `prefix`.
  Generator(mlir::MLIRContext *context, uint64_t seed, unsigned maxOps, std::string prefix);

  /// The module; its function is @f, with the prefix.
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
  /// A shape in scope; null if there is none.
  mlir::Value shape();
  /// A tensor of the same element type.
  mlir::Value companion(mlir::Value other);
  mlir::Builder &attributes() { return b; }
  mlir::Value constant(mlir::DenseElementsAttr values);
  std::string freshSymbol() { return "u" + std::to_string(numSymbols++); }
  /// A size over the symbols in scope.
  symbolic::Expr size();
  symbolic::Context &symbols() { return ir::symbolicContext(context); }
  mlir::Type randomElement();

private:
  struct Scope {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<std::string> symbols;
  };

  // Generator.cpp: functions and growth.
  mlir::func::FuncOp makeFunction(llvm::StringRef name, unsigned ops);
  /// Opens a scope with some symbols, and gives them their ranges.
  llvm::SmallVector<ir::SymbolDeclaration> declareSymbols();
  mlir::func::FuncOp beginFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> inputs,
                                   llvm::ArrayRef<ir::SymbolDeclaration> declarations);
  /// Returns `results` without what has no meaning outside, and closes the scope.
  void endFunction(mlir::func::FuncOp function, llvm::SmallVector<mlir::Value> results,
                   llvm::ArrayRef<ir::SymbolDeclaration> declarations);
  mlir::Type randomParameter();
  mlir::RankedTensorType randomType();
  symbolic::Expr randomDim();
  void grow(unsigned ops);
  bool addOp();
  bool addFromCatalog();
  bool addConstant();
  bool addCast();
  /// Any value in scope that fits, the newer the likelier; null if there is none.
  mlir::Value pick(llvm::function_ref<bool(mlir::Type)> fits);
  mlir::Value integers(llvm::ArrayRef<int64_t> values);
  mlir::Operation *make(llvm::StringRef name, mlir::ValueRange operands,
                        mlir::NamedAttrList attributes = {});
  mlir::OpBuilder atEnd(mlir::Block &block);
  bool inScope(llvm::StringRef symbol) const;
  void add(mlir::Value value) { scopes.back().values.push_back(value); }
  void addAll(mlir::ValueRange values) {
    scopes.back().values.append(values.begin(), values.end());
  }
  std::string newSymbol() {
    scopes.back().symbols.push_back(freshSymbol());
    return scopes.back().symbols.back();
  }

  // Structure.cpp: control flow, calls, tuples.
  bool addIf();
  bool addWhile();
  bool addDataflow();
  bool addCall();
  bool addHigherOrderCall();
  bool addTuple();
  mlir::Value condition();
  /// A branch: some ops, and one of its values, of the element type of `like`.
  mlir::Value growRegion(mlir::Region &region, unsigned ops, mlir::Type like);
  void makeRecursiveFunction(llvm::StringRef name);
  void makeHigherOrderFunction(llvm::StringRef name);
  /// Operands in scope that provably fit the parameters; empty if there are none.
  llvm::SmallVector<mlir::Value> operandsFor(llvm::ArrayRef<mlir::Type> parameters,
                                             ir::Bindings &bindings);

  // Annotations.cpp: match_cast and erase, checks, shapes as values.
  bool addMatchCast();
  bool addForgetting();
  bool addGuard();
  bool addCheckValues();
  bool addPrefix();
  bool addShapeValue();
  bool addShapeChain();
  bool addReshapeTo();
  bool addReshape();

  // UserPrograms.cpp.
  bool addKernelCall();
  bool addHostCall();

  mlir::MLIRContext *context;
  mlir::OpBuilder b;
  mlir::Location loc;
  std::mt19937_64 random;
  unsigned opsLeft;
  std::string prefix;
  unsigned depth = 0;
  unsigned numSymbols = 0;
  unsigned numKernels = 0;
  llvm::SmallVector<Scope> scopes;
  llvm::SmallVector<mlir::func::FuncOp> callees;
  /// Functions whose first parameter is a function.
  llvm::SmallVector<mlir::func::FuncOp> higherOrder;
  mlir::ModuleOp module;
};

/// Builds an op by its rule; null, silently, where the rule refuses.
mlir::Operation *createByRule(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                              mlir::ValueRange operands, mlir::NamedAttrList attributes);

} // namespace relax::fuzz
