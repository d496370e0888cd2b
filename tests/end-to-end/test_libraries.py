"""Programs that call OpenBLAS, oneDNN and a library of the user's, from a size on: both ways beside NumPy."""
import json
import subprocess
import unittest

import numpy as np

import cli
import relaxlib

ROWS = 32  # What the entries of compiler/libraries/Entries.cpp say where nothing was measured.
WORK = 1 << 24


def product(dtype="f32", columns=1024, depth=1024, tail=""):
    """x [t, depth] times w [depth, columns], then `tail` of %0 with a bias and a residual."""
    x, y = f"tensor<?x{depth}x{dtype}, #relax.shape<[t, {depth}]>>", f"tensor<?x{columns}x{dtype}, #relax.shape<[t, {columns}]>>"
    w, b = f"tensor<{depth}x{columns}x{dtype}>", f"tensor<{columns}x{dtype}>"
    lines = tail.replace("!y", y).replace("!b", b)
    last = lines.strip().splitlines()[-1].split("=")[0].strip() if lines.strip() else "%0"
    return f"""
func.func @main(%x: {x}, %w: {w}, %b: {b}, %r: {y}) -> {y}
    attributes {{relax.symbols = #relax.symbols<t = [0, ?]>}} {{
  %0 = relax.matmul %x, %w : ({x}, {w}) -> {y}
  {lines}
  return {last} : {y}
}}"""


EPILOGUE = """%1 = relax.add %0, %b : (!y, !b) -> !y
  %2 = relax.relu %1 : (!y) -> !y
  %3 = relax.add %2, %r : (!y, !y) -> !y"""

# In a branch, behind a size that only the run knows: a general function.
GENERAL = """
!x = tensor<?x256xf32>
func.func @main(%x: !x, %w: tensor<256x512xf32>, %c: tensor<i1>) -> tensor<?x512xf32> {
  %y = relax.if %c : tensor<i1> -> tensor<?x512xf32> {
    %n = relax.match_cast %x : !x to tensor<?x256xf32, #relax.shape<[t, 256]>>
    %0 = relax.matmul %n, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
    %1 = relax.erase %0 : tensor<?x512xf32, #relax.shape<[t, 512]>> to tensor<?x512xf32>
    relax.yield %1 : tensor<?x512xf32>
  } else {
    %0 = relax.matmul %x, %w : (!x, tensor<256x512xf32>) -> tensor<?x512xf32>
    %1 = relax.relu %0 : (tensor<?x512xf32>) -> tensor<?x512xf32>
    relax.yield %1 : tensor<?x512xf32>
  }
  return %y : tensor<?x512xf32>
}"""

MINE_C = """
#include "tools/relax/library_api.h"
/* x [n, k], w [k, m] -> relu(x w) + alpha, so that one sees who computed. */
static int relu_product(void *const *buffers, const uint64_t *sizes, size_t num_buffers,
                        const int64_t *dims, size_t num_dims) {
  const float *x = buffers[0], *w = buffers[1];
  float *y = buffers[2];
  (void)sizes;
  if (num_buffers != 3 || num_dims != 7 || dims[1] != dims[2]) return 1;
  for (int64_t i = 0; i < dims[0]; ++i)
    for (int64_t j = 0; j < dims[3]; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < dims[1]; ++p) sum += x[i * dims[1] + p] * w[p * dims[3] + j];
      y[i * dims[3] + j] = (sum > 0 ? sum : 0) + (float)dims[6];
    }
  return 0;
}
static const relax_library_entry entries[] = {{"mine.relu_product", relu_product}, {0, 0}};
const relax_library_entry *relax_library_entries(void) { return entries; }
"""

PDLL = """
Constraint Claimable(root: Op, a: Value, b: Value, claim: Attr);
Constraint ElementType(value: Value, type: Attr);
Rewrite ClaimLibrary(root: Op, a: Value, b: Value, claim: Attr);
Pattern {
  let claim = attr<"{function = \\"mine.relu_product\\", options = {alpha = 1000 : i64}, when = {x0_0 = 5 : i64}}">;
  let root = op<relax.relu>(op<relax.matmul>(a: Value, b: Value));
  ElementType(a, attr<"\\"f32\\"">);
  Claimable(root, a, b, claim);
  rewrite root with { ClaimLibrary(root, a, b, claim); };
}
"""

PDL = """
pdl.pattern : benefit(1) {
  %claim = pdl.attribute = {function = "mine.relu_product", options = {alpha = 1000 : i64}, required}
  %a = pdl.operand
  %b = pdl.operand
  %t = pdl.type
  %product = pdl.operation "relax.matmul"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %between = pdl.result 0 of %product
  %u = pdl.type
  %root = pdl.operation "relax.relu"(%between : !pdl.value) -> (%u : !pdl.type)
  pdl.rewrite %root {
    %inputs = pdl.range %a, %b : !pdl.value, !pdl.value
    pdl.apply_native_rewrite "ClaimLibrary"(%root, %inputs, %claim : !pdl.operation, !pdl.range<value>, !pdl.attribute)
  }
}
"""


