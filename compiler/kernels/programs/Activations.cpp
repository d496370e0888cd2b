// Activations, as functions of elements. Each keeps NaN, and its formula avoids a product of zero
// and infinity where the limit is finite.

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/kernels/programs/ElementFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels {
namespace {

/// x from 0 on, `below` under it.
Value fromZero(const Scalars &s, Value x, Value below) {
  return s.select(s.isNegative(x), below, x);
}

/// x / (1 + e^-y).
Value timesSigmoid(const Scalars &s, Value x, Value y) {
  return s.div(x, s.add(s.like(x, 1), s.call<math::ExpOp>(s.neg(y))));
}

Value clamp01(const Scalars &s, Value x) { return s.min(s.max(x, s.like(x, 0)), s.like(x, 1)); }

Value gelu(const Scalars &s, ValueRange v, Operation *op) {
  Value x = v[0];
  if (cast<ir::GeluOp>(op).getExact()) {
    // 1 + erf(y) as erfc(-y), which loses no digits for negative y.
    Value complement = s.call<math::ErfcOp>(s.mul(x, s.like(x, -std::sqrt(0.5))));
    return s.mul(s.mul(s.like(x, 0.5), x), complement);
  }
  // (1 + tanh(y)) / 2 is 1 / (1 + e^-2y), which loses no digits for negative y.
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(s.like(x, 0.044715), cube));
  return timesSigmoid(s, x, s.mul(s.like(x, 2 * std::sqrt(2 / M_PI)), inner));
}

Value softplus(const Scalars &s, ValueRange v, Operation *) {
  // No overflow for large x.
  Value power = s.call<math::ExpOp>(s.neg(s.abs(v[0])));
  return s.add(s.max(v[0], s.like(v[0], 0)), s.call<math::Log1pOp>(power));
}

Value mish(const Scalars &s, ValueRange v, Operation *) {
  // tanh(log(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2), which is 1 long before e^2 overflows.
  Value x = v[0], two = s.like(x, 2), bound = s.like(x, 40);
  Value e = s.call<math::ExpOp>(s.min(x, bound));
  Value n = s.mul(e, s.add(e, two));
  Value ratio = s.div(n, s.add(n, two));
  return s.select(s.less(bound, x), x, s.mul(x, ratio));
}

Value selu(const Scalars &s, ValueRange v, Operation *) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  Value below = s.mul(s.like(v[0], alpha), s.call<math::ExpM1Op>(v[0]));
  return s.mul(s.like(v[0], scale), fromZero(s, v[0], below));
}

Value elu(const Scalars &s, ValueRange v, Operation *op) {
  Value alpha = s.like(v[0], cast<ir::EluOp>(op).getAlpha().convertToDouble());
  return fromZero(s, v[0], s.mul(alpha, s.call<math::ExpM1Op>(v[0])));
}

Value celu(const Scalars &s, ValueRange v, Operation *op) {
  Value alpha = s.like(v[0], cast<ir::CeluOp>(op).getAlpha().convertToDouble());
  return fromZero(s, v[0], s.mul(alpha, s.call<math::ExpM1Op>(s.div(v[0], alpha))));
}

Value leakyRelu(const Scalars &s, ValueRange v, Operation *op) {
  double alpha = cast<ir::LeakyReluOp>(op).getAlpha().convertToDouble();
  return fromZero(s, v[0], s.mul(s.like(v[0], alpha), v[0]));
}

Value hardSigmoid(const Scalars &s, ValueRange v, Operation *op) {
  auto hard = cast<ir::HardSigmoidOp>(op);
  Value line = s.add(s.mul(s.like(v[0], hard.getAlpha().convertToDouble()), v[0]),
                     s.like(v[0], hard.getBeta().convertToDouble()));
  return clamp01(s, line);
}

} // namespace

ArrayRef<ElementFunction> activationFunctions() {
  static const ElementFunction functions[] = {
      {"relax.sigmoid", [](const Scalars &s, ValueRange v,
                           Operation *) { return timesSigmoid(s, s.like(v[0], 1), v[0]); }},
      {"relax.relu",
       [](const Scalars &s, ValueRange v, Operation *) { return s.max(v[0], s.like(v[0], 0)); }},
      {"relax.silu",
       [](const Scalars &s, ValueRange v, Operation *) { return timesSigmoid(s, v[0], v[0]); }},
      {"relax.softsign",
       [](const Scalars &s, ValueRange v, Operation *) {
         return s.div(v[0], s.add(s.like(v[0], 1), s.abs(v[0])));
       }},
      {"relax.hard_swish",
       [](const Scalars &s, ValueRange v, Operation *) {
         Value line = s.add(s.div(v[0], s.like(v[0], 6)), s.like(v[0], 0.5));
         return s.mul(v[0], clamp01(s, line));
       }},
      {"relax.prelu", [](const Scalars &s, ValueRange v,
                         Operation *) { return fromZero(s, v[0], s.mul(v[1], v[0])); }},
      {"relax.gelu", gelu},
      {"relax.softplus", softplus},
      {"relax.mish", mish},
      {"relax.selu", selu},
      {"relax.elu", elu},
      {"relax.celu", celu},
      {"relax.leaky_relu", leakyRelu},
      {"relax.hard_sigmoid", hardSigmoid},
  };
  return functions;
}

} // namespace relax::kernels
