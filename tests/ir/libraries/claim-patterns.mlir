// RUN: relax-opt %s --relax-claim-library=patterns=%S/Inputs/patterns.pdll,%S/Inputs/patterns.mlir | FileCheck %s
// RUN: relax-opt %s "--relax-claim-library=libraries=onednn patterns=%S/Inputs/patterns.pdll" | FileCheck %s --check-prefix=BOTH
// RUN: not relax-opt %s --relax-claim-library=patterns=/nowhere.pdll 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not relax-opt %s --relax-claim-library=patterns=%s 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not relax-opt %s --relax-claim-library=patterns=%S/Inputs/unknown.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: relax-opt %s --relax-claim-library=patterns=%S/Inputs/wrong-claim.mlir 2>&1 | FileCheck %s --check-prefix=CLAIM

// NAME: unknown.mlir: there is no 'Nowhere' for patterns; there are Claimable, ElementType, Rank, SameShape
// CLAIM: warning: a library pattern isn't applied: `when` compares expressions over x<operand>_<dimension> with integers; found 'x7_0': there is no dimension 'x7_0'
// CLAIM-NOT: relax.call_library
// MISSING: /nowhere.pdll: no such file
// EMPTY: has no pattern

// CHECK-LABEL: func.func @mine
// CHECK:         relax.call_library "mine.relu_product"(%arg0, %arg1)
// CHECK-SAME:      alpha = 3 : i64
// CHECK-SAME:      at_least = array<i64: 5, 100>
// CHECK-SAME:      when = [#relax.expr<t>, #relax.expr<512 * t>]
// CHECK-NOT:     relax.matmul
// A user's pattern comes before the table.
// BOTH-LABEL:  func.func @mine
// BOTH:          relax.call_library "mine.relu_product"
func.func @mine(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<256x512xf32>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %1 = relax.relu %0 : (tensor<?x512xf32, #relax.shape<[t, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %1 : tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// CHECK-LABEL: func.func @softmax
// CHECK:         relax.call_library "mine.softmax"(%arg0) : (
func.func @softmax(%x: tensor<?x8xf32, #relax.shape<[t, 8]>>) -> tensor<?x8xf32, #relax.shape<[t, 8]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %y = relax.softmax %x {axis = 1 : i64} : (tensor<?x8xf32, #relax.shape<[t, 8]>>) -> tensor<?x8xf32, #relax.shape<[t, 8]>>
  return %y : tensor<?x8xf32, #relax.shape<[t, 8]>>
}

// Not of this type.
// CHECK-LABEL: func.func @other_type
// CHECK-NOT:     relax.call_library
// CHECK:         return
func.func @other_type(%x: tensor<?x256xf64, #relax.shape<[t, 256]>>, %w: tensor<256x512xf64>)
    -> tensor<?x512xf64, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.matmul %x, %w : (tensor<?x256xf64, #relax.shape<[t, 256]>>, tensor<256x512xf64>) -> tensor<?x512xf64, #relax.shape<[t, 512]>>
  %1 = relax.relu %0 : (tensor<?x512xf64, #relax.shape<[t, 512]>>) -> tensor<?x512xf64, #relax.shape<[t, 512]>>
  return %1 : tensor<?x512xf64, #relax.shape<[t, 512]>>
}
