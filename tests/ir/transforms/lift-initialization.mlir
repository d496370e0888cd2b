// RUN: relax-opt %s --relax-lift-initialization | FileCheck %s

// Packing runs once, at load; both functions share its result.
// CHECK-LABEL: func.func @initialize() -> tensor<6x640xi8>
// CHECK-SAME:    relax.state_names = ["w"]
// CHECK:         %[[BYTES:.*]] = relax.constant <"w"
// CHECK:         %[[PACKED:.*]] = relax.pack_weights %[[BYTES]]
// CHECK:         return %[[PACKED]]

// CHECK-LABEL: func.func @first
// CHECK-NOT:     relax.pack_weights
// CHECK:         relax.state 0 "w" : tensor<6x640xi8>
func.func @first(%x: tensor<4x64xf32>) -> tensor<4x96xf32> {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %p = relax.pack_weights %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<6x640xi8>
  %y = relax.packed_matmul %x, %p {format = "q4_1", rows = 96 : i64} : (tensor<4x64xf32>, tensor<6x640xi8>) -> tensor<4x96xf32>
  return %y : tensor<4x96xf32>
}

// CHECK-LABEL: func.func @second
// CHECK:         relax.state 0 "w" : tensor<6x640xi8>
func.func @second(%x: tensor<5x64xf32>) -> tensor<5x96xf32> {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %p = relax.pack_weights %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<6x640xi8>
  %y = relax.packed_matmul %x, %p {format = "q4_1", rows = 96 : i64} : (tensor<5x64xf32>, tensor<6x640xi8>) -> tensor<5x96xf32>
  return %y : tensor<5x96xf32>
}

// Not lifted: decoding makes 4 bytes of 5 bits, and is cheaper where it is used.
// CHECK-LABEL: func.func @inflates
// CHECK:         relax.dequantize
func.func @inflates(%tokens: tensor<3xi32>) -> tensor<3x64xf32> {
  %b = relax.constant <"table", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.take %w, %tokens : (tensor<96x64xf32>, tensor<3xi32>) -> tensor<3x64xf32>
  return %y : tensor<3x64xf32>
}

// Not lifted: what depends on an argument.
// CHECK-LABEL: func.func @depends
// CHECK:         relax.pack_weights %arg0
func.func @depends(%b: tensor<96x40xi8>) -> tensor<6x640xi8> {
  %p = relax.pack_weights %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<6x640xi8>
  return %p : tensor<6x640xi8>
}

// Not lifted: @initialize has no value for a symbol.
// CHECK-LABEL: func.func @needs_a_symbol
// CHECK:         relax.slice_bounds
func.func @needs_a_symbol(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<1xi64>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %c = arith.constant dense<2> : tensor<1xi64>
  %first, %lengths = relax.slice_bounds %c, %c {dims = #relax.shape<[n]>, steps = array<i64: 1>} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>)
  return %lengths : tensor<1xi64>
}
