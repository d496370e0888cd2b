"""Convolutions, pools and interpolation against loops over windows in NumPy."""
import itertools

import numpy as np

from conformance import DTYPES, FLOATS, NUMBERS, Case, run

FLOAT_SIZES = (1, 2, 3, 7, 16, 17, 33, 5)


def ceildiv(a, b):
    return -(-a // b)


class Window:
    """Attributes of windows as lists, one entry a spatial dimension."""

    def __init__(self, kernel, strides=None, dilations=None, pads=None, auto_pad="explicit", ceil_mode=False,
                 output_padding=None):
        rank = len(kernel)
        self.given = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": output_padding}
        self.kernel, self.auto_pad, self.ceil_mode = kernel, auto_pad, ceil_mode
        self.strides, self.dilations = strides or [1] * rank, dilations or [1] * rank
        self.explicit, self.output_padding = pads or [0] * 2 * rank, output_padding or [0] * rank
        self.reach = [d * (k - 1) + 1 for d, k in zip(self.dilations, kernel)]

    def attributes(self, more=()):
        parts = [f"{name} = array<i64: {', '.join(map(str, value))}>" for name, value in self.given.items() if value]
        parts += [f'auto_pad = "{self.auto_pad}"'] if self.auto_pad != "explicit" else []
        parts += ["ceil_mode"] if self.ceil_mode else []
        parts += more
        return f"{{{', '.join(parts)}}}" if parts else ""

    def pads(self, i, size):
        if self.auto_pad == "explicit":
            return self.explicit[i], self.explicit[len(self.kernel) + i]
        if self.auto_pad == "valid":
            return 0, 0
        out = ceildiv(size, self.strides[i])
        total = max((out - 1) * self.strides[i] + self.reach[i] - size, 0)
        small, large = total // 2, total - total // 2
        return (small, large) if self.auto_pad == "same_upper" else (large, small)

    def output(self, i, size):
        if self.auto_pad.startswith("same"):
            return ceildiv(size, self.strides[i])
        before, after = self.pads(i, size)
        room = size + before + after - self.reach[i]
        out = (ceildiv if self.ceil_mode else lambda a, b: a // b)(room, self.strides[i]) + 1
        if self.ceil_mode and (out - 1) * self.strides[i] >= size + before:
            out -= 1
        return out

    def dim(self, i, dim):
        """The size of the result as text over symbols."""
        if isinstance(dim, int):
            return self.output(i, dim)
        s = self.strides[i]
        if self.auto_pad.startswith("same"):
            return dim if s == 1 else f"ceildiv({dim}, {s})"
        before, after = self.pads(i, 0)
        if self.ceil_mode:
            room = before + after - self.reach[i] + s
            return (f"ceildiv({dim} + {room}, {s})" if s <= self.reach[i] - after else f"ceildiv({dim} + {before}, {s})")
        return f"floordiv({dim} + {before + after - self.reach[i] + s}, {s})"

    def taps(self, shape):
        """For each position of the result and each tap: (position, tap, place in the input)."""
        outputs = [self.output(i, n) for i, n in enumerate(shape)]
        for position in itertools.product(*map(range, outputs)):
            for tap in itertools.product(*map(range, self.kernel)):
                place = tuple(p * s + t * d - self.pads(i, n)[0] for i, (p, s, t, d, n) in
                              enumerate(zip(position, self.strides, tap, self.dilations, shape)))
                yield position, tap, place

    def outputs(self, shape):
        return [self.output(i, n) for i, n in enumerate(shape)]


def inside(place, shape):
    return all(0 <= p < n for p, n in zip(place, shape))


def case(op, operands, results, attributes, reference, **options):
    return Case(op, operands, results, attributes, reference=reference,
                **{"sizes": FLOAT_SIZES, "dtypes": ("f32",), "epsilons": 20,
                   "name": f"{op} {operands[0]} {operands[1] if len(operands) > 1 else ''} {attributes}", **options})


# -- Convolutions ----------------------------------------------------------------------------------

def convolve(window, groups):
    def reference(x, w, *bias):
        n, m = x.shape[0], w.shape[0]
        y = np.zeros([n, m] + window.outputs(x.shape[2:]))
        if bias:
            y += bias[0].reshape((m,) + (1,) * (x.ndim - 2))
        each, inner = m // groups, w.shape[1]
        for position, tap, place in window.taps(x.shape[2:]):
            if not inside(place, x.shape[2:]):
                continue
            for g in range(groups):
                rows = slice(g * each, (g + 1) * each)
                y[(slice(None), rows) + position] += (x[(slice(None), slice(g * inner, (g + 1) * inner)) + place]
                                                      @ w[(rows, slice(None)) + tap].T)
        return y
    return reference


def convolution(x, w, bias=False, groups=1, **options):
    keys = ("strides", "dilations", "pads", "auto_pad")
    window = Window(w[2:], **{k: options.pop(k) for k in keys if k in options})
    reference = convolve(window, groups)
    result = [x[0], w[0]] + [window.dim(i, d) for i, d in enumerate(x[2:])]
    more = [f"groups = {groups} : i64"] if groups > 1 else []
    return case("convolution", [x, w] + [[w[0]]] * bias, [result], window.attributes(more), reference,
                scale=lambda *a: reference(*map(np.abs, a)) + 1e-3, **options)


def transpose_convolve(window, groups):
    def reference(x, w, *bias):
        n, each = x.shape[0], w.shape[1]
        m, inner = each * groups, x.shape[1] // groups
        shape = x.shape[2:]
        full = [(s - 1) * t + r + o for s, t, r, o in
                zip(shape, window.strides, window.reach, window.output_padding)]
        y = np.zeros([n, m] + [max(f, 0) for f in full])
        for place in itertools.product(*map(range, shape)):
            for tap in itertools.product(*map(range, window.kernel)):
                to = tuple(p * s + t * d for p, s, t, d in zip(place, window.strides, tap, window.dilations))
                for g in range(groups):
                    channels = slice(g * inner, (g + 1) * inner)
                    y[(slice(None), slice(g * each, (g + 1) * each)) + to] += (
                        x[(slice(None), channels) + place] @ w[(channels, slice(None)) + tap])
        cut = []
        for i, (f, s) in enumerate(zip(full, shape)):
            if window.auto_pad.startswith("same"):
                total = max(f - s * window.strides[i], 0)
                before = total // 2 if window.auto_pad == "same_upper" else total - total // 2
                cut.append((before, s * window.strides[i]))
            else:
                before, after = window.pads(i, s)
                cut.append((before, f - before - after))
        padded = np.pad(y, [(0, 0), (0, 0)] + [(0, max(b + c - y.shape[2 + i], 0)) for i, (b, c) in enumerate(cut)])
        y = padded[(slice(None), slice(None)) + tuple(slice(b, b + c) for b, c in cut)]
        return y + bias[0].reshape((m,) + (1,) * len(shape)) if bias else y
    return reference


def transposed(x, w, bias=False, groups=1, **options):
    keys = ("strides", "dilations", "pads", "auto_pad", "output_padding")
    window = Window(w[2:], **{k: options.pop(k) for k in keys if k in options})
    reference = transpose_convolve(window, groups)
    result = [x[0], w[1] * groups]
    for i, d in enumerate(x[2:]):
        s = window.strides[i]
        rest = window.reach[i] + window.output_padding[i] - s - sum(window.pads(i, 0)) \
            if not window.auto_pad.startswith("same") else 0
        result.append(d * s + rest if isinstance(d, int) else f"{s} * {d} + {rest}")
    more = [f"groups = {groups} : i64"] if groups > 1 else []
    return case("transposed_convolution", [x, w] + [[w[1] * groups]] * bias, [result], window.attributes(more),
                reference, scale=lambda *a: reference(*map(np.abs, a)) + 1e-3, **options)


# -- Pools -------------------------------------------------------------------------------------------

def pool(op, x, kernel, more=(), indices=False, **options):
    keys = ("strides", "dilations", "pads", "auto_pad", "ceil_mode")
    window = Window(kernel, **{k: options.pop(k) for k in keys if k in options})
    padded = "count_include_pad" in more

    def largest(x, *, dtype):
        lowest = -np.inf if dtype in FLOATS else np.iinfo(DTYPES[dtype]).min
        shape = list(x.shape[:2]) + window.outputs(x.shape[2:])
        y, index = np.full(shape, lowest, x.dtype), np.full(shape, -1, np.int64)
        flat = np.arange(x.size).reshape(x.shape)
        for position, _, place in window.taps(x.shape[2:]):
            if inside(place, x.shape[2:]):
                to, at = (slice(None), slice(None)) + position, (slice(None), slice(None)) + place
                better = (x[at] > y[to]) | (index[to] < 0) | (np.isnan(x[at]) & ~np.isnan(y[to]))
                y[to], index[to] = np.where(better, x[at], y[to]), np.where(better, flat[at], index[to])
        return [y, index] if indices else y

    def mean(x):
        shape = list(x.shape[:2]) + window.outputs(x.shape[2:])
        y, count = np.zeros(shape), np.zeros(shape)
        ends = [n + window.pads(i, n)[1] for i, n in enumerate(x.shape[2:])]
        for position, _, place in window.taps(x.shape[2:]):
            to, at = (slice(None), slice(None)) + position, (slice(None), slice(None)) + place
            if inside(place, x.shape[2:]):
                y[to] += x[at]
            count[to] += inside(place, x.shape[2:]) or (padded and all(p < e for p, e in zip(place, ends)))
        return y / count
    result = [x[0], x[1]] + [window.dim(i, d) for i, d in enumerate(x[2:])]
    attributes = window.attributes([f"kernel = array<i64: {', '.join(map(str, kernel))}>"]
                                   + ["with_indices"] * indices + list(more))
    reference = largest if op == "max_pool" else mean
    exact = {"epsilons": 0} if op == "max_pool" else {"scale": lambda x: np.abs(x).max(initial=0)}
    return case(op, [x], [result] + [("i64", result)] * indices, attributes, reference, **{**exact, **options})


def global_pool(op, x, **options):
    axes = tuple(range(2, len(x)))
    if op == "global_max_pool":
        def reference(x, *, dtype):
            lowest = -np.inf if dtype in FLOATS else np.iinfo(DTYPES[dtype]).min
            return x.max(axis=axes, keepdims=True, initial=lowest)
    else:
        def reference(x):
            return x.mean(axis=axes, keepdims=True)
    return case(op, [x], [x[:2] + [1] * len(axes)], "", reference, scale=lambda x: np.abs(x).max(initial=0), **options)


# -- Interpolation -----------------------------------------------------------------------------------

def coordinate(i, size, out, scale, mode):
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return np.zeros_like(i) if out == 1 else i * (size - 1) / (out - 1)
    if mode == "pytorch_half_pixel" and out == 1:
        return np.zeros_like(i)
    return (i + 0.5) / scale - 0.5


def along(x, axis, out, scale, mode, coordinates, nearest):
    size = x.shape[axis]
    at = coordinate(np.arange(out, dtype=np.float64), size, out, scale, coordinates)

    def take(index):
        return np.take(x, np.clip(index, 0, size - 1).astype(int), axis=axis)

    def weighted(index, weight):
        return take(index) * weight.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    if mode == "nearest":
        rounding = {"floor": np.floor, "ceil": np.ceil, "round_prefer_floor": lambda v: np.ceil(v - 0.5),
                    "round_prefer_ceil": lambda v: np.floor(v + 0.5)}[nearest]
        return take(rounding(at))
    low = np.floor(at)
    t = at - low
    if mode == "linear":
        return weighted(low, 1 - t) + weighted(low + 1, t)
    a = -0.75

    def near(t):
        return (a + 2) * t**3 - (a + 3) * t**2 + 1

    def far(t):
        return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
    return (weighted(low - 1, far(t + 1)) + weighted(low, near(t)) + weighted(low + 1, near(1 - t))
            + weighted(low + 2, far(2 - t)))


def interpolate(x, spatial, sizes=None, scales=None, mode="nearest", coordinates="half_pixel",
                nearest="round_prefer_floor", **options):
    """`spatial`: the result's dimensions, as text."""
    def reference(x, *, n=0, m=0):
        outs = [d if isinstance(d, int) else eval(d, {"floordiv": lambda a, b: a // b}, {"n": n, "m": m})
                for d in spatial]
        for i, out in enumerate(outs):
            size = x.shape[2 + i]
            scale = scales[i] if scales else (out / size if size else 1)
            x = along(x, 2 + i, out, scale, mode, coordinates, nearest) if size else \
                np.zeros(x.shape[:2 + i] + (out,) + x.shape[3 + i:])
        return x
    parts = [f"sizes = #relax.shape<[{', '.join(map(str, sizes))}]>"] if sizes else [
        f"scales = array<f64: {', '.join(map(str, scales))}>"]
    parts += [f'mode = "{mode}"', f'coordinates = "{coordinates}"', f'nearest_mode = "{nearest}"']
    return case("interpolate", [x], [x[:2] + spatial], f"{{{', '.join(parts)}}}", reference,
                scale=lambda x: np.abs(x).max(initial=0) * 3, **{"epsilons": 30, **options})


def interpolations():
    for coordinates in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"):
        for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            yield interpolate([1, 2, "n"], ["2 * n"], scales=[2.0], coordinates=coordinates, nearest=nearest)
        for mode in ("nearest", "linear", "cubic"):
            options = {"mode": mode, "coordinates": coordinates}
            yield interpolate([1, 2, "n"], ["3 * n"], scales=[3.0], **options)
            yield interpolate([1, 2, "n"], ["floordiv(n, 2)"], scales=[0.5], **options)
            yield interpolate([1, 2, "n"], [7], sizes=[7], **options)
            yield interpolate([1, 2, "n"], [1], sizes=[1], **options)
            yield interpolate([1, 2, "n", "m"], ["2 * n", "floordiv(3 * m, 2)"], scales=[2.0, 1.5], **options)
        yield interpolate([1, 1, 3, "n", 2], [5, "2 * n", 3], sizes=[5, "2 * n", 3], mode="linear",
                          coordinates=coordinates)
    yield interpolate([1, 2, "n"], ["2 * n"], scales=[2.0], dtypes=NUMBERS)
    yield interpolate([1, 2, "n", "m"], [5, 6], sizes=[5, 6], mode="linear", dtypes=FLOATS)
    yield interpolate([1, 2, "n", "m"], [5, 6], sizes=[5, 6], mode="cubic", dtypes=FLOATS)


# Stride 2, then another, then a bias, on symbolic height and width.
CHAIN_X, CHAIN_A = "tensor<1x3x?x?x$T, #relax.shape<[1, 3, h, w]>>", "tensor<8x3x3x3x$T>"
CHAIN_B, CHAIN_C = "tensor<4x8x3x3x$T>", "tensor<4x1x1x$T>"
CHAIN_Y = "tensor<1x8x?x?x$T, #relax.shape<[1, 8, floordiv(h + 1, 2), floordiv(w + 1, 2)]>>"
CHAIN_Z = ("tensor<1x4x?x?x$T, #relax.shape<[1, 4, floordiv(floordiv(h + 1, 2) + 1, 2), "
           "floordiv(floordiv(w + 1, 2) + 1, 2)]>>")


def chain():
    window = Window([3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    step = convolve(window, 1)
    text = f"""func.func @main(%x: {CHAIN_X}, %a: {CHAIN_A}, %b: {CHAIN_B}, %c: {CHAIN_C}) -> {CHAIN_Z} attributes {{relax.symbols = #relax.symbols<h = [0, ?], w = [0, ?]>}} {{
  %y = relax.convolution %x, %a {window.attributes()} : ({CHAIN_X}, {CHAIN_A}) -> {CHAIN_Y}
  %z = relax.convolution %y, %b {window.attributes()} : ({CHAIN_Y}, {CHAIN_B}) -> {CHAIN_Z}
  %r = relax.add %z, %c : ({CHAIN_Z}, {CHAIN_C}) -> {CHAIN_Z}
  return %r : {CHAIN_Z}
}}"""
    final = ["floordiv(floordiv(h + 1, 2) + 1, 2)", "floordiv(floordiv(w + 1, 2) + 1, 2)"]
    return Case("convolution", [[1, 3, "h", "w"], [8, 3, 3, 3], [4, 8, 3, 3], [4, 1, 1]], [[1, 4] + final],
                text=text, reference=lambda x, a, b, c: step(step(x, a), b) + c, epsilons=30,
                scale=lambda x, a, b, c: step(step(np.abs(x), np.abs(a)), np.abs(b)) + np.abs(c),
                sizes=({"h": 1, "w": 1}, {"h": 2, "w": 3}, {"h": 17, "w": 16}, {"h": 7, "w": 33}, {"h": 5, "w": 4}),
                name="convolution, convolution, bias")


def unknown():
    """Three unknown extents each; a kernel that is too large is refused when it runs."""
    text = """func.func @main(%x: tensor<?x?x?x$T>, %w: tensor<?x?x?x$T>) -> tensor<?x?x?x$T> {
  %r = relax.convolution %x, %w {pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<?x?x?x$T>, tensor<?x?x?x$T>) -> tensor<?x?x?x$T>
  return %r : tensor<?x?x?x$T>
}"""
    window = Window([3], strides=[2], pads=[1, 1])
    options = {"text": text, "reference": convolve(window, 1), "epsilons": 20,
               "scale": lambda x, w: convolve(window, 1)(np.abs(x), np.abs(w)) + 1e-3}
    operands, results = [["b", "c", "n"], ["m", "d", 3]], [["b", "m", "floordiv(n + 1, 2)"]]
    yield Case("convolution", operands, results, name="convolution of unknown extents",
               sizes=tuple({"b": 2, "c": c, "d": c, "n": n, "m": 3} for c, n in ((1, 1), (3, 16), (2, 17))), **options)
    yield Case("convolution", operands, results, name="convolution of unknown extents that don't fit",
               sizes=({"b": 2, "c": 2, "d": 3, "n": 5, "m": 3}, {"b": 2, "c": 2, "d": 2, "n": 0, "m": 3}),
               **{**options, "error": "dimension"})


PLANE = {"sizes": ({"n": 5, "m": 7}, {"n": 6, "m": 3}, {"n": 9, "m": 16}, {"n": 17, "m": 33}, {"n": 3, "m": 3})}
CASES = [
    convolution(["n", 3, 9], [4, 3, 3], dtypes=FLOATS, sizes=(0, 1, 2, 5)),
    convolution([1, 3, "n"], [4, 3, 3], pads=[1, 1], dtypes=FLOATS), convolution([1, 3, "n"], [4, 3, 3], True, pads=[1, 1]),
    convolution([2, 3, "n"], [4, 3, 3], True, strides=[2], pads=[1, 1], dtypes=FLOATS),
    convolution([2, 3, "n"], [4, 3, 4], strides=[3], pads=[2, 1]), convolution([2, 4, "n"], [6, 2, 3], groups=2, pads=[1, 1]),
    convolution([2, 4, "n"], [8, 1, 3], True, groups=4, pads=[1, 1]), convolution([2, 4, "n"], [4, 1, 1], True, groups=4),
    convolution([2, 3, "n"], [4, 3, 3], dilations=[2], pads=[2, 2]), convolution([2, 3, "n"], [4, 3, 1]),
    *[convolution([2, 3, "n"], [4, 3, k], strides=[s], auto_pad=pad) for k in (2, 3) for s in (1, 2)
      for pad in ("same_upper", "same_lower")],
    convolution([1, 2, "n", "m"], [3, 2, 3, 3], **PLANE), convolution([1, 2, "n", "m"], [3, 2, 3, 3], auto_pad="valid", **PLANE),
    convolution([2, 2, "n", "m"], [3, 2, 3, 2], True, strides=[2, 1], pads=[1, 0, 1, 1], **PLANE),
    convolution([1, 4, "n", "m"], [4, 1, 3, 3], groups=4, strides=[2, 2], pads=[1, 1, 1, 1], **PLANE),
    convolution([1, 2, "n", "m"], [3, 2, 3, 3], strides=[2, 2], auto_pad="same_upper", **PLANE),
    convolution([1, 2, 3, "n", "m"], [2, 2, 2, 3, 3], True, pads=[1, 1, 1, 1, 1, 1], **PLANE),
    convolution([1, 2, 5, "n", 4], [2, 2, 3, 3, 3], strides=[1, 2, 1], dilations=[2, 1, 1], pads=[0, 1, 1, 0, 1, 1]),
    chain(), *unknown(),
    transposed(["n", 3, 5], [3, 4, 3], dtypes=FLOATS, sizes=(0, 1, 2, 5)), transposed([1, 3, "n"], [3, 4, 3], True),
    transposed([2, 3, "n"], [3, 4, 3], True, strides=[2], pads=[1, 1], output_padding=[1], dtypes=FLOATS),
    transposed([2, 4, "n"], [4, 3, 2], groups=2, strides=[2]), transposed([2, 3, "n"], [3, 2, 3], dilations=[2], strides=[3]),
    transposed([2, 3, "n"], [3, 2, 4], strides=[2], auto_pad="same_upper"),
    transposed([2, 3, "n"], [3, 2, 3], strides=[2], auto_pad="same_lower"),
    transposed([1, 2, "n", "m"], [2, 3, 3, 2], True, strides=[2, 1], pads=[1, 0, 1, 1], **PLANE),
    transposed([1, 2, 2, "n", 2], [2, 2, 2, 3, 2], strides=[2, 2, 1]),
    pool("max_pool", ["n", 3, 9], [3], dtypes=NUMBERS, sizes=(0, 1, 2, 5)),
    pool("max_pool", [2, 3, "n"], [3], strides=[2], pads=[1, 1], dtypes=NUMBERS),
    pool("max_pool", [2, 3, "n"], [3], strides=[2], pads=[1, 1], indices=True, dtypes=FLOATS),
    pool("max_pool", [2, 3, "n"], [3], strides=[2], pads=[1, 1], indices=True, special=True, data=[None]),
    *[pool(op, [2, 3, "n"], [k], strides=[s], pads=[p, p], ceil_mode=True) for op in ("max_pool", "average_pool")
      for k, s, p in ((2, 2, 0), (3, 2, 1), (2, 3, 1), (3, 3, 1))],
    pool("max_pool", [2, 3, "n"], [2], dilations=[2], pads=[1, 1]), pool("max_pool", [2, 3, "n"], [3], strides=[2], auto_pad="same_lower"),
    pool("max_pool", [1, 2, "n", "m"], [3, 2], strides=[2, 2], indices=True, **PLANE),
    pool("max_pool", [1, 2, 4, "n", "m"], [2, 3, 2], pads=[0, 1, 1, 0, 1, 1], **PLANE),
    pool("average_pool", ["n", 3, 9], [3], dtypes=FLOATS, sizes=(0, 1, 2, 5)),
    *[pool("average_pool", [2, 3, "n"], [3], more, strides=[2], pads=[1, 1], ceil_mode=ceil, dtypes=FLOATS)
      for more in ((), ("count_include_pad",)) for ceil in (False, True)],
    pool("average_pool", [1, 2, "n", "m"], [3, 3], strides=[2, 1], pads=[1, 1, 1, 1], **PLANE),
    pool("average_pool", [2, 3, "n"], [3], strides=[2], auto_pad="same_upper"),
    global_pool("global_average_pool", ["n", 3, 4, 5], dtypes=FLOATS), global_pool("global_average_pool", [2, 3, "n", "m"]),
    global_pool("global_max_pool", ["n", 3, 4], dtypes=NUMBERS, epsilons=0),
    global_pool("global_max_pool", [2, 3, "n", "m"], epsilons=0),
    *interpolations(),
]

if __name__ == "__main__":
    run(__file__, CASES)
