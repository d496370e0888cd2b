"""Every graph op, compiled and run, against NumPy in float64 at sizes 0, 1, 2, 3, around the tile, and
large; one compiled program serves all of them, in mixed order. Every op of the dialect has a case or
is listed with the test that covers it, and the list is checked against the op definitions.

Tolerances: float32 results within a few units in the last place of the largest magnitude involved; sums
of K terms grow with sqrt(K). float16 and bfloat16 round once, at the end.
"""
import pathlib
import re
import tempfile
import unittest

import numpy as np

import relaxlib

SIZES = (1000, 0, 1, 17, 2, 3, 16, 15, 7, 33, 8, 9, 31, 32, 1)
WIDTHS = (1, 2, 3, 7, 8, 9, 16, 17, 64, 257)
ELEMENTS = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i32": np.int32,
            "i64": np.int64, "i8": np.int8}

# Ops without a case here, and where they are tested.
ELSEWHERE = {
    "constant": "test_smollm2.py", "state": "test_smollm2.py", "call": "tests/ir/dialect",
    "rotary_table": "tests/unit/kernels/attention", "update_slots": "tests/unit/kernels/attention",
    "paged_attention": "tests/unit/kernels/attention", "pack_weights": "tests/unit/kernels",
    "quantize_activations": "tests/unit/kernels", "quantized_matmul": "tests/unit/kernels",
    "packed_matmul": "tests/unit/kernels", "dataflow": "test_smollm2.py",
    "yield": "test_smollm2.py", "call_kernel": "tests/ir/transforms",
    "call_library": "tests/ir/dialect", "shape_of": "tests/ir/dialect",
    "symbol_value": "test_ops.py, inside rms_norm",
}


def tensor(dims, element="f32"):
    """The type text; dims are integers and expressions over symbols."""
    sizes = "x".join(str(d) if isinstance(d, int) else "?" for d in dims)
    prefix = sizes + "x" if dims else ""
    if all(isinstance(d, int) for d in dims):
        return f"tensor<{prefix}{element}>"
    return f"tensor<{prefix}{element}, #relax.shape<[{', '.join(map(str, dims))}]>>"


def program(op, inputs, result, attributes="", form=None, symbols="n = [0, ?]"):
    """A module with one function of one op."""
    names = [f"%a{i}" for i in range(len(inputs))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, inputs))
    line = form or (f"relax.{op} {', '.join(names)} {attributes} : ({', '.join(inputs)}) -> {result}")
    return (f"func.func @main({arguments}) -> {result} "
            f"attributes {{relax.symbols = #relax.symbols<{symbols}>}} {{\n"
            f"  %r = {line}\n  return %r : {result}\n}}\n")


def compile_text(text, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "op.mlir"
        path.write_text(text)
        return relaxlib.Module(relaxlib.compile_model(path, **options), threads=2)["main"]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


UNARY = {
    "negate": lambda x: -x, "exp": np.exp, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0), "sigmoid": sigmoid, "tanh": np.tanh,
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))),
}
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum,
}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 88.0, -104.0, 1e-40, -1e-40, 3e38, -3e38,
                    1.0, -1.0, 0.5, 100.0, -20.0], np.float32)


