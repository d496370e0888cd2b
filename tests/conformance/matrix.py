"""Products of matrices. Sums of k terms grow with sqrt(k)."""
import numpy as np

from conformance import Case, run

ROWS = (0, 1, 2, 3, 15, 16, 17, 33, 5)


def matmul(k, m, transposed):
    right = [m, k] if transposed else [k, m]
    swap = (lambda w: w.T) if transposed else (lambda w: w)
    return Case("matmul", [["n", k], right], [["n", m]], "{transpose_b}" if transposed else "",
                reference=lambda x, w: x @ swap(w), epsilons=4 + k**0.5,
                scale=lambda x, w: np.abs(x) @ np.abs(swap(w)), sizes=ROWS,
                name=f"matmul {k} x {m}{' transposed' if transposed else ''}")


CASES = [matmul(k, m, transposed) for transposed in (True, False)
         for k, m in ((1, 1), (3, 2), (8, 7), (17, 16), (64, 33), (129, 5))]

if __name__ == "__main__":
    run(__file__, CASES)
