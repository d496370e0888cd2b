"""Tiny random models in every stored format, against the float64 reference.

Tolerances, as relative L2 errors of the worst row of logits. float32: sums of at most 160 products in
three layers round to about 1e-6; 1e-5 leaves room for another order of summation. int16 and int8
carry 15 and 8 bits per activation: on these models, whose random weights and sharp attention amplify
errors, 1e-4 to 4e-4 and 2e-2 to 8e-2 were measured. What the integer kernels compute exactly is
tested without that noise, on quantised activations, in tests/unit/kernels/contraction.
"""
import unittest

import numpy as np

from language_model import LanguageModel, reference, relative_error, tiny

FORMATS = ("f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl")
# Each family with what sets it apart, and the kinds of rotary scaling among them.
FAMILIES = (
    dict(arch="llama", scaling="llama3", window=20),
    dict(arch="qwen2", scaling="yarn", context=512, own_head=True),
    dict(arch="qwen3", scaling="linear"),
    dict(arch="gemma"),
    dict(arch="gemma2", window=20),
    dict(arch="gemma3", window=20, layers=7, scaling="linear"),
    dict(arch="phi3", scaling="longrope", context=512, window=40),
    dict(arch="gpt2", context=512),
    dict(arch="gptneox", own_head=True, rotated=8),
)
TOLERANCE = {"float32": 1e-5, "int16": 1e-3, "int8": 0.15}


def tokens_of(path, count, seed=5):
    vocabulary = reference.Model(str(path)).vocabulary
    return [int(t) for t in np.random.default_rng(seed).integers(0, vocabulary, count)]


class TinyModels(unittest.TestCase):
    def compare(self, path, mode, count=75, tolerance=None, **options):
        tokens = tokens_of(path, count)
        model = LanguageModel(path, activations=mode, **options)
        expected = reference.Model(str(path)).logits(tokens)
        error = relative_error(model.logits(tokens), expected)
        self.assertLess(error, tolerance or TOLERANCE[mode], f"{path.name}, {mode}")

    def test_every_format_and_mode(self):
        for i, form in enumerate(FORMATS):
            path = tiny(form=form, shape=("small", "odd")[i % 2])
            for mode in TOLERANCE:
                with self.subTest(form=form, mode=mode):
                    self.compare(path, mode)

    def test_formats_mixed_within_a_model(self):
        # Q2_K to Q6_K and IQ4_XS in turn; sums of up to 512 products.
        path = tiny(form="mixed", shape="wide")
        for mode, tolerance in (("float32", 2e-5), ("int8", 0.15)):
            with self.subTest(mode=mode):
                self.compare(path, mode, count=40, tolerance=tolerance)

    def test_families(self):
        for options in FAMILIES:
            path = tiny(form="q8_0", **options)
            with self.subTest(**options):
                self.compare(path, "float32")

    def test_windows_are_the_same_however_cut(self):
        # Pages are of 32 slots; a window of 20 begins and ends inside them, one of 40 spans two.
        for options in (FAMILIES[5], FAMILIES[6]):
            path = tiny(form="q8_0", **options)
            model = LanguageModel(path, activations="int8")
            tokens = tokens_of(path, 150)
            whole = model.logits(tokens)
            for chunk in (1, 7, 33, 64):
                with self.subTest(chunk=chunk, **options):
                    np.testing.assert_array_equal(model.logits(tokens, chunk), whole)

    def test_own_output_head(self):
        self.compare(tiny(form="q4_1", head_form="q8_0", own_head=True), "float32")

    def test_half_cache(self):
        path = tiny(form="q8_0")
        tokens = tokens_of(path, 75)
        model = LanguageModel(path, activations="float32", cache_type="f16")
        expected = reference.Model(str(path)).logits(tokens)
        # Keys and values of 11 bits.
        self.assertLess(relative_error(model.logits(tokens), expected), 2e-3)

    def test_quantised_cache(self):
        tokens = None
        for options in ({}, {"shape": "odd"}, FAMILIES[5], FAMILIES[6]):
            path = tiny(form="q8_0", **options)
            tokens = tokens_of(path, 75)
            with self.subTest(**options):
                model = LanguageModel(path, activations="float32", cache_type="q8_0")
                expected = reference.Model(str(path)).logits(tokens)
                whole = model.logits(tokens)
                # Keys and values of 8 bits, off by up to 1/254 of the largest of 32: random models,
                # whose heads attend to all slots alike, show ten times that.
                self.assertLess(relative_error(whole, expected), 8e-2)
                for chunk in (1, 7, 33):
                    np.testing.assert_array_equal(model.logits(tokens, chunk), whole)

    def test_portable_targets(self):
        # v2 has neither AVX nor FMA nor conversions of 16-bit floats.
        for form in ("q4_1", "q8_0", "f16"):
            for mode in TOLERANCE:
                with self.subTest(form=form, mode=mode):
                    self.compare(tiny(form=form, shape="odd"), mode, target="x86-64-v2")

    def test_every_length(self):
        path = tiny(form="q4_1", shape="odd")
        model = LanguageModel(path, activations="float32")
        full = reference.Model(str(path))
        for count in (1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 129):
            tokens = tokens_of(path, count, seed=count)
            with self.subTest(count=count):
                self.assertLess(relative_error(model.logits(tokens), full.logits(tokens)), 1e-5)


if __name__ == "__main__":
    unittest.main()
