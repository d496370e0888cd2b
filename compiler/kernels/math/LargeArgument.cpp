// x modulo pi/2 for large x, after Payne and Hanek (1983).
//
// x = M 2^q with an integer M of 53 bits. Of x 2/pi = M 2^q (b1 2^-1 + b2 2^-2 + …) only the value
// modulo 4 counts, so the bits b_i with i <= q - 2 drop out, and the next 192 bits W give it to
// within 2^-137:
//
//   x 2/pi = M W 2^-190  (mod 4)
//
// The product modulo 2^192 has the quadrant in its two highest bits and the fraction below.
// No float64 comes closer to a multiple of pi/2 than about 2^-61, so the fraction keeps more than
// 60 good bits behind its leading zeros.

#include "compiler/kernels/math/Functions.h"

#include <array>

using namespace mlir;

namespace relax::kernels::math {

namespace {

/// 64 zeros, then the bits of 2/pi.
constexpr std::array<uint64_t, 20> twoOverPi = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};
constexpr int64_t lastWord = 16;

Int shiftLeft(Int x, Int count) {
  return {x.f, arith::ShLIOp::create(x.f->b, x.f->loc, x.value, count.value)};
}
Int shiftRight(Int x, Int count) {
  return {x.f, arith::ShRUIOp::create(x.f->b, x.f->loc, x.value, count.value)};
}

/// The product of 64-bit numbers as two of them: low, high.
std::pair<Int, Int> multiply(Int x, Int y) {
  auto product = arith::MulUIExtendedOp::create(x.f->b, x.f->loc, x.value, y.value);
  return {Int{x.f, product.getLow()}, Int{x.f, product.getHigh()}};
}

/// x + y and the carry, 0 or 1.
std::pair<Int, Int> addCarry(Int x, Int y) {
  const FloatBuilder &f = *x.f;
  Int sum = x + y;
  Truth carry = f.compare(arith::CmpIPredicate::ult, sum, x);
  return {sum, f.select(carry, f.integer(1), f.integer(0))};
}

/// Word number k + offset of the table, lane by lane.
Int tableWord(Int k, int64_t offset) {
  const FloatBuilder &f = *k.f;
  Int word = f.integer(static_cast<int64_t>(twoOverPi[offset]));
  for (int64_t i = 1; i <= lastWord; ++i)
    word = f.select(k == i, f.integer(static_cast<int64_t>(twoOverPi[i + offset])), word);
  return word;
}

/// 192 bits of the table from bit `position` on, the highest word first.
std::array<Int, 3> window(Int position) {
  Int k = position >> 6, shift = position & 63;
  std::array<Int, 4> words = {tableWord(k, 0), tableWord(k, 1), tableWord(k, 2), tableWord(k, 3)};
  Int inverse = position.f->integer(63) - shift;
  auto join = [&](Int high, Int low) {
    // In two steps, because a shift by 64 has no value.
    return shiftLeft(high, shift) | shiftRight(low >> 1, inverse);
  };
  return {join(words[0], words[1]), join(words[1], words[2]), join(words[2], words[3])};
}

/// 32 bits of an integer as a number: exact.
Real fromBits32(Int x, double unit) {
  return x.f->wrap(arith::SIToFPOp::create(x.f->b, x.f->loc, x.f->type, x.value)) * unit;
}

} // namespace

Reduced reduceLarge(Real x) {
  const FloatBuilder &f = *x.f;
  Int bits = f.bits(f.abs(x));
  Int exponent = bits >> 52;
  // Below 2^19, where the result isn't used, the position must still lie in the table.
  Int least = f.integer(1023 + 19), most = f.integer(2046);
  exponent = f.select(f.compare(arith::CmpIPredicate::slt, exponent, least), least, exponent);
  exponent = f.select(f.compare(arith::CmpIPredicate::sgt, exponent, most), most, exponent);
  Int mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  // q = exponent - 1023 - 52; bit b1 stands at position 64 of the table.
  std::array<Int, 3> w = window(exponent - (1023 + 52) + 62);

  auto [low0, high0] = multiply(mantissa, w[2]);
  auto [low1, high1] = multiply(mantissa, w[1]);
  auto [middle, carry] = addCarry(low1, high0);
  Int top = mantissa * w[0] + high1 + carry;

  Int high = (top << 2) | (middle >> 62), low = middle << 2;
  Int quadrant = (top >> 62) + (high >> 63);
  // The fraction, in [-1/2, 1/2), in pieces of 32 bits that are exact as floats.
  Int signedTop = {&f, arith::ShRSIOp::create(f.b, f.loc, high.value, f.integer(32).value)};
  constexpr double unit = 1.0 / 4294967296.0;
  Real a = fromBits32(signedTop, unit), b = fromBits32(high & 0xffffffff, unit * unit),
       c = fromBits32(low >> 32, unit * unit * unit),
       d = fromBits32(low & 0xffffffff, unit * unit * unit * unit);
  // a may be far smaller than its unit suggests, or zero, so every sum keeps its error.
  Pair first = f.fastTwoSum(a, b), second = f.fastTwoSum(c, d);
  Pair sum = f.twoSum(first.hi, second.hi);
  Pair fraction = f.fastTwoSum(sum.hi, sum.lo + (first.lo + second.lo));

  constexpr double halfPi = 1.5707963267948966, halfPiLow = 6.123233995736766e-17;
  Pair product = f.twoProduct(fraction.hi, f.real(halfPi));
  Pair rest =
      f.fastTwoSum(product.hi, product.lo + (fraction.hi * halfPiLow + fraction.lo * halfPi));
  Truth isNegative = x < 0;
  Int turned = f.integer(0) - quadrant;
  return {f.select(isNegative, turned, quadrant) & 3,
          {f.select(isNegative, -rest.hi, rest.hi), f.select(isNegative, -rest.lo, rest.lo)}};
}

} // namespace relax::kernels::math
