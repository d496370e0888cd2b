"""The command `relax`, as its users call it: every subcommand, its output for people and programs, its
cache and its exit codes. What damaged files and wrong flags do is in test_cli_hostile.py."""
import json
import re
import signal
import subprocess
import unittest

import numpy as np

import cli
from language_model import REAL_MODEL, REFERENCE_DATA, make_gguf, reference

COMMANDS = ("chat", "generate", "compile", "eval", "perplexity", "tokenize", "detokenize", "inspect",
            "bench")
PROGRAM = """
func.func @main(%x: tensor<?x64xf32, #relax.shape<[n, 64]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 4096]>} {
  %0 = relax.silu %x : (tensor<?x64xf32, #relax.shape<[n, 64]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[n, 64]>>
}
"""


def load(name):
    return json.loads((REFERENCE_DATA / name).read_text())["cases"]


def ids(tokens):
    return ",".join(map(str, tokens))


def setUpModule():
    if not REAL_MODEL:
        raise RuntimeError("RELAX_TEST_MODEL must name the model: scripts/fetch_model.sh prints it")


class SmolLM2(cli.CliTest):
    """Against reference data; all with one artifact, whose activations are float32."""
    FLAGS = (REAL_MODEL, "--activations", "float32")

    def test_tokenize(self):
        # All texts are tokens in the unit tests; these went through a shell's and JSON's rules too.
        for case in load("tokenize_smol.json")[::4]:
            for key, flags in (("plain", ()), ("special", ("--special",))):
                if "\0" in case["text"]:
                    continue
                found = self.works("tokenize", REAL_MODEL, "--text", case["text"], "--json", *flags)
                self.assertEqual(json.loads(found.text), case[key], case["text"])
        for case in load("tokenize_more_smol.json")[::8]:
            flags = ["--special"] if case["parse_special"] else []
            found = self.works("tokenize", REAL_MODEL, "-f", "-", "--json", *flags,
                               stdin=case["text"].encode())
            self.assertEqual(json.loads(found.text), case["ids"], case["text"])

    def test_detokenize(self):
        for case in load("tokenize_smol.json")[1::6]:
            found = self.works("detokenize", REAL_MODEL, "--json", "--tokens", ids(case["plain"]))
            self.assertEqual(json.loads(found.text), case["text"])

    def test_eval(self):
        for case in load("logits_smol.json")[:4]:
            wanted = [position["position"] for position in case["positions"]]
            found = json.loads(self.works("eval", *self.FLAGS, "--tokens", ids(case["tokens"]),
                                          "--positions", ids(wanted), "--json").text)
            self.assertEqual([p["position"] for p in found["positions"]], wanted)
            for mine, expected in zip(found["positions"], case["positions"]):
                self.assertEqual(set(mine), set(expected))
                self.assertEqual(len(mine["top"]), 10)
                values, top = dict(mine["top"]), dict(expected["top"])
                common = sorted(set(values) & set(top))
                self.assertGreaterEqual(len(common), 9)    # the tenth may tie with the eleventh
                np.testing.assert_allclose([values[i] for i in common], [top[i] for i in common],
                                           rtol=0, atol=1e-4 * max(map(abs, top.values())))
                for key in ("logsumexp", "norm"):
                    self.assertLess(abs(mine[key] / expected[key] - 1), 1e-4)
            if "perplexity" in case:
                self.assertLess(abs(found["perplexity"] / case["perplexity"] - 1), 1e-3)

    def test_greedy(self):
        for case in load("greedy_smol.json")[:3]:
            expected = case["greedy"]
            found = json.loads(self.works(
                "generate", *self.FLAGS, "--tokens", ids(case["tokens"]), "-n", len(expected),
                "--ignore-eos", "--json").text)
            self.assertEqual(len(found["tokens"]), len(expected))
            # A tie to within rounding may go either way; what follows then differs.
            sure = next((i for i, margin in enumerate(case["margins"]) if margin <= 0.01),
                        len(expected))
            self.assertEqual(found["tokens"][:sure], expected[:sure])
            text = self.works("detokenize", REAL_MODEL, "--json", "--tokens", ids(found["tokens"]))
            self.assertEqual(found["text"], json.loads(text.text))

    def test_generate_from_text(self):
        found = self.works("generate", *self.FLAGS, "-p", "The capital of France is", "-n", 2)
        self.assertEqual(found.text, " Paris.\n")

    def test_interrupt(self):
        process = subprocess.Popen(
            [cli.RELAX, "generate", *self.FLAGS, "-p", "Once", "-n", "5000", "--ignore-eos"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"XDG_CACHE_HOME": str(self.cache), "PATH": "/usr/bin"})
        self.assertTrue(process.stdout.read(1))            # the answer streams
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=cli.SECONDS)
        self.assertEqual(process.returncode, cli.CANCELLED)
        self.assertIn(b"cancelled", error)


