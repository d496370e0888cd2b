//===- AttentionOps.td - attention over dense keys and values --------------------------------===//
#ifndef RELAX_ATTENTION_OPS_TD
#define RELAX_ATTENTION_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_ATTENTION_OPS_TD
