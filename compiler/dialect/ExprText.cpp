//===- ExprText.cpp - symbolic expressions in MLIR's text -------------------------------------===//
//
// The grammar is that of symbolic::Context::parse, read from MLIR's tokens:
//   sum     := product (('+' | '-') product)*
//   product := factor ('*' factor)*
//   factor  := integer | '-' factor | '(' sum ')' | name | function '(' sum (',' sum)* ')'
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Dialect.h"

using namespace mlir;

namespace relax::ir {
namespace {

class ExprParser {
public:
  explicit ExprParser(AsmParser &parser)
      : parser(parser), context(symbolicContext(parser.getContext())) {}

  FailureOr<symbolic::Expr> sum() {
    FailureOr<symbolic::Expr> value = product();
    while (succeeded(value)) {
      bool plus = succeeded(parser.parseOptionalPlus());
      if (!plus && failed(parser.parseOptionalMinus()))
        break;
      FailureOr<symbolic::Expr> next = product();
      if (failed(next))
        return failure();
      value = plus ? context.add(*value, *next) : context.sub(*value, *next);
    }
    return value;
  }

private:
  static constexpr int maxDepth = 200;

  FailureOr<symbolic::Expr> product() {
    FailureOr<symbolic::Expr> value = nestedFactor();
    while (succeeded(value) && succeeded(parser.parseOptionalStar())) {
      FailureOr<symbolic::Expr> next = nestedFactor();
      if (failed(next))
        return failure();
      value = context.mul(*value, *next);
    }
    return value;
  }

  /// Text may nest as deep as its author likes; the stack must not.
  FailureOr<symbolic::Expr> nestedFactor() {
    if (++depth > maxDepth)
      return parser.emitError(parser.getCurrentLocation())
             << "the expression nests deeper than " << maxDepth << " levels";
    FailureOr<symbolic::Expr> value = factor();
    --depth;
    return value;
  }

  FailureOr<symbolic::Expr> factor() {
    SMLoc loc = parser.getCurrentLocation();
    bool negative = succeeded(parser.parseOptionalMinus());
    APInt integer;
    OptionalParseResult literal = parser.parseOptionalInteger(integer);
    if (literal.has_value()) {
      if (failed(*literal))
        return failure();
      // One bit more, so that the smallest int64 can be negated.
      integer = integer.sextOrTrunc(std::max(integer.getBitWidth(), 65u));
      if (negative)
        integer.negate();
      if (!integer.isSignedIntN(64))
        return parser.emitError(loc, "the integer does not fit 64 bits");
      return context.constant(integer.getSExtValue());
    }
    if (negative) {
      FailureOr<symbolic::Expr> value = nestedFactor();
      if (failed(value))
        return failure();
      return context.sub(context.constant(0), *value);
    }
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<symbolic::Expr> value = sum();
      if (failed(value) || parser.parseRParen())
        return failure();
      return value;
    }
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc, "expected a symbol, an integer or a parenthesis");
    if (succeeded(parser.parseOptionalLParen()))
      return call(name, loc);
    if (!symbolic::Context::isSymbolName(std::string_view(name)))
      return parser.emitError(loc) << "'" << name << "' cannot be the name of a symbol";
    return context.symbol(std::string_view(name));
  }

  FailureOr<symbolic::Expr> call(StringRef name, SMLoc loc) {
    SmallVector<symbolic::Expr> operands;
    do {
      FailureOr<symbolic::Expr> operand = sum();
      if (failed(operand))
        return failure();
      operands.push_back(*operand);
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRParen())
      return failure();
    if ((name == "min" || name == "max") && operands.size() >= 2) {
      std::span<const symbolic::Expr> span(operands.data(), operands.size());
      return name == "min" ? context.min(span) : context.max(span);
    }
    if (operands.size() == 2 && name == "floordiv")
      return context.floorDiv(operands[0], operands[1]);
    if (operands.size() == 2 && name == "ceildiv")
      return context.ceilDiv(operands[0], operands[1]);
    if (operands.size() == 2 && name == "mod")
      return context.mod(operands[0], operands[1]);
    return parser.emitError(loc)
           << "there is no function '" << name << "' of " << operands.size()
           << " operands; expected floordiv, ceildiv or mod of two, or min or max of several";
  }

  AsmParser &parser;
  symbolic::Context &context;
  int depth = 0;
};

} // namespace

FailureOr<symbolic::Expr> parseExpr(AsmParser &parser) { return ExprParser(parser).sum(); }

void printExpr(AsmPrinter &printer, symbolic::Expr expr) {
  if (expr)
    printer << expr.str();
  else
    printer << "?";
}

} // namespace relax::ir
