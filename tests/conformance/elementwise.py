"""One result element from the operands' elements at its place."""
import numpy as np

from conformance import FLOATS, INTEGERS, NUMBERS, Case, positive, run


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


NARROW = ("f32", "f16", "bf16")


def unary(op, reference, dtypes=FLOATS, **options):
    options = {"epsilons": 10, "special": True, **options}
    return Case(op, [["n", 3]], [["n", 3]], dtypes=dtypes, reference=reference, **options)


def binary(op, reference, dtypes=NUMBERS, **options):
    options = {"special": True, **options}
    return [Case(op, [["n", 5], ["n", 5]], [["n", 5]], dtypes=dtypes, reference=reference, **options),
            Case(op, [["n", 5], [5]], [["n", 5]], dtypes=dtypes, reference=reference,
                 name=f"{op} of rows", **options)]


def cast(source, target):
    return Case("cast", [["n"]], [(target, ["n"])], form="to", dtypes=source,
                reference=lambda x: x, epsilons=0, row=f"cast to {target}", name=f"cast to {target}")


CASES = [
    unary("negate", np.negative, epsilons=0),
    unary("exp", np.exp, NARROW),
    unary("sqrt", np.sqrt, data=[positive]),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), data=[positive]),
    unary("relu", lambda x: np.maximum(x, 0), epsilons=0),
    unary("sigmoid", sigmoid, NARROW),
    unary("tanh", np.tanh, NARROW),
    unary("silu", lambda x: x / (1 + np.exp(-x)), NARROW),
    # 1 + tanh cancels for negative x, so the error is relative to x.
    unary("gelu", gelu, NARROW, scale=np.abs, special=False),
    *binary("add", np.add, NUMBERS[:-1]),
    *binary("subtract", np.subtract, NUMBERS[:-1]),
    *binary("multiply", np.multiply, NUMBERS[:-1]),
    *binary("divide", np.divide, FLOATS),
    *binary("maximum", np.maximum, NUMBERS[:-1]),
    *binary("minimum", np.minimum, NUMBERS[:-1]),
    *[cast([s for s in FLOATS + INTEGERS[:-1] if s != t and (s, t) != ("f64", "f16")], t) for t in ("f64", "f32", "f16")],
]

if __name__ == "__main__":
    run(__file__, CASES)
