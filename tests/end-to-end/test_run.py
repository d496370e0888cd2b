"""`relax run`: values from the command line and NumPy files, results as text, JSON and files."""
import json
import struct
import unittest

import numpy as np

import cli

IDENTITIES = "\n".join(f"""
func.func @{name}(%x: tensor<?x2x{dtype}, #relax.shape<[n, 2]>> {{relax.name = "x"}})
    -> (tensor<?x2x{dtype}, #relax.shape<[n, 2]>> {{relax.name = "y"}})
    attributes {{relax.symbols = #relax.symbols<n = [0, ?]>}} {{
  return %x : tensor<?x2x{dtype}, #relax.shape<[n, 2]>>
}}""" for name, dtype in [("f64", "f64"), ("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"),
                          ("i64", "i64"), ("i32", "i32"), ("i16", "i16"), ("i8", "i8"),
                          ("ui8", "ui8"), ("bool", "i1")])

SUM = """
!a = tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @sum(%x: !a, %other: !a {relax.name = "y"}) -> (!a {relax.name = "z"})
    attributes {relax.symbols = #relax.symbols<n = [0, 64]>} {
  %0 = relax.add %x, %other : (!a, !a) -> !a
  return %0 : !a
}"""

VALUES = """
!t = tuple<tensor<i64>, tuple<!relax.shape<[n]>, tensor<?xf32, #relax.shape<[n]>>>>
func.func @swap(%t: !t {relax.name = "t"}) -> (tensor<?xf32, #relax.shape<[n]>>, !t)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %inner = relax.tuple_get %t {index = 1} : (!t)
      -> tuple<!relax.shape<[n]>, tensor<?xf32, #relax.shape<[n]>>>
  %x = relax.tuple_get %inner {index = 1}
      : (tuple<!relax.shape<[n]>, tensor<?xf32, #relax.shape<[n]>>>)
      -> tensor<?xf32, #relax.shape<[n]>>
  return %x, %t : tensor<?xf32, #relax.shape<[n]>>, !t
}
func.func @shape(%s: !relax.shape<[n, m]> {relax.name = "s"}) -> (tensor<2xi64>, !relax.shape<[m, n]>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %t = relax.shape_to_tensor %s : (!relax.shape<[n, m]>) -> tensor<2xi64>
  %r = relax.shape <[m, n]>
  return %t, %r : tensor<2xi64>, !relax.shape<[m, n]>
}
func.func @product(%t: tuple<tensor<?x4xf32, #relax.shape<[n, 4]>>, tuple<!relax.shape<[m]>, tensor<?xf32, #relax.shape<[n * m]>>>> {relax.name = "t"},
                   %y: tensor<?xf32, #relax.shape<[m]>> {relax.name = "y"}) -> !relax.shape<[n, m]>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %s = relax.shape <[n, m]>
  return %s : !relax.shape<[n, m]>
}"""


# @main isn't there; @helper and what is made of the branch serve @outer.
HELPED = """
!v = tensor<?xf32, #relax.shape<[n]>>
func.func private @helper(%x: !v) -> !v attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.negate %x : (!v) -> !v
  return %0 : !v
}
func.func @outer(%c: tensor<i1>, %x: !v) -> !v attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.if %c : tensor<i1> -> !v {
    %1 = relax.exp %x : (!v) -> !v
    %2 = relax.softmax %1 {axis = 0 : i64} : (!v) -> !v
    relax.yield %2 : !v
  } else {
    %1 = relax.call @helper(%x) : (!v) -> !v
    relax.yield %1 : !v
  }
  return %0 : !v
}"""


