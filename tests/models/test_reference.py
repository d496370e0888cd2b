#!/usr/bin/env python3
"""The reference itself, on tiny models: formats against hand-made blocks, and the model against sums
written out as loops."""
import math
import os
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "data")]
import make_gguf    # noqa: E402
import reference    # noqa: E402


def decode(form, data, dims):
    return reference.dequantize(make_gguf.FORMATS[form][0], dims, np.frombuffer(data, np.uint8))


class Formats(unittest.TestCase):
    def test_blocks_by_hand(self):
        d, m = np.float16(0.5).tobytes(), np.float16(-3).tobytes()
        nibbles = bytes(j | (15 - j) << 4 for j in range(16))
        q = np.array([*range(16), *range(15, -1, -1)], float)
        high = np.array([16 * (j % 3 == 0) for j in range(32)], float)
        word = sum((j % 3 == 0) << j for j in range(32)).to_bytes(4, "little")
        signed = np.arange(-16, 16)
        for form, data, expected in (
                ("q4_0", d + nibbles, (q - 8) * 0.5),
                ("q4_1", d + m + nibbles, q * 0.5 - 3),
                ("q5_0", d + word + nibbles, (q + high - 16) * 0.5),
                ("q5_1", d + m + word + nibbles, (q + high) * 0.5 - 3),
                ("q8_0", d + signed.astype(np.int8).tobytes(), signed * 0.5)):
            np.testing.assert_array_equal(decode(form, data, (32,)), expected, form)
        np.testing.assert_array_equal(decode("bf16", b"\x80\x3f\x00\xc0", (2,)), [1, -2])

    def test_quantizing_errs_by_at_most_a_step(self):
        x = np.random.default_rng(0).standard_normal((6, 96)).astype(np.float32)
        x[0] = 0
        x[1, :] = 2.5
        steps = {"f32": 0, "f16": 2.0 ** -11, "bf16": 2.0 ** -8}
        for form in make_gguf.FORMATS.keys() - make_gguf.RANDOM.keys():
            found = decode(form, make_gguf.quantize(x, form), x.shape)
            if form in steps:
                bound = steps[form] * np.abs(x)
            else:   # the range of a block over the number of steps, and the rounding of the scale
                blocks = x.reshape(-1, 32)
                levels = {"4": 15, "5": 31, "8": 254}[form[1]]
                bound = np.repeat(2 * np.abs(blocks).max(1) / levels, 32).reshape(x.shape) * 1.05
            self.assertTrue((np.abs(found - x) <= bound + 1e-30).all(), form)


class TinyModel(unittest.TestCase):
    def model(self, **options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tiny.gguf")
            make_gguf.write_gguf(path, *make_gguf.tiny_model(**options))
            return reference.Model(path)

    def test_the_same_seed_gives_the_same_file(self):
        first, again, other = (make_gguf.tiny_model(seed=seed)[1] for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_rotation_by_definition(self):
        model = self.model(shape="odd")
        model.rotation.dims = 16                            # of 24: the rest stays
        model.rotation.frequencies = 10000.0 ** (-2 * np.arange(8) / 16)
        x = np.random.default_rng(1).standard_normal((3, 2, 24))
        found = model.rotate(x, 5)
        for t in range(3):
            for h in range(2):
                for i in range(8):
                    angle = (5 + t) * 10000.0 ** (-2 * i / 16)
                    a, b = x[t, h, 2 * i], x[t, h, 2 * i + 1]
                    self.assertAlmostEqual(found[t, h, 2 * i],
                                           a * math.cos(angle) - b * math.sin(angle), 12)
                    self.assertAlmostEqual(found[t, h, 2 * i + 1],
                                           a * math.sin(angle) + b * math.cos(angle), 12)
        np.testing.assert_array_equal(found[..., 16:], x[..., 16:])

    def test_a_cache_changes_nothing(self):
        for options in (dict(), dict(shape="odd", form="q5_1", own_head=True)):
            model = self.model(**options)
            tokens = [3, 77, 200, 5, 5, 131]
            whole, cache = model.hidden(tokens), {}
            parts = np.concatenate([model.hidden(tokens[:2], cache), model.hidden(tokens[2:], cache)])
            np.testing.assert_allclose(parts, whole, atol=1e-12)
            chosen, margins = model.greedy(tokens, 3)
            for i, margin in enumerate(margins):
                y = np.sort(model.logits(tokens + chosen[:i])[-1])
                self.assertAlmostEqual(margin, y[-1] - y[-2], 9)
                self.assertEqual(np.argmax(model.logits(tokens + chosen[:i])[-1]), chosen[i])

    def test_earlier_tokens_do_not_see_later_ones(self):
        model = self.model()
        a, b = model.logits([9, 8, 7]), model.logits([9, 8, 250])
        np.testing.assert_array_equal(a[:2], b[:2])
        self.assertGreater(np.abs(a[2] - b[2]).max(), 0.1)


if __name__ == "__main__":
    unittest.main()
