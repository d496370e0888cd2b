//===- Types.td - shapes as values, and opaque objects ----------------------------------------===//
#ifndef RELAX_TYPES_TD
#define RELAX_TYPES_TD

include "compiler/dialect/Dialect.td"

def Relax_ShapeType : TypeDef<Relax_Dialect, "Shape"> {
  let mnemonic = "shape";
  let summary = "A shape as a value";
  let description = "`!relax.shape<[n, 4]>`, or `!relax.shape<rank 2>` where only the rank is known.";
  let parameters = (ins ArrayRefParameter<"::relax::symbolic::Expr">:$dims, "int64_t":$rank);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<::relax::symbolic::Expr>":$dims), [{
      return $_get($_ctxt, dims, static_cast<int64_t>(dims.size()));
    }]>,
    TypeBuilder<(ins "int64_t":$rank), [{
      return $_get($_ctxt, ::llvm::ArrayRef<::relax::symbolic::Expr>(), rank);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Whether the dimensions are known, not only the rank.
    bool hasDims() const { return static_cast<int64_t>(getDims().size()) == getRank(); }
  }];
}

def Relax_ObjectType : TypeDef<Relax_Dialect, "Object"> {
  let mnemonic = "object";
  let summary = "A run-time object of which the compiler knows nothing";
}

#endif // RELAX_TYPES_TD
