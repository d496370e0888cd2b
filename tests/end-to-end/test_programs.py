"""Whole programs through compiler and runtime: control flow, calls, values, sizes that depend on data.

Every program runs at several sizes, and is compared with NumPy and with the interpreter."""
import os
import unittest

import numpy as np

import cli
import relaxlib
from programs import ProgramTest
from relaxlib import Shape

PAPER = relaxlib.ROOT / "tests/ir/paper"
LIBRARY = os.environ.get("RELAX_TEST_LIBRARY",
                         relaxlib.ROOT / "build/release/tests/libend_to_end_library.so")

PROGRAMS = {}

PROGRAMS["branches"] = """
!v = tensor<?xf32, #relax.shape<[n]>>
func.func @choose(%c: tensor<i1> {relax.name = "c"}, %x: !v {relax.name = "x"}) -> !v
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> !v {
    %a = relax.add %x, %x : (!v, !v) -> !v
    relax.yield %a : !v
  } else {
    %b = relax.negate %x : (!v) -> !v
    relax.yield %b : !v
  }
  return %r : !v
}
// The arms have other lengths: what is known of the result is its rank.
func.func @lengths(%c: tensor<i1> {relax.name = "c"}, %x: !v {relax.name = "x"}) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?xf32> {
    %a = relax.concat %x, %x : (!v, !v) -> tensor<?xf32, #relax.shape<[2 * n]>>
    relax.yield %a : tensor<?xf32, #relax.shape<[2 * n]>>
  } else {
    relax.yield %x : !v
  }
  %y = relax.add %r, %r : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// A reshape by sizes that come as data, in one branch only: the sizes are read where they come.
func.func @branch(%c: tensor<i1> {relax.name = "c"}, %x: !v {relax.name = "x"}, %s: tensor<2xi64> {relax.name = "s"}) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %t = relax.tensor_to_shape %s {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>
  %r = relax.if %c : tensor<i1> -> tensor<?x?xf32> {
    %y = relax.reshape %x : !v to tensor<?x?xf32, #relax.shape<[a, b]>>
    %e = relax.exp %y : (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
    relax.yield %e : tensor<?x?xf32, #relax.shape<[a, b]>>
  } else {
    %y = relax.reshape %x : !v to tensor<?x1xf32, #relax.shape<[n, 1]>>
    relax.yield %y : tensor<?x1xf32, #relax.shape<[n, 1]>>
  }
  return %r : tensor<?x?xf32>
}
// Both arms reshape the same way.
func.func @arms(%c: tensor<i1> {relax.name = "c"}, %x: tensor<32xf32> {relax.name = "x"}) -> tensor<4x8xf32> {
  %r = relax.if %c : tensor<i1> -> tensor<4x8xf32> {
    %e = relax.exp %x : (tensor<32xf32>) -> tensor<32xf32>
    %a = relax.reshape %e : tensor<32xf32> to tensor<4x8xf32>
    %a2 = relax.reshape %x : tensor<32xf32> to tensor<4x8xf32>
    %s = relax.add %a, %a2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    relax.yield %s : tensor<4x8xf32>
  } else {
    %b = relax.reshape %x : tensor<32xf32> to tensor<4x8xf32>
    relax.yield %b : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
"""

