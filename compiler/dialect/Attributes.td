//===- Attributes.td - shapes, expressions, symbols, targets, weights, storage ----------------===//
#ifndef RELAX_ATTRIBUTES_TD
#define RELAX_ATTRIBUTES_TD

include "compiler/dialect/Dialect.td"
include "mlir/IR/TensorEncoding.td"

class Relax_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Relax_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Relax_ShapeAttr : Relax_Attr<"Shape", "shape",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "The symbolic shape of a tensor";
  let description = [{
    `#relax.shape<[n, 4, 2 * n]>`: one expression for each dimension, `?` where nothing is known.
    As a tensor's encoding it must agree with the type: a dimension is static exactly if its
    expression is constant, and a wholly static or wholly unknown shape has no encoding. So two
    tensor types are equal exactly when their shapes are.
  }];
  let parameters = (ins ArrayRefParameter<"::relax::symbolic::Expr">:$dims);
  let hasCustomAssemblyFormat = 1;
}

def Relax_ExprAttr : Relax_Attr<"Expr", "expr"> {
  let summary = "A symbolic integer expression";
  let description = "`#relax.expr<floordiv(n, 16) + 1>`.";
  let parameters = (ins "::relax::symbolic::Expr":$expr);
  let hasCustomAssemblyFormat = 1;
}

def Relax_SymbolsAttr : Relax_Attr<"Symbols", "symbols"> {
  let summary = "Symbols that a function declares, with what is known of their values";
  let description = [{
    `#relax.symbols<n = [1, 8192], m = [0, ?], k = [0, ?] divisor 16>`: inclusive bounds, `?` where
    there is none, and a number that divides every value (1 if none is given).
  }];
  let parameters = (ins ArrayRefParameter<"::relax::ir::SymbolDeclaration">:$declarations);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The declaration of `name`; null if there is none.
    const ::relax::ir::SymbolDeclaration *find(::llvm::StringRef name) const;
    /// The same facts in the form that the prover takes.
    ::relax::symbolic::Facts toFacts() const;
  }];
}

def Relax_TargetAttr : Relax_Attr<"Target", "target"> {
  let summary = "The machine that a module is compiled for";
  let description = [{
    `#relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>`.
  }];
  let parameters = (ins StringRefParameter<"name of the CPU level">:$name,
                        ArrayRefParameter<"::mlir::StringAttr">:$features,
                        "unsigned":$vectorBits);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasFeature(::llvm::StringRef feature) const;
    /// Width of a vector register in bits.
    unsigned vectorBits() const { return getVectorBits(); }
    /// Lanes of a vector register for elements of `elementBits` bits.
    unsigned lanes(unsigned elementBits) const { return getVectorBits() / elementBits; }
  }];
}

def Relax_WeightAttr : Relax_Attr<"Weight", "weight"> {
  let summary = "A constant by reference into a weights file";
  let description = [{
    `#relax.weight<"blk.0.attn_q.weight", file = 0, offset = 4096, size = 207360, hash = "…">`: the
    bytes [offset, offset + size) of the module's weights file `file`; hash is their XXH3-64 in
    hexadecimal, or empty where they are not hashed.
  }];
  let parameters = (ins StringRefParameter<"name of the tensor in the file">:$name,
                        "unsigned":$file, "uint64_t":$offset, "uint64_t":$size,
                        StringRefParameter<"XXH3-64 in hexadecimal">:$hash);
  let assemblyFormat = [{
    `<` $name `,` `file` `=` $file `,` `offset` `=` $offset `,` `size` `=` $size `,`
    `hash` `=` $hash `>`
  }];
}

def Relax_StorageAttr : Relax_Attr<"Storage", "storage"> {
  let summary = "Where the memory plan puts a value";
  let description = [{
    `#relax.storage<arena, 64 * n>`: at that byte offset in the function's arena.
    `#relax.storage<alias, 3>`: in the memory of the function's argument 3.
    `#relax.storage<result, 0>`: in the memory of the function's result 0.
  }];
  let parameters = (ins "::relax::ir::StorageKind":$kind, "::relax::symbolic::Expr":$offset,
                        "unsigned":$index);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "::mlir::MLIRContext *":$context,
                                        "::relax::symbolic::Expr":$arenaOffset), [{
      return $_get(context, ::relax::ir::StorageKind::Arena, arenaOffset, 0u);
    }]>,
    AttrBuilderWithInferredContext<(ins "::mlir::MLIRContext *":$context,
                                        "::relax::ir::StorageKind":$kind, "unsigned":$index), [{
      return $_get(context, kind, ::relax::symbolic::Expr(), index);
    }]>
  ];
}

def Relax_ValuesAttr : Relax_Attr<"Values", "values"> {
  let summary = "The range in which every element of an integer argument lies";
  let description = "`#relax.values<0, 49152>`: 0 <= element < 49152; guarded at run time.";
  let parameters = (ins "::relax::symbolic::Expr":$lower, "::relax::symbolic::Expr":$upper);
  let hasCustomAssemblyFormat = 1;
}

def Relax_ConstraintAttr : Relax_Attr<"Constraint", "constraint"> {
  let summary = "A relation between two sizes that holds wherever a program goes on";
  let description = [{
    `#relax.constraint<equal, n, m>`: n == m. `less_equal`: a <= b. `divides`: a divides b.
    `broadcast`: a == b, or a == 1, or b == 1.
  }];
  let parameters = (ins "::relax::ir::ConstraintKind":$kind, "::relax::symbolic::Expr":$a,
                        "::relax::symbolic::Expr":$b);
  let hasCustomAssemblyFormat = 1;
}

#endif // RELAX_ATTRIBUTES_TD
