//===- Windows.cpp - the geometry of convolutions and pools -----------------------------------===//
#include "compiler/dialect/Windows.h"

#include "compiler/dialect/AxisRules.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {
namespace {

/// dilation * (kernel - 1) + 1.
Expr reach(const Window &window) {
  return scaled(window.kernel, window.dilation, 1 - window.dilation);
}

Expr sum(Expr a, Expr b) { return a && b ? a + b : Expr(); }
Expr difference(Expr a, Expr b) { return a && b ? a - b : Expr(); }

LogicalResult checkList(const Rule &rule, StringRef name, std::optional<ArrayRef<int64_t>> list,
                        size_t count, int64_t least, RankedTensorType x) {
  if (!list)
    return success();
  if (list->size() != count)
    return rule.error(name + " must have " + Twine(count) + " entries for x " + shapeText(x) +
                      ", found " + Twine(list->size()));
  for (int64_t entry : *list)
    if (entry < least || entry > INT32_MAX)
      return rule.error(name + " must be at least " + Twine(least) + " and below 2^31, found " +
                        Twine(entry));
  return success();
}

/// What both kinds of windows have in common: the attributes, checked and in their places.
FailureOr<SmallVector<Window>> startWindows(const Rule &rule, RankedTensorType x,
                                            ArrayRef<Expr> kernel,
                                            const WindowAttributes &attributes) {
  size_t spatial = kernel.size();
  if (x.getRank() < 3 || x.getRank() > 5 || size_t(x.getRank()) != spatial + 2)
    return rule.error("expected x [batch, channels, size...] with one to three spatial dimensions, "
                      "as many as the kernel " +
                      shapeText(kernel) + " has; found " + shapeText(x));
  StringRef pad = attributes.autoPad;
  if (pad != "explicit" && pad != "valid" && pad != "same_upper" && pad != "same_lower")
    return rule.error("auto_pad must be explicit, valid, same_upper or same_lower, found \"" + pad +
                      "\"");
  if (pad != "explicit" && attributes.pads)
    return rule.error("pads are given beside auto_pad = \"" + pad + "\"");
  if (failed(checkList(rule, "strides", attributes.strides, spatial, 1, x)) ||
      failed(checkList(rule, "dilations", attributes.dilations, spatial, 1, x)) ||
      failed(checkList(rule, "output_padding", attributes.outputPadding, spatial, 0, x)) ||
      failed(checkList(rule, "pads", attributes.pads, 2 * spatial, 0, x)))
    return failure();
  SmallVector<Window> windows(spatial);
  for (auto [i, window] : llvm::enumerate(windows)) {
    window.input = shapeOf(x)[i + 2];
    window.kernel = kernel[i];
    if (kernel[i] && surelyBelow(kernel[i], 1))
      return rule.error("the kernel " + shapeText(kernel) + " has no element");
    if (attributes.strides)
      window.stride = (*attributes.strides)[i];
    if (attributes.dilations)
      window.dilation = (*attributes.dilations)[i];
    if (attributes.outputPadding)
      window.outputPadding = (*attributes.outputPadding)[i];
    window.before = rule.constant(attributes.pads ? (*attributes.pads)[i] : 0);
    window.after = rule.constant(attributes.pads ? (*attributes.pads)[spatial + i] : 0);
  }
  return windows;
}

/// `total` in two halves, the larger one where auto_pad says.
void splitPads(Window &window, Expr total, StringRef autoPad) {
  Expr small = floorOf(total, 2), large = difference(total, small);
  bool upper = autoPad == "same_upper";
  window.before = upper ? small : large;
  window.after = upper ? large : small;
}

/// The number of windows. ceilMode adds one that is cut off at the end, if it begins before the
/// padding there: of the last `stride - 1` places or more that a window needs, `after` are padding.
FailureOr<Expr> outputOf(const Rule &rule, const Window &window, bool ceilMode) {
  Expr room = difference(sum(sum(window.input, window.before), window.after), reach(window));
  if (!ceilMode)
    return floorOf(scaled(room, 1, window.stride), window.stride);
  Expr inside = difference(reach(window), window.after);
  if (!inside || !inside.isConstant())
    return rule.error("ceil_mode takes a kernel of constant size");
  if (window.stride <= inside.constantValue())
    return ceilOf(scaled(room, 1, window.stride), window.stride);
  return ceilOf(sum(window.input, window.before), window.stride);
}

/// The result has no negative number of elements.
LogicalResult checkOutput(const Rule &rule, RankedTensorType x, ArrayRef<Expr> kernel,
                          const Window &window, size_t i) {
  if (surelyAtLeast(window.output, 0))
    return success();
  std::string text = ("the kernel " + shapeText(kernel) + " and spatial dimension " + Twine(i) +
                      " of x " + shapeText(x) + " with its padding, for the size of the result")
                         .str();
  if (surelyBelow(window.output, 0))
    return rule.error(text + ": it would be " + window.output.str());
  return rule.check(ConstraintKind::LessEqual, rule.constant(0), window.output, text, {"x"});
}

/// Where a window may lie in the padding altogether, there is an element to read nevertheless.
LogicalResult checkInput(const Rule &rule, RankedTensorType x, const Window &window, size_t i) {
  if (surelyAtLeast(window.input, 1))
    return success();
  return rule.check(ConstraintKind::LessEqual, rule.constant(1), window.input,
                    "1 and spatial dimension " + Twine(i) + " of x " + shapeText(x) +
                        ", which is padded,",
                    {"x"});
}

bool isZero(Expr expr) { return expr && expr.isConstant(0); }

} // namespace

