// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s
// RUN: relax-opt %s --canonicalize --cse --relax-verify | FileCheck %s --check-prefix=DROPS
// docs/ir.md shows these.

!n = tensor<?xf32, #relax.shape<[n]>>
!m = tensor<?xf32, #relax.shape<[m]>>

// 1. Two lengths that nothing relates are added: the result's extent is exact, whichever of them is 1
// or both are equal, under a constraint that is recorded and checked. Added again, it stays exact.
// CHECK-LABEL: @broadcast
// CHECK: relax.add %arg0, %arg1 {{.*}} -> tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>
// CHECK: relax.add %{{.*}}, %arg2 {{.*}} -> tensor<7xf32>
func.func @broadcast(%x: !n, %y: !m, %z: tensor<7xf32>) -> tensor<7xf32>
    attributes {relax.symbols = #relax.symbols<n = [1, ?], m = [1, ?]>} {
  %0 = relax.add %x, %y : (!n, !m) -> tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>
  %1 = relax.add %0, %z : (tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>, tensor<7xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// 2. Cut at a symbolic place and put together again: n, proved, so that the sum needs no check.
// CHECK-LABEL: @cut
// CHECK: relax.split {{.*}} -> (tensor<?xf32, #relax.shape<[k]>>, tensor<?xf32, #relax.shape<[n - k]>>)
// CHECK: relax.concat {{.*}} -> tensor<?xf32, #relax.shape<[n]>>
func.func @cut(%x: !n, %k: !relax.shape<[k]>) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?], k = [0, ?]>} {
  %0:2 = relax.split %x {sizes = #relax.shape<[k, n - k]>} : (!n) -> (tensor<?xf32, #relax.shape<[k]>>, tensor<?xf32, #relax.shape<[n - k]>>)
  %1 = relax.concat %0#1, %0#0 : (tensor<?xf32, #relax.shape<[n - k]>>, tensor<?xf32, #relax.shape<[k]>>) -> !n
  %2 = relax.add %1, %x : (!n, !n) -> !n
  return %2 : !n
}

// 3. Padded up to whole tiles of 16, and viewed as tiles: the counts are proved equal.
// CHECK-LABEL: @tiles
// CHECK: relax.pad {{.*}} -> tensor<?xf32, #relax.shape<[16 * ceildiv(n, 16)]>>
// CHECK: relax.reshape {{.*}} to tensor<?x16xf32, #relax.shape<[ceildiv(n, 16), 16]>>
func.func @tiles(%x: !n) -> tensor<?x16xf32, #relax.shape<[ceildiv(n, 16), 16]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.pad %x {low = #relax.shape<[0]>, high = #relax.shape<[16 * ceildiv(n, 16) - n]>} : (!n) -> tensor<?xf32, #relax.shape<[16 * ceildiv(n, 16)]>>
  %1 = relax.reshape %0 : tensor<?xf32, #relax.shape<[16 * ceildiv(n, 16)]>> to tensor<?x16xf32, #relax.shape<[ceildiv(n, 16), 16]>>
  return %1 : tensor<?x16xf32, #relax.shape<[ceildiv(n, 16), 16]>>
}

