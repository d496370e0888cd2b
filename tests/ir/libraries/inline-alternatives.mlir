// RUN: relax-opt %s --relax-inline-alternatives | FileCheck %s
// RUN: relax-opt %s --relax-pipeline=libraries=onednn | FileCheck %s --check-prefix=ALL

// An alternative of one kernel is that kernel, with its symbols as this function knows them.
// CHECK-LABEL: func.func @one
// CHECK:         relax.call_library "f"(%arg0)
// CHECK-SAME:      otherwise = @k, otherwise_symbols = [#relax.expr<2 * n>]
func.func @one(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %n: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.call_library "f"(%x) {otherwise = @single, when = [#relax.expr<n>], at_least = array<i64: 3>}
      : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %y : tensor<?xf32, #relax.shape<[2 * n]>>
}

// One of several kernels stays a function.
// CHECK-LABEL: func.func @several
// CHECK:         otherwise = @double,
func.func @several(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.call_library "f"(%x) {otherwise = @double, when = [#relax.expr<n>], at_least = array<i64: 3>}
      : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %y : tensor<?xf32, #relax.shape<[n]>>
}

// CHECK-NOT: func.func private @single
func.func private @single(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.symbols = #relax.symbols<s0 = [0, ?]>} {
  %y = relax.call_kernel @k(%x) {symbols = [#relax.expr<s0>]} : (tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  return %y : tensor<?xf32, #relax.shape<[s0]>>
}
// CHECK: func.func private @double
func.func private @double(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.symbols = #relax.symbols<s0 = [0, ?]>} {
  %y = relax.call_kernel @k(%x) {symbols = [#relax.expr<s0>]} : (tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  %z = relax.call_kernel @k(%y) {symbols = [#relax.expr<s0>]} : (tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  return %z : tensor<?xf32, #relax.shape<[s0]>>
}
func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %e = linalg.exp ins(%x : tensor<?xf32, #relax.shape<[s0]>>) outs(%x : tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  return %e : tensor<?xf32, #relax.shape<[s0]>>
}

// Through the whole pipeline: what is fused into the alternative is one kernel, and planned.
// ALL-LABEL: func.func @whole
// ALL:         relax.call_library "onednn.matmul"(%arg0, %arg1, %arg2)
// ALL-SAME:      otherwise = @matmul_add_relu
// ALL-SAME:      storage = [#relax.storage<result, 0>]
// ALL-NOT:     relax.general
func.func @whole(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<256x512xf32>, %b: tensor<512xf32>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %1 = relax.add %0, %b : (tensor<?x512xf32, #relax.shape<[t, 512]>>, tensor<512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %2 = relax.relu %1 : (tensor<?x512xf32, #relax.shape<[t, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %2 : tensor<?x512xf32, #relax.shape<[t, 512]>>
}
