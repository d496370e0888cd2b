// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-verify | FileCheck %s

// Elementwise chains become one program.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: relax.call_kernel @[[$CHAIN:.*]](%arg0, %arg1) {symbols = [#relax.expr<t>]}
// CHECK-NEXT: return
func.func @chain(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %v: tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %0 = relax.add %x, %v : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %1 = relax.tanh %0 : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %2 = relax.multiply %1, %x : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %2 : tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// A symbol that appears only inside an expression becomes an argument of the merged program.
// CHECK-LABEL: func.func @expression
// CHECK-NEXT: relax.call_kernel @[[$EXPR:.*]](%arg0) {symbols = [#relax.expr<n>]}
func.func @expression(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %s: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 10]>} {
  %0 = relax.call_kernel @user(%x) {symbols = [#relax.expr<2 * n>]} : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  %1 = relax.sigmoid %0 : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %1 : tensor<?xf32, #relax.shape<[2 * n]>>
}

// Decoding goes into the product, the residual onto it.
// CHECK-LABEL: func.func @decode
// CHECK-NEXT: relax.call_kernel @[[$DECODE:.*]](%arg1, %arg0, %arg2) {symbols = [#relax.expr<t>]}
// CHECK-NEXT: return
func.func @decode(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %w: tensor<96x40xi8>, %r: tensor<?x96xf32, #relax.shape<[t, 96]>>)
    -> tensor<?x96xf32, #relax.shape<[t, 96]>> attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %d = relax.dequantize %w {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %0 = relax.matmul %x, %d {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %1 = relax.add %0, %r : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x96xf32, #relax.shape<[t, 96]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %1 : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// Only the rows that are looked up are decoded.
// CHECK-LABEL: func.func @lookup
// CHECK-NEXT: relax.call_kernel @dequantize_{{.*}}take(%arg0, %arg1)
// CHECK-NEXT: return
func.func @lookup(%w: tensor<96x40xi8>, %i: tensor<?xi32, #relax.shape<[t]>> {relax.values = #relax.values<0, 96>}) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %d = relax.dequantize %w {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %0 = relax.take %d, %i : (tensor<96x64xf32>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// An epilogue goes onto a packed product, whose op stays recognisable.
// CHECK-LABEL: func.func @packed
// CHECK-NEXT: relax.call_kernel @[[$PACKED:.*]](%arg0, %arg1, %arg2) {symbols = [#relax.expr<t>]}
// CHECK-NEXT: return
func.func @packed(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<6x640xi8>, %r: tensor<?x96xf32, #relax.shape<[t, 96]>>)
    -> tensor<?x96xf32, #relax.shape<[t, 96]>> attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %0 = relax.packed_matmul %x, %p {format = "q4_1", rows = 96 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<6x640xi8>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %1 = relax.add %0, %r : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x96xf32, #relax.shape<[t, 96]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %1 : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

func.func private @user(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[s0]>>) outs(%e : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  return %r : tensor<?xf32, #relax.shape<[s0]>>
}

// Merged programs are chains in one body; those that nothing calls any more are gone.
// CHECK-DAG: func.func private @[[$CHAIN]](%arg0: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %arg1: tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>{{.*}}relax.kind = "broadcast"
// CHECK-DAG: func.func private @[[$EXPR]](%arg0: tensor<?xf32, #relax.shape<[2 * s0]>>) -> tensor<?xf32, #relax.shape<[2 * s0]>>{{.*}}relax.kernel_symbols = ["s0"], relax.kind = "elementwise"
// CHECK-DAG: func.func private @[[$DECODE]](%arg0: tensor<96x40xi8>, %arg1: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %arg2: tensor<?x96xf32, #relax.shape<[s0, 96]>>){{.*}}relax.kind = "output-fusible"
// CHECK-DAG: func.func private @[[$PACKED]]{{.*}}relax.kind = "output-fusible"
// CHECK-NOT: func.func private @user(
// CHECK-NOT: func.func private @add(
// CHECK-NOT: func.func private @matmul(
