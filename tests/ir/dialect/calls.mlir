// RUN: relax-opt %s --relax-verify | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

func.func private @flat(!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}
func.func private @log(tensor<4xf32>) attributes {relax.impure}

// CHECK-LABEL: @values
// CHECK: %[[F:.*]] = relax.function @flat : (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>
// CHECK: %[[T:.*]] = relax.tuple %[[F]], %arg0 : ((!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>, tensor<?xf32, #relax.shape<[k]>>)
// CHECK: %[[G:.*]] = relax.tuple_get %[[T]] {index = 0 : i64}
// CHECK: relax.call_indirect %[[G]](%{{.*}}) : (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>, (!relax.shape<[k, 4]>) -> tensor<?xf32, #relax.shape<[4 * k]>>
func.func @values(%x: tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[4 * k]>>
    attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  %f = relax.function @flat : (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>
  %t = relax.tuple %f, %x : ((!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>, tensor<?xf32, #relax.shape<[k]>>)
      -> tuple<(!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>, tensor<?xf32, #relax.shape<[k]>>>
  %g = relax.tuple_get %t {index = 0}
      : (tuple<(!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>, tensor<?xf32, #relax.shape<[k]>>>)
      -> ((!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>)
  %s = relax.shape <[k, 4]>
  %r = relax.call_indirect %g(%s) : (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[m * n]>>,
      (!relax.shape<[k, 4]>) -> tensor<?xf32, #relax.shape<[4 * k]>>
  return %r : tensor<?xf32, #relax.shape<[4 * k]>>
}

// A function value by another name of its symbols, and with a less precise result.
// CHECK-LABEL: @renamed
// CHECK: relax.function @flat : (!relax.shape<[a, b]>) -> tensor<?xf32>
func.func @renamed() -> ((!relax.shape<[a, b]>) -> tensor<?xf32>) {
  %f = relax.function @flat : (!relax.shape<[a, b]>) -> tensor<?xf32>
  return %f : (!relax.shape<[a, b]>) -> tensor<?xf32>
}

// CHECK-LABEL: @effects
// CHECK: relax.call @log(%arg0) {impure} : (tensor<4xf32>) -> ()
// CHECK: relax.call_packed "sample"(%arg0) : (tensor<4xf32>) -> !relax.object
// CHECK: relax.call_packed "norm"(%arg0) {pure} : (tensor<4xf32>) -> tensor<f32>
func.func @effects(%x: tensor<4xf32>) attributes {relax.impure} {
  relax.call @log(%x) {impure} : (tensor<4xf32>) -> ()
  %0 = relax.call_packed "sample"(%x) : (tensor<4xf32>) -> !relax.object
  %1 = relax.call_packed "norm"(%x) {pure} : (tensor<4xf32>) -> tensor<f32>
  return
}

// [n, m, n * m] called with known, partly known and unknown dimensions: what can't be proved is
// checked when @three is entered.
func.func private @three(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[m * n]>>)
    -> tensor<?x?xf32, #relax.shape<[m * n, m]>> attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}
// CHECK-LABEL: @three_ways
// CHECK: (tensor<16xf32>, tensor<16xf32>, tensor<256xf32>) -> tensor<256x16xf32>
// CHECK: (tensor<16xf32>, tensor<?xf32>, tensor<256xf32>) -> tensor<?x?xf32>
// CHECK: (tensor<16xf32>, tensor<16xf32>, tensor<?xf32>) -> tensor<256x16xf32>
func.func @three_ways(%a: tensor<16xf32>, %b: tensor<256xf32>, %c: tensor<?xf32>) {
  %0 = relax.call @three(%a, %a, %b) : (tensor<16xf32>, tensor<16xf32>, tensor<256xf32>) -> tensor<256x16xf32>
  %1 = relax.call @three(%a, %c, %b) : (tensor<16xf32>, tensor<?xf32>, tensor<256xf32>) -> tensor<?x?xf32>
  %2 = relax.call @three(%a, %a, %c) : (tensor<16xf32>, tensor<16xf32>, tensor<?xf32>) -> tensor<256x16xf32>
  return
}

// A tensor program is signless.
func.func private @bytes(tensor<4xi8>) -> tensor<4xi8> attributes {relax.kernel, relax.kernel_symbols = []}
// CHECK-LABEL: @unsigned
// CHECK: relax.call_kernel @bytes(%arg0) : (tensor<4xui8>) -> tensor<4xui8>
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = relax.call_kernel @bytes(%x) : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// Recursion: by the signature alone.
// CHECK-LABEL: func.func private @odd
// CHECK: relax.call @even
// CHECK-LABEL: func.func private @even
// CHECK: relax.call @odd
func.func private @odd(%x: tensor<?xf32, #relax.shape<[n]>>, %c: tensor<i1>) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.call @even(%x, %c) : (tensor<?xf32, #relax.shape<[n]>>, tensor<i1>) -> tensor<?xf32, #relax.shape<[n]>>
  %e = relax.erase %r : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32>
  return %e : tensor<?xf32>
}
func.func private @even(%x: tensor<?xf32, #relax.shape<[n]>>, %c: tensor<i1>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?xf32, #relax.shape<[n]>> {
    relax.yield %x : tensor<?xf32, #relax.shape<[n]>>
  } else {
    %0 = relax.call @odd(%x, %c) : (tensor<?xf32, #relax.shape<[n]>>, tensor<i1>) -> tensor<?xf32>
    %1 = relax.match_cast %0 : tensor<?xf32> to tensor<?xf32, #relax.shape<[n]>>
    relax.yield %1 : tensor<?xf32, #relax.shape<[n]>>
  }
  return %r : tensor<?xf32, #relax.shape<[n]>>
}

// Function types that differ in the names of their symbols mean the same: as a result of a call or a
// branch. MLIR's `return` compares names, and erase gives others.
!ab = (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?xf32, #relax.shape<[a * b]>>
!cd = (tensor<?x?xf32, #relax.shape<[c, d]>>) -> tensor<?xf32, #relax.shape<[c * d]>>
!ba = (tensor<?x?xf32, #relax.shape<[b, a]>>) -> tensor<?xf32, #relax.shape<[a * b]>>
func.func private @flattener() -> !ab
// CHECK-LABEL: @other_names
// CHECK: relax.call @flattener() : () -> ((tensor<?x?xf32, #relax.shape<[c, d]>>) -> tensor<?xf32, #relax.shape<[c * d]>>)
// CHECK: relax.if %{{.*}} -> (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?xf32, #relax.shape<[a * b]>>
// CHECK: relax.erase %{{.*}} to (tensor<?x?xf32, #relax.shape<[b, a]>>) -> tensor<?xf32, #relax.shape<[a * b]>>
func.func @other_names(%c: tensor<i1>) -> !ba {
  %f = relax.call @flattener() : () -> !cd
  %g = relax.call @flattener() : () -> !ab
  %h = relax.if %c : tensor<i1> -> !ab {
    relax.yield %g : !ab
  } else {
    relax.yield %f : !cd
  }
  %r = relax.erase %h : !ab to !ba
  return %r : !ba
}