// 4. Data-dependent lengths add up and keep their bounds: u <= n and v <= m, so u + v <= n + m, which
// is a guard that vanishes, and n + m + 1 <= u + v one that is refused (ten-more-invalid.mlir).
// CHECK-LABEL: @selected
// CHECK: relax.concat {{.*}} -> tensor<?xf32, #relax.shape<[u + v]>>
func.func @selected(%x: !n, %y: !m, %p: tensor<?xi1, #relax.shape<[n]>>, %q: tensor<?xi1, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[u + v]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 100], m = [0, 100]>} {
  %0 = relax.masked_select %x, %p {symbol = "u"} : (!n, tensor<?xi1, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[u]>>
  %1 = relax.masked_select %y, %q {symbol = "v"} : (!m, tensor<?xi1, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[v]>>
  %2 = relax.concat %0, %1 : (tensor<?xf32, #relax.shape<[u]>>, tensor<?xf32, #relax.shape<[v]>>) -> tensor<?xf32, #relax.shape<[u + v]>>
  relax.guard <less_equal, u + v, n + m> "selected"
  return %2 : tensor<?xf32, #relax.shape<[u + v]>>
}

// 5. A symbol that nothing but a type uses is still a dependency: %0 has no use, but h has. MLIR's
// clean-up passes keep it.
// CHECK-LABEL: @half
// DROPS-LABEL: @half
// DROPS: relax.match_cast %{{.*}} to tensor<?xf32, #relax.shape<[2 * h]>>
// DROPS: relax.reshape
func.func @half(%x: !n) -> tensor<?x2xf32, #relax.shape<[h, 2]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.match_cast %x : !n to tensor<?xf32, #relax.shape<[2 * h]>>
  %1 = relax.exp %x : (!n) -> !n
  %2 = relax.reshape %1 : !n to tensor<?x2xf32, #relax.shape<[h, 2]>>
  return %2 : tensor<?x2xf32, #relax.shape<[h, 2]>>
}

// 6. A loop whose value grows by one each trip: [1], [2], [3], … Its annotation is the join, and what
// comes out gets a name again.
// CHECK-LABEL: @growing
// CHECK: relax.while {{.*}} : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>)
// CHECK: relax.concat {{.*}} -> tensor<?xf32, #relax.shape<[c + 1]>>
// CHECK: relax.erase {{.*}} to tensor<?xf32>
func.func @growing(%x: tensor<1xf32>, %i: tensor<i64>, %one: tensor<i64>, %end: tensor<i64>) -> tensor<?xf32, #relax.shape<[length]>> {
  %r:2 = relax.while (%k = %i, %v = %x) : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>) {
    %go = relax.less %k, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    relax.condition %go : tensor<i1>
  } do {
    %c = relax.match_cast %v : tensor<?xf32> to tensor<?xf32, #relax.shape<[c]>>
    %longer = relax.concat %c, %x : (tensor<?xf32, #relax.shape<[c]>>, tensor<1xf32>) -> tensor<?xf32, #relax.shape<[c + 1]>>
    %any = relax.erase %longer : tensor<?xf32, #relax.shape<[c + 1]>> to tensor<?xf32>
    %next = relax.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %next, %any : tensor<i64>, tensor<?xf32>
  }
  %named = relax.match_cast %r#1 : tensor<?xf32> to tensor<?xf32, #relax.shape<[length]>>
  return %named : tensor<?xf32, #relax.shape<[length]>>
}

// 7. Branches that agree on one dimension: what they agree on stays, a name included.
// CHECK-LABEL: @branches
// CHECK: relax.if %{{.*}} : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, ?]>>
func.func @branches(%c: tensor<i1>, %x: !n) -> tensor<?x?xf32, #relax.shape<[n, ?]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, ?]>> {
    %0 = relax.reshape %x : !n to tensor<?x1xf32, #relax.shape<[n, 1]>>
    relax.yield %0 : tensor<?x1xf32, #relax.shape<[n, 1]>>
  } else {
    %0 = relax.reshape %x : !n to tensor<?x1xf32, #relax.shape<[n, 1]>>
    %1 = relax.concat %0, %0 {axis = 1} : (tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x1xf32, #relax.shape<[n, 1]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
    relax.yield %1 : tensor<?x2xf32, #relax.shape<[n, 2]>>
  }
  return %r : tensor<?x?xf32, #relax.shape<[n, ?]>>
}