class Ops(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def normal(self, *shape, element="f32"):
        data = self.random.standard_normal(shape) * 2
        if element.startswith("i"):
            data = data * 20
        return data.astype(ELEMENTS[element])

    def check(self, found, expected, epsilons=4.0, scale=None):
        """Within `epsilons` units of the result's precision at magnitude `scale` (|expected|)."""
        self.assertEqual(found.shape, expected.shape)
        if found.dtype.kind == "i":
            np.testing.assert_array_equal(found, expected)
            return
        epsilon = np.finfo(found.dtype).eps
        with np.errstate(all="ignore"):
            limit = epsilons * epsilon * (np.abs(expected) if scale is None else scale)
            tiny = np.finfo(found.dtype).tiny
            rounded = expected.astype(found.dtype).astype(np.float64)
            same = (found == rounded) | (np.isnan(found) & np.isnan(expected))
            close = np.abs(found.astype(np.float64) - expected) <= limit + tiny
        self.assertTrue(np.all(same | close),
                        f"largest error {np.nanmax(np.abs(found - expected), initial=0)}")

    def test_unary(self):
        for op, function in UNARY.items():
            for element in ("f32", "f16", "f64"):
                if element == "f64" and op not in ("negate", "relu", "sqrt", "rsqrt"):
                    continue
                kind = tensor(["n", 3], element)
                run = compile_text(program(op, [kind], kind))
                for n in SIZES:
                    x = self.normal(n, 3, element=element)
                    if op in ("sqrt", "rsqrt"):
                        x = np.abs(x) + ELEMENTS[element](0.01)
                    with self.subTest(op=op, element=element, n=n):
                        # exp and its kin: a relative error below 1e-6; gelu's 1 + tanh cancels
                        # for negative x, so its error is relative to x.
                        wide = x.astype(np.float64)
                        self.check(run(x)[0], function(wide), epsilons=10,
                                   scale=np.abs(wide) if op == "gelu" else None)

    def test_unary_special_values(self):
        for op, function in UNARY.items():
            kind = tensor(["n"])
            run = compile_text(program(op, [kind], kind))
            with np.errstate(all="ignore"):
                expected = function(SPECIAL.astype(np.float64))
                found = run(SPECIAL)[0]
                reachable = expected.astype(np.float32)
            with self.subTest(op=op):
                np.testing.assert_array_equal(np.isnan(found), np.isnan(reachable))
                np.testing.assert_array_equal(np.isinf(found), np.isinf(reachable))
                finite = np.isfinite(reachable)
                np.testing.assert_allclose(found[finite], reachable[finite], rtol=2e-6, atol=2e-38)

    def test_binary(self):
        for op, function in BINARY.items():
            for element in ("f32", "f16", "f64", "i32", "i64"):
                if op == "divide" and element.startswith("i"):
                    continue
                wide = np.int64 if element.startswith("i") else np.float64
                kind, row = tensor(["n", 5], element), tensor([5], element)
                same = compile_text(program(op, [kind, kind], kind))
                broadcast = compile_text(program(op, [kind, row], kind))
                for n in SIZES:
                    x, y = self.normal(n, 5, element=element), self.normal(n, 5, element=element)
                    with self.subTest(op=op, element=element, n=n):
                        with np.errstate(all="ignore"):
                            self.check(same(x, y)[0], function(x.astype(wide), y.astype(wide)))
                            z = self.normal(5, element=element)
                            self.check(broadcast(x, z)[0], function(x.astype(wide), z.astype(wide)))

    def test_binary_nan(self):
        kind = tensor(["n"])
        x = np.repeat(SPECIAL[:8], 8)
        y = np.tile(SPECIAL[:8], 8)
        for op, function in BINARY.items():
            run = compile_text(program(op, [kind, kind], kind))
            with self.subTest(op=op), np.errstate(all="ignore"):
                np.testing.assert_array_equal(run(x, y)[0], function(x, y))

    def test_cast(self):
        def run(x, source, target):
            a, b = tensor(["n"], source), tensor(["n"], target)
            return compile_text(program("cast", [a], b, form=f"relax.cast %a0 : {a} to {b}"))(x)[0]

        for source, target in (("f32", "f16"), ("f16", "f32"), ("f32", "f64"), ("f64", "f32"),
                               ("i32", "f32"), ("i8", "i32"), ("i64", "i8")):
            x = self.normal(37, element=source)
            with self.subTest(source=source, target=target):
                np.testing.assert_array_equal(run(x, source, target), x.astype(ELEMENTS[target]))
        # Towards zero, saturating, NaN to 0.
        x = np.array([1.9, -1.9, 3e9, -3e9, np.inf, -np.inf, np.nan, 0.0], np.float32)
        np.testing.assert_array_equal(
            run(x, "f32", "i32"), np.array([1, -1, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 0, 0]))

    def test_matmul(self):
        for transposed in (True, False):
            for k, m in ((1, 1), (3, 2), (8, 7), (17, 16), (64, 33), (129, 5)):
                kind = tensor(["n", k])
                right = tensor([m, k] if transposed else [k, m])
                run = compile_text(program("matmul", [kind, right], tensor(["n", m]),
                                           "{transpose_b}" if transposed else ""))
                for n in (0, 1, 2, 3, 15, 16, 17, 33, 5):
                    x, w = self.normal(n, k), self.normal(m, k)
                    with self.subTest(transposed=transposed, k=k, m=m, n=n):
                        expected = x.astype(np.float64) @ w.T.astype(np.float64)
                        scale = np.abs(x).astype(np.float64) @ np.abs(w.T)
                        found = run(x, w if transposed else np.ascontiguousarray(w.T))[0]
                        self.check(found, expected, epsilons=4 + k ** 0.5, scale=scale)

    def test_softmax(self):
        for width in WIDTHS:
            kind = tensor(["n", width])
            run = compile_text(program("softmax", [kind], kind, "{axis = -1 : i64}"))
            for n in (0, 1, 2, 17, 3):
                x = self.normal(n, width) * np.float32(10)
                wide = x.astype(np.float64)
                power = np.exp(wide - wide.max(axis=1, keepdims=True))
                with self.subTest(width=width, n=n):
                    self.check(run(x)[0], power / power.sum(axis=1, keepdims=True), epsilons=40)
        # The sum of many equal terms, and the ends of the range.
        zeros = compile_text(program("softmax", [tensor(["n", 4096])], tensor(["n", 4096]),
                                     "{axis = -1 : i64}"))(np.zeros((2, 4096), np.float32))[0]
        np.testing.assert_allclose(zeros.sum(axis=1), 1, rtol=1e-6)
        lowest = np.full((1, 3), np.finfo(np.float32).min, np.float32)
        three = compile_text(program("softmax", [tensor(["n", 3])], tensor(["n", 3]),
                                     "{axis = -1 : i64}"))
        np.testing.assert_allclose(three(lowest)[0], 1 / 3, rtol=1e-6)
        self.assertTrue(np.isnan(three(np.array([[1, np.nan, 2]], np.float32))[0]).all())

    def test_rms_norm(self):
        for width in WIDTHS:
            kind = tensor(["n", width])
            run = compile_text(program("rms_norm", [kind, tensor([width])], kind,
                                       "{epsilon = 1.0e-5 : f64}"))
            for n in (0, 1, 2, 17, 3):
                x, w = self.normal(n, width), self.normal(width)
                wide = x.astype(np.float64)
                expected = wide / np.sqrt((wide ** 2).mean(axis=1, keepdims=True) + 1e-5) * w
                with self.subTest(width=width, n=n):
                    self.check(run(x, w)[0], expected, epsilons=12)

    def test_take(self):
        for element in ("f32", "f16", "i32"):
            table = tensor([11, 6], element)
            run = compile_text(program("take", [table, tensor(["n"], "i32")],
                                       tensor(["n", 6], element)))
            data = self.normal(11, 6, element=element)
            for n in SIZES:
                rows = self.random.integers(0, 11, n).astype(np.int32)
                np.testing.assert_array_equal(run(data, rows)[0], data[rows])

    def test_permute(self):
        for permutation in ((0, 2, 1), (2, 1, 0), (1, 0, 2)):
            dims = ["n", 4, 5]
            result = [dims[i] for i in permutation]
            run = compile_text(program("permute", [tensor(dims)], tensor(result),
                                       f"{{permutation = array<i64: {', '.join(map(str, permutation))}>}}"))
            for n in SIZES:
                x = self.normal(n, 4, 5)
                np.testing.assert_array_equal(run(x)[0], x.transpose(permutation))

    def test_reshape(self):
        # A view between two kernels: n rows of 6 are 2 n rows of 3.
        wide, narrow = tensor(["n", 6]), tensor(["2 * n", 3])
        text = (f"func.func @main(%x: {wide}) -> {narrow} "
                "attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {\n"
                f"  %a = relax.negate %x : ({wide}) -> {wide}\n"
                f"  %b = relax.reshape %a : {wide} to {narrow}\n"
                f"  %c = relax.relu %b : ({narrow}) -> {narrow}\n"
                f"  return %c : {narrow}\n}}\n")
        run = compile_text(text)
        for n in SIZES:
            x = self.normal(n, 6)
            np.testing.assert_array_equal(run(x)[0], np.maximum(-x, 0).reshape(2 * n, 3))

    def test_match_cast(self):
        # m is what the argument says; the call fails where it isn't n.
        a, b = tensor(["n", 3]), tensor(["m", 3])
        text = (f"func.func @main(%x: {a}, %y: {b}) -> {a} "
                "attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {\n"
                f"  %z = relax.match_cast %y : {b} to {a}\n"
                f"  %r = relax.add %x, %z : ({a}, {a}) -> {a}\n"
                f"  return %r : {a}\n}}\n")
        run = compile_text(text)
        x, y = self.normal(4, 3), self.normal(4, 3)
        np.testing.assert_array_equal(run(x, y)[0], x + y)
        with self.assertRaisesRegex(relaxlib.RelaxError, "m == n"):
            run(x, self.normal(5, 3))
        np.testing.assert_array_equal(run(x, y)[0], x + y)

    def test_dequantize(self):
        from language_model import make_gguf, reference
        for form in ("f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0"):
            data = self.normal(6, 96)
            stored = np.frombuffer(make_gguf.quantize(data, form), np.int8).reshape(6, -1)
            expected = reference.dequantize(make_gguf.FORMATS[form][0], (6, 96),
                                            stored.reshape(-1).view(np.uint8))
            run = compile_text(program("dequantize", [tensor(["n", stored.shape[1]], "i8")],
                                       tensor(["n", 96]), f'{{format = "{form}"}}'))
            for n in (0, 1, 3, 6, 5):
                with self.subTest(form=form, n=n):
                    self.check(run(stored[:n])[0], expected[:n], epsilons=1)

    def test_rotary(self):
        for interleaved in (True, False):
            for dims, head in ((8, 8), (16, 24)):
                x_type, table_type = tensor(["n", 3, head]), tensor(["n", dims])
                run = compile_text(program("rotary", [x_type, table_type], x_type,
                                           "{interleaved}" if interleaved else ""))
                for n in SIZES:
                    x, angles = self.normal(n, 3, head), self.normal(n, dims // 2)
                    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
                    first, second = ((slice(0, dims, 2), slice(1, dims, 2)) if interleaved else
                                     (slice(0, dims // 2), slice(dims // 2, dims)))
                    expected = x.astype(np.float64)
                    a, b = expected[..., first].copy(), expected[..., second].copy()
                    expected[..., first] = a * cosine - b * sine
                    expected[..., second] = a * sine + b * cosine
                    table = np.concatenate([cosine[:, 0], sine[:, 0]], axis=1).astype(np.float32)
                    with self.subTest(interleaved=interleaved, n=n):
                        self.check(run(x, table)[0], expected, epsilons=4, scale=8)

    def test_every_op_has_a_case(self):
        source = pathlib.Path(__file__).read_text()
        definitions = "".join(p.read_text() for p in (relaxlib.ROOT / "compiler/dialect/ops").glob("*Ops.td"))
        ops = set(re.findall(r'def Relax_\w+Op\s*:\s*\w+<"(\w+)"', definitions))
        self.assertGreater(len(ops), 30)
        tested = set(re.findall(r"def test_(\w+)", source)) | set(UNARY) | set(BINARY)
        self.assertEqual(ops - tested - set(ELSEWHERE), set(), "ops without a conformance case")
        self.assertEqual(set(ELSEWHERE) - ops, set(), "no such ops any more")


if __name__ == "__main__":
    unittest.main()