def floats(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


class Libraries(cli.CliTest):
    def compile(self, text, **options):
        path = self.folder / "program.mlir"
        path.write_text(text)
        options.setdefault("library_thresholds", str(self.folder / "none.json"))
        return relaxlib.compile_model(path, **options)

    def inspect(self, data):
        path = self.folder / "inspected.rlx"
        path.write_bytes(data)
        return json.loads(self.works("inspect", path, "--json").text)

    def check(self, data, rows, dtype=np.float32, columns=1024, depth=1024, epilogue=False):
        function = relaxlib.Module(data)["main"]
        w, b = floats(1, depth, columns, dtype=dtype), floats(2, columns, dtype=dtype)
        for t in rows:
            x, r = floats(3 + t, t, depth, dtype=dtype), floats(4, t, columns, dtype=dtype)
            (y,) = function.invoke(x, w, b, r)
            reference = x.astype(np.float64) @ w.astype(np.float64)
            if epilogue:
                reference = np.maximum(reference + b, 0) + r
            self.assertEqual(y.shape, reference.shape)
            limit = (2e-6 if dtype == np.float32 else 1e-14) * depth
            self.assertLess(np.abs(y - reference).max(initial=0), limit, t)

    def test_both_sides_of_the_threshold(self):
        rows = (0, 1, 7, ROWS - 1, ROWS, ROWS + 1, 65)
        for library, dtype, numpy in (("openblas", "f32", np.float32), ("openblas", "f64", np.float64),
                                      ("onednn", "f32", np.float32)):
            data = self.compile(product(dtype), libraries=[library])
            (entry,) = self.inspect(data)["libraries"]
            self.assertTrue(entry["alternative"])
            self.assertEqual([t["value"] for t in entry["thresholds"]], [ROWS, WORK])
            self.check(data, rows, numpy)

    def test_epilogue(self):
        data = self.compile(product(columns=1000, depth=777, tail=EPILOGUE), libraries=["onednn"])
        (entry,) = self.inspect(data)["libraries"]
        self.assertEqual(entry["options"], {"bias": 1, "relu": 2, "residual": 1})
        self.check(data, (0, 1, ROWS, 33), columns=1000, depth=777, epilogue=True)

    def test_the_library_is_what_runs(self):
        """The profile says who was called: below the threshold the kernel, from it on the library."""
        path = self.folder / "profiled.mlir"
        path.write_text(product())
        w, x = self.folder / "w.npy", self.folder / "x.npy"
        np.save(w, floats(1, 1024, 1024))
        for t, called in ((ROWS - 1, False), (ROWS, True)):
            np.save(x, floats(2, t, 1024))
            for libraries in ("openblas", "none"):
                out = self.folder / f"{libraries}.npy"
                self.works("run", path, "--libraries", libraries, "-i", f"x={x}", "-i", f"1={w}",
                           "-o", out)
            same = np.array_equal(np.load(self.folder / "openblas.npy"), np.load(self.folder / "none.npy"))
            # Sums in another order: not all of 32,768 are equal in every bit.
            self.assertEqual(same, not called, t)

    def test_general_function(self):
        data = self.compile(GENERAL, libraries=["openblas"])
        self.assertTrue(self.inspect(data)["libraries"])
        main = relaxlib.Module(data)["main"]
        w = floats(1, 256, 512)
        for t in (0, 1, 31, 32, 129, 130):
            x = floats(2, t, 256)
            for condition in (True, False):
                (y,) = main.invoke(x, w, np.array(condition))
                reference = x.astype(np.float64) @ w
                reference = reference if condition else np.maximum(reference, 0)
                np.testing.assert_allclose(y, reference, atol=1e-3)

    def test_no_library_by_default(self):
        self.assertEqual(self.inspect(self.compile(product()))["libraries"], [])
        self.assertEqual(self.inspect(self.compile(product("f16"), libraries=["openblas", "onednn"]))["libraries"], [])

    def run_with(self, data_or_path, environment, *args):
        return self.relax("run", data_or_path, "-s", "t=64", *args, env=environment)

    def test_missing_library(self):
        artifact, required = self.folder / "a.rlx", self.folder / "b.rlx"
        artifact.write_bytes(self.compile(product(), libraries=["openblas"]))
        required.write_bytes(self.compile(product(), libraries=["openblas"], library_required=True))
        gone = {"RELAX_OPENBLAS": "/nowhere/libopenblas.so"}
        found = self.run_with(artifact, gone)
        self.assertEqual(found.code, 0, found.err)
        self.assertEqual(found.err.count("OpenBLAS is missing"), 1, found.err)
        self.assertIn("kernels of the module do its work", found.err)
        found = self.run_with(required, gone)
        self.assertEqual(found.code, 3, found.err)
        self.assertIn("RELAX_OPENBLAS", found.err)
        self.assertEqual(self.run_with(required, {}).code, 0)
        found = self.relax("inspect", artifact, env=gone)
        self.assertIn("OpenBLAS is missing", found.text)
        self.assertIn("or a kernel of the module", found.text)
        # A file that is no such library.
        found = self.run_with(required, {"RELAX_OPENBLAS": "libm.so.6"})
        self.assertIn("libm.so.6 is not OpenBLAS", found.err)

    def test_tuned_thresholds(self):
        file = self.folder / "dispatch.json"
        self.works("tune-dispatch", "--quick", "--libraries", "openblas", "-o", file)
        entries = json.loads(file.read_text())["entries"]
        self.assertEqual({(e["function"], e["dtype"]) for e in entries},
                         {("openblas.matmul", "f32"), ("openblas.matmul", "f64")})
        for entry in entries:
            entry.update(rows=5, work=100)
        file.write_text(json.dumps({"entries": entries}))
        tuned = dict(libraries=["auto"], library_thresholds=str(file))
        data = self.compile(product(columns=64, depth=64), **tuned)
        (found,) = self.inspect(data)["libraries"]
        self.assertEqual([t["value"] for t in found["thresholds"]], [5, 100])
        self.check(data, (0, 4, 5, 6), columns=64, depth=64)
        # Another version, another CPU: safe defaults, and a word about it.
        for change, says in ((dict(version="0.0.1"), "measured with OpenBLAS 0.0.1"),):
            file.write_text(json.dumps({"entries": [{**entry, **change} for entry in entries]}))
            artifact = self.folder / "other.rlx"
            artifact.write_bytes(self.compile(product(columns=64, depth=64), **tuned))
            (found,) = json.loads(self.works("inspect", artifact, "--json").text)["libraries"]
            self.assertEqual([t["value"] for t in found["thresholds"]], [ROWS, WORK])
            self.assertIn(says, self.run_with(artifact, {}).err)
        file.write_text(json.dumps({"entries": [{**entry, "cpu": "another"} for entry in entries]}))
        self.assertEqual(self.inspect(self.compile(product(), **tuned))["libraries"], [])
        # Never faster: never called.
        file.write_text(json.dumps({"entries": [{**entry, "rows": -1, "work": -1} for entry in entries]}))
        self.assertEqual(self.inspect(self.compile(product(), **tuned))["libraries"], [])
        file.write_text("{")
        with self.assertRaisesRegex(relaxlib.RelaxError, "dispatch.json: .*tune-dispatch"):
            self.compile(product(), **tuned)

    def test_patterns_of_a_user(self):
        """A library of the user's, called without building anything of ours."""
        source, library = self.folder / "mine.c", self.folder / "libmine.so"
        source.write_text(MINE_C)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{relaxlib.ROOT}", source, "-o", library], check=True)
        (self.folder / "mine.pdll").write_text(PDLL)
        (self.folder / "mine.mlir").write_text(PDL)
        program = self.folder / "user.mlir"
        program.write_text(product(columns=9, depth=6, tail="%1 = relax.relu %0 : (!y) -> !y"))
        x, w, out = (self.folder / f"{name}.npy" for name in ("x", "w", "out"))
        np.save(w, floats(1, 6, 9))

        def run(t, patterns, *more):
            np.save(x, floats(t, t, 6))
            result = self.relax("run", program, "--library-patterns", self.folder / patterns, "-i", f"x={x}",
                              "-i", f"1={w}", "-o", out, *more)
            reference = np.maximum(floats(t, t, 6) @ floats(1, 6, 9), 0)
            return result, (np.load(out) - reference if result.code == 0 else None)

        for t in (0, 1, 4, 5, 6):
            result, difference = run(t, "mine.pdll", "--library", library)
            self.assertEqual(result.code, 0, result.err)
            np.testing.assert_allclose(difference, 1000.0 if t >= 5 else 0.0, atol=1e-3)
            result, difference = run(t, "mine.mlir", "--library", library)
            self.assertEqual(result.code, 0, result.err)
            np.testing.assert_allclose(difference, 1000.0, atol=1e-3)
        # Without the library: the alternative, or an error where there is none.
        result, difference = run(7, "mine.pdll")
        self.assertIn("kernels of the module do its work", result.err)
        np.testing.assert_allclose(difference, 0.0, atol=1e-4)
        result, _ = run(7, "mine.mlir")
        self.assertEqual(result.code, 3)
        self.assertIn("mine.relu_product", result.err)

    def test_wrong_patterns(self):
        program = self.folder / "user.mlir"
        program.write_text(product(columns=9, depth=6))
        for name, text, says in (("none.pdll", None, "no such file"), ("bad.pdll", "Pattern {", "bad.pdll"),
                                 ("bad.mlir", "pdl.pattern", "bad.mlir"), ("empty.mlir", "", "has no pattern")):
            path = self.folder / name
            if text is not None:
                path.write_text(text)
            result = self.relax("run", program, "-s", "t=3", "--library-patterns", path)
            self.assertNotEqual(result.code, 0, name)
            self.assertIn(says, result.err)


if __name__ == "__main__":
    unittest.main()
