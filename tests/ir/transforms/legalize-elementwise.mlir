// RUN: relax-opt %s --relax-legalize --split-input-file | FileCheck %s

// Extents n and m: where one of them is 1, only the run time knows. The operand is read at 0 then.
// CHECK-LABEL: func.func private @add
// CHECK-SAME: relax.kernel_symbols = ["s0", "s1"]
// CHECK-DAG: %[[N:.*]] = relax.symbol_value <s0>
// CHECK-DAG: %[[M:.*]] = relax.symbol_value <s1>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} outs
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[N]], %
// CHECK: %[[AT:.*]] = arith.select %[[ONE]], %{{.*}}, %[[ROW]]
// CHECK: tensor.extract %arg0[%[[AT]],
// CHECK: arith.cmpi eq, %[[M]]
// CHECK: tensor.extract %arg1[
func.func @unequal(%x: tensor<?x3xf32, #relax.shape<[n, 3]>>, %y: tensor<?x3xf32, #relax.shape<[m, 3]>>)
    -> tensor<?x3xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 3]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.add %x, %y : (tensor<?x3xf32, #relax.shape<[n, 3]>>, tensor<?x3xf32, #relax.shape<[m, 3]>>) -> tensor<?x3xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 3]>>
  return %0 : tensor<?x3xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 3]>>
}

// -----

// Where the extents are equal, or one is the constant 1, maps say it, and nothing is extracted.
// CHECK-LABEL: func.func private @multiply
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1
// CHECK: return
func.func @maps(%x: tensor<?x1xf32, #relax.shape<[n, 1]>>, %y: tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<?x3xf32, #relax.shape<[n, 3]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.multiply %x, %y : (tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<?x3xf32, #relax.shape<[n, 3]>>
  return %0 : tensor<?x3xf32, #relax.shape<[n, 3]>>
}

// -----

// uint8 is i8 inside a program, which compares without a sign.
// CHECK-LABEL: func.func private @less
// CHECK-SAME: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> tensor<4xi1>
// CHECK: arith.cmpi ult
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xi1> {
  %0 = relax.less %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// float16 is computed in float32 and rounded once.
// CHECK-LABEL: func.func private @silu
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NOT: f16
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @narrow(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = relax.silu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// What has the shape of another tensor doesn't read it.
// CHECK-LABEL: func.func @like
// CHECK-NEXT: %[[R:.*]] = relax.call_kernel @full() {symbols = [#relax.expr<n>]}
// CHECK-NEXT: return %[[R]]
func.func @like(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xi64, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.full_like %x {value = 3 : i64} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xi64, #relax.shape<[n]>>
  return %0 : tensor<?xi64, #relax.shape<[n]>>
}
