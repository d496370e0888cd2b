"""Conversion from and to quantised integers, as ONNX's operators of opset 21."""
import numpy as np

from conformance import FLOATS, Case, integers, normal, run, uniform

LIMITS = {"i8": (-128, 127), "ui8": (0, 255), "i16": (-2**15, 2**15 - 1), "i32": (-2**31, 2**31 - 1)}
ZERO_POINTS = {"i8": (-20, 20), "ui8": (100, 160), "i16": (-500, 500), "i32": (-1000, 1000)}


def spread(parameter, shape, axis, block):
    """A scale or zero point for each element of x."""
    if block:
        return np.repeat(parameter, block, axis=axis).take(range(shape[axis]), axis=axis)
    if parameter.ndim == 0:
        return parameter
    return parameter.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def quantize(target, axis=1, block=0):
    low, high = LIMITS[target]

    def reference(x, scale, zero=None, *, dtype):
        scale = spread(scale, x.shape, axis, block)
        zero = 0 if zero is None else spread(zero, x.shape, axis, block)
        # Where float32 decides which way a tie goes, the reference divides in float32, too.
        compute = np.float64 if dtype == "f64" else np.float32
        ratio = np.round((x.astype(compute) / scale.astype(compute)).astype(np.float64))
        return np.where(np.isnan(ratio), low, np.clip(ratio + zero, low, high)).astype(np.int64)
    return reference


def dequantize(axis=1, block=0):
    def reference(x, scale, zero=None):
        zero = 0 if zero is None else spread(zero, x.shape, axis, block)
        return (x - zero) * spread(scale, x.shape, axis, block)
    return reference


def scales(random, shape):
    return 2.0 ** random.uniform(-6, 0, shape)


def attributes(*items):
    return "{" + ", ".join(filter(None, items)) + "}" if any(items) else ""


def quantize_cases(target, dtypes):
    zero, zero_data = lambda dims: (target, dims), integers(*ZERO_POINTS[target])
    options = dict(dtypes=dtypes, row=f"quantize_linear to {target}", special=True)
    data, wide = [normal(20), scales], [normal(4000), scales]
    return [
        Case("quantize_linear", [["n", 5], []], [(target, ["n", 5])], f"{{dtype = {target}}}",
             reference=quantize(target), data=data, name=f"quantize to {target}", **options),
        Case("quantize_linear", [["n", 5], [], zero([])], [(target, ["n", 5])],
             reference=quantize(target), data=[*wide, zero_data], name=f"quantize to {target} with zero",
             **options),
        Case("quantize_linear", [["n", 5, 2], [5], zero([5])], [(target, ["n", 5, 2])],
             reference=quantize(target), data=[*data, zero_data], name=f"quantize to {target} by axis 1",
             **options),
        Case("quantize_linear", [[3, "n"], ["n"], zero(["n"])], [(target, [3, "n"])],
             "{axis = -1 : i64}", reference=quantize(target, -1), data=[*data, zero_data],
             name=f"quantize to {target} by the last axis", **options),
        Case("quantize_linear", [[2, "n"], [2, "ceildiv(n, 4)"], zero([2, "ceildiv(n, 4)"])],
             [(target, [2, "n"])], "{block_size = 4 : i64}", reference=quantize(target, 1, 4),
             data=[*data, zero_data], name=f"quantize to {target} by blocks", **options),
    ]


def dequantize_cases(source, results):
    zero_data = integers(*ZERO_POINTS[source])
    cases = []
    for result in results:
        options = dict(dtypes=(source,), row=f"dequantize_linear to {result}", epsilons=2)
        x = lambda dims: (source, dims)
        cases += [
            Case("dequantize_linear", [x(["n", 5]), (result, [])], [(result, ["n", 5])],
                 reference=dequantize(), data=[None, scales], name=f"dequantize to {result}", **options),
            Case("dequantize_linear", [x(["n", 5]), (result, [5]), x([5])], [(result, ["n", 5])],
                 reference=dequantize(), data=[None, scales, zero_data],
                 name=f"dequantize to {result} by axis", **options),
            Case("dequantize_linear",
                 [x(["n", 6]), (result, ["ceildiv(n, 3)", 6]), x(["ceildiv(n, 3)", 6])],
                 [(result, ["n", 6])], "{axis = 0 : i64, block_size = 3 : i64}",
                 reference=dequantize(0, 3), data=[None, scales, zero_data],
                 name=f"dequantize to {result} by blocks", **options),
        ]
    return cases


def dynamic(x):
    low, high = min(x.min(initial=0), 0), max(x.max(initial=0), 0)
    scale = np.float32((np.float32(high) - np.float32(low)) / np.float32(255))
    scale = np.float32(1) if scale == 0 else scale
    zero = np.round(np.float32(-low) / scale)
    y = np.clip(np.round(x.astype(np.float32) / scale) + zero, 0, 255)
    return y.astype(np.int64), np.float64(scale), np.int64(zero)


CASES = [
    *[case for target in LIMITS for case in quantize_cases(target, FLOATS)],
    Case("quantize_linear", [["n", 3], ("f32", [])], [("i8", ["n", 3])], "{dtype = i8}", dtypes=("i32",),
         reference=quantize("i8"), data=[integers(-2000, 2000), scales], name="quantize from i32",
         row="quantize_linear to i8"),
    *[case for source in LIMITS for case in dequantize_cases(source, FLOATS)],
    Case("dynamic_quantize_linear", [["n", 3]], [("ui8", ["n", 3]), ("f32", []), ("ui8", [])],
         reference=dynamic, data=[normal(3)]),
    Case("dynamic_quantize_linear", [["n", 3]], [("ui8", ["n", 3]), ("f32", []), ("ui8", [])],
         reference=dynamic, data=[uniform(2, 3)], name="dynamic_quantize_linear of positive numbers"),
    Case("dynamic_quantize_linear", [["n", 3]], [("ui8", ["n", 3]), ("f32", []), ("ui8", [])],
         reference=dynamic, data=[uniform(0, 0)], name="dynamic_quantize_linear of zeros"),
]

if __name__ == "__main__":
    run(__file__, CASES)
