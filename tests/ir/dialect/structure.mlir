// RUN: relax-opt %s --relax-verify | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: func.func private @double
func.func private @double(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  // CHECK: relax.symbol_value <s0>
  %n = relax.symbol_value #relax.expr<s0>
  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #relax.shape<[s0]>>) outs(%e : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  return %r : tensor<?xf32, #relax.shape<[s0]>>
}

// CHECK-LABEL: func.func @graph
func.func @graph(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %s: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 10]>} {
  // CHECK: %[[FLOW:.*]]:2 = relax.dataflow -> tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>> {
  %0:2 = relax.dataflow -> tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>> {
    // CHECK: %[[CALL:.*]] = relax.call_kernel @double(%arg0) {symbols = [#relax.expr<2 * n>]} : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    %a = relax.call_kernel @double(%x) {symbols = [#relax.expr<2 * n>]}
        : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    // CHECK: relax.call_library "scale"(%[[CALL]]) {factor = 2 : i64} :
    %b = relax.call_library "scale"(%a) {factor = 2}
        : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    // CHECK: relax.yield
    relax.yield %a, %b : tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>>
  }
  // CHECK: relax.call_kernel @double(%[[FLOW]]#1) {donates = array<i64: 0>, storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<2 * n>]}
  %1 = relax.call_kernel @double(%0#1) {symbols = [#relax.expr<2 * n>], donates = array<i64: 0>,
                                        storage = [#relax.storage<arena, 0>]}
      : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %1 : tensor<?xf32, #relax.shape<[2 * n]>>
}

// A call binds the callee's symbols from the operands' types, later parameters included.
func.func private @callee(tensor<?xf32, #relax.shape<[n + m]>>, tensor<?x?xf32, #relax.shape<[n, m]>>)
    -> tensor<?xf32, #relax.shape<[n * m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}

// CHECK-LABEL: func.func @caller
func.func @caller(%a: tensor<?xf32, #relax.shape<[k + 6]>>, %b: tensor<?x4xf32, #relax.shape<[k + 2, 4]>>, %s: !relax.shape<[k]>)
    -> tensor<?xf32, #relax.shape<[4 * k + 8]>>
    attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  // CHECK: relax.call @callee(%arg0, %arg1) :
  %0 = relax.call @callee(%a, %b)
      : (tensor<?xf32, #relax.shape<[k + 6]>>, tensor<?x4xf32, #relax.shape<[k + 2, 4]>>)
        -> tensor<?xf32, #relax.shape<[4 * k + 8]>>
  return %0 : tensor<?xf32, #relax.shape<[4 * k + 8]>>
}
