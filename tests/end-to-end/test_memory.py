"""How much memory a model needs, and limits of it: `relax inspect --memory` and `--memory-limit`."""
import json
import unittest

import cli
from language_model import REAL_MODEL

PROGRAM = """
func.func @chain(%x: tensor<?x8xf32, #relax.shape<[n, 8]>>, %w: tensor<8x8xf32>)
    -> tensor<?x8xf32, #relax.shape<[n, 8]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 1000]>} {
  %a = relax.matmul %x, %w : (tensor<?x8xf32, #relax.shape<[n, 8]>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  %b = relax.matmul %a, %w : (tensor<?x8xf32, #relax.shape<[n, 8]>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  %c = relax.matmul %b, %w : (tensor<?x8xf32, #relax.shape<[n, 8]>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  return %c : tensor<?x8xf32, #relax.shape<[n, 8]>>
}
"""


# Few results of many products: done in parts. The rows are bounded, so all sizes are done alike.
SPLIT = """
func.func @few(%x: tensor<?x8192xf32, #relax.shape<[m, 8192]>>, %w: tensor<8192x40xf32>, %b: tensor<40xf32>)
    -> tensor<?x40xf32, #relax.shape<[m, 40]>>
    attributes {relax.symbols = #relax.symbols<m = [0, 8]>} {
  %p = relax.matmul %x, %w : (tensor<?x8192xf32, #relax.shape<[m, 8192]>>, tensor<8192x40xf32>) -> tensor<?x40xf32, #relax.shape<[m, 40]>>
  %q = relax.add %p, %b : (tensor<?x40xf32, #relax.shape<[m, 40]>>, tensor<40xf32>) -> tensor<?x40xf32, #relax.shape<[m, 40]>>
  %r = relax.relu %q : (tensor<?x40xf32, #relax.shape<[m, 40]>>) -> tensor<?x40xf32, #relax.shape<[m, 40]>>
  return %r : tensor<?x40xf32, #relax.shape<[m, 40]>>
}
"""

# A program with scratch memory: each unit sorts a copy of its row, of symbolic length.
SCRATCH = """
!x = tensor<?x?xf32, #relax.shape<[s0, s1]>>
!row = tensor<?xf32, #relax.shape<[s1]>>
func.func private @largest_first(%x: !x) -> !x attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  %m = relax.symbol_value #relax.expr<s0>
  %n = relax.symbol_value #relax.expr<s1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%m, %n) : !x
  %y = scf.forall (%i) in (%m) shared_outs(%o = %e) -> (!x) {
    %scratch = tensor.empty(%n) : !row
    %copy = scf.for %j = %c0 to %n step %c1 iter_args(%t = %scratch) -> (!row) {
      %v = tensor.extract %x[%i, %j] : !x
      %u = tensor.insert %v into %t[%j] : !row
      scf.yield %u : !row
    }
    %sorted = scf.for %a = %c0 to %n step %c1 iter_args(%t = %copy) -> (!row) {
      %next = arith.addi %a, %c1 : index
      %inner = scf.for %b = %next to %n step %c1 iter_args(%r = %t) -> (!row) {
        %p = tensor.extract %r[%a] : !row
        %q = tensor.extract %r[%b] : !row
        %hi = arith.maximumf %p, %q : f32
        %lo = arith.minimumf %p, %q : f32
        %r1 = tensor.insert %hi into %r[%a] : !row
        %r2 = tensor.insert %lo into %r1[%b] : !row
        scf.yield %r2 : !row
      }
      scf.yield %inner : !row
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sorted into %o[%i, 0] [1, %n] [1, 1] : !row into !x
    }
  }
  return %y : !x
}
func.func @main(%x: tensor<?x?xf32, #relax.shape<[m, n]>>) -> tensor<?x?xf32, #relax.shape<[m, n]>>
    attributes {relax.symbols = #relax.symbols<m = [0, ?], n = [0, ?]>} {
  %0 = relax.call_kernel @largest_first(%x) {symbols = [#relax.expr<m>, #relax.expr<n>]} : (tensor<?x?xf32, #relax.shape<[m, n]>>) -> tensor<?x?xf32, #relax.shape<[m, n]>>
  return %0 : tensor<?x?xf32, #relax.shape<[m, n]>>
}
"""


