// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics
// The rules are numbered in compiler/transforms/Verify.cpp; [R1], [R3], [R6], [R9] and [R10] of
// attributes are in attributes-invalid.mlir.

// expected-error @+1 {{[R2] the symbol 'n' of the signature is neither declared in relax.symbols nor introduced by an earlier match_cast}}
func.func @undeclared(%x: tensor<?xf32, #relax.shape<[n]>>) {
  return
}
// -----
// expected-error @+1 {{[R2] the symbol 'p' of the signature}}
func.func @undeclared_in_argument_attribute(%x: tensor<4xi32> {relax.values = #relax.values<0, p>}) {
  return
}
// -----
func.func @undeclared_in_body(%x: tensor<?xf32>, %s: !relax.shape<[n]>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[m + n]>>
  %1 = relax.symbol_value <m>
  // expected-error @+1 {{[R2] the symbol 'k' of this op}}
  %2 = relax.symbol_value <k>
  return
}
// -----
func.func @used_before_match_cast(%x: tensor<?xf32>) {
  // expected-error @+1 {{[R2] the symbol 'm' of this op}}
  %1 = relax.symbol_value <m>
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
  return
}
// -----
// What a match_cast introduces may be in the result's type.
func.func @result_of_match_cast(%x: tensor<?xf32>) -> tensor<?xf32, #relax.shape<[m]>> {
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
  return %0 : tensor<?xf32, #relax.shape<[m]>>
}
// -----
// expected-error @+1 {{[R3] a tensor program lists its symbols in relax.kernel_symbols}}
func.func private @k(%x: tensor<4xf32>) attributes {relax.kernel} {
  return
}
// -----
// expected-error @+1 {{[R3] relax.kernel_symbols lists 's0' twice}}
func.func private @k(%x: tensor<4xf32>) attributes {relax.kernel, relax.kernel_symbols = ["s0", "s0"]} {
  return
}
// -----
// A symbol that appears only inside an expression must be listed too.
// expected-error @+1 {{[R3] the symbol 's1' isn't in relax.kernel_symbols}}
func.func private @k(%x: tensor<?x?xf32, #relax.shape<[s0, 2 * s1]>>)
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  return
}
// -----
func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  // expected-error @+1 {{[R3] the symbol 's1' isn't in relax.kernel_symbols}}
  %0 = relax.symbol_value <s0 + s1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R4] calls @k, which is not a function}}
  relax.call_kernel @k(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @k(tensor<4xf32>)
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R4] calls @k, which is not a tensor program}}
  relax.call_kernel @k(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @k(tensor<?xf32, #relax.shape<[s0]>>) attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // expected-error @+1 {{[R4] gives 0 symbols; @k has 1}}
  relax.call_kernel @k(%x) : (tensor<?xf32, #relax.shape<[n]>>) -> ()
  return
}
// -----
func.func private @k(tensor<?xf32, #relax.shape<[2 * s0]>>) attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // expected-error @+1 {{does not match the callee's 'tensor<?xf32, #relax.shape<[2 * s0]>>': dimension 0: expected 2 * n (2 * s0), found n}}
  relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (tensor<?xf32, #relax.shape<[n]>>) -> ()
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R4] has 1 operands and 0 results; the callee has 1 and 1}}
  relax.call_kernel @k(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R4] result 0 must have type 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %0 = relax.call_kernel @k(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func private @k(tensor<4xf32>) attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf16>) {
  // expected-error @+1 {{[R4] operand 0 of type 'tensor<4xf16>' does not match the callee's 'tensor<4xf32>': expected tensor<4xf32>, found tensor<4xf16>}}
  relax.call_kernel @k(%x) : (tensor<4xf16>) -> ()
  return
}
// -----
// expected-note @+1 {{the callee, of type '(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n + 1]>>) -> ()', is from here}}
func.func private @g(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n + 1]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>}
func.func @f(%x: tensor<4xf32>, %y: tensor<6xf32>) {
  // expected-error @+1 {{[R5] operand 1 of type 'tensor<6xf32>' does not match the callee's 'tensor<?xf32, #relax.shape<[n + 1]>>': dimension 0: expected 5 (n + 1), found 6}}
  relax.call @g(%x, %y) : (tensor<4xf32>, tensor<6xf32>) -> ()
  return
}
// -----
// expected-note @+1 {{the callee}}
func.func private @g(tensor<?xf32, #relax.shape<[n + m]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R5] does not match the callee's parameters: nothing determines the symbols of}}
  relax.call @g(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R5] calls @g, which is not a function}}
  relax.call @g(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32> {relax.donated}) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{[R6] takes over the storage of operand 0, which is used later}}
  %0 = relax.call_kernel @k(%x) {donates = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{used here}}
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @f(%pages: tensor<2x1x4x8xf32> {relax.donated}, %v: tensor<3x1x4xf32>, %s: tensor<2xi32>, %t: tensor<1x2xi32>, %c: tensor<1xi32>) -> tensor<2x1x4x8xf32> {
  // expected-error @+1 {{[R6] takes over the storage of operand 0, which is used later}}
  %0 = relax.update_slots %pages, %v, %s, %t, %c {layout = "keys"} : (tensor<2x1x4x8xf32>, tensor<3x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<2x1x4x8xf32>
  // expected-note @+1 {{used here}}
  %1 = relax.add %pages, %0 : (tensor<2x1x4x8xf32>, tensor<2x1x4x8xf32>) -> tensor<2x1x4x8xf32>
  return %1 : tensor<2x1x4x8xf32>
}
// -----
// Reading before the storage is taken over is fine.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32> {relax.donated}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_kernel @k(%x) {donates = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R7] has 1 results, but donates has 2 entries}}
  %0 = relax.call_kernel @k(%x) {donates = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R7] result 0 takes over operand 1, but there are 1}}
  %0 = relax.call_kernel @k(%x) {donates = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<5xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R7] result 0 of type 'tensor<5xf32>' cannot take over operand 0 of type 'tensor<4xf32>'}}
  %0 = relax.call_kernel @k(%x) {donates = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R8] has 1 results, but storage for 0}}
  %0 = relax.call_kernel @k(%x) {storage = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: memref<4xf32>, %v: f32, %i: index) {
  relax.dataflow {
    // expected-error @+1 {{[R11] a dataflow block cannot hold an op with side effects}}
    memref.store %v, %x[%i] : memref<4xf32>
    relax.yield
  }
  return
}
// -----
func.func @f(%c: i1) {
  relax.dataflow {
    // expected-error @+1 {{[R11] a dataflow block cannot hold control flow}}
    scf.if %c {
    }
    relax.yield
  }
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{yields 'tensor<4xf32>', but its results are 'tensor<5xf32>'}}
  %0 = relax.dataflow -> tensor<5xf32> {
    relax.yield %x : tensor<4xf32>
  }
  return
}
// -----
func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  // expected-error @+1 {{[R12] a tensor program cannot hold this op}}
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// expected-error @+1 {{[R12] a tensor program is one block}}
func.func private @k(%x: tensor<4xf32>) attributes {relax.kernel, relax.kernel_symbols = []} {
  cf.br ^bb1
^bb1:
  return
}
// -----
// A function that is donated an argument takes over its memory.
func.func private @g(tensor<4xf32> {relax.donated}) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32> {relax.donated}) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{[R6] takes over the storage of operand 0, which is used later}}
  %0 = relax.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{used here}}
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}
// -----
// A program that would read beyond its argument's end.
func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s1]>> attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  %n = relax.symbol_value <s1>
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s1]>>
  // expected-error @+1 {{[R20] loop 0 runs over s0 in 'tensor<?xf32, #relax.shape<[s0]>>' and over s1 in 'tensor<?xf32, #relax.shape<[s1]>>'; s0 = 0, s1 = 1 makes them 0 and 1}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[s0]>>) outs(%e : tensor<?xf32, #relax.shape<[s1]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32, #relax.shape<[s1]>>
  return %y : tensor<?xf32, #relax.shape<[s1]>>
}
// -----
func.func private @k() -> tensor<?xf32, #relax.shape<[2 * s0]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  // expected-error @+1 {{[R20] is made of s0 elements where its type says 2 * s0}}
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[2 * s0]>>
  return %e : tensor<?xf32, #relax.shape<[2 * s0]>>
}
// -----
func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s1]>> attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  // expected-error @+1 {{[R20] dimension 0 is s0 before and s1 after}}
  %y = tensor.cast %x : tensor<?xf32, #relax.shape<[s0]>> to tensor<?xf32, #relax.shape<[s1]>>
  return %y : tensor<?xf32, #relax.shape<[s1]>>
}
// -----
// expected-error @+1 {{[R21] a graph function is one block; relax.if and relax.while branch}}
func.func @f() {
  cf.br ^bb1
^bb1:
  return
}
// -----
// Beyond the end by one, and by a stride; inside where the extents leave room.
func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  // expected-error @+1 {{[R20] the index d0 + 1 of dimension 0 of 'tensor<?xf32, #relax.shape<[s0]>>' isn't provably within [0, s0)}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[s0]>>) outs(%e : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  return %y : tensor<?xf32, #relax.shape<[s0]>>
}
// -----
func.func private @k(%x: tensor<?xf32, #relax.shape<[2 * s0 + 1]>>) -> tensor<?xf32, #relax.shape<[s0]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i + 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[2 * s0 + 1]>>) outs(%e : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  // expected-error @+1 {{[R20] the index d0 * 2 + 3 of dimension 0}}
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i + 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[2 * s0 + 1]>>) outs(%e : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  return %y : tensor<?xf32, #relax.shape<[s0]>>
}
