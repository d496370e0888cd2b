//===- RandomOps.td - pseudo-random numbers from an explicit state ---------------------------===//
//
// The state is a tensor<2xi64>: a key (the seed), and the number of blocks that have been drawn.
// Every op takes a state and returns its values and the state after them, so it is pure, and equal
// states give equal numbers on every machine, whatever the number of threads. A block is four
// 32-bit words of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011) of the key's two halves and the counter (block's low half, high half, 0, 0).
//
// Elements take words in row-major order: one each; float64 takes two, the first being the upper
// half. A normal number takes those of its pair of elements. The next draw begins with a new block.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_RANDOM_OPS_TD
#define RELAX_RANDOM_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_RandomState
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self) == "
                      "::mlir::RankedTensorType::get({2}, "
                      "::mlir::IntegerType::get($_self.getContext(), 64))">]>,
           "tensor<2xi64>", "::mlir::RankedTensorType">;

/// The rule of every op here is deduceRandom in RandomOps.cpp.
class Relax_RandomOp<string mnemonic, string text, string elements>
    : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let results = (outs Relax_Tensor:$result, Relax_RandomState:$next);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return deduceRandom(Rule(context, loc, getOperationName()), adaptor.getShapeAttr(),
                          adaptor.getDtype(), RandomElements::}] # elements # [{, types);
    }
  }];
}

def Relax_RandomUniformOp : Relax_RandomOp<"random_uniform", "Uniform numbers of [low, high)",
                                           "Floats"> {
  let description = [{
    low + u * (high - low), where u has as many bits as the type's precision; computed in float64
    and rounded, by which a result may become high unless low is 0 and high 1.
    `%x, %next = relax.random_uniform %state {shape = #relax.shape<[n]>, dtype = f32} : …`
  }];
  let arguments = (ins Relax_RandomState:$state, Relax_ShapeAttr:$shape, TypeAttr:$dtype,
                       DefaultValuedAttr<F64Attr, "0.0">:$low,
                       DefaultValuedAttr<F64Attr, "1.0">:$high);
}

def Relax_RandomNormalOp : Relax_RandomOp<"random_normal", "Normal numbers (Box and Muller, 1958)",
                                          "Floats"> {
  let description = [{
    Elements 2 i and 2 i + 1 are r cos(t) and r sin(t) with r = sqrt(-2 log(u)), t = 2 pi v; u in
    (0, 1] and v in [0, 1) have 32 bits, or 53 for float64. Times deviation, plus mean.
  }];
  let arguments = (ins Relax_RandomState:$state, Relax_ShapeAttr:$shape, TypeAttr:$dtype,
                       DefaultValuedAttr<F64Attr, "0.0">:$mean,
                       DefaultValuedAttr<F64Attr, "1.0">:$deviation);
}

def Relax_RandomIntegersOp : Relax_RandomOp<"random_integers", "Uniform integers of [low, high)",
                                            "Integers"> {
  let description = [{
    low + floor(word * (high - low) / 2^32), of at most 2^32 numbers, which dtype must hold. No
    number is more probable than another by more than 2^-32.
  }];
  let arguments = (ins Relax_RandomState:$state, Relax_ShapeAttr:$shape, TypeAttr:$dtype,
                       I64Attr:$low, I64Attr:$high);
  let hasVerifier = 1;
}

def Relax_RandomBernoulliOp : Relax_RandomOp<"random_bernoulli", "True, or 1, with a probability",
                                             "Plain"> {
  let description = [{
    Where word < probability * 2^32; a mask of dropout is one with probability 1 - p. dtype is i1 or
    any type of numbers.
  }];
  let arguments = (ins Relax_RandomState:$state, Relax_ShapeAttr:$shape, TypeAttr:$dtype,
                       F64Attr:$probability);
  let hasVerifier = 1;
}

#endif // RELAX_RANDOM_OPS_TD
