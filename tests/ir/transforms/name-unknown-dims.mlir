// RUN: relax-opt %s --relax-name-unknown-dims | FileCheck %s

// CHECK-LABEL: func.func @argument
// CHECK-NEXT: %[[A:.*]] = relax.match_cast %{{.*}} : tensor<?x4xf32> to tensor<?x4xf32, #relax.shape<[x_0, 4]>>
// CHECK-NEXT: %[[B:.*]] = relax.exp %[[A]] : {{.*}} -> tensor<?x4xf32, #relax.shape<[x_0, 4]>>
// CHECK-NEXT: %[[C:.*]] = relax.add %[[B]], %[[A]] : {{.*}} -> tensor<?x4xf32, #relax.shape<[x_0, 4]>>
// CHECK-NEXT: %[[E:.*]] = relax.erase %[[C]] : {{.*}} to tensor<?x4xf32>
// CHECK-NEXT: return %[[E]] : tensor<?x4xf32>
func.func @argument(%x: tensor<?x4xf32> {relax.name = "x"}) -> tensor<?x4xf32> {
  %a = relax.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = relax.add %a, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// Two lengths: they broadcast under a constraint, after which the sum has a size.
// CHECK-LABEL: func.func @pair
// CHECK: relax.add %{{.*}} -> tensor<?xf32, #relax.shape<[min(arg0_0, arg1_0, 1) - min(max(arg0_0, arg1_0), 1) + max(arg0_0, arg1_0)]>>
func.func @pair(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = relax.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// What a branch gives, and what a loop carries, are named where they come.
// CHECK-LABEL: func.func @control
// CHECK: %[[R:.*]] = relax.if
// CHECK: %[[N:.*]] = relax.match_cast %[[R]] : tensor<?xf32> to tensor<?xf32, #relax.shape<[u_0]>>
// CHECK: relax.exp %[[N]]
// CHECK: relax.while (%{{.*}} = %{{.*}}) : ({{.*}}) -> (tensor<?xf32>)
// CHECK: do
// CHECK: relax.match_cast %{{.*}} : tensor<?xf32> to tensor<?xf32, #relax.shape<[u_0_1]>>
func.func @control(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?xf32> {
    %a = relax.concat %x, %x : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>)
        -> tensor<?xf32, #relax.shape<[2 * n]>>
    relax.yield %a : tensor<?xf32, #relax.shape<[2 * n]>>
  } else {
    relax.yield %x : tensor<?xf32, #relax.shape<[n]>>
  }
  %e = relax.exp %r : (tensor<?xf32>) -> tensor<?xf32>
  %w = relax.while (%v = %e) : (tensor<?xf32>) {
    relax.condition %c : tensor<i1>
  } do {
    %d = relax.exp %v : (tensor<?xf32>) -> tensor<?xf32>
    relax.yield %d : tensor<?xf32>
  }
  return %w : tensor<?xf32>
}

// What is only passed on needs no name, and known sizes get none.
// CHECK-LABEL: func.func @passed
// CHECK-NOT: match_cast
// CHECK: return
func.func @passed(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.shape<[n]>>)
    -> (tuple<tensor<?xf32>>, tensor<?xf32, #relax.shape<[n]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %t = relax.tuple %x : (tensor<?xf32>) -> tuple<tensor<?xf32>>
  %e = relax.exp %y : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %t, %e : tuple<tensor<?xf32>>, tensor<?xf32, #relax.shape<[n]>>
}

// A reshape's one unknown dimension follows from the number of elements.
// CHECK-LABEL: func.func @reshape
// CHECK: relax.reshape %{{.*}} to tensor<?x4xf32, #relax.shape<[floordiv(arg0_0 * arg0_1, 4), 4]>>
func.func @reshape(%x: tensor<?x?xf32>) -> tensor<?x4xf32> {
  %r = relax.reshape %x : tensor<?x?xf32> to tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Rows of x's new name: those that read the stack still see y's size, which is compared.
// CHECK-LABEL: func.func @stated
// CHECK: relax.stack {{.*}} -> tensor<2x?xf32, #relax.shape<[2, arg0_0]>>
// CHECK: relax.match_cast {{.*}} : tensor<2x?xf32, #relax.shape<[2, arg0_0]>> to tensor<2x?xf32, #relax.shape<[2, m]>>
// CHECK: relax.erase
func.func @stated(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32, #relax.shape<[?, m]>>
    attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.stack %x, %y : (tensor<?xf32>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<2x?xf32, #relax.shape<[2, m]>>
  %1 = relax.erase %0 : tensor<2x?xf32, #relax.shape<[2, m]>> to tensor<?x?xf32, #relax.shape<[?, m]>>
  return %1 : tensor<?x?xf32, #relax.shape<[?, m]>>
}
