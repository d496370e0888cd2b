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
    _, elements, size = make_gguf.FORMATS[form]
    columns = COLUMNS if elements <= 32 else elements
    width = columns // elements * size

    def data(random, shapes):
        rows = shapes[0][0]
        if form in make_gguf.RANDOM:
            stored = make_gguf.random_blocks(random, form, max(rows, 1), columns, 2.0)
            return [np.frombuffer(stored, np.int8).reshape(-1, width)[:rows]]
        x = random.standard_normal((max(rows, 1), columns)).astype(np.float32) * 2
        return [np.frombuffer(make_gguf.quantize(x, form), np.int8).reshape(-1, width)[:rows]]

    def expected(stored):
        rows = stored.shape[0]
        data = np.ascontiguousarray(stored.astype(np.int8)).reshape(-1).view(np.uint8)
        if rows == 0:
            return np.zeros((0, columns))
        return reference.dequantize(make_gguf.FORMATS[form][0], (rows, columns), data)

    return Case("dequantize", [("i8", ["n", width])], [("f32", ["n", columns])],
                f'{{format = "{form}"}}', dtypes=("i8",), reference=expected, data=data, epsilons=4,
                row=f"dequantize {form}")


CASES = [dequantize(form) for form in make_gguf.FORMATS]

if __name__ == "__main__":
    run(__file__, CASES)