FailureOr<SmallVector<Window>> windowsOf(const Rule &rule, RankedTensorType x,
                                         ArrayRef<Expr> kernel,
                                         const WindowAttributes &attributes) {
  FailureOr<SmallVector<Window>> windows = startWindows(rule, x, kernel, attributes);
  if (failed(windows))
    return failure();
  bool same = attributes.autoPad.starts_with("same");
  for (auto [i, window] : llvm::enumerate(*windows)) {
    if (same) {
      window.output = ceilOf(window.input, window.stride);
      Expr covered = sum(scaled(window.output, window.stride, -window.stride), reach(window));
      Expr total = difference(covered, window.input);
      if (total)
        total = total.getContext().max(total, rule.constant(0));
      splitPads(window, total, attributes.autoPad);
      continue;
    }
    FailureOr<Expr> output = outputOf(rule, window, attributes.ceilMode);
    if (failed(output))
      return failure();
    window.output = *output;
    bool padded = !isZero(window.before) || !isZero(window.after);
    if (failed(checkOutput(rule, x, kernel, window, i)) ||
        (padded && failed(checkInput(rule, x, window, i))))
      return failure();
  }
  return windows;
}

FailureOr<SmallVector<Window>> transposedWindowsOf(const Rule &rule, RankedTensorType x,
                                                   ArrayRef<Expr> kernel,
                                                   const WindowAttributes &attributes) {
  FailureOr<SmallVector<Window>> windows = startWindows(rule, x, kernel, attributes);
  if (failed(windows))
    return failure();
  bool same = attributes.autoPad.starts_with("same");
  for (auto [i, window] : llvm::enumerate(*windows)) {
    // Without padding, what all kernels cover.
    Expr covered = sum(scaled(window.input, window.stride, window.outputPadding - window.stride),
                       reach(window));
    if (window.outputPadding >= std::max(window.stride, window.dilation))
      return rule.error("output_padding must be below the stride or the dilation, found " +
                        Twine(window.outputPadding));
    if (same) {
      window.output = scaled(window.input, window.stride, 0);
      Expr total = difference(covered, window.output);
      if (total)
        total = total.getContext().max(total, rule.constant(0));
      splitPads(window, total, attributes.autoPad);
      continue;
    }
    window.output = difference(difference(covered, window.before), window.after);
    if (failed(checkOutput(rule, x, kernel, window, i)) || failed(checkInput(rule, x, window, i)))
      return failure();
  }
  return windows;
}

} // namespace relax::ir
