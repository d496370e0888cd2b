//===- NormalizeOps.td - normalisations along axes -------------------------------------------===//
//
// Sums are taken in float32 at least; the result is rounded once.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_NORMALIZE_OPS_TD
#define RELAX_NORMALIZE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_SoftmaxOp : Relax_DeducedOp<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along an axis";
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_LogSoftmaxOp : Relax_DeducedOp<"log_softmax"> {
  let summary = "x - max - log(sum(exp(x - max))) along an axis";
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_RmsNormOp : Relax_CheckedOp<"rms_norm"> {
  let summary = "x * weight / sqrt(mean(x^2) + epsilon) along the last axis";
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$weight, F64Attr:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_LayerNormOp : Relax_CheckedOp<"layer_norm"> {
  let summary = "(x - mean) / sqrt(variance + epsilon) over the axes from `axis` on";
  let description = [{
    parameters are none, a scale, or a scale and a bias, each of the shape of the normalised axes;
    the result is multiplied by the one and the other added.
  }];
  let arguments = (ins Relax_Tensor:$x, Variadic<Relax_Tensor>:$parameters,
                       DefaultValuedAttr<I64Attr, "-1">:$axis,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_GroupNormOp : Relax_CheckedOp<"group_norm"> {
  let summary = "layer_norm over groups of channels and all that is behind them";
  let description = [{
    x [n, c, ...]; the channels are split into num_groups groups of neighbours, each normalised
    alone. parameters are none, a scale, or a scale and a bias, each [c].
  }];
  let arguments = (ins Relax_Tensor:$x, Variadic<Relax_Tensor>:$parameters, I64Attr:$num_groups,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_InstanceNormOp : Relax_CheckedOp<"instance_norm"> {
  let summary = "layer_norm of every channel of every batch entry alone";
  let description = "x [n, c, ...]; parameters are none, a scale, or a scale and a bias, each [c].";
  let arguments = (ins Relax_Tensor:$x, Variadic<Relax_Tensor>:$parameters,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_NormalizeGroupsOp : Relax_CheckedOp<"normalize_groups"> {
  let summary =
      "layer_norm along the last axis, with parameters by channel: what group_norm becomes";
  let description = [{
    x [n, g, l]: rows of l = c / g * size elements, where c is the length of the parameters, a scale
    or a scale and a bias: element j of row i of g is of channel i * (c / g) + j / size. So g divides
    c, and c divides g * l.
  }];
  let arguments = (ins Relax_Tensor:$x, Variadic<Relax_Tensor>:$parameters, F64Attr:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_BatchNormOp : Relax_CheckedOp<"batch_norm"> {
  let summary =
      "(x - mean) / sqrt(variance + epsilon) * scale + bias, all by channel, for inference";
  let description = "x [n, c, ...] or [n]; scale, bias, mean and variance [c].";
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$scale, Relax_Tensor:$bias, Relax_Tensor:$mean,
                       Relax_Tensor:$variance, DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

def Relax_LpNormOp : Relax_DeducedOp<"lp_norm"> {
  let summary = "x / max(norm, epsilon) along an axis; 0 where the norm is 0";
  let description = "The norm is sum(|x|) for p = 1, sqrt(sum(x^2)) for p = 2.";
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis,
                       DefaultValuedAttr<I64Attr, "2">:$p,
                       DefaultValuedAttr<F64Attr, "0.0">:$epsilon);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_NORMALIZE_OPS_TD
