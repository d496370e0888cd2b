//===- FusionRules.h - which calls of tensor programs may become one --------------------------===//
//
// What merges, by what the programs are (KernelKind.h):
//
//   - a pointwise producer into a pointwise or reducing consumer, into a contraction that is
//     written as loops (dequantize into matmul), into the quantisation of activations, and into
//     what is written to a cache (rotary embedding)
//   - an elementwise or broadcast consumer onto a contraction or reduction, if it reads the result
//     at the place that it computes (bias, residual, gate: the epilogue); and what makes the other
//     operands of such a consumer
//   - reductions and what is done on the same rows, as long as the program can be computed row by
//     row (RowForm.h): softmax or a normalisation in pieces, a residual before it, quantisation
//     or what is written to a cache after it
//   - the quantisation of its result into paged attention
//
// A value between them that is needed elsewhere too becomes a second result, where it has the shape
// of the others and is computed at the same place. A producer that takes a costly function (exp,
// tanh) for each element is not merged where its elements would be computed more than once.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/KernelKind.h"
#include "compiler/transforms/MergePrograms.h"

namespace relax::transforms {

/// What a program is for fusion.
enum class FusionRole {
  Pointwise,
  Reduction,
  Contraction,       ///< Written as loops.
  PackedContraction, ///< With packed weights; its operands are read from memory.
  Quantize,          ///< relax.quantize_activations.
  UpdateSlots,       ///< relax.update_slots.
  PagedAttention,    ///< relax.paged_attention.
  Opaque
};

/// A result of one call that another one reads, perhaps through reshapes.
struct FusionEdge {
  ir::CallKernelOp producer;
  unsigned result;
  ir::CallKernelOp consumer;
  unsigned operand;
  bool throughView;
};

class FusionRules {
public:
  /// `sizes`: what is known of the symbols of the function that holds the calls.
  FusionRules(const mlir::SymbolTable &table, symbolic::Facts sizes)
      : table(table), sizes(std::move(sizes)) {}

  mlir::func::FuncOp programOf(ir::CallKernelOp call) const;
  FusionRole roleOf(ir::CallKernelOp call);
  /// The role of several calls that are one: that of its least fusible part.
  FusionRole roleOf(llvm::ArrayRef<ir::CallKernelOp> calls);
  /// Does the call's program read the operand only at the place that it computes?
  bool readsInPlace(ir::CallKernelOp call, unsigned operand);

  /// May `producers` and `consumers`, two groups that are connected by `edges`, become `merged`?
  /// `shared`: a value of the producers is needed outside as well.
  bool mayMerge(llvm::ArrayRef<ir::CallKernelOp> producers,
                llvm::ArrayRef<ir::CallKernelOp> consumers, llvm::ArrayRef<FusionEdge> edges,
                bool shared, const KernelGroup &merged);

  /// Is the call's result as cheap to compute again as to read: few operations on no more bytes?
  bool isCheaperAgain(ir::CallKernelOp call);

private:
  struct Facts {
    FusionRole role = FusionRole::Opaque;
    KernelKind kind = KernelKind::Opaque;
    bool costly = false;
    int64_t operations = 0;
    /// For each argument: is it read only at the place that is computed? Through windows?
    llvm::SmallVector<bool> inPlace, windows;
    /// How many ops of the program read each argument, or places of it.
    llvm::SmallVector<unsigned> reads;
  };
  const Facts &factsOf(ir::CallKernelOp call);
  bool intoPointwise(const FusionEdge &edge, bool shared);
  bool sameShape(llvm::ArrayRef<FusionEdge> edges, llvm::ArrayRef<mlir::Value> results);
  bool worksByRows(const KernelGroup &merged);

  const mlir::SymbolTable &table;
  symbolic::Facts sizes;
  llvm::DenseMap<mlir::Operation *, Facts> facts;
};

} // namespace relax::transforms
