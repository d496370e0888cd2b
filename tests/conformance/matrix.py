"""Products of matrices. Sums of k terms grow with sqrt(k)."""
import numpy as np

from conformance import DTYPES, FLOATS, Case, integers, run

ROWS = (0, 1, 2, 3, 15, 16, 17, 33, 5)
TYPES = FLOATS + ("i32", "i64")
# Around the tiles.
EDGES = (1, 2, 3, 15, 16, 17, 31, 32, 33, 37, 127, 128, 129)


def wrapped(x, dtype):
    return x.astype(DTYPES[dtype]).astype(np.int64) if x.dtype.kind in "iu" else x


def matmul(a, b, result, transpose_a=False, transpose_b=False, k=1, out=None, more="", **options):
    """`out` is the result's dtype by the operands'."""
    def sides(x, y):
        x = np.swapaxes(x, -1, -2) if transpose_a else x
        return x, np.swapaxes(y, -1, -2) if transpose_b else y

    def reference(x, y, *, dtype):
        x, y = sides(x, y)
        return wrapped(x @ y, out or dtype)

    def scale(x, y):
        x, y = sides(x, y)
        return np.abs(x) @ np.abs(y)
    parts = ["transpose_a"] * transpose_a + ["transpose_b"] * transpose_b + [more] * bool(more)
    attributes = f"{{{', '.join(parts)}}}" if parts else ""
    return Case("matmul", [a, b], [(out, result) if out else result], attributes, reference=reference,
                scale=scale, **{"epsilons": 4 + k**0.5, "sizes": ROWS, "dtypes": ("f32",),
                                "name": f"matmul {a} x {b} {' '.join(parts)} {out or ''}".strip(), **options})


def sizes(k, m, transposed, **options):
    return matmul(["n", k], [m, k] if transposed else [k, m], ["n", m], transpose_b=transposed, k=k, **options)


def symbolic(**options):
    """Every extent a symbol."""
    few = tuple({"n": a, "k": b, "m": c} for a, b, c in
                ((0, 3, 2), (3, 0, 2), (2, 3, 0), (1, 1, 1), (37, 129, 17), (15, 37, 7), (5, 4, 3)))
    return [matmul(["n", "k"], ["k", "m"], ["n", "m"], k=129, sizes=few, **options),
            matmul(["n", "k"], ["m", "k"], ["n", "m"], transpose_b=True, k=129, sizes=few, **options),
            matmul(["k", "n"], ["k", "m"], ["n", "m"], transpose_a=True, k=129, sizes=few, **options),
            matmul(["k", "n"], ["m", "k"], ["n", "m"], True, True, k=129, sizes=few, **options)]


def batches():
    yield matmul([3, "n", 5], [3, 5, 4], [3, "n", 4], k=5, dtypes=TYPES)
    yield matmul(["b", "n", 5], [5, 4], ["b", "n", 4], k=5)
    yield matmul(["n", 5], ["b", 5, 4], ["b", "n", 4], k=5)
    yield matmul([1, "n", 5], ["b", 5, 4], ["b", "n", 4], k=5)
    yield matmul(["b", 1, "n", 5], [3, 5, 4], ["b", 3, "n", 4], k=5)
    yield matmul(["b", "n", 5], ["b", 4, 5], ["b", "n", 4], transpose_b=True, k=5)


def broadcast_at_run_time():
    """b and c are equal or one is 1: known only when it runs."""
    dim = "min(b, c, 1) - min(max(b, c), 1) + max(b, c)"
    values = tuple({"b": b, "n": 3, "c": c} for b, c in ((1, 4), (4, 1), (4, 4), (1, 1), (0, 1), (0, 0), (2, 2)))
    return matmul(["b", "n", 5], ["c", 5, 4], [dim, "n", 4], k=5, sizes=values)


def vectors():
    yield matmul([5], [5], [], k=5, sizes=(1,))
    yield matmul(["n"], ["n"], [], k=33)
    yield matmul(["n"], ["n", 4], [4], k=33, dtypes=TYPES)
    yield matmul([4, "n"], ["n"], [4], k=33, dtypes=TYPES)
    yield matmul(["n"], ["b", "n", 4], ["b", 4], k=33)
    yield matmul(["b", 4, "n"], ["n"], ["b", 4], k=33)


def bytes_cases():
    small = [integers(-128, 128)] * 2
    for left in ("i8", "ui8"):
        for right in ("i8", "ui8"):
            data = [integers(0, 256) if t == "ui8" else integers(-128, 128) for t in (left, right)]
            yield matmul((left, ["n", 37]), (right, [37, 7]), ["n", 7], out="i32", dtypes=(left,), data=data,
                         name=f"matmul of {left} with {right}")
            yield matmul((left, ["n", 37]), (right, [7, 37]), ["n", 7], transpose_b=True, out="i32",
                         dtypes=(left,), data=data, name=f"matmul of {left} with {right}, transposed")
    yield matmul(["n", 37], [37, 7], ["n", 7], out="i32", dtypes=("i8",), data=small, sizes=(15,),
                 name="matmul of 15 x 37 and 37 x 7 bytes")
    yield matmul(["n", 37], [37, 7], ["n", 7], out="i64", dtypes=("i8",), data=small,
                 more="result_type = i64")


def wider():
    yield matmul(["n", 33], [33, 4], ["n", 4], out="f32", dtypes=("f16", "bf16"), more="result_type = f32", k=33)
    yield matmul(["n", 33], [33, 4], ["n", 4], out="f64", dtypes=("f32",), more="result_type = f64", k=33)
    yield matmul(["n", 33], [33, 4], ["n", 4], out="i64", dtypes=("i32",), more="result_type = i64")


