// RUN: relax-opt %s --relax-raise-loops --relax-verify | FileCheck %s
// RUN: relax-opt %s --relax-classify-kernels | FileCheck %s --check-prefix=KIND

// Each element is stored once, at its own place: a structured op, whose operands are what is read
// at the loops' indices. The order of the loops doesn't matter.
// CHECK-LABEL: func.func private @scaled
// CHECK: linalg.generic {indexing_maps = [#[[ROW:.*]], #[[FULL:.*]], #[[FULL]]], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg0
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func private @decode
// KIND: @scaled{{.*}}relax.kind = "broadcast"
func.func private @scaled(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>, %w: tensor<8xf32>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : tensor<?x8xf32, #relax.shape<[s0, 8]>>
  %y = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %e) -> tensor<?x8xf32, #relax.shape<[s0, 8]>> {
    %s = tensor.extract %w[%j] : tensor<8xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<?x8xf32, #relax.shape<[s0, 8]>> {
      %v = tensor.extract %x[%i, %j] : tensor<?x8xf32, #relax.shape<[s0, 8]>>
      %p = arith.mulf %v, %s : f32
      %t = tensor.insert %p into %b[%i, %j] : tensor<?x8xf32, #relax.shape<[s0, 8]>>
      scf.yield %t : tensor<?x8xf32, #relax.shape<[s0, 8]>>
    }
    scf.yield %r : tensor<?x8xf32, #relax.shape<[s0, 8]>>
  }
  return %y : tensor<?x8xf32, #relax.shape<[s0, 8]>>
}

// Elements from elsewhere stay reads of their own.
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: tensor.extract %arg0
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func private @running_sum
// KIND: @decode{{.*}}relax.kind = "injective"
func.func private @decode(%x: tensor<4xi8>) -> tensor<8xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xf32>
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> tensor<8xf32> {
    %h = arith.divui %i, %c2 : index
    %b = tensor.extract %x[%h] : tensor<4xi8>
    %f = arith.uitofp %b : i8 to f32
    %t = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// What reads what the loop makes has an order.
// CHECK: scf.for
// KIND: @running_sum{{.*}}relax.kind = "opaque"
func.func private @running_sum(%x: tensor<8xf32>) -> tensor<8xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %h = arith.subi %i, %c1 : index
    %p = tensor.extract %a[%h] : tensor<8xf32>
    %v = tensor.extract %a[%i] : tensor<8xf32>
    %s = arith.addf %p, %v : f32
    %t = tensor.insert %s into %a[%i] : tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// A sum of each row keeps the order that it says, and is known to be a reduction.
// CHECK-LABEL: func.func private @row_sums
// CHECK: scf.for
// CHECK: scf.for
// KIND: @row_sums{{.*}}relax.kind = "reduction"
func.func private @row_sums(%x: tensor<4x8xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %e) -> tensor<4xf32> {
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> f32 {
      %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
      %n = arith.addf %acc, %v : f32
      scf.yield %n : f32
    }
    %t = tensor.insert %s into %a[%i] : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// A part of the tensor keeps what was there before.
// CHECK-LABEL: func.func private @part
// CHECK: scf.for
// KIND: @part{{.*}}relax.kind = "opaque"
func.func private @part(%x: tensor<8xf32>) -> tensor<8xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %v = tensor.extract %x[%i] : tensor<8xf32>
    %n = arith.negf %v : f32
    %t = tensor.insert %n into %a[%i] : tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
