"""The tools that look into a compilation: passes left out by name, `relax bisect`, `relax verify`.
Passes that are wrong on purpose come from tests/plugins."""
import json
import os
import pathlib
import re
import unittest

import numpy as np

import cli

PLUGIN = os.environ.get("RELAX_TEST_PASSES",
                        str(pathlib.Path(cli.RELAX).parent.parent / "tests/librelax_test_passes.so"))

CHAIN = """
!a = tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @f(%x: !a {relax.name = "x"}, %y: !a {relax.name = "y"}) -> (!a {relax.name = "z"})
    attributes {relax.symbols = #relax.symbols<n = [0, 64]>} {
  %0 = relax.add %x, %y : (!a, !a) -> !a
  %1 = relax.tanh %0 : (!a) -> !a
  %2 = relax.subtract %1, %y : (!a, !a) -> !a
  %3 = relax.multiply %2, %2 : (!a, !a) -> !a
  %4 = relax.subtract %3, %x : (!a, !a) -> !a
  return %4 : !a
}"""

NORMS = """
func.func @norm(%x: tensor<?x?xf32, #relax.shape<[n, m]>> {relax.name = "x"}, %s: tensor<?xf32, #relax.shape<[m]>>)
    -> tensor<?x?xf32, #relax.shape<[n, m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [1, 300]>} {
  %0 = relax.rms_norm %x, %s {epsilon = 1.0e-5 : f64}
     : (tensor<?x?xf32, #relax.shape<[n, m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  %1 = relax.softmax %0 {axis = 1 : i64} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %1 : tensor<?x?xf32, #relax.shape<[n, m]>>
}
func.func @take(%x: tensor<?x3xf16, #relax.shape<[n, 3]>>, %i: tensor<?xi32, #relax.shape<[k]>> {relax.values = #relax.values<0, n>})
    -> tensor<?x3xf16, #relax.shape<[k, 3]>>
    attributes {relax.symbols = #relax.symbols<n = [1, ?], k = [0, 100]>} {
  %0 = relax.take %x, %i {axis = 0 : i64} : (tensor<?x3xf16, #relax.shape<[n, 3]>>, tensor<?xi32, #relax.shape<[k]>>) -> tensor<?x3xf16, #relax.shape<[k, 3]>>
  %1 = relax.exp %0 : (tensor<?x3xf16, #relax.shape<[k, 3]>>) -> tensor<?x3xf16, #relax.shape<[k, 3]>>
  return %1 : tensor<?x3xf16, #relax.shape<[k, 3]>>
}"""


