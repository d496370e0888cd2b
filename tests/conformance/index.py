"""Elements by index."""
import numpy as np

from conformance import ALL, NUMBERS, Case, integers, run, tensor


def take(table, axis, indices, result, kind="i32", size=11, dtypes=("f32",), **options):
    return Case("take", [table, (kind, indices)], [result], f"{{axis = {axis} : i64}}" if axis else "",
                dtypes=dtypes, reference=lambda t, i: np.take(t, i, axis),
                data=[None, integers(-size, size)], **options)


CASES = [
    take([11, 6], 0, ["n"], ["n", 6], dtypes=ALL),
    take([11, 6], 0, ["n"], ["n", 6], "i64"),
    take([11, 6], 0, ["n", 3], ["n", 3, 6]),
    take([11, 6], 0, [], [6]),
    take([2, 11, 3], 1, ["n", 2], [2, "n", 2, 3], dtypes=ALL),
    take([3, "n", 11], -1, [5], [3, "n", 5], dtypes=("f32", "i8", "i1")),
    take([11], 0, ["n"], ["n"], dtypes=ALL),
    take([11], 0, ["n"], ["n"], "i64", dtypes=("f16", "i8")),
    # A table of no rows is fine as long as nothing is taken.
    Case("take", [["n", 3], ("i64", [0])], [[0, 3]], reference=lambda t, i: t[:0], sizes=(0, 1, 5)),
    # Out of range, each way.
    Case("take", [["n", 3], ("i64", [4])], [[4, 3]], name="take beyond the end", error=r"take: element 2 is 17, but must be at least -\d+ and less than \d+",
         data=[None, lambda random, shape: np.array([0, 0, 17, 0])], sizes=(1, 5, 17)),
    Case("take", [["n", 3], ("i32", [4])], [[4, 3]], name="take before the begin", error=r"take.*-18",
         data=[None, lambda random, shape: np.array([0, -1, -18, 0])], sizes=(1, 5, 17)),
    Case("take", [["n", 3], ("i32", [1])], [[1, 3]], name="take from nothing", error=r"take", sizes=(0,),
         data=[None, lambda random, shape: np.array([0])]),
    # A clip whose bounds are the wrong way round gives the upper one, which may be outside.
    Case("take", [["n"], ("i64", [3])], [[3]], name="take by a clip", sizes=(1, 5, 17), dtypes=("f32",),
         error=r"take: element 0 is -100", text="""func.func @main(%t: tensor<?x$T, #relax.shape<[n]>>, %i: tensor<3xi64>) -> tensor<3x$T>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %c = relax.clip %i {min = 0 : i64, max = -100 : i64} : (tensor<3xi64>) -> tensor<3xi64>
  %r = relax.take %t, %c : (tensor<?x$T, #relax.shape<[n]>>, tensor<3xi64>) -> tensor<3x$T>
  return %r : tensor<3x$T>
}"""),
    Case("gather_elements", [[7, "n"], ("i64", [9, "n"])], [[9, "n"]], dtypes=ALL,
         data=[None, integers(-7, 7)], reference=lambda x, i: np.take_along_axis(x, i, 0)),
    Case("gather_elements", [["n", 7, 3], ("i32", ["n", 4, 3])], [["n", 4, 3]], "{axis = -2 : i64}",
         data=[None, integers(-7, 7)], reference=lambda x, i: np.take_along_axis(x, i, 1)),
    Case("gather_elements", [["n", 7], ("i32", ["n", 4])], [["n", 4]], "{axis = 1 : i64}", dtypes=("f32", "i8"),
         data=[None, integers(-7, 7)], reference=lambda x, i: np.take_along_axis(x, i, 1)),
    Case("gather_elements", [[7, "n + 2"], ("i64", [3, "n"])], [[3, "n"]],
         data=[None, integers(-7, 7)], reference=lambda x, i: np.take_along_axis(x[:, :-2], i, 0)),
    Case("gather_elements", [["n", 3], ("i64", ["n", 3])], [["n", 3]], name="gather_elements beyond the end",
         error="gather_elements.*99", data=[None, lambda random, shape: np.full(shape, 99)], sizes=(1, 5, 17)),
    Case("gather_elements", [[3, "n"], ("i64", [3, "m"])], [[3, "m"]], name="gather_elements by too many columns",
         error="dimension 1", sizes=tuple({"n": n, "m": n + 1} for n in (0, 1, 5)), data=[None, integers(0, 3)]),
    Case("gather_nd", [[5, 7, 3], ("i64", ["n", 2])], [["n", 3]], dtypes=ALL, data=[None, integers(-5, 5)],
         reference=lambda x, i: x[i[:, 0], i[:, 1]]),
    Case("gather_nd", [[5, 7], ("i32", ["n", 2])], [["n"]], data=[None, integers(-5, 5)],
         reference=lambda x, i: x[i[:, 0], i[:, 1]]),
    Case("gather_nd", [[5, 7], ("i32", ["n", 2, 1])], [["n", 2, 7]], data=[None, integers(-5, 5)],
         reference=lambda x, i: x[i[..., 0]]),
    Case("gather_nd", [["n", 5, 6], ("i64", ["n", 4, 1])], [["n", 4, 6]], "{batch_dims = 1 : i64}", dtypes=("f32", "i8"),
         data=[None, integers(-5, 5)], reference=lambda x, i: np.stack([a[b[:, 0]] for a, b in zip(x, i)])
         if len(x) else np.zeros((0, 4, 6))),
    Case("gather_nd", [["n", 2, 5, 6], ("i64", ["n", 2, 2])], [["n", 2]], "{batch_dims = 2 : i64}",
         data=[None, integers(-5, 5)],
         reference=lambda x, i: np.take_along_axis(
             x.reshape(len(x), 2, 30), ((i[..., :1] % 5) * 6 + i[..., 1:] % 6), 2)[..., 0]),
    Case("gather_nd", [[5, 7], ("i64", ["n", 2])], [["n"]], name="gather_nd beyond the second bound",
         error=r"gather_nd, position 1.*7", sizes=(1, 5, 17),
         data=[None, lambda random, shape: np.tile([4, 7], (shape[0], 1))]),
]

