//===- RunInput.h - values on the command line ------------------------------------------------===//
//
// What `relax run --input name=…` understands:
//
//   FILE.npy                        a NumPy file
//   random:[3,n]f32                 floats in [-1, 1), integers from 0 to 9, bools
//   zeros:[3]i64  ones:[3]  arange:[2,3]f32
//   5  -1.5  true  nan              a number: a tensor of rank 0
//   [1,2,3]i64  [[1,2],[3,4]]f32    a tensor
//   shape:[3,n]                     a shape
//   (5, shape:[2], [1,2]f32)        a tuple
//   function:NAME                   a function of the program
//
// Sizes may be symbols that --symbol gives a value. Without an element type a tensor has that of
// the parameter, else i64, f32 or bool by how it is written.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/Random.h"
#include "runtime/Module.h"
#include "tools/relax/NpyFile.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace relax::tool {

using SymbolValues = std::map<std::string, int64_t>;

/// An array as a value that owns it.
runtime::Value valueOf(Array array);
/// The elements of a tensor, copied.
Array arrayOf(const runtime::Value &value);

/// Random elements: of integers, from 0 up to but not `limit`.
Expected<Array> randomArray(artifact::DType dtype, std::vector<int64_t> dims, int64_t limit,
                            llm::Random &random);

class InputReader {
public:
  InputReader(const runtime::Module &module, const SymbolValues &symbols)
      : module(module), symbols(symbols) {}

  /// Reads all of `text`; errors begin with `what` and say at which character. `dtype`: the element
  /// type where the text says none. `seed` chooses random elements.
  Expected<runtime::Value> read(const std::string &what, std::string_view text,
                                std::optional<artifact::DType> dtype, uint64_t seed);

private:
  Expected<runtime::Value> value();
  Expected<runtime::Value> tuple();
  Expected<runtime::Value> made(std::string_view maker);
  Expected<runtime::Value> literal();
  Status elements(std::vector<std::string_view> &texts, std::vector<int64_t> &dims, size_t depth);
  Expected<std::vector<int64_t>> sizes();
  Expected<artifact::DType> dtypeOr(artifact::DType otherwise);

  void skipSpaces();
  [[nodiscard]] char peek();
  bool take(char c);
  std::string_view word();
  [[nodiscard]] Status expected(std::string_view what) const;

  const runtime::Module &module;
  const SymbolValues &symbols;
  std::string what;
  std::string_view text;
  size_t at = 0;
  std::optional<artifact::DType> parameterType;
  llm::Random random{0};
  bool inTuple = false;
};

} // namespace relax::tool
