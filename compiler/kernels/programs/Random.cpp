// Random numbers: each element computes the Philox block that its words are in, so that no element
// needs another. Words are i64 values below 2^32: products of two are exact then, and shifts and
// masks take their halves.

#include "compiler/dialect/ops/RandomOps.h"
#include "compiler/kernels/programs/Programs.h"
#include "compiler/kernels/programs/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels {
namespace {

constexpr int64_t lowHalf = 0xFFFFFFFF;

Value low(const Scalars &s, Value x) { return s.both(x, s.integer(x.getType(), lowHalf)); }
Value high(const Scalars &s, Value x) { return s.shiftRight(x, 32); }

/// The four words of a block, Philox4x32-10.
std::array<Value, 4> philox(const Scalars &s, Value key, Value block) {
  constexpr int64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr int64_t weyl[] = {0x9E3779B9, 0xBB67AE85};
  Type type = key.getType();
  Value zero = s.integer(type, int64_t(0));
  std::array<Value, 4> c = {low(s, block), high(s, block), zero, zero};
  Value k0 = low(s, key), k1 = high(s, key);
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      k0 = low(s, s.add(k0, s.integer(type, weyl[0])));
      k1 = low(s, s.add(k1, s.integer(type, weyl[1])));
    }
    Value p0 = s.mul(c[0], s.integer(type, multipliers[0]));
    Value p1 = s.mul(c[2], s.integer(type, multipliers[1]));
    c = {s.exclusive(s.exclusive(high(s, p1), c[1]), k0), low(s, p1),
         s.exclusive(s.exclusive(high(s, p0), c[3]), k1), low(s, p0)};
  }
  return c;
}

/// The elements of a program's first result, and the state after them.
class Draw {
public:
  explicit Draw(ProgramBuilder &program) : program(program), type(program.types[0]) {
    Scalars s(program.b, program.loc);
    OpBuilder &b = program.b;
    auto part = [&](int64_t i) -> Value {
      Value index = arith::ConstantIndexOp::create(b, program.loc, i);
      return tensor::ExtractOp::create(b, program.loc, program.inputs[0], ValueRange{index});
    };
    key = part(0);
    counter = part(1);
    for (symbolic::Expr dim : ir::shapeOf(type))
      sizes.push_back(toI64(s, program.size(dim)));
  }

  using Element = llvm::function_ref<Value(const Scalars &, Value number)>;
  /// The results of the op; `words` are what one element takes.
  SmallVector<Value> results(int64_t words, Element element) const {
    Value values =
        program.pointwise(type, {}, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
          Scalars s(b, loc);
          Value number = s.integer(b.getI64Type(), int64_t(0));
          for (auto [i, size] : llvm::enumerate(sizes))
            number = s.add(s.mul(number, size), toI64(s, linalg::IndexOp::create(b, loc, i)));
          return s.convert(type.getElementType(), element(s, number));
        });
    return {values, after(words)};
  }

  /// Word `number` of the draw.
  Value word(const Scalars &s, Value number) const {
    std::array<Value, 4> words = block(s, s.shiftRight(number, 2));
    Value low = bit(s, number, 0), high = bit(s, number, 1);
    return s.select(high, s.select(low, words[3], words[2]), s.select(low, words[1], words[0]));
  }
  std::array<Value, 4> block(const Scalars &s, Value number) const {
    return philox(s, key, s.add(counter, number));
  }
  static Value bit(const Scalars &s, Value x, int64_t position) {
    Value digit = s.both(s.shiftRight(x, position), s.integer(x.getType(), 1));
    return s.notEqual(digit, s.integer(x.getType(), int64_t(0)));
  }

private:
  static Value toI64(const Scalars &s, Value index) {
    return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
  }

  /// The counter has moved on by ceildiv(words * elements, 4).
  Value after(int64_t words) const {
    Scalars outer(program.b, program.loc);
    Value count = outer.integer(key.getType(), int64_t(1));
    for (Value size : sizes)
      count = outer.mul(count, size);
    count = outer.add(outer.mul(count, outer.integer(key.getType(), words)),
                      outer.integer(key.getType(), 3));
    Value blocks = outer.shiftRight(count, 2);
    return program.pointwise(program.types[1], program.inputs[0],
                             [&](OpBuilder &b, Location loc, ValueRange v) {
                               Scalars s(b, loc);
                               Value index = linalg::IndexOp::create(b, loc, 0);
                               Value isKey = s.equal(toI64(s, index), s.like(v[0], 0));
                               return s.select(isKey, v[0], s.add(v[0], blocks));
                             });
  }

  ProgramBuilder &program;
  RankedTensorType type;
  Value key, counter;
  SmallVector<Value> sizes;
};

