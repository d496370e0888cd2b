// RUN: relax-opt %s --relax-inline-dataflow | FileCheck %s

// CHECK-LABEL: func.func @nested
// CHECK-NOT: relax.dataflow
// CHECK-NEXT: %[[A:.*]] = relax.exp %arg0
// CHECK-NEXT: %[[B:.*]] = relax.tanh %[[A]]
// CHECK-NEXT: return %[[B]], %[[A]]
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = relax.dataflow -> tensor<4xf32>, tensor<4xf32> {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.dataflow -> tensor<4xf32> {
      %c = relax.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
      relax.yield %c : tensor<4xf32>
    }
    relax.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty() {
  relax.dataflow {
    relax.yield
  }
  return
}
