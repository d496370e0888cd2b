"""Shapes that other compilers refuse or guess: unknown ranks, counts that only the run knows, sizes
that turn out wrong. Everything is compared with NumPy and the interpreter, or fails with the reason."""
import unittest

import numpy as np

import cli
from programs import ProgramTest

PROGRAMS = {}

PROGRAMS["ranks"] = """
func.func @chain(%x: tensor<*xf32> {relax.name = "x"}) -> tensor<*xf16> {
  %0 = relax.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  %1 = relax.relu %0 : (tensor<*xf32>) -> tensor<*xf32>
  %2 = relax.cast %1 : tensor<*xf32> to tensor<*xf16>
  return %2 : tensor<*xf16>
}
func.func @loop(%x: tensor<*xf32> {relax.name = "x"}, %n: tensor<i64> {relax.name = "n"}) -> tensor<*xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r:2 = relax.while (%i = %zero, %y = %x) : (tensor<i64>, tensor<*xf32>) -> (tensor<i64>, tensor<*xf32>) {
    %c = relax.less %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    relax.condition %c : tensor<i1>
  } do {
    %z = relax.negate %y : (tensor<*xf32>) -> tensor<*xf32>
    %j = relax.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    relax.yield %j, %z : tensor<i64>, tensor<*xf32>
  }
  return %r#1 : tensor<*xf32>
}
func.func @anything(%x: tensor<*x!relax.any> {relax.name = "x"}) -> tensor<?x?xf32> {
  %0 = relax.match_cast %x : tensor<*x!relax.any> to tensor<?x?xf32, #relax.shape<[a, b]>>
  %1 = relax.softmax %0 : (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  %2 = relax.erase %1 : tensor<?x?xf32, #relax.shape<[a, b]>> to tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
func.func @elements(%x: tensor<*x!relax.any> {relax.name = "x"}) -> tensor<*xf32> {
  %0 = relax.match_cast %x : tensor<*x!relax.any> to tensor<*xf32>
  %1 = relax.square %0 : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}
func.func @shaped(%x: tensor<?xf32> {relax.name = "x"}, %s: !relax.shape<*> {relax.name = "s"}) -> tensor<*xf32> {
  %0 = relax.reshape_to %x, %s : (tensor<?xf32>, !relax.shape<*>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
"""

PROGRAMS["counts"] = """
!x = tensor<2x?x3xf32, #relax.shape<[2, c, 3]>>
func.func @group_norm(%x: !x {relax.name = "x"}, %s: tensor<?xf32, #relax.shape<[c]>> {relax.name = "s"}) -> !x
    attributes {relax.symbols = #relax.symbols<c = [0, ?]>} {
  %0 = relax.group_norm %x, %s {num_groups = 4 : i64} : (!x, tensor<?xf32, #relax.shape<[c]>>) -> !x
  return %0 : !x
}
!q = tensor<1x?x5x?xf32, #relax.shape<[1, h, 5, d]>>
!k = tensor<1x?x7x?xf32, #relax.shape<[1, g, 7, d]>>
!v = tensor<1x?x7x2xf32, #relax.shape<[1, g, 7, 2]>>
!r = tensor<1x?x5x2xf32, #relax.shape<[1, h, 5, 2]>>
func.func @attention(%q: !q {relax.name = "q"}, %k: !k {relax.name = "k"}, %v: !v {relax.name = "v"}) -> !r
    attributes {relax.symbols = #relax.symbols<h = [0, ?], g = [0, ?], d = [0, ?]>} {
  %0 = relax.attention %q, %k, %v : (!q, !k, !v) -> !r
  return %0 : !r
}
!i = tensor<1x?x9xf32, #relax.shape<[1, c, 9]>>
!w = tensor<?x?x3xf32, #relax.shape<[m, k, 3]>>
!o = tensor<1x?x7xf32, #relax.shape<[1, m, 7]>>
func.func @convolution(%x: !i {relax.name = "x"}, %w: !w {relax.name = "w"}) -> !o
    attributes {relax.symbols = #relax.symbols<c = [0, ?], m = [0, ?], k = [0, ?]>} {
  %0 = relax.convolution %x, %w {groups = 2 : i64} : (!i, !w) -> !o
  return %0 : !o
}
func.func @select(%x: tensor<?xf32> {relax.name = "x"}, %m: tensor<?xi1> {relax.name = "m"}) -> tensor<?xf32> {
  %0 = relax.masked_select %x, %m {symbol = "u"} : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32, #relax.shape<[u]>>
  %1 = relax.erase %0 : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""

PROGRAMS["reshapes"] = """
func.func @two(%x: tensor<?x?xf32> {relax.name = "x"}) -> tensor<?x4xf32> {
  %0 = relax.reshape %x : tensor<?x?xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @view(%x: tensor<?x?xf32> {relax.name = "x"}) -> tensor<?x4xf32> {
  %0 = relax.view %x {shape = #relax.shape<[-1, 4]>} : (tensor<?x?xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @named(%x: tensor<?x?xf32> {relax.name = "x"}, %n: !relax.shape<[n]> {relax.name = "n"}) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.reshape %x : tensor<?x?xf32> to tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %0 : tensor<?x4xf32, #relax.shape<[n, 4]>>
}
"""

PROGRAMS["negative"] = """
func.func @full(%n: !relax.shape<[n]> {relax.name = "n"}) -> tensor<?xf32, #relax.shape<[n - 5]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[n - 5]>, value = 1.0 : f32} : () -> tensor<?xf32, #relax.shape<[n - 5]>>
  return %0 : tensor<?xf32, #relax.shape<[n - 5]>>
}
func.func @reshape(%x: tensor<?xf32, #relax.shape<[n]>> {relax.name = "x"}) -> tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.reshape %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
  %1 = relax.exp %0 : (tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>) -> tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
  return %1 : tensor<?x?xf32, #relax.shape<[n - 8, n - 9]>>
}
func.func @square(%n: !relax.shape<[n]> {relax.name = "n"}) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[n, n]>, value = 1.0 : f32} : () -> tensor<?x?xf32, #relax.shape<[n, n]>>
  %1 = relax.erase %0 : tensor<?x?xf32, #relax.shape<[n, n]>> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
