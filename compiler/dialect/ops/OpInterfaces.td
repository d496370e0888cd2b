//===- OpInterfaces.td - what passes may ask of any op ----------------------------------------===//
#ifndef RELAX_OP_INTERFACES_TD
#define RELAX_OP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Relax_RuntimeChecked : OpInterface<"RuntimeChecked"> {
  let cppNamespace = "::relax::ir";
  let description = [{
    An op whose shape rule accepts sizes that it could neither prove nor refute to fit. What it needs
    is a list of constraints; each becomes a guard unless a pass proves it.
  }];
  let methods = [InterfaceMethod<
      "Adds what the op needs and its rule could not prove.", "void", "getConstraints",
      (ins "::llvm::SmallVectorImpl<::relax::ir::Constraint> &":$constraints)>];
}

def Relax_IntroducesSymbols : OpInterface<"IntroducesSymbols"> {
  let cppNamespace = "::relax::ir";
  let description = [{
    An op whose results name symbols that get their values when it runs. A symbol is in scope in the
    code that the op dominates. One that is in scope already (of a match_cast) isn't introduced but
    compared.
  }];
  let methods = [InterfaceMethod<
      "Adds the symbols that the op gives a value to, with what is known of them.", "void",
      "getIntroducedSymbols",
      (ins "::llvm::SmallVectorImpl<::relax::ir::IntroducedSymbol> &":$symbols)>];
}

#endif // RELAX_OP_INTERFACES_TD
