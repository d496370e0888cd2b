"""One artifact with code for several CPU levels: the best that the CPU can run is taken, another one where
it is asked for, and the results are those of an artifact for that level alone."""
import json
import unittest

import cli

LEVELS = ("x86-64-v2", "x86-64-v3")
ALL = "x86-64-v3,x86-64-v2,x86-64-v4+avx512vnni,x86-64-v2"
# A product of plain tensors: its units follow the width of vectors. Once planned, once where a size is
# known only on the way.
PROGRAM = """
!x = tensor<?x64xf32, #relax.shape<[n, 64]>>
!w = tensor<64x40xf32>
!y = tensor<?x40xf32, #relax.shape<[n, 40]>>
func.func @main(%x: !x, %w: !w) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.matmul %x, %w : (!x, !w) -> !y
  %1 = relax.silu %0 : (!y) -> !y
  return %1 : !y
}
func.func @general(%x: tensor<?xf32, #relax.shape<[n]>>, %w: tensor<1x40xf32>)
    -> tensor<?x40xf32, #relax.shape<[u, 40]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.unique %x {symbol = "u"} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[u]>>
  %1 = relax.reshape %0 : tensor<?xf32, #relax.shape<[u]>> to tensor<?x1xf32, #relax.shape<[u, 1]>>
  %2 = relax.matmul %1, %w : (tensor<?x1xf32, #relax.shape<[u, 1]>>, tensor<1x40xf32>)
     -> tensor<?x40xf32, #relax.shape<[u, 40]>>
  return %2 : tensor<?x40xf32, #relax.shape<[u, 40]>>
}
"""


class LevelsTest(cli.CliTest):
    def artifact(self, source, target):
        path = self.folder / f"{source.stem}-{target.replace(',', '-')}.rlx"
        if not path.exists():
            self.works("compile", source, "-o", path, "--target", target)
        return path

    def program(self):
        source = self.folder / "program.mlir"
        source.write_text(PROGRAM)
        return source

    def inspect(self, path):
        return json.loads(self.works("inspect", path, "--json").text)

    def test_what_is_in_it(self):
        source = self.program()
        found = self.inspect(self.artifact(source, ALL))
        alone = self.inspect(self.artifact(source, "x86-64-v2"))
        self.assertEqual([o["target"] for o in found["objects"]],
                         ["x86-64-v2", "x86-64-v3", "x86-64-v4+avx512vnni"])
        self.assertEqual(sum(o["runs_here"] for o in found["objects"]), 1)
        best = [o for o in found["objects"] if not o["missing"]][-1]
        self.assertTrue(best["runs_here"])
        self.assertIn(f"Code for {best['target']}: ", self.works("inspect", self.artifact(source, ALL)).text)
        for key in ("kernels", "states", "constants"):
            self.assertEqual(found[key], alone[key])

    def run_program(self, path, *flags):
        out = self.folder / "out.npy"
        self.works("run", path, "--seed", "3", "-o", out, *flags)
        return out.read_bytes()

    def test_programs_compute_the_same(self):
        source = self.program()
        several = self.artifact(source, ALL)
        for level in LEVELS:
            alone = self.artifact(source, level)
            for n in (0, 1, 5, 96, 97, 300):
                for function in ("main", "general"):
                    flags = ("--function", function, "-s", f"n={n}")
                    self.assertEqual(self.run_program(several, "--target", level, *flags),
                                     self.run_program(alone, *flags), (level, flags))
        best, = [o["target"] for o in self.inspect(several)["objects"] if o["runs_here"]]
        self.assertEqual(self.run_program(several, "--function", "main", "-s", "n=7"),
                         self.run_program(several, "--function", "main", "-s", "n=7", "--target", best))

    def test_models_say_the_same(self):
        several = self.artifact(self.model, ALL)
        for level in LEVELS:
            flags = ("--tokens", "1,2,3", "--positions", "all", "--json", "--target", level)
            found = self.works("eval", several, *flags).text
            self.assertEqual(found, self.works("eval", self.model, *flags).text)

    def test_errors(self):
        several = self.artifact(self.model, ",".join(LEVELS))
        self.fails(cli.USAGE, "eval", several, "--tokens", "1", "--target", "x86-64-v4",
                   says=(several, 'no code for the target "x86-64-v4"', "x86-64-v2, x86-64-v3"))
        for command in (("compile", "-o", self.folder / "no.rlx"), ("eval", "--tokens", "1")):
            self.fails(cli.USAGE, command[0], self.model, *command[1:], "--target", "x86-64-v3,pdp-11",
                       says=("--target", "pdp-11", "x86-64-v3"))


if __name__ == "__main__":
    unittest.main()
