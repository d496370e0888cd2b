// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-schedule-kernels | FileCheck %s

// One that needs another's result isn't its sibling, nor is one of another input.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: relax.call_kernel @packed_matmul
func.func @apart(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %y: tensor<?x64xf32, #relax.shape<[t, 64]>>, %a: tensor<4x640xi8>)
    -> (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %c = relax.constant <"w", file = 0, offset = 0, size = 2560, hash = ""> : tensor<4x640xi8>
  %0 = relax.packed_matmul %x, %c {format = "q4_1", rows = 64 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<4x640xi8>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %1 = relax.packed_matmul %0, %c {format = "q4_1", rows = 64 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<4x640xi8>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %2 = relax.packed_matmul %y, %c {format = "q4_1", rows = 64 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<4x640xi8>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %1, %2 : tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// Three products of one input are one kernel: the units of the parts come one after the other, and
// equal parts are one function.
// CHECK-LABEL: func.func @projections
// CHECK-NEXT: %[[R:.*]]:3 = relax.call_kernel @[[KERNEL:.*]](%arg0, %arg1, %arg2, %arg3) {symbols = [#relax.expr<t>]}
// CHECK: func.func private @[[KERNEL]].part(
// CHECK-SAME: relax.kernel_part
// CHECK-SAME: relax.strategy = "packed-matmul"
// CHECK: func.func private @[[KERNEL]].part1(
// CHECK-NOT: part2(
// CHECK: func.func private @[[KERNEL]](
// CHECK-SAME: relax.parallel_extent = #relax.expr<10>
// CHECK-SAME: relax.strategy = "siblings"
// CHECK: call @[[KERNEL]].part(
// CHECK: call @[[KERNEL]].part1(
// CHECK: call @[[KERNEL]].part1(
func.func @projections(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %a: tensor<6x640xi8>, %b: tensor<2x640xi8>, %c: tensor<2x640xi8>)
    -> (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x32xf32, #relax.shape<[t, 32]>>, tensor<?x32xf32, #relax.shape<[t, 32]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %0 = relax.packed_matmul %x, %a {format = "q4_1", rows = 96 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<6x640xi8>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %1 = relax.packed_matmul %x, %b {format = "q4_1", rows = 32 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[t, 32]>>
  %2 = relax.packed_matmul %x, %c {format = "q4_1", rows = 32 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[t, 32]>>
  return %0, %1, %2 : tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x32xf32, #relax.shape<[t, 32]>>, tensor<?x32xf32, #relax.shape<[t, 32]>>
}
