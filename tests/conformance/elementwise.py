"""One result element from the operands' elements at its place.

Elementary functions of float32 are accurate to a few units in the last place, of float64 likewise;
float16 and bfloat16 are computed in float32 and rounded once, which the reference does too.
"""
import math

import numpy as np

from conformance import (ALL, FLOATS, INTEGERS, NUMBERS, SIGNED, Case, encode, integers, positive, run,
                         uniform)

# Half a unit is what rounding once costs.
ACCURATE = {"f64": 2, "f32": 2, "default": 0.51}
BOOL = ("i1",)
BITS = INTEGERS + BOOL
WIDTHS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "ui8": 8}
erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def mish(x):
    # Five roundings follow the exponent's: in float64 the reference's own would take up the tolerance.
    e = np.exp(np.minimum(x, 40).astype(np.longdouble))
    return x * (e * (e + 2) / (e * (e + 2) + 2))


def below_zero(function):
    return lambda x: np.where(x < 0, function(x), x)


def selu(x):
    return 1.0507009873554804934 * below_zero(lambda v: 1.6732632423543772848 * np.expm1(v))(x)


def hard_sigmoid(x, alpha=0.2, beta=0.5):
    return np.clip(alpha * x + beta, 0, 1)


# -- Integers: numpy's results at int64 may differ from those at the width -------------------------

def safe(y):
    return np.where((y == 0) | (y == -1), 1, y)