def reverse_sequence(time, batch):
    def reference(x, lengths):
        moved = np.moveaxis(x.copy(), (time, batch), (0, 1))
        for j, length in enumerate(lengths):
            moved[:length, j] = moved[:length, j][::-1]
        return np.moveaxis(moved, (0, 1), (time, batch))
    return reference


CASES += [
    Case("reverse_sequence", [[7, "n", 3], ("i64", ["n"])], [[7, "n", 3]], dtypes=ALL,
         data=[None, integers(0, 8)], reference=reverse_sequence(0, 1)),
    Case("reverse_sequence", [["n", 2, 9], ("i32", ["n"])], [["n", 2, 9]],
         "{time_axis = -1 : i64, batch_axis = 0 : i64}", data=[None, integers(0, 10)],
         reference=reverse_sequence(2, 0)),
    # Whole sequences, and none.
    Case("reverse_sequence", [["n", 2], ("i64", [2])], [["n", 2]],
         data=[None, lambda random, shape: np.array([0, 1])], sizes=(1, 5, 17),
         reference=reverse_sequence(0, 1)),
    Case("reverse_sequence", [["n", 2], ("i64", [2])], [["n", 2]], name="reverse_sequence beyond the end",
         error=r"reverse_sequence: element 1 is 18", sizes=(0, 1, 17),
         data=[None, lambda random, shape: np.array([0, 18])]),
    Case("reverse_sequence", [[4, "n"], ("i64", ["m"])], [[4, "n"]], name="reverse_sequence of another batch",
         error="dimension 1 of x", sizes=tuple({"n": n, "m": n + 1} for n in (0, 1, 5)),
         data=[None, integers(0, 4)]),
]

REDUCE = {
    "none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
    "max": np.maximum, "min": np.minimum,
}


def wrap(value, dtype):
    """To the dtype and back, as each update is stored."""
    from conformance import decode, encode
    return decode(encode(value, dtype), dtype)


def scatter_elements(axis, reduction):
    def reference(x, i, u, *, dtype):
        r = x.copy()
        for place in np.ndindex(*i.shape):
            at = list(place)
            at[axis] = i[place]
            r[tuple(at)] = wrap(REDUCE[reduction](r[tuple(at)], u[place]), dtype)
        return r
    return reference


