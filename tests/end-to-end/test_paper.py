"""The programs of tests/ir/paper/ten-more.mlir, which docs/ir.md shows, compiled and run beside NumPy."""
import unittest

import numpy as np

import relaxlib

PROGRAMS = relaxlib.ROOT / "tests/ir/paper/ten-more.mlir"
SIZES = (1, 2, 3, 7, 15, 16, 17, 33)


def floats(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


class TenMore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = relaxlib.Module(relaxlib.compile_model(PROGRAMS))

    def equal(self, function, arguments, *expected):
        results = self.module[function].invoke(*arguments)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        self.assertEqual(len(results), len(expected))
        for result, reference in zip(results, expected):
            self.assertEqual(result.shape, reference.shape)
            np.testing.assert_allclose(result, reference, rtol=1e-5, atol=1e-5)

    def refused(self, function, arguments, says):
        with self.assertRaisesRegex(relaxlib.RelaxError, says):
            self.module[function].invoke(*arguments)

    def test_broadcast(self):
        z = floats(0, 7)
        for n, m in ((7, 7), (1, 7), (7, 1), (1, 1)):
            x, y = floats(n, n), floats(m + 50, m)
            self.equal("broadcast", (x, y, z), x + y + z)
        self.refused("broadcast", (floats(1, 3), floats(2, 4), z), "3.*4|4.*3")
        self.refused("broadcast", (floats(1, 3), floats(2, 3), z), "7")

    def test_cut(self):
        for n in SIZES:
            x = floats(n, n)
            for k in {0, 1, n // 2, n}:
                self.equal("cut", (x, relaxlib.Shape((k,))), np.concatenate([x[k:], x[:k]]) + x)
        self.refused("cut", (floats(1, 3), relaxlib.Shape((4,))), "4|-1")

    def test_tiles(self):
        for n in SIZES:
            x = floats(n, n)
            self.equal("tiles", (x,), np.pad(x, (0, -n % 16)).reshape(-1, 16))

    def test_selected(self):
        for n, m in ((0, 0), (1, 0), (5, 8), (100, 100)):
            x, y = floats(n, n), floats(m + 1, m)
            p, q = x > 0, y > 1
            self.equal("selected", (x, y, p, q), np.concatenate([x[p], y[q]]))

    def test_half(self):
        for n in (0, 2, 4, 34):
            x = floats(n, n)
            self.equal("half", (x,), np.exp(x).reshape(-1, 2))
        self.refused("half", (floats(1, 3),), "3")

    def test_growing(self):
        one, x = np.int64(1), np.array([2.5], np.float32)
        for trips in (0, 1, 2, 40):
            arguments = (x, np.int64(0), one, np.int64(trips))
            self.equal("growing", [np.asarray(a) for a in arguments], np.repeat(x, trips + 1))

    def test_branches(self):
        for n in SIZES:
            x = floats(n, n)
            self.equal("branches", (np.asarray(True), x), x[:, None])
            self.equal("branches", (np.asarray(False), x), np.stack([x, x], 1))

    def test_function_values(self):
        for n, m in ((1, 3), (4, 2), (17, 33)):
            x, y, z, u = floats(n, n), floats(m, m), floats(5, 3), floats(6, n + 1)
            self.equal("function_values", (x, y, z, u), np.outer(y, x), np.outer(z, u))

    def test_recursion(self):
        for n in SIZES:
            x = floats(n, n)
            self.equal("running_sum", (x,), np.cumsum(x.astype(np.float64)).astype(np.float32))
        self.refused("running_sum", (floats(1, 0),), "0")

    def test_door(self):
        a, c = floats(1, 16), floats(2, 256)
        for k in SIZES:
            d = floats(k, 16 * k)
            arguments = (a, floats(3, 16), c, floats(4, k), d)
            self.equal("door", arguments, c.reshape(16, 16), d.reshape(16, k))
        self.refused("door", (a, floats(3, 15), c, floats(4, 1), floats(5, 16)), "256")
        self.refused("door", (a, floats(3, 16), c, floats(4, 2), floats(5, 16)), "16")


if __name__ == "__main__":
    unittest.main()