class Help(cli.CliTest):
    def test_every_command_teaches_by_example(self):
        overview = self.works("--help").text
        self.assertIn("Exit codes", overview)
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", overview)
            text = self.works(command, "--help").text
            self.assertIn("Example", text)
            self.assertIn(f"\n  relax {command} ", text)
            self.assertNotIn("\x1b", text)

    def test_version(self):
        self.assertIn("artifact format", self.works("--version").text)

    def test_wrong_use(self):
        self.fails(cli.USAGE, "fly", says="fly")
        for args in ([], ["generate"], ["generate", self.model], ["generate", self.model, "--wat"],
                     ["generate", self.model, "-p", "a", "--tokens", "1"],
                     ["compile", self.model], ["tokenize", self.model], ["bench"]):
            self.fails(cli.USAGE, *args)


class Generate(cli.CliTest):
    def generate(self, *flags):
        return json.loads(self.works("generate", self.model, "--json", *flags).text)

    def test_json(self):
        found = self.generate("-p", "hello world", "-n", 5, "--ignore-eos")
        self.assertEqual(len(found["tokens"]), 5)
        self.assertEqual(found["stop"], "max_tokens")
        self.assertEqual(found["prompt_tokens"], json.loads(
            self.works("tokenize", self.model, "--text", "hello world", "--json").text))
        self.assertEqual(
            self.generate("--tokens", ids(found["prompt_tokens"]), "-n", 5, "--ignore-eos")["tokens"],
            found["tokens"])
        self.assertEqual(self.generate("-p", "hello", "-n", 0)["tokens"], [])

    def test_text_from_a_file(self):
        (self.folder / "prompt.txt").write_text("hello world")
        plain = self.works("generate", self.model, "-p", "hello world", "-n", 5, "--ignore-eos")
        for source, stdin in ((self.folder / "prompt.txt", b""), ("-", b"hello world")):
            other = self.works("generate", self.model, "-f", source, "-n", 5, "--ignore-eos",
                               stdin=stdin)
            self.assertEqual(other.out, plain.out)

    def test_seed(self):
        def sampled(seed, *flags):
            return self.generate("-p", "hello", "-n", 40, "--ignore-eos", "--temperature", 1.5,
                                 "--seed", seed, *flags)["tokens"]
        self.assertEqual(sampled(7), sampled(7))
        self.assertNotEqual(sampled(7), sampled(8))
        # The likeliest only is what greedy takes; a huge number of candidates is all of them.
        greedy = self.generate("-p", "hello", "-n", 40, "--ignore-eos")["tokens"]
        self.assertEqual(sampled(7, "--top-k", 1), greedy)
        self.assertEqual(sampled(7, "--top-k", 2**31 - 1), sampled(7))

    def test_missing_hyper_parameters(self):
        metadata, tensors = make_gguf.tiny_model()
        for key, default in (("llama.attention.layer_norm_rms_epsilon", "1e-05"),
                             ("llama.rope.freq_base", "10000")):
            path = self.folder / "incomplete.gguf"
            make_gguf.write_gguf(
                str(path), {k: v for k, v in metadata.items() if k != key}, tensors)
            result = self.works("compile", path, "-o", self.folder / "incomplete.rlx")
            self.assertRegex(result.err, f"warning: '{key}' is missing; the default {default} is taken")
        self.assertNotIn("warning", self.works("compile", self.model, "-o",
                                               self.folder / "complete.rlx").err)

    def test_second_start_compiles_nothing(self):
        self.assertGreater(self.generate("-p", "a", "-n", 1, "--cache-type", "f32")
                           ["statistics"]["compile_s"], 0)
        before = {file: file.stat().st_ino for file in self.cached()}
        again = self.generate("-p", "a", "-n", 1, "--cache-type", "f32")
        self.assertEqual(again["statistics"]["compile_s"], 0)
        self.assertEqual({file: file.stat().st_ino for file in self.cached()}, before)

    def test_perplexity(self):
        text = "hello world and the tiny model of the world"
        (self.folder / "text.txt").write_text(text)
        flags = (self.model, "--activations", "float32", "--json")
        found = json.loads(self.works("perplexity", *flags, "-f", self.folder / "text.txt").text)
        tokens = json.loads(self.works("tokenize", self.model, "--text", text, "--json").text)
        logits = reference.Model(str(self.model)).logits(tokens).astype(np.float64)
        peak = logits.max(-1)
        sums = peak + np.log(np.exp(logits - peak[:, None]).sum(-1))
        nll = (sums[:-1] - logits[np.arange(len(tokens) - 1), tokens[1:]]).mean()
        self.assertLess(abs(found["perplexity"] / np.exp(nll) - 1), 1e-4)
        evaluated = json.loads(self.works("eval", *flags, "--tokens", ids(tokens)).text)
        self.assertLess(abs(evaluated["perplexity"] / np.exp(nll) - 1), 1e-4)
        self.assertEqual(len(evaluated["positions"]), len(tokens))

    def test_bench(self):
        rows = json.loads(self.works("bench", self.model, "--prompt", "3,8", "--generate", 2,
                                     "--threads", "1,2", "--repeat", 1, "--json").text)
        self.assertEqual([(r["threads"], r["prompt"], r["depth"]) for r in rows],
                         [(1, 3, 0), (1, 8, 0), (2, 3, 0), (2, 8, 0)])
        for row in rows:
            self.assertEqual(set(row), {"model", "threads", "sequences", "prompt", "depth"} | {
                which + kind + rate for kind in ("prefill", "decode") for which, rate in (
                    ("", "_tokens_per_s"), ("best_", "_tokens_per_s"), ("each_", "_tokens_per_s"),
                    ("best_", "_tokens_per_processor_s"), ("each_", "_tokens_per_processor_s"))})
            self.assertGreater(row["prefill_tokens_per_s"], 0)
            self.assertGreater(row["decode_tokens_per_s"], 0)
        text = self.works("bench", self.model, "--prompt", "3", "--generate", 2, "--repeat", 1,
                          "--profile").text
        for part in ("prefill, threads", "decode, threads", "GFLOP/s", "GB/s", "quantized-matmul"):
            self.assertIn(part, text)
        several = json.loads(self.works("bench", self.model, "--prompt", 0, "--generate", 2, "--depth",
                                        "0,5", "--sequences", 3, "--repeat", 1, "--json").text)
        self.assertEqual([r["prefill_tokens_per_s"] for r in several], [0, 0])
        self.assertTrue(all(r["decode_tokens_per_s"] > 0 for r in several))
        beside = json.loads(self.works("bench", self.model, "--beside", self.model, "--beside", self.model,
                                       "--prompt", 3, "--generate", 2, "--repeat", 3, "--json").text)
        self.assertEqual([len(row["each_decode_tokens_per_s"]) for row in beside], [3, 3, 3])
        table = self.works("bench", self.model, "--beside", self.model, "--prompt", 3, "--generate", 2,
                           "--repeat", 1).text.splitlines()
        self.assertEqual(len(table), 3)
        self.assertEqual(table[1].split()[6:8], ["1.000", "1.000"])
        self.fails(cli.BAD_FILE, "bench", self.model, "--beside", "/no/model.rlx")
        together = json.loads(self.works("bench", self.model, "--prompt", 5, "--generate", 2,
                                         "--sequences", "1,4", "--repeat", 1, "--json").text)
        self.assertEqual([r["sequences"] for r in together], [1, 4])
        self.assertTrue(all(r["prefill_tokens_per_s"] > 0 for r in together))

    def test_chat(self):
        lines = b"hello\n/stats\nthe world\n/reset\nhello\n/nonsense\n/exit\nnever read\n"
        found = self.works("chat", self.model, "-n", 8, stdin=lines)
        alone = self.works("chat", self.model, "-n", 8, stdin=b"hello")
        self.assertTrue(found.out.startswith(alone.out))
        self.assertTrue(found.out.endswith(alone.out))     # after /reset, the same again
        self.assertGreater(len(found.out), 2 * len(alone.out))
        self.assertIn("prefill", found.err)
        self.assertIn("no command /nonsense", found.err)
        self.assertEqual(self.works("chat", self.model, "-n", 8, "-m", "hello").out, alone.out)
        other = self.works("chat", self.model, "-n", 8, stdin=b"/system be odd\nhello\n")
        self.assertNotEqual(other.out, alone.out)


