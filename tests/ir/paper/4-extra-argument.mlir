// RUN: relax-opt %s --split-input-file --relax-verify | relax-opt --split-input-file --relax-verify | FileCheck %s

// add and relu on extent 2 * n. Before: two calls of programs.
func.func private @add(tensor<?xf32, #relax.shape<[s0]>>, tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func private @relu(tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @add
// CHECK: relax.call_kernel @relu
func.func @main(%s: !relax.shape<[n]>, %x: tensor<?xf32, #relax.shape<[2 * n]>>, %y: tensor<?xf32, #relax.shape<[2 * n]>>)
    -> tensor<?xf32, #relax.shape<[2 * n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<2 * n>]}
      : (tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  %1 = relax.call_kernel @relu(%0) {symbols = [#relax.expr<2 * n>]}
      : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %1 : tensor<?xf32, #relax.shape<[2 * n]>>
}

// -----

// After: the group is a function of its own. No tensor that it gets has the extent n, so nothing
// would bind n there (rule R19): the group takes it as an extra argument, a shape.
func.func private @add(tensor<?xf32, #relax.shape<[s0]>>, tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func private @relu(tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
// CHECK-LABEL: func.func private @fused_add_relu
// CHECK-SAME: %{{.*}}: tensor<?xf32, #relax.shape<[2 * n]>>, %{{.*}}: tensor<?xf32, #relax.shape<[2 * n]>>, %{{.*}}: !relax.shape<[n]>
func.func private @fused_add_relu(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %y: tensor<?xf32, #relax.shape<[2 * n]>>, %s: !relax.shape<[n]>)
    -> tensor<?xf32, #relax.shape<[2 * n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<2 * n>]}
      : (tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  %1 = relax.call_kernel @relu(%0) {symbols = [#relax.expr<2 * n>]}
      : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %1 : tensor<?xf32, #relax.shape<[2 * n]>>
}
// CHECK-LABEL: func.func @main
// CHECK: %[[N:.*]] = relax.shape <[n]>
// CHECK: relax.call @fused_add_relu(%{{.*}}, %{{.*}}, %[[N]])
func.func @main(%s: !relax.shape<[n]>, %x: tensor<?xf32, #relax.shape<[2 * n]>>, %y: tensor<?xf32, #relax.shape<[2 * n]>>)
    -> tensor<?xf32, #relax.shape<[2 * n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %n = relax.shape <[n]>
  %0 = relax.call @fused_add_relu(%x, %y, %n)
      : (tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>>, !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %0 : tensor<?xf32, #relax.shape<[2 * n]>>
}
