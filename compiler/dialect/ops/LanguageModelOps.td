//===- LanguageModelOps.td - rotary embedding, paged cache, attention over a ragged batch -----===//
//
// A ragged batch holds b sequences; sequence s has the tokens sequence_starts[s] up to, but not
// including, sequence_starts[s + 1]. Its keys and values lie in pages: slot j of sequence s is place
// j mod page_size of page page_table[s, j / page_size]. cached_lengths[s] slots are filled already,
// so token i of the sequence has slot cached_lengths[s] + i - sequence_starts[s].
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_LANGUAGE_MODEL_OPS_TD
#define RELAX_LANGUAGE_MODEL_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_RotaryTableOp : Relax_DeducedOp<"rotary_table"> {
  let summary = "Cosines and sines of the rotary embedding's angles";
  let description = [{
    positions i32 [t] give f32 [t, dims]: columns 0 to dims/2 - 1 are cos(p * base^(-2j/dims)),
    the second half the sines. Angles are computed in f64. Frequency j is divided by factors[j],
    and cosines and sines are multiplied by scale, where there are such: the forms in which linear
    and llama3 scaling, YaRN and LongRope arrive here.
  }];
  let arguments = (ins Relax_I32Vector:$positions, F64Attr:$base, I64Attr:$dims,
                       OptionalAttr<DenseF64ArrayAttr>:$factors, OptionalAttr<F64Attr>:$scale);
  let results = (outs Relax_F32Matrix:$result);
}

def Relax_RotaryOp : Relax_DeducedOp<"rotary"> {
  let summary = "Rotates pairs of each head's elements by the table's angles";
  let description = [{
    x f32 [t, heads, d], table f32 [t, dims], dims <= d; elements from dims on stay. The pair of
    angle j is (2j, 2j + 1) if interleaved, else (j, j + dims/2).
  }];
  let arguments = (ins Relax_F32Cube:$x, Relax_F32Matrix:$table, UnitAttr:$interleaved);
  let results = (outs Relax_F32Cube:$result);
}

def Relax_UpdateSlotsOp : Relax_DeducedOp<"update_slots"> {
  let summary = "Cache pages with the new tokens' keys or values put into their slots";
  let description = [{
    pages [g, kv_heads, d, page_size] if layout = "keys", [g, kv_heads, page_size, d] if "values";
    values f32 [t, kv_heads, d], rounded to the pages' element type. Pages of i8 are of the cache type
    q8_0 (runtime/kv_cache/CacheType.h): instead of d they have d + 2 * ceildiv(d, 32), room for the
    scales. The pages are donated: the result takes their storage.
  }];
  let arguments = (ins Relax_Pages:$pages, Relax_F32Cube:$values, Relax_I32Vector:$sequence_starts,
                       Relax_I32Matrix:$page_table, Relax_I32Vector:$cached_lengths,
                       StrAttr:$layout);
  let results = (outs Relax_Pages:$result);
}

def Relax_PagedAttentionOp : Relax_DeducedOp<"paged_attention"> {
  let summary = "Causal attention of a ragged batch over paged keys and values";
  let description = [{
    q f32 [t, heads, d]; heads is a multiple of kv_heads, and query head h uses key head
    h / (heads / kv_heads). Pages are as update_slots has them. A query sees slots 0 up to its own, with `window` only that many of
    them, the last ones. With `soft_cap` c a score s becomes c * tanh(s / c). A page is a block, taken
    in the order of slots, so the accumulation order depends on nothing else.
  }];
  let arguments = (ins Relax_F32Cube:$q, Relax_Pages:$k_pages, Relax_Pages:$v_pages,
                       Relax_I32Vector:$sequence_starts, Relax_I32Matrix:$page_table,
                       Relax_I32Vector:$cached_lengths, F64Attr:$scale,
                       OptionalAttr<I64Attr>:$window, OptionalAttr<F64Attr>:$soft_cap);
  let results = (outs Relax_F32Cube:$result);
}

#endif // RELAX_LANGUAGE_MODEL_OPS_TD
