//===- ReduceOps.td - reductions and running sums along axes ---------------------------------===//
#ifndef RELAX_REDUCE_OPS_TD
#define RELAX_REDUCE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

/// A reduction over `axes`, all of them where the attribute is missing; `axes = array<i64>` reduces
/// none: each element is a reduction of its own. With keep_dims reduced dimensions stay as 1. The
/// result has x's element type; f16 and bf16 are accumulated in f32 and rounded once, integers
/// wrap.
class Relax_ReduceOp<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axes, UnitAttr:$keep_dims);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SumOp : Relax_ReduceOp<"sum", "The sum of numbers; 0 of none; integers wrap">;
def Relax_ProdOp : Relax_ReduceOp<"prod", "The product of numbers; 1 of none; integers wrap">;
def Relax_MaxOp : Relax_ReduceOp<"max",
    "The largest of numbers; NaN if one is NaN; -inf, or the least integer, of none">;
def Relax_MinOp : Relax_ReduceOp<"min",
    "The smallest of numbers; NaN if one is NaN; inf, or the greatest integer, of none">;
def Relax_MeanOp : Relax_ReduceOp<"mean", "sum(x) / count; NaN of none">;
def Relax_AnyOp : Relax_ReduceOp<"any", "Is one of the bools true? False of none">;
def Relax_AllOp : Relax_ReduceOp<"all", "Are all of the bools true? True of none">;
def Relax_LogsumexpOp : Relax_ReduceOp<"logsumexp",
    "log(sum(exp(x))), computed relative to the maximum; -inf of none">;
def Relax_L1NormOp : Relax_ReduceOp<"l1_norm", "sum(|x|)">;
def Relax_L2NormOp : Relax_ReduceOp<"l2_norm", "sqrt(sum(x^2))">;

class Relax_VarianceOpBase<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let description = [{
    The mean is taken first, then the squares of the differences to it are added. correction is 0
    for the variance of a population, 1 for the unbiased one of a sample; a count below it counts as
    it.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axes, UnitAttr:$keep_dims,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$correction);
  let results = (outs Relax_Tensor:$result);
}
def Relax_VarianceOp
    : Relax_VarianceOpBase<"variance", "sum((x - mean(x))^2) / (count - correction)">;
def Relax_StdOp : Relax_VarianceOpBase<"std", "The square root of the variance">;

/// The place of the extreme element along one axis.
class Relax_ArgOp<string mnemonic, string text> : Relax_CheckedOp<mnemonic> {
  let summary = text;
  let description = [{
    Of equal elements the first counts, with select_last_index the last. A NaN is beyond every
    number (as in NumPy), so the first NaN wins. An axis of length 0 is an error.
  }];
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis, UnitAttr:$keep_dims,
                       UnitAttr:$select_last_index);
  let results = (outs Relax_Tensor:$result);
}
def Relax_ArgmaxOp
    : Relax_ArgOp<"argmax", "The index of the largest element along an axis, as i64">;
def Relax_ArgminOp
    : Relax_ArgOp<"argmin", "The index of the smallest element along an axis, as i64">;

/// The reduction of every beginning of the row along `axis`.
class Relax_CumulativeOp<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let description = [{
    result[i] reduces x[0 .. i]; exclusive leaves out x[i] itself (the first element is then the
    identity), reverse starts from the end. Elements are added in order; f16 and bf16 in f32.
  }];
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs Relax_Tensor:$result);
}
def Relax_CumsumOp : Relax_CumulativeOp<"cumsum", "Running sums along an axis; integers wrap">;
def Relax_CumprodOp : Relax_CumulativeOp<"cumprod", "Running products along an axis">;
def Relax_CummaxOp : Relax_CumulativeOp<"cummax", "Running maxima along an axis; NaN stays">;

#endif // RELAX_REDUCE_OPS_TD
