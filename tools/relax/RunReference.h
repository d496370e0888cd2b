//===- RunReference.h - results beside those of the interpreter -------------------------------===//
#pragma once

#include "runtime/vm/Value.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Inspect.h"

#include <span>
#include <string>
#include <vector>

namespace relax::tool {

/// How far one tensor of the results is from the reference.
struct Difference {
  std::string name;   ///< "result0", or "result0.1" inside a tuple.
  bool agrees = true; ///< Within what rounding explains.
  double largest = 0; ///< The largest difference of two elements; infinite where one is no number.
  std::string where;  ///< Its index, "[3, 4]"; empty for a scalar, or where nothing differs.
  std::string compiled; ///< The elements there.
  std::string reference;
  std::string problem; ///< Other shapes or kinds, in words.
};

/// Runs `function` of the text IR at `path` in the interpreter, in float64, and compares.
Expected<std::vector<Difference>>
compareWithReference(const CompilerLibrary &compiler, const std::string &path,
                     const std::string &function, std::span<const runtime::Value> inputs,
                     std::span<const std::string> names, std::span<const runtime::Value> results);

std::string differenceText(const std::vector<Difference> &differences);
Json differenceJson(const std::vector<Difference> &differences);

} // namespace relax::tool
