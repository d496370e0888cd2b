"""Softmax and normalisations."""
import numpy as np

from conformance import FLOATS, Case, normal, positive, run, uniform

WIDTHS = (1, 2, 3, 7, 8, 9, 16, 17, 64, 257)
ROWS = (0, 1, 2, 17, 3)


def softmax(x, axis=-1):
    power = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return power / power.sum(axis=axis, keepdims=True)


def log_softmax(x, axis=-1):
    shifted = x - x.max(axis=axis, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def rms_norm(x, weight):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) * weight


def standard(x, axes, epsilon=1e-5):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def affine(x, parameters, shape):
    for parameter, apply in zip(parameters, (np.multiply, np.add)):
        x = apply(x, parameter.reshape(shape))
    return x


def rows(*values):
    """Every row is the same."""
    return [lambda random, shape: np.broadcast_to(np.array(values), shape)]


def layer_norm(dims, axis, count, **options):
    """With `count` parameters, a scale and a bias."""
    first = axis % len(dims)
    inner = dims[first:]

    def reference(x, *parameters):
        return affine(standard(x, tuple(range(first, x.ndim))), parameters, x.shape[first:])
    return Case("layer_norm", [dims] + [inner] * count, [dims],
                f"{{axis = {axis} : i64, epsilon = 1.0e-5 : f64}}", reference=reference,
                scale=lambda x, *p: sum(np.abs(q) for q in p) + 3, name=f"layer_norm of {dims} from {axis}, {count}",
                **{"epsilons": 20, "sizes": ROWS, "dtypes": FLOATS, **options})


def group_norm(dims, groups, count, op="group_norm", **options):
    def reference(x, *parameters):
        n, c = x.shape[:2]
        split = x.reshape((n, groups or c, -1)) if x.size else x.reshape((n, groups or c, 0))
        result = standard(split, (2,)).reshape(x.shape) if x.size else x
        return affine(result, parameters, (c,) + (1,) * (x.ndim - 2))
    attributes = f"num_groups = {groups} : i64" if op == "group_norm" else "epsilon = 1.0e-5 : f64"
    return Case(op, [dims] + [[dims[1]]] * count, [dims], f"{{{attributes}}}", reference=reference,
                scale=lambda x, *p: sum(np.abs(q).max(initial=0) for q in p) * (1 + np.abs(x).max(initial=0)) + 3,
                name=f"{op} of {dims}, {groups} groups, {count}",
                **{"epsilons": 20, "sizes": ROWS, "dtypes": FLOATS, **options})


def batch_norm(dims, **options):
    def reference(x, scale, bias, mean, variance):
        shape = (x.shape[1],) + (1,) * (x.ndim - 2)
        scale, bias, mean, variance = (v.reshape(shape) for v in (scale, bias, mean, variance))
        return (x - mean) / np.sqrt(variance + 1e-5) * scale + bias

    def scale(x, scale, bias, mean, variance):
        shape = (x.shape[1],) + (1,) * (x.ndim - 2)
        scale, bias, mean, variance = (np.abs(v.reshape(shape)) for v in (scale, bias, mean, variance))
        return (np.abs(x) + mean) / np.sqrt(variance + 1e-5) * scale + bias
    return Case("batch_norm", [dims] + [[dims[1]]] * 4, [dims], "", reference=reference, scale=scale,
                data=[None, None, None, None, positive], name=f"batch_norm of {dims}",
                **{"epsilons": 10, "sizes": ROWS, "dtypes": FLOATS, **options})


def lp_norm(p, dims, axis, epsilon=0.0, **options):
    def reference(x):
        norm = (np.abs(x) if p == 1 else x**2).sum(axis=axis, keepdims=True)
        norm = np.maximum(norm if p == 1 else np.sqrt(norm), epsilon)
        return x / np.where(norm == 0, 1, norm)
    return Case("lp_norm", [dims], [dims], f"{{axis = {axis} : i64, p = {p} : i64, epsilon = {epsilon:e} : f64}}",
                reference=reference, name=f"lp_norm of {dims} along {axis}, p = {p}, {epsilon}",
                **{"epsilons": 20, "sizes": ROWS, "dtypes": FLOATS, **options})


