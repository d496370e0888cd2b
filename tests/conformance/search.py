"""Order and selection; results whose size depends on values."""
import numpy as np

from conformance import ALL, FLOATS, INTEGERS, SIGNED, Case, integers, run

# Sizes of matrices: rows of n, two symbols.
MATRIX = ({"n": 0, "m": 3}, {"n": 1, "m": 1}, {"n": 2, "m": 0}, {"n": 3, "m": 2}, {"n": 2, "m": 17},
          {"n": 5, "m": 33}, {"n": 7, "m": 64}, {"n": 3, "m": 65}, {"n": 1, "m": 200}, {"n": 2, "m": 5})


def order(x, descending=False, axis=-1):
    """Stable, NaN last in both directions."""
    if descending:
        x = -x if x.dtype.kind == "f" else ~x
    return np.argsort(x, axis=axis, kind="stable")


def sort(descending=False, axis=-1):
    return lambda x: np.take_along_axis(x, order(x, descending, axis), axis)


def argsort(descending=False, axis=-1):
    return lambda x: order(x, descending, axis)


def topk(k, smallest=False, axis=-1):
    def reference(x, *, n=0, m=0):
        count = k if isinstance(k, int) else eval(k, {"n": n, "m": m})
        best = np.take(order(x, not smallest, axis), range(count), axis=axis)
        return np.take_along_axis(x, best, axis), best
    return reference


def few(random, shape):
    """Numbers with many equal ones."""
    return random.integers(0, 6, shape)


def unique(x):
    values = np.sort(x.reshape(-1))
    keep = np.ones(values.size, bool)
    keep[1:] = values[1:] != values[:-1]
    return values[keep]


def unique_all(x):
    flat = x.reshape(-1)
    positions = np.argsort(flat, kind="stable")
    values = flat[positions]
    new = np.ones(values.size, bool)
    new[1:] = values[1:] != values[:-1]
    number = np.cumsum(new) - 1
    inverse = np.zeros(values.size, np.int64)
    inverse[positions] = number
    return values[new], inverse.reshape(x.shape), np.bincount(number, minlength=new.sum())


def mostly_zero(random, shape):
    return np.where(random.random(shape) < 0.4, random.integers(1, 5, shape), 0)


def suppress(most, iou, score=None, center=False):
    def corners(box):
        if center:
            x, y, width, height = box
            return x - width / 2, y - height / 2, x + width / 2, y + height / 2
        return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])

    def overlap(a, b):
        a, b = corners(a), corners(b)
        sides = [max(min(a[i + 2], b[i + 2]) - max(a[i], b[i]), 0) for i in (0, 1)]
        common = sides[0] * sides[1]
        both = sum((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)) - common
        return common / both if common > 0 and both > 0 else 0

    def reference(boxes, scores):
        rows = []
        for batch in range(scores.shape[0]):
            for label in range(scores.shape[1]):
                kept = []
                for i in order(scores[batch, label], descending=True):
                    if len(kept) == most or (score is not None and not scores[batch, label, i] > score):
                        continue
                    if all(overlap(boxes[batch, i], boxes[batch, j]) <= iou for j in kept):
                        kept.append(i)
                rows += [[batch, label, i] for i in kept]
        return np.array(rows, np.int64).reshape(-1, 3)
    return reference


def boxes_and_scores(random, shapes):
    # On a grid, so that no overlap is near the threshold, and exact in every dtype.
    low = random.integers(0, 6, (*shapes[0][:2], 2))
    boxes = np.concatenate([low, low + random.integers(1, 5, low.shape)], axis=-1)
    return boxes, random.integers(0, 64, shapes[1]) / 64


def centered(random, shapes):
    boxes, scores = boxes_and_scores(random, shapes)
    return np.concatenate([(boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]],
                          axis=-1), scores


def nucleus(p):
    def reference(x, *, dtype):
        positions = order(x, descending=True)
        values = x[positions]
        total, count = np.float64(0) if dtype == "f64" else np.float32(0), 0
        while count < x.size and (count == 0 or total < type(total)(p)):
            total = type(total)(total + type(total)(values[count]))
            count += 1
        return values[:count], positions[:count]
    return reference


def probabilities(random, shape):
    x = random.random(shape) ** 4
    return x / max(x.sum(), 1e-9)


def sorted_and_values(random, shapes):
    return np.sort(random.integers(0, 20, shapes[0])), random.integers(-1, 22, shapes[1])


def sorted_floats(random, shapes):
    values = random.integers(-1, 22, shapes[1]).astype(float)
    values[random.random(shapes[1]) < 0.1] = np.nan
    return np.sort(random.integers(0, 20, shapes[0])), values


