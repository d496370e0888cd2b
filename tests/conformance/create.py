"""Tensors from nothing: constants, ranges, masks."""
import numpy as np

from conformance import ALL, FLOATS, INTEGERS, NUMBERS, Case, integers, run

SMALL_SIZES = (0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 5)


def made(op, attributes, dims, reference, dtypes=("f32", "i64"), **options):
    return Case(op, [], [dims], attributes, dtypes=dtypes, reference=reference, **options)


def full(value, dtypes):
    text = {"True": "true", "nan": "0x7FC00000", "inf": "0x7F800000"}.get(str(value), str(value))
    typed = text if text == "true" else f"{text} : $T"
    return made("full", f"{{shape = #relax.shape<[n, 3]>, value = {typed}}}", ["n", 3],
                lambda *, n: np.full((n, 3), value), dtypes, name=f"full of {value}")


def causal(rows, columns, offset=0):
    return np.arange(columns)[None] <= np.arange(rows)[:, None] + offset


def one_hot(indices, depth, axis, on, off):
    wrapped = np.where(indices < 0, indices + depth, indices)
    hit = np.expand_dims(wrapped, axis) == np.arange(depth).reshape(
        [-1 if i == axis % (indices.ndim + 1) else 1 for i in range(indices.ndim + 1)])
    return np.where(hit, on, off)


def triangle(op, function, k, dtypes=ALL):
    attributes = f"{{diagonal = #relax.expr<{k}>}}" if k else ""
    return [Case(op, [["n", "n"]], [["n", "n"]], attributes, dtypes=dtypes, special=True, epsilons=0,
                 sizes=SMALL_SIZES, reference=lambda x: function(x, k)),
            Case(op, [[2, "n", 5]], [[2, "n", 5]], attributes, dtypes=("f32",), epsilons=0,
                 reference=lambda x: function(x, k), name=f"{op} of matrices {k}")]


