//===- Likeliest.h - products of which only the k largest are wanted --------------------------===//
//
// An output is a sum over blocks b of 32 columns of d_b * sum of q * (x + y), with the row's scale
// d_b, its integers q, and activations in two planes of 8 bits, of which y is the residual. The
// split layout has q = 16 * (h - 8) + l, with h and l of 4 bits, and h in memory of its own: half
// of the bytes. With c = 7.5, the middle of l, an estimate comes from h and x alone, and misses
//
//   sum of d_b * (sum of (l - c) * x + sum of q * y)
//
// which is at most the sum of |d_b| * (c * X_b + 128 * Y_b), with X_b the sum of |x| and Y_b that
// of |y|. That is rigorous: no product can be missed. Rounding adds a little: all sums are of
// float32, and one that takes n steps of partial sums below S is off by n * 2^-24 * S; S is at most
// the sum of |d_b| * 128 * (X_b + Y_b), and the bound has as much added for all steps of both sums.
// A NaN or infinity makes the bound NaN or infinite, which keeps the row.
//
// The k blocks of 16 rows with the largest estimates are computed exactly; the k-th largest of
// those outputs is the threshold. Blocks whose upper bound reaches it are made certain unit by
// unit, in the order of falling c * X_b: the low half of a unit takes that part away. Few remain
// after some units, and these are computed in full by the same code as a full product, so the
// results are bit-equal to one. What is dropped depends on the row alone, not on the batch or the
// threads.
//
// Measured on 16 to 24 states of each model, bytes of all (k = 1, k = 40): Gemma 3 270M 0.54, 0.57;
// Qwen2.5-Coder 0.5B 0.54, 0.60; SmolLM2 135M 0.56, 0.74.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/contraction/Contraction.h"

namespace relax::kernels {

/// Rows of which more are wanted get all: the candidates are kept on the stack.
inline constexpr int64_t mostLikeliest = 128;

/// Memrefs. Of those that a kernel doesn't take, null.
struct LikeliestOperands {
  QuantizedOperands product; ///< `packed` as the program has it.
  mlir::Value counts;        ///< i32 [t]
  mlir::Value terms;         ///< f32 [t, 3, units]: c * sum of x, the bound, and c * X_b
  mlir::Value order;         ///< i32 [t, units]
  mlir::Value upper;         ///< f32 [t, 16 * row blocks]
  mlir::Value estimates;     ///< f32 [t, row blocks]
  mlir::Value threshold;     ///< f32 [t, 1]
};

/// Writes terms and order. Units are tokens.
void emitLikeliestTerms(const VectorEmitter &e, int64_t columns, const LikeliestOperands &operands,
                        mlir::Value begin, mlir::Value end);
/// Writes upper and estimates. Units are row blocks.
void emitLikeliestBounds(const VectorEmitter &e, const ContractionShape &shape,
                         const LikeliestOperands &operands, mlir::Value begin, mlir::Value end);
/// Writes threshold. Units are tokens.
void emitLikeliestThreshold(const VectorEmitter &e, const ContractionShape &shape,
                            const LikeliestOperands &operands, mlir::Value begin, mlir::Value end);
/// Hands each output, or minus infinity, to `sink`. Units are row blocks.
void emitLikeliestMatmul(const VectorEmitter &e, const ContractionShape &shape,
                         const LikeliestOperands &operands, mlir::Value begin, mlir::Value end,
                         ResultSink sink);

} // namespace relax::kernels
