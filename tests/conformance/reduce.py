"""Reductions along axes, places of extremes, and running sums."""
import numpy as np

from conformance import DTYPES, FLOATS, INTEGERS, NUMBERS, Case, integers, normal, run, uniform

ROWS = (0, 1, 2, 3, 17, 5)


def wrapped(x, dtype):
    """An int64 result in the op's own width."""
    return x.astype(DTYPES[dtype]).astype(np.int64) if dtype in INTEGERS else x


def axes_text(axes, keep=False, more=""):
    parts = [] if axes is None else [f"axes = array<i64{': ' if axes else ''}{', '.join(map(str, axes))}>"]
    parts += ["keep_dims"] if keep else []
    parts += [more] if more else []
    return f"{{{', '.join(parts)}}}" if parts else ""


def reduced(dims, axes, keep):
    axes = range(len(dims)) if axes is None else [a % len(dims) for a in axes]
    return [1 if i in axes else d for i, d in enumerate(dims) if keep or i not in axes]


def reduction(op, function, dims, axes, keep=False, more="", **options):
    """function(x, axis=…, keepdims=…) as NumPy's."""
    axis = None if axes is None else tuple(axes)

    def reference(x, *, dtype):
        return wrapped(function(x, axis=axis, keepdims=keep), dtype)

    named = "all axes" if axes is None else f"axes {list(axes)}"
    return Case(op, [dims], [reduced(dims, axes, keep)], axes_text(axes, keep, more),
                reference=reference,
                **{"sizes": ROWS, "name": f"{op} of {dims}, {named}{', kept' if keep else ''} {more}".strip(),
                   **options})


# Last, first, middle, pairs of neighbours and others, negative, all, none.
FORMS = (([["n", 17], [1]]), (["n", 5], [0]), (["n", 3, 4], [1]), (["n", 3, 4], [1, 2]),
         (["n", 3, 4], [0, 2]), ([2, "n", 3], [0, 1]), ([2, 3, "n"], [-1]), (["n", 3, 4], None), (["n", 3], None),
         (["n", 3], []), ([], None), (["n", 1, "m"], [2]))
FEW = (([["n", 257], [1]]), (["n", 3, 4], [0, 2]), (["n", 3, 4], None))


def magnitude(x, axis, keepdims):
    return np.abs(x).sum(axis=axis, keepdims=keepdims)


def everywhere(op, function, dtypes, **options):
    """Every form at one dtype, some of them with kept dimensions; a few at the others."""
    scale = options.pop("sum_scale", None)
    first = "f32" if "f32" in dtypes else dtypes[0]
    forms = [(dims, axes, bool(i % 2), (first,)) for i, (dims, axes) in enumerate(FORMS)]
    forms += [(dims, axes, False, dtypes) for dims, axes in FEW]
    for dims, axes, keep, types in forms:
        axis = None if axes is None else tuple(axes)
        extra = {"scale": lambda x, a=axis, k=keep: scale(x, axis=a, keepdims=k)} if scale else {}
        yield reduction(op, function, dims, axes, keep, **{**options, **extra, "dtypes": types})


def logsumexp(x, axis, keepdims):
    top = x.max(axis=axis, keepdims=True, initial=-np.inf)
    safe = np.where(np.isinf(top), 0, top)
    result = safe + np.log(np.exp(x - safe).sum(axis=axis, keepdims=True))
    return result if keepdims else np.squeeze(result, axis=axis if axis is not None else None)


def extreme(function, wide):
    """max and min with their value for no element."""
    def reference(x, axis, keepdims):
        return function(x, axis=axis, keepdims=keepdims, initial=wide)
    return reference


def extreme_cases(op, function, sign):
    yield from everywhere(op, extreme(function, -sign * np.inf), FLOATS, epsilons=0)
    yield reduction(op, extreme(function, -sign * np.inf), ["n", 9], [1], dtypes=FLOATS, epsilons=0,
                    special=True, name=f"{op} with special values")
    for dtype in INTEGERS:
        bits = np.iinfo(DTYPES[dtype])
        wide = bits.min if sign > 0 else bits.max
        for dims, axes in FEW + ((["n"], [0]),):
            yield reduction(op, extreme(function, wide), dims, axes, dtypes=(dtype,))


def variance(correction, root=False):
    def function(x, axis, keepdims):
        mean = x.mean(axis=axis, keepdims=True)
        count = x.size if axis is None else int(np.prod([x.shape[a] for a in axis]))
        squares = ((x - mean) ** 2).sum(axis=axis, keepdims=keepdims)
        result = squares / np.float64(max(count - correction, 0))
        return np.sqrt(result) if root else result
    return function


def spread(op, correction):
    more = f"correction = {correction} : i64" if correction else ""
    return everywhere(op, variance(correction, op == "std"), FLOATS, more=more, epsilons=16, data=[uniform(-3, 3)],
                      sum_scale=lambda x, axis, keepdims: 1 + variance(0, op == "std")(x, axis, keepdims))


# -- argmax, argmin --------------------------------------------------------------------------------

