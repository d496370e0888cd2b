"""What optimisers of shapes and memory have tripped over before: each trap is a program that is compiled as
usual, run, and compared with NumPy."""
import pathlib
import tempfile
import unittest

import numpy as np

import relaxlib

VECTOR = "!v = tensor<?xf32, #relax.shape<[n]>>\n"
SYMBOLS = "attributes {relax.symbols = #relax.symbols<n = [0, ?]>}"

# Names that a merged program, a group or a copy could be given are taken.
NAMES = VECTOR + f"""
func.func private @fused(%x: !v) -> !v {SYMBOLS} {{
  %0 = relax.negate %x : (!v) -> !v
  return %0 : !v
}}
func.func private @add_exp(%x: !v) -> !v {SYMBOLS} {{
  %0 = relax.tanh %x : (!v) -> !v
  return %0 : !v
}}
func.func private @add_exp_group(%x: !v) -> !v {SYMBOLS} {{
  %0 = relax.abs %x : (!v) -> !v
  return %0 : !v
}}
func.func @main(%x: !v, %y: !v) -> !v {SYMBOLS} {{
  %0 = relax.add %x, %y : (!v, !v) -> !v
  %1 = relax.exp %0 : (!v) -> !v
  %2 = relax.call @fused(%1) : (!v) -> !v
  %3 = relax.call @add_exp(%2) : (!v) -> !v
  %4 = relax.call @add_exp_group(%3) : (!v) -> !v
  %5 = relax.add %4, %x : (!v, !v) -> !v
  %6 = relax.exp %5 : (!v) -> !v
  return %6 : !v
}}"""

TUPLES = VECTOR + f"""
!t = tuple<tuple<!v, !v>, !v>
func.func @main(%x: !v, %y: !v) -> !t {SYMBOLS} {{
  %0 = relax.add %x, %y : (!v, !v) -> !v
  %1 = relax.exp %0 : (!v) -> !v
  %t = relax.tuple %1, %x : (!v, !v) -> tuple<!v, !v>
  %u = relax.tuple %t, %0 : (tuple<!v, !v>, !v) -> !t
  %a = relax.tuple_get %u {{index = 0}} : (!t) -> tuple<!v, !v>
  %b = relax.tuple_get %a {{index = 0}} : (tuple<!v, !v>) -> !v
  %2 = relax.negate %b : (!v) -> !v
  %3 = relax.add %2, %0 : (!v, !v) -> !v
  %w = relax.tuple %a, %3 : (tuple<!v, !v>, !v) -> !t
  return %w : !t
}}"""

# The table, the indices and the result of a take are all computed.
TAKE = """
!r = tensor<?x4xf32, #relax.shape<[k, 4]>>
!i = tensor<?xi32, #relax.shape<[k]>>
func.func @main(%t: tensor<?x4xf32, #relax.shape<[n, 4]>>, %i: !i {relax.values = #relax.values<0, n>}, %s: !r) -> !r
    attributes {relax.symbols = #relax.symbols<n = [1, ?], k = [0, ?]>} {
  %0 = relax.negate %t : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.take %0, %i {axis = 0 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, !i) -> !r
  %2 = relax.exp %1 : (!r) -> !r
  %3 = relax.add %2, %s : (!r, !r) -> !r
  return %3 : !r
}"""

# No operand of the calls that fuse has m or n: they are only in what is returned.
RESULT_SYMBOLS = """
!z = tensor<?x?xf32, #relax.shape<[2 * n, m + 1]>>
func.func @main(%x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32, #relax.shape<[m]>>) -> !z
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[2 * n, m + 1]>, value = 1.5 : f32} : () -> !z
  %1 = relax.exp %0 : (!z) -> !z
  %2 = relax.tanh %1 : (!z) -> !z
  return %2 : !z
}"""

IF = VECTOR + f"""
func.func @main(%c: tensor<i1>, %x: !v, %y: !v) -> !v {SYMBOLS} {{
  %0 = relax.add %x, %y : (!v, !v) -> !v
  %1 = relax.exp %0 : (!v) -> !v
  %r = relax.if %c : tensor<i1> -> !v {{
    %a = relax.multiply %1, %0 : (!v, !v) -> !v
    %b = relax.softmax %a {{axis = 0 : i64}} : (!v) -> !v
    relax.yield %b : !v
  }} else {{
    relax.yield %0 : !v
  }}
  // Both are needed after the branch: nothing in it may take their memory.
  %2 = relax.add %r, %1 : (!v, !v) -> !v
  %3 = relax.multiply %2, %0 : (!v, !v) -> !v
  return %3 : !v
}}"""

