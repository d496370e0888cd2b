//===- OpBase.td - what the op definitions share ----------------------------------------------===//
//
// Every op is pure. Most deduce their result types: one function, inferReturnTypes, stands beside the
// other parts of the op's family in the .cpp of the same name; the builders without result types and
// the verifier both call it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_OPBASE_TD
#define RELAX_OPBASE_TD

include "compiler/dialect/Attributes.td"
include "compiler/dialect/Types.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Relax_Op<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, !listconcat([Pure], traits)>;

/// An op whose result types follow from its operands and attributes.
class Relax_DeducedOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptor])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Relax_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "ranked tensor",
                        "::mlir::RankedTensorType">;

class Relax_TensorOfRank<string element, string text, int rank>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == " # rank>,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()." # element>]>,
           "rank-" # rank # " tensor of " # text, "::mlir::RankedTensorType">;

def Relax_FloatTensor
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::isa<::mlir::FloatType>("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
           "ranked tensor of floating-point numbers", "::mlir::RankedTensorType">;

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
                    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isF16()">]>]>,
           "rank-4 tensor of f32 or f16", "::mlir::RankedTensorType">;

#endif // RELAX_OPBASE_TD
