"""Decoding of block formats; the products that use them are tested in tests/unit/kernels/contraction."""
import sys

import numpy as np

from conformance import Case, relaxlib, run

sys.path.append(str(relaxlib.ROOT / "tests/data"))
sys.path.append(str(relaxlib.ROOT / "tests/models"))
import make_gguf  # noqa: E402
import reference  # noqa: E402

COLUMNS = 96


def dequantize(form):
    width = len(make_gguf.quantize(np.zeros((1, COLUMNS), np.float32), form))

    def data(random, shapes):
        rows = shapes[0][0]
        x = random.standard_normal((max(rows, 1), COLUMNS)).astype(np.float32) * 2
        return [np.frombuffer(make_gguf.quantize(x, form), np.int8).reshape(-1, width)[:rows]]

    def expected(stored):
        rows = stored.shape[0]
        data = np.ascontiguousarray(stored.astype(np.int8)).reshape(-1).view(np.uint8)
        if rows == 0:
            return np.zeros((0, COLUMNS))
        return reference.dequantize(make_gguf.FORMATS[form][0], (rows, COLUMNS), data)

    return Case("dequantize", [("i8", ["n", width])], [("f32", ["n", COLUMNS])],
                f'{{format = "{form}"}}', dtypes=("i8",), reference=expected, data=data, epsilons=1,
                row=f"dequantize {form}")


CASES = [dequantize(form) for form in ("f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0")]

if __name__ == "__main__":
    run(__file__, CASES)
