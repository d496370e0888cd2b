// The kernels around packed weights, as loops and vectors on memrefs.
//
// Each function writes the body of one kernel for the units [begin, end) at the emitter's insertion
// point. They know nothing of tensor programs; the strategies of ContractionStrategies.h bind them
// to those.
//
// Order of summation. An output element is one float32 that starts at 0 and takes its blocks of 32
// columns (its columns, in packedMatmul) in ascending order, by the same operations whatever the
// number of tokens, the tile it falls in or the thread that computes it. So results are bit-equal
// however the batch is made up.
#pragma once

#include "compiler/kernels/contraction/PackedLayout.h"
#include "compiler/kernels/contraction/VectorEmitter.h"

namespace relax::kernels {

/// A weight matrix of `rows` x `columns` and the values that walk over its row blocks.
struct ContractionShape {
  PackedLayout layout;
  int64_t rows;
  int64_t columns;
  /// int8 planes of a quantised activation: 1, or 2 with the residual.
  int64_t planes = 1;
};

/// Takes a result: element [token, row] if `value` is a scalar, elements [token, row .. row +
/// lanes) if it is a vector.
using ResultSink = llvm::function_ref<void(mlir::Value token, mlir::Value row, mlir::Value value)>;

struct QuantizedOperands {
  mlir::Value quants; ///< memref<? x planes x K x i8>
  mlir::Value scales; ///< memref<? x planes x K/32 x f32>
  mlir::Value sums;   ///< memref<? x planes x K/32 x i32>: those of each 16, in its halves
  mlir::Value packed; ///< memref<rowBlocks x strideBytes x i8>
  mlir::Value tokens; ///< index
};

/// out[t, n] = sum over k of activation[t, k] * weight[n, k], from quantised activations and packed
/// quantised weights. Units are row blocks.
///
/// For each 32 columns: acc = fma(float(sum of S * w * q), d_weight * d_activation, acc), then, in
/// formats with a minimum, acc = fma(m_weight, d_activation * float(sum of M * q), acc); both for
/// plane 0, then for plane 1. S and M are the integers of the columns' group, or 1; the sums are
/// exact. Where all 32 columns are one group, S is a factor of d_weight instead, which is exact,
/// and M one of m_weight.
void emitQuantizedMatmul(const VectorEmitter &e, const ContractionShape &shape,
                         const QuantizedOperands &operands, mlir::Value begin, mlir::Value end,
                         ResultSink sink);

struct PackedOperands {
  mlir::Value input;  ///< memref<? x K x f32>
  mlir::Value packed; ///< memref<rowBlocks x rowBlockBytes x i8>
  mlir::Value tokens; ///< index
};

/// The same with float32 activations; weights are decoded in registers. acc = fma(x, weight, acc)
/// for each column. Units are row blocks.
void emitPackedMatmul(const VectorEmitter &e, const ContractionShape &shape,
                      const PackedOperands &operands, mlir::Value begin, mlir::Value end,
                      ResultSink sink);

struct QuantizeResults {
  mlir::Value quants, scales, sums; ///< As in QuantizedOperands.
};

/// Quantises the rows [begin, end) of float32 activations of `columns` columns: for each 32, d =
/// largest magnitude / 127, q = x / d rounded half to even, the sum of q; plane 1 does the same to
/// x - d * q. A block that holds NaN or infinity gets d NaN or infinity, and q 0. `source` gives
/// elements [token, column .. column + 32) as vector<32xf32>; `beginRow` comes before those of a
/// token. The sums of the first and the last 16
/// q are the low and high halves of one i32.
void emitQuantizeActivations(
    const VectorEmitter &e, int64_t columns, int64_t planes,
    llvm::function_ref<void(mlir::Value token)> beginRow,
    llvm::function_ref<mlir::Value(mlir::Value token, mlir::Value column)> source,
    const QuantizeResults &results, mlir::Value begin, mlir::Value end);

/// The same for `columns` columns of one token, whose first block is `firstBlock`; `source` gives
/// elements [column .. column + 32) of them.
void emitQuantizeBlocks(const VectorEmitter &e, int64_t columns, int64_t planes, mlir::Value token,
                        mlir::Value firstBlock,
                        llvm::function_ref<mlir::Value(mlir::Value column)> source,
                        const QuantizeResults &results);

/// Packs rows of a weight as it is stored in the file, memref<N x rowBytes x i8>, into
/// memref<rowBlocks x rowBlockBytes x i8>. Units are row blocks.
void emitPackWeights(const VectorEmitter &e, const ContractionShape &shape, mlir::Value source,
                     mlir::Value packed, mlir::Value begin, mlir::Value end);

} // namespace relax::kernels