class MemoryTest(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.folder / "chain.mlir"
        cls.program.write_text(PROGRAM)

    def memory(self, *args):
        return json.loads(self.works("inspect", "--memory", "--json", *args).text)

    def test_program(self):
        # Two of the three products are alive at once.
        for n in (0, 1, 1000):
            found = self.memory(self.program, "--symbol", f"n={n}")
            self.assertEqual(found["functions"][0]["bytes"], 2 * ((32 * n + 63) // 64 * 64))
        found = self.memory(self.program)
        self.assertEqual(found["functions"][0]["maximum"], 64000)
        self.assertEqual(found["functions"][0]["bytes"], 64000)   # At the upper bound.
        text = self.works("inspect", "--memory", self.program, "--limit", "1KiB").text
        self.assertIn("it doesn't fit", text)
        self.assertIn("it fits", self.works("inspect", "--memory", self.program, "--limit", "1MiB").text)

    def test_wrong_questions(self):
        for arguments, words in (
                (("--symbol", "m=1"), "no function has such a symbol; there are: n"),
                (("--symbol", "n=1001"), "found 1001, expected 0 to 1000"),
                (("--symbol", "n"), "expected NAME=INTEGER"),
                (("--symbol", "n=1", "--symbol", "n=2"), "is given twice"),
                (("--limit", "lots"), "expected a size such as 8GiB"),
                (("--limit", "8XB"), "expected a size such as 8GiB")):
            result = self.relax("inspect", "--memory", self.program, *arguments)
            self.assertEqual(result.code, cli.USAGE, arguments)
            self.assertIn(words, result.err)
        self.assertEqual(self.relax("inspect", self.program, "--symbol", "n=1").code, cli.USAGE)

    def test_language_model(self):
        one = self.memory(self.model, "--context", "32")
        model = one["model"]
        self.assertEqual((model["context"], model["batch"]), (32, 1))
        weights = one["weights"]["in_place"] + one["weights"]["packed"]
        self.assertEqual(one["total"],
                         weights + model["program"] + model["cache"] + model["activations"]
                         + model["logits"])
        self.assertEqual(one["counted"], one["total"] - model["program"])
        four = self.memory(self.model, "--context", "32", "--batch", "4")["model"]
        self.assertEqual(four["cache"], 4 * model["cache"])
        self.assertEqual(four["logits"], 4 * model["logits"])
        # What is said to fit, fits; one page more doesn't.
        limit = one["counted"] + 100
        found = self.memory(self.model, "--context", "32", "--limit", limit)
        self.assertTrue(found["fits"])
        self.assertGreaterEqual(found["largest_context"], 32)
        self.assertEqual(found["largest_batch"], 1)
        found = self.memory(self.model, "--context", "32", "--limit", one["counted"] - 1)
        self.assertFalse(found["fits"])
        self.assertEqual(found["largest_batch"], 0)

    def test_real_model_takes_what_is_predicted(self):
        """Within 5 %, at several lengths. Of the mapped rows of embeddings few are used here."""
        for context in (512, 2048):
            flags = ("--context", context, "--threads", 2)
            prompt = "one two three four five six seven eight nine ten " * (context // 11)
            for _ in range(2):      # Compiled and hashed now; from the cache.
                result = self.works("generate", REAL_MODEL, "-p", prompt, "-n", 8, "--ignore-eos",
                                    "--json", *flags)
            document = json.loads(result.text)
            self.assertGreater(len(document["prompt_tokens"]), 0.9 * context)
            found = self.memory(REAL_MODEL, "--context", context)
            peak = document["statistics"]["peak_memory_bytes"]
            self.assertGreater(peak, 0.95 * found["total"])
            self.assertLess(peak, 1.05 * found["total"])

    def generate(self, *args):
        return self.relax("generate", self.model, "-p", "a b", "-n", "3", "--temperature", "0",
                          "--threads", "1", "--ignore-eos", *args)

    def test_limit(self):
        free = self.generate("--context", "64")
        self.assertEqual(free.code, cli.SUCCESS, free.err)
        enough = self.generate("--context", "64", "--memory-limit", "64MiB")
        self.assertEqual((enough.code, enough.out), (cli.SUCCESS, free.out), enough.err)
        # Too little for the cache: refused with the numbers, before anything runs.
        needed = self.memory(self.model, "--context", "64")
        packed, cache = needed["weights"]["packed"], needed["model"]["cache"]
        little = self.generate("--context", "64", "--memory-limit", packed + cache // 2 + 4096)
        self.assertEqual((little.code, little.out), (cli.FAILURE, b""))
        self.assertIn(f"{cache} bytes are needed", little.err)
        self.assertIn("the keys and values", little.err)
        # Enough for these, too little for the activations: the same.
        little = self.generate("--context", "64", "--memory-limit", (packed + 4095) // 4096 * 4096 + cache)
        self.assertEqual((little.code, little.out), (cli.FAILURE, b""))
        self.assertIn("no memory for the arena", little.err)
        self.assertEqual(self.generate("--memory-limit", "lots").code, cli.USAGE)

    def test_limit_of_a_program(self):
        arguments = ("run", self.program, "--symbol", "n=1000", "--threads", "1")
        self.works(*arguments, "--memory-limit", "1MiB")
        result = self.relax(*arguments, "--memory-limit", "16KiB")
        self.assertEqual(result.code, cli.FAILURE)
        self.assertIn("bytes are needed", result.err)

    def run_program(self, text, name, *args):
        path = self.folder / f"{name}.mlir"
        path.write_text(text)
        self.works("run", path, "--compare-reference", *args)
        outputs = [json.loads(self.works("run", path, "--json", "--threads", threads, *args).text)
                   for threads in (1, 3)]
        self.assertEqual(outputs[0], outputs[1])

    def test_sums_in_parts(self):
        for m in (1, 8):
            self.run_program(SPLIT, "split", "--symbol", f"m={m}")
        found = self.memory(self.folder / "split.mlir", "--symbol", "m=8")
        self.assertEqual(found["functions"][0]["bytes"], 8 * 8 * 40 * 4)

    def test_scratch_of_programs(self):
        for m, n in ((3, 0), (7, 33), (64, 100)):
            self.run_program(SCRATCH, "scratch", "--symbol", f"m={m}", "--symbol", f"n={n}")


if __name__ == "__main__":
    unittest.main()
