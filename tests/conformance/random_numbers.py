"""Random numbers, word by word against Philox4x32-10 in NumPy."""
import numpy as np

from conformance import ALL, FLOATS, Case, run

LOW = np.uint64(0xFFFFFFFF)
PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}


def philox(key, block):
    """The four words of each block: an array [blocks, 4] of uint64."""
    block = np.asarray(block, np.uint64)
    key = np.array(key, np.int64).astype(np.uint64)
    zero = np.zeros_like(block)
    c = [block & LOW, block >> np.uint64(32), zero, zero]
    k = [key & LOW, key >> np.uint64(32)]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ k[0], p1 & LOW,
             (p0 >> np.uint64(32)) ^ c[3] ^ k[1], p0 & LOW]
        k = [(k[0] + np.uint64(0x9E3779B9)) & LOW, (k[1] + np.uint64(0xBB67AE85)) & LOW]
    return np.stack(c, axis=-1)


# Random123's known answers.
assert [f"{w:08x}" for w in philox(0, [0])[0]] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def words(state, count):
    """The first words of a draw, and the state after them."""
    blocks = -(-count // 4)
    with np.errstate(all="ignore"):
        counters = np.int64(state[1]).astype(np.uint64) + np.arange(blocks, dtype=np.uint64)
        return (philox(state[0], counters).reshape(-1)[:count],
                np.array([state[0], np.int64(state[1]) + np.int64(blocks)]))


def fractions(state, count, dtype):
    """`count` numbers of [0, 1), each with as many bits as the precision."""
    if dtype == "f64":
        w, after = words(state, 2 * count)
        return ((w[0::2] << np.uint64(32) | w[1::2]) >> np.uint64(11)) * 2.0**-53, after
    w, after = words(state, count)
    bits = PRECISION[dtype]
    return (w >> np.uint64(32 - bits)) * 2.0**-bits, after


def uniform(low, high):
    def reference(state, *, n, dtype):
        u, after = fractions(state, 3 * n, dtype)
        return (low + u * (high - low)).reshape(n, 3), after
    return reference


def normal(mean, deviation):
    def reference(state, *, n, dtype):
        count = 3 * n
        if dtype == "f64":
            w, _ = words(state, 4 * count)
            after = words(state, 2 * count)[1]
            parts = ((w[0::2] << np.uint64(32) | w[1::2]) >> np.uint64(11)) * 2.0**-53
        else:
            w, _ = words(state, 2 * count)
            after = words(state, count)[1]
            parts = w * 2.0**-32
        # As many pairs as elements, of which half are used.
        u, v = 1 - parts[0::2], parts[1::2]
        if dtype != "f64":
            u, v = u.astype(np.float32).astype(np.float64), v.astype(np.float32).astype(np.float64)
        radius, angle = np.sqrt(-2 * np.log(u)), 2 * np.pi * v
        pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        return mean + deviation * pairs.reshape(-1)[:count].reshape(n, 3), after
    return reference


def random_integers(low, high):
    def reference(state, *, n):
        w, after = words(state, 3 * n)
        return (low + (w * np.uint64(high - low) >> np.uint64(32)).astype(np.int64)).reshape(n, 3), after
    return reference


def bernoulli(probability):
    def reference(state, *, n):
        w, after = words(state, 3 * n)
        return (w < np.uint64(np.floor(probability * 2.0**32))).reshape(n, 3), after
    return reference


def states(random, shape):
    """Keys and counters of all sizes; some counters that are about to carry into their upper half."""
    key = random.integers(-2**63, 2**63 - 1)
    counter = random.choice([0, 5, 2**32 - 3, 2**63 - 9, int(random.integers(0, 2**40))])
    return np.array([key, counter], np.int64)


def draw(op, attributes, reference, dtypes, **options):
    return Case(op, [("i64", [2])], [["n", 3], ("i64", [2])],
                f"{{shape = #relax.shape<[n, 3]>, dtype = $T{attributes}}}", dtypes=dtypes,
                reference=reference, data=[states], **options)


CASES = [
    draw("random_uniform", "", uniform(0, 1), FLOATS, epsilons=0),
    draw("random_uniform", ", low = -2.0 : f64, high = 3.5 : f64", uniform(-2, 3.5), FLOATS,
         epsilons=1),
    # Errors of a sine and a cosine near their zeros are relative to the radius.
    draw("random_normal", "", normal(0, 1), FLOATS, epsilons=4, scale=lambda state: 4.0),
    draw("random_normal", ", mean = 10.0 : f64, deviation = 0.5 : f64", normal(10, 0.5), FLOATS,
         epsilons=4, scale=lambda state: 12.0),
    draw("random_integers", ", low = -5 : i64, high = 100 : i64", random_integers(-5, 100),
         ("i64", "i32", "i16", "i8")),
    draw("random_integers", ", low = 0 : i64, high = 256 : i64", random_integers(0, 256), ("ui8", "i32")),
    draw("random_integers", ", low = -2147483648 : i64, high = 2147483648 : i64",
         random_integers(-2**31, 2**31), ("i64", "i32")),
    draw("random_bernoulli", ", probability = 0.3 : f64", bernoulli(0.3), ALL),
    draw("random_bernoulli", ", probability = 1.0 : f64", bernoulli(1.0), ("i1",)),
    draw("random_bernoulli", ", probability = 0.0 : f64", bernoulli(0.0), ("i1",)),
]

if __name__ == "__main__":
    run(__file__, CASES)
