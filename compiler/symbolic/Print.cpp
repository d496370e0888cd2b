//===- Print.cpp - expressions as text --------------------------------------------------------===//
//
// A sum starts with its first positive term, so that it reads `n - m` rather than `-m + n`; a
// negative coefficient becomes a minus. Unfolded operations stand in parentheses, with each operand
// that is itself an operation in its own, so that reading the text back meets the same two operands
// again.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

namespace relax::symbolic {
using namespace detail;

static void print(std::string &out, Expr expr);

static const char *functionName(Kind kind) {
  switch (kind) {
  case Kind::FloorDiv:
    return "floordiv";
  case Kind::CeilDiv:
    return "ceildiv";
  case Kind::Mod:
    return "mod";
  case Kind::Min:
    return "min";
  default:
    return "max";
  }
}

static bool isOperation(Expr expr) { return expr.kind() == Kind::Add || expr.kind() == Kind::Mul; }

static void printInParentheses(std::string &out, Expr expr) {
  if (!isOperation(expr))
    return print(out, expr);
  out += '(';
  print(out, expr);
  out += ')';
}

static void printUnfolded(std::string &out, const Node &node) {
  printInParentheses(out, node.operands[0]);
  out += node.kind == Kind::Add ? " + " : " * ";
  printInParentheses(out, node.operands[1]);
}

/// A term without its sign if `magnitude`; its coefficient isn't INT64_MIN then.
static void printTerm(std::string &out, const Term &term, bool magnitude) {
  int64_t coefficient = magnitude && term.coefficient < 0 ? -term.coefficient : term.coefficient;
  if (!term.monomial) {
    out += std::to_string(coefficient);
    return;
  }
  if (coefficient == -1)
    out += '-';
  else if (coefficient != 1)
    out += std::to_string(coefficient) + " * ";
  bool first = true;
  for (Expr atom : atomsOf(term.monomial)) {
    if (!first)
      out += " * ";
    first = false;
    printInParentheses(out, atom);
  }
}

static void printSum(std::string &out, std::vector<Term> terms) {
  size_t first = 0;
  for (size_t i = 0; i < terms.size(); ++i)
    if (terms[i].coefficient > 0) {
      first = i;
      break;
    }
  printTerm(out, terms[first], false);
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == first)
      continue;
    bool minus = terms[i].coefficient < 0 && terms[i].coefficient != INT64_MIN;
    out += minus ? " - " : " + ";
    printTerm(out, terms[i], minus);
  }
}

static void print(std::string &out, Expr expr) {
  const Node &node = get(expr);
  switch (node.kind) {
  case Kind::Constant:
    out += std::to_string(node.value);
    return;
  case Kind::Symbol:
    out += node.name;
    return;
  case Kind::Add:
  case Kind::Mul:
    if (node.unfolded)
      return printUnfolded(out, node);
    return printSum(out, termsOf(expr));
  default:
    break;
  }
  out += functionName(node.kind);
  for (size_t i = 0; i < node.operands.size(); ++i) {
    out += i == 0 ? "(" : ", ";
    print(out, node.operands[i]);
  }
  out += ')';
}

std::string Expr::str() const {
  if (!node)
    return "<null>";
  std::string out;
  print(out, *this);
  return out;
}

} // namespace relax::symbolic
