//===- CallOps.td - calls of kernels, libraries, functions and function values ----------------===//
#ifndef RELAX_CALL_OPS_TD
#define RELAX_CALL_OPS_TD

include "compiler/dialect/ops/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Relax_CallKernelOp
    : Relax_Op<"call_kernel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a tensor program or scheduled kernel";
  let description = [{
    `%y = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (…) -> …`. symbols gives the values
    of the callee's `relax.kernel_symbols`, in order; under them the types of operands and results
    are those of its signature. storage, one for each result, is where the memory plan puts it;
    donates says, for each result, whose operand's memory it takes over (-1: none).
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       DefaultValuedAttr<TypedArrayAttrBase<Relax_ExprAttr, "expressions">,
                                         "{}">:$symbols,
                       OptionalAttr<TypedArrayAttrBase<Relax_StorageAttr, "storage">>:$storage,
                       OptionalAttr<DenseI64ArrayAttr>:$donates);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

/// A call that has effects where it says so.
class Relax_EffectCallOp<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic,
         !listconcat(traits, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def Relax_CallLibraryOp
    : Relax_Op<"call_library", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of an external library, or an alternative to it";
  let description = [{
    `%y = relax.call_library "name"(%x) {attributes} : (…) -> …`. The results' memory is given
    (destination-passing), so every dimension of a result must be known when it is called. Integer
    attributes, and those that are only there or not, are options that the function gets with the
    dimensions, in the order of their names.
      With `otherwise` the call may be done by a function of this module instead: a graph function,
    or a tensor program with `otherwise_symbols` as relax.call_kernel has them. The library is
    called exactly if each expression of `when` is at least the number that `at_least` has for it,
    and the library is there. `tuned` has numbers that were measured, and on what: `{at_least,
    version, cpu}`; they hold where the library has that version and the machine that CPU.
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$inputs,
                       OptionalAttr<FlatSymbolRefAttr>:$otherwise,
                       OptionalAttr<TypedArrayAttrBase<Relax_ExprAttr, "expressions">>:$otherwise_symbols,
                       OptionalAttr<TypedArrayAttrBase<Relax_ExprAttr, "expressions">>:$when,
                       OptionalAttr<DenseI64ArrayAttr>:$at_least,
                       OptionalAttr<DictionaryAttr>:$tuned,
                       OptionalAttr<TypedArrayAttrBase<Relax_StorageAttr, "storage">>:$storage);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def Relax_CallOp
    : Relax_EffectCallOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a graph function by its signature";
  let description = [{
    The callee's symbols are bound by unifying its parameter types with the operands' types; the
    result types are the callee's under them, without the symbols that have no value there. `impure`
    is there exactly if the callee is `relax.impure`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs, UnitAttr:$impure);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def Relax_CallIndirectOp : Relax_Op<"call_indirect"> {
  let summary = "Calls a function that is a value, by the signature in its type";
  let description = [{
    `%y = relax.call_indirect %f(%x) : (A) -> B, (C) -> D`: first the type of `%f`, then those of
    operands and results, which follow as in `relax.call`. Functions that are values are pure.
  }];
  let arguments = (ins FunctionType:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` type($callee) `,` "
                       "functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def Relax_FunctionOp
    : Relax_Op<"function", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A graph function as a value";
  let description = [{
    `%f = relax.function @f : (A) -> B`. The type's symbols are its own.
  }];
  let arguments = (ins FlatSymbolRefAttr:$function);
  let results = (outs FunctionType:$result);
  let assemblyFormat = "$function attr-dict `:` type($result)";
}

def Relax_CallPackedOp : Relax_EffectCallOp<"call_packed"> {
  let summary = "Calls a function of the host program, by the name that it is registered under";
  let description = [{
    `%y = relax.call_packed "name"(%x) {pure} : (…) -> …`. What comes back is compared with the
    result types. Without `pure` it is called exactly once and in order.
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$inputs, UnitAttr:$pure);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif // RELAX_CALL_OPS_TD
