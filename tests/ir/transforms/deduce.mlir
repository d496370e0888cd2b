// RUN: relax-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --relax-deduce --relax-verify | FileCheck %s
// RUN: relax-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --relax-deduce | relax-opt --relax-deduce --relax-verify | FileCheck %s

// Imprecise annotations become exact, through branches, tuples and dataflow blocks; the signature stays.
// CHECK-LABEL: @chain
func.func @chain(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %c: tensor<i1>) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // CHECK: relax.exp %{{.*}} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %0 = relax.exp %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x?xf32>
  // CHECK: relax.dataflow -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.dataflow -> tensor<?x?xf32> {
    %2 = relax.add %0, %x : (tensor<?x?xf32>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x?xf32>
    relax.yield %2 : tensor<?x?xf32>
  }
  // CHECK: relax.if %{{.*}} : tensor<i1> -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %3 = relax.if %c : tensor<i1> -> tensor<*xf32> {
    relax.yield %1 : tensor<?x?xf32>
  } else {
    relax.yield %x : tensor<?x4xf32, #relax.shape<[n, 4]>>
  }
  // CHECK: relax.tuple %{{.*}} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tuple<tensor<?x4xf32, #relax.shape<[n, 4]>>>
  %4 = relax.tuple %3 : (tensor<*xf32>) -> tuple<tensor<*xf32>>
  %5 = relax.tuple_get %4 {index = 0} : (tuple<tensor<*xf32>>) -> tensor<*xf32>
  // CHECK: %[[E:.*]] = relax.erase %{{.*}} : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x?xf32>
  // CHECK: return %[[E]]
  %6 = relax.exp %5 : (tensor<*xf32>) -> tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}

// A call follows from the signature alone; of a branch's symbol nothing is known after it.
func.func private @twice(tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[2 * k]>>
    attributes {relax.symbols = #relax.symbols<k = [0, ?]>}
// CHECK-LABEL: @calls
func.func @calls(%x: tensor<?xf32>, %c: tensor<i1>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // CHECK: relax.if %{{.*}} : tensor<i1> -> tensor<?xf32>
  %0 = relax.if %c : tensor<i1> -> tensor<?xf32> {
    %1 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
    // CHECK: relax.call @twice(%{{.*}}) : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[2 * m]>>
    %2 = relax.call @twice(%1) : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32>
    relax.yield %2 : tensor<?xf32>
  } else {
    relax.yield %x : tensor<?xf32>
  }
  // CHECK: relax.function @twice : (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[2 * k]>>
  %f = relax.function @twice : (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32>
  // CHECK: relax.call_indirect %{{.*}}(%{{.*}}) : {{.*}}, (tensor<?xf32>) -> tensor<?xf32>
  %g = relax.call_indirect %f(%0) : (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32>, (tensor<?xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @cast
// CHECK: relax.cast %{{.*}} : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf16, #relax.shape<[n]>>
func.func @cast(%x: tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.exp %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32>
  %1 = relax.cast %0 : tensor<?xf32> to tensor<?xf16>
  return
}

// What isn't proved on the way into a signature's result is checked.
// CHECK-LABEL: @promise
// CHECK: relax.match_cast %{{.*}} : tensor<?xf32> to tensor<?xf32, #relax.shape<[n]>>
func.func @promise(%x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.exp %y : (tensor<?xf32>) -> tensor<?xf32, #relax.shape<[n]>>
  return %0 : tensor<?xf32, #relax.shape<[n]>>
}

// A tensor program is given what it was given before.
func.func private @program(tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
// CHECK-LABEL: @keeps
// CHECK: %[[R:.*]] = relax.exp %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[M:.*]] = relax.match_cast %[[R]] : tensor<4xf32> to tensor<?xf32, #relax.shape<[n]>>
// CHECK: relax.call_kernel @program(%[[M]])
func.func @keeps(%s: !relax.shape<[n]>, %x: tensor<4xf32>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<?xf32, #relax.shape<[n]>>
  %1 = relax.call_kernel @program(%0) {symbols = [#relax.expr<n>]} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}

// A loop that keeps the extent of what it carries; one that doesn't stays as it is.
// CHECK-LABEL: @loop
// CHECK: relax.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i1>, tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xf32>) -> (tensor<i1>, tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xf32>) {
// CHECK: relax.exp {{.*}} -> tensor<?x4xf32, #relax.shape<[n, 4]>>
// CHECK: relax.add {{.*}} -> tensor<?xf32>
func.func @loop(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %c: tensor<i1>, %v: tensor<1xf32>, %w: tensor<?xf32>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r:3 = relax.while (%go = %c, %a = %x, %b = %v) : (tensor<i1>, tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xf32>) -> (tensor<i1>, tensor<?x?xf32>, tensor<?xf32>) {
    relax.condition %go : tensor<i1>
  } do {
    %0 = relax.exp %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
    %1 = relax.add %b, %w : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    relax.yield %go, %0, %1 : tensor<i1>, tensor<?x?xf32>, tensor<?xf32>
  }
  return
}
