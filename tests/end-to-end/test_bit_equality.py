"""The result for a sequence is the same to the last bit whatever shares its batch, however its prompt
was cut, and on however many threads (docs/ir.md, reduction order). Tiny models in every mode, and the
real model where RELAX_TEST_MODEL names it."""
import unittest

import numpy as np

from language_model import REAL_MODEL, LanguageModel, Sequence, tiny


def random_tokens(count, seed):
    return [int(t) for t in np.random.default_rng(seed).integers(0, 300, count)]


class BitEquality(unittest.TestCase):
    def check(self, path, lengths, **options):
        model = LanguageModel(path, **options)
        prompts = [random_tokens(n, seed=i) for i, n in enumerate(lengths)]
        whole = [model.logits(p) for p in prompts]
        for tokens, expected in zip(prompts, whole):
            self.assertFalse(np.isnan(expected).any())
            for chunk in (1, 7, 64):
                if chunk == 1 and len(tokens) > 150:
                    tokens, expected = tokens[:150], expected[:150]
                with self.subTest(tokens=len(tokens), chunk=chunk):
                    np.testing.assert_array_equal(model.logits(tokens, chunk), expected)
        for count in (1, 3, 8):
            self.check_batch(model, (prompts * 8)[:count], (whole * 8)[:count])
        two = LanguageModel(path, threads=2, artifact=model.artifact, **options)
        for tokens, expected in zip(prompts, whole):
            np.testing.assert_array_equal(two.logits(tokens), expected)

    def check_batch(self, model, prompts, whole):
        """Ragged: half of each prompt in one call, then the rest, one token here and there."""
        sequences = [Sequence() for _ in prompts]
        cuts = [len(p) // (2 + i % 3) for i, p in enumerate(prompts)]
        first = model.step([(s, p[:c]) for s, p, c in zip(sequences, prompts, cuts)])
        second = model.step([(s, p[c:]) for s, p, c in zip(sequences, prompts, cuts)])
        for i, (prompt, cut, expected) in enumerate(zip(prompts, cuts, whole)):
            before = sum(cuts[:i])
            after = sum(len(p) - c for p, c in zip(prompts[:i], cuts[:i]))
            rest = len(prompt) - cut
            with self.subTest(batch=len(prompts), sequence=i):
                np.testing.assert_array_equal(first[before:before + cut], expected[:cut])
                np.testing.assert_array_equal(second[after:after + rest], expected[cut:])
        for sequence in sequences:
            model.release(sequence)

    def test_tiny(self):
        for form in ("q4_1", "q8_0", "q5_0", "f16"):
            for mode in ("int8", "int16", "float32"):
                with self.subTest(form=form, mode=mode):
                    self.check(tiny(form=form, shape="odd"), [1, 40, 97, 130], activations=mode,
                               pages=96)

    def check_likeliest(self, path, tokens, counts, **options):
        """The largest logits are those of the full product to the bit, on any number of threads and
        beside any others; what else there is is equal, too, or left out. How many were left out."""
        model = LanguageModel(path, **options)
        whole = model.logits(tokens)
        sequence = Sequence()
        found = model.step([(sequence, tokens)], counts=counts)
        model.release(sequence)
        for row, expected, count in zip(found, whole, counts):
            with self.subTest(count=count):
                left_out = row == -np.inf
                np.testing.assert_array_equal(row[~left_out], expected[~left_out])
                least = np.sort(expected)[-min(count or len(expected), len(expected))]
                self.assertFalse(left_out[expected >= least].any())
        two = LanguageModel(path, artifact=model.artifact, **{**options, "threads": 2})
        np.testing.assert_array_equal(two.step([(Sequence(), tokens)], counts=counts), found)
        sequence = Sequence()
        for i, token in enumerate(tokens):
            alone = model.step([(sequence, [token])], counts=[counts[i]])
            np.testing.assert_array_equal(alone[0], found[i])
        return int((found == -np.inf).sum())

    def test_likeliest_tiny(self):
        # Heads of fewer than 65,536 rows compute all; this one ends inside 16 rows. 128 is the most
        # that is looked for.
        path = tiny(form="q8_0", vocabulary=65543)
        counts = [0, 1, 2, 40, 128, 129, 65543, 2**31 - 1, -1, 1]
        for mode in ("int8", "float32"):
            for target in ("native", "x86-64-v2"):
                with self.subTest(mode=mode, target=target):
                    left_out = self.check_likeliest(path, random_tokens(len(counts), seed=3), counts,
                                                    activations=mode, target=target)
                    self.assertEqual(left_out > 0, mode == "int8")

    def test_nothing_to_do(self):
        model = LanguageModel(tiny(form="q4_1"))
        self.assertEqual(model.step([]).shape, (0, 300))
        empty = Sequence()
        self.assertEqual(model.step([(empty, [])]).shape, (0, 300))
        # An empty sequence among others changes nothing.
        tokens = random_tokens(20, seed=1)
        expected = model.logits(tokens)
        found = model.step([(Sequence(), []), (Sequence(), tokens), (Sequence(), [])])
        np.testing.assert_array_equal(found, expected)
        # No row asked for: nothing is returned, and the cache is filled all the same.
        sequence = Sequence()
        self.assertEqual(model.step([(sequence, tokens[:10])], rows=[]).shape, (0, 300))
        np.testing.assert_array_equal(model.step([(sequence, tokens[10:])]), expected[10:])

    @unittest.skipUnless(REAL_MODEL, "RELAX_TEST_MODEL isn't set")
    def test_real(self):
        self.check(REAL_MODEL, [7, 130], activations="int8", pages=128)

    @unittest.skipUnless(REAL_MODEL, "RELAX_TEST_MODEL isn't set")
    def test_real_lengths(self):
        # One artifact, 1, 7, 512 and 2,000 tokens; the last row of each again in chunks.
        model = LanguageModel(REAL_MODEL, pages=128, threads=2)
        for count in (1, 7, 512, 2000):
            tokens = random_tokens(count, seed=count)
            sequence = Sequence()
            last = model.step([(sequence, tokens)], rows=[count - 1])
            model.release(sequence)
            for i in range(0, count, 300):
                part = tokens[i:i + 300]
                again = model.step([(sequence, part)], rows=[len(part) - 1])
            model.release(sequence)
            np.testing.assert_array_equal(again, last)


if __name__ == "__main__":
    unittest.main()
