//===- ElementwiseOps.td - one result element from the operands' elements at its place --------===//
//
// Shapes broadcast as in NumPy: they are aligned at their last dimensions, and two dimensions match
// if they are equal or one of them is 1. Operands have one element type. float16 and bfloat16 are
// computed in float32 and rounded once. NaN propagates, infinities follow IEEE 754.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_ELEMENTWISE_OPS_TD
#define RELAX_ELEMENTWISE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

// Element types: predicates on `t`.
class Relax_TensorWith<string accepts, string text>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"[](::mlir::Type t) { return " # accepts # "; }("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
           !strconcat("ranked tensor of ", text, ofKnownRank), "::mlir::RankedTensorType"> {
  string elementPredicate = accepts;
  string elementText = text;
}
defvar isFloat = "::llvm::isa<::mlir::FloatType>(t)";
defvar isInteger = "(t.isInteger() && !t.isInteger(1))";
def Relax_NumberTensor : Relax_TensorWith<!strconcat(isFloat, " || ", isInteger), "numbers">;
def Relax_IntegerTensor : Relax_TensorWith<isInteger, "integers">;
def Relax_BitsTensor : Relax_TensorWith<"t.isInteger()", "integers or bool">;
def Relax_BoolTensor : Relax_TensorWith<"t.isInteger(1)", "bool">;
def Relax_FloatsTensor : Relax_TensorWith<isFloat, "floating-point numbers">;
def Relax_PlainTensor : Relax_TensorWith<"t.isIntOrFloat()", "numbers or bool">;

/// The same elements, in a tensor of any rank or of unknown rank.
class Relax_AnyRankOf<Relax_TensorWith tensor>
    : Type<And<[CPred<"::llvm::isa<::mlir::TensorType>($_self)">,
                CPred<"[](::mlir::Type t) { return " # tensor.elementPredicate # "; }("
                      "::llvm::cast<::mlir::TensorType>($_self).getElementType())">]>,
           "tensor of " # tensor.elementText #
           " (relax.match_cast to tensor<*xf32>, say, gives a value its element type)",
           "::mlir::TensorType">;

/// The rule of the ops here, deduceElementwise in ElementwiseOps.cpp: the operands broadcast; the
/// elements of the result are those of the last operand ("Same") or bool ("Bool").
class Relax_ElementwiseOp<string mnemonic, string text, list<Trait> traits, string element>
    : Relax_CheckedOp<mnemonic, traits> {
  let summary = text;
  let extraClassDeclaration = [{
    static ::llvm::LogicalResult deduce(const ::relax::ir::Rule &rule, Adaptor adaptor,
                                        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::relax::ir::deduceElementwise(rule, adaptor.getOperands(),
                                            ::relax::ir::ResultElement::}] # element # [{, types);
    }
  }];
}

/// Of one operand: there is nothing to check, and its rank need not be known.
class Relax_MapOp<string mnemonic, string text, string element> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return deduceElementwise(Rule(context, loc, getOperationName()), adaptor.getOperands(),
                               ResultElement::}] # element # [{, types);
    }
  }];
}

class Relax_UnaryOp<string mnemonic, Relax_TensorWith element, string text>
    : Relax_MapOp<mnemonic, text, "Same"> {
  let arguments = (ins Relax_AnyRankOf<element>:$x);
  let results = (outs Relax_AnyRankOf<element>:$result);
}

class Relax_TestOp<string mnemonic, Relax_TensorWith element, string text>
    : Relax_MapOp<mnemonic, text, "Bool"> {
  let arguments = (ins Relax_AnyRankOf<element>:$x);
  let results = (outs Relax_AnyRankOf<Relax_BoolTensor>:$result);
}

class Relax_BinaryOp<string mnemonic, Type element, string text, list<Trait> traits = []>
    : Relax_ElementwiseOp<mnemonic, text, traits, "Same"> {
  let arguments = (ins element:$lhs, element:$rhs);
  let results = (outs element:$result);
}

class Relax_CompareOp<string mnemonic, Type element, string text, list<Trait> traits = []>
    : Relax_ElementwiseOp<mnemonic, text, traits, "Bool"> {
  let arguments = (ins element:$lhs, element:$rhs);
  let results = (outs Relax_BoolTensor:$result);
}

//===- Arithmetic -----------------------------------------------------------------------------===//

def Relax_AddOp : Relax_BinaryOp<"add", Relax_NumberTensor, "lhs + rhs; integers wrap",
                                 [Commutative]>;
def Relax_SubtractOp : Relax_BinaryOp<"subtract", Relax_NumberTensor, "lhs - rhs; integers wrap">;
def Relax_MultiplyOp : Relax_BinaryOp<"multiply", Relax_NumberTensor, "lhs * rhs; integers wrap",
                                      [Commutative]>;
