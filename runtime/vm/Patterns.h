//===- Patterns.h - does a value fit what is expected -----------------------------------------===//
//
// In two steps, since dimensions are compared with slots that may depend on the value itself: first
// the kinds, dtypes and ranks, then, when the slots are evaluated, the dimensions. Messages are as
// those of Checks.h.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/vm/Value.h"

#include <cstdint>
#include <span>
#include <string>

namespace relax::runtime {

/// Says in messages which value a pattern is about.
struct ValueName {
  /// An argument's, or any number beyond them for the value of a CheckValue.
  size_t argument = SIZE_MAX;
};

/// The kinds, dtypes, ranks, numbers of fields, and that no dimension is negative.
Status checkStructure(const artifact::Function &function, uint32_t pattern, const Value &value,
                      ValueName name);

/// The dimensions whose slots are among the first `known`. checkStructure has passed.
Status checkPatternDims(const artifact::Function &function, uint32_t pattern, const Value &value,
                        std::span<const int64_t> values, size_t known, ValueName name);

/// What a pattern wants: "f32[n, ?]", "shape [n, 4]", "a tuple of 2", "any value".
std::string patternText(const artifact::Function &function, const artifact::TypePattern &pattern);

} // namespace relax::runtime