LOWEST = float(np.finfo(np.float32).min)
AXES = ((["n", 5], 0), (["n", 3, 4], 1), (["n", 3, 4], -3), ([3, 4, "n"], 2), (["n"], 0))
CASES = [
    *[Case("softmax", [["n", w]], [["n", w]], "{axis = -1 : i64}", reference=softmax, epsilons=40,
           data=[normal(10)], sizes=ROWS, dtypes=FLOATS, name=f"softmax of {w}") for w in WIDTHS],
    *[Case(op, [dims], [dims], f"{{axis = {axis} : i64}}", reference=lambda x, f=f, a=axis: f(x, a), epsilons=40,
           scale=(lambda x, a=axis: 1 + np.abs(log_softmax(x, a))) if op == "log_softmax" else None, data=[normal(5)], sizes=ROWS, dtypes=FLOATS, name=f"{op} of {dims} along {axis}")
      for op, f in (("softmax", softmax), ("log_softmax", log_softmax)) for dims, axis in AXES],
    *[Case("log_softmax", [["n", w]], [["n", w]], "", reference=log_softmax, epsilons=40,
           scale=lambda x: 1 + np.abs(log_softmax(x)), data=[normal(10)], sizes=ROWS, dtypes=FLOATS,
           name=f"log_softmax of {w}") for w in WIDTHS],
    # The sum of many equal terms, the ends of the range, NaN, infinity.
    Case("softmax", [["n", 4096]], [["n", 4096]], "{axis = -1 : i64}", reference=softmax,
         data=rows(0.0), sizes=(2,), dtypes=FLOATS, name="softmax of zeros"),
    Case("softmax", [["n", 3]], [["n", 3]], "{axis = -1 : i64}", reference=softmax,
         data=rows(LOWEST, LOWEST, LOWEST), sizes=(1, 5), name="softmax of the lowest numbers"),
    Case("softmax", [["n", 3]], [["n", 3]], "{axis = -1 : i64}",
         reference=lambda x: np.full(x.shape, np.nan), data=rows(1.0, np.nan, 2.0), sizes=(1, 5),
         dtypes=FLOATS, name="softmax with NaN"),
    Case("softmax", [["n", 3]], [["n", 3]], "{axis = -1 : i64}", reference=softmax, dtypes=FLOATS,
         data=rows(-np.inf, 0.0, 1.0), sizes=(1, 5), name="softmax with -inf"),
    *[Case("rms_norm", [["n", w], [w]], [["n", w]], "{epsilon = 1.0e-5 : f64}", reference=rms_norm,
           epsilons=12, sizes=ROWS, dtypes=FLOATS, name=f"rms_norm of {w}") for w in WIDTHS],
    *[layer_norm(["n", w], -1, count) for w in (1, 7, 64, 257) for count in (0, 1, 2)],
    *[layer_norm(dims, axis, count) for dims, axis in ((["n", 3, 4], 1), ([2, 3, "n"], -2), ([2, "n", 5], 2))
      for count in (0, 1, 2)],
    *[group_norm(["n", 6, 5], groups, count) for groups in (1, 2, 6) for count in (0, 1, 2)],
    group_norm([2, 6, "n", "m"], 3, 2, sizes=(1, 2, 17, 3)), group_norm([2, 4, "n"], 2, 2, sizes=(1, 2, 17, 3)),
    *[group_norm(["n", 6, 5], None, count, "instance_norm") for count in (0, 1, 2)],
    group_norm([2, "n", 3, "m"], None, 2, "instance_norm", sizes=(1, 2, 17, 3)),
    batch_norm(["n", 4]), batch_norm(["n", 3, 5]), batch_norm([2, "n", "m", 3]),
    *[lp_norm(p, dims, axis) for p in (1, 2) for dims, axis in ((["n", 9], -1), (["n", 4], 0), (["n", 3, 4], 1))],
    lp_norm(2, ["n", 9], -1, 0.5, data=[uniform(-0.3, 0.3)]),
    Case("lp_norm", [["n", 3]], [["n", 3]], "", reference=lambda x: x * 0, data=rows(0.0), sizes=(1, 5),
         dtypes=FLOATS, name="lp_norm of zeros"),
    Case("normalize_groups", [["n", 2, 15], [6], [6]], [["n", 2, 15]], "{epsilon = 1.0e-5 : f64}", sizes=ROWS,
         reference=lambda x, s, b: (affine(standard(x, (2,)).reshape(-1, 6, 5), (s, b), (6, 1))).reshape(x.shape),
         scale=lambda x, s, b: np.abs(s).max() * 5 + np.abs(b).max(), dtypes=FLOATS, epsilons=20),
]

if __name__ == "__main__":
    run(__file__, CASES)