/// The number below 1 of the first `bits` bits of two words, as float64.
Value fraction(const Scalars &s, Value upper, Value lower, int64_t bits) {
  Value number = s.either(s.shiftLeft(upper, 32), lower);
  number = s.shiftRight(number, 64 - bits);
  Type wide = s.b.getF64Type();
  return s.mul(s.convert(wide, number), s.number(wide, std::ldexp(1.0, static_cast<int>(-bits))));
}

/// The number of digits of a type's precision, the hidden one included.
int64_t precision(Type type) { return cast<FloatType>(type).getFPMantissaWidth(); }

SmallVector<Value> buildUniform(ProgramBuilder &program) {
  auto op = cast<ir::RandomUniformOp>(program.op);
  double low = op.getLow().convertToDouble(), high = op.getHigh().convertToDouble();
  Type element = program.types[0].getElementType();
  bool isWide = element.isF64();
  Draw draw(program);
  return draw.results(isWide ? 2 : 1, [&](const Scalars &s, Value number) {
    Value u;
    if (isWide) {
      // Two words in one block: elements 2 i and 2 i + 1 share it.
      std::array<Value, 4> words = draw.block(s, s.shiftRight(number, 1));
      Value odd = Draw::bit(s, number, 0);
      u = fraction(s, s.select(odd, words[2], words[0]), s.select(odd, words[3], words[1]), 53);
    } else {
      Value word = draw.word(s, number);
      u = fraction(s, word, s.like(word, 0), precision(element));
    }
    return s.add(s.like(u, low), s.mul(u, s.like(u, high - low)));
  });
}

SmallVector<Value> buildNormal(ProgramBuilder &program) {
  auto op = cast<ir::RandomNormalOp>(program.op);
  double mean = op.getMean().convertToDouble(), deviation = op.getDeviation().convertToDouble();
  bool isWide = program.types[0].getElementType().isF64();
  Type type = isWide ? program.b.getF64Type() : program.b.getF32Type();
  Draw draw(program);
  return draw.results(isWide ? 2 : 1, [&](const Scalars &s, Value number) {
    Value u, v;
    if (isWide) {
      std::array<Value, 4> words = draw.block(s, s.shiftRight(number, 1));
      u = fraction(s, words[0], words[1], 53);
      v = fraction(s, words[2], words[3], 53);
      // From [0, 1) to (0, 1].
      u = s.sub(s.like(u, 1), u);
    } else {
      std::array<Value, 4> words = draw.block(s, s.shiftRight(number, 2));
      Value second = Draw::bit(s, number, 1);
      u = fraction(s, s.select(second, words[2], words[0]), s.like(number, 0), 32);
      v = fraction(s, s.select(second, words[3], words[1]), s.like(number, 0), 32);
      u = s.convert(type, s.sub(s.like(u, 1), u));
      v = s.convert(type, v);
    }
    Value radius = s.call<math::SqrtOp>(s.mul(s.like(u, -2), s.call<math::LogOp>(u)));
    Value angle = s.mul(s.like(v, 2 * M_PI), v);
    Value odd = Draw::bit(s, number, 0);
    Value direction = s.select(odd, s.call<math::SinOp>(angle), s.call<math::CosOp>(angle));
    return s.add(s.mul(s.mul(radius, direction), s.like(v, deviation)), s.like(v, mean));
  });
}

SmallVector<Value> buildIntegers(ProgramBuilder &program) {
  auto op = cast<ir::RandomIntegersOp>(program.op);
  auto low = static_cast<int64_t>(op.getLow()), high = static_cast<int64_t>(op.getHigh());
  Draw draw(program);
  return draw.results(1, [&](const Scalars &s, Value number) {
    Value word = draw.word(s, number);
    Value scaled = kernels::high(s, s.mul(word, s.integer(word.getType(), high - low)));
    return s.add(scaled, s.integer(word.getType(), low));
  });
}

SmallVector<Value> buildBernoulli(ProgramBuilder &program) {
  double probability = cast<ir::RandomBernoulliOp>(program.op).getProbability().convertToDouble();
  Draw draw(program);
  return draw.results(1, [&](const Scalars &s, Value number) {
    Value word = draw.word(s, number);
    auto limit = static_cast<int64_t>(std::floor(std::ldexp(probability, 32)));
    return s.less(word, s.integer(word.getType(), limit));
  });
}

} // namespace

ArrayRef<ProgramEntry> randomPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.random_uniform", buildUniform},
      {"relax.random_normal", buildNormal},
      {"relax.random_integers", buildIntegers},
      {"relax.random_bernoulli", buildBernoulli},
  };
  return entries;
}

} // namespace relax::kernels
