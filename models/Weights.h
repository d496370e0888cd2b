//===- Weights.h - the tensors of a model's file as constants of a graph ----------------------===//
//
// A model is built in two steps. First its modules are made, and each asks for its weights by name
// and shape; whatever doesn't fit is noted. Then, if nothing was wrong, the modules write the
// graph, which can't fail. So a bad file gives one error that names the tensor, and no half-written
// graph.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/importers/gguf/File.h"
#include "runtime/support/Status.h"

#include "mlir/IR/Builders.h"

#include <set>
#include <string>

namespace relax::models {

/// A tensor of the file: what stands in the graph for it.
struct Weight {
  ir::WeightAttr reference;
  mlir::RankedTensorType type; ///< Matrices: bytes [rows, bytes of a row]; vectors: f32.
  std::string format;          ///< See BlockFormat.h.
  explicit operator bool() const { return static_cast<bool>(reference); }
};

class Weights {
public:
  /// `hash`: compute content hashes, which reads every byte of the weights that are used.
  Weights(mlir::MLIRContext *context, const gguf::File &file, bool hash)
      : context(context), file(file), hash(hash) {}

  [[nodiscard]] bool has(const std::string &name) const { return file.find(name) != nullptr; }
  /// A [rows, columns] matrix in any format of the table. On a mismatch the error is noted.
  Weight matrix(const std::string &name, int64_t rows, int64_t columns);
  /// A float32 vector.
  Weight vector(const std::string &name, int64_t size);
  /// Rows [first, first + count) of a matrix that has `rows` of them: where a file keeps several
  /// matrices in one tensor. vectorPart: the same of a vector.
  Weight matrixPart(const std::string &name, int64_t rows, int64_t columns, int64_t first,
                    int64_t count);
  Weight vectorPart(const std::string &name, int64_t size, int64_t first, int64_t count);
  /// Marks a tensor as used that gives no constant.
  void use(const std::string &name) { used.insert(name); }
  /// Notes an error if the file has tensors that nobody asked for: a bias or norm that the
  /// architecture doesn't know would change every number of the model.
  void requireAllUsed();
  /// Notes an error of the caller's own; the first one stays.
  void fail(Status error);
  /// The first error.
  [[nodiscard]] const Status &status() const { return first; }
  /// The file, for messages.
  [[nodiscard]] const std::string &path() const { return file.path(); }

private:
  const gguf::Tensor *find(const std::string &name, llvm::ArrayRef<int64_t> dims);
  /// `size` bytes of the tensor from byte `first` on.
  ir::WeightAttr reference(const gguf::Tensor &tensor, uint64_t first, uint64_t size);

  mlir::MLIRContext *context;
  const gguf::File &file;
  bool hash;
  Status first;
  std::set<std::string> used;
};

} // namespace relax::models
