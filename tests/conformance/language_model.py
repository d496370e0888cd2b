"""Ops of language models that have a tensor program; the rest is tested in tests/unit/kernels/attention."""
import numpy as np

from conformance import Case, run


def rotary(dims, head, interleaved):
    def data(random, shapes):
        angles = random.standard_normal((shapes[1][0], dims // 2)) * 2
        return [random.standard_normal(shapes[0]) * 2,
                np.concatenate([np.cos(angles), np.sin(angles)], axis=1)]

    def expected(x, table):
        cosine, sine = table[:, None, :dims // 2], table[:, None, dims // 2:]
        first, second = ((slice(0, dims, 2), slice(1, dims, 2)) if interleaved else
                         (slice(0, dims // 2), slice(dims // 2, dims)))
        result = x.copy()
        result[..., first] = x[..., first] * cosine - x[..., second] * sine
        result[..., second] = x[..., first] * sine + x[..., second] * cosine
        return result

    return Case("rotary", [["n", 3, head], ["n", dims]], [["n", 3, head]],
                "{interleaved}" if interleaved else "", reference=expected, data=data,
                scale=lambda x, table: 8.0, name=f"rotary {dims} of {head} {interleaved}")


CASES = [rotary(dims, head, interleaved)
         for interleaved in (True, False) for dims, head in ((8, 8), (16, 24))]

if __name__ == "__main__":
    run(__file__, CASES)
