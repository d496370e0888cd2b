// Attention over dense keys and values, as its definition says it: all scores of a row, their
// softmax, the weighted sum (ops/AttentionOps.td).

#include "compiler/interpreter/Evaluator.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;

namespace relax::interpreter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The element of `tensor` that is broadcast to a place of four dimensions.
size_t broadcastPlace(const Tensor &tensor, const std::array<int64_t, 4> &place) {
  int64_t at = 0;
  size_t missing = 4 - tensor.dims.size();
  for (size_t i = 0; i != tensor.dims.size(); ++i)
    at = at * tensor.dims[i] + (tensor.dims[i] == 1 ? 0 : place[missing + i]);
  return static_cast<size_t>(at);
}

/// Exponentials of the scores over their sum; zeros, or NaN, where every score is minus infinity.
void softmax(std::vector<double> &scores, bool hiddenIsNan) {
  double most = -infinity, total = 0;
  for (double score : scores)
    most = std::isnan(score) ? score : std::max(most, score);
  if (most == -infinity && !hiddenIsNan)
    most = 0;
  for (double &score : scores)
    total += score = std::exp(score - most);
  for (double &score : scores)
    score = total == 0 ? 0 : score / total;
}

} // namespace

Status Evaluator::execute(ir::AttentionOp op, Frame &frame) {
  const Tensor &query = tensorAt(op.getQuery(), frame), &key = tensorAt(op.getKey(), frame);
  const Tensor &value = tensorAt(op.getValue(), frame);
  const Tensor *mask = op.getMask() ? &tensorAt(op.getMask(), frame) : nullptr;
  auto element = cast<ShapedType>(op.getResult().getType()).getElementType();
  int64_t heads = query.dims[1], rows = query.dims[2], depth = query.dims[3];
  int64_t kvHeads = key.dims[1], keys = key.dims[2], width = value.dims[3];
  int64_t offset = op.getCausalOffset() + (op.getAlignEnd() ? keys - rows : 0);
  auto window = static_cast<int64_t>(op.getWindow());
  double cap = op.getSoftcap().convertToDouble();
  double scale =
      op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(depth));
  TensorPointer out = makeTensor(element, {query.dims[0], heads, rows, width});
  // Kernels compute in float32, or in float64: of large scores a rounding shows in the result.
  Type scoreType = element.isF64() ? element : Float32Type::get(op.getContext());
  auto rounded = [&](double score) { return roundResult(score, scoreType, options.rounding); };
  auto isHidden = [&](int64_t i, int64_t j) {
    return (op.getCausal() && j > i + offset) || (window > 0 && j + window <= i + offset);
  };
  // Whether values of hidden keys are read isn't said.
  const bool skipsHidden = options.rounding == Rounding::Farther;
  for (int64_t b = 0; b != query.dims[0]; ++b)
    for (int64_t h = 0; h != heads; ++h)
      for (int64_t i = 0; i != rows; ++i) {
        RELAX_RETURN_IF_ERROR(spend(op, static_cast<uint64_t>(keys * (depth + width) + 1)));
        int64_t keyHead = b * kvHeads + h / (heads / kvHeads), row = (b * heads + h) * rows + i;
        std::vector<double> scores(static_cast<size_t>(keys), 0);
        for (int64_t j = 0; j != keys; ++j) {
          double &score = scores[static_cast<size_t>(j)];
          for (int64_t d = 0; d != depth; ++d)
            score = rounded(
                score +
                query.elements[static_cast<size_t>(row * depth + d)].real *
                    key.elements[static_cast<size_t>((keyHead * keys + j) * depth + d)].real);
          score = rounded(score * scale);
          if (cap > 0)
            score = rounded(cap * std::tanh(score / cap));
          if (mask) {
            Scalar m = mask->elements[broadcastPlace(*mask, {b, h, i, j})];
            if (mask->isReal())
              score += m.real;
            else if (m.integer == 0)
              score = -infinity;
          }
          if (isHidden(i, j))
            score = -infinity;
        }
        softmax(scores, op.getHiddenIsNan());
        for (int64_t e = 0; e != width; ++e) {
          double sum = 0;
          for (int64_t j = 0; j != keys; ++j)
            sum += skipsHidden && isHidden(i, j)
                       ? 0
                       : scores[static_cast<size_t>(j)] *
                             value.elements[static_cast<size_t>((keyHead * keys + j) * width + e)]
                                 .real;
          out->elements[static_cast<size_t>(row * width + e)] =
              realScalar(roundResult(sum, element, options.rounding));
        }
      }
  frame.values[op->getResult(0)] = std::move(out);
  return {};
}

} // namespace relax::interpreter
