// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @constant
// CHECK: relax.constant <"norm", file = 0, offset = 64, size = 2304, hash = ""> : tensor<576xf32>
func.func @constant() -> (tensor<576xf32>) {
  %r = relax.constant <"norm", file = 0, offset = 64, size = 2304, hash = ""> : tensor<576xf32>
  return %r : tensor<576xf32>
}

// CHECK-LABEL: @matmul
// CHECK: relax.matmul %arg0, %arg1 : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<576x1536xf32>) -> tensor<?x1536xf32, #relax.shape<[t, 1536]>>
func.func @matmul(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<576x1536xf32>) -> (tensor<?x1536xf32, #relax.shape<[t, 1536]>>) {
  %r = relax.matmul %a, %b : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<576x1536xf32>) -> tensor<?x1536xf32, #relax.shape<[t, 1536]>>
  return %r : tensor<?x1536xf32, #relax.shape<[t, 1536]>>
}

// CHECK-LABEL: @matmul_transposed
// CHECK: relax.matmul %arg0, %arg1 {transpose_b} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<1536x576xf32>) -> tensor<?x1536xf32, #relax.shape<[t, 1536]>>
func.func @matmul_transposed(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<1536x576xf32>) -> (tensor<?x1536xf32, #relax.shape<[t, 1536]>>) {
  %r = relax.matmul %a, %b {transpose_b} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<1536x576xf32>) -> tensor<?x1536xf32, #relax.shape<[t, 1536]>>
  return %r : tensor<?x1536xf32, #relax.shape<[t, 1536]>>
}