def Relax_DivideOp : Relax_BinaryOp<"divide", Relax_NumberTensor, "lhs / rhs"> {
  let description = [{
    Integers truncate towards zero; by 0 the quotient is 0, and the lowest number divided by -1
    wraps to itself.
  }];
}
def Relax_FloorDivideOp : Relax_BinaryOp<"floor_divide", Relax_NumberTensor,
                                         "The largest integer up to lhs / rhs"> {
  let description = "As numpy.floor_divide; an integer divided by 0 is 0.";
}
def Relax_ModuloOp : Relax_BinaryOp<"modulo", Relax_NumberTensor,
    "lhs - rhs * floor(lhs / rhs), with the sign of rhs; an integer modulo 0 is 0">;
def Relax_FmodOp : Relax_BinaryOp<"fmod", Relax_NumberTensor,
    "lhs - rhs * trunc(lhs / rhs), with the sign of lhs, exact; an integer modulo 0 is 0">;
def Relax_PowerOp : Relax_BinaryOp<"power", Relax_NumberTensor, "lhs to the power of rhs"> {
  let description = [{
    Integers wrap; to a negative power they are 1 / lhs^|rhs| truncated: 0 except for 1 and -1.
  }];
}
def Relax_MaximumOp : Relax_BinaryOp<"maximum", Relax_NumberTensor,
                                     "The larger; NaN if either is NaN", [Commutative]>;
def Relax_MinimumOp : Relax_BinaryOp<"minimum", Relax_NumberTensor,
                                     "The smaller; NaN if either is NaN", [Commutative]>;
def Relax_Atan2Op : Relax_BinaryOp<"atan2", Relax_FloatsTensor,
                                   "The angle of the point (rhs, lhs), in [-pi, pi]">;

def Relax_NegateOp : Relax_UnaryOp<"negate", Relax_NumberTensor, "-x; integers wrap">;
def Relax_AbsOp : Relax_UnaryOp<"abs", Relax_NumberTensor, "|x|; integers wrap">;
def Relax_SignOp : Relax_UnaryOp<"sign", Relax_NumberTensor, "-1, 0 or 1; NaN stays NaN">;
def Relax_SquareOp : Relax_UnaryOp<"square", Relax_NumberTensor, "x * x; integers wrap">;
def Relax_CeilOp : Relax_UnaryOp<"ceil", Relax_FloatsTensor, "The least integer from x on">;
def Relax_FloorOp : Relax_UnaryOp<"floor", Relax_FloatsTensor, "The largest integer up to x">;
def Relax_RoundOp : Relax_UnaryOp<"round", Relax_FloatsTensor, "The nearest integer, half to even">;
def Relax_TruncOp : Relax_UnaryOp<"trunc", Relax_FloatsTensor, "x rounded towards zero">;
def Relax_SqrtOp : Relax_UnaryOp<"sqrt", Relax_FloatsTensor, "The square root; NaN below 0">;
def Relax_RsqrtOp : Relax_UnaryOp<"rsqrt", Relax_FloatsTensor, "1 / sqrt(x)">;
def Relax_ReciprocalOp : Relax_UnaryOp<"reciprocal", Relax_FloatsTensor, "1 / x">;

//===- Elementary functions -------------------------------------------------------------------===//

def Relax_ExpOp : Relax_UnaryOp<"exp", Relax_FloatsTensor, "e^x">;
def Relax_Exp2Op : Relax_UnaryOp<"exp2", Relax_FloatsTensor, "2^x">;
def Relax_Expm1Op : Relax_UnaryOp<"expm1", Relax_FloatsTensor, "e^x - 1, exact near 0">;
def Relax_LogOp : Relax_UnaryOp<"log", Relax_FloatsTensor, "The natural logarithm; NaN below 0">;
def Relax_Log2Op : Relax_UnaryOp<"log2", Relax_FloatsTensor, "The logarithm to base 2">;
def Relax_Log10Op : Relax_UnaryOp<"log10", Relax_FloatsTensor, "The logarithm to base 10">;
def Relax_Log1pOp : Relax_UnaryOp<"log1p", Relax_FloatsTensor, "log(1 + x), exact near 0">;
def Relax_SinOp : Relax_UnaryOp<"sin", Relax_FloatsTensor, "The sine of x radians">;
def Relax_CosOp : Relax_UnaryOp<"cos", Relax_FloatsTensor, "The cosine of x radians">;
def Relax_TanOp : Relax_UnaryOp<"tan", Relax_FloatsTensor, "The tangent of x radians">;
def Relax_AsinOp : Relax_UnaryOp<"asin", Relax_FloatsTensor, "The angle whose sine is x">;
def Relax_AcosOp : Relax_UnaryOp<"acos", Relax_FloatsTensor, "The angle whose cosine is x">;
def Relax_AtanOp : Relax_UnaryOp<"atan", Relax_FloatsTensor, "The angle whose tangent is x">;
def Relax_SinhOp : Relax_UnaryOp<"sinh", Relax_FloatsTensor, "The hyperbolic sine">;
def Relax_CoshOp : Relax_UnaryOp<"cosh", Relax_FloatsTensor, "The hyperbolic cosine">;
def Relax_TanhOp : Relax_UnaryOp<"tanh", Relax_FloatsTensor, "The hyperbolic tangent">;
def Relax_AsinhOp : Relax_UnaryOp<"asinh", Relax_FloatsTensor, "The inverse of sinh">;
def Relax_AcoshOp : Relax_UnaryOp<"acosh", Relax_FloatsTensor, "The inverse of cosh; NaN below 1">;
def Relax_AtanhOp : Relax_UnaryOp<"atanh", Relax_FloatsTensor, "The inverse of tanh">;
def Relax_ErfOp : Relax_UnaryOp<"erf", Relax_FloatsTensor, "The error function">;

