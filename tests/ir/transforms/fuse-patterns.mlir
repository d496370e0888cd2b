// RUN: relax-opt %s --relax-fuse-patterns=patterns=%S/Inputs/fuse.pdll | FileCheck %s
// RUN: relax-opt %s "--relax-pipeline=fusion-patterns=%S/Inputs/fuse.pdll libraries=openblas" | FileCheck %s --check-prefix=KERNEL
// RUN: not relax-opt %s --relax-fuse-patterns=patterns=%S/Inputs/fuse-unknown.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relax-opt %s --relax-fuse-patterns=patterns=/nowhere.pdll 2>&1 | FileCheck %s --check-prefix=MISSING

// NAME: fuse-unknown.mlir: there is no 'Claimable' for patterns; there are ElementType, Fusible, Rank, SameShape
// MISSING: /nowhere.pdll: no such file

!x = tensor<?x64xf32, #relax.shape<[t, 64]>>
!w = tensor<64x32xf32>
!y = tensor<?x32xf32, #relax.shape<[t, 32]>>

// CHECK-LABEL: func.func @mine
// CHECK-NEXT:    %[[A:.*]] = relax.call @pattern_group(%arg0, %arg1)
// CHECK-NEXT:    %[[B:.*]] = relax.call @pattern_group(%arg2, %arg1)
// CHECK-NEXT:    relax.add %[[A]], %[[B]]
// One kernel for both calls, and no library takes the product out of it.
// KERNEL-LABEL: func.func @mine
// KERNEL:         relax.call_kernel @[[K:[a-z_0-9]+]](%arg0, %arg1)
// KERNEL:         relax.call_kernel @[[K]]
// KERNEL-NOT:     relax.call_library
func.func @mine(%x: !x, %w: !w, %t: !x) -> !y
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.tanh %x : (!x) -> !x
  %1 = relax.matmul %0, %w : (!x, !w) -> !y
  %2 = relax.relu %1 : (!y) -> !y
  %3 = relax.tanh %t : (!x) -> !x
  %4 = relax.matmul %3, %w : (!x, !w) -> !y
  %5 = relax.relu %4 : (!y) -> !y
  %6 = relax.add %2, %5 : (!y, !y) -> !y
  return %6 : !y
}

// A size that is an expression is a symbol of the group.
// CHECK-LABEL: func.func @expression
// KERNEL-LABEL: func.func @expression
// CHECK:         relax.call @pattern_group(%arg0, %arg1)
func.func @expression(%x: tensor<?x64xf32, #relax.shape<[2 * t, 64]>>, %w: !w, %n: tensor<?xf32, #relax.shape<[t]>>) -> tensor<?x32xf32, #relax.shape<[2 * t, 32]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.tanh %x : (tensor<?x64xf32, #relax.shape<[2 * t, 64]>>) -> tensor<?x64xf32, #relax.shape<[2 * t, 64]>>
  %1 = relax.matmul %0, %w : (tensor<?x64xf32, #relax.shape<[2 * t, 64]>>, !w) -> tensor<?x32xf32, #relax.shape<[2 * t, 32]>>
  %2 = relax.relu %1 : (tensor<?x32xf32, #relax.shape<[2 * t, 32]>>) -> tensor<?x32xf32, #relax.shape<[2 * t, 32]>>
  return %2 : tensor<?x32xf32, #relax.shape<[2 * t, 32]>>
}

// What lies inside is needed outside: no group.
// CHECK-LABEL: func.func @shared
// CHECK-NOT:     relax.call @
// CHECK:         return
func.func @shared(%x: !x, %w: !w) -> (!x, !y) attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.tanh %x : (!x) -> !x
  %1 = relax.matmul %0, %w : (!x, !w) -> !y
  %2 = relax.relu %1 : (!y) -> !y
  return %0, %2 : !x, !y
}

// Not of this type.
// CHECK-LABEL: func.func @other_type
// CHECK-NOT:     relax.call @
// CHECK:         return
func.func @other_type(%x: tensor<?x64xf64, #relax.shape<[t, 64]>>, %w: tensor<64x32xf64>) -> tensor<?x32xf64, #relax.shape<[t, 32]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.tanh %x : (tensor<?x64xf64, #relax.shape<[t, 64]>>) -> tensor<?x64xf64, #relax.shape<[t, 64]>>
  %1 = relax.matmul %0, %w : (tensor<?x64xf64, #relax.shape<[t, 64]>>, tensor<64x32xf64>) -> tensor<?x32xf64, #relax.shape<[t, 32]>>
  %2 = relax.relu %1 : (tensor<?x32xf64, #relax.shape<[t, 32]>>) -> tensor<?x32xf64, #relax.shape<[t, 32]>>
  return %2 : tensor<?x32xf64, #relax.shape<[t, 32]>>
}

// CHECK:       func.func private @pattern_group(%arg0: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %arg1: tensor<64x32xf32>)
// CHECK-SAME:    attributes {relax.group, relax.symbols = #relax.symbols<s0 = [0, ?]>}
// CHECK-NEXT:    relax.tanh
// CHECK-NEXT:    relax.matmul
// CHECK-NEXT:    relax.relu
// CHECK-NOT:   func.func private