// CHECK-LABEL: @matmul_batched
// CHECK: relax.matmul %arg0, %arg1 {transpose_b} : (tensor<?x?x576xf32, #relax.shape<[b, t, 576]>>, tensor<1536x576xf32>) -> tensor<?x?x1536xf32, #relax.shape<[b, t, 1536]>>
func.func @matmul_batched(%a: tensor<?x?x576xf32, #relax.shape<[b, t, 576]>>, %b: tensor<1536x576xf32>) -> (tensor<?x?x1536xf32, #relax.shape<[b, t, 1536]>>) {
  %r = relax.matmul %a, %b {transpose_b} : (tensor<?x?x576xf32, #relax.shape<[b, t, 576]>>, tensor<1536x576xf32>) -> tensor<?x?x1536xf32, #relax.shape<[b, t, 1536]>>
  return %r : tensor<?x?x1536xf32, #relax.shape<[b, t, 1536]>>
}

// CHECK-LABEL: @softmax
// CHECK: relax.softmax %arg0 {axis = 1 : i64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
func.func @softmax(%x: tensor<?x576xf32, #relax.shape<[t, 576]>>) -> (tensor<?x576xf32, #relax.shape<[t, 576]>>) {
  %r = relax.softmax %x {axis = 1 : i64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return %r : tensor<?x576xf32, #relax.shape<[t, 576]>>
}

// CHECK-LABEL: @rms_norm
// CHECK: relax.rms_norm %arg0, %arg1 {epsilon = 1.000000e-05 : f64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<576xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
func.func @rms_norm(%x: tensor<?x576xf32, #relax.shape<[t, 576]>>, %w: tensor<576xf32>) -> (tensor<?x576xf32, #relax.shape<[t, 576]>>) {
  %r = relax.rms_norm %x, %w {epsilon = 1.000000e-05 : f64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<576xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return %r : tensor<?x576xf32, #relax.shape<[t, 576]>>
}

// CHECK-LABEL: @dequantize_f32
// CHECK: relax.dequantize %arg0 {format = "f32"} : (tensor<40x256xi8>) -> tensor<40x64xf32>
func.func @dequantize_f32(%b: tensor<40x256xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "f32"} : (tensor<40x256xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_f32
// CHECK: relax.pack_weights %arg0 {format = "f32"} : (tensor<40x256xi8>) -> tensor<3x4096xi8>
func.func @pack_f32(%b: tensor<40x256xi8>) -> (tensor<3x4096xi8>) {
  %r = relax.pack_weights %b {format = "f32"} : (tensor<40x256xi8>) -> tensor<3x4096xi8>
  return %r : tensor<3x4096xi8>
}

// CHECK-LABEL: @packed_f32
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "f32", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x4096xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_f32(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x4096xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "f32", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x4096xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_f16
// CHECK: relax.dequantize %arg0 {format = "f16"} : (tensor<40x128xi8>) -> tensor<40x64xf32>
func.func @dequantize_f16(%b: tensor<40x128xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "f16"} : (tensor<40x128xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_f16
// CHECK: relax.pack_weights %arg0 {format = "f16"} : (tensor<40x128xi8>) -> tensor<3x2048xi8>
func.func @pack_f16(%b: tensor<40x128xi8>) -> (tensor<3x2048xi8>) {
  %r = relax.pack_weights %b {format = "f16"} : (tensor<40x128xi8>) -> tensor<3x2048xi8>
  return %r : tensor<3x2048xi8>
}

// CHECK-LABEL: @packed_f16
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "f16", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x2048xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_f16(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x2048xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "f16", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x2048xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_bf16
// CHECK: relax.dequantize %arg0 {format = "bf16"} : (tensor<40x128xi8>) -> tensor<40x64xf32>
func.func @dequantize_bf16(%b: tensor<40x128xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "bf16"} : (tensor<40x128xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_bf16
// CHECK: relax.pack_weights %arg0 {format = "bf16"} : (tensor<40x128xi8>) -> tensor<3x2048xi8>
func.func @pack_bf16(%b: tensor<40x128xi8>) -> (tensor<3x2048xi8>) {
  %r = relax.pack_weights %b {format = "bf16"} : (tensor<40x128xi8>) -> tensor<3x2048xi8>
  return %r : tensor<3x2048xi8>
}

// CHECK-LABEL: @packed_bf16
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "bf16", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x2048xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_bf16(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x2048xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "bf16", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x2048xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_q4_0
// CHECK: relax.dequantize %arg0 {format = "q4_0"} : (tensor<40x36xi8>) -> tensor<40x64xf32>
func.func @dequantize_q4_0(%b: tensor<40x36xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "q4_0"} : (tensor<40x36xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_q4_0
// CHECK: relax.pack_weights %arg0 {format = "q4_0"} : (tensor<40x36xi8>) -> tensor<3x576xi8>
func.func @pack_q4_0(%b: tensor<40x36xi8>) -> (tensor<3x576xi8>) {
  %r = relax.pack_weights %b {format = "q4_0"} : (tensor<40x36xi8>) -> tensor<3x576xi8>
  return %r : tensor<3x576xi8>
}

// CHECK-LABEL: @packed_q4_0
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "q4_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x576xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_q4_0(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x576xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "q4_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x576xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_q4_1
// CHECK: relax.dequantize %arg0 {format = "q4_1"} : (tensor<40x40xi8>) -> tensor<40x64xf32>
func.func @dequantize_q4_1(%b: tensor<40x40xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "q4_1"} : (tensor<40x40xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_q4_1
// CHECK: relax.pack_weights %arg0 {format = "q4_1"} : (tensor<40x40xi8>) -> tensor<3x640xi8>
func.func @pack_q4_1(%b: tensor<40x40xi8>) -> (tensor<3x640xi8>) {
  %r = relax.pack_weights %b {format = "q4_1"} : (tensor<40x40xi8>) -> tensor<3x640xi8>
  return %r : tensor<3x640xi8>
}

// CHECK-LABEL: @packed_q4_1
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "q4_1", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_q4_1(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x640xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "q4_1", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_q5_0
// CHECK: relax.dequantize %arg0 {format = "q5_0"} : (tensor<40x44xi8>) -> tensor<40x64xf32>
func.func @dequantize_q5_0(%b: tensor<40x44xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "q5_0"} : (tensor<40x44xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_q5_0
// CHECK: relax.pack_weights %arg0 {format = "q5_0"} : (tensor<40x44xi8>) -> tensor<3x704xi8>
func.func @pack_q5_0(%b: tensor<40x44xi8>) -> (tensor<3x704xi8>) {
  %r = relax.pack_weights %b {format = "q5_0"} : (tensor<40x44xi8>) -> tensor<3x704xi8>
  return %r : tensor<3x704xi8>
}

// CHECK-LABEL: @packed_q5_0
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "q5_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x704xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_q5_0(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x704xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "q5_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x704xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_q5_1
// CHECK: relax.dequantize %arg0 {format = "q5_1"} : (tensor<40x48xi8>) -> tensor<40x64xf32>
func.func @dequantize_q5_1(%b: tensor<40x48xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "q5_1"} : (tensor<40x48xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_q5_1
// CHECK: relax.pack_weights %arg0 {format = "q5_1"} : (tensor<40x48xi8>) -> tensor<3x768xi8>
func.func @pack_q5_1(%b: tensor<40x48xi8>) -> (tensor<3x768xi8>) {
  %r = relax.pack_weights %b {format = "q5_1"} : (tensor<40x48xi8>) -> tensor<3x768xi8>
  return %r : tensor<3x768xi8>
}

// CHECK-LABEL: @packed_q5_1
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "q5_1", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x768xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_q5_1(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x768xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "q5_1", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x768xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @dequantize_q8_0
// CHECK: relax.dequantize %arg0 {format = "q8_0"} : (tensor<40x68xi8>) -> tensor<40x64xf32>
func.func @dequantize_q8_0(%b: tensor<40x68xi8>) -> (tensor<40x64xf32>) {
  %r = relax.dequantize %b {format = "q8_0"} : (tensor<40x68xi8>) -> tensor<40x64xf32>
  return %r : tensor<40x64xf32>
}

// CHECK-LABEL: @pack_q8_0
// CHECK: relax.pack_weights %arg0 {format = "q8_0"} : (tensor<40x68xi8>) -> tensor<3x1088xi8>
func.func @pack_q8_0(%b: tensor<40x68xi8>) -> (tensor<3x1088xi8>) {
  %r = relax.pack_weights %b {format = "q8_0"} : (tensor<40x68xi8>) -> tensor<3x1088xi8>
  return %r : tensor<3x1088xi8>
}

// CHECK-LABEL: @packed_q8_0
// CHECK: relax.packed_matmul %arg0, %arg1 {format = "q8_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x1088xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @packed_q8_0(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x1088xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.packed_matmul %x, %p {format = "q8_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x1088xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @pack_symbolic
// CHECK: relax.pack_weights %arg0 {format = "q4_0"} : (tensor<?x36xi8, #relax.shape<[n, 36]>>) -> tensor<?x576xi8, #relax.shape<[ceildiv(n, 16), 576]>>
func.func @pack_symbolic(%b: tensor<?x36xi8, #relax.shape<[n, 36]>>) -> (tensor<?x576xi8, #relax.shape<[ceildiv(n, 16), 576]>>) {
  %r = relax.pack_weights %b {format = "q4_0"} : (tensor<?x36xi8, #relax.shape<[n, 36]>>) -> tensor<?x576xi8, #relax.shape<[ceildiv(n, 16), 576]>>
  return %r : tensor<?x576xi8, #relax.shape<[ceildiv(n, 16), 576]>>
}

// CHECK-LABEL: @quantize_1
// CHECK: relax.quantize_activations %arg0 {planes = 1 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>)
func.func @quantize_1(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>) {
  %r:3 = relax.quantize_activations %x {planes = 1 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>)
  return %r#0, %r#1, %r#2 : tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>
}

// CHECK-LABEL: @quantized_matmul_1
// CHECK: relax.quantized_matmul %arg0, %arg1, %arg2, %arg3 {format = "q4_1", rows = 40 : i64} : (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @quantized_matmul_1(%v: tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, %p: tensor<3x640xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.quantized_matmul %v, %d, %s, %p {format = "q4_1", rows = 40 : i64} : (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}

// CHECK-LABEL: @quantize_2
// CHECK: relax.quantize_activations %arg0 {planes = 2 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>)
func.func @quantize_2(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>) {
  %r:3 = relax.quantize_activations %x {planes = 2 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>)
  return %r#0, %r#1, %r#2 : tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>
}

// CHECK-LABEL: @quantized_matmul_2
// CHECK: relax.quantized_matmul %arg0, %arg1, %arg2, %arg3 {format = "q4_1", rows = 40 : i64} : (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
func.func @quantized_matmul_2(%v: tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, %d: tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, %s: tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>, %p: tensor<3x640xi8>) -> (tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  %r = relax.quantized_matmul %v, %d, %s, %p {format = "q4_1", rows = 40 : i64} : (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[t, 40]>>
}