class Inspect(cli.CliTest):
    def test_gguf(self):
        text = self.works("inspect", self.model).text
        for part in ("general.architecture", "llama", "q4_1", "Tensors (20)"):
            self.assertIn(part, text)
        found = json.loads(self.works("inspect", self.model, "--json", "--all").text)
        self.assertEqual(found["format"], "gguf")
        self.assertEqual(found["metadata"]["llama.block_count"], 2)
        self.assertEqual(len(found["tensors"]), 20)

    def test_artifact(self):
        path = self.folder / "model.rlx"
        self.works("compile", self.model, "-o", path)
        text = self.works("inspect", path).text
        for part in ("Function @step", "symbol t", "Kernels", "memory", "x86-64", str(self.model)):
            self.assertIn(part, text)
        found = json.loads(self.works("inspect", path, "--json").text)
        step = next(f for f in found["functions"] if f["name"] == "step")
        self.assertEqual([(s["name"], s["lower"], s["upper"]) for s in step["symbols"]],
                         [("t", 0, 8192), ("b", 0, 1024), ("p", 0, 128), ("r", 0, 8192),
                          ("g", 0, None)])
        self.assertEqual(found["bytes"], path.stat().st_size)
        self.assertTrue(found["kernels"])
        for kernel in found["kernels"]:
            # Expressions over the numbers that the kernel is called with.
            for what in ("flops", "bytes"):
                self.assertEqual(set(re.findall(r"\bs\d+", kernel[what])) - set(kernel["symbols"]),
                                 set(), kernel)
        product = next(k for k in found["kernels"] if k["strategy"] == "quantized-matmul")
        self.assertEqual(product["kind"], "output-fusible")
        self.assertIn("s0", product["flops"])

    def test_program(self):
        path = self.folder / "program.mlir"
        path.write_text(PROGRAM)
        self.assertIn("@main", self.works("inspect", path).text)
        found = json.loads(self.works("inspect", path, "--json").text)
        self.assertEqual(found["functions"][0]["name"], "main")
        dump = self.folder / "passes"
        timing = self.works("compile", path, "-o", self.folder / "program.rlx", "--target",
                            "x86-64-v2", "--timing", "--dump-ir", dump)
        self.assertIn("legalize", timing.err)
        self.assertGreater(len(list(dump.iterdir())), 3)
        self.assertIn("Function @main", self.works("inspect", self.folder / "program.rlx").text)
        # A program is no language model.
        self.fails(cli.BAD_FILE, "generate", self.folder / "program.rlx", "-p", "a",
                   says="no compiled language model")


if __name__ == "__main__":
    unittest.main()
