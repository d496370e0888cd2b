"""Fused programs compute what their parts do: each program at several sizes, against the interpreter
in float64, and bit by bit against the same program with every call on its own. How many kernels are
left is compared too, so that nothing is tested that didn't fuse."""
import unittest

import numpy as np

import cli

# Name: body, parameters, results, and how many kernels are left.
PROGRAMS = {
    "chain": ("""
  %0 = relax.add %x, %v : (!x, tensor<64xf32>) -> !x
  %1 = relax.tanh %0 : (!x) -> !x
  %2 = relax.multiply %1, %x : (!x, !x) -> !x
  return %2 : !x
""", "%x: !x, %v: tensor<64xf32>", "!x", 1),
    "second_result": ("""
  %0 = relax.exp %x : (!x) -> !x
  %1 = relax.tanh %0 : (!x) -> !x
  return %0, %1 : !x, !x
""", "%x: !x", "(!x, !x)", 1),
    "epilogue": ("""
  %0 = relax.matmul %x, %w {transpose_b} : (!x, tensor<96x64xf32>) -> !y
  %1 = relax.add %0, %b : (!y, tensor<96xf32>) -> !y
  %2 = relax.silu %1 : (!y) -> !y
  %3 = relax.add %2, %r : (!y, !y) -> !y
  return %3 : !y
""", "%x: !x, %w: tensor<96x64xf32>, %b: tensor<96xf32>, %r: !y", "!y", 1),
    "residual_norm_scale": ("""
  %0 = relax.add %x, %z : (!x, !x) -> !x
  %1 = relax.rms_norm %0, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %2 = relax.multiply %1, %v : (!x, tensor<64xf32>) -> !x
  return %0, %2 : !x, !x
""", "%x: !x, %z: !x, %v: tensor<64xf32>", "(!x, !x)", 1),
    "softmax_in_pieces": ("""
  %m = relax.max %x {axes = array<i64: 1>, keep_dims} : (!x) -> !c
  %d = relax.subtract %x, %m : (!x, !c) -> !x
  %e = relax.exp %d : (!x) -> !x
  %s = relax.sum %e {axes = array<i64: 1>, keep_dims} : (!x) -> !c
  %y = relax.divide %e, %s : (!x, !c) -> !x
  return %y : !x
""", "%x: !x", "!x", 1),
    "norm_in_pieces": ("""
  %q = relax.multiply %x, %x : (!x, !x) -> !x
  %m = relax.mean %q {axes = array<i64: 1>, keep_dims} : (!x) -> !c
  %r = relax.rsqrt %m : (!c) -> !c
  %y = relax.multiply %x, %r : (!x, !c) -> !x
  %z = relax.multiply %y, %v : (!x, tensor<64xf32>) -> !x
  return %z : !x
""", "%x: !x, %v: tensor<64xf32>", "!x", 1),
    "siblings": ("""
  %q = relax.matmul %x, %a {transpose_b} : (!x, tensor<96x64xf32>) -> !y
  %e = relax.exp %q : (!y) -> !y
  %k = relax.matmul %x, %b {transpose_b} : (!x, tensor<32x64xf32>) -> !k
  %v = relax.matmul %x, %c {transpose_b} : (!x, tensor<32x64xf32>) -> !k
  return %e, %k, %v : !y, !k, !k
""", "%x: !x, %a: tensor<96x64xf32>, %b: tensor<32x64xf32>, %c: tensor<32x64xf32>",
                 "(!y, !k, !k)", 1),
    "quantised_layer": ("""
  %0 = relax.rms_norm %x, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %1:3 = relax.quantize_activations %0 {planes = 2 : i64} : (!x) -> (!q2, !s2, !u2)
  return %1#0, %1#1, %1#2 : !q2, !s2, !u2
""", "%x: !x, %v: tensor<64xf32>", "(!q2, !s2, !u2)", 1),
    "normalised_residual": ("""
  %0 = relax.rms_norm %x, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %1 = relax.add %z, %0 : (!x, !x) -> !x
  %2 = relax.rms_norm %1, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %3:3 = relax.quantize_activations %2 {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %1, %3#0, %3#1, %3#2 : !x, !q, !s, !u
""", "%x: !x, %z: !x, %v: tensor<64xf32>", "(!x, !q, !s, !u)", 1),
    "rotated_norm": ("""
  %0 = relax.rms_norm %h, %v {epsilon = 1.0e-5 : f64} : (!h, tensor<16xf32>) -> !h
  %1 = relax.rotary %0, %t : (!h, tensor<?x16xf32, #relax.shape<[n, 16]>>) -> !h
  return %1 : !h
""", "%h: !h, %v: tensor<16xf32>, %t: tensor<?x16xf32, #relax.shape<[n, 16]>>", "!h", 1),
    "gate_up": ("""
  %0 = relax.silu %x : (!x) -> !x
  %1 = relax.multiply %0, %z : (!x, !x) -> !x
  %2:3 = relax.quantize_activations %1 {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %2#0, %2#1, %2#2 : !q, !s, !u
""", "%x: !x, %z: !x", "(!q, !s, !u)", 1),
    "cache": ("""
  %r = relax.rotary %h, %t {interleaved} : (!h, tensor<?x16xf32, #relax.shape<[n, 16]>>) -> !h
  %k = relax.update_slots %p, %r, %b, %g, %l {layout = "keys"} : (tensor<9x4x16x4xf32>, !h, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> tensor<9x4x16x4xf32>
  return %k : tensor<9x4x16x4xf32>
""", "%h: !h, %t: tensor<?x16xf32, #relax.shape<[n, 16]>>, %p: tensor<9x4x16x4xf32> {relax.donated}, "
     "%b: tensor<2xi32>, %g: tensor<1x9xi32>, %l: tensor<1xi32>", "tensor<9x4x16x4xf32>", 1),
    "normalised_cache": ("""
  %m = relax.rms_norm %h, %w {epsilon = 1.0e-5 : f64} : (!h, tensor<16xf32>) -> !h
  %r = relax.rotary %m, %t : (!h, tensor<?x16xf32, #relax.shape<[n, 16]>>) -> !h
  %k = relax.update_slots %p, %r, %b, %g, %l {layout = "keys"} : (tensor<9x4x16x4xf32>, !h, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> tensor<9x4x16x4xf32>
  return %k : tensor<9x4x16x4xf32>
""", "%h: !h, %w: tensor<16xf32>, %t: tensor<?x16xf32, #relax.shape<[n, 16]>>, %p: tensor<9x4x16x4xf32> {relax.donated}, "
     "%b: tensor<2xi32>, %g: tensor<1x9xi32>, %l: tensor<1xi32>", "tensor<9x4x16x4xf32>", 1),
    "paged_attention": ("""
  %a = relax.paged_attention %h, %k, %v, %b, %g, %l {scale = 0.2 : f64} : (!h2, tensor<9x1x32x4xf32>, tensor<9x1x4x32xf32>, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> !h2
  %x = relax.reshape %a : !h2 to !x
  %0:3 = relax.quantize_activations %x {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %0#0, %0#1, %0#2 : !q, !s, !u
""", "%h: !h2, %k: tensor<9x1x32x4xf32>, %v: tensor<9x1x4x32xf32>, %b: tensor<2xi32>, %g: tensor<1x9xi32>, "
     "%l: tensor<1xi32>", "(!q, !s, !u)", 1),
    "decode": ("""
  %w = relax.call_kernel @decode(%p, %q) : (tensor<32x24xi8>, tensor<2x24xf32>) -> tensor<64x24xf32>
  %y = relax.matmul %x, %w : (!x, tensor<64x24xf32>) -> tensor<?x24xf32, #relax.shape<[n, 24]>>
  return %y : tensor<?x24xf32, #relax.shape<[n, 24]>>
""", "%x: !x, %p: tensor<32x24xi8>, %q: tensor<2x24xf32>", "tensor<?x24xf32, #relax.shape<[n, 24]>>", 1),
    "attention": ("""
  %y = relax.attention %a, %k, %k {causal, align_end, window = 20 : i64} : (!a, !b, !b) -> !a
  return %y : !a
""", "%a: tensor<1x4x?x16xf32, #relax.shape<[1, 4, n, 16]>>, %k: tensor<1x2x?x16xf32, #relax.shape<[1, 2, n + 40, 16]>>",
                  "!a", 1),
}

