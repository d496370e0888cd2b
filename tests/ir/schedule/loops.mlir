// RUN: relax-opt %s --relax-schedule-kernels --split-input-file --verify-diagnostics | FileCheck %s

// A tensor that a loop carries is its result's memory; nothing is copied.
// CHECK-LABEL: func.func private @running_sum(
// CHECK-SAME:    relax.parallel_extent = #relax.expr<1>
// CHECK-SAME:    relax.strategy = "loops"
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} -> (f32)
// CHECK-NEXT:        memref.load %arg0
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        memref.store %{{.*}}, %arg1
// CHECK-NEXT:        scf.yield
// CHECK-NOT:     memref.copy
func.func private @running_sum(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %y, %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e, %sum = %zero) -> (tensor<?xf32, #relax.shape<[s0]>>, f32) {
    %v = tensor.extract %x[%i] : tensor<?xf32, #relax.shape<[s0]>>
    %next = arith.addf %sum, %v : f32
    %u = tensor.insert %next into %t[%i] : tensor<?xf32, #relax.shape<[s0]>>
    scf.yield %u, %next : tensor<?xf32, #relax.shape<[s0]>>, f32
  }
  return %y : tensor<?xf32, #relax.shape<[s0]>>
}

// -----

// The outermost scf.forall gives the units, its iterations in row-major order.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    relax.parallel_extent = #relax.expr<2 * s0>
// CHECK:         scf.for %[[UNIT:.*]] = %arg3 to %arg4
// CHECK-NEXT:      arith.remui %[[UNIT]]
// CHECK-NEXT:      arith.divui %[[UNIT]]
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     memref.copy
func.func private @rows(%x: tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>) -> tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty(%n) : tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>
  %y = scf.forall (%r, %q) in (%n, 2) shared_outs(%o = %e) -> (tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>) {
    %row = tensor.extract_slice %o[%r, %q, 0] [1, 1, 8] [1, 1, 1] : tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>> to tensor<8xf32>
    %z = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %row) -> (tensor<8xf32>) {
      %v = tensor.extract %x[%r, %q, %i] : tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>
      %u = tensor.insert %v into %t[%i] : tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %o[%r, %q, 0] [1, 1, 8] [1, 1, 1] : tensor<8xf32> into tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>
    }
  }
  return %y : tensor<?x2x8xf32, #relax.shape<[s0, 2, 8]>>
}

// -----

// A kernel can't allocate: relax-lift-workspace comes first.
func.func private @workspace(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<f32>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{needs a buffer of its own, of type 'memref<?xf32>'; a tensor program can't allocate: relax-lift-workspace gives it memory of its caller, or return the tensor as an additional result, which is then scratch memory that the caller provides}}
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e) -> (tensor<?xf32, #relax.shape<[s0]>>) {
    %v = tensor.extract %x[%i] : tensor<?xf32, #relax.shape<[s0]>>
    %u = tensor.insert %v into %o[%i] : tensor<?xf32, #relax.shape<[s0]>>
    scf.yield %u : tensor<?xf32, #relax.shape<[s0]>>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
    %v = tensor.extract %t[%i] : tensor<?xf32, #relax.shape<[s0]>>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  %r = tensor.empty() : tensor<f32>
  %y = tensor.insert %s into %r[] : tensor<f32>
  return %y : tensor<f32>
}
