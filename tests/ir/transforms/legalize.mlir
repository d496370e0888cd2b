// RUN: relax-opt %s --relax-legalize --relax-verify | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  // CHECK-NEXT: relax.call_kernel @silu(%arg0) {symbols = [#relax.expr<t>]}
  %0 = relax.silu %x : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// The caller's symbols are the program's s0, s1, in the order in which the types name them.
// CHECK-LABEL: func.func @expressions
func.func @expressions(%x: tensor<?x?xf32, #relax.shape<[2 * n, m]>>, %w: tensor<?xf32, #relax.shape<[m]>>, %s: !relax.shape<[n]>)
    -> tensor<?x?xf32, #relax.shape<[2 * n, m]>>
    attributes {relax.symbols = #relax.symbols<m = [0, ?], n = [0, ?]>} {
  // CHECK-NEXT: relax.call_kernel @rms_norm(%arg0, %arg1) {symbols = [#relax.expr<n>, #relax.expr<m>]}
  %0 = relax.rms_norm %x, %w {epsilon = 1.0e-5 : f64}
      : (tensor<?x?xf32, #relax.shape<[2 * n, m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32, #relax.shape<[2 * n, m]>>
  return %0 : tensor<?x?xf32, #relax.shape<[2 * n, m]>>
}

// Ops inside a dataflow block are replaced where they are.
// CHECK-LABEL: func.func @dataflow
func.func @dataflow(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: relax.dataflow
  // CHECK-NEXT:   relax.call_kernel @relu(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relax.dataflow -> tensor<4xf32> {
    %1 = relax.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    relax.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What is read only for its shape isn't computed.
// CHECK-LABEL: func.func @only_shape
func.func @only_shape(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // CHECK-NEXT: relax.call_kernel @full() {symbols = [#relax.expr<n>]}
  // CHECK-NEXT: return
  %0 = relax.relu %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %1 = relax.exp %0 : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %2 = relax.full_like %1 {value = 1.5 : f32} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %2 : tensor<?xf32, #relax.shape<[n]>>
}

// What has no computation stays: constants, reshapes, annotations, calls of libraries.
// CHECK-LABEL: func.func @stays
func.func @stays(%x: tensor<?x?xf32>) -> tensor<?xf32, #relax.shape<[2 * m]>> {
  // CHECK-NEXT: relax.constant
  // CHECK-NEXT: relax.match_cast
  // CHECK-NEXT: relax.reshape
  // CHECK-NEXT: relax.call_library "f"
  // CHECK-NEXT: return
  %c = relax.constant <"w", file = 0, offset = 0, size = 16, hash = ""> : tensor<4xf32>
  %0 = relax.match_cast %x : tensor<?x?xf32> to tensor<?x2xf32, #relax.shape<[m, 2]>>
  %1 = relax.reshape %0 : tensor<?x2xf32, #relax.shape<[m, 2]>> to tensor<?xf32, #relax.shape<[2 * m]>>
  %2 = relax.call_library "f"(%1, %c) : (tensor<?xf32, #relax.shape<[2 * m]>>, tensor<4xf32>) -> tensor<?xf32, #relax.shape<[2 * m]>>
  return %2 : tensor<?xf32, #relax.shape<[2 * m]>>
}

// Pages are updated where they are.
// CHECK-LABEL: func.func @pages
func.func @pages(%pages: tensor<?x1x4x8xf32, #relax.shape<[g, 1, 4, 8]>> {relax.donated}, %v: tensor<3x1x4xf32>,
                 %s: tensor<2xi32>, %t: tensor<1x2xi32>, %c: tensor<1xi32>) -> tensor<?x1x4x8xf32, #relax.shape<[g, 1, 4, 8]>>
    attributes {relax.symbols = #relax.symbols<g = [0, ?]>} {
  // CHECK-NEXT: relax.call_kernel @update_slots({{.*}}) {donates = array<i64: 0>, symbols = [#relax.expr<g>]}
  %0 = relax.update_slots %pages, %v, %s, %t, %c {layout = "keys"}
      : (tensor<?x1x4x8xf32, #relax.shape<[g, 1, 4, 8]>>, tensor<3x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>)
        -> tensor<?x1x4x8xf32, #relax.shape<[g, 1, 4, 8]>>
  return %0 : tensor<?x1x4x8xf32, #relax.shape<[g, 1, 4, 8]>>
}

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %w: tensor<96x40xi8>, %i: tensor<?xi32, #relax.shape<[t]>>)
    -> (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  // CHECK-NEXT: %[[W:.*]] = relax.call_kernel @dequantize(%arg1) : (tensor<96x40xi8>) -> tensor<96x64xf32>
  // CHECK-NEXT: relax.call_kernel @matmul(%arg0, %[[W]])
  // CHECK-NEXT: relax.check_values %arg2 <-96, 96> {what = "take"}
  // CHECK-NEXT: relax.call_kernel @take(%[[W]], %arg2)
  %d = relax.dequantize %w {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %0 = relax.matmul %x, %d {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %1 = relax.take %d, %i : (tensor<96x64xf32>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %0, %1 : tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// CHECK-LABEL: func.func private @silu
// CHECK-SAME: (%arg0: tensor<?x64xf32, #relax.shape<[s0, 64]>>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
// CHECK-SAME: relax.kernel, relax.kernel_symbols = ["s0"]
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<?x64xf32, #relax.shape<[s0, 64]>>)
// CHECK: math.exp
// CHECK: arith.divf

// CHECK-LABEL: func.func private @rms_norm
// CHECK-SAME: (%arg0: tensor<?x?xf32, #relax.shape<[2 * s0, s1]>>, %arg1: tensor<?xf32, #relax.shape<[s1]>>)
// CHECK-SAME: relax.kernel_symbols = ["s0", "s1"]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]}
// CHECK: relax.symbol_value <s1>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}

// An op with a strategy of its own is the program.
// CHECK-LABEL: func.func private @update_slots
// CHECK-NEXT: %[[R:.*]] = relax.update_slots %arg0, %arg1, %arg2, %arg3, %arg4 {layout = "keys"}
// CHECK-NEXT: return %[[R]]

// Weights are decoded from their bytes, element by element.
// CHECK-LABEL: func.func private @dequantize
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<96x40xi8>

// CHECK-LABEL: func.func private @matmul
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK: arith.addf
