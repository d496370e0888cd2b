//===- Dialect.h - the relax dialect, its attributes and its types ----------------------------===//
//
// Symbolic shapes sit in the builtin ranked tensor as its encoding:
//
//   tensor<?x4096xf32, #relax.shape<[n, 4096]>>
//
// so one and the same type works in graph ops, in linalg, tensor and arith. Expressions are
// interned in one symbolic::Context per MLIRContext, owned by the dialect, so attributes and types
// that hold equal expressions are equal pointers. tensorType and shapeOf below are the way to build
// and to read such types; nothing else should look at the encoding.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "compiler/symbolic/Facts.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "llvm/ADT/Hashing.h"

namespace relax::symbolic {
/// For MLIR's uniquing tables, which find it by argument-dependent lookup.
inline llvm::hash_code hash_value(Expr expr) { return llvm::hash_value(expr.getAsOpaquePointer()); }
} // namespace relax::symbolic

namespace relax::ir {

/// One entry of #relax.symbols: lo <= value <= hi, and divisor divides value.
struct SymbolDeclaration {
  mlir::StringAttr name;
  int64_t lo = 0;
  std::optional<int64_t> hi;
  int64_t divisor = 1;
  bool operator==(const SymbolDeclaration &) const = default;
};

inline llvm::hash_code hash_value(const SymbolDeclaration &declaration) {
  return llvm::hash_combine(declaration.name, declaration.lo, declaration.hi.has_value(),
                            declaration.hi.value_or(0), declaration.divisor);
}

/// What #relax.storage refers to.
enum class StorageKind : uint8_t { Arena, Alias, Result };

inline llvm::hash_code hash_value(StorageKind kind) {
  return llvm::hash_value(static_cast<uint8_t>(kind));
}

/// What #relax.constraint says of two sizes a and b.
enum class ConstraintKind : uint8_t {
  Equal,     ///< a == b
  LessEqual, ///< a <= b
  Divides,   ///< a divides b; a is positive
  Broadcast, ///< a == b, or a == 1, or b == 1
};

inline llvm::hash_code hash_value(ConstraintKind kind) {
  return llvm::hash_value(static_cast<uint8_t>(kind));
}

/// "equal", "less_equal", …: the name in the text form.
llvm::StringRef constraintKindName(ConstraintKind kind);

/// A relation that an op needs and that its shape rule could neither prove nor refute. A null
/// expression is a dimension that has no name yet.
struct Constraint {
  ConstraintKind kind = ConstraintKind::Equal;
  symbolic::Expr a, b;
  std::string text; ///< What is compared, with the shapes as written.
};

/// A symbol that an op of a body introduces: lo <= value, and value <= upper where that is known.
struct IntroducedSymbol {
  mlir::StringAttr name;
  int64_t lo = 0;
  symbolic::Expr upper;
};

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#include "compiler/dialect/Dialect.h.inc"
#pragma GCC diagnostic pop

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/Attributes.h.inc"
#pragma GCC diagnostic pop

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/Types.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

/// The context that interns the expressions of `context`; loads the dialect if it isn't yet.
symbolic::Context &symbolicContext(mlir::MLIRContext *context);

/// The tensor type with these dimensions: static where the expression is constant; the encoding is
/// there exactly if some dimension is symbolic. A null expression is an unknown dimension, and so
/// is one that has grown too large to prove anything of (symbolic::isTooLarge): a program that
/// makes sizes of sizes, over and over, still has types of a bounded size.
mlir::RankedTensorType tensorType(mlir::MLIRContext *context, llvm::ArrayRef<symbolic::Expr> dims,
                                  mlir::Type elementType);

/// The dimensions of `type`: constants where static, null where nothing is known. Valid as long as
/// the MLIRContext.
llvm::ArrayRef<symbolic::Expr> shapeOf(mlir::RankedTensorType type);

/// The shape as text, for messages: `[n, 4]`.
std::string shapeText(llvm::ArrayRef<symbolic::Expr> dims);
std::string shapeText(mlir::Type type);

/// The type with every integer element type signless, as tensor programs have it: ui8 is i8 there.
mlir::Type signless(mlir::Type type);

/// The product of the dimensions; null if one is unknown.
symbolic::Expr elementCount(mlir::MLIRContext *context, llvm::ArrayRef<symbolic::Expr> dims);

/// Reads one expression from MLIR's text, and writes one (`?` for null).
mlir::FailureOr<symbolic::Expr> parseExpr(mlir::AsmParser &parser);
void printExpr(mlir::AsmPrinter &printer, symbolic::Expr expr);

/// Adds the names of all symbols of a type or attribute to `names`; looks through tuples, arrays
/// and dictionaries. The symbols of a function type are its own: only of one that is given itself
/// are they added (replaced), not of one inside another type or attribute.
void collectSymbols(mlir::Type type, std::set<std::string> &names);
void collectSymbols(mlir::Attribute attribute, std::set<std::string> &names);

/// `type` (or an attribute) with each symbol that `values` names replaced.
mlir::Type substitute(mlir::Type type, const std::map<std::string, symbolic::Expr> &values);
mlir::Attribute substitute(mlir::Attribute attribute,
                           const std::map<std::string, symbolic::Expr> &values);

/// Unifies `formal`, over its own symbols, with `actual`: a dimension that is a plain symbol
/// without a value binds it (to null, where the actual dimension is unknown); every other one is
/// put into `deferred`, to be compared once all are bound. Fails with a `message` where kinds,
/// ranks or element types can't agree.
struct DeferredDim {
  symbolic::Expr formal, actual;
  std::string where; ///< "dimension 0", for messages.
};
using Bindings = std::map<std::string, symbolic::Expr>;
mlir::LogicalResult unifyTypes(mlir::Type formal, mlir::Type actual, Bindings &bindings,
                               llvm::SmallVectorImpl<DeferredDim> &deferred, std::string &message);
/// The deferred dimensions, now that all are bound. Fails on one that is refuted or whose symbols
/// nothing binds. What is neither proved nor refuted is added to `unproved` if that is given, and
/// fails otherwise.
mlir::LogicalResult checkDeferred(llvm::ArrayRef<DeferredDim> deferred, const Bindings &bindings,
                                  std::string &message,
                                  llvm::SmallVectorImpl<Constraint> *unproved = nullptr);

/// `type` with every dimension unknown whose expression uses a symbol that `keep` refuses.
mlir::Type eraseSymbols(mlir::Type type, llvm::function_ref<bool(llvm::StringRef)> keep);
/// `type` under `bindings`: a dimension that uses a symbol bound to null, or not bound, is unknown.
mlir::Type substituteOrErase(mlir::Type type, const Bindings &bindings);

} // namespace relax::ir