PROGRAMS["donation"] = """
!p = tensor<2x1x2x4xf32>
func.func private @put(%p: !p {relax.donated}, %v: tensor<1x1x4xf32>, %s: tensor<2xi32>, %t: tensor<1x2xi32>, %c: tensor<1xi32>) -> !p {
  %r = relax.update_slots %p, %v, %s, %t, %c {layout = "values"} : (!p, tensor<1x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !p
  return %r : !p
}
// Two updates through a call, of a donated argument: in place.
func.func @through(%p: !p {relax.donated, relax.name = "pages"}, %v: tensor<1x1x4xf32> {relax.name = "v"}, %s: tensor<2xi32>, %t: tensor<1x2xi32>, %c: tensor<1xi32>, %d: tensor<1xi32>) -> !p {
  %a = relax.call @put(%p, %v, %s, %t, %c) : (!p, tensor<1x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !p
  %b = relax.call @put(%a, %v, %s, %t, %d) : (!p, tensor<1x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !p
  return %b : !p
}
// What is computed here may be overwritten; what something else still reads is copied first.
func.func @computed(%p: !p {relax.name = "pages"}, %v: tensor<1x1x4xf32> {relax.name = "v"}, %s: tensor<2xi32>, %t: tensor<1x2xi32>, %c: tensor<1xi32>, %b: tensor<i1> {relax.name = "b"}) -> (!p, !p) {
  %q = relax.add %p, %p : (!p, !p) -> !p
  %r = relax.if %b : tensor<i1> -> !p {
    %a = relax.call @put(%q, %v, %s, %t, %c) : (!p, tensor<1x1x4xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !p
    relax.yield %a : !p
  } else {
    relax.yield %p : !p
  }
  %o = relax.negate %p : (!p) -> !p
  return %r, %o : !p, !p
}
"""

PROGRAMS["loops"] = """
// Doubles until it is at least the limit.
func.func @double(%x: tensor<f32> {relax.name = "x"}, %limit: tensor<f32> {relax.name = "limit"})
    -> (tensor<f32>, tensor<i64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r:2 = relax.while (%a = %x, %i = %zero) : (tensor<f32>, tensor<i64>) {
    %c = relax.less %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    relax.condition %c : tensor<i1>
  } do {
    %b = relax.add %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %j = relax.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %b, %j : tensor<f32>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
}
// The carried value grows on each trip.
func.func @grow(%count: tensor<i64> {relax.name = "count"}, %x: tensor<1xf32> {relax.name = "x"}) -> tensor<?xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r:2 = relax.while (%i = %zero, %v = %x) : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>) {
    %c = relax.less %i, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
    relax.condition %c : tensor<i1>
  } do {
    %w = relax.match_cast %v : tensor<?xf32> to tensor<?xf32, #relax.shape<[c]>>
    %d = relax.add %w, %w : (tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>) -> tensor<?xf32, #relax.shape<[c]>>
    %longer = relax.concat %d, %x : (tensor<?xf32, #relax.shape<[c]>>, tensor<1xf32>) -> tensor<?xf32, #relax.shape<[c + 1]>>
    %j = relax.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %j, %longer : tensor<i64>, tensor<?xf32, #relax.shape<[c + 1]>>
  }
  return %r#1 : tensor<?xf32>
}
// Two carried values change places: Fibonacci.
func.func @swap(%count: tensor<i64> {relax.name = "count"}) -> (tensor<i64>, tensor<i64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r:3 = relax.while (%i = %zero, %a = %zero, %b = %one) : (tensor<i64>, tensor<i64>, tensor<i64>) {
    %c = relax.less %i, %count : (tensor<i64>, tensor<i64>) -> tensor<i1>
    relax.condition %c : tensor<i1>
  } do {
    %s = relax.add %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %j = relax.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %j, %b, %s : tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %r#1, %r#2 : tensor<i64>, tensor<i64>
}
"""

