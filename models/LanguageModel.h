//===- LanguageModel.h - from a GGUF file to the graph of a language model --------------------===//
//
// Every architecture writes one function:
//
//   func.func @step(tokens i32[t], positions i32[t], sequence_starts i32[b + 1],
//                   page_table i32[b, p], cached_lengths i32[b], output_rows i32[r],
//                   output_counts i32[r], [local_page_table i32[b, p],]
//                   k_pages.0, v_pages.0, k_pages.1, … donated)
//       -> (logits f32[r, vocabulary], k_pages.0, v_pages.0, …)
//
// t tokens of b sequences, ragged: sequence s has the tokens [sequence_starts[s],
// sequence_starts[s + 1]) and cached_lengths[s] tokens in the cache already. output_rows says of
// which tokens logits are wanted, and output_counts how many of the largest: others may be minus
// infinity; 0 stands for all. One token of one sequence, a whole prompt and any mix are the same
// code. Where layers with a window stand beside others, they have pages of their own, of which
// local_page_table tells: entries before a sequence's window are never read.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/importers/gguf/File.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>

namespace relax::models {

struct ModelOptions {
  int64_t pageSize = 32;         ///< Slots of a cache page.
  std::string cacheType = "f32"; ///< Elements of the cache: f32, f16 or q8_0.
  /// Tokens of a sequence at most; 0: what the file says. More than that where positions are
  /// computed, at the price of worse answers.
  int64_t contextLimit = 0;
  bool hashWeights = false; ///< Content hashes in the weights' references.
};

/// The most tokens and output rows that one call may have.
constexpr int64_t maxBatchTokens = 8192;
/// The most sequences that one call may have.
constexpr int64_t maxBatchSequences = 1024;

/// The module with @step. Errors name the file, the key or tensor, what was found and expected.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildLanguageModel(mlir::MLIRContext *context, const gguf::File &file, const ModelOptions &options);

/// What whoever runs the model needs beside it: the file's own metadata (tokenizer, chat template,
/// hyper-parameters), and relax.page_size, relax.context_length, relax.trained_context_length,
/// relax.num_layers, relax.num_kv_heads, relax.head_dim, relax.vocabulary_size, relax.cache_type;
/// relax.window and relax.local_layers where layers have a window.
Expected<Metadata> modelMetadata(const gguf::File &file, const ModelOptions &options);

} // namespace relax::models
