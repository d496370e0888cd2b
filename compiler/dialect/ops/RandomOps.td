//===- RandomOps.td - pseudo-random numbers from an explicit state ---------------------------===//
#ifndef RELAX_RANDOM_OPS_TD
#define RELAX_RANDOM_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_RANDOM_OPS_TD
