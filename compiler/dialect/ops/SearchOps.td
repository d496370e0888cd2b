//===- SearchOps.td - order and selection; sizes that depend on values -----------------------===//
#ifndef RELAX_SEARCH_OPS_TD
#define RELAX_SEARCH_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_SEARCH_OPS_TD
