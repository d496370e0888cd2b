"""The same elements in another order, some of them, or some of them again."""
import numpy as np

from conformance import ALL, Case, integers, run

TO_END, TO_BEGIN = 2**63 - 1, -(2**63 - 1)


def ints(values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def shape(dims):
    return f"#relax.shape<[{', '.join(map(str, dims))}]>"


def permute(*order):
    dims = ["n", 4, 5]
    return Case("permute", [dims], [[dims[i] for i in order]], f"{{permutation = {ints(order)}}}",
                reference=lambda x: x.transpose(order), dtypes=ALL)


def broadcast_to(source, target, dtypes=ALL):
    return Case("broadcast_to", [source], [target], f"{{shape = {shape(target)}}}", dtypes=dtypes,
                reference=lambda x, *, n: np.broadcast_to(
                    x, [n if d == "n" else d for d in target]),
                sizes=(0, 1, 2, 3, 7, 15, 16, 17, 33, 64, 5))


VIEWS = [
    Case("view", [["n", 12]], [["n", 3, 4]], f"{{shape = {shape([0, -1, 4])}}}", dtypes=ALL,
         reference=lambda x: x.reshape(len(x), 3, 4)),
    Case("view", [["n", "m"]], [["m", "n"]], f"{{shape = {shape([-1, 'n'])}}}",
         reference=lambda x: x.reshape(x.shape[1], x.shape[0])),
    Case("view", [["2 * n", 6]], [["3 * n", 4]], f"{{shape = {shape([-1, 4])}}}",
         reference=lambda x: x.reshape(len(x) // 2 * 3, 4)),
    Case("view", [["n", 3]], [["floordiv(3 * n, 4)", 4]], f"{{shape = {shape([-1, 4])}}}",
         reference=lambda x: x.reshape(-1, 4), sizes=(0, 4, 8, 16, 64, 12)),
    Case("view", [["n", 3]], [["floordiv(3 * n, 4)", 4]], f"{{shape = {shape([-1, 4])}}}",
         name="view of what doesn't divide", error="element counts", sizes=(1, 2, 3, 5)),
    Case("squeeze", [[1, "n", 1]], [["n", 1]], f"{{axes = {ints([0])}}}", dtypes=ALL,
         reference=lambda x: x[0]),
    Case("squeeze", [[1, "n", 1]], [["n"]], reference=lambda x: x[0, :, 0]),
    Case("squeeze", [["n", 4]], [[4]], f"{{axes = {ints([0])}}}", reference=lambda x: x[0],
         sizes=(1,)),
    Case("squeeze", [["n", 4]], [[4]], f"{{axes = {ints([0])}}}", name="squeeze of what isn't 1",
         error="dimension 0 of x", sizes=(0, 2, 5)),
    Case("unsqueeze", [["n", 4]], [[1, "n", 4, 1]], f"{{axes = {ints([0, -1])}}}", dtypes=ALL,
         reference=lambda x: x[None, ..., None]),
    Case("flatten", [["n", 2, 2]], [["4 * n"]], dtypes=ALL, reference=lambda x: x.reshape(-1)),
    Case("flatten", [["n", 2, 3]], [["n", 6]], "{start_axis = 1 : i64}",
         reference=lambda x: x.reshape(len(x), 6)),
    Case("flatten", [["n", "m", 3]], [["n * m", 3]], "{end_axis = 1 : i64}",
         reference=lambda x: x.reshape(x.shape[0] * x.shape[1], 3)),
    Case("flatten", [[]], [[1]], reference=lambda x: x.reshape(1)),
]


def concat(axis, parts, result, dtypes=ALL):
    return Case("concat", parts, [result], f"{{axis = {axis} : i64}}", dtypes=dtypes,
                reference=lambda *x: np.concatenate(x, axis))


def split(dims, axis, parts, results, dtypes=ALL, **options):
    def reference(x, *, n, m=0):
        ends = np.cumsum([eval(str(s), {}, {"n": n, "m": m}) for s in parts])[:-1]
        return np.split(x, ends, axis)
    return Case("split", [dims], results, f"{{axis = {axis} : i64, sizes = {shape(parts)}}}",
                dtypes=dtypes, reference=reference, **options)


JOINED = [
    concat(0, [["n", 3], ["m", 3], [2, 3]], ["n + m + 2", 3]),
    concat(-1, [["n", 3], ["n", 5]], ["n", 8]),
    concat(-1, [["m", "n"], ["m", 2], ["m", "n"]], ["m", "2 * n + 2"]),
    concat(1, [["n", "m", 4], ["n", 1, 4]], ["n", "m + 1", 4], ("f32", "i8")),
    concat(0, [["n"]] * 9, ["9 * n"], ("f32", "i1", "f16")),
    concat(0, [["n"]], ["n"], ("f32",)),
    concat(0, [["n", 2], ["m", 2]] * 10, ["10 * n + 10 * m", 2], ("f32", "i8")),
    # Equal by a check: n against m.
    Case("concat", [["n", 2], ["m", 2]], [["n", 4]], "{axis = 1 : i64}",
         reference=lambda x, y: np.concatenate([x, y], 1),
         sizes=tuple({"n": n, "m": n} for n in (0, 1, 5, 17))),
    Case("concat", [["n", 2], ["m", 2]], [["n", 4]], "{axis = 1 : i64}", name="concat of n and m rows",
         error="dimension 0", sizes=tuple({"n": n, "m": n + 1} for n in (0, 1, 5))),
    Case("stack", [["n", 4]] * 3, [["n", 3, 4]], "{axis = 1 : i64}", dtypes=ALL,
         reference=lambda *x: np.stack(x, 1)),
    Case("stack", [["n"]] * 2, [["n", 2]], "{axis = -1 : i64}", reference=lambda *x: np.stack(x, -1)),
    Case("stack", [["n"]] * 2, [[2, "n"]], reference=lambda *x: np.stack(x)),
    Case("stack", [[]] * 3, [[3]], reference=lambda *x: np.stack(x)),
    split(["n + m", 3], 0, ["n", "m"], [["n", 3], ["m", 3]]),
    split(["n", 64], 1, [16, 16, 32], [["n", 16], ["n", 16], ["n", 32]]),
    split(["n"], 0, ["1", "n - 1"], [[1], ["n - 1"]], ("f32",), sizes=(1, 2, 3, 17, 64)),
    Case("split", [["n"]], [[1], ["n - 1"]], f"{{sizes = {shape([1, 'n - 1'])}}}",
         name="split into a negative part", error="n - 1", sizes=(0,)),
    Case("split", [["n", 2]], [["m", 2], [3, 2]], f"{{sizes = {shape(['m', 3])}}}",
         name="split by wrong sizes", error="sum of the sizes",
         sizes=tuple({"n": n, "m": n} for n in (0, 1, 5))),
    Case("split", [["4 * n", 3]], [["n", 3]] * 4, "{sections = 4 : i64}", dtypes=ALL,
         reference=lambda x: np.split(x, 4)),
    Case("split", [["n"]], [["floordiv(n, 2)"]] * 2, "{sections = 2 : i64}",
         reference=lambda x: np.split(x, 2), sizes=(0, 2, 16, 64, 6)),
    Case("split", [["n"]], [["floordiv(n, 2)"]] * 2, "{sections = 2 : i64}",
         name="split of an odd size", error="sections", sizes=(1, 3, 17)),
    # 4096 numbers as (1, 16, 4, 64), in parts of 16, 16 and 32: the last ones are 4046 and 4047.
    Case("split", [[4096], ("i8", ["n"])], [[1, 16, 4, 16], [1, 16, 4, 16], [1, 16, 4, 32]],
         name="split of a view", text="""func.func @main(%x: tensor<4096x$T>) -> (tensor<1x16x4x16x$T>, tensor<1x16x4x16x$T>, tensor<1x16x4x32x$T>) {
  %v = relax.reshape %x : tensor<4096x$T> to tensor<1x16x4x64x$T>
  %p:3 = relax.split %v {axis = 3 : i64, sizes = #relax.shape<[16, 16, 32]>} : (tensor<1x16x4x64x$T>) -> (tensor<1x16x4x16x$T>, tensor<1x16x4x16x$T>, tensor<1x16x4x32x$T>)
  return %p#0, %p#1, %p#2 : tensor<1x16x4x16x$T>, tensor<1x16x4x16x$T>, tensor<1x16x4x32x$T>
}""", dtypes=("f32", "i32", "i64"), data=lambda random, shapes: [np.arange(4096)],
         reference=lambda x: np.split(x.reshape(1, 16, 4, 64), [16, 32], -1), sizes=(1,)),
]
JOINED[-1].operands = JOINED[-1].operands[:1]
assert JOINED[-1].reference(np.arange(4096))[1].reshape(-1)[-2:].tolist() == [4062, 4063]
assert JOINED[-1].reference(np.arange(4096))[0].reshape(-1)[-2:].tolist() == [4046, 4047]


def slice_case(dims, result, axes, starts, ends, steps=None, dtypes=("f32",), **options):
    def reference(x, **symbols):
        at = [slice(None)] * x.ndim
        for i, axis in enumerate(axes):
            start, end = (eval(str(v), {}, symbols) for v in (starts[i], ends[i]))
            end = None if end in (TO_END, TO_BEGIN) else end
            at[axis] = slice(start, end, steps[i] if steps else None)
        return x[tuple(at)]
    names = "n=0, m=0, k=0"
    wrapped = eval(f"lambda x, *, {names}: reference(x, n=n, m=m, k=k)", {"reference": reference})
    text = f"{{axes = {ints(axes)}, starts = {shape(starts)}, ends = {shape(ends)}"
    text += f", steps = {ints(steps)}}}" if steps else "}"
    return Case("slice", [dims], [result], text, dtypes=dtypes, reference=wrapped, **options)


SLICES = [
    slice_case(["n", 4], ["max(0, n - 2)", 4], [0], [1], [-1], dtypes=ALL),
    slice_case(["n", 7], ["n", 5], [1], [1], [6], dtypes=ALL),
    slice_case([9, "n"], [9, "max(0, n - 1)"], [1], [1], [TO_END]),
    slice_case(["n", 33], ["n", 17], [1], [0], [TO_END], [2], dtypes=("f32", "i8", "f16")),
    slice_case(["n"], ["ceildiv(n, 3)"], [0], [0], [TO_END], [3]),
    slice_case(["n", 3], ["n", 3], [0], [-1], [TO_BEGIN], [-1], dtypes=ALL),
    slice_case(["n"], ["n"], [0], [TO_END], [TO_BEGIN], [-1]),
    slice_case(["n"], ["ceildiv(n, 2)"], [0], [-1], [TO_BEGIN], [-2]),
    slice_case(["n"], ["min(n, 4)"], [0], [-4], [TO_END]),
    slice_case(["n"], ["max(0, n - 4)"], [0], [0], [-4]),
    slice_case(["n"], ["max(0, min(98, n - 2))"], [0], [2], [100]),
    slice_case(["n"], ["ceildiv(max(0, min(4, n - 2)), 2)"], [0], [5], [1], [-2]),
    slice_case(["n"], [0], [0], [4], [4]),
    slice_case([10], [3], [0], [-3], [TO_END]),
    slice_case([10], [0], [0], [20], [30]),
    slice_case([10], [10], [0], [-100], [100]),
    slice_case([10], [0], [0], [-100], [TO_BEGIN], [-1]),
    slice_case([10, "n"], [3, "ceildiv(n, 2)"], [0, 1], [8, 0], [1, TO_END], [-3, 2]),
    slice_case(["n", 6], ["n", 6], [], [], []),
    # A symbolic place, which may be behind the end, or before the begin.
    slice_case(["n", "m"], ["max(0, n - m)", "m"], [0], ["m"], [TO_END]),
    slice_case(["n", "m"], ["min(n, m)", "m"], [0], [0], ["m"], dtypes=ALL),
    # Whether these count from the end shows when it runs.
    slice_case(["n", 3], ["max(min(n, n + n * min(max(3 - n, 0), 1) - 3, n - k - n * min(max(9 - k, 0), 1) + n * "
                          "min(max(3 - n, 0), 1) + 6, n - k - n * min(max(9 - k, 0), 1) + 9), 0)", 3],
               [0], ["k - 9"], ["n - 3"]),
    slice_case(["n", 3], ["ceildiv(max(min(n, n + n * min(max(3 - n, 0), 1) - 2, n - k - n * min(max(9 - k, 0), 1) + n * "
                          "min(max(3 - n, 0), 1) + 6, n - k - n * min(max(9 - k, 0), 1) + 8), 0), 2)", 3],
               [0], ["n - 3"], ["k - 9"], [-2]),
    Case("narrow", [["n + 3", "m"]], [["n", "m"]], "{start = #relax.expr<2>, length = #relax.expr<n>}",
         dtypes=ALL, reference=lambda x: x[2:-1]),
    Case("narrow", [[4, "n + m"]], [[4, "m"]], "{axis = -1 : i64, start = #relax.expr<n>, length = #relax.expr<m>}",
         dtypes=("f32", "i8"), reference=lambda x, *, n: x[:, n:]),
    Case("narrow", [["n", 2]], [["m", 2]], "{start = #relax.expr<1>, length = #relax.expr<m>}",
         name="narrow beyond the end", error="start \\+ length", sizes=tuple({"n": n, "m": n} for n in (0, 1, 5))),
]


def dynamic(reference_at):
    return lambda x, starts, *, n: reference_at(x, starts.astype(int), n)


RUNTIME = [
    Case("dynamic_slice", [["n + 4", 5], ("i32", [1])], [[4, 5]], f"{{sizes = {shape([4])}}}", dtypes=ALL,
         data=[None, integers(-3, 70)],
         reference=lambda x, s: x[min(max(s[0], 0), len(x) - 4):][:4]),
    Case("dynamic_slice", [["n", 9], ("i64", [2])], [["n", 3]], f"{{sizes = {shape(['n', 3])}}}",
         data=[None, integers(-3, 12)],
         reference=lambda x, s: x[:, min(max(s[1], 0), 6):][:, :3]),
    Case("dynamic_slice", [[3, "n + 2"], ("i64", [1])], [[3, "n"]],
         f"{{sizes = {shape(['n'])}, axes = {ints([-1])}}}", data=[None, integers(-3, 5)],
         reference=lambda x, s, *, n: x[:, min(max(s[0], 0), 2):][:, :n]),
    Case("dynamic_slice", [["n + 8"], ("i64", [1])], [[3]],
         f"{{sizes = {shape([3])}, steps = {ints([-2])}}}", data=[None, integers(-3, 80)],
         reference=lambda x, s: x[min(max(s[0], 4), len(x) - 1) - np.array([0, 2, 4])]),
    Case("slice_bounds", [("i64", [2]), ("i64", [2]), ("i8", ["n"])], [("i64", [2]), ("i64", [2])],
         text="""func.func @main(%s: tensor<2xi64>, %e: tensor<2xi64>, %x: tensor<?xi8, #relax.shape<[n]>>) -> (tensor<2xi64>, tensor<2xi64>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r:2 = relax.slice_bounds %s, %e {dims = #relax.shape<[n, n]>, steps = array<i64: 2, -3>} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xi64>, tensor<2xi64>
}""", data=[integers(-20, 20), integers(-20, 20), None], dtypes=("i64",),
         reference=lambda s, e, x: [
             np.array([slice(s[0], e[0], 2).indices(len(x))[0], slice(s[1], e[1], -3).indices(len(x))[0]]),
             np.array([len(range(*slice(s[0], e[0], 2).indices(len(x)))),
                       len(range(*slice(s[1], e[1], -3).indices(len(x))))])]),
    Case("dynamic_strided_slice", [["n", 3], ("i64", [1]), ("i64", [1])], [["u", 3]],
         f'{{axes = {ints([0])}, symbols = ["u"]}}', dtypes=("f32", "i8"),
         data=[None, integers(-20, 40), integers(-20, 80)],
         reference=lambda x, s, e: x[int(s[0]):int(e[0])]),
    Case("dynamic_strided_slice", [["n", "m"], ("i32", [2]), ("i32", [2])], [["u", "v"]],
         f'{{axes = {ints([0, 1])}, steps = {ints([-2, 3])}, symbols = ["u", "v"]}}',
         data=[None, integers(-20, 40), integers(-20, 80)],
         reference=lambda x, s, e: x[int(s[0]):int(e[0]):-2, int(s[1]):int(e[1]):3]),
]


def pad(dims, low, high, result, mode="constant", dtypes=("f32",), **options):
    def reference(x, *, n):
        for axis, (a, b) in enumerate(zip(low, high)):
            a, b = eval(str(a), {}, {"n": n}), eval(str(b), {}, {"n": n})
            size = x.shape[axis]
            place = np.arange(size + a + b) - a
            inside = (place >= 0) & (place < size)
            if mode == "reflect":
                period = max(1, 2 * (size - 1))
                place = np.where(place % period < size, place % period, period - place % period)
            source = np.clip(place, 0, size - 1) if mode != "wrap" else place % max(size, 1)
            if mode == "constant" and size == 0:
                x = np.zeros(x.shape[:axis] + (len(place),) + x.shape[axis + 1:], x.dtype)
                continue
            x = np.take(x, source, axis)
            if mode == "constant":
                x[(slice(None),) * axis + (~inside,)] = 0
        return x
    text = f'{{low = {shape(low)}, high = {shape(high)}, mode = "{mode}"}}'
    return Case("pad", [dims], [result], text, dtypes=dtypes, reference=reference, **options)


SOME = (1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 5)
PADS = [
    pad(["n", 4], [1, 0], ["n", 0], ["2 * n + 1", 4], dtypes=ALL),
    pad(["n", 9], [0, 3], [2, 8], ["n + 2", 20], dtypes=ALL),
    pad(["n"], [1], [1], ["n + 2"]),
    pad([3, "n"], [0, -1], [0, -1], [3, "n - 2"], sizes=(2, 3, 17, 64)),
    pad([3, "n"], [2, -1], [-1, 3], [4, "n + 2"], sizes=SOME),
    pad(["n"], [0], [0], ["n"]),
    Case("pad", [["n", 3], []], [["n + 1", 6]], f"{{low = {shape([1, 1])}, high = {shape([0, 2])}}}",
         reference=lambda x, v: np.pad(x, ((1, 0), (1, 2)), constant_values=v), dtypes=ALL),
    pad(["n"], [-2], [0], ["n - 2"], name="pad that crops too much", error="what is left", sizes=(0, 1)),
    pad(["n"], [1], [0], ["n + 1"], "edge", name="edge of nothing", error="copies elements", sizes=(0,)),
    pad(["n"], [0], [0], ["n"], "reflect", name="reflect nothing", sizes=(0, 1, 9)),
]
for mode in ("edge", "reflect", "wrap"):
    PADS += [pad(["n", 5], [2, 0], [1, 0], ["n + 3", 5], mode, dtypes=ALL, sizes=SOME),
             pad([2, "n"], [0, 17], [0, 9], [2, "n + 26"], mode, sizes=SOME),
             pad(["n", 9], [1, 2], [1, 3], ["n + 2", 14], mode, sizes=SOME),
             pad(["n"], [-1], [2], ["n + 1"], mode, sizes=SOME)]

REPEATS = [
    Case("tile", [["n", 4]], [["2 * n", "4 * m"]], f"{{repeats = {shape([2, 'm'])}}}", dtypes=ALL,
         reference=lambda x, *, m: np.tile(x, (2, m)), sizes=(0, 1, 2, 3, 5, 7, 16, 17, 33)),
    Case("tile", [["n"]], [["3 * n"]], f"{{repeats = {shape([3])}}}", reference=lambda x: np.tile(x, 3)),
    Case("tile", [["n", 1]], [["n", "m"]], f"{{repeats = {shape([1, 'm'])}}}",
         reference=lambda x, *, m: np.tile(x, (1, m))),
    Case("tile", [[2, 3, 1, 2, 2]], [[4, 9, 2, 4, 6]], f"{{repeats = {shape([2, 3, 2, 2, 3])}}}",
         reference=lambda x: np.tile(x, (2, 3, 2, 2, 3)), sizes=(1,)),
    Case("repeat", [["n", 3]], [["2 * n", 3]], "{repeats = #relax.expr<2>}", dtypes=ALL,
         reference=lambda x: np.repeat(x, 2, 0)),
    Case("repeat", [["n", 3]], [["n", "3 * m"]], "{repeats = #relax.expr<m>, axis = -1 : i64}",
         reference=lambda x, *, m: np.repeat(x, m, 1)),
    Case("flip", [["n", 3, 9]], [["n", 3, 9]], f"{{axes = {ints([0, -1])}}}", dtypes=ALL,
         reference=lambda x: np.flip(x, (0, 2))),
    Case("flip", [["n"]], [["n"]], f"{{axes = {ints([0])}}}", reference=np.flip),
    Case("roll", [["n", 5]], [["n", 5]], f"{{shifts = {shape([3, -2])}, axes = {ints([0, 1])}}}",
         dtypes=ALL, reference=lambda x: np.roll(x, (3, -2), (0, 1))),
    Case("roll", [["n"]], [["n"]], f"{{shifts = {shape(['n - 100'])}, axes = {ints([0])}}}",
         reference=lambda x: np.roll(x, len(x) - 100)),
]


def depth_to_space(x, b, mode):
    n, c, h, w = x.shape
    if mode == "DCR":
        return x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // b**2, h * b, w * b)
    return x.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // b**2, h * b, w * b)


BLOCKS = [
    Case("depth_to_space", [["n", 8, "m", 3]], [["n", 2, "2 * m", 6]],
         f'{{block_size = 2 : i64, mode = "{mode}"}}', dtypes=ALL, sizes=(0, 1, 2, 3, 5),
         reference=lambda x, mode=mode: depth_to_space(x, 2, mode))
    for mode in ("DCR", "CRD")
] + [
    Case("space_to_depth", [["n", 3, "2 * m", 6]], [["n", 12, "m", 3]], "{block_size = 2 : i64}",
         dtypes=ALL, sizes=(0, 1, 2, 3, 5),
         reference=lambda x: x.reshape(x.shape[0], 3, x.shape[2] // 2, 2, 3, 2)
         .transpose(0, 3, 5, 1, 2, 4).reshape(x.shape[0], 12, x.shape[2] // 2, 3)),
    Case("depth_to_space", [["n", "m", 2, 3]], [["n", "floordiv(m, 4)", 4, 6]], "{block_size = 2 : i64}",
         reference=lambda x: depth_to_space(x, 2, "DCR"),
         sizes=tuple({"n": 2, "m": m} for m in (0, 4, 16))),
    Case("depth_to_space", [["n", "m", 2, 3]], [["n", "floordiv(m, 4)", 4, 6]], "{block_size = 2 : i64}",
         name="depth_to_space of odd channels", error="dimension 1 of x",
         sizes=tuple({"n": 2, "m": m} for m in (1, 2, 5))),
]

# Nothing is known of the first dimensions: they get names, and what the ops need of them is checked.
UNKNOWN = [
    Case("slice", [["n", 4], ["n", 4]], [[None, 8]], name="slice of a concat of unknown rows", text="""func.func @main(%x: tensor<?x4x$T>, %y: tensor<?x4x$T>) -> tensor<?x8x$T> {
  %0 = relax.concat %x, %y {axis = 1 : i64} : (tensor<?x4x$T>, tensor<?x4x$T>) -> tensor<?x8x$T>
  %1 = relax.slice %0 {axes = array<i64: 0>, starts = #relax.shape<[1]>, ends = #relax.shape<[-1]>} : (tensor<?x8x$T>) -> tensor<?x8x$T>
  return %1 : tensor<?x8x$T>
}""", reference=lambda x, y: np.concatenate([x, y], 1)[1:-1]),
    Case("concat", [["n", 4], ["n + 1", 4]], [[None, 8]], name="concat of unknown rows that differ", text="""func.func @main(%x: tensor<?x4x$T>, %y: tensor<?x4x$T>) -> tensor<?x8x$T> {
  %0 = relax.concat %x, %y {axis = 1 : i64} : (tensor<?x4x$T>, tensor<?x4x$T>) -> tensor<?x8x$T>
  return %0 : tensor<?x8x$T>
}""", error="dimension 0 of operand 0", sizes=(0, 1, 5)),
    Case("split", [["n", 8]], [[4, None]], name="split of a view of unknown rows", text="""func.func @main(%x: tensor<?x?x$T>) -> tensor<4x?x$T> {
  %0 = relax.view %x {shape = #relax.shape<[4, -1]>} : (tensor<?x?x$T>) -> tensor<4x?x$T>
  %1:2 = relax.split %0 {axis = 1 : i64, sections = 2 : i64} : (tensor<4x?x$T>) -> (tensor<4x?x$T>, tensor<4x?x$T>)
  return %1#1 : tensor<4x?x$T>
}""", reference=lambda x: np.split(x.reshape(4, -1) if x.size else np.zeros((4, 0)), 2, 1)[1]),
    Case("tile", [["n", 4], ("i64", [1]), ("i64", [1])], [[None, 4]], name="tile of a slice by run-time bounds", text="""func.func @main(%x: tensor<?x4x$T>, %s: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<?x4x$T> {
  %0 = relax.dynamic_strided_slice %x, %s, %e {axes = array<i64: 0>, symbols = ["u"]} : (tensor<?x4x$T>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x$T, #relax.shape<[u, 4]>>
  %1 = relax.tile %0 {repeats = #relax.shape<[2, 1]>} : (tensor<?x4x$T, #relax.shape<[u, 4]>>) -> tensor<?x4x$T, #relax.shape<[2 * u, 4]>>
  %2 = relax.erase %1 : tensor<?x4x$T, #relax.shape<[2 * u, 4]>> to tensor<?x4x$T>
  return %2 : tensor<?x4x$T>
}""", data=[None, integers(-20, 40), integers(-20, 80)],
         reference=lambda x, s, e: np.tile(x[int(s[0]):int(e[0])], (2, 1))),
]

CASES = [
    permute(0, 2, 1), permute(2, 1, 0), permute(1, 0, 2), permute(-1, 0, 1),
    broadcast_to([1, "n"], ["n", 4, "n"]), broadcast_to(["n", 1], [3, "n", 17]),
    broadcast_to([], ["n", 5], ("f32", "i1")), broadcast_to(["n"], ["n"], ("f32",)),
    Case("broadcast_to", [["n", 3], ("i8", ["m"])], [["m", 3]], name="broadcast_to of n or 1",
         text="""func.func @main(%x: tensor<?x3x$T, #relax.shape<[n, 3]>>, %m: tensor<?xi8, #relax.shape<[m]>>) -> tensor<?x3x$T, #relax.shape<[m, 3]>> attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %r = relax.broadcast_to %x {shape = #relax.shape<[m, 3]>} : (tensor<?x3x$T, #relax.shape<[n, 3]>>) -> tensor<?x3x$T, #relax.shape<[m, 3]>>
  return %r : tensor<?x3x$T, #relax.shape<[m, 3]>>
}""", reference=lambda x, y: np.broadcast_to(x, (len(y), 3)), dtypes=ALL,
         sizes=tuple({"n": n, "m": m} for n, m in ((1, 5), (5, 5), (1, 0), (0, 0), (1, 1), (17, 17)))),
    Case("broadcast_to", [["n"]], [["m"]], f"{{shape = {shape(['m'])}}}", name="broadcast_to of n to m",
         error="dimension 0 of x", sizes=tuple({"n": n, "m": m} for n, m in ((5, 1), (2, 3), (0, 1), (2, 0)))),
] + VIEWS + JOINED + SLICES + RUNTIME + PADS + REPEATS + BLOCKS + UNKNOWN

if __name__ == "__main__":
    run(__file__, CASES)