def einsum(equation, operands, result, reference=None, **options):
    plain = equation.replace(" ", "")

    def product(*arrays):
        return reference(*arrays) if reference else np.einsum(plain, *arrays)
    return Case("einsum", operands, [result], f'{{equation = "{equation}"}}',
                reference=lambda *arrays, dtype: wrapped(np.asarray(product(*arrays)), dtype),
                scale=lambda *arrays: product(*map(np.abs, arrays)),
                **{"epsilons": 30, "sizes": ROWS, "dtypes": ("f32",), "name": f"einsum {equation} {operands}",
                   **options})


EINSUM = [
    einsum("ij,jk->ik", [["n", 17], [17, 4]], ["n", 4], dtypes=TYPES),
    einsum("bij,bjk->bik", [[2, "n", 5], [2, 5, 4]], [2, "n", 4]),
    einsum("bij,bkj->bik", [[2, "n", 5], [2, "m", 5]], [2, "n", "m"]),
    einsum("ij->ji", [["n", 4]], [4, "n"], dtypes=TYPES),
    einsum("ij->j", [["n", 4]], [4]),
    einsum("ij->", [["n", 4]], []),
    einsum("ij,ij->i", [["n", 9], ["n", 9]], ["n"]),
    einsum("i,i->", [["n"], ["n"]], []),
    einsum("i,i", [["n"], ["n"]], []),
    einsum("i,j->ij", [["n"], ["m"]], ["n", "m"]),
    einsum("ii->i", [["n", "n"]], ["n"]),
    einsum("ii->", [["n", "n"]], []),
    einsum("ii", [["n", "n"]], []),
    einsum("ij,jk", [["n", 3], [3, 4]], ["n", 4]),
    einsum("b i j , b j k -> b i k", [[2, "n", 3], [2, 3, 4]], [2, "n", 4]),
    einsum("ij,jk,kl->il", [["n", 3], [3, 4], [4, 5]], ["n", 5], dtypes=TYPES, epsilons=60),
    einsum("ij,jk,kl->li", [["n", 3], [3, "m"], ["m", 5]], [5, "n"], epsilons=60),
    einsum("i,j,k->kji", [["n"], [3], [4]], [4, 3, "n"]),
    einsum("...ij,...jk->...ik", [["b", 2, "n", 3], [2, 3, 4]], ["b", 2, "n", 4]),
    einsum("...ij,...jk->...ik", [["n", 1, 2, 3], [5, 3, 4]], ["n", 5, 2, 4]),
    einsum("...ij,...jk", [[2, "n", 3], [2, 3, 4]], [2, "n", 4]),
    einsum("i...->...i", [["n", 3, 4]], [3, 4, "n"]),
    einsum("bhtd,bhsd->bhts", [[1, 2, "t", 8], [1, 2, "s", 8]], [1, 2, "t", "s"]),
    einsum("abc,cd->abd", [("i8", ["n", 2, 9]), ("i8", [9, 4])], ("i32", ["n", 2, 4]), dtypes=("i8",),
           reference=lambda x, y: np.einsum("abc,cd->abd", x, y), name="einsum of bytes"),
]

def unproved():
    """Extents that only the run time knows to be equal, or unknown altogether."""
    equal = tuple({"n": n, "k": k, "j": k, "m": m} for n, k, m in ((0, 1, 2), (3, 0, 2), (5, 17, 4), (2, 3, 1)))
    wrong = tuple({"n": 2, "k": k, "j": j, "m": 3} for k, j in ((0, 1), (3, 4), (5, 1)))
    yield matmul(["n", "k"], ["j", "m"], ["n", "m"], k=17, sizes=equal)
    yield matmul(["n", "k"], ["j", "m"], ["n", "m"], sizes=wrong, error="dimension 1 of a .*dimension 0 of b",
                 name="matmul of what doesn't fit")
    text = """func.func @main(%x: tensor<?x?x$T>, %y: tensor<?x?x$T>) -> tensor<?x?x$T> {
  %r = relax.matmul %x, %y : (tensor<?x?x$T>, tensor<?x?x$T>) -> tensor<?x?x$T>
  return %r : tensor<?x?x$T>
}"""
    yield matmul(["n", "k"], ["j", "m"], ["n", "m"], k=17, sizes=equal, text=text, name="matmul of unknown extents")
    yield matmul(["n", "k"], ["j", "m"], ["n", "m"], sizes=wrong, text=text, error="dimension 1 of a",
                 name="matmul of unknown extents that don't fit")


# A result of i8 operands has 32 bits.
EINSUM[-1].reference = lambda x, y: np.einsum("abc,cd->abd", x, y)

CASES = [
    *[sizes(k, m, transposed) for transposed in (True, False)
      for k, m in ((1, 1), (3, 2), (8, 7), (17, 16), (64, 33), (129, 5))],
    *[sizes(37, 17, transposed, dtypes=TYPES) for transposed in (True, False)],
    # A transposed right side at every edge of a tile, as columns and as k; rows run over them, too.
    *[sizes(33, m, True, sizes=EDGES, name=f"matmul of {m} transposed columns") for m in EDGES],
    *[sizes(k, 17, True, sizes=(1, 17, 37), name=f"matmul of transposed rows of {k}") for k in EDGES],
    *[sizes(33, m, False, sizes=(1, 17, 37), name=f"matmul of {m} columns") for m in EDGES],
    *symbolic(), *symbolic(dtypes=("f16", "i32")), *batches(), broadcast_at_run_time(), *vectors(),
    *bytes_cases(), *wider(), *EINSUM, *unproved(),
]

if __name__ == "__main__":
    run(__file__, CASES)
