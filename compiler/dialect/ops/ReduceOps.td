//===- ReduceOps.td - reductions and running sums along axes ---------------------------------===//
#ifndef RELAX_REDUCE_OPS_TD
#define RELAX_REDUCE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_REDUCE_OPS_TD