//===- Activations ----------------------------------------------------------------------------===//

def Relax_SigmoidOp : Relax_UnaryOp<"sigmoid", Relax_FloatsTensor, "1 / (1 + exp(-x))">;
def Relax_ReluOp : Relax_UnaryOp<"relu", Relax_NumberTensor, "max(x, 0); NaN stays NaN">;
def Relax_SiluOp : Relax_UnaryOp<"silu", Relax_FloatsTensor, "x * sigmoid(x)">;
def Relax_MishOp : Relax_UnaryOp<"mish", Relax_FloatsTensor, "x * tanh(softplus(x))">;
def Relax_SoftplusOp : Relax_UnaryOp<"softplus", Relax_FloatsTensor, "log(1 + exp(x))">;
def Relax_SoftsignOp : Relax_UnaryOp<"softsign", Relax_FloatsTensor, "x / (1 + |x|)">;
def Relax_SeluOp : Relax_UnaryOp<"selu", Relax_FloatsTensor,
    "1.0507 x from 0 on, 1.0507 * 1.67326 * (e^x - 1) below (Klambauer et al., 2017)">;
def Relax_HardSwishOp : Relax_UnaryOp<"hard_swish", Relax_FloatsTensor,
                                      "x * max(0, min(1, x / 6 + 0.5))">;
def Relax_GeluOp : Relax_UnaryOp<"gelu", Relax_FloatsTensor, "x * the normal distribution at x"> {
  let description = [{
    Approximated by 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, 2016);
    with `exact`: 0.5 x (1 + erf(x / sqrt(2))).
  }];
  let arguments = (ins Relax_AnyRankOf<Relax_FloatsTensor>:$x, UnitAttr:$exact);
}

