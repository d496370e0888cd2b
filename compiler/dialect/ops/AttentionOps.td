//===- AttentionOps.td - attention over dense keys and values --------------------------------===//
#ifndef RELAX_ATTENTION_OPS_TD
#define RELAX_ATTENTION_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_AttentionOp : Relax_CheckedOp<"attention"> {
  let summary = "softmax(scale * query * key^T + mask) * value";
  let description = [{
    query [b, h, t, d], key [b, g, s, d] and value [b, g, s, e] give [b, h, t, e]; h is a multiple
    of g, and query head i reads head i / (h / g) of key and value. scale is 1 / sqrt(d) unless
    given. softcap c, where it isn't 0, turns a scaled score x into c * tanh(x / c) before the mask.
      mask broadcasts to [b, h, t, s]: bool (true: may be seen), or numbers of query's type to add.
    The query at row i is at position p = i + causal_offset, with align_end
    p = i + causal_offset + s - t, the last query being beside the last key. causal hides the keys
    behind p; window w, where it isn't 0, those at p - w and before. A row whose keys are all hidden
    gives zeros, with hidden_is_nan NaN, as a softmax of minus infinities does; without any key it is
    zeros in any case. The value of a hidden key counts 0 times; whether one that is infinite or NaN
    shows, as the NaN that 0 times it is, isn't said.
      Scores and sums are in float32 at least; the result is rounded once.
  }];
  let arguments = (ins Relax_Tensor:$query, Relax_Tensor:$key, Relax_Tensor:$value,
                       Optional<Relax_Tensor>:$mask, OptionalAttr<F64Attr>:$scale, UnitAttr:$causal,
                       DefaultValuedAttr<I64Attr, "0">:$causal_offset, UnitAttr:$align_end,
                       DefaultValuedAttr<I64Attr, "0">:$window,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap, UnitAttr:$hidden_is_nan);
  let results = (outs Relax_Tensor:$result);
}

def Relax_AttentionWeightsOp : Relax_CheckedOp<"attention_weights"> {
  let summary = "The softmax of attention: scores, scaled and masked, along the last axis";
  let description = [{
    scores [b, h, t, s], of products of queries and keys, and attention's mask; the attributes mean
    what they mean there. With head_size, scores are divided by its square root besides. A row whose
    keys are all hidden gives zeros, with hidden_is_nan NaN. `attention` is a product, this, and a
    product.
  }];
  let arguments = (ins Relax_Tensor:$scores, Optional<Relax_Tensor>:$mask, F64Attr:$scale,
                       OptionalAttr<Relax_ExprAttr>:$head_size,
                       UnitAttr:$causal, DefaultValuedAttr<I64Attr, "0">:$causal_offset,
                       UnitAttr:$align_end, DefaultValuedAttr<I64Attr, "0">:$window,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap, UnitAttr:$hidden_is_nan);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_ATTENTION_OPS_TD
