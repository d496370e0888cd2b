// RUN: relax-opt %s --relax-materialize-guards | FileCheck %s
// RUN: relax-opt %s --relax-materialize-guards --relax-materialize-guards | FileCheck %s

!n = tensor<?xf32, #relax.shape<[n]>>
!m = tensor<?xf32, #relax.shape<[m]>>

// An unknown pair broadcasts under a constraint; the second op assumes nothing new.
// CHECK-LABEL: func.func @pair
// CHECK-NEXT: relax.guard <broadcast, n, m> "{{.*}}"
// CHECK-NEXT: relax.add
// CHECK-NEXT: relax.multiply
// CHECK-NOT: relax.guard
// CHECK: return
func.func @pair(%x: !n, %y: !m) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.add %x, %y : (!n, !m)
      -> tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
  %b = relax.multiply %x, %y : (!n, !m)
      -> tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
  %c = relax.erase %a : tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
      to tensor<?xf32>
  %d = relax.erase %b : tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
      to tensor<?xf32>
  return %c, %d : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: relax.guard <equal, n, 4 * m> "{{.*}}"
// CHECK-NEXT: relax.reshape
func.func @reshape(%x: !n, %s: !m) -> tensor<?x4xf32, #relax.shape<[m, 4]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.reshape %x : !n to tensor<?x4xf32, #relax.shape<[m, 4]>>
  return %a : tensor<?x4xf32, #relax.shape<[m, 4]>>
}

func.func private @callee(tensor<?xf32, #relax.shape<[k]>>, tensor<?xf32, #relax.shape<[k]>>)
    -> tensor<?xf32, #relax.shape<[k]>> attributes {relax.symbols = #relax.symbols<k = [0, ?]>}

// What doesn't provably fit the callee's signature.
// CHECK-LABEL: func.func @call
// CHECK: relax.guard <equal, {{n, m|m, n}}> "call of @callee: {{.*}}"
// CHECK-NEXT: relax.call @callee
func.func @call(%x: !n, %y: !m) -> !n
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.call @callee(%x, %y) : (!n, !m) -> !n
  return %a : !n
}

// What a branch checks doesn't hold behind it.
// CHECK-LABEL: func.func @branch
// CHECK: relax.if
// CHECK: relax.guard <equal, n, 4 * m>
// CHECK: else
// CHECK: }
// CHECK: relax.guard <equal, n, 4 * m>
func.func @branch(%c: tensor<i1>, %x: !n, %s: !m) -> tensor<?x4xf32, #relax.shape<[m, 4]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?x?xf32> {
    %a = relax.reshape %x : !n to tensor<?x4xf32, #relax.shape<[m, 4]>>
    relax.yield %a : tensor<?x4xf32, #relax.shape<[m, 4]>>
  } else {
    %b = relax.reshape %x : !n to tensor<?x1xf32, #relax.shape<[n, 1]>>
    relax.yield %b : tensor<?x1xf32, #relax.shape<[n, 1]>>
  }
  %d = relax.reshape %x : !n to tensor<?x4xf32, #relax.shape<[m, 4]>>
  return %d : tensor<?x4xf32, #relax.shape<[m, 4]>>
}

// Nothing is assumed where everything is proved.
// CHECK-LABEL: func.func @proved
// CHECK-NOT: relax.guard
func.func @proved(%x: !n, %y: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.add %x, %y : (!n, !n) -> !n
  return %a : !n
}

// An extent that may be negative for what is known of the symbols is guarded once; one that can't be
// isn't.
// CHECK-LABEL: func.func @sizes
// CHECK: relax.guard <less_equal, 0, n - 5> "dimension 0 of result 0 of full, [n - 5]"
// CHECK-NEXT: relax.full
// CHECK-NEXT: relax.full
// CHECK-NEXT: relax.exp
// CHECK-NOT: relax.guard
func.func @sizes(%s: !relax.shape<[n]>) -> tensor<?xf32> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[n - 5]>, value = 1.0 : f32} : () -> tensor<?xf32, #relax.shape<[n - 5]>>
  %1 = relax.full {shape = #relax.shape<[n + 5, n * n]>, value = 1.0 : f32} : () -> tensor<?x?xf32, #relax.shape<[n + 5, n * n]>>
  %2 = relax.exp %0 : (tensor<?xf32, #relax.shape<[n - 5]>>) -> tensor<?xf32, #relax.shape<[n - 5]>>
  %3 = relax.erase %2 : tensor<?xf32, #relax.shape<[n - 5]>> to tensor<?xf32>
  return %3 : tensor<?xf32>
}

// Two negative extents have a positive product.
// CHECK-LABEL: func.func @reshaped
// CHECK: relax.guard <equal,
// CHECK: relax.guard <less_equal, 0, n - 8>
// CHECK: relax.guard <less_equal, 0, n - 9>
// CHECK: relax.reshape
func.func @reshaped(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.reshape %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
  return %0 : tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
}

// What an op further down compares says nothing here.
// CHECK-LABEL: func.func @before
// CHECK: relax.guard <less_equal, 0, n - 5>
// CHECK-NEXT: relax.full
func.func @before(%s: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[n - 5]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[n - 5]>, value = 1.0 : f32} : () -> tensor<?xf32, #relax.shape<[n - 5]>>
  %1 = relax.shape <[n - 5]>
  %2 = relax.match_cast %1 : !relax.shape<[n - 5]> to !relax.shape<[k]>
  return %0 : tensor<?xf32, #relax.shape<[n - 5]>>
}

// A claim in the text is no proof.
// CHECK-LABEL: func.func @claimed
// CHECK-NEXT: relax.match_cast %{{[a-z0-9]+}} : tensor<?xf32> to tensor<5xf32>
func.func @claimed(%x: tensor<?xf32>) -> tensor<5xf32> {
  %0 = relax.match_cast %x {relax.proved} : tensor<?xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}
