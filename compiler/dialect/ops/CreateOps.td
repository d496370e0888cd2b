//===- CreateOps.td - tensors from nothing: constants, ranges, masks -------------------------===//
#ifndef RELAX_CREATE_OPS_TD
#define RELAX_CREATE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_CREATE_OPS_TD
