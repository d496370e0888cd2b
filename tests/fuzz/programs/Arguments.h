//===- Arguments.h - random arguments for a signature -----------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "compiler/symbolic/Expr.h"

#include <map>
#include <random>

namespace relax::fuzz {

class Arguments {
public:
  explicit Arguments(uint64_t seed) : random(seed) {}

  /// Arguments of these types. Symbols get new values for each call, all alike in half of the
  /// calls, so that what must agree does.
  std::vector<interpreter::Value> forCall(mlir::TypeRange types, int call);
  /// " with n = 3, m = 3": the values of the symbols in the last call.
  [[nodiscard]] std::string sizesText() const;

private:
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }
  int64_t anySize(int call);
  int64_t sizeOf(symbolic::Expr dim, int call);
  interpreter::Value argument(mlir::Type type, int call);
  interpreter::TensorPointer tensor(mlir::Type element, std::vector<int64_t> dims);
  interpreter::Scalar number(mlir::Type element, bool wild);

  std::mt19937_64 random;
  std::map<std::string, int64_t> sizes;
};

} // namespace relax::fuzz