PROGRAMS["calls"] = """
!v = tensor<?xf32, #relax.shape<[n]>>
func.func private @twice(%x: !v) -> !v attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.add %x, %x : (!v, !v) -> !v
  return %r : !v
}
// Planned, both of them: one arena each.
func.func @planned(%x: tensor<?xf32, #relax.shape<[m]>> {relax.name = "x"}) -> tensor<?xf32, #relax.shape<[2 * m]>>
    attributes {relax.symbols = #relax.symbols<m = [0, ?]>} {
  %a = relax.call @twice(%x) : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  %c = relax.concat %a, %x : (tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[2 * m]>>
  %b = relax.call @twice(%c) : (tensor<?xf32, #relax.shape<[2 * m]>>) -> tensor<?xf32, #relax.shape<[2 * m]>>
  return %b : tensor<?xf32, #relax.shape<[2 * m]>>
}
// Recursion: i! by multiplication.
func.func @factorial(%i: tensor<i64> {relax.name = "i"}) -> tensor<i64> {
  %one = arith.constant dense<1> : tensor<i64>
  %c = relax.less_equal %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = relax.if %c : tensor<i1> -> tensor<i64> {
    relax.yield %one : tensor<i64>
  } else {
    %j = relax.subtract %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = relax.call @factorial(%j) : (tensor<i64>) -> tensor<i64>
    %p = relax.multiply %f, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %p : tensor<i64>
  }
  return %r : tensor<i64>
}
// Mutual recursion.
func.func @even(%i: tensor<i64> {relax.name = "i"}) -> tensor<i1> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %c = relax.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = relax.if %c : tensor<i1> -> tensor<i1> {
    relax.yield %c : tensor<i1>
  } else {
    %j = relax.subtract %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o = relax.call @odd(%j) : (tensor<i64>) -> tensor<i1>
    relax.yield %o : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func private @odd(%i: tensor<i64>) -> tensor<i1> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %c = relax.equal %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = relax.if %c : tensor<i1> -> tensor<i1> {
    %no = relax.logical_not %c : (tensor<i1>) -> tensor<i1>
    relax.yield %no : tensor<i1>
  } else {
    %j = relax.subtract %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %e = relax.call @even(%j) : (tensor<i64>) -> tensor<i1>
    relax.yield %e : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @endless(%i: tensor<i64> {relax.name = "i"}) -> tensor<i64> {
  %r = relax.call @endless(%i) : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
// A function as a value, through a tuple.
!f = (!v) -> !v
func.func private @apply(%f: !f, %x: !v) -> !v attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.call_indirect %f(%x) : !f, (!v) -> !v
  return %y : !v
}
func.func private @minus(%x: !v) -> !v attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.negate %x : (!v) -> !v
  return %r : !v
}
func.func @values(%c: tensor<i1> {relax.name = "c"}, %x: !v {relax.name = "x"}) -> !v
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %f = relax.function @twice : !f
  %g = relax.function @minus : !f
  %t = relax.tuple %f, %g : (!f, !f) -> tuple<!f, !f>
  %h = relax.if %c : tensor<i1> -> !f {
    %a = relax.tuple_get %t {index = 0} : (tuple<!f, !f>) -> !f
    relax.yield %a : !f
  } else {
    %b = relax.tuple_get %t {index = 1} : (tuple<!f, !f>) -> !f
    relax.yield %b : !f
  }
  %y = relax.call @apply(%h, %x) : (!f, !v) -> !v
  return %y : !v
}
"""

PROGRAMS["hosts"] = """
!subfn = (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[n * m]>>
func.func private @subfn(%s: !relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[n * m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.call_packed "fill"(%s) {pure} : (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[n * m]>>
  return %0 : tensor<?xf32, #relax.shape<[n * m]>>
}
func.func @shapes(%p: !relax.shape<[k, ?]>, %r: !relax.shape<rank 2>, %any: !relax.shape<*>)
    -> (tensor<12xf32>, tensor<?xf32, #relax.shape<[2 * k * (k + 1)]>>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<12xf32>)
    attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  %f = relax.function @subfn : !subfn
  %constant = relax.shape <[3, 4]>
  %symbolic = relax.shape <[2 * k, k + 1]>
  %0 = relax.call @subfn(%constant) : (!relax.shape<[3, 4]>) -> tensor<12xf32>
  %1 = relax.call @subfn(%symbolic) : (!relax.shape<[2 * k, k + 1]>) -> tensor<?xf32, #relax.shape<[2 * k * (k + 1)]>>
  %2 = relax.call @subfn(%p) : (!relax.shape<[k, ?]>) -> tensor<?xf32>
  %3 = relax.call @subfn(%r) : (!relax.shape<rank 2>) -> tensor<?xf32>
  %4 = relax.call @subfn(%any) : (!relax.shape<*>) -> tensor<?xf32>
  %5 = relax.call_indirect %f(%constant) : !subfn, (!relax.shape<[3, 4]>) -> tensor<12xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<12xf32>, tensor<?xf32, #relax.shape<[2 * k * (k + 1)]>>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<12xf32>
}
func.func @object(%o: !relax.object, %x: tensor<2xf32>) -> (!relax.object, tensor<2xf32>) attributes {relax.impure} {
  %r, %y = relax.call_packed "swap"(%o, %x) : (!relax.object, tensor<2xf32>) -> (!relax.object, tensor<2xf32>)
  %z = relax.negate %y : (tensor<2xf32>) -> tensor<2xf32>
  return %r, %z : !relax.object, tensor<2xf32>
}
"""