// No size of a tensor: what only the kernel computes.
func.func @rolled(%x: tensor<?xf32, #relax.shape<[n]>> {relax.name = "x"}, %k: !relax.shape<[k]> {relax.name = "k"})
    -> tensor<?xf32, #relax.shape<[n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?], k = [0, ?]>} {
  %0 = relax.exp %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %1 = relax.roll %0 {shifts = #relax.shape<[3 * k]>, axes = array<i64: 0>}
     : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %2 = relax.negate %1 : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %2 : tensor<?xf32, #relax.shape<[n]>>
}
// What the compiler writes where it has proved something proves nothing in a program's text.
func.func @claimed(%x: tensor<?xf32> {relax.name = "x"}) -> tensor<5xf32> {
  %0 = relax.match_cast %x {relax.proved} : tensor<?xf32> to tensor<5xf32>
  %1 = relax.exp %0 : (tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
// The symbol that a match_cast solves for may be negative, too.
func.func @solved(%x: tensor<?xf32> {relax.name = "x"}) -> tensor<?xf32> {
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[k + 5]>>
  %1 = relax.full {shape = #relax.shape<[k]>, value = 1.0 : f32} : () -> tensor<?xf32, #relax.shape<[k]>>
  %2 = relax.erase %1 : tensor<?xf32, #relax.shape<[k]>> to tensor<?xf32>
  return %2 : tensor<?xf32>
}
"""


PROGRAMS["selections"] = """
func.func @suppress(%b: tensor<?x?x4xf32> {relax.name = "b"}, %s: tensor<?x?x?xf32> {relax.name = "s"}) -> tensor<?x3xi64> {
  %0 = relax.non_max_suppression %b, %s {symbol = "u", max_output_boxes_per_class = 3 : i64, iou_threshold = 0.3 : f64} : (tensor<?x?x4xf32>, tensor<?x?x?xf32>) -> tensor<?x3xi64, #relax.shape<[u, 3]>>
  %1 = relax.erase %0 : tensor<?x3xi64, #relax.shape<[u, 3]>> to tensor<?x3xi64>
  return %1 : tensor<?x3xi64>
}
func.func @strided(%x: tensor<?x?xf32> {relax.name = "x"}, %s: tensor<1xi64> {relax.name = "s"}, %e: tensor<1xi64> {relax.name = "e"}) -> tensor<?x?xf32> {
  %0 = relax.dynamic_strided_slice %x, %s, %e {axes = array<i64: 1>, steps = array<i64: -2>, symbols = ["u"]} : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32, #relax.shape<[?, u]>>
  %1 = relax.erase %0 : tensor<?x?xf32, #relax.shape<[?, u]>> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @sliced(%x: tensor<?x?xf32> {relax.name = "x"}, %s: tensor<?xi64> {relax.name = "s"}) -> tensor<?x3xf32> {
  %0 = relax.dynamic_slice %x, %s {sizes = #relax.shape<[2, 3]>} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<2x3xf32>
  %1 = relax.erase %0 : tensor<2x3xf32> to tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
"""

PROGRAMS["convolutions"] = """
!x = tensor<1x3x?x?xf32, #relax.shape<[1, 3, h, w]>>
!a = tensor<1x4x?x?xf32, #relax.shape<[1, 4, floordiv(h - 1, 2), floordiv(w - 1, 2)]>>
!b = tensor<1x5x?x?xf32, #relax.shape<[1, 5, floordiv(h - 1, 2) - 2, floordiv(w - 1, 2) - 2]>>
func.func @chain(%x: !x {relax.name = "x"}, %p: tensor<4x3x3x3xf32> {relax.name = "p"},
                 %q: tensor<5x4x3x3xf32> {relax.name = "q"}, %c: tensor<5x1x1xf32> {relax.name = "c"}) -> !b
    attributes {relax.symbols = #relax.symbols<h = [0, ?], w = [0, ?]>} {
  %0 = relax.convolution %x, %p {strides = array<i64: 2, 2>} : (!x, tensor<4x3x3x3xf32>) -> !a
  %1 = relax.convolution %0, %q : (!a, tensor<5x4x3x3xf32>) -> !b
  %2 = relax.add %1, %c : (!b, tensor<5x1x1xf32>) -> !b
  return %2 : !b
}
"""


def broadcasts(count):
    """x + y + x + y + …: every sum broadcasts again."""
    extent = "max(m, n) + min(m, n, 1) - min(max(m, n), 1)"
    types = {"x": "#relax.shape<[n]>", "y": "#relax.shape<[m]>", "r": f"#relax.shape<[{extent}]>"}
    types = {name: f"tensor<?xf32, {shape}>" for name, shape in types.items()}
    lines = [f"func.func @chain(%x: {types['x']} {{relax.name = \"x\"}}, %y: {types['y']} "
             f"{{relax.name = \"y\"}}) -> {types['r']}",
             "    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {",
             f"  %0 = relax.add %x, %y : ({types['x']}, {types['y']}) -> {types['r']}"]
    for i in range(1, count):
        name = "xy"[i % 2]
        lines.append(f"  %{i} = relax.add %{i - 1}, %{name} : ({types['r']}, {types[name]}) -> {types['r']}")
    return "\n".join([*lines, f"  return %{count - 1} : {types['r']}", "}"])


PROGRAMS["broadcasts"] = broadcasts(100)


class Shapes(ProgramTest):
    programs = PROGRAMS

    def random(self, *shape):
        return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)

    def test_unknown_ranks(self):
        for shape in ((), (0,), (2, 3), (1, 2, 0, 3)):
            x, reference = self.random(*shape), shape == (2, 3)
            np.testing.assert_allclose(self.call("ranks", "chain", reference, x=x)[0], np.exp(x), rtol=2e-3)
            self.equal(self.call("ranks", "loop", reference, x=x, n="3"), -x)
        self.equal(self.call("ranks", "elements", x=x), x * x)
        self.refuses("ranks", "chain", "found elements of f64, expected f32", x=np.zeros((2, 2)))
        self.refuses("ranks", "elements", ("f16", "f32"), x=np.zeros(3, np.float16))

    def test_unknown_elements(self):
        x = self.random(2, 3)
        e = np.exp(x)
        self.equal(self.call("ranks", "anything", x=x), e / e.sum(1, keepdims=True))
        self.refuses("ranks", "anything", ("1 dimension", "2"), x=self.random(3))
        self.refuses("ranks", "anything", ("f64", "f32"), x=np.zeros((2, 2)))

    def test_shapes_of_unknown_rank(self):
        x = self.random(6)
        for text, shape in (("shape:[6]", (6,)), ("shape:[2,3]", (2, 3)), ("shape:[1,3,2,1]", (1, 3, 2, 1))):
            self.equal(self.call("ranks", "shaped", len(shape) == 2, x=x, s=text), x.reshape(shape))
        for text in ("shape:[2,2]", "shape:[7]", "shape:[]"):
            self.refuses("ranks", "shaped", ("reshape_to keeps the number of elements", "ranks.mlir:"), x=x, s=text)

    def test_group_counts(self):
        for c in (0, 4, 8):
            x, s = self.random(2, c, 3), self.random(c)
            groups = x.reshape(2, 4, -1).astype(np.float64)
            if c:
                groups = (groups - groups.mean(2, keepdims=True)) / np.sqrt(
                    groups.var(2, keepdims=True) + 1e-5)
            found = self.call("counts", "group_norm", c == 8, x=x, s=s)[0]
            np.testing.assert_allclose(found, groups.reshape(2, c, 3) * s[:, None], rtol=1e-4, atol=1e-5)
        self.refuses("counts", "group_norm", ("4 divides c", "num_groups", "6"),
                     x=self.random(2, 6, 3), s=self.random(6))

    def test_heads(self):
        for h, g, d in ((1, 1, 1), (4, 2, 3), (6, 1, 16)):
            q, k, v = self.random(1, h, 5, d), self.random(1, g, 7, d), self.random(1, g, 7, 2)
            keys, values = np.repeat(k, h // g, 1), np.repeat(v, h // g, 1)
            scores = np.exp(q.astype(np.float64) @ keys.swapaxes(2, 3) / np.sqrt(d))
            expected = scores / scores.sum(3, keepdims=True) @ values
            found = self.call("counts", "attention", h == 4, q=q, k=k, v=v)[0]
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        self.refuses("counts", "attention", ("g divides h", "heads"), q=self.random(1, 3, 5, 4),
                     k=self.random(1, 2, 7, 4), v=self.random(1, 2, 7, 2))
        self.refuses("counts", "attention", "g = 0", q=self.random(1, 3, 5, 4),
                     k=self.random(1, 0, 7, 4), v=self.random(1, 0, 7, 2))

    def test_convolution_groups(self):
        for c, m in ((2, 2), (4, 6)):
            x, w = self.random(1, c, 9), self.random(m, c // 2, 3)
            windows = np.lib.stride_tricks.sliding_window_view(x, 3, 2).reshape(1, 2, c // 2, 7, 3)
            expected = np.einsum("bgkpi,gmki->bgmp", windows, w.reshape(2, m // 2, c // 2, 3))
            found = self.call("counts", "convolution", c == 4, x=x, w=w)[0]
            np.testing.assert_allclose(found, expected.reshape(1, m, 7), rtol=1e-4, atol=1e-5)
        self.refuses("counts", "convolution", "2 divides m", x=self.random(1, 4, 9), w=self.random(3, 2, 3))
        self.refuses("counts", "convolution", "2 * k", x=self.random(1, 5, 9), w=self.random(2, 2, 3))

    def test_convolution_of_a_strided_convolution(self):
        def convolution(x, w, stride=1):
            windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
            return np.einsum("nchwij,mcij->nmhw", windows[:, :, ::stride, ::stride], w)

        p, q, c = self.random(4, 3, 3, 3), self.random(5, 4, 3, 3), self.random(5, 1, 1)
        for h, w in ((7, 8), (12, 33)):
            x = self.random(1, 3, h, w)
            expected = convolution(convolution(x.astype(np.float64), p, 2), q) + c
            found = self.call("convolutions", "chain", h == 7, x=x, p=p, q=q, c=c)[0]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
        # No window fits the second one, then none the first.
        self.assertEqual(self.call("convolutions", "chain", False, x=self.random(1, 3, 5, 9), p=p, q=q, c=c)[0].shape,
                         (1, 5, 0, 2))
        for h in (4, 0):
            self.refuses("convolutions", "chain", f"h = {h}", x=self.random(1, 3, h, 9), p=p, q=q, c=c)

    def test_unknown_sizes_of_two_operands(self):
        x, m = self.random(5), np.array([1, 0, 1, 1, 0], bool)
        self.equal(self.call("counts", "select", x=x, m=m), x[m])
        self.refuses("counts", "select", ("dimension 0 of x", "dimension 0 of mask"), x=x, m=m[:4])

    def test_selections_of_unknown_sizes(self):
        # Two boxes that are one, and one beside them.
        boxes = np.array([[[0, 0, 2, 2], [0, 0, 2, 2], [3, 3, 4, 4]]], np.float32)
        scores = np.array([[[0.5, 0.9, 0.1]]], np.float32)
        self.equal(self.call("selections", "suppress", b=boxes, s=scores), [[0, 0, 1], [0, 0, 2]])
        self.equal(self.call("selections", "suppress", b=boxes[:, :0], s=scores[..., :0]), np.zeros((0, 3)))
        self.refuses("selections", "suppress", ("dimension 1 of boxes", "dimension 2 of scores"),
                     b=boxes, s=scores[..., :2])
        x = self.random(4, 9)
        for start, end in ((7, 1), (-1, 0), (2, 5), (99, -99)):
            self.equal(self.call("selections", "strided", start == 7, x=x, s=f"[{start}]", e=f"[{end}]"),
                       x[:, start:end:-2])
        self.equal(self.call("selections", "sliced", x=x, s="[1,5]"), x[1:3, 5:8])
        self.equal(self.call("selections", "sliced", False, x=x, s="[9,-3]"), x[2:4, :3])
        self.refuses("selections", "sliced", "the size 3 and dimension 1 of x", x=x[:, :2], s="[1,5]")
        self.refuses("selections", "sliced", "the number of axes", x=x, s="[1]")

    def test_reshapes_with_two_unknown_sizes(self):
        for shape in ((2, 6), (0, 3)):
            x = self.random(*shape)
            for function in ("two", "view"):
                self.equal(self.call("reshapes", function, shape == (2, 6), x=x), x.reshape(-1, 4))
            self.equal(self.call("reshapes", "named", False, x=x, n=f"shape:[{x.size // 4}]"), x.reshape(-1, 4))
        for function in ("two", "view"):
            self.refuses("reshapes", function, "element counts", x=self.random(3, 3))
        self.refuses("reshapes", "named", "element counts", x=self.random(4, 2), n="shape:[3]")

    def test_negative_sizes(self):
        self.equal(self.call("negative", "full", n="shape:[7]"), np.ones(2))
        self.equal(self.call("negative", "full", n="shape:[5]"), np.ones(0))
        self.refuses("negative", "full", ("0 <= n - 5", "n = 4"), n="shape:[4]")
        x = self.random(12)
        self.equal(self.call("negative", "reshape", x=x), np.exp(x).reshape(4, 3))
        self.refuses("negative", "reshape", "n = 6", x=x[:6])
        self.equal(self.call("negative", "solved", x=x), np.ones(7))
        self.refuses("negative", "solved", "0 <= k", x=x[:3])

    def test_claims_are_no_proofs(self):
        x = self.random(5)
        self.equal(self.call("negative", "claimed", False, x=x), np.exp(x))
        self.refuses("negative", "claimed", ("match_cast", "5", "3"), x=x[:3])

    def test_sizes_beyond_64_bits(self):
        self.equal(self.call("negative", "square", n="shape:[3]"), np.ones((3, 3)))
        self.refuses("negative", "square", "more bytes than 64 bits can count", code=cli.FAILURE,
                     n="shape:[3000000000]")
        x = self.random(4)
        for k in (0, 3, 10**18):
            self.equal(self.call("negative", "rolled", False, x=x, k=f"shape:[{k}]"), -np.exp(np.roll(x, 3 * k % 4)))
        self.refuses("negative", "rolled", "3 * k does not fit 64 bits", x=x, k=f"shape:[{2**62}]")

    def test_repeated_broadcasts(self):
        for n, m in ((3, 3), (1, 4), (4, 1), (0, 1), (1, 1)):
            x, y = self.random(n), self.random(m) + 2
            found = self.call("broadcasts", "chain", (n, m) == (4, 1), x=x, y=y)[0]
            expected = 50 * x.astype(np.float64) + 51 * y
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
            self.assertEqual(found.shape, expected.shape)
        self.refuses("broadcasts", "chain", ("n == m, or one of them is 1", "n = 2", "m = 3"),
                     x=self.random(2), y=self.random(3))


if __name__ == "__main__":
    unittest.main()
