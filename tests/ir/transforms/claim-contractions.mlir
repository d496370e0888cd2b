// RUN: relax-opt %s --relax-claim-contractions | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: relax-opt %s --relax-claim-contractions=mode=int16 | FileCheck %s --check-prefixes=CHECK,INT16
// RUN: relax-opt %s --relax-claim-contractions=mode=float32 | FileCheck %s --check-prefixes=CHECK,FLOAT
// RUN: not relax-opt %s --relax-claim-contractions=mode=int4 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: unknown mode 'int4'; expected int8, int16 or float32

// A product with a stored weight computes on its bytes.
// CHECK-LABEL: func.func @claimed
// CHECK:         %[[BYTES:.*]] = relax.constant
// INT8:          relax.quantize_activations %arg0 {planes = 1 : i64}
// INT8:          relax.quantized_matmul {{.*}} {format = "q4_1", rows = 96 : i64}
// INT16:         relax.quantize_activations %arg0 {planes = 2 : i64}
// INT16:         relax.quantized_matmul
// FLOAT-NOT:     relax.quantize_activations
// FLOAT:         %[[PACKED:.*]] = relax.pack_weights %[[BYTES]] {format = "q4_1"}
// FLOAT:         relax.packed_matmul %arg0, %[[PACKED]] {format = "q4_1", rows = 96 : i64}
// CHECK-NOT:     relax.matmul
func.func @claimed(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %y : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// A product that asks for it has the second plane in mode int8 too.
// CHECK-LABEL: func.func @precise
// INT8:          relax.quantize_activations %arg0 {planes = 2 : i64}
// INT16:         relax.quantize_activations %arg0 {planes = 2 : i64}
// FLOAT:         relax.packed_matmul
func.func @precise(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %y : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// Weights that are floats have no integer product: they are decoded in every mode.
// CHECK-LABEL: func.func @float_weights
// CHECK-NOT:     relax.quantize_activations
// CHECK:         relax.packed_matmul
func.func @float_weights(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 12288, hash = "00"> : tensor<96x128xi8>
  %w = relax.dequantize %b {format = "f16"} : (tensor<96x128xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %y : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// Not claimed: bytes that aren't a constant, since packing them would be work of every call.
// CHECK-LABEL: func.func @not_constant
// CHECK:         relax.matmul
func.func @not_constant(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %b: tensor<96x40xi8>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %y : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// Not claimed: a right side that isn't transposed.
// CHECK-LABEL: func.func @not_transposed
// CHECK:         relax.matmul
func.func @not_transposed(%x: tensor<?x96xf32, #relax.shape<[t, 96]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<96x64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %y : tensor<?x64xf32, #relax.shape<[t, 64]>>
}