class Relax_AlphaOp<string mnemonic, string default, string text>
    : Relax_UnaryOp<mnemonic, Relax_FloatsTensor, text> {
  let arguments = (ins Relax_AnyRankOf<Relax_FloatsTensor>:$x, DefaultValuedAttr<F64Attr, default>:$alpha);
}
def Relax_LeakyReluOp : Relax_AlphaOp<"leaky_relu", "0.01", "x from 0 on, alpha * x below">;
def Relax_EluOp : Relax_AlphaOp<"elu", "1.0", "x from 0 on, alpha * (e^x - 1) below">;
def Relax_CeluOp : Relax_AlphaOp<"celu", "1.0", "x from 0 on, alpha * (e^(x / alpha) - 1) below">;
def Relax_HardSigmoidOp : Relax_UnaryOp<"hard_sigmoid", Relax_FloatsTensor,
                                        "max(0, min(1, alpha * x + beta))"> {
  let arguments = (ins Relax_AnyRankOf<Relax_FloatsTensor>:$x, DefaultValuedAttr<F64Attr, "0.2">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.5">:$beta);
}
def Relax_PreluOp : Relax_ElementwiseOp<"prelu", "x from 0 on, slope * x below", [], "Same"> {
  let arguments = (ins Relax_NumberTensor:$x, Relax_NumberTensor:$slope);
  let results = (outs Relax_NumberTensor:$result);
}

def Relax_ClipOp : Relax_UnaryOp<"clip", Relax_NumberTensor, "min(max(x, min), max)"> {
  let description = [{
    Both bounds are optional: f64 for floating-point numbers, i64 for integers, where they must be
    numbers of the element type. NaN stays NaN. Where min > max, the result is max.
    `relax.clip %x {min = 0.0, max = 6.0} : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Relax_AnyRankOf<Relax_NumberTensor>:$x, OptionalAttr<AnyAttrOf<[F64Attr, I64Attr]>>:$min,
                       OptionalAttr<AnyAttrOf<[F64Attr, I64Attr]>>:$max);
  let hasVerifier = 1;
}

//===- Comparisons, logic, bits ---------------------------------------------------------------===//

def Relax_EqualOp : Relax_CompareOp<"equal", Relax_PlainTensor, "lhs == rhs; false with NaN",
                                    [Commutative]>;
def Relax_NotEqualOp : Relax_CompareOp<"not_equal", Relax_PlainTensor,
                                       "lhs != rhs; true with NaN", [Commutative]>;
def Relax_LessOp : Relax_CompareOp<"less", Relax_NumberTensor, "lhs < rhs; false with NaN">;
def Relax_LessEqualOp : Relax_CompareOp<"less_equal", Relax_NumberTensor,
                                        "lhs <= rhs; false with NaN">;
def Relax_GreaterOp : Relax_CompareOp<"greater", Relax_NumberTensor, "lhs > rhs; false with NaN">;
def Relax_GreaterEqualOp : Relax_CompareOp<"greater_equal", Relax_NumberTensor,
                                           "lhs >= rhs; false with NaN">;

def Relax_IsNanOp : Relax_TestOp<"is_nan", Relax_FloatsTensor, "Is x not a number?">;
def Relax_IsInfOp : Relax_TestOp<"is_inf", Relax_FloatsTensor, "Is x an infinity?">;
def Relax_IsFiniteOp : Relax_TestOp<"is_finite", Relax_FloatsTensor,
                                    "Is x neither NaN nor an infinity?">;

def Relax_LogicalNotOp : Relax_UnaryOp<"logical_not", Relax_BoolTensor, "not x">;
def Relax_LogicalAndOp : Relax_BinaryOp<"logical_and", Relax_BoolTensor, "lhs and rhs",
                                        [Commutative]>;
def Relax_LogicalOrOp : Relax_BinaryOp<"logical_or", Relax_BoolTensor, "lhs or rhs", [Commutative]>;
def Relax_LogicalXorOp : Relax_BinaryOp<"logical_xor", Relax_BoolTensor, "lhs differs from rhs",
                                        [Commutative]>;

def Relax_BitwiseNotOp : Relax_UnaryOp<"bitwise_not", Relax_BitsTensor, "Each bit the other way">;
def Relax_BitwiseAndOp : Relax_BinaryOp<"bitwise_and", Relax_BitsTensor, "The bits set in both",
                                        [Commutative]>;
def Relax_BitwiseOrOp : Relax_BinaryOp<"bitwise_or", Relax_BitsTensor, "The bits set in either",
                                       [Commutative]>;
def Relax_BitwiseXorOp : Relax_BinaryOp<"bitwise_xor", Relax_BitsTensor, "The bits that differ",
                                        [Commutative]>;
def Relax_ShiftLeftOp : Relax_BinaryOp<"shift_left", Relax_IntegerTensor, "lhs * 2^rhs; wraps"> {
  let description = "0 where rhs is negative or at least the number of bits.";
}
def Relax_ShiftRightOp : Relax_BinaryOp<"shift_right", Relax_IntegerTensor, "floor(lhs / 2^rhs)"> {
  let description = [{
    Copies the sign of signed integers. Where rhs is negative or at least the number of bits, every
    bit has been shifted out: 0, or -1 for negative lhs.
  }];
}

//===- Choice and conversion ------------------------------------------------------------------===//

def Relax_WhereOp : Relax_ElementwiseOp<"where", "x where the condition holds, else y", [],
                                        "Same"> {
  let arguments = (ins Relax_BoolTensor:$condition, Relax_PlainTensor:$x, Relax_PlainTensor:$y);
  let results = (outs Relax_PlainTensor:$result);
}

def Relax_CastOp : Relax_Op<"cast"> {
  let summary = "The same numbers in another element type";
  let description = [{
    Float to float and integer to float round once, to nearest even; float to integer truncates
    towards zero and saturates, and NaN becomes 0; integer to integer extends by its sign or wraps;
    to bool is whether x differs from 0 (NaN does); bool is 0 or 1.
    `relax.cast %x : tensor<4xf32> to tensor<4xf16>`
  }];
  let arguments = (ins Relax_AnyRankTensor:$x);
  let results = (outs Relax_AnyRankTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType)>];
  let hasVerifier = 1;
}

#endif // RELAX_ELEMENTWISE_OPS_TD
