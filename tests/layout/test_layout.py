"""A folder includes only from folders that it may see.

The tree is a ladder (docs/architecture.md): within compiler/ a folder sees itself and those before it in
COMPILER_LADDER, runtime/ sees nothing but itself, llm/ sees runtime/, and so on, as SEES says. Every
#include of every C and C++ file, header, TableGen and fuzz target is checked. The second half of this file checks the
checker: each rule has a small tree that breaks it.

Run: python3 tests/layout/test_layout.py [-v]
"""

import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

COMPILER_LADDER = [
    "compiler/symbolic",
    "compiler/dialect",
    "compiler/transforms",
    "compiler/kernels",
    "compiler/libraries",
    "compiler/interpreter",
    "compiler/targets",
    "compiler/importers",
    "compiler/driver",
]

# Folder -> folders that it may include from, besides itself. The longest matching folder counts. A
# folder that is in nobody's row is refused, so that a new one gets a decision.
SEES = {folder: COMPILER_LADDER[:i] + ["runtime"] for i, folder in enumerate(COMPILER_LADDER)}
SEES["compiler/driver"] += ["models"]
SEES.update({
    "runtime": [],
    "models": ["compiler/symbolic", "compiler/dialect", "compiler/importers/gguf", "runtime"],
    "llm": ["runtime"],
    "tools": ["compiler", "models", "llm", "runtime"],
    "python": ["compiler", "models", "llm", "runtime"],
    "tests": ["compiler", "models", "llm", "runtime", "tools"],
    "bench": ["compiler", "models", "llm", "runtime"],
    "cmake": [],
})

# Folders whose files may include LLVM's, MLIR's and lld's headers.
USES_LLVM = ["compiler/dialect", "compiler/transforms", "compiler/kernels", "compiler/libraries", "compiler/interpreter", "compiler/targets",
             "compiler/importers", "compiler/driver", "models", "tools/relax-opt", "tests", "bench", "cmake"]
# Exceptions to those: the sanitizers and fuzzers build these without MLIR.
USES_NO_LLVM = ["compiler/importers/gguf"]
LLVM_HEADER = re.compile(r"(mlir|mlir-c|llvm|llvm-c|lld)/")

# The headers of the C ABI, which tests include by name alone, as a user of the installed library does.
PUBLIC_HEADERS = ["relax.h", "dlpack.h"]

# Headers that the build writes.
GENERATED = re.compile(r"(\.inc|_generated\.h)$")

