//===- OpBase.td - what the op definitions share ----------------------------------------------===//
//
// Every op is pure, unless it checks something at run time. Most deduce their result types: one
// function, inferReturnTypes, stands beside the other parts of the op's family in the .cpp of the
// same name; the builders without result types and the verifier both call it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_OPBASE_TD
#define RELAX_OPBASE_TD

include "compiler/dialect/Attributes.td"
include "compiler/dialect/Types.td"
include "compiler/dialect/ops/OpInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// What the ops that check something at run time write to, in the eyes of MLIR's passes.
def Relax_ChecksResource : Resource<"::relax::ir::ChecksResource">;

class Relax_Op<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, !listconcat([Pure], traits)>;

/// An op whose result types follow from its operands and attributes.
class Relax_DeducedOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptor])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

defvar deduceDeclaration = [{
    static ::llvm::LogicalResult deduce(const ::relax::ir::Rule &rule, Adaptor adaptor,
                                        ::llvm::SmallVectorImpl<::mlir::Type> &types);
}];
defvar deduceDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return deduce(::relax::ir::Rule(context, loc, getOperationName()), adaptor, types);
    }
    void $cppClass::getConstraints(
        ::llvm::SmallVectorImpl<::relax::ir::Constraint> &constraints) {
      ::llvm::SmallVector<::mlir::Type> types;
      (void)deduce(::relax::ir::Rule(getContext(), getOperationName(), constraints), Adaptor(*this),
                   types);
    }
}];

/// An op whose rule may leave constraints to be checked at run time. Its one rule,
/// `static LogicalResult deduce(const Rule &, Adaptor, SmallVectorImpl<Type> &)`, gives the result
/// types and, where it is asked by getConstraints, records what it could not prove (Rule::check…).
/// An op with an extraClassDeclaration of its own repeats the declaration of `deduce`.
class Relax_CheckedOp<string mnemonic, list<Trait> traits = []>
    : Relax_DeducedOp<mnemonic,
                      !listconcat(traits, [DeclareOpInterfaceMethods<Relax_RuntimeChecked>])> {
  let extraClassDeclaration = deduceDeclaration;
  let extraClassDefinition = deduceDefinition;
}

/// An op with the effect that a check or a new symbol has: it is neither dropped, nor merged with
/// another, nor moved across one, though it changes no memory.
class Relax_CheckingOp<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic,
         !listconcat(traits, [MemoryEffects<[MemWrite<Relax_ChecksResource>]>])>;

/// An op that deduces its result types and introduces the symbol that its attribute `symbol` names.
class Relax_DataDependentOp<string mnemonic, list<Trait> traits = []>
    : Relax_CheckingOp<mnemonic,
                       !listconcat(traits, [InferTypeOpAdaptor,
                                            DeclareOpInterfaceMethods<Relax_IntroducesSymbols>])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

/// The same with a rule as that of a Relax_CheckedOp.
class Relax_CheckedDataDependentOp<string mnemonic, list<Trait> traits = []>
    : Relax_DataDependentOp<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<
                                                       Relax_RuntimeChecked>])> {
  let extraClassDeclaration = deduceDeclaration;
  let extraClassDefinition = deduceDefinition;
}

/// What to do about an operand of unknown rank or element type.
defvar ofKnownRank = " (relax.match_cast to tensor<?x?xf32>, say, gives a value its rank and element"
                     " type)";

def Relax_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, !strconcat("ranked tensor", ofKnownRank),
                        "::mlir::RankedTensorType">;

class Relax_TensorOfRank<string element, string text, int rank>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == " # rank>,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()." # element>]>,
           !strconcat("rank-", !cast<string>(rank), " tensor of ", text, ofKnownRank), "::mlir::RankedTensorType">;

/// A tensor of any rank or of unknown rank.
def Relax_AnyRankTensor : Type<CPred<"::llvm::isa<::mlir::TensorType>($_self)">, "tensor",
                               "::mlir::TensorType">;

/// tensor<i1>
def Relax_Condition
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()."
                      "isInteger(1)">]>,
           "tensor<i1>", "::mlir::RankedTensorType">;

def Relax_FloatTensor
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::isa<::mlir::FloatType>("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
           !strconcat("ranked tensor of floating-point numbers", ofKnownRank), "::mlir::RankedTensorType">;

def Relax_F32Matrix : Relax_TensorOfRank<"isF32()", "f32", 2>;
def Relax_F32Cube : Relax_TensorOfRank<"isF32()", "f32", 3>;
def Relax_BytesMatrix : Relax_TensorOfRank<"isInteger(8)", "i8", 2>;
def Relax_BytesCube : Relax_TensorOfRank<"isInteger(8)", "i8", 3>;
def Relax_I32Vector : Relax_TensorOfRank<"isInteger(32)", "i32", 1>;
def Relax_I32Matrix : Relax_TensorOfRank<"isInteger(32)", "i32", 2>;
def Relax_I32Cube : Relax_TensorOfRank<"isInteger(32)", "i32", 3>;
def Relax_Pages
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 4">,
                Or<[CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isF32()">,
                    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isF16()">,
                    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(8)">]>]>,
           "rank-4 tensor of f32, f16 or i8", "::mlir::RankedTensorType">;

#endif // RELAX_OPBASE_TD
