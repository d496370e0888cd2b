"""What tests of small programs share: compiling them, running them beside the interpreter."""
import json

import numpy as np

import cli


class ProgramTest(cli.CliTest):
    """Tests of the programs in `programs`, texts by name, which compile at their first use."""
    programs = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in cls.programs.items():
            source = cls.folder / f"{name}.mlir"
            source.write_text(text)

    def file(self, name):
        """The compiled program; the first use compiles it."""
        path = self.folder / f"{name}.rlx"
        if not path.exists():
            self.works("compile", self.folder / f"{name}.mlir", "-o", path)
        return path

    def inputs(self, values):
        args = []
        for name, value in values.items():
            if isinstance(value, str):
                args += ["-i", f"{name}={value}"]
                continue
            path = self.folder / f"in-{name}.npy"
            np.save(path, value)
            args += ["-i", f"{name}={path}"]
        return args

    def call(self, program, function, reference=True, **values):
        """The results as NumPy arrays; the interpreter must agree."""
        args = ["--function", function, *self.inputs(values)]
        result = json.loads(self.works("run", self.file(program), "--json", *args).text)
        if reference:
            self.works("run", self.folder / f"{program}.mlir", "--compare-reference", *args)
        return [np.array(r["data"], {"bool": bool}.get(r["dtype"], r["dtype"].replace("i", "int")
                                                       .replace("f", "float"))).reshape(r["dims"])
                for r in result["results"]]

    def refuses(self, program, function, says, code=cli.USAGE, **values):
        return self.fails(code, "run", self.file(program), "--function", function,
                          *self.inputs(values), says=says)

    def equal(self, found, *expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=2e-6)
            self.assertEqual(a.shape, np.shape(b))

    def vector(self, n):
        return np.random.default_rng(n).standard_normal(n).astype(np.float32)
