// RUN: relax-opt %s --relax-flatten-unknown-ranks --relax-verify | FileCheck %s

// Of a chain only the first op is flattened, and the last has a shape again.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<*xf32>) -> tensor<*xf16>
// CHECK: %[[S:.*]] = relax.shape_of %[[X]] : (tensor<*xf32>) -> !relax.shape<*>
// CHECK: %[[T:.*]] = relax.shape_to_tensor %[[S]] : (!relax.shape<*>) -> tensor<?xi64>
// CHECK: %[[P:.*]] = relax.prod %[[T]] : (tensor<?xi64>) -> tensor<i64>
// CHECK: %[[Q:.*]] = relax.reshape %[[P]] : tensor<i64> to tensor<1xi64>
// CHECK: %[[N:.*]] = relax.tensor_to_shape %[[Q]] {symbols = ["count"]}
// CHECK: %[[F:.*]] = relax.reshape_to %[[X]], %[[N]]
// CHECK: %[[E:.*]] = relax.exp %[[F]] : ({{.*}}[count]>>) -> tensor<?xf32, #relax.shape<[count]>>
// CHECK: %[[R:.*]] = relax.relu %[[E]]
// CHECK: %[[C:.*]] = relax.cast %[[R]] : tensor<?xf32, #relax.shape<[count]>> to tensor<?xf16, #relax.shape<[count]>>
// CHECK: %[[Y:.*]] = relax.reshape_to %[[C]], %[[S]] : ({{.*}}, !relax.shape<*>) -> tensor<*xf16>
// CHECK-NOT: relax.reshape_to
// CHECK: return %[[Y]]
func.func @chain(%x: tensor<*xf32>) -> tensor<*xf16> {
  %0 = relax.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  %1 = relax.relu %0 : (tensor<*xf32>) -> tensor<*xf32>
  %2 = relax.cast %1 : tensor<*xf32> to tensor<*xf16>
  return %2 : tensor<*xf16>
}

// A value that is read twice is flattened once.
// CHECK-LABEL: func.func @twice
// CHECK: relax.tensor_to_shape
// CHECK-NOT: relax.tensor_to_shape
// CHECK: relax.is_nan {{.*}} -> tensor<?xi1
// CHECK: relax.tuple
func.func @twice(%x: tensor<*xf32>) -> tuple<tensor<*xf32>, tensor<*xi1>> {
  %0 = relax.negate %x : (tensor<*xf32>) -> tensor<*xf32>
  %1 = relax.is_nan %x : (tensor<*xf32>) -> tensor<*xi1>
  %2 = relax.tuple %0, %1 : (tensor<*xf32>, tensor<*xi1>) -> tuple<tensor<*xf32>, tensor<*xi1>>
  return %2 : tuple<tensor<*xf32>, tensor<*xi1>>
}

// What has a rank stays as it is.
// CHECK-LABEL: func.func @ranked
// CHECK-NEXT: relax.exp
// CHECK-NEXT: return
func.func @ranked(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = relax.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
