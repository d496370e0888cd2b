// RUN: relax-opt %s --relax-pipeline | FileCheck %s

// An op that nothing reads isn't run, but what it assumes of sizes is checked: by then others may have
// taken its annotation's word.

!n = tensor<?xf32, #relax.shape<[n]>>
!m = tensor<?xf32, #relax.shape<[m]>>
!s = tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>

// CHECK-LABEL: func.func @shape
// CHECK: relax.guard <broadcast, {{n, m|m, n}}>
// CHECK-NOT: call_kernel
// CHECK: return
func.func @shape(%x: !n, %y: !m) -> !relax.shape<[?]>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.add %x, %y : (!n, !m) -> !s
  %s = relax.shape_of %a : (!s) -> !relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>) -> tensor<1xi64>
  %r = relax.tensor_to_shape %t {symbols = ["u"]} : (tensor<1xi64>) -> !relax.shape<[u]>
  %e = relax.erase %r : !relax.shape<[u]> to !relax.shape<[?]>
  return %e : !relax.shape<[?]>
}

// CHECK-LABEL: func.func @part
// CHECK: relax.guard <broadcast, {{n, m|m, n}}>
// CHECK-NOT: call_kernel
// CHECK: return %arg0
func.func @part(%x: !n, %y: !m) -> !n
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.add %x, %y : (!n, !m) -> !s
  %t = relax.tuple %a, %x : (!s, !n) -> tuple<!s, !n>
  %b = relax.tuple_get %t {index = 1 : i64} : (tuple<!s, !n>) -> !n
  return %b : !n
}

// In a branch: checked where it is taken.
// CHECK-LABEL: func.func @branch
// CHECK: relax.if
// CHECK-NEXT: relax.guard <broadcast, {{n, m|m, n}}>
// CHECK-NOT: call_kernel
// CHECK: return %arg1
func.func @branch(%c: tensor<i1>, %x: !n, %y: !m) -> !n
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %i = relax.if %c : tensor<i1> -> !n {
    %a = relax.add %x, %y : (!n, !m) -> !s
    relax.yield %x : !n
  } else {
    relax.yield %x : !n
  }
  return %x : !n
}

// A dimension without a name gets one, and is compared.
// CHECK-LABEL: func.func @unnamed
// CHECK: relax.match_cast %arg0
// CHECK: relax.guard <broadcast, {{arg0_0, m|m, arg0_0}}>
// CHECK-NOT: call_kernel
// CHECK: return
func.func @unnamed(%x: tensor<?xf32>, %y: !m) -> !m
    attributes {relax.symbols = #relax.symbols<m = [0, ?]>} {
  %a = relax.add %x, %y : (tensor<?xf32>, !m) -> tensor<?xf32>
  return %y : !m
}