TYPES = """
!x = tensor<?x64xf32, #relax.shape<[n, 64]>>
!y = tensor<?x96xf32, #relax.shape<[n, 96]>>
!k = tensor<?x32xf32, #relax.shape<[n, 32]>>
!c = tensor<?x1xf32, #relax.shape<[n, 1]>>
!q = tensor<?x1x64xi8, #relax.shape<[n, 1, 64]>>
!s = tensor<?x1x2xf32, #relax.shape<[n, 1, 2]>>
!u = tensor<?x1x2xi32, #relax.shape<[n, 1, 2]>>
!q2 = tensor<?x2x64xi8, #relax.shape<[n, 2, 64]>>
!s2 = tensor<?x2x2xf32, #relax.shape<[n, 2, 2]>>
!u2 = tensor<?x2x2xi32, #relax.shape<[n, 2, 2]>>
!h = tensor<?x4x16xf32, #relax.shape<[n, 4, 16]>>
!h2 = tensor<?x2x32xf32, #relax.shape<[n, 2, 32]>>
!a = tensor<1x4x?x16xf32, #relax.shape<[1, 4, n, 16]>>
!b = tensor<1x2x?x16xf32, #relax.shape<[1, 2, n + 40, 16]>>
"""

DECODE = """
func.func private @decode(%packed: tensor<32x24xi8>, %scales: tensor<2x24xf32>) -> tensor<64x24xf32>
    attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %depth = arith.constant 64 : index
  %columns = arith.constant 24 : index
  %low = arith.constant 15 : i8
  %shift = arith.constant 4 : i8
  %offset = arith.constant 8.0 : f32
  %w0 = tensor.empty() : tensor<64x24xf32>
  %w = scf.for %k = %c0 to %depth step %c1 iter_args(%a = %w0) -> tensor<64x24xf32> {
    %half = arith.divui %k, %c2 : index
    %odd = arith.remui %k, %c2 : index
    %second = arith.cmpi ne, %odd, %c0 : index
    %block = arith.divui %k, %c32 : index
    %row = scf.for %j = %c0 to %columns step %c1 iter_args(%b = %a) -> tensor<64x24xf32> {
      %byte = tensor.extract %packed[%half, %j] : tensor<32x24xi8>
      %lo = arith.andi %byte, %low : i8
      %hi = arith.shrui %byte, %shift : i8
      %q = arith.select %second, %hi, %lo : i8
      %f = arith.uitofp %q : i8 to f32
      %centered = arith.subf %f, %offset : f32
      %scale = tensor.extract %scales[%block, %j] : tensor<2x24xf32>
      %v = arith.mulf %centered, %scale : f32
      %t = tensor.insert %v into %b[%k, %j] : tensor<64x24xf32>
      scf.yield %t : tensor<64x24xf32>
    }
    scf.yield %row : tensor<64x24xf32>
  }
  return %w : tensor<64x24xf32>
}
"""