def scatter_nd(reduction):
    def reference(x, i, u, *, dtype):
        r = x.copy()
        for place in np.ndindex(*i.shape[:-1]):
            at = tuple(i[place])
            r[at] = wrap(REDUCE[reduction](r[at], u[place]), dtype)
        return r
    return reference


SMALL = (0, 1, 2, 3, 7, 17, 33, 5)
for reduction in REDUCE:
    dtypes = ALL if reduction != "mul" else NUMBERS
    attributes = f'{{reduction = "{reduction}"}}' if reduction != "none" else ""
    CASES += [
        Case("scatter_elements", [["n + 3", 3], ("i64", ["n", 2]), ["n", 2]], [["n + 3", 3]], attributes,
             dtypes=dtypes, data=[None, integers(-3, 3), None], sizes=SMALL,
             reference=scatter_elements(0, reduction)),
        Case("scatter_nd", [[4, 5, 3], ("i64", ["n", 2]), ["n", 3]], [[4, 5, 3]], attributes, dtypes=dtypes,
             data=[None, integers(-4, 4), None], sizes=SMALL, reference=scatter_nd(reduction)),
    ]
CASES += [
    Case("scatter_elements", [["n", 9], ("i32", ["n", 4]), ["n", 4]], [["n", 9]],
         '{axis = -1 : i64, reduction = "add"}', data=[None, integers(-9, 9), None], sizes=SMALL,
         reference=scatter_elements(1, "add"), dtypes=("f32", "f64", "i32")),
    Case("scatter_nd", [["n + 2"], ("i32", ["n", 1]), ["n"]], [["n + 2"]], '{reduction = "max"}',
         data=[None, integers(-2, 2), None], sizes=SMALL, reference=scatter_nd("max")),
    Case("scatter_nd", [[6, "n"], ("i32", [2, 3, 1]), [2, 3, "n"]], [[6, "n"]],
         data=[None, integers(-6, 6), None], sizes=SMALL, reference=scatter_nd("none"), dtypes=("f32", "f16", "i8")),
    Case("scatter_elements", [["n", 3], ("i64", [1, 3]), [1, 3]], [["n", 3]], name="scatter_elements beyond the end",
         error="scatter_elements.*40", data=[None, lambda random, shape: np.array([[0, 40, 0]]), None], sizes=(1, 5, 17)),
    Case("scatter_nd", [["n", 3], ("i64", [2, 2]), [2]], [["n", 3]], name="scatter_nd beyond the end",
         error="scatter_nd, position 1.*-4", data=[None, lambda random, shape: np.array([[0, 0], [0, -4]]), None],
         sizes=(1, 5, 17)),
]



def fused(name, op, arguments, lines, result, dtypes=("f32", "f16"), **options):
    """Several ops that become one kernel, or must not: the whole function is the case."""
    text = "func.func @main(" + ", ".join(f"%{chr(97 + i)}: {tensor(d, k)}{extra}" for i, (k, d, extra) in enumerate(arguments))
    text += f") -> {tensor(result, '$T')} attributes {{relax.symbols = #relax.symbols<n = [0, ?]>}} {{\n"
    for i, (operation, operands, attributes, dims, kind) in enumerate(lines):
        types = {f"%{chr(97 + j)}": tensor(d, k) for j, (k, d, _) in enumerate(arguments)}
        types |= {f"%r{j}": tensor(l[3], l[4]) for j, l in enumerate(lines)}
        text += (f"  %r{i} = relax.{operation} {', '.join(operands)} {attributes} : "
                 f"({', '.join(types[o] for o in operands)}) -> {tensor(dims, kind)}\n")
    text += f"  return %r{len(lines) - 1} : {tensor(result, '$T')}\n}}"
    operands = [d if k == "$T" else (k, d) for k, d, _ in arguments]
    return Case(op, operands, [result], name=f"{op}, {name}", text=text, dtypes=dtypes,
                epsilons=40, **options)