SOURCES = {".h", ".hpp", ".c", ".cc", ".cpp", ".td"}
# One inside a comment of several lines counts, too: finding where comments end takes a lexer.
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
TABLEGEN_INCLUDE = re.compile(r'^[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)


def is_within(path, folder):
    return path == folder or path.startswith(folder + "/")


def folder_of(path, folders):
    """The longest of `folders` that `path` lies in, or None."""
    return max((f for f in folders if is_within(path, f)), key=len, default=None)


def check_include(root, path, name, quoted):
    """What is wrong with the include of `name` in the file `path`, or None."""
    if any(part in (".", "..") for part in name.split("/")):
        return "is relative; write the path from the root of the tree"
    if LLVM_HEADER.match(name):
        if folder_of(path, USES_LLVM) is None or folder_of(path, USES_NO_LLVM) is not None:
            return "is of LLVM or MLIR, which this folder does without"
        return None
    top = name.split("/")[0] if "/" in name else None
    if top not in {f.split("/")[0] for f in SEES}:
        if not quoted or GENERATED.search(name) or (root / path).parent.joinpath(name).is_file():
            return None
        if name in PUBLIC_HEADERS and is_within(path, "tests"):
            return None
        return "is neither a path from the root of the tree nor a file beside this one"
    if not quoted:
        return "is of this tree; include it in quotes"
    if not GENERATED.search(name) and not (root / name).is_file():
        return "doesn't exist"
    own = folder_of(path, SEES)
    if own is None:
        return "is in a folder that tests/layout/test_layout.py has no rule for"
    if any(is_within(name, folder) for folder in [own] + SEES[own]):
        return None
    return f"is out of sight: {own}/ sees only {', '.join([own] + SEES[own])}"


def source_files(root):
    for top in sorted({folder.split("/")[0] for folder in SEES}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield path.relative_to(root).as_posix()


def check_tree(root):
    """All that is wrong, one line each, and the number of includes looked at."""
    problems, count = [], 0
    for path in source_files(root):
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        pattern = TABLEGEN_INCLUDE if path.endswith(".td") else INCLUDE
        for match in pattern.finditer(text):
            count += 1
            problem = check_include(root, path, match.group(2), match.group(1) == '"')
            if problem:
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f'{path}:{line}: "{match.group(2)}" {problem}')
    return problems, count


class Tree(unittest.TestCase):
    def test_every_include_is_allowed(self):
        problems, count = check_tree(ROOT)
        self.assertEqual(problems, [], "\n" + "\n".join(problems))
        self.assertGreater(count, 100, "the tree has many includes; the checker must find them")

    def test_top_folders_have_rules(self):
        tops = {folder.split("/")[0] for folder in SEES}
        for path in ROOT.iterdir():
            if path.is_dir() and path.name not in tops and not path.name.startswith((".", "build")):
                sources = [p for p in path.rglob("*") if p.suffix in SOURCES]
                self.assertEqual(sources, [], f"{path.name}/ has sources and no rule")


class Checker(unittest.TestCase):
    """Trees that break one rule each, and one that breaks none."""

    FILES = ["compiler/symbolic/Expr.h", "compiler/dialect/Ops.h", "compiler/driver/Compile.h", "models/Llama.h",
             "compiler/importers/gguf/File.h", "compiler/importers/onnx/File.h", "runtime/Module.h", "llm/Engine.h",
             "tools/Terminal.h", "tests/Helper.h"]

    def problems(self, path, line):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in self.FILES:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("#pragma once\n")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(f"// A file.\n{line}\n")
            return check_tree(root)[0]

    def assert_refused(self, path, line, reason):
        problems = self.problems(path, line)
        self.assertEqual(len(problems), 1, f"{path}: {line}: {problems}")
        self.assertIn(f"{path}:2: ", problems[0])
        self.assertIn(reason, problems[0])

    def assert_allowed(self, path, line):
        self.assertEqual(self.problems(path, line), [])

    def test_up_the_ladder_only(self):
        self.assert_allowed("compiler/dialect/A.cpp", '#include "compiler/symbolic/Expr.h"')
        self.assert_allowed("compiler/driver/A.cpp", '#include "models/Llama.h"')
        self.assert_refused("compiler/symbolic/A.cpp", '#include "compiler/dialect/Ops.h"', "out of sight")
        self.assert_refused("compiler/dialect/A.h", '#include "compiler/driver/Compile.h"', "out of sight")
        self.assert_refused("compiler/dialect/A.td", 'include "compiler/driver/Compile.h"', "out of sight")
        self.assert_refused("compiler/importers/gguf/A.cpp", '#include "models/Llama.h"', "out of sight")

    def test_runtime_sees_itself_only(self):
        self.assert_allowed("runtime/vm/A.cpp", '#include "runtime/Module.h"')
        self.assert_refused("runtime/vm/A.cpp", '#include "compiler/symbolic/Expr.h"', "out of sight")
        self.assert_refused("runtime/vm/A.cpp", '#include "llm/Engine.h"', "out of sight")
        self.assert_refused("runtime/vm/A.cpp", "#include <llvm/ADT/StringRef.h>", "does without")

    def test_models_and_llm(self):
        self.assert_allowed("models/A.cpp", '#include "compiler/importers/gguf/File.h"')
        self.assert_refused("models/A.cpp", '#include "compiler/importers/onnx/File.h"', "out of sight")
        self.assert_refused("models/A.cpp", '#include "compiler/driver/Compile.h"', "out of sight")
        self.assert_refused("llm/A.cpp", '#include "models/Llama.h"', "out of sight")
        self.assert_refused("llm/A.cpp", '#include "compiler/dialect/Ops.h"', "out of sight")
        self.assert_allowed("tools/A.cpp", '#include "llm/Engine.h"')
        self.assert_refused("compiler/driver/A.cpp", '#include "tests/Helper.h"', "out of sight")

    def test_llvm_headers(self):
        self.assert_allowed("compiler/dialect/A.cpp", '#include "mlir/IR/Builders.h"')
        for path in ["compiler/symbolic/A.cpp", "compiler/importers/gguf/A.cpp", "llm/A.cpp", "tools/relax/A.cpp"]:
            self.assert_refused(path, '#include "mlir/IR/Builders.h"', "does without")

    def test_relative_paths(self):
        self.assert_refused("compiler/driver/A.cpp", '#include "../dialect/Ops.h"', "relative")
        self.assert_refused("compiler/driver/A.cpp", '#  include "./Compile.h"', "relative")
        self.assert_refused("compiler/driver/A.cpp", '#include "compiler/driver/../dialect/Ops.h"', "relative")
        self.assert_refused("compiler/driver/A.cpp", '#include "Ops.h"', "neither")
        self.assert_allowed("compiler/driver/A.cpp", '#include "Compile.h"')

    def test_the_rest(self):
        self.assert_refused("compiler/driver/A.cpp", '#include "compiler/dialect/Gone.h"', "doesn't exist")
        self.assert_refused("compiler/driver/A.cpp", "#include <compiler/dialect/Ops.h>", "quotes")
        self.assert_refused("compiler/newcomer/A.cpp", '#include "runtime/Module.h"', "no rule")
        self.assert_allowed("compiler/dialect/A.cpp", '#include "compiler/dialect/Ops.cpp.inc"')
        self.assert_allowed("runtime/A.cpp", "#include <vector>")
        self.assert_allowed("tests/unit/A.c", '#include "relax.h"')
        self.assert_refused("llm/A.cpp", '#include "relax.h"', "neither")
        self.assert_allowed("runtime/A.cpp", '// #include "compiler/dialect/Ops.h"')


if __name__ == "__main__":
    unittest.main()
