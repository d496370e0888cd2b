//===- Dialect.td - the relax dialect ---------------------------------------------------------===//
//
// The graph level, the calls between levels and the symbolic shapes of Relax. Everything that MLIR
// has already (structured ops, loops, vectors, functions) is used as it is.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_DIALECT_TD
#define RELAX_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Relax_Dialect : Dialect {
  let name = "relax";
  let cppNamespace = "::relax::ir";
  let summary = "Graph operators with first-class symbolic shapes, and calls of tensor programs";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// The context that interns every symbolic expression of this MLIRContext.
    ::relax::symbolic::Context &getSymbolicContext() { return *symbolicContext; }

    /// Names of the discardable attributes that the dialect gives meaning to.
    static constexpr ::llvm::StringLiteral symbolsAttr = "relax.symbols";
    static constexpr ::llvm::StringLiteral raggedAttr = "relax.ragged";
    static constexpr ::llvm::StringLiteral nameAttr = "relax.name";
    static constexpr ::llvm::StringLiteral donatedAttr = "relax.donated";
    static constexpr ::llvm::StringLiteral valuesAttr = "relax.values";
    static constexpr ::llvm::StringLiteral targetAttr = "relax.target";
    static constexpr ::llvm::StringLiteral kernelAttr = "relax.kernel";
    static constexpr ::llvm::StringLiteral kernelSymbolsAttr = "relax.kernel_symbols";
    static constexpr ::llvm::StringLiteral kindAttr = "relax.kind";
    static constexpr ::llvm::StringLiteral impureAttr = "relax.impure";

    /// For the families of ops (ops/*.cpp), which register themselves.
    template <typename... Ops> void add() { addOperations<Ops...>(); }

  private:
    void registerAttributes();
    void registerTypes();
    void registerOps();
    std::unique_ptr<::relax::symbolic::Context> symbolicContext;
  public:
  }];
}

#endif // RELAX_DIALECT_TD