CASES = [
    full(1.5, FLOATS), full(7, INTEGERS), full(True, ("i1",)), full(float("nan"), ("f32",)),
    full(float("inf"), ("f32",)),
    made("full", "{shape = #relax.shape<[2, n * n]>, value = 250 : ui8}", [2, "n * n"],
         lambda *, n: np.full((2, n * n), 250), ("ui8",)),
    made("full", "{shape = #relax.shape<[]>, value = 2.5 : f64}", [], lambda: np.array(2.5), ("f64",)),
    Case("full_like", [("f32", ["n", 2])], [["n", 2]], "{value = 3 : $T}", dtypes=INTEGERS,
         reference=lambda x: np.full(x.shape, 3)),
    Case("full_like", [("i64", ["n", 2])], [["n", 2]], "{value = -0.5 : $T}", dtypes=FLOATS,
         reference=lambda x: np.full(x.shape, -0.5)),

    made("arange", "{limit = #relax.expr<n>, dtype = $T}", ["n"], lambda *, n: np.arange(n), NUMBERS),
    made("arange", "{start = #relax.expr<m>, limit = #relax.expr<n>, dtype = $T}", ["max(0, n - m)"],
         lambda *, n, m: np.arange(m, n)),
    made("arange", "{start = #relax.expr<2>, limit = #relax.expr<3 * n>, step = #relax.expr<4>, dtype = $T}",
         ["floordiv(3 * n + 1, 4)"], lambda *, n: np.arange(2, 3 * n, 4)),
    made("arange", "{start = #relax.expr<n>, limit = #relax.expr<-1>, step = #relax.expr<-2>, dtype = $T}",
         ["ceildiv(n + 1, 2)"], lambda *, n: np.arange(n, -1, -2)),
    made("arange", "{limit = #relax.expr<n>, step = #relax.expr<m>, dtype = $T}",
         ["ceildiv(n, max(m, 1))"], lambda *, n, m: np.arange(0, n, m), name="arange by m",
         sizes=tuple({"n": n, "m": m} for n, m in ((0, 1), (1, 1), (7, 2), (17, 17), (33, 5), (5, 9)))),
    made("arange", "{limit = #relax.expr<n>, step = #relax.expr<m>, dtype = $T}",
         ["ceildiv(n, max(m, 1))"], None, name="arange by 0", error=r"1 <= m \(1 and step\)",
         sizes=({"n": 4, "m": 0}, {"n": 0, "m": 0})),
    made("arange", "{start = 0.5, limit = 4.0, step = 0.25, dtype = $T}", [14],
         lambda: np.arange(0.5, 4.0, 0.25), FLOATS),
    made("arange", "{start = 1.0, limit = -1.0, step = -0.3, dtype = $T}", [7],
         lambda: 1.0 + np.arange(7) * -0.3, FLOATS),
    made("linspace", "{start = -1.0, stop = 2.5, count = #relax.expr<n>, dtype = $T}", ["n"],
         lambda *, n: np.linspace(-1.0, 2.5, n), FLOATS, epsilons=1),
    made("linspace", "{start = 3.0, stop = 1.0, count = #relax.expr<n>, dtype = $T, open}", ["n"],
         lambda *, n: np.linspace(3.0, 1.0, n, endpoint=False), FLOATS, epsilons=1),

    made("eye", "{rows = #relax.expr<n>, columns = #relax.expr<n>, dtype = $T}", ["n", "n"],
         lambda *, n: np.eye(n), ALL, sizes=SMALL_SIZES),
    made("eye", "{rows = #relax.expr<n>, columns = #relax.expr<m>, offset = #relax.expr<-2>, dtype = $T}",
         ["n", "m"], lambda *, n, m: np.eye(n, m, -2), sizes=SMALL_SIZES),
    made("causal_mask", "{rows = #relax.expr<n>, columns = #relax.expr<m>}", ["n", "m"],
         lambda *, n, m: causal(n, m, m - n), ("i1",), sizes=SMALL_SIZES),
    made("causal_mask", "{rows = #relax.expr<n>, columns = #relax.expr<n + m>, offset = #relax.expr<m - 1>}",
         ["n", "m + n"], lambda *, n, m: causal(n, n + m, m - 1), ("i1",), sizes=SMALL_SIZES),

    *[Case("one_hot", [(kind, ["n", 2])], [["n", 2, 5]],
           "{depth = #relax.expr<5>, on = 2.0 : $T, off = -1.0 : $T}", dtypes=FLOATS,
           data=[integers(-7, 9)], reference=lambda i: one_hot(i, 5, -1, 2, -1),
           name=f"one_hot of {kind}") for kind in ("i64", "i32", "i8")],
    Case("one_hot", [("ui8", ["n"])], [[9, "n"]], "{depth = #relax.expr<9>, axis = 0 : i64, on = 1 : $T, "
         "off = 0 : $T}", dtypes=INTEGERS, data=[integers(0, 12)],
         reference=lambda i: one_hot(i, 9, 0, 1, 0)),
    Case("one_hot", [("i64", [3])], [[3, "n"]], "{depth = #relax.expr<n>, on = true, off = false}",
         dtypes=("i1",), data=[integers(-3, 8)], reference=lambda i, *, n: one_hot(i, n, -1, True, False)),
    *triangle("tril", np.tril, 0), *triangle("triu", np.triu, 0),
    *triangle("tril", np.tril, -2, ("f32",)), *triangle("triu", np.triu, 1, ("f32",)),
    # Diagonals at the ends of 64 bits.
    *[Case(op, [["n", "m"]], [["n", "m"]], f"{{diagonal = #relax.expr<{k}>}}", epsilons=0,
           sizes=({"n": 3, "m": 5}, {"n": 4, "m": 1}), name=f"{op} from {k} on",
           reference=lambda x, all=(op == "tril") == (k > 0): x if all else 0 * x)
      for op in ("tril", "triu") for k in (9223372036854775807, -9223372036854775807)],
    *[made("causal_mask", f"{{rows = #relax.expr<n>, columns = #relax.expr<m>, offset = #relax.expr<{k}>}}",
           ["n", "m"], lambda *, n, m, all=k > 0: np.full((n, m), all), ("i1",),
           name=f"causal_mask up to {k}", sizes=({"n": 3, "m": 5}, {"n": 4, "m": 1}))
      for k in (9223372036854775807, -9223372036854775807)],
    Case("tril", [["n", "m"]], [["n", "m"]], "{diagonal = #relax.expr<m - n>}", sizes=SMALL_SIZES,
         reference=lambda x: np.tril(x, x.shape[1] - x.shape[0]), epsilons=0),
]

if __name__ == "__main__":
    run(__file__, CASES)
