// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @add
// CHECK: relax.add %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @add(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @subtract
// CHECK: relax.subtract %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @subtract(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.subtract %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @multiply
// CHECK: relax.multiply %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @multiply(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.multiply %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @divide
// CHECK: relax.divide %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @divide(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.divide %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @maximum
// CHECK: relax.maximum %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @maximum(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.maximum %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @minimum
// CHECK: relax.minimum %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @minimum(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.minimum %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @broadcast_rank
// CHECK: relax.add %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @broadcast_rank(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<4xf32>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @broadcast_ones
// CHECK: relax.add %arg0, %arg1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x1x4xf32, #relax.shape<[m, 1, 4]>>) -> tensor<?x?x4xf32, #relax.shape<[m, n, 4]>>
func.func @broadcast_ones(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x1x4xf32, #relax.shape<[m, 1, 4]>>) -> (tensor<?x?x4xf32, #relax.shape<[m, n, 4]>>) {
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x1x4xf32, #relax.shape<[m, 1, 4]>>) -> tensor<?x?x4xf32, #relax.shape<[m, n, 4]>>
  return %r : tensor<?x?x4xf32, #relax.shape<[m, n, 4]>>
}

// CHECK-LABEL: @integers
// CHECK: relax.add %arg0, %arg0 : (tensor<?xi32, #relax.shape<[n]>>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xi32, #relax.shape<[n]>>
func.func @integers(%a: tensor<?xi32, #relax.shape<[n]>>) -> (tensor<?xi32, #relax.shape<[n]>>) {
  %r = relax.add %a, %a : (tensor<?xi32, #relax.shape<[n]>>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xi32, #relax.shape<[n]>>
  return %r : tensor<?xi32, #relax.shape<[n]>>
}

// CHECK-LABEL: @expressions
// CHECK: relax.multiply %arg0, %arg0 : (tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>, tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>) -> tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>
func.func @expressions(%a: tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>) -> (tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>) {
  %r = relax.multiply %a, %a : (tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>, tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>) -> tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>
  return %r : tensor<?x?xf32, #relax.shape<[n + 1, 2 * n]>>
}

// CHECK-LABEL: @negate
// CHECK: relax.negate %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @negate(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.negate %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @exp
// CHECK: relax.exp %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @exp(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.exp %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @sqrt
// CHECK: relax.sqrt %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @sqrt(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.sqrt %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @rsqrt
// CHECK: relax.rsqrt %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @rsqrt(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.rsqrt %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @relu
// CHECK: relax.relu %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @relu(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.relu %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @sigmoid
// CHECK: relax.sigmoid %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @sigmoid(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.sigmoid %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @tanh
// CHECK: relax.tanh %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @tanh(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.tanh %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @silu
// CHECK: relax.silu %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @silu(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.silu %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @gelu
// CHECK: relax.gelu %arg0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @gelu(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  %r = relax.gelu %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @cast
// CHECK: relax.cast %arg0 : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
func.func @cast(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x4xf16, #relax.shape<[n, 4]>>) {
  %r = relax.cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf16, #relax.shape<[n, 4]>>
}
