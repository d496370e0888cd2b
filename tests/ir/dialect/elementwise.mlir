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

// Shapes broadcast. Where only the run time knows which dimensions are 1, the result says so.
// CHECK-LABEL: @broadcast
// CHECK: relax.add {{.*}} -> tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>
// CHECK: relax.multiply {{.*}} -> tensor<?x4xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 4]>>
// CHECK: relax.less {{.*}} -> tensor<?x4xi1, #relax.shape<[n, 4]>>
func.func @broadcast(%a: tensor<?x1x4xf32, #relax.shape<[n, 1, 4]>>, %b: tensor<3x1xf32>, %c: tensor<?x4xf32, #relax.shape<[n, 4]>>, %d: tensor<?x4xf32, #relax.shape<[m, 4]>>, %e: tensor<f32>) {
  %0 = relax.add %a, %b : (tensor<?x1x4xf32, #relax.shape<[n, 1, 4]>>, tensor<3x1xf32>) -> tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>
  %1 = relax.multiply %c, %d : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<?x4xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 4]>>
  %2 = relax.less %c, %e : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<f32>) -> tensor<?x4xi1, #relax.shape<[n, 4]>>
  return
}

// A constant other than 1 is what the other dimension is, or would be repeated to.
// CHECK-LABEL: @broadcast_constant
// CHECK: relax.add {{.*}} -> tensor<5xf32>
func.func @broadcast_constant(%a: tensor<?xf32, #relax.shape<[n]>>, %b: tensor<5xf32>) {
  %0 = relax.add %a, %b : (tensor<?xf32, #relax.shape<[n]>>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// Dimensions without a name.
// CHECK-LABEL: @unknown
// CHECK: relax.negate {{.*}} -> tensor<?x4xf32>
// CHECK: relax.add {{.*}} -> tensor<?x4xf32>
// CHECK: relax.subtract {{.*}} -> tensor<7x4xf32>
// CHECK: relax.where {{.*}} -> tensor<?x4xf32>
func.func @unknown(%a: tensor<?x4xf32>, %b: tensor<?x?xf32>, %c: tensor<7x1xf32>, %d: tensor<?x1xi1>) {
  %0 = relax.negate %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = relax.add %a, %b : (tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x4xf32>
  %2 = relax.subtract %a, %c : (tensor<?x4xf32>, tensor<7x1xf32>) -> tensor<7x4xf32>
  %3 = relax.where %d, %a, %b : (tensor<?x1xi1>, tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @attributes
// CHECK: relax.gelu %{{.*}} {exact}
// CHECK: relax.leaky_relu %{{.*}} {alpha = 1.000000e-01 : f64}
// CHECK: relax.clip %{{.*}} {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
// CHECK: relax.clip %{{.*}} {min = 3 : i64}
// CHECK: relax.is_nan {{.*}} -> tensor<4xi1>
func.func @attributes(%x: tensor<4xf32>, %i: tensor<4xui8>) {
  %0 = relax.gelu %x {exact} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.leaky_relu %x {alpha = 0.1 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.clip %x {min = 0.0 : f64, max = 6.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relax.clip %i {min = 3 : i64} : (tensor<4xui8>) -> tensor<4xui8>
  %4 = relax.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
  return
}
