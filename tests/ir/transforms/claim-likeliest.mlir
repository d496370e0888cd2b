// RUN: relax-opt %s --relax-claim-contractions | FileCheck %s
// RUN: relax-opt %s --relax-claim-contractions=mode=float32 | FileCheck %s --check-prefix=FLOAT

// Of a product of two planes with bytes that have halves, only the likeliest are computed.
// CHECK-LABEL: func.func @claimed
// CHECK-NOT:     relax.quantized_matmul
// CHECK:         %[[X:.*]], %[[D:.*]], %[[S:.*]] = relax.quantize_activations %arg0 {planes = 2 : i64}
// CHECK:         %[[P:.*]] = relax.pack_weights {{.*}} {format = "q8_0", relax.split}
// CHECK:         %[[T:.*]], %[[ORDER:.*]] = relax.likeliest_terms %[[X]], %[[D]], %[[S]], %arg1
// CHECK:         %[[U:.*]], %[[E:.*]] = relax.likeliest_bounds {{.*}}%[[T]], %[[P]] {format = "q8_0", rows = 65536 : i64}
// CHECK:         %[[LEAST:.*]] = relax.likeliest_threshold {{.*}}%[[E]], %[[P]]
// CHECK:         relax.likeliest_matmul {{.*}}%[[T]], %[[ORDER]], %[[U]], %[[LEAST]], %[[P]]
// CHECK-NOT:     relax.quantized_matmul
// FLOAT-LABEL: func.func @claimed
// FLOAT:         relax.packed_matmul
// FLOAT:         relax.likeliest %
func.func @claimed(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 4456448, hash = "00"> : tensor<65536x68xi8>
  %w = relax.dequantize %b {format = "q8_0"} : (tensor<65536x68xi8>) -> tensor<65536x64xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<65536x64xf32>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  %z = relax.likeliest %y, %k : (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  return %z : tensor<?x65536xf32, #relax.shape<[t, 65536]>>
}

// Not where all of the product is needed, too.
// CHECK-LABEL: func.func @needed_elsewhere
// CHECK:         relax.quantized_matmul
// CHECK-NOT:     relax.likeliest_matmul
// CHECK:         relax.likeliest %
func.func @needed_elsewhere(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?x65536xf32, #relax.shape<[t, 65536]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 4456448, hash = "00"> : tensor<65536x68xi8>
  %w = relax.dequantize %b {format = "q8_0"} : (tensor<65536x68xi8>) -> tensor<65536x64xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<65536x64xf32>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  %z = relax.likeliest %y, %k : (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  return %y, %z : tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?x65536xf32, #relax.shape<[t, 65536]>>
}

// Nor of a format without halves.
// CHECK-LABEL: func.func @no_halves
// CHECK:         relax.quantized_matmul
// CHECK-NOT:     relax.likeliest_matmul
func.func @no_halves(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 2621440, hash = "00"> : tensor<65536x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<65536x40xi8>) -> tensor<65536x64xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<65536x64xf32>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  %z = relax.likeliest %y, %k : (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  return %z : tensor<?x65536xf32, #relax.shape<[t, 65536]>>
}

// Nor with one plane.
// CHECK-LABEL: func.func @one_plane
// CHECK:         relax.quantized_matmul
// CHECK-NOT:     relax.likeliest_matmul
func.func @one_plane(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 4456448, hash = "00"> : tensor<65536x68xi8>
  %w = relax.dequantize %b {format = "q8_0"} : (tensor<65536x68xi8>) -> tensor<65536x64xf32>
  %y = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<65536x64xf32>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  %z = relax.likeliest %y, %k : (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  return %z : tensor<?x65536xf32, #relax.shape<[t, 65536]>>
}

// Nor of few rows.
// CHECK-LABEL: func.func @few_rows
// CHECK:         relax.quantized_matmul
// CHECK-NOT:     relax.likeliest_matmul
func.func @few_rows(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 6528, hash = "00"> : tensor<96x68xi8>
  %w = relax.dequantize %b {format = "q8_0"} : (tensor<96x68xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %z = relax.likeliest %y, %k : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %z : tensor<?x96xf32, #relax.shape<[t, 96]>>
}

// Nor without columns: all elements are zeros.
// CHECK-LABEL: func.func @no_columns
// CHECK:         relax.quantized_matmul
// CHECK-NOT:     relax.likeliest_matmul
func.func @no_columns(%x: tensor<?x0xf32, #relax.shape<[t, 0]>>, %k: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 0, hash = "00"> : tensor<65536x0xi8>
  %w = relax.dequantize %b {format = "q8_0"} : (tensor<65536x0xi8>) -> tensor<65536x0xf32>
  %y = relax.matmul %x, %w {transpose_b, relax.precise} : (tensor<?x0xf32, #relax.shape<[t, 0]>>, tensor<65536x0xf32>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  %z = relax.likeliest %y, %k : (tensor<?x65536xf32, #relax.shape<[t, 65536]>>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x65536xf32, #relax.shape<[t, 65536]>>
  return %z : tensor<?x65536xf32, #relax.shape<[t, 65536]>>
}
