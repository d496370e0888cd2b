"""The conformance harness finds what is wrong: each fault that it looks for, planted in a reference."""
import os
import unittest

import numpy as np

import conformance
from conformance import Case


def failures(case):
    functions = [conformance.Function(case, dtype, f"f{i}") for i, dtype in enumerate(case.dtypes)]
    conformance.check_functions(functions)
    return [f.failure for f in functions]


def negate(reference, **options):
    return Case("negate", [["n", 3]], [["n", 3]], reference=reference, **options)


class Harness(unittest.TestCase):
    def test_right(self):
        for dtypes in (("f64", "f32", "f16", "bf16"),):
            self.assertEqual(failures(negate(lambda x: -x, dtypes=dtypes, special=True)), [None] * 4)

    def test_wrong_value(self):
        self.assertIn("found", failures(negate(lambda x: x))[0])
        # One unit in a thousand, at one place.
        def nudged(x):
            result = -x
            if result.size:
                result.reshape(-1)[-1] *= 1.001
            return result
        self.assertIn("1 of 3 wrong, first at (0, 2)", failures(negate(nudged))[0])

    def test_wrong_shape(self):
        self.assertIn("shape (0, 3), expected (3, 0)", failures(negate(lambda x: -x.T))[0])

    def test_special_values(self):
        def no_nan(x):
            return np.where(np.isnan(x), 0, -x)
        self.assertEqual(failures(negate(no_nan)), [None])
        self.assertIn("special values", failures(negate(no_nan, special=True))[0])

    def test_does_not_compile(self):
        bad = Case("negate", [["n", 3]], [["n", 4]], reference=lambda x: x)
        good = negate(lambda x: -x)
        functions = [conformance.Function(c, "f32", f"f{i}") for i, c in enumerate((good, bad, good))]
        conformance.check_functions(functions)
        self.assertEqual([bool(f.failure) for f in functions], [False, True, False])
        self.assertIn("doesn't compile", functions[1].failure)

    def test_crash(self):
        good, bad = negate(lambda x: -x), negate(lambda x: os.abort())
        functions = [conformance.Function(c, "f32", f"f{i}") for i, c in enumerate((good, bad, good))]
        conformance.check_isolated(functions)
        self.assertEqual([f.failure for f in functions], [None, "crashes: exit status -6", None])

    def test_error_expected(self):
        self.assertIn("no error", failures(negate(lambda x: -x, error="anything"))[0])

    def test_binders(self):
        function = conformance.Function(
            Case("f", [["n", "2 * m"]], [["k"]], '{symbol = "k"}', reference=abs), "f32", "f0")
        self.assertEqual(function.binders, ["m"])
        self.assertEqual(function.symbols, ["n", "m"])

    def test_bfloat16(self):
        x = np.array([1.0, -2.5, 2.0**127, 0.0, np.inf, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-40, 2.0**-133])
        found = conformance.decode(conformance.encode(x, "bf16"), "bf16")
        expected = [1.0, -2.5, 2.0**127, 0.0, np.inf, 1.0, 1 + 2**-6, 1 + 2**-7, 2.0**-133]
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        self.assertTrue(np.isnan(conformance.decode(conformance.encode([np.nan], "bf16"), "bf16"))[0])


if __name__ == "__main__":
    unittest.main()