def divide(x, y, *, dtype):
    if dtype in FLOATS:
        return x / y
    quotient = np.sign(x) * np.sign(y) * (np.abs(x.astype(object)) // np.abs(safe(y).astype(object)))
    quotient = quotient.astype(np.int64) if quotient.size else np.zeros(x.shape, np.int64)
    return np.where(y == 0, 0, np.where(y == -1, -x, quotient))


def floor_divide(x, y, *, dtype):
    if dtype in FLOATS:
        return np.floor_divide(x, y)
    return np.where(y == 0, 0, np.where(y == -1, -x, x // safe(y)))


def modulo(x, y, *, dtype):
    if dtype in FLOATS:
        return np.mod(x, y)
    return np.where((y == 0) | (y == -1), 0, np.mod(x, safe(y)))


def fmod(x, y, *, dtype):
    if dtype in FLOATS:
        return np.fmod(x, y)
    return np.where((y == 0) | (y == -1), 0, np.fmod(x, safe(y)))


def power(x, y, *, dtype):
    if dtype in FLOATS:
        return np.power(x, y)
    result = np.power(x, np.abs(y))
    unit = (x == 1) | (x == -1)
    return np.where((y < 0) & ~unit, 0, result)


def shift(left):
    def function(x, y, *, dtype):
        bits = WIDTHS[dtype]
        inside = (y >= 0) & (y < bits)
        if left:
            return np.where(inside, x << np.where(inside, y, 0), 0)
        return x >> np.where(inside, y, min(bits, 63))
    return function


# -- Cases -------------------------------------------------------------------------------------------

def unary(op, reference, dtypes=FLOATS, result=None, **options):
    options = {"special": True, "epsilons": ACCURATE, **options}
    dims = ["n", 3]
    return Case(op, [dims], [(result, dims) if result else dims], dtypes=dtypes, reference=reference,
                **options)


def binary(op, reference, dtypes=NUMBERS, result=None, data=None, **options):
    """Equal shapes, a row, a number, and extents of which only the run time knows which are 1."""
    options = {"special": True, "epsilons": ACCURATE, **options}

    def case(left, right, out, name, **more):
        more = {"dtypes": dtypes, **options, **more}
        return Case(op, [left, right], [(result, out) if result else out], reference=reference,
                    name=f"{op} {name}", data=data, **more)

    both = "min(m, n, 1) - min(max(m, n), 1) + max(m, n)"
    pairs = tuple({"n": n, "m": m} for n, m in
                  ((0, 0), (1, 1), (7, 7), (1, 5), (5, 1), (33, 1), (1, 17), (0, 1), (1, 0), (16, 16)))
    few = tuple(d for d in dtypes if d in ("f32", "i64", "i1"))
    return [case(["n", 5], ["n", 5], ["n", 5], ""),
            case(["n", 5], [5], ["n", 5], "of rows", dtypes=dtypes[:2]),
            case(["n", 1, 3], ["n", 4, 1], ["n", 4, 3], "of columns and rows", dtypes=few),
            case(["n"], [], ["n"], "of a number", dtypes=few),
            case(["n", 3], ["m", 3], [both, 3], "of n and m", dtypes=few, sizes=pairs, special=False)]


def cast(target):
    def reference(x, *, dtype):
        if target in FLOATS:
            return x
        if target == "i1":
            return np.isnan(x) | (x != 0)
        if dtype not in FLOATS:
            return x
        bits = np.iinfo(encode(0, target).dtype)
        x = np.where(np.isnan(x), 0, np.trunc(x))
        # Python's integers: the ends of int64 are no float64.
        clamped = [min(max(int(v) if np.isfinite(v) else (bits.max if v > 0 else bits.min), bits.min),
                       bits.max) for v in x.reshape(-1)]
        return np.array(clamped, np.int64).reshape(x.shape)

    def wide(random, shape):
        return random.standard_normal(shape) * 10 ** random.uniform(-2, 20, shape)

    sources = tuple(s for s in ALL if s != target)
    options = dict(form="to", reference=reference, epsilons=0, row=f"cast to {target}", special=True)
    return [Case("cast", [["n"]], [(target, ["n"])], dtypes=sources, name=f"cast to {target}", **options),
            Case("cast", [["n"]], [(target, ["n"])], dtypes=tuple(s for s in sources if s in FLOATS),
                 data=[wide], name=f"cast of large numbers to {target}", **options)]


def near_one(random, shape):
    return 1 + np.abs(random.standard_normal(shape)) * 2


def periods(random, shape):
    return random.uniform(-30, 30, shape)


def any_scale(random, shape):
    return random.standard_normal(shape) * 10 ** random.uniform(-6, 6, shape)


def powers(random, shapes):
    return [np.abs(random.standard_normal(shapes[0])) * 3, random.standard_normal(shapes[1]) * 4]


# Extents that have no names, or that turn out not to match.
UNKNOWN = """
func.func @main(%c: tensor<?x1xi1>, %x: tensor<?x?x$T>, %y: tensor<?x$T>) -> tensor<?x?x$T> {
  %a = relax.subtract %x, %y : (tensor<?x?x$T>, tensor<?x$T>) -> tensor<?x?x$T>
  %b = relax.where %c, %a, %x : (tensor<?x1xi1>, tensor<?x?x$T>, tensor<?x?x$T>) -> tensor<?x?x$T>
  return %b : tensor<?x?x$T>
}"""
UNEQUAL = tuple({"n": n, "m": m} for n, m in ((2, 3), (0, 2), (17, 16), (3, 0)))

CASES = [
    Case("where", [("i1", ["n", 1]), ["n", "m"], ["m"]], [["n", "m"]], dtypes=("f32", "i16", "ui8"),
         text=UNKNOWN, reference=lambda c, x, y: np.where(c, x - y, x), name="where of unknown extents"),
    Case("add", [["n", 3], ["m", 3]], [["min(m, n, 1) - min(max(m, n), 1) + max(m, n)", 3]],
         sizes=UNEQUAL,
         error=r"n == m, or one of them is 1 \(dimension 0 of lhs \[n, 3\] and dimension 0 of rhs \[m, 3\]\)",
         name="add of n and another m"),
    *binary("add", np.add), *binary("subtract", np.subtract), *binary("multiply", np.multiply),
    *binary("divide", divide), *binary("floor_divide", floor_divide),
    *binary("modulo", modulo), *binary("fmod", fmod),
    *binary("power", power, INTEGERS), *binary("power", power, FLOATS, data=powers, special=False),
    Case("power", [["n", 5], ["n", 5]], [["n", 5]], dtypes=FLOATS, reference=power, special=True,
         name="power of special values"),
    *binary("maximum", np.maximum, epsilons=0), *binary("minimum", np.minimum, epsilons=0),
    *binary("atan2", np.arctan2, FLOATS),
    Case("fmod", [["n"], ["n"]], [["n"]], dtypes=FLOATS, reference=np.fmod, epsilons=0,
         data=[any_scale, any_scale], name="fmod of other scales"),
    Case("modulo", [["n"], ["n"]], [["n"]], dtypes=FLOATS, reference=np.mod, epsilons=1,
         data=[any_scale, any_scale], name="modulo of other scales"),

    unary("negate", np.negative, NUMBERS, epsilons=0), unary("abs", np.abs, NUMBERS, epsilons=0),
    unary("sign", np.sign, NUMBERS, epsilons=0), unary("square", np.square, NUMBERS),
    unary("ceil", np.ceil, epsilons=0), unary("floor", np.floor, epsilons=0),
    unary("round", np.round, epsilons=0), unary("trunc", np.trunc, epsilons=0),
    unary("sqrt", np.sqrt, epsilons=1, data=[positive]),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), data=[positive]),
    unary("reciprocal", lambda x: 1 / x, epsilons=1),
    unary("exp", np.exp), unary("exp2", np.exp2), unary("expm1", np.expm1),
    unary("log", np.log, data=[positive]), unary("log2", np.log2, data=[positive]),
    unary("log10", np.log10, data=[positive]),
    unary("log1p", np.log1p, data=[uniform(-0.9, 3)]),
    # Relative to 1 around the zeros of the periodic functions.
    unary("sin", np.sin, data=[periods], scale=lambda x: np.maximum(np.abs(np.sin(x)), 0.1),
          special=False),
    unary("cos", np.cos, data=[periods], scale=lambda x: np.maximum(np.abs(np.cos(x)), 0.1),
          special=False),
    unary("tan", np.tan, data=[uniform(-1.5, 1.5)], special=False),
    unary("asin", np.arcsin, data=[uniform(-1, 1)]), unary("acos", np.arccos, data=[uniform(-1, 1)]),
    unary("atan", np.arctan), unary("sinh", np.sinh), unary("cosh", np.cosh), unary("tanh", np.tanh),
    unary("asinh", np.arcsinh), unary("acosh", np.arccosh, data=[near_one]),
    unary("atanh", np.arctanh, data=[uniform(-1, 1)]), unary("erf", erf),

    unary("sigmoid", sigmoid), unary("relu", lambda x: np.maximum(x, 0), NUMBERS, epsilons=0),
    unary("silu", lambda x: x / (1 + np.exp(-x))), unary("mish", mish),
    unary("softplus", softplus), unary("softsign", lambda x: x / (1 + np.abs(x))), unary("selu", selu),
    unary("hard_swish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), scale=np.abs),
    # The exponent of a large negative x is a large number, whose error counts.
    unary("gelu", gelu, scale=np.abs),
    unary("gelu", lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))), attributes="{exact}", scale=np.abs),
    unary("leaky_relu", below_zero(lambda x: 0.01 * x)),
    unary("leaky_relu", below_zero(lambda x: -2.5 * x), attributes="{alpha = -2.5 : f64}"),
    unary("elu", below_zero(np.expm1)),
    unary("elu", below_zero(lambda x: 1.5 * np.expm1(x)), attributes="{alpha = 1.5 : f64}"),
    unary("celu", below_zero(np.expm1)),
    unary("celu", below_zero(lambda x: 2 * np.expm1(x / 2)), attributes="{alpha = 2.0 : f64}"),
    unary("hard_sigmoid", hard_sigmoid, scale=lambda x: np.maximum(np.abs(x), 1)),
    unary("hard_sigmoid", lambda x: hard_sigmoid(x, 0.1, 0.4), scale=lambda x: np.maximum(np.abs(x), 1),
          attributes="{alpha = 0.1 : f64, beta = 0.4 : f64}"),
    *binary("prelu", lambda x, slope: np.where(x < 0, slope * x, x)),

    unary("clip", lambda x: np.minimum(np.maximum(x, -0.5), 1.25), epsilons=0,
          attributes="{min = -0.5 : f64, max = 1.25 : f64}"),
    unary("clip", lambda x: np.maximum(x, 0), epsilons=0, attributes="{min = 0.0 : f64}"),
    unary("clip", lambda x: np.clip(x, -3, 100), SIGNED, attributes="{min = -3 : i64, max = 100 : i64}"),
    unary("clip", lambda x: np.minimum(x, 200), ("ui8", "i16"), attributes="{max = 200 : i64}"),

    *binary("equal", np.equal, ALL, "i1"), *binary("not_equal", np.not_equal, ALL, "i1"),
    *binary("less", np.less, NUMBERS, "i1"), *binary("less_equal", np.less_equal, NUMBERS, "i1"),
    *binary("greater", np.greater, NUMBERS, "i1"),
    *binary("greater_equal", np.greater_equal, NUMBERS, "i1"),
    unary("is_nan", np.isnan, result="i1"), unary("is_inf", np.isinf, result="i1"),
    unary("is_finite", np.isfinite, result="i1"),
    unary("logical_not", np.logical_not, BOOL), *binary("logical_and", np.logical_and, BOOL),
    *binary("logical_or", np.logical_or, BOOL), *binary("logical_xor", np.logical_xor, BOOL),
    unary("bitwise_not", np.invert, BITS), *binary("bitwise_and", np.bitwise_and, BITS),
    *binary("bitwise_or", np.bitwise_or, BITS), *binary("bitwise_xor", np.bitwise_xor, BITS),
    *binary("shift_left", shift(True), INTEGERS, data=[None, integers(-3, 70)]),
    *binary("shift_right", shift(False), INTEGERS, data=[None, integers(-3, 70)]),

    Case("where", [("i1", ["n", 3]), ["n", 3], ["n", 3]], [["n", 3]], dtypes=ALL, reference=np.where,
         special=True, epsilons=0),
    Case("where", [("i1", ["n", 1]), [3], []], [["n", 3]], dtypes=("f32", "ui8"), reference=np.where,
         epsilons=0, name="where of broadcast operands"),
    *[c for target in ALL for c in cast(target)],
]

if __name__ == "__main__":
    run(__file__, CASES)