class ControlTest(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.chain = cls.folder / "chain.mlir"
        cls.chain.write_text(CHAIN)
        cls.norms = cls.folder / "norms.mlir"
        cls.norms.write_text(NORMS)

    # ---- passes by name

    def test_every_optimisation_can_be_left_out(self):
        passes = self.works("compile", "--list-passes").text
        names = re.findall(r"^(\S+) ", passes, re.M)
        needed = re.findall(r"^(\S+) .*\n +needed: ", passes, re.M)
        optional = sorted(set(names) - set(needed))
        self.assertIn("group-kernels", optional)
        self.assertIn("legalize", needed)
        for name in optional:
            self.works("run", self.chain, "--symbol", "n=3", "--compare-reference",
                       "--disable-pass", name)
        self.works("run", self.chain, "--symbol", "n=3", "--compare-reference", "--disable-pass",
                   ",".join(optional))

    def test_what_is_needed_cannot(self):
        self.fails(cli.USAGE, "run", self.chain, "--symbol", "n=3", "--disable-pass", "legalize",
                   says=["'legalize' can't be disabled", "tensor program"])
        self.fails(cli.USAGE, "run", self.chain, "--disable-pass", "nonsense",
                   says=["no pass 'nonsense'", "group-kernels"])

    def test_the_cache_knows_what_was_left_out(self):
        cache = self.folder / "pass-cache"
        count = lambda: len(list(cache.rglob("*.rlx")))
        ask = lambda *flags: self.works("generate", self.model, "-p", "the", "-n", "1",
                                        "--temperature", "0", *flags, cache=cache)
        ask()
        ask("--disable-pass", "group-kernels")
        self.assertEqual(count(), 2)
        ask("--disable-pass", "group-kernels")
        self.assertEqual(count(), 2)

    def test_a_model_needs_no_plan(self):
        text = lambda *flags: self.works("generate", self.model, "-p", "the cat", "-n", "12",
                                         "--temperature", "0", *flags).text
        planned = text()
        for names in ("capture-launches", "plan-memory", "plan-memory,outline-regions,group-kernels"):
            self.assertEqual(text("--disable-pass", names), planned)
        # Every tensor from the pool; only @initialize has an arena.
        general = self.folder / "general.rlx"
        self.works("compile", self.model, "-o", general, "--disable-pass", "plan-memory")
        functions = {f["name"]: f for f in
                     json.loads(self.works("inspect", general, "--json").text)["functions"]}
        self.assertTrue(functions["step"]["general"])
        self.assertFalse(functions["step"]["captured"])
        planned = self.folder / "planned.rlx"
        self.works("compile", self.model, "-o", planned)
        step = next(f for f in json.loads(self.works("inspect", planned, "--json").text)["functions"]
                    if f["name"] == "step")
        self.assertFalse(step["general"])
        self.assertTrue(step["captured"])

    def test_timing_says_what_changed_nothing(self):
        out = self.works("compile", self.chain, "-o", self.folder / "chain.rlx", "--timing").err
        self.assertRegex(out, r"\d  \S*fold-shapes  \(changed nothing\)")
        self.assertRegex(out, r"\d  \S*group-kernels\n")

    # ---- bisect

    def bisect(self, *args):
        return self.works("bisect", self.chain, "--symbol", "n=3", "--pass-plugin", PLUGIN, *args)

    def test_the_rewrite_that_is_wrong_is_found(self):
        # Of the two subtractions that the pass swaps, the first is squared, which hides it.
        text = self.bisect("--insert-pass", "test-swap-subtract", "--compare-reference").text
        self.assertIn("The pass 'test-swap-subtract' does it", text)
        self.assertRegex(text, r"Of its 2 steps it is number 2: .*chain\.mlir.*:9:")
        # What it prints can be run by hand.
        wrong, right = (re.search(rf"^{kind}: +relax (.*)$", text, re.M)[1].split()
                        for kind in ("wrong", "right"))
        self.fails_quietly(*wrong)
        self.works(*right)

    def fails_quietly(self, *args):
        self.assertEqual(self.relax(*args).code, cli.FAILURE)

    def test_passes_name_their_steps(self):
        log = self.folder / "log"
        run = lambda *flags: self.works("run", self.chain, "--symbol", "n=3", "--compare-reference",
                                        "--pass-log", log, *flags)
        run()
        number = re.search(r"^pass (\d+) group-kernels$", log.read_text(), re.M)[1]
        run("--pass-limit", number)
        self.assertRegex(log.read_text(), r"step 1 merges @\S+ at .*chain\.mlir")
        run("--pass-limit", number + ".0")
        self.assertNotIn("step", log.read_text())

    def test_an_expected_result_can_be_a_file(self):
        right = self.folder / "right.npy"
        x = self.folder / "x.npy"
        np.save(x, np.arange(12, dtype=np.float32).reshape(3, 4) / 10)
        given = ["--input", f"x={x}", "--input", f"y={x}"]
        self.works("run", self.chain, *given, "--output", f"z={right}")
        text = self.works("bisect", self.chain, *given, "--expect", f"z={right}", "--pass-plugin",
                          PLUGIN, "--insert-pass", "test-swap-subtract").text
        self.assertIn("The pass 'test-swap-subtract' does it", text)

    def test_a_crash_is_survived(self):
        text = self.bisect("--insert-pass", "test-crash", "--crash").text
        self.assertIn("The pass 'test-crash' does it", text)

    def test_nothing_to_bisect(self):
        self.fails(cli.USAGE, "bisect", self.chain, "--symbol", "n=3", "--compare-reference",
                   says="nothing to bisect")
        self.fails(cli.USAGE, "bisect", self.chain, says="say what is wrong")

    # ---- verify

    def test_right_programs_are_clean(self):
        report = json.loads(self.works("verify", self.norms, "--budget", "6", "--json").text)
        self.assertIsNone(report["difference"])
        functions = {f["name"]: f for f in report["functions"]}
        self.assertGreater(functions["norm"]["cases"], 10)
        self.assertGreater(functions["take"]["whole"], 10)
        for kernel in report["kernels"]:
            self.assertGreater(kernel["compared"], 5, kernel)

    def test_a_wrong_kernel_is_found_and_named(self):
        folder = self.folder / "reproducer"
        broken = ["--pass-plugin", PLUGIN, "--insert-pass", "schedule-kernels:test-break-kernel"]
        result = self.relax("verify", self.norms, "--json", "--reproducer", folder, *broken)
        self.assertEqual(result.code, cli.FAILURE, result.err)
        found = json.loads(result.text)["difference"]
        self.assertEqual(found["what"], "kernel")
        self.assertIn("norm", found["name"])
        self.assertEqual(found["strategy"], "row-reduction")
        self.assertRegex(found["element"], r"result 0 \[\d+, \d+\]")
        self.assertGreater(float(found["error"]), found["tolerance"])
        # The reproducer shows it again with the broken pass, and not without.
        command = found["command"].split()[1:]
        self.assertEqual(self.relax(*command, *broken).code, cli.FAILURE)
        self.works(*command)

    def test_a_language_model_is_clean(self):
        for mode in ("int8", "float32"):
            report = json.loads(self.works("verify", self.model, "--budget", "2", "--json",
                                           "--activations", mode).text)
            self.assertIsNone(report["difference"], report)
            compared = [k for k in report["kernels"] if k["compared"]]
            self.assertGreater(len(compared), 8, report)
            # The packed weights are checked by the products that read them.
            unreached = [k for k in report["kernels"]
                         if not k["compared"] and k["strategy"] != "pack-weights"]
            self.assertEqual(unreached, [])

    def test_a_wrong_plan_is_found(self):
        # Every kernel is right by itself; that one overwrites what another needs shows in the whole.
        result = self.relax("verify", self.model, "--budget", "20", "--json", "--pass-plugin", PLUGIN,
                            "--insert-pass", "complete-plan:test-break-plan")
        self.assertEqual(result.code, cli.FAILURE, result.err)
        found = json.loads(result.text)["difference"]
        self.assertEqual((found["what"], found["name"]), ("program", "step"))
        self.assertIn("its first call isn't what its kernels give", found["because"])

    def test_nothing_runs_past_the_budget(self):
        report = json.loads(self.works("verify", self.model, "--budget", "0.2", "--json").text)
        self.assertFalse(report["finished"])
        self.assertLess(report["seconds"], 5)


if __name__ == "__main__":
    unittest.main()