KNOWN = " {relax.values = #relax.values<0, 8>}"
CASES += [
    # A table and indices that are both computed, in range by what they are made of.
    fused("computed table and indices", "take", [("$T", [8, "n"], "")],
          [("negate", ["%a"], "", [8, "n"], "$T"),
           ("arange", [], "{start = #relax.expr<1>, limit = #relax.expr<8>, dtype = i64}", [7], "i64"),
           ("flip", ["%r1"], "{axes = array<i64: 0>}", [7], "i64"),
           ("take", ["%r0", "%r2"], "", [7, "n"], "$T"),
           ("negate", ["%r3"], "", [7, "n"], "$T")],
          [7, "n"], reference=lambda x: x[:0:-1]),
    fused("indices that are added", "take", [("$T", [8, 5], ""), ("i32", ["n"], "")],
          [("negate", ["%a"], "", [8, 5], "$T"), ("add", ["%b", "%b"], "", ["n"], "i32"),
           ("take", ["%r0", "%r1"], "", ["n", 5], "$T")],
          ["n", 5], reference=lambda x, i: -x[2 * i], data=[None, integers(-4, 4)]),
    fused("into a softmax", "take", [("$T", [8, 17], ""), ("i32", ["n"], KNOWN)],
          [("negate", ["%a"], "", [8, 17], "$T"), ("take", ["%r0", "%b"], "", ["n", 17], "$T"),
           ("softmax", ["%r1"], "", ["n", 17], "$T")],
          ["n", 17], data=[None, integers(0, 8)],
          reference=lambda x, i: np.exp(-x[i]) / np.exp(-x[i]).sum(-1, keepdims=True)),
    fused("of a softmax", "take", [("$T", [8, 17], ""), ("i32", ["n"], KNOWN)],
          [("softmax", ["%a"], "", [8, 17], "$T"), ("take", ["%r0", "%b"], "", ["n", 17], "$T")],
          ["n", 17], data=[None, integers(0, 8)],
          reference=lambda x, i: (np.exp(x) / np.exp(x).sum(-1, keepdims=True))[i]),
    fused("of a take", "take", [("$T", [8, 3], ""), ("i32", ["n"], KNOWN), ("i32", [9], KNOWN)],
          [("take", ["%b", "%c"], "", [9], "i32"), ("take", ["%a", "%r0"], "", [9, 3], "$T")],
          [9, 3], data=[None, integers(0, 8), integers(0, 8)], sizes=(8, 9, 17),
          reference=lambda x, i, j: x[i[j]]),
    fused("along the columns of a sum", "gather_elements", [("$T", ["n", 8], ""), ("i32", ["n", 3], KNOWN)],
          [("add", ["%a", "%a"], "", ["n", 8], "$T"), ("gather_elements", ["%r0", "%b"], "{axis = 1 : i64}", ["n", 3], "$T")],
          ["n", 3], data=[None, integers(0, 8)], reference=lambda x, i: 2 * np.take_along_axis(x, i, 1)),
    # Branches: what is computed for one operand must not be read for another.
    fused("of computed operands, in a softmax", "concat", [("$T", ["n", 3], ""), ("$T", ["n", 9], "")],
          [("negate", ["%a"], "", ["n", 3], "$T"), ("concat", ["%r0", "%b"], "{axis = 1 : i64}", ["n", 12], "$T"),
           ("flip", ["%r1"], "{axes = array<i64: 1>}", ["n", 12], "$T"), ("softmax", ["%r2"], "", ["n", 12], "$T")],
          ["n", 12], reference=lambda x, y: (lambda z: np.exp(z) / np.exp(z).sum(-1, keepdims=True))(
              np.concatenate([-x, y], 1)[:, ::-1])),
    fused("of a mean of nothing", "concat", [("$T", ["n", 4], ""), ("$T", [4], "")],
          [("mean", ["%a"], "{axes = array<i64: 1>}", ["n"], "$T"), ("concat", ["%b", "%r0"], "", ["n + 4"], "$T"),
           ("negate", ["%r1"], "", ["n + 4"], "$T")],
          ["n + 4"], reference=lambda x, y: -np.concatenate([y, x.mean(1)]), scale=lambda x, y: 4),
    fused("of a pad, rolled", "pad", [("$T", ["n"], "")],
          [("negate", ["%a"], "", ["n"], "$T"),
           ("pad", ["%r0"], "{low = #relax.shape<[2]>, high = #relax.shape<[9]>}", ["n + 11"], "$T"),
           ("roll", ["%r1"], "{shifts = #relax.shape<[5]>, axes = array<i64: 0>}", ["n + 11"], "$T")],
          ["n + 11"], reference=lambda x: np.roll(np.pad(-x, (2, 9)), 5)),
]

if __name__ == "__main__":
    run(__file__, CASES)