# Planned, with temporaries of three sizes.
SIZES = """
!x = tensor<?x16xf32, #relax.shape<[b, 16]>>
!y = tensor<?x48xf32, #relax.shape<[b, 48]>>
func.func @main(%x: !x, %w: tensor<48x16xf32>, %u: tensor<16x48xf32>) -> !x
    attributes {relax.symbols = #relax.symbols<b = [0, ?]>} {
  %0 = relax.matmul %x, %w {transpose_b} : (!x, tensor<48x16xf32>) -> !y
  %1 = relax.softmax %0 {axis = 1 : i64} : (!y) -> !y
  %2 = relax.matmul %1, %u {transpose_b} : (!y, tensor<16x48xf32>) -> !x
  %3 = relax.softmax %2 {axis = 1 : i64} : (!x) -> !x
  %4 = relax.add %3, %x : (!x, !x) -> !x
  return %4 : !x
}"""

# General: how many elements there are depends on them.
DATA_SIZES = VECTOR + f"""
func.func @main(%x: !v) -> tensor<?xf32> {SYMBOLS} {{
  %0 = relax.exp %x : (!v) -> !v
  %1 = relax.unique %0 {{symbol = "u"}} : (!v) -> tensor<?xf32, #relax.shape<[u]>>
  %2 = relax.negate %1 : (tensor<?xf32, #relax.shape<[u]>>) -> tensor<?xf32, #relax.shape<[u]>>
  %3 = relax.erase %2 : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32>
  return %3 : tensor<?xf32>
}}"""


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=axis, keepdims=True)


class Traps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)

    def module(self, text, **options):
        path = pathlib.Path(self.directory.name) / f"{self.id().rsplit('.', 1)[-1]}.mlir"
        path.write_text(text)
        return relaxlib.Module(relaxlib.compile_model(path, **options))

    def vectors(self, n, count=2):
        random = np.random.default_rng(n)
        return [random.standard_normal(n).astype(np.float32) for _ in range(count)]

    def close(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    def test_names_that_are_taken(self):
        main = self.module(NAMES)["main"]
        for n in (0, 1, 33):
            x, y = self.vectors(n)
            [z] = main(x, y)
            self.close(z, np.exp(np.abs(np.tanh(-np.exp(x + y))) + x))

    def test_nested_tuples(self):
        main = self.module(TUPLES)["main"]
        for n in (0, 5):
            x, y = self.vectors(n)
            ((a, b), c) = main.invoke(x, y)[0]
            self.close(a, np.exp(x + y))
            np.testing.assert_array_equal(b, x)
            self.close(c, x + y - np.exp(x + y))

    def test_take_keeps_its_indices(self):
        main = self.module(TAKE)["main"]
        for k in (0, 1, 17):
            t, s = np.random.default_rng(k).standard_normal((2, max(k, 3), 4)).astype(np.float32)
            indices = np.random.default_rng(k).integers(0, len(t), k).astype(np.int32)
            [y] = main(t, indices, s[:k])
            self.close(y, np.exp(-t[indices]) + s[:k])

    def test_symbols_of_a_result_only(self):
        main = self.module(RESULT_SYMBOLS)["main"]
        for n, m in ((0, 0), (1, 0), (3, 6)):
            [z] = main(np.zeros(n, np.float32), np.zeros(m, np.float32))
            self.assertEqual(z.shape, (2 * n, m + 1))
            self.close(z, np.full((2 * n, m + 1), np.tanh(np.exp(1.5))))

    def test_if(self):
        main = self.module(IF)["main"]
        for n in (1, 2, 50):
            x, y = self.vectors(n)
            s, e = x + y, np.exp(x + y)
            for condition in (True, False, True):
                [z] = main.invoke(np.array(condition), x, y)
                self.close(z, ((softmax(s * e) if condition else s) + e) * s)

    def test_batches_that_change(self):
        main = self.module(SIZES)["main"]
        random = np.random.default_rng(0)
        w, u = (random.standard_normal(shape).astype(np.float32) for shape in ((48, 16), (16, 48)))
        for b in (1, 1, 8, 3, 200, 1, 0, 7, 201, 8, 8):
            x = random.standard_normal((b, 16)).astype(np.float32)
            [y] = main(x, w, u)
            self.close(y, softmax(softmax(x @ w.T) @ u.T) + x)

    def test_memory_does_not_grow_with_the_number_of_shapes(self):
        for text, arguments in ((SIZES, (np.zeros((48, 16), np.float32), np.zeros((16, 48), np.float32))),
                                (DATA_SIZES, ())):
            module = self.module(text)
            main = module["main"]
            shape = (16,) if arguments else ()
            sizes = np.random.default_rng(1).integers(0, 3000, 3000)
            most = 0
            for i, n in enumerate([3000, *sizes]):
                main.invoke(np.full((n, *shape), 0.5, np.float32), *arguments)
                if i == 50:
                    most = module.memory()[1]
            current, peak = module.memory()
            # What 50 calls needed, the largest first, is enough for thousands of other sizes.
            self.assertGreater(most, 0)
            self.assertLessEqual(peak, 1.3 * most)
            self.assertLessEqual(current, peak)


if __name__ == "__main__":
    unittest.main()
