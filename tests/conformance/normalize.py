"""Softmax and normalisations over rows."""
import numpy as np

from conformance import Case, normal, run

WIDTHS = (1, 2, 3, 7, 8, 9, 16, 17, 64, 257)
ROWS = (0, 1, 2, 17, 3)


def softmax(x, axis=-1):
    power = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return power / power.sum(axis=axis, keepdims=True)


def rms_norm(x, weight):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) * weight


def rows(*values):
    """Every row is the same."""
    return [lambda random, shape: np.broadcast_to(np.array(values), shape)]


LOWEST = float(np.finfo(np.float32).min)
CASES = [
    *[Case("softmax", [["n", w]], [["n", w]], "{axis = -1 : i64}", reference=softmax, epsilons=40,
           data=[normal(10)], sizes=ROWS, name=f"softmax of {w}") for w in WIDTHS],
    # The sum of many equal terms, the ends of the range, NaN.
    Case("softmax", [["n", 4096]], [["n", 4096]], "{axis = -1 : i64}", reference=softmax,
         data=rows(0.0), sizes=(2,), name="softmax of zeros"),
    Case("softmax", [["n", 3]], [["n", 3]], "{axis = -1 : i64}", reference=softmax,
         data=rows(LOWEST, LOWEST, LOWEST), sizes=(1, 5), name="softmax of the lowest numbers"),
    Case("softmax", [["n", 3]], [["n", 3]], "{axis = -1 : i64}",
         reference=lambda x: np.full(x.shape, np.nan), data=rows(1.0, np.nan, 2.0), sizes=(1, 5),
         name="softmax with NaN"),
    *[Case("rms_norm", [["n", w], [w]], [["n", w]], "{epsilon = 1.0e-5 : f64}", reference=rms_norm,
           epsilons=12, sizes=ROWS, name=f"rms_norm of {w}") for w in WIDTHS],
]

if __name__ == "__main__":
    run(__file__, CASES)