INPUTS = dict.fromkeys(("cache", "normalised_cache", "paged_attention"),
                       ["-i", "b=[0,{n}]i32", "-i", "g=[[3,0,5,1,2,7,8,6,4]]i32", "-i", "l=[1]i32"])
SIZES = {"cache": (0, 1, 30), "normalised_cache": (0, 1, 30), "paged_attention": (0, 1, 30),
         "attention": (1, 17, 33)}
# With more rows some value lies so near the middle of two integers that float64 rounds it to the
# other one, fused or not.
MOST_COMPARED = {"normalised_residual": 2}


class Fusion(cli.CliTest):
    def outputs(self, file, n, name, *options):
        folder = self.folder / f"{name}-{n}-{len(options)}"
        inputs = [text.replace("{n}", str(n)) for text in INPUTS.get(name, [])]
        dump = folder / "ir"
        if n <= MOST_COMPARED.get(name, n):
            options = ("--compare-reference", *options)
        text = self.works("run", file, "-s", f"n={n}", *inputs, "-o", folder, "--dump-ir", dump,
                          *options).text
        [last] = dump.glob("*deduplicate-kernels.mlir")
        kernels = last.read_text().count("relax.call_kernel @")
        return [np.load(path) for path in sorted(folder.glob("*.npy"))], kernels, text

    def test_programs(self):
        for name, (body, parameters, results, kernels) in PROGRAMS.items():
            with self.subTest(name):
                file = self.folder / f"{name}.mlir"
                named = ", ".join(self.with_name(p) for p in ("%" + parameters.lstrip("%")).split(", %"))
                file.write_text(f"{TYPES}{DECODE if '@decode' in body else ''}\n"
                                f"func.func @main({named}) -> {results} "
                                f"attributes {{relax.symbols = #relax.symbols<n = [0, 1000]>}} {{{body}}}\n")
                for n in SIZES.get(name, (0, 1, 33)):
                    fused, count, text = self.outputs(file, n, name)
                    self.assertEqual(count, kernels, f"{name}: {text}")
                    apart, parts, _ = self.outputs(file, n, name, "--disable-pass", "group-kernels")
                    if name != "attention":
                        self.assertGreater(parts, count)
                    for a, b in zip(fused, apart, strict=True):
                        np.testing.assert_array_equal(a, b, err_msg=f"{name}, n = {n}")

    # Attention as its user may have written it: where the first argument says so, a row sees no key.
    WRITTEN = """
!q = tensor<2x3x?x16xf32, #relax.shape<[2, 3, t, 16]>>
!k = tensor<2x1x?x16xf32, #relax.shape<[2, 1, s, 16]>>
!s = tensor<2x3x?x?xf32, #relax.shape<[2, 3, t, s]>>
func.func @main(%q: !q {relax.name = "q"}, %k: !k {relax.name = "k"}, %v: !k {relax.name = "v"},
                %m: MASK {relax.name = "m"}) -> !q
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %four = arith.constant dense<4.0> : tensor<f32>
  %hidden = arith.constant dense<0xFF800000> : tensor<f32>
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.divide %0, %four : (!s, tensor<f32>) -> !s
  %2 = MASKED
  %3 = relax.softmax %2 : (!s) -> !s
  %4 = relax.matmul %3, %v : (!s, !k) -> !q
  return %4 : !q
}
"""
    MASKS = {"tensor<?x?xf32, #relax.shape<[t, s]>>": "relax.add %1, %m : (!s, MASK) -> !s",
             "tensor<2x1x?x?xi1, #relax.shape<[2, 1, t, s]>>":
                 "relax.where %m, %1, %hidden : (MASK, !s, tensor<f32>) -> !s"}

    def test_raised_attention(self):
        random = np.random.default_rng(1)
        for mask, masked in self.MASKS.items():
            file = self.folder / "written.mlir"
            file.write_text(self.WRITTEN.replace("MASKED", masked).replace("MASK", mask))
            for t, s in ((0, 3), (3, 0), (1, 1), (5, 31), (17, 33), (1, 64)):
                seen = random.random((2, 1, t, s) if "i1" in mask else (t, s)) < 0.6
                seen[..., : t // 2 : 2, :] = False
                arrays = {"q": random.standard_normal((2, 3, t, 16), np.float32),
                          "k": random.standard_normal((2, 1, s, 16), np.float32),
                          "v": random.standard_normal((2, 1, s, 16), np.float32),
                          "m": seen if "i1" in mask else np.where(seen, np.float32(0.5), np.float32(-np.inf))}
                inputs = []
                for name, array in arrays.items():
                    np.save(self.folder / f"{name}.npy", array)
                    inputs += ["-i", f"{name}={self.folder / name}.npy"]

                def result(*options, inputs=inputs):
                    folder = self.folder / "written"
                    self.works("run", file, *inputs, "--compare-reference", "-o", folder, *options)
                    [path] = folder.glob("*.npy")
                    return np.load(path)

                with self.subTest(mask=mask, t=t, s=s):
                    raised, apart = result(), result("--disable-pass", "raise-attention")
                    self.assertEqual(np.isnan(raised).any(), t > 1 and s > 0 and not seen.any(-1).all())
                    np.testing.assert_allclose(raised, apart, rtol=2e-5, atol=2e-6, equal_nan=True)
            # No matrix of scores: nothing but the result has a place in memory.
            memory = {}
            for options in ((), ("--disable-pass", "raise-attention")):
                artifact = self.folder / "written.rlx"
                self.works("compile", file, "-o", artifact, *options)
                memory[bool(options)] = self.works("inspect", artifact, "--memory", "--symbol", "t=512",
                                                   "--symbol", "s=512").text
            self.assertIn("s * t", memory[True])
            self.assertNotIn("s * t", memory[False])

    @staticmethod
    def with_name(parameter):
        parameter = parameter.lstrip("%")
        name, kind = parameter.split(": ", 1)
        if kind.endswith("{relax.donated}"):
            return f"%{name}: {kind[:-len(' {relax.donated}')]} {{relax.donated, relax.name = \"{name}\"}}"
        return f"%{name}: {kind} {{relax.name = \"{name}\"}}"


if __name__ == "__main__":
    unittest.main()
