// The loops that the matmuls share: over blocks of tokens, row blocks, chunks of columns, and
// tiles.
//
//   for a block of tokens                    its activations stay in the second-level cache
//     for a row block
//       sums: a buffer of tokens x 16, which begin as 0
//       for a chunk of columns               its weights stay in the first-level cache
//         few tokens:  for a tile { sums += packed weights * activations }
//         many tokens: take the chunk's weights apart, once
//                      for a tile { sums += those weights * activations }
//       hand the sums to the sink
//
// A sum passes through the buffer between chunks, so cutting the columns changes no bit of it.
#pragma once

#include "compiler/kernels/contraction/Contraction.h"

namespace relax::kernels {

/// A micro-kernel computes this many tokens times `vectors` vectors of rows in registers.
struct TileShape {
  int64_t tokens;
  int64_t vectors;
};

/// Blocks [firstBlock, lastBlock) of the columns.
struct Chunk {
  mlir::Value firstBlock, lastBlock;
};

/// Where a tile stands: tokens [token, token + shape.tokens), which are `inBlock`, … of the block
/// of tokens; rows [rowBlock * 16 + firstRow, ...).
struct Tile {
  TileShape shape;
  mlir::Value token, inBlock;
  mlir::Value rowBlock;
  int64_t firstRow;
  Chunk chunk;
};

struct TilePlan {
  /// Sizes of tiles in tokens, descending, the last one 1. Each is code of its own.
  llvm::SmallVector<int64_t> packedTokens, unpackedTokens;
  /// Vectors of rows in a tile.
  int64_t vectors = 1;
  /// Calls of at most so many tokens multiply with the packed weights; negative: all calls do.
  int64_t fewTokens = -1;
  /// Tokens of a block, and blocks of a chunk.
  int64_t tokenBlock, chunkBlocks;
};

/// `largest`, then 2 and 1: with more sizes the last few tokens would be faster,
/// and compilation slower.
llvm::SmallVector<int64_t> tileSizes(int64_t largest);

/// What a matmul does at each place of these loops.
class TileKernel {
public:
  using Values = VectorEmitter::Values;
  virtual ~TileKernel() = default;

  /// Before the row blocks, for tokens [first, last) of a block.
  virtual void beginTokens(mlir::Value /*first*/, mlir::Value /*last*/) {}
  /// Before the tiles of a chunk, for tokens [first, last) of a block.
  virtual void beginChunk(const Chunk &, mlir::Value /*first*/, mlir::Value /*last*/) {}
  /// Takes the chunk's weights apart.
  virtual void unpack(mlir::Value /*rowBlock*/, const Chunk &) {}
  /// Adds the chunk's products to `sums`, shape.tokens * shape.vectors vectors, token by token.
  virtual Values tile(const Tile &tile, bool isUnpacked, Values sums) = 0;
};

/// Covers all tokens times the row blocks [begin, end), and hands the sums to `sink`; rows past the
/// matrix's end are dropped.
void emitTiles(const VectorEmitter &e, const ContractionShape &shape, const TilePlan &plan,
               TileKernel &kernel, mlir::Value tokens, mlir::Value begin, mlir::Value end,
               ResultSink sink);

/// Scratch memory of the kernel, aligned to a cache line.
mlir::Value scratchBuffer(const VectorEmitter &e, llvm::ArrayRef<int64_t> shape,
                          mlir::Type element);

} // namespace relax::kernels
