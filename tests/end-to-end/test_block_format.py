"""A weight format that the tree doesn't know, added as text: its numbers, and products with weights that
stay in it, packed and with quantised activations."""
import pathlib
import tempfile
import unittest

import numpy as np

import relaxlib

# Two groups of 16 with scales of four bits, three bits a number in two planes.
FORMAT = """// d * S * (q - 3), two bits and a third.
{
  elements = 32, bytes = 15, scale = 13, group = 16,
  quants = {planes = [{bits = 2, at = affine_map<(j) -> (1 + j mod 8, j floordiv 8 * 2)>},
                      {bits = 1, at = affine_map<(j) -> (9 + j floordiv 8, j mod 8)>}], offset = 3},
  scales = {planes = [{bits = 4, at = affine_map<(j) -> (0, j * 4)>}]}
}
"""
ROWS, COLUMNS = 21, 96
PROGRAM = f"""
func.func @decode(%b: tensor<{ROWS}x45xi8>) -> tensor<{ROWS}x{COLUMNS}xf32> {{
  %w = relax.dequantize %b {{format = "mine"}} : (tensor<{ROWS}x45xi8>) -> tensor<{ROWS}x{COLUMNS}xf32>
  return %w : tensor<{ROWS}x{COLUMNS}xf32>
}}
func.func @product(%x: tensor<?x{COLUMNS}xf32, #relax.shape<[t, {COLUMNS}]>>, %b: tensor<{ROWS}x45xi8>)
    -> tensor<?x{ROWS}xf32, #relax.shape<[t, {ROWS}]>>
    attributes {{relax.symbols = #relax.symbols<t = [0, ?]>}} {{
  %p = relax.pack_weights %b {{format = "mine"}} : (tensor<{ROWS}x45xi8>) -> tensor<2x768xi8>
  %q, %d, %s = relax.quantize_activations %x {{planes = 2 : i64}}
     : (tensor<?x{COLUMNS}xf32, #relax.shape<[t, {COLUMNS}]>>)
     -> (tensor<?x2x{COLUMNS}xi8, #relax.shape<[t, 2, {COLUMNS}]>>,
         tensor<?x2x3xf32, #relax.shape<[t, 2, 3]>>, tensor<?x2x3xi32, #relax.shape<[t, 2, 3]>>)
  %y = relax.quantized_matmul %q, %d, %s, %p {{format = "mine", rows = {ROWS} : i64}}
     : (tensor<?x2x{COLUMNS}xi8, #relax.shape<[t, 2, {COLUMNS}]>>,
        tensor<?x2x3xf32, #relax.shape<[t, 2, 3]>>, tensor<?x2x3xi32, #relax.shape<[t, 2, 3]>>,
        tensor<2x768xi8>) -> tensor<?x{ROWS}xf32, #relax.shape<[t, {ROWS}]>>
  return %y : tensor<?x{ROWS}xf32, #relax.shape<[t, {ROWS}]>>
}}
"""


def decode(blocks):
    b = blocks.view(np.uint8).reshape(-1, 15)
    scale = np.ascontiguousarray(b[:, 13:15]).view(np.float16).astype(np.float64)
    groups = np.repeat(np.stack([b[:, 0] & 15, b[:, 0] >> 4], axis=1), 16, axis=1)
    low = np.concatenate([b[:, 1:9] >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    third = np.unpackbits(b[:, 9:13], axis=1, bitorder="little")
    return (scale * groups * ((low | third << 2).astype(np.float64) - 3)).reshape(ROWS, COLUMNS)


class BlockFormat(unittest.TestCase):
    def test_text(self):
        random = np.random.default_rng(3)
        blocks = random.integers(0, 256, (ROWS, 3, 15)).astype(np.uint8)
        blocks[..., 13:] = random.uniform(0.01, 0.1, (ROWS, 3, 1)).astype(np.float16).view(np.uint8)
        stored = np.ascontiguousarray(blocks.reshape(ROWS, 45).view(np.int8))
        with tempfile.TemporaryDirectory() as folder:
            record, program = pathlib.Path(folder, "mine.mlir"), pathlib.Path(folder, "program.mlir")
            record.write_text(FORMAT)
            program.write_text(PROGRAM)
            module = relaxlib.Module(relaxlib.compile_model(program, block_formats=[str(record)]))
            with self.assertRaisesRegex(relaxlib.RelaxError, "there is no format"):
                relaxlib.compile_model(program)
        weights = decode(stored)
        found, = module["decode"](stored)
        np.testing.assert_allclose(found, weights, rtol=1e-6)
        for t in (0, 1, 5, 33):
            x = random.standard_normal((t, COLUMNS)).astype(np.float32)
            found, = module["product"](x, stored)
            np.testing.assert_allclose(found, x @ weights.T, atol=2e-3)


if __name__ == "__main__":
    unittest.main()
