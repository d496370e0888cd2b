// RUN: relax-opt %s --relax-verify | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// The branches join in the lattice: what differs is unknown.
// CHECK-LABEL: @branches
// CHECK: relax.if %{{.*}} : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, ?]>> {
// CHECK:   relax.yield %{{.*}} : tensor<?x4xf32, #relax.shape<[n, 4]>>
// CHECK: } else {
// CHECK:   relax.yield %{{.*}} : tensor<?x5xf32, #relax.shape<[n, 5]>>
func.func @branches(%c: tensor<i1>, %a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x5xf32, #relax.shape<[n, 5]>>)
    -> tensor<?x?xf32, #relax.shape<[n, ?]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, ?]>> {
    %0 = relax.exp %a : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
    relax.yield %0 : tensor<?x4xf32, #relax.shape<[n, 4]>>
  } else {
    relax.yield %b : tensor<?x5xf32, #relax.shape<[n, 5]>>
  }
  return %r : tensor<?x?xf32, #relax.shape<[n, ?]>>
}

// A branch without results.
// CHECK-LABEL: @effects_only
// CHECK: relax.if %{{.*}} : tensor<i1> {
// CHECK:   relax.call_packed "log"(%{{.*}}) : (tensor<i1>) -> ()
func.func @effects_only(%c: tensor<i1>) attributes {relax.impure} {
  relax.if %c : tensor<i1> {
    relax.call_packed "log"(%c) : (tensor<i1>) -> ()
    relax.yield
  } else {
    relax.yield
  }
  return
}

// A loop-carried value whose extent grows each trip.
// CHECK-LABEL: @grow
// CHECK: relax.while (%[[C:.*]] = %arg0, %{{.*}} = %arg1) : (tensor<i1>, tensor<1xf32>) -> (tensor<i1>, tensor<?xf32>) {
// CHECK:   relax.condition %[[C]] : tensor<i1>
// CHECK: } do (%{{.*}}, %[[X:.*]]) {
// CHECK:   relax.call_packed "append"(%[[X]]) {pure} : (tensor<?xf32>) -> tensor<?xf32>
// CHECK:   relax.yield %{{.*}}, %{{.*}} : tensor<i1>, tensor<?xf32>
func.func @grow(%c: tensor<i1>, %x: tensor<1xf32>) -> tensor<?xf32> {
  %r:2 = relax.while (%go = %c, %v = %x) : (tensor<i1>, tensor<1xf32>) -> (tensor<i1>, tensor<?xf32>) {
    relax.condition %go : tensor<i1>
  } do {
    %longer = relax.call_packed "append"(%v) {pure} : (tensor<?xf32>) -> tensor<?xf32>
    %next = relax.call_packed "more"(%longer) {pure} : (tensor<?xf32>) -> tensor<i1>
    relax.yield %next, %longer : tensor<i1>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// CHECK-LABEL: @same_types
// CHECK: relax.while (%[[G:.*]] = %arg0) : (tensor<i1>) {
// CHECK: } do (%[[H:.*]]) {
// CHECK-NEXT: relax.yield %[[H]] : tensor<i1>
func.func @same_types(%c: tensor<i1>) -> tensor<i1> {
  %r = relax.while (%go = %c) : (tensor<i1>) {
    relax.condition %go : tensor<i1>
  } do (%again) {
    relax.yield %again : tensor<i1>
  }
  return %r : tensor<i1>
}
