//===- ElementwiseOps.td - one result element from the operands' elements at its place --------===//
#ifndef RELAX_ELEMENTWISE_OPS_TD
#define RELAX_ELEMENTWISE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

/// Shapes are aligned at their last dimensions; two dimensions match if they are provably equal or
/// one is the constant 1. Element types are equal.
class Relax_BinaryOp<string mnemonic, string text, list<Trait> traits = []>
    : Relax_DeducedOp<mnemonic, traits> {
  let summary = text;
  let arguments = (ins Relax_Tensor:$lhs, Relax_Tensor:$rhs);
  let results = (outs Relax_Tensor:$result);
}

/// The result has the type of the operand.
class Relax_UnaryOp<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let arguments = (ins Relax_FloatTensor:$x);
  let results = (outs Relax_FloatTensor:$result);
}

def Relax_AddOp : Relax_BinaryOp<"add", "lhs + rhs; integers wrap", [Commutative]>;
def Relax_SubtractOp : Relax_BinaryOp<"subtract", "lhs - rhs; integers wrap">;
def Relax_MultiplyOp : Relax_BinaryOp<"multiply", "lhs * rhs; integers wrap", [Commutative]>;
def Relax_DivideOp : Relax_BinaryOp<"divide", "lhs / rhs; of floating-point numbers">;
def Relax_MaximumOp : Relax_BinaryOp<"maximum", "The larger; NaN if either is NaN", [Commutative]>;
def Relax_MinimumOp : Relax_BinaryOp<"minimum", "The smaller; NaN if either is NaN", [Commutative]>;

def Relax_NegateOp : Relax_UnaryOp<"negate", "-x">;
def Relax_ExpOp : Relax_UnaryOp<"exp", "e^x">;
def Relax_SqrtOp : Relax_UnaryOp<"sqrt", "The square root; NaN below 0">;
def Relax_RsqrtOp : Relax_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def Relax_ReluOp : Relax_UnaryOp<"relu", "max(x, 0); NaN stays NaN">;
def Relax_SigmoidOp : Relax_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def Relax_TanhOp : Relax_UnaryOp<"tanh", "The hyperbolic tangent">;
def Relax_SiluOp : Relax_UnaryOp<"silu", "x * sigmoid(x)">;
def Relax_GeluOp : Relax_UnaryOp<"gelu",
    "0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the tanh form">;

def Relax_CastOp : Relax_Op<"cast"> {
  let summary = "The same numbers in another element type";
  let description = [{
    Float to float rounds to nearest even; integer to float likewise; float to integer truncates
    towards zero and saturates, and NaN becomes 0; integer to integer sign-extends or wraps.
    `relax.cast %x : tensor<4xf32> to tensor<4xf16>`
  }];
  let arguments = (ins Relax_Tensor:$x);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType)>];
  let hasVerifier = 1;
}

#endif // RELAX_ELEMENTWISE_OPS_TD
