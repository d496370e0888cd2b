// RUN: relax-opt %s --relax-lift-workspace --relax-verify --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-lift-workspace --relax-plan-memory --relax-check-memory-plan --relax-schedule-kernels --split-input-file | FileCheck %s --check-prefix=KERNEL

// The program keeps a copy of x beside its result: n floats, which its callers give it.
!x = tensor<?xf32, #relax.shape<[s0]>>
// CHECK-LABEL: func.func private @scratch
// CHECK-SAME:    -> (tensor<f32>, tensor<?xi8, #relax.shape<[64 * ceildiv(s0, 16)]>>)
// CHECK-SAME:    relax.workspace
// CHECK:         %[[W:.*]] = tensor.empty(%{{.*}}) : tensor<?xi8
// CHECK:         return %{{.*}}, %[[W]]
// KERNEL-LABEL: func.func private @scratch
// KERNEL-SAME:    (%{{.*}}: memref<?xf32>, %{{.*}}: memref<f32>, %[[WS:.*]]: memref<?xi8>, %[[N:.*]]: index,
// KERNEL:         memref.view %[[WS]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
// KERNEL-NOT:     memref.alloc
func.func private @scratch(%x: !x) -> tensor<f32> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : !x
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e) -> (!x) {
    %v = tensor.extract %x[%i] : !x
    %u = tensor.insert %v into %o[%i] : !x
    scf.yield %u : !x
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
    %v = tensor.extract %t[%i] : !x
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  %r = tensor.empty() : tensor<f32>
  %y = tensor.insert %s into %r[] : tensor<f32>
  return %y : tensor<f32>
}

// Planned: part of the caller's arena.
// CHECK-LABEL: func.func @planned
// CHECK:         relax.call_kernel @scratch(%arg0) {symbols = [#relax.expr<2 * n>]} : {{.*}} -> (tensor<f32>, tensor<?xi8, #relax.shape<[64 * ceildiv(n, 8)]>>)
// KERNEL-LABEL: func.func @planned
// KERNEL-SAME:    relax.arena_size = #relax.expr<64 * ceildiv(n, 8)>
// KERNEL:         storage = [#relax.storage<result, 0>, #relax.storage<arena, 0>]
func.func @planned(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %n: tensor<?xf32, #relax.shape<[n]>>) -> tensor<f32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @scratch(%x) {symbols = [#relax.expr<2 * n>]} : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// In a branch of a general function: a tensor from the pool.
// CHECK-LABEL: func.func @branch
// CHECK:         relax.if
// CHECK:           relax.call_kernel @scratch(%arg1) {symbols = [#relax.expr<n>]} : {{.*}} -> (tensor<f32>, tensor<?xi8, #relax.shape<[64 * ceildiv(n, 16)]>>)
func.func @branch(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<f32>) -> tensor<f32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.if %c : tensor<i1> -> tensor<f32> {
    %1 = relax.call_kernel @scratch(%x) {symbols = [#relax.expr<n>]} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<f32>
    relax.yield %1 : tensor<f32>
  } else {
    relax.yield %y : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// A program that updates its result in place needs nothing.
!x = tensor<?xf32, #relax.shape<[s0]>>
// CHECK-LABEL: func.func private @running_sum
// CHECK-SAME:    -> tensor<?xf32, #relax.shape<[s0]>> attributes
// CHECK-NOT:     relax.workspace
func.func private @running_sum(%x: !x) -> !x attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : !x
  %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %o = %e) -> (f32, !x) {
    %v = tensor.extract %x[%i] : !x
    %next = arith.addf %sum, %v : f32
    %u = tensor.insert %next into %o[%i] : !x
    scf.yield %next, %u : f32, !x
  }
  return %y#1 : !x
}