PROGRAMS["sizes"] = """
// Two lengths that the compiler doesn't know to be equal: one check, then they are.
func.func @unknown(%x: tensor<?xf32> {relax.name = "x"}, %y: tensor<?xf32> {relax.name = "y"}) -> tensor<?xf32> {
  %z = relax.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @pairs(%x: tensor<?xf32> {relax.name = "x"}) -> tensor<?x2xf32> {
  %p = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[2 * m]>>
  %r = relax.reshape %p : tensor<?xf32, #relax.shape<[2 * m]>> to tensor<?x2xf32, #relax.shape<[m, 2]>>
  %s = relax.add %r, %r : (tensor<?x2xf32, #relax.shape<[m, 2]>>, tensor<?x2xf32, #relax.shape<[m, 2]>>) -> tensor<?x2xf32, #relax.shape<[m, 2]>>
  %e = relax.erase %s : tensor<?x2xf32, #relax.shape<[m, 2]>> to tensor<?x2xf32>
  return %e : tensor<?x2xf32>
}
// Nothing is known but the element type.
func.func @rank(%x: tensor<*xf32> {relax.name = "x"}) -> tensor<?x4xf32> {
  %p = relax.match_cast %x : tensor<*xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
  %s = relax.add %p, %p : (tensor<?x4xf32, #relax.shape<[m, 4]>>, tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<?x4xf32, #relax.shape<[m, 4]>>
  %e = relax.erase %s : tensor<?x4xf32, #relax.shape<[m, 4]>> to tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}
// A shape that comes as data.
func.func @shaped(%x: tensor<?xf32, #relax.shape<[n]>> {relax.name = "x"}, %s: tensor<2xi64> {relax.name = "s"}) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %d = relax.add %x, %x : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %t = relax.tensor_to_shape %s {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>
  %r = relax.reshape_to %d, %t : (tensor<?xf32, #relax.shape<[n]>>, !relax.shape<[a, b]>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  %y = relax.exp %r : (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  %e = relax.erase %y : tensor<?x?xf32, #relax.shape<[a, b]>> to tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}
// Sequence and mask must agree; the sequence has a limit.
func.func @masked(%x: tensor<?x2xf32, #relax.shape<[n, 2]>> {relax.name = "x"}, %mask: tensor<?x1xf32, #relax.shape<[n, 1]>> {relax.name = "mask"}) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
    attributes {relax.symbols = #relax.symbols<n = [1, 512]>} {
  %y = relax.multiply %x, %mask : (tensor<?x2xf32, #relax.shape<[n, 2]>>, tensor<?x1xf32, #relax.shape<[n, 1]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return %y : tensor<?x2xf32, #relax.shape<[n, 2]>>
}
// What is returned is an argument, a constant, and one value twice.
func.func @same(%x: tensor<?xf32, #relax.shape<[n]>> {relax.name = "x"}) -> (tensor<?xf32, #relax.shape<[n]>>, tensor<2xf32>, tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = relax.negate %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %x, %c, %y, %y : tensor<?xf32, #relax.shape<[n]>>, tensor<2xf32>, tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>
}
"""


