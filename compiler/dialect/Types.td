//===- Types.td - shapes as values, and opaque objects ----------------------------------------===//
#ifndef RELAX_TYPES_TD
#define RELAX_TYPES_TD

include "compiler/dialect/Dialect.td"

def Relax_ShapeType : TypeDef<Relax_Dialect, "Shape"> {
  let mnemonic = "shape";
  let summary = "A shape as a value";
  let description = [{
    `!relax.shape<[n, 4]>`; `!relax.shape<[n, ?]>` where some dimensions are unknown;
    `!relax.shape<rank 2>` where only the rank is known; `!relax.shape<*>` where nothing is.
  }];
  let parameters = (ins ArrayRefParameter<"::relax::symbolic::Expr">:$dims, "int64_t":$rank);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<::relax::symbolic::Expr>":$dims), [{
      int64_t rank = static_cast<int64_t>(dims.size());
      // All dimensions unknown is written in one way.
      if (::llvm::none_of(dims, [](::relax::symbolic::Expr dim) { return bool(dim); }))
        dims = {};
      return $_get($_ctxt, dims, rank);
    }]>,
    TypeBuilder<(ins "int64_t":$rank), [{
      return $_get($_ctxt, ::llvm::ArrayRef<::relax::symbolic::Expr>(), rank);
    }]>
  ];
  let extraClassDeclaration = [{
    static constexpr int64_t unknownRank = -1;
    bool hasRank() const { return getRank() != unknownRank; }
    /// Whether every dimension is known, not only the rank.
    bool hasDims() const {
      return static_cast<int64_t>(getDims().size()) == getRank() &&
             ::llvm::all_of(getDims(), [](::relax::symbolic::Expr dim) { return bool(dim); });
    }
    /// One expression for each dimension, null where it is unknown. The rank must be known.
    ::llvm::SmallVector<::relax::symbolic::Expr> getDimsOrUnknown() const {
      if (getDims().empty())
        return ::llvm::SmallVector<::relax::symbolic::Expr>(getRank());
      return ::llvm::SmallVector<::relax::symbolic::Expr>(getDims());
    }
  }];
}

def Relax_ObjectType : TypeDef<Relax_Dialect, "Object"> {
  let mnemonic = "object";
  let summary = "A run-time object of which the compiler knows nothing";
}

def Relax_AnyType : TypeDef<Relax_Dialect, "Any"> {
  let mnemonic = "any";
  let summary = "An element type that isn't known: tensor<?x!relax.any>";
}

#endif // RELAX_TYPES_TD
