//===- BigInt.h - integers of any length, for evaluation; for this folder only ----------------===//
//
// Sign and magnitude, the least significant digit first. Only what evaluate needs; made to be
// simple, as nearly all evaluations get by with int64.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace relax::symbolic::detail {

class BigInt {
public:
  BigInt(int64_t value = 0);

  [[nodiscard]] bool isNegative() const { return negative; }
  [[nodiscard]] bool isZero() const { return digits.empty(); }
  /// In digits of 32 bits.
  [[nodiscard]] size_t length() const { return digits.size(); }
  /// None if it doesn't fit.
  [[nodiscard]] std::optional<int64_t> toInt64() const;

  friend BigInt operator+(const BigInt &a, const BigInt &b);
  friend BigInt operator-(BigInt a);
  friend BigInt operator*(const BigInt &a, const BigInt &b);
  friend bool operator<(const BigInt &a, const BigInt &b);
  /// The quotient rounded towards minus infinity; `b` is positive.
  static BigInt floorDiv(const BigInt &a, const BigInt &b);

private:
  using Digits = std::vector<uint32_t>; ///< No leading zeros.
  static int compareDigits(const Digits &a, const Digits &b);
  static Digits addDigits(const Digits &a, const Digits &b);
  static Digits subtractDigits(const Digits &a, const Digits &b); ///< a >= b
  static void trim(Digits &digits);

  bool negative = false; ///< Never for zero.
  Digits digits;
};

} // namespace relax::symbolic::detail