class Programs(ProgramTest):
    programs = PROGRAMS

    def test_branches(self):
        for n in (0, 1, 5, 16, 33):
            x = self.vector(n)
            self.equal(self.call("branches", "choose", n == 5, c="true", x=x), x + x)
            self.equal(self.call("branches", "choose", n == 5, c="false", x=x), -x)
            self.equal(self.call("branches", "lengths", n == 5, c="true", x=x),
                       2 * np.concatenate([x, x]))
            self.equal(self.call("branches", "lengths", n == 5, c="false", x=x), 2 * x)
        x = self.vector(32)
        self.equal(self.call("branches", "arms", c="true", x=x), (np.exp(x) + x).reshape(4, 8))
        self.equal(self.call("branches", "arms", c="false", x=x), x.reshape(4, 8))

        x = self.vector(6)
        self.equal(self.call("branches", "branch", c="true", x=x, s="[2,3]"), np.exp(x).reshape(2, 3))
        self.equal(self.call("branches", "branch", c="false", x=x, s="[9,9]"), x.reshape(6, 1))
        self.refuses("branches", "branch", ("n = 6", "81"), c="true", x=x, s="[9,9]")

    def test_donation(self):
        def row(*a):
            return np.array(a, np.int32)
        module = relaxlib.Module(self.file("donation").read_bytes())
        v, table = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 4), np.array([[1, 0]], np.int32)
        expected = np.zeros((2, 1, 2, 4), np.float32)
        expected[1, 0, 0] = expected[0, 0, 0] = v[0, 0]
        self.equal(module["through"].invoke(0 * expected, v, row(0, 1), table, row(0), row(2)), expected)
        for b in (True, False):
            p = np.ones((2, 1, 2, 4), np.float32)
            expected = 2 * p if b else p.copy()
            if b:
                expected[1, 0, 0] = v[0, 0]
            self.equal(module["computed"].invoke(p, v, row(0, 1), table, row(0), np.bool_(b)), expected, -p)

    def test_loops(self):
        self.equal(self.call("loops", "double", x="3", limit="100"), np.float32(192), 6)
        self.equal(self.call("loops", "double", x="300", limit="100"), np.float32(300), 0)
        for count in (0, 1, 2, 7, 20):
            expected = np.array([2.0 ** i for i in range(count, -1, -1)], np.float32)
            self.equal(self.call("loops", "grow", count == 7, count=str(count), x="[1]"), expected)
        self.equal(self.call("loops", "swap", count="0"), 0, 1)
        self.equal(self.call("loops", "swap", count="50"), 12586269025, 20365011074)

    def test_calls(self):
        for n in (0, 1, 5, 17):
            x = self.vector(n)
            self.equal(self.call("calls", "planned", n == 5, x=x), 2 * np.concatenate([2 * x, x]))
            self.equal(self.call("calls", "values", n == 5, c="true", x=x), 2 * x)
            self.equal(self.call("calls", "values", n == 5, c="false", x=x), -x)
        self.equal(self.call("calls", "factorial", i="20"), 2432902008176640000)
        self.equal(self.call("calls", "even", i="10"), True)
        self.equal(self.call("calls", "even", i="7"), False)
        self.refuses("calls", "endless", "deep", code=cli.FAILURE, i="1")

    def test_sizes(self):
        for n in (0, 1, 6, 32):
            x, y = self.vector(n), self.vector(n) + 1
            self.equal(self.call("sizes", "unknown", n == 6, x=x, y=y), x + y)
            self.equal(self.call("sizes", "unknown", n == 6, x=x, y=y[:1] if n else y), x + y[:1]
                       if n else x)
            if n % 2 == 0:
                self.equal(self.call("sizes", "pairs", n == 6, x=x), 2 * x.reshape(-1, 2))
            if n % 4 == 0:
                self.equal(self.call("sizes", "rank", n == 32, x=x.reshape(-1, 4)),
                           2 * x.reshape(-1, 4))
            self.equal(self.call("sizes", "same", n == 6, x=x), x, [1, 2], -x, -x)
        x = self.vector(12)
        self.equal(self.call("sizes", "shaped", x=x, s="[3,4]"), np.exp(2 * x).reshape(3, 4))

    def test_paper_unique(self):
        module = relaxlib.Module(relaxlib.compile_model(PAPER / "1-unique.mlir"))
        for n in (1, 2, 7, 100):
            x = np.random.default_rng(n).integers(-3, 3, (n, 2, 2)).astype(np.float32)
            for name in ("known", "unknown"):
                self.equal(module[name].invoke(x), np.exp(np.unique(x)))
        with self.assertRaisesRegex(relaxlib.RelaxError, "(?s)6.*1-unique.mlir:2[0-9]:|1-unique.mlir:2[0-9]:"):
            module["unknown"].invoke(np.zeros((3, 2, 1), np.float32))
        with self.assertRaisesRegex(relaxlib.RelaxError, "n .*101.*100"):
            module["known"].invoke(np.zeros((101, 2, 2), np.float32))

    def test_paper_three_levels(self):
        program, rows = PAPER / "2-three-levels.mlir", np.random.default_rng(1)
        self.fails(cli.BAD_FILE, "run", program, "-s", "n=2", says="cblas.add_bias")
        self.fails(cli.BAD_FILE, "run", program, "-s", "n=2", "--library", "missing.so", says="missing.so")
        for n in (0, 1, 5, 33):
            x, w, b = (rows.standard_normal(s).astype(np.float32) for s in ((n, 128), (128, 256), 256))
            out = self.folder / "levels.npy"
            self.works("run", program, "--library", LIBRARY, "-o", f"result0={out}",
                       *self.inputs({"0": x, "1": w, "2": b}))
            np.testing.assert_allclose(np.load(out), np.maximum(x.astype(float) @ w + b, 0), rtol=1e-4,
                                       atol=1e-4)

    def test_ten_more(self):
        """The programs that docs/ir.md shows, beside the interpreter."""
        program = PAPER / "ten-more.mlir"
        runs = {"broadcast": ["-s n=1 -s m=7", "-s n=7 -s m=1", "-s n=7 -s m=7"],
                "cut": ["-s n=5 -s k=0", "-s n=5 -s k=2", "-s n=5 -s k=5"],
                "tiles": ["-s n=0", "-s n=16", "-s n=17"],
                "selected": ["-i 0=[1,2,3,4] -i 1=[5,6,7] -i 2=[true,false,true,true] -i 3=[true,true,true]"],
                "half": ["-i 0=arange:[6]", "-i 0=zeros:[0]"],
                "growing": ["-i 0=[1] -i 1=0 -i 2=1 -i 3=5", "-i 0=[1] -i 1=0 -i 2=1 -i 3=0"],
                "branches": ["-i 0=true -s n=6", "-i 0=false -s n=6"],
                "function_values": ["-s n=3 -s m=2 -i 3=[1,2]"], "running_sum": ["-s n=1", "-s n=5"],
                "door": ["-s k=3 -i 1=random:[16]"], "outer": ["-s n=3 -s m=4", "-s n=0 -s m=4"],
                "product": ["-s n=16 -s m=16"]}
        compiled = self.folder / "ten.rlx"
        self.works("compile", program, "-o", compiled)
        for function, lines in runs.items():
            for line in lines:
                self.works("run", program, "--compare-reference", "--function", function, *line.split())
        for function, line, says in [
                ("broadcast", "-s n=2 -s m=3", ("n = 2", "m = 3")),
                ("cut", "-s n=5 -s k=7", ("n - k", "k = 7", "n = 5")),
                ("half", "-i 0=arange:[5]", ("found 5", "2 * h")),
                ("door", "-s k=3 -i 1=random:[5]", ("found 256", "m * n = 80", "m = 5", "n = 16")),
                ("product", "-i 0=ones:[16] -i 1=ones:[16] -i 2=ones:[255]", ("found 255", "m * n = 256"))]:
            self.fails(cli.USAGE, "run", compiled, "--function", function, *line.split(), says=says)

    def test_host_functions(self):
        artifact = self.file("hosts").read_bytes()
        relaxlib.register_function("swap", lambda o, x: [o[::-1], x[::-1].copy()])
        relaxlib.register_function("fill", lambda s: np.arange(np.prod(s), dtype=np.float32), pure=True)
        module = relaxlib.Module(artifact)
        count = lambda n: np.arange(n, dtype=np.float32)
        self.equal(module["shapes"].invoke(Shape([5, 2]), Shape([3, 3]), Shape([1, 6])),
                   count(12), count(60), count(10), count(9), count(6), count(12))
        for shapes, says in [(([5], [1, 1], [1, 1]), "1 dimensions, expected 2"),
                             (([5, 2], [1, 1], [1, 1, 1]), "3 dimensions, expected 2")]:
            with self.assertRaisesRegex(relaxlib.RelaxError, says):
                module["shapes"].invoke(*map(Shape, shapes))
        thing, z = module["object"].invoke("abc", np.array([1, 2], np.float32))
        self.assertEqual(thing, "cba")
        np.testing.assert_array_equal(z, [-2, -1])
        # What comes back is compared with what its type says.
        for wrong, says in [(lambda s: np.zeros(3, np.float32), "fill.*12|12.*fill"),
                            (lambda s: np.zeros(12), "f64"), (lambda s: Shape([12]), "shape")]:
            relaxlib.register_function("fill", wrong, pure=True)
            with self.assertRaisesRegex(relaxlib.RelaxError, says):
                relaxlib.Module(artifact)["shapes"].invoke(Shape([5, 2]), Shape([3, 3]), Shape([1, 6]))

    def test_guards(self):
        self.refuses("sizes", "unknown", ("x_0 = 2", "y_0 = 3", "sizes.mlir:4:"), x="[1,2]", y="[1,2,3]")
        self.refuses("sizes", "pairs", ("5", "2 * m", "match_cast", "sizes.mlir:8:"), x="zeros:[5]")
        self.refuses("sizes", "rank", ("match_cast", "dimension 1", "found 3, expected 4"), x="zeros:[2,3]")
        self.refuses("sizes", "rank", ("match_cast", "1 dimensions, expected 2"), x="zeros:[4]")
        self.refuses("sizes", "shaped", ("12", "10", "sizes.mlir:"), x="zeros:[12]", s="[2,5]")
        self.refuses("sizes", "shaped", "element 0 of a shape is -3", x="zeros:[12]", s="[-3,-4]")
        self.refuses("sizes", "masked", ("mask", "dimension 0", "n", "8", "9"), x="zeros:[8,2]",
                     mask="zeros:[9,1]")
        self.refuses("sizes", "masked", ("n", "600", "512"), x="zeros:[600,2]", mask="zeros:[600,1]")
        self.refuses("sizes", "masked", ("x", "1 dimensions, expected 2"), x="zeros:[8]", mask="zeros:[8,1]")
        self.refuses("sizes", "masked", ("mask", "f32", "f64"), x="zeros:[8,2]", mask="zeros:[8,1]f64")

    def test_guards_are_listed(self):
        text = self.works("inspect", self.folder / "sizes.mlir", "--guards").text
        self.assertIn("Function @unknown", text)
        self.assertRegex(text, r"checked  .*arg|checked  .*x_0 == y_0, or one of them is 1")
        self.assertIn("n <= 512", text)
        self.assertIn("sizes.mlir:4:", text)
        compiled = self.works("inspect", self.file("sizes"), "--guards").text
        self.assertIn("Function @pairs", compiled)
        self.assertIn("match_cast", compiled)


if __name__ == "__main__":
    unittest.main()
