//===- BigInt.cpp - integers of any length ----------------------------------------------------===//

#include "compiler/symbolic/BigInt.h"

#include <algorithm>
#include <cassert>

namespace relax::symbolic::detail {

void BigInt::trim(Digits &digits) {
  while (!digits.empty() && digits.back() == 0)
    digits.pop_back();
}

BigInt::BigInt(int64_t value) : negative(value < 0) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  digits = {static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32)};
  trim(digits);
}

std::optional<int64_t> BigInt::toInt64() const {
  if (digits.size() > 2)
    return std::nullopt;
  uint64_t magnitude = 0;
  for (size_t i = 0; i < digits.size(); ++i)
    magnitude |= uint64_t(digits[i]) << (32 * i);
  uint64_t limit = uint64_t(INT64_MAX) + (negative ? 1 : 0);
  if (magnitude > limit)
    return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

int BigInt::compareDigits(const Digits &a, const Digits &b) {
  if (a.size() != b.size())
    return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

BigInt::Digits BigInt::addDigits(const Digits &a, const Digits &b) {
  Digits sum;
  uint64_t carry = 0;
  for (size_t i = 0; i < std::max(a.size(), b.size()) || carry; ++i) {
    carry += (i < a.size() ? a[i] : 0ull) + (i < b.size() ? b[i] : 0ull);
    sum.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  return sum;
}

BigInt::Digits BigInt::subtractDigits(const Digits &a, const Digits &b) {
  Digits difference(a.size());
  uint64_t borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t subtrahend = (i < b.size() ? b[i] : 0ull) + borrow;
    borrow = a[i] < subtrahend;
    difference[i] = static_cast<uint32_t>(a[i] - subtrahend);
  }
  trim(difference);
  return difference;
}

BigInt operator-(BigInt a) {
  a.negative = !a.negative && !a.isZero();
  return a;
}

BigInt operator+(const BigInt &a, const BigInt &b) {
  BigInt sum;
  if (a.negative == b.negative) {
    sum.digits = BigInt::addDigits(a.digits, b.digits);
    sum.negative = a.negative;
    return sum;
  }
  bool aIsLarger = BigInt::compareDigits(a.digits, b.digits) >= 0;
  const BigInt &larger = aIsLarger ? a : b, &smaller = aIsLarger ? b : a;
  sum.digits = BigInt::subtractDigits(larger.digits, smaller.digits);
  sum.negative = larger.negative && !sum.digits.empty();
  return sum;
}

BigInt operator*(const BigInt &a, const BigInt &b) {
  BigInt product;
  product.digits.resize(a.digits.size() + b.digits.size());
  for (size_t i = 0; i < a.digits.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.digits.size() || carry; ++j) {
      uint64_t digit = j < b.digits.size() ? b.digits[j] : 0;
      carry += uint64_t(a.digits[i]) * digit + product.digits[i + j];
      product.digits[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  BigInt::trim(product.digits);
  product.negative = a.negative != b.negative && !product.digits.empty();
  return product;
}

bool operator<(const BigInt &a, const BigInt &b) {
  if (a.negative != b.negative)
    return a.negative;
  int order = BigInt::compareDigits(a.digits, b.digits);
  return a.negative ? order > 0 : order < 0;
}

BigInt BigInt::floorDiv(const BigInt &a, const BigInt &b) {
  assert(!b.negative && !b.isZero());
  // Bit by bit, from the top: shift the remainder left, subtract the divisor where it fits.
  BigInt quotient;
  Digits remainder;
  quotient.digits.resize(a.digits.size());
  for (size_t bit = a.digits.size() * 32; bit-- > 0;) {
    remainder = addDigits(remainder, remainder);
    if (a.digits[bit / 32] >> (bit % 32) & 1) {
      if (remainder.empty())
        remainder.push_back(0);
      remainder[0] |= 1;
    }
    if (compareDigits(remainder, b.digits) >= 0) {
      remainder = subtractDigits(remainder, b.digits);
      quotient.digits[bit / 32] |= 1u << (bit % 32);
    }
  }
  trim(quotient.digits);
  quotient.negative = a.negative && !quotient.digits.empty();
  if (a.negative && !remainder.empty())
    quotient = quotient + BigInt(-1);
  return quotient;
}

} // namespace relax::symbolic::detail