class RunTest(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in [("identities", IDENTITIES), ("sum", SUM), ("values", VALUES),
                           ("helped", HELPED)]:
            (cls.folder / f"{name}.mlir").write_text(text)

    def run_json(self, file, *args):
        return json.loads(self.works("run", self.folder / f"{file}.mlir", "--json", *args).text)

    def test_numpy_files_of_every_type(self):
        random = np.random.default_rng(1)
        for name, dtype in [("f64", "f8"), ("f32", "f4"), ("f16", "f2"), ("i64", "i8"),
                            ("i32", "i4"), ("i16", "i2"), ("i8", "i1"), ("ui8", "u1"),
                            ("bool", "?")]:
            for rows in (0, 1, 5):
                x = random.integers(0, 200, (rows, 2)).astype(dtype)
                if x.dtype.kind == "f" and rows:
                    x[0] = np.nan, -np.inf
                for order, end in (("C", "<"), ("F", ">")):
                    with self.subTest(name, rows=rows, order=order):
                        path, out = self.folder / "x.npy", self.folder / "out.npy"
                        np.save(path, np.asarray(x.astype(x.dtype.newbyteorder(end)), order=order))
                        self.works("run", self.compiled("identities"), "--function", name,
                                   "-i", f"x={path}", "-o", f"y={out}")
                        y = np.load(out)
                        self.assertEqual(y.dtype, x.dtype)
                        np.testing.assert_array_equal(y, x)

    def test_bfloat16(self):
        out = self.folder / "bf16.npy"
        result = self.run_json("identities", "--function", "bf16", "-i",
                               "x=[[1.0,-2.5],[3.14159,inf]]", "-o", f"y={out}")
        self.assertEqual(result["results"][0]["data"], [[1.0, -2.5], [3.140625, "inf"]])
        self.assertEqual(np.load(out).view(np.uint16).tolist(), [[0x3F80, 0xC020], [0x4049, 0x7F80]])
        again = self.run_json("identities", "--function", "bf16", "-i", f"x={out}")
        self.assertEqual(again["results"], result["results"])

    def test_computes(self):
        x, y = np.arange(8, dtype=np.float32).reshape(2, 4), np.full((2, 4), 0.5, np.float32)
        np.save(self.folder / "a.npy", x)
        np.save(self.folder / "b.npy", y)
        out = self.folder / "results"
        text = self.works("run", self.folder / "sum.mlir", "-i", f"x={self.folder}/a.npy", "-i",
                          f"y={self.folder}/b.npy", "-o", out).text
        self.assertIn("z: f32[2, 4]", text)
        self.assertIn("[0.5, 1.5, 2.5, 3.5]", text)
        np.testing.assert_array_equal(np.load(out / "z.npy"), x + y)
        self.works("run", self.folder / "sum.mlir", "-i", f"x={self.folder}/a.npy", "-i",
                   f"y={self.folder}/b.npy", "-o", self.folder / "only.npy")
        np.testing.assert_array_equal(np.load(self.folder / "only.npy"), x + y)
        self.fails(cli.USAGE, "run", self.folder / "values.mlir", "--function", "shape", "-i",
                   "s=shape:[2,3]", "-o", self.folder / "which.npy", says=("result0", "result1"))
        # The same from a compiled program.
        self.works("compile", self.folder / "sum.mlir", "-o", self.folder / "sum.rlx")
        again = self.works("run", self.folder / "sum.rlx", "-i", "x=arange:[2,4]", "-i",
                           "y=[[0.5,0.5,0.5,0.5],[.5,.5,.5,.5]]").text
        self.assertEqual(again, text)

    def test_made_up_inputs(self):
        first = self.run_json("sum", "-s", "n=3")
        self.assertEqual(first["results"][0]["dims"], [3, 4])
        self.assertEqual(self.run_json("sum", "-s", "n=3"), first)
        self.assertNotEqual(self.run_json("sum", "-s", "n=3", "--seed", 1), first)
        # One input says what the other must be.
        given = self.run_json("sum", "-i", "x=random:[3,4]f32")
        self.assertEqual(given["results"][0]["dims"], [3, 4])
        given = self.run_json("sum", "-i", "y=random:[2,4]f32")
        self.assertEqual(given["results"][0]["dims"], [2, 4])
        self.assertEqual(self.run_json("sum", "-s", "n=0")["results"][0]["data"], [])
        self.run_json("sum", "-i", "0=ones:[2,4]", "-i", "1=zeros:[2,4]f32")

    def test_values(self):
        result = self.run_json("values", "--function", "swap", "-i",
                               "t=(7, (shape:[2], [1.5,2.5]f32))")["results"]
        self.assertEqual(result[0]["data"], [1.5, 2.5])
        self.assertEqual(result[1]["fields"][0], {"kind": "tensor", "dtype": "i64", "dims": [],
                                                  "data": 7})
        self.assertEqual(result[1]["fields"][1]["fields"][0], {"kind": "shape", "dims": [2]})
        result = self.run_json("values", "--function", "shape", "-i", "s=shape:[3,5]")["results"]
        self.assertEqual(result[0]["data"], [3, 5])
        self.assertEqual(result[1]["dims"], [5, 3])
        made = self.run_json("values", "--function", "shape", "-s", "n=2", "-s", "m=4")["results"]
        self.assertEqual(made[0]["data"], [2, 4])
        # Symbols inside of tuples.
        made = self.run_json("values", "--function", "swap", "-s", "n=3")["results"]
        self.assertEqual(made[0]["dims"], [3])
        for args in (("-s", "n=2", "-s", "m=3"), ("-s", "n=2", "-i", "y=random:[3]f32"),
                     ("-i", "t=(random:[2,4]f32, (shape:[3], random:[6]f32))")):
            made = self.run_json("values", "--function", "product", *args)["results"]
            self.assertEqual(made[0]["dims"], [2, 3])

    def test_the_function_that_is_no_other_ones(self):
        result = self.run_json("helped", "-i", "c=false", "-i", "x=[1.5,2.5]f32")["results"]
        self.assertEqual(result[0]["data"], [-1.5, -2.5])

    def test_reference(self):
        text = self.works("run", self.folder / "sum.mlir", "-s", "n=3", "--compare-reference").text
        self.assertIn("Compared with the interpreter in float64", text)
        self.assertRegex(text, r"z: (equal|largest error [0-9.e-]+ at z\[\d, \d\])")

    def compiled(self, file):
        path = self.folder / f"{file}.rlx"
        if not path.exists():
            self.works("compile", self.folder / f"{file}.mlir", "-o", path)
        return path

    def refused(self, *args, says, code=cli.USAGE, file="sum"):
        return self.fails(code, "run", self.compiled(file), *args, says=says)

    def test_wrong_use(self):
        self.refused(says=("n", "--symbol n"))
        self.refused("-s", "k=3", says=("--symbol k", "no such symbol", "n"))
        self.refused("-s", "n=three", says=("--symbol n", "'three'", "integer"))
        self.refused("-s", "n", says="NAME=VALUE")
        self.refused("-s", "n=1", "-s", "n=1", says="twice")
        self.refused("-i", "q=3", says=("--input q", "no such parameter", "x: f32[n, 4]"))
        self.refused("-i", "x=", says=("--input x", "character 1", "the end"))
        self.refused("-i", "x=[[1,2],[3]]", says=("character 11", "list of 2"))
        self.refused("-i", "x=[1,[2]]", says="numbers here")
        self.refused("-i", "x=[1,2", says="',' or ']'")
        self.refused("-i", "x=[1,2]f31", says="an element type")
        self.refused("-i", "x=[1,300]i8", says=("'300", "a number of type i8"))
        self.refused("-i", "x=random:[3,k]", says=("'k", "--symbol"))
        self.refused("-i", "x=random:[3,-4]", says="not negative")
        self.refused("-i", "x=zeros:[4611686018427387904,4]", code=cli.FAILURE, says="memory")
        self.refused("-i", "x=" + "[" * 9 + "1" + "]" * 9, says="at most 8 dimensions")
        self.refused("-i", "x=nothing.npy", code=cli.BAD_FILE, says="nothing.npy")
        self.refused("-s", "n=2", "-o", "w=w.npy", says=("--output w", "no such result", "z"))
        self.refused("--function", "g", "-s", "n=1", code=cli.BAD_FILE, says=('no function "g"', "sum"))
        self.refused("-i", "s=shape:[3,5]", file="values", says=("which function", "swap", "shape"))
        self.refused("--function", "swap", "-i", "t=(7)", file="values", says="t")
        self.refused("--function", "product", "-s", "n=1", file="values",
                     says=("'t'", "dimension 0", "m", "--symbol m"))
        self.refused("--function", "product", "-s", "k=1", file="values", says=("no such symbol", "m, n"))
        self.refused("--function", "product", "-i", "q=1", file="values",
                     says="t: (f32[n, 4], (shape [m], f32[m * n]))")
        self.fails(cli.BAD_FILE, "run", self.model, says="relax generate")
        self.fails(cli.BAD_FILE, "run", self.folder / "missing.mlir", says="missing.mlir")

    def test_wrong_values_are_refused_at_the_door(self):
        self.refused("-i", "x=zeros:[2,5]", "-i", "y=zeros:[2,4]", says=("x", "dimension 1", "5", "4"))
        self.refused("-i", "x=zeros:[2,4]", "-i", "y=zeros:[3,4]",
                     says=("y", "dimension 0", "n", "2", "3"))
        self.refused("-i", "x=zeros:[8]", "-i", "y=zeros:[2,4]", says=("x", "1 dimensions, expected 2"))
        self.refused("-i", "x=zeros:[2,4]f64", "-i", "y=zeros:[2,4]", says=("x", "f32", "f64"))
        self.refused("-s", "n=65", says=("n", "65", "64"))

    def hostile(self, data, *says):
        path = self.folder / "hostile.npy"
        path.write_bytes(data)
        self.refused("-i", f"x={path}", "-i", "y=zeros:[2,4]", code=cli.BAD_FILE,
                     says=("hostile.npy", *says))

    def test_hostile_numpy_files(self):
        np.save(self.folder / "good.npy", np.zeros((2, 4), np.float32))
        good = (self.folder / "good.npy").read_bytes()
        for size in range(len(good)):
            self.hostile(good[:size]) if size % 13 == 0 else None
        self.hostile(b"not a file at all", "NUMPY")
        self.hostile(good + b"x", "33 bytes", "expected 32")
        self.hostile(good[:6] + b"\x07" + good[7:], "version 7")
        self.hostile(good[:8] + b"\xff\xff" + good[10:], "header of 65535")

        def header(text, version=1, data=b""):
            text = text.encode("latin-1")
            size = struct.pack("<H" if version == 1 else "<I", len(text))
            return b"\x93NUMPY" + bytes([version, 0]) + size + text + data

        fields = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"
        self.hostile(header(fields.replace("<f4", "<c8")), "<c8")
        self.hostile(header(fields.replace("<f4", "O")), '"O"')
        self.hostile(header(fields.replace("'<f4'", "[('a', '<f4')]")), "simple element type")
        self.hostile(header(fields.replace("False", "Maybe")), "True or False")
        self.hostile(header(fields.replace("(2, 4)", "(2, -4)")), "sizes that are not negative")
        self.hostile(header(fields.replace("(2, 4)", f"({1 << 62}, {1 << 62})")), "more than fit")
        self.hostile(header(fields.replace("(2, 4)", f"({1 << 70},)")), "sizes")
        self.hostile(header(fields.replace("(2, 4)", "(0, " + "1," * 9 + ")")), "at most 8")
        self.hostile(header(fields.replace("'shape'", "'size'")), '"size"')
        self.hostile(header(fields.replace("}", "'descr': '<f4'}")), "twice")
        self.hostile(header("{'descr': '<f4'"), "byte")
        self.hostile(header("{'descr': '<f4'}"), "no key 'fortran_order'")
        self.hostile(header(""), "'{'")
        self.hostile(header(fields + "{"), "spaces")
        self.hostile(header(fields, version=2, data=bytes(31)), "31 bytes")
        bools = header(fields.replace("<f4", "|b1"), data=b"\0\1\2\0\0\0\0\0")
        self.hostile(bools, "value 2")


if __name__ == "__main__":
    unittest.main()
