//===- AttentionStrategies.h - how the ops around attention are scheduled ---------------------===//
//
// Each takes a program that is one op on the program's own arguments.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

namespace relax::kernels {

/// relax.paged_attention: see PagedAttention.h for the algorithm and the units.
const KernelStrategy &pagedAttentionStrategy();
/// relax.update_slots: a unit is a token; the output is the memory of the pages.
const KernelStrategy &updateSlotsStrategy();
/// relax.rotary_table: a unit is a position.
const KernelStrategy &rotaryTableStrategy();

} // namespace relax::kernels
