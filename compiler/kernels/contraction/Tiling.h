// The loops that the matmuls share: over blocks of tokens, row blocks, and tiles of both.
#pragma once

#include "compiler/kernels/contraction/Contraction.h"

namespace relax::kernels {

/// A micro-kernel computes this many tokens times `vectors` vectors of rows in registers.
struct TileShape {
  int64_t tokens;
  int64_t vectors;
};

/// Where a tile stands: tokens [token, token + shape.tokens), rows [rowBlock * 16 + firstRow, ...).
struct Tile {
  TileShape shape;
  mlir::Value token;
  mlir::Value rowBlock;
  int64_t firstRow;
};

/// Computes a tile; returns shape.tokens * shape.vectors vectors, token by token.
using TileBody = llvm::function_ref<VectorEmitter::Values(const Tile &)>;

/// Covers all tokens times the row blocks [begin, end) with tiles of `largest`, then of 1/2, 1/4, …
/// of its tokens, and hands their results to `sink`; rows past the matrix's end are dropped.
void emitTiles(const VectorEmitter &e, const ContractionShape &shape, mlir::Value tokens,
               mlir::Value begin, mlir::Value end, TileShape largest, TileBody body,
               ResultSink sink);

} // namespace relax::kernels
