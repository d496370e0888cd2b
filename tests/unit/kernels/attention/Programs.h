// Tensor programs of the ops around attention, for chosen sizes.
#pragma once

#include "tests/unit/kernels/attention/RaggedProblem.h"

#include <string>

namespace relax::test {

/// Symbols t, g, b, p; inputs query, key pages, value pages, starts, page table, cached lengths.
std::string pagedAttentionProgram(const CacheShape &shape, double scale);
/// Symbols g, t, b, p; inputs pages, values, starts, page table, cached lengths.
std::string updateSlotsProgram(const CacheShape &shape, bool isKeys);
/// Symbol t; input positions.
std::string rotaryTableProgram(double base, int64_t dims);

} // namespace relax::test
