//===- Windows.h - the geometry of convolutions and pools -------------------------------------===//
//
// Along one spatial dimension a window of `kernel` elements, `dilation` apart, begins at
// `position * stride - before`:
//
//   size 5, kernel 3, stride 2, before 1, after 1        . 0 1 2 3 4 .
//   output 3                                             [0 - 2]
//                                                            [1 - 3]
//                                                                [3 - .]
//
// Shape rules and tensor programs ask the same function. Sizes may be unknown (null).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Deduction.h"

namespace relax::ir {

/// The attributes that windows have in common, as the ops hold them.
struct WindowAttributes {
  std::optional<llvm::ArrayRef<int64_t>> strides, dilations, pads, outputPadding;
  llvm::StringRef autoPad;
  bool ceilMode = false;
};

/// One spatial dimension.
struct Window {
  symbolic::Expr input, kernel;
  int64_t stride = 1, dilation = 1, outputPadding = 0;
  symbolic::Expr before, after;
  symbolic::Expr output;
};

/// The windows of a convolution or pool of `x` [n, c, size...] with a kernel of these extents.
mlir::FailureOr<llvm::SmallVector<Window>> windowsOf(const Rule &rule, mlir::RankedTensorType x,
                                                     llvm::ArrayRef<symbolic::Expr> kernel,
                                                     const WindowAttributes &attributes);
/// The same for a transposed convolution, whose input has the place of the other's result.
mlir::FailureOr<llvm::SmallVector<Window>>
transposedWindowsOf(const Rule &rule, mlir::RankedTensorType x,
                    llvm::ArrayRef<symbolic::Expr> kernel, const WindowAttributes &attributes);

} // namespace relax::ir