def arg(op, dims, axis, keep=False, last=False, **options):
    function = np.argmax if op == "argmax" else np.argmin

    def reference(x):
        if last:
            return x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis, keepdims=keep)
        return function(x, axis=axis, keepdims=keep)

    attributes = f"axis = {axis} : i64" + (", keep_dims" if keep else "")
    attributes += ", select_last_index" if last else ""
    return Case(op, [dims], [("i64", reduced(dims, [axis], keep))], f"{{{attributes}}}",
                reference=reference, name=f"{op} of {dims} {attributes}",
                # An axis without elements is refused: tests/fuzz/programs/corpus/argmin-of-none.mlir.
                **{"dtypes": NUMBERS, "sizes": [n for n in ROWS if n or dims[axis] != "n"], **options})


def args(op):
    few = lambda random, shape: random.integers(0, 3, shape)
    yield arg(op, ["n", 17], 1, data=[few])
    yield arg(op, ["n", 17], 1, last=True, data=[few])
    for dims, axis in ((["n", 5], 0), (["n", 3, 4], -2), (["n", 1], 1)):
        for keep in (False, True):
            yield arg(op, dims, axis, keep, not keep, data=[few], dtypes=("f32", "i32"))
    yield arg(op, ["n", 9], 1, dtypes=FLOATS, special=True)
    yield arg(op, ["n", 9], 1, last=True, dtypes=FLOATS, special=True)
    yield arg(op, [9, "n"], 0, dtypes=FLOATS, special=True)


# -- Running reductions -----------------------------------------------------------------------------

def cumulative(op, dims, axis, exclusive=False, reverse=False, **options):
    function = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum}[op].accumulate

    def run_along(x, dtype):
        identity = {"cumsum": 0, "cumprod": 1,
                    "cummax": -np.inf if dtype in FLOATS else np.iinfo(DTYPES[dtype]).min}[op]
        y = np.flip(x, axis) if reverse else x
        if exclusive:
            first = np.full_like(np.take(y, [0] if y.shape[axis] else [], axis=axis), identity)
            y = np.concatenate([first, np.take(y, range(max(y.shape[axis] - 1, 0)), axis=axis)], axis)
        y = function(y, axis=axis)
        return np.flip(y, axis) if reverse else y

    def reference(x, *, dtype):
        return wrapped(run_along(x, dtype), dtype)

    def scale(x):
        return run_along(np.abs(x), "f64") + 1
    attributes = f"axis = {axis} : i64" + (", exclusive" if exclusive else "") + (", reverse" if reverse else "")
    return Case(op, [dims], [dims], f"{{{attributes}}}", reference=reference, epsilons=20,
                scale=None if op == "cummax" else scale, name=f"{op} of {dims} {attributes}",
                **{"dtypes": NUMBERS, "sizes": ROWS, **options})


def running(op, **options):
    yield cumulative(op, ["n", 17], 1, **options)
    one = {**options, "dtypes": options.get("dtypes", NUMBERS)[1:2]}
    for exclusive, reverse in ((False, True), (True, False), (True, True)):
        yield cumulative(op, ["n", 17], 1, exclusive, reverse, **one)
    yield cumulative(op, ["n", 5], 0, **one)
    yield cumulative(op, ["n", 3, 4], -2, **one)
    yield cumulative(op, ["n"], 0, **one)


SMALL = {"data": [uniform(0.5, 1.5)]}
CASES = [
    *everywhere("sum", np.sum, NUMBERS, epsilons=20, sum_scale=magnitude),
    reduction("sum", np.sum, ["n", 4096], [1], dtypes=FLOATS, sizes=(2,), epsilons=40,
              scale=lambda x: np.abs(x).sum(1), name="sum of 4096"),
    *everywhere("prod", np.prod, FLOATS, epsilons=40, data=[uniform(0.9, 1.1)]),
    *[reduction("prod", np.prod, dims, axes, dtypes=INTEGERS, data=[integers(-3, 4)]) for dims, axes in FEW],
    *everywhere("mean", np.mean, FLOATS, epsilons=20,
                sum_scale=lambda x, axis, keepdims: np.mean(np.abs(x), axis=axis, keepdims=keepdims)),
    *extreme_cases("max", np.max, 1),
    *extreme_cases("min", np.min, -1),
    *everywhere("any", np.any, ("i1",), data=[lambda r, s: r.random(s) < 0.2]),
    *everywhere("all", np.all, ("i1",), data=[lambda r, s: r.random(s) < 0.8]),
    *everywhere("logsumexp", logsumexp, FLOATS, epsilons=20, data=[normal(10)],
                sum_scale=lambda x, axis, keepdims: 1 + np.abs(logsumexp(x, axis, keepdims))),
    reduction("logsumexp", logsumexp, ["n", 3], [1], dtypes=FLOATS, epsilons=20, special=True,
              data=[normal(10)], name="logsumexp with special values",
              scale=lambda x: 1 + np.abs(logsumexp(x, (1,), False))),
    *everywhere("l1_norm", magnitude, FLOATS, epsilons=20),
    *everywhere("l2_norm", lambda x, axis, keepdims: np.sqrt((x**2).sum(axis=axis, keepdims=keepdims)),
                FLOATS, epsilons=20),
    *spread("variance", 0), *spread("variance", 1), *spread("std", 0), *spread("std", 1),
    *args("argmax"), *args("argmin"),
    *running("cumsum", data=[normal(2)]), *running("cumprod", dtypes=FLOATS, data=[uniform(0.5, 1.5)]),
    *running("cumprod", dtypes=INTEGERS, data=[integers(-3, 4)]),
    *running("cummax", data=[integers(-50, 50)]),
]

if __name__ == "__main__":
    run(__file__, CASES)
