//===- QuantizeOps.td - integers with scales -------------------------------------------------===//
#ifndef RELAX_QUANTIZE_OPS_TD
#define RELAX_QUANTIZE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_QUANTIZE_OPS_TD
