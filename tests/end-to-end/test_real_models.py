"""Gemma 3 270M and Qwen2.5-Coder 0.5B against reference data: logits, perplexity and greedy tokens of an
independent float64 implementation (tests/data/reference). scripts/fetch_model.sh obtains the models.
test_smollm2.py does the same, at more length, for SmolLM2."""
import json
import os
import pathlib
import unittest

import numpy as np

from language_model import LanguageModel, Sequence, relaxlib

DATA = relaxlib.ROOT / "tests/data/reference"
MODELS = pathlib.Path(os.environ.get("RELAX_MODELS") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "relax/models")


def log_sum_exp(x):
    top = x.max(axis=-1, keepdims=True)
    return (top + np.log(np.exp(x - top).sum(axis=-1, keepdims=True)))[..., 0]


def errors_of(case, logits):
    """Of the listed top tokens, relative to their norm, and of the row's norm and log-sum-exp."""
    for position in case["positions"]:
        row = logits[position["position"]]
        ids = [i for i, _ in position["top"]]
        expected = np.array([value for _, value in position["top"]])
        yield np.linalg.norm(row[ids] - expected) / np.linalg.norm(expected)
        yield abs(np.linalg.norm(row) / position["norm"] - 1)
        yield abs(log_sum_exp(row) / position["logsumexp"] - 1)


def perplexity(tokens, logits):
    tokens = np.array(tokens)
    losses = log_sum_exp(logits[:-1]) - logits[np.arange(len(tokens) - 1), tokens[1:]]
    return np.exp(losses.mean())


class RealModel:
    """folder, name, file: where the data is. llama_cpp: its own error on this file, with 8-bit
    activations too: KL per token, RMS of the logits (bench/README.md)."""

    def model(self, mode):
        path = MODELS / self.file
        if not path.exists():
            raise RuntimeError(f"{path} is missing: scripts/fetch_model.sh obtains it")
        return LanguageModel(path, activations=mode, threads=2)

    def data(self, kind):
        return json.loads((DATA / self.folder / f"{kind}_{self.name}.json").read_text())["cases"]

    def test_float32(self):
        model = self.model("float32")
        for case in self.data("logits"):
            if len(case["tokens"]) > 20:
                continue
            logits = model.logits(case["tokens"]).astype(np.float64)
            self.assertLess(max(errors_of(case, logits)), 1e-4)
            if "perplexity" in case:
                error = perplexity(case["tokens"], logits) / case["perplexity"] - 1
                self.assertLess(abs(error), 1e-3)
        for case in self.data("greedy_more")[:1]:
            sequence, tokens = Sequence(), case.get("tokens") or case["prompt"]
            logits = model.step([(sequence, tokens)], rows=[len(tokens) - 1])
            for expected, margin in list(zip(case["greedy"], case["margins"]))[:24]:
                found = int(logits[-1].argmax())
                if found != expected:       # A tie to within rounding may go either way.
                    self.assertLessEqual(margin, 0.01)
                    break
                logits = model.step([(sequence, [found])])
            model.release(sequence)

    def test_int8(self):
        model = self.model("int8")
        case = next(case for case in self.data("logits") if len(case["tokens"]) > 40)
        logits = model.logits(case["tokens"]).astype(np.float64)
        self.assertLess(max(errors_of(case, logits)), 0.05)
        exact = self.model("float32").logits(case["tokens"]).astype(np.float64)
        expected = exact - log_sum_exp(exact)[:, None]
        found = logits - log_sum_exp(logits)[:, None]
        divergence = (np.exp(expected) * (expected - found)).sum(axis=-1).mean()
        largest, error = self.llama_cpp
        self.assertLess(divergence, largest)
        self.assertLess(np.sqrt(((logits - exact) ** 2).mean()), error)
        # A KL of d moves the likelihood of a token by sqrt(2 d) up or down, and so the perplexity of n
        # tokens by sqrt(2 d / n), one way on one CPU and another way on the next: three times that is
        # allowed.
        allowed = 3 * np.sqrt(2 * divergence / (len(case["tokens"]) - 1))
        self.assertLess(abs(np.log(perplexity(case["tokens"], logits) / case["perplexity"])), allowed)


class Gemma(RealModel, unittest.TestCase):
    folder, name, file = "gemma3", "gemma", "gemma-3-270m-q4_k_m.gguf"
    llama_cpp = 4.5e-3, 0.22

    def test_windows_over_a_long_prompt(self):
        """At once, in chunks that begin and end inside windows of 512, and token by token."""
        model = self.model("int8")
        tokens = [int(t) for t in np.random.default_rng(1).integers(0, 200_000, 1150)]

        def last(*cuts):
            sequence, bounds = Sequence(), [0, *cuts, len(tokens)]
            for begin, end in zip(bounds, bounds[1:]):
                logits = model.step([(sequence, tokens[begin:end])], rows=[end - begin - 1])
            model.release(sequence)
            return logits
        whole = last()
        np.testing.assert_array_equal(last(37, 300, 531, 1000), whole)
        np.testing.assert_array_equal(last(511, *range(1000, 1150)), whole)


    def test_likeliest_logits(self):
        """The largest logits are those of the full product, to the bit; nearly all others are left
        out, or nothing would be gained."""
        model = self.model("int8")
        tokens = self.data("logits")[3]["tokens"][:12]
        counts = [1, 40, 0, 128, 1, 5, 129, 1, 10, 2, 40, 100]
        whole, sequence = model.logits(tokens), Sequence()
        found = model.step([(sequence, tokens)], counts=counts)
        model.release(sequence)
        for row, expected, count in zip(found, whole, counts):
            left_out = row == -np.inf
            np.testing.assert_array_equal(row[~left_out], expected[~left_out])
            wanted = count if count in range(1, 129) else len(expected)
            self.assertFalse(left_out[expected >= np.sort(expected)[-wanted]].any())
            self.assertEqual(left_out.mean() > 0.9, wanted < len(expected))


class Qwen(RealModel, unittest.TestCase):
    folder, name, file = "qwen2.5-coder", "qwen", "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf"
    llama_cpp = 1.1e-3, 0.059


if __name__ == "__main__":
    unittest.main()