CASES = [
    Case("sort", [["n"]], [["n"]], dtypes=ALL, reference=sort(), special=True, epsilons=0),
    Case("sort", [["n"]], [["n"]], "{descending}", dtypes=ALL, reference=sort(True), special=True,
         epsilons=0),
    Case("sort", [["n", "m"]], [["n", "m"]], dtypes=("f32", "i64", "ui8"), reference=sort(), sizes=MATRIX,
         epsilons=0),
    Case("sort", [["n", 3, "m"]], [["n", 3, "m"]], "{axis = 0 : i64}", reference=sort(axis=0),
         sizes=MATRIX, epsilons=0),
    Case("sort", [["n", 17]], [["n", 17]], "{descending}", dtypes=("f16",), reference=sort(True),
         name="sort rows of 17", epsilons=0),
    Case("argsort", [["n"]], [("i64", ["n"])], dtypes=ALL, reference=argsort(), special=True),
    Case("argsort", [["n"]], [("i64", ["n"])], "{descending}", dtypes=ALL, reference=argsort(True),
         special=True),
    Case("argsort", [["n", "m"]], [("i64", ["n", "m"])], "{axis = -1 : i64}",
         dtypes=("f32", "i8", "ui8", "i1"), reference=argsort(), data=[few], sizes=MATRIX),
    Case("argsort", [["n", "m"]], [("i64", ["n", "m"])], "{axis = 0 : i64, descending}",
         dtypes=("f32", "i32"), reference=argsort(True, 0), data=[few], sizes=MATRIX),
    Case("topk", [["n", 7]], [["n", 3], ("i64", ["n", 3])], "{k = #relax.expr<3>}", dtypes=ALL,
         reference=topk(3), special=True, epsilons=0),
    Case("topk", [["n", 7]], [["n", 7], ("i64", ["n", 7])], "{k = #relax.expr<7>, smallest}", dtypes=ALL,
         reference=topk(7, True), data=[few], epsilons=0),
    Case("topk", [["n", 5]], [["n", 0], ("i64", ["n", 0])], "{k = #relax.expr<0>}", reference=topk(0)),
    Case("topk", [["n"]], [["n"], ("i64", ["n"])], "{k = #relax.expr<n>}", dtypes=ALL,
         reference=topk("n"), special=True, epsilons=0),
    Case("topk", [["n", "m"]], [["n", "floordiv(m, 2)"], ("i64", ["n", "floordiv(m, 2)"])],
         "{k = #relax.expr<floordiv(m, 2)>}", dtypes=("f32", "i16"), reference=topk("m // 2"), data=[few],
         sizes=MATRIX, epsilons=0),
    Case("topk", [["n", "m"]], [[1, "m"], ("i64", [1, "m"])], "{k = #relax.expr<1>, axis = 0 : i64}",
         reference=topk(1, axis=0), symbols={"n": "[1, ?]"}, epsilons=0,
         sizes=[s for s in MATRIX if s["n"] > 0]),
    Case("topk", [[200]], [[70], ("i64", [70])], "{k = #relax.expr<70>}", dtypes=("f32", "ui8"),
         reference=topk(70), data=[few], sizes=({},), epsilons=0),
    Case("topk", [["n"]], [[3], ("i64", [3])], "{k = #relax.expr<3>}", reference=topk(3),
         name="topk of too few", sizes=(2, 0), error="3 <= n|k"),
    Case("unique", [["n"]], [["u"]], '{symbol = "u"}', dtypes=ALL, reference=unique, data=[few],
         epsilons=0),
    Case("unique", [["n"]], [["u"]], '{symbol = "u"}', dtypes=FLOATS, reference=unique, special=True,
         name="unique with NaN", epsilons=0),
    Case("unique", [["n", 3]], [["u"], ("i64", ["n", 3]), ("i64", ["u"])],
         '{symbol = "u", inverse, counts}', dtypes=ALL, reference=unique_all, data=[few], epsilons=0),
    Case("unique", [["n"]], [["u"], ("i64", ["u"])], '{symbol = "u", counts}', dtypes=("f32", "i64"),
         reference=lambda x: unique_all(x)[::2], data=[few], epsilons=0),
    Case("nonzero", [["n"]], [("i64", [1, "u"])], '{symbol = "u"}', dtypes=ALL,
         reference=lambda x: np.stack(np.nonzero(x)), data=[mostly_zero], special=True),
    Case("nonzero", [["n", 3, "m"]], [("i64", [3, "u"])], '{symbol = "u"}', dtypes=("f32", "i1"),
         reference=lambda x: np.stack(np.nonzero(x)), data=[mostly_zero], sizes=MATRIX),
    Case("nonzero", [[]], [("i64", [0, "u"])], '{symbol = "u"}', sizes=({},),
         reference=lambda x: np.zeros((0, int(x != 0)), np.int64)),
    Case("masked_select", [["n"], ("i1", ["n"])], [["u"]], '{symbol = "u"}', dtypes=ALL,
         reference=lambda x, mask: x[mask], special=True, epsilons=0),
    Case("masked_select", [["n", "m"], ("i1", ["n", "m"])], [["u"]], '{symbol = "u"}',
         dtypes=("f32", "ui8"), reference=lambda x, mask: x[mask], sizes=MATRIX, epsilons=0),
    Case("non_max_suppression", [["n", "m", 4], ["n", 2, "m"]], [("i64", ["u", 3])],
         '{symbol = "u", max_output_boxes_per_class = 3 : i64, iou_threshold = 0.3 : f64}',
         dtypes=FLOATS, reference=suppress(3, 0.3), data=boxes_and_scores, sizes=MATRIX),
    Case("non_max_suppression", [[1, "n", 4], [1, 3, "n"]], [("i64", ["u", 3])],
         '{symbol = "u", max_output_boxes_per_class = 100 : i64, iou_threshold = 0.5 : f64, '
         'score_threshold = 0.5 : f64}', reference=suppress(100, 0.5, 0.5), data=boxes_and_scores),
    Case("non_max_suppression", [[2, "n", 4], [2, 1, "n"]], [("i64", ["u", 3])],
         '{symbol = "u", max_output_boxes_per_class = 5 : i64, iou_threshold = 0.4 : f64, '
         'center_point_box}', reference=suppress(5, 0.4, center=True), data=centered),
    Case("non_max_suppression", [[1, "n", 4], [1, 1, "n"]], [("i64", ["u", 3])], '{symbol = "u"}',
         reference=suppress(0, 0), data=boxes_and_scores, name="non_max_suppression of none"),
    Case("top_p_filter", [["n"]], [["u"], ("i64", ["u"])], '{symbol = "u", p = 0.9 : f64}', dtypes=FLOATS,
         reference=nucleus(0.9), data=[probabilities], epsilons=0),
    Case("top_p_filter", [["n"]], [["u"], ("i64", ["u"])], '{symbol = "u", p = 0.0 : f64}',
         reference=nucleus(0.0), data=[probabilities], epsilons=0),
    Case("top_p_filter", [["n"]], [["u"], ("i64", ["u"])], '{symbol = "u", p = 2.0 : f64}',
         reference=nucleus(2.0), data=[probabilities], epsilons=0),
    Case("searchsorted", [["n"], ["m", 2]], [("i64", ["m", 2])], dtypes=FLOATS,
         reference=lambda x, v: np.searchsorted(x, v), data=sorted_floats),
    Case("searchsorted", [["n"], ["m"]], [("i64", ["m"])], "{right}", dtypes=FLOATS,
         reference=lambda x, v: np.searchsorted(x, v, side="right"), data=sorted_floats),
    Case("searchsorted", [["n"], ["m"]], [("i64", ["m"])], dtypes=SIGNED,
         reference=lambda x, v: np.searchsorted(x, v), data=sorted_and_values),
    Case("searchsorted", [["n"], []], [("i64", [])], "{right}", dtypes=("f32", "i32"),
         reference=lambda x, v: np.searchsorted(x, v, side="right"), data=sorted_and_values),
    Case("searchsorted", [["n"], ["m"]], [("i64", ["m"])], dtypes=("ui8",), name="searchsorted unsigned",
         reference=lambda x, v: np.searchsorted(x, v),
         data=lambda random, shapes: (np.sort(random.integers(0, 256, shapes[0])),
                                      random.integers(0, 256, shapes[1]))),
    Case("bincount", [["n"]], [("i64", [9])], "{length = #relax.expr<9>}", dtypes=INTEGERS,
         reference=lambda x: np.bincount(x, minlength=9), data=[integers(0, 9)]),
    Case("bincount", [["m", 2]], [("i64", ["n"])], "{length = #relax.expr<n>}", dtypes=("i32",),
         reference=lambda x, *, n: np.bincount(x.reshape(-1), minlength=n), symbols={"n": "[1, ?]"},
         data=lambda random, shapes: (np.zeros(shapes[0], np.int64),), sizes=(1, 2, 3, 17, 64)),
    Case("bincount", [["n"]], [("i64", [4])], "{length = #relax.expr<4>}", dtypes=("i64", "i8"),
         name="bincount out of range", data=[integers(4, 6)], sizes=(1, 17), error="bincount"),
]

if __name__ == "__main__":
    run(__file__, CASES)