// 8. A function that is a value keeps its symbolic signature in a tuple, and each call of it has an
// exact result. A symbol of its signature has nothing to do with one of the caller of that name.
!outer = (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func private @outer(%x: !n, %y: !m) -> tensor<?x?xf32, #relax.shape<[n, m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.reshape %x : !n to tensor<?x1xf32, #relax.shape<[n, 1]>>
  %1 = relax.multiply %0, %y : (tensor<?x1xf32, #relax.shape<[n, 1]>>, !m) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %1 : tensor<?x?xf32, #relax.shape<[n, m]>>
}
// CHECK-LABEL: @function_values
// CHECK: relax.call_indirect {{.*}}, (tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x?xf32, #relax.shape<[m, n]>>
// CHECK: relax.call_indirect {{.*}}, (tensor<3xf32>, tensor<?xf32>) -> tensor<3x?xf32>
func.func @function_values(%x: !n, %y: !m, %z: tensor<3xf32>, %u: tensor<?xf32>)
    -> (tensor<?x?xf32, #relax.shape<[m, n]>>, tensor<3x?xf32>) attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %f = relax.function @outer : !outer
  %t = relax.tuple %f, %x : (!outer, !n) -> tuple<!outer, !n>
  %g = relax.tuple_get %t {index = 0} : (tuple<!outer, !n>) -> (!outer)
  %0 = relax.call_indirect %g(%y, %x) : !outer, (!m, !n) -> tensor<?x?xf32, #relax.shape<[m, n]>>
  %1 = relax.call_indirect %g(%z, %u) : !outer, (tensor<3xf32>, tensor<?xf32>) -> tensor<3x?xf32>
  return %0, %1 : tensor<?x?xf32, #relax.shape<[m, n]>>, tensor<3x?xf32>
}

// 9. A function that calls itself with a shorter value, by its signature alone: the extent that it
// returns is that of its argument, also through the recursion. (n - 1 >= 1 is checked when it enters.)
// CHECK-LABEL: @running_sum
// CHECK: relax.call @running_sum(%{{.*}}) : (tensor<?xf32, #relax.shape<[n - 1]>>) -> tensor<?xf32, #relax.shape<[n - 1]>>
// CHECK: relax.concat {{.*}} -> tensor<?xf32, #relax.shape<[n]>>
func.func @running_sum(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [1, ?]>} {
  %shape = relax.shape <[n]>
  %extents = relax.shape_to_tensor %shape : (!relax.shape<[n]>) -> tensor<1xi64>
  %extent = relax.reshape %extents : tensor<1xi64> to tensor<i64>
  %one = relax.full {shape = #relax.shape<[]>, value = 1 : i64} : () -> tensor<i64>
  %more = relax.less %one, %extent : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = relax.if %more : tensor<i1> -> !n {
    %0:2 = relax.split %x {sizes = #relax.shape<[1, n - 1]>} : (!n) -> (tensor<1xf32>, tensor<?xf32, #relax.shape<[n - 1]>>)
    %1 = relax.call @running_sum(%0#1) : (tensor<?xf32, #relax.shape<[n - 1]>>) -> tensor<?xf32, #relax.shape<[n - 1]>>
    %2 = relax.add %1, %0#0 : (tensor<?xf32, #relax.shape<[n - 1]>>, tensor<1xf32>) -> tensor<?xf32, #relax.shape<[n - 1]>>
    %3 = relax.concat %0#0, %2 : (tensor<1xf32>, tensor<?xf32, #relax.shape<[n - 1]>>) -> !n
    relax.yield %3 : !n
  } else {
    relax.yield %x : !n
  }
  return %r : !n
}

// 10. What a caller can't prove is a check by value at the door: [n, m, n * m] called with 16, an
// unknown extent and 256. What it can prove is none, and what can't hold isn't compiled.
func.func private @product(%x: !n, %y: !m, %z: tensor<?xf32, #relax.shape<[n * m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.reshape %z : tensor<?xf32, #relax.shape<[n * m]>> to tensor<?x?xf32, #relax.shape<[n, m]>>
  return %0 : tensor<?x?xf32, #relax.shape<[n, m]>>
}
// CHECK-LABEL: @door
// CHECK: (tensor<16xf32>, tensor<?xf32>, tensor<256xf32>) -> tensor<16x?xf32>
// CHECK: (tensor<16xf32>, tensor<?xf32, #relax.shape<[k]>>, tensor<?xf32, #relax.shape<[16 * k]>>) -> tensor<16x?xf32, #relax.shape<[16, k]>>
func.func @door(%a: tensor<16xf32>, %b: tensor<?xf32>, %c: tensor<256xf32>, %k: tensor<?xf32, #relax.shape<[k]>>, %d: tensor<?xf32, #relax.shape<[16 * k]>>)
    -> (tensor<16x?xf32>, tensor<16x?xf32, #relax.shape<[16, k]>>) attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  %0 = relax.call @product(%a, %b, %c) : (tensor<16xf32>, tensor<?xf32>, tensor<256xf32>) -> tensor<16x?xf32>
  %1 = relax.call @product(%a, %k, %d) : (tensor<16xf32>, tensor<?xf32, #relax.shape<[k]>>, tensor<?xf32, #relax.shape<[16 * k]>>) -> tensor<16x?xf32, #relax.shape<[16, k]>>
  return %0, %1 : tensor<16x?xf32>, tensor<16x?xf32, #relax.shape<[16, k]>>
}
