"""Conformance of graph ops: each case is compiled and run at many sizes and compared with NumPy.

    from conformance import Case, run

    CASES = [Case("silu", [["n", 3]], [["n", 3]], dtypes=FLOATS, reference=lambda x: x / (1 + np.exp(-x)))]

    if __name__ == "__main__":
        run(__file__, CASES)

A family's file is one test. For each case and dtype there is a function; all of them are compiled
in few modules, and run at sizes 0, 1, 2, 3, around the tiles, and 5 last, so that nothing depends on
the call before. A pass or a failure is a cell of the table in docs/operators.md, which
scripts/operator_table.py writes from what the tests leave in <build>/tests/conformance.

Arguments of a reference: floats as float64, integers as int64, bool as bool; results are converted to
the result's dtype. bfloat16 is uint16 bit patterns in NumPy, here and in relaxlib.

By hand:  python3 tests/conformance/elementwise.py [-k PART_OF_A_NAME] [--dtype f32] [--show]
"""
import argparse
import dataclasses
import inspect
import json
import os
import pathlib
import re
import sys
import tempfile
import warnings

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "end-to-end"))
import relaxlib  # noqa: E402

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16,
          "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "ui8": np.uint8,
          "i1": np.bool_}
FLOATS = ("f64", "f32", "f16", "bf16")
SIGNED = ("i64", "i32", "i16", "i8")
INTEGERS = SIGNED + ("ui8",)
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + ("i1",)
# Unit roundoff times two, and the smallest normal number.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
TINY = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}
LARGEST = {"f64": 1.7976931348623157e308, "f32": 3.4028234663852886e38, "f16": 65504.0,
           "bf16": 3.3895313892515355e38}

SIZES = (0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 65, 5)
# Functions in one module: so few that a module which fails is soon taken apart.
MODULE = 80


@dataclasses.dataclass
class Case:
    """One op with one set of attributes, at one or more dtypes."""
    op: str
    # Dimensions of each operand: integers and expressions over symbols, "2 * n". Of another dtype
    # than the case's: ("i32", ["n"]).
    operands: list
    results: list
    attributes: str = ""
    dtypes: tuple = ("f32",)
    # The operands' arrays to an array, or a list of them; symbols
    # and the dtype, if it wants them, as keyword arguments (x, *, n, dtype).
    reference: object = None
    # Units of the dtype's precision by which a result may differ, times `scale`; a number, or by
    # dtype ("default" for the rest).
    epsilons: object = 4.0
    # The magnitude which the error is relative to, from the operands: |expected| by default.
    scale: object = None
    # A list with a generator for each operand (None: normal numbers, integers of all sizes), each
    # called as (random, shape); or one function (random, shapes) for all.
    data: object = None
    # Also run with zeros, infinities, NaN, subnormal and huge numbers in every floating operand.
    special: bool = False
    name: str = ""
    # The row of docs/operators.md, where it isn't the op.
    row: str = ""
    # The values of the symbols in each run: integers for n, or dictionaries.
    sizes: tuple = SIZES
    # Bounds of symbols: {"n": "[1, 64]"}.
    symbols: dict = dataclasses.field(default_factory=dict)
    # "functional" or "to" (relax.cast %x : A to B).
    form: str = "functional"
    # The function's text in place of the usual one; $T is the dtype, and @main and @main_… are
    # names of the case's own.
    text: str = ""
    # The call must fail with this message, at every size (a regular expression).
    error: str = ""

    @property
    def title(self):
        return self.name or " ".join(filter(None, [self.op, self.attributes]))


# -- Arrays ----------------------------------------------------------------------------------------

def encode(values, dtype):
    """float64, int64 or bool as an array of `dtype`; floats round to nearest even, integers wrap."""
    values = np.asarray(values)
    if dtype == "bf16":
        return _to_bf16(values)
    if dtype == "i1":
        return values.astype(np.bool_)
    with np.errstate(all="ignore"):
        if dtype in INTEGERS and values.dtype.kind in "iub":
            return values.astype(np.int64).astype(DTYPES[dtype])
        return values.astype(DTYPES[dtype])


def decode(values, dtype):
    """The array as float64, int64 or bool."""
    if dtype == "bf16":
        return (values.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    if dtype == "i1":
        return values.astype(np.bool_)
    return values.astype(np.int64 if dtype in INTEGERS else np.float64)


def _to_bf16(values):
    """From float64, rounded once: through a float32 that is rounded to odd, so that no tie is
    broken twice."""
    values = np.array(values, np.float64, order="C")
    with np.errstate(all="ignore"):
        near = values.astype(np.float32)
        wide = near.astype(np.float64)
        bits = near.view(np.uint32).astype(np.int64)
        # The float32 next to zero from the value, with its last bit set where digits were lost.
        inexact = np.isfinite(values) & (wide != values)
        bits -= (inexact & (np.abs(wide) > np.abs(values))).astype(np.int64)
        bits |= inexact
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


# -- Generators of operands -------------------------------------------------------------------------

def integers(low, high):
    """Integers of [low, high)."""
    return lambda random, shape: random.integers(low, high, shape)


def uniform(low, high):
    return lambda random, shape: random.uniform(low, high, shape)


def positive(random, shape):
    return np.abs(random.standard_normal(shape)) * 2 + 0.01


def normal(scale):
    return lambda random, shape: random.standard_normal(shape) * scale


def default_data(random, shape, dtype):
    if dtype in FLOATS:
        return random.standard_normal(shape) * 2
    if dtype == "i1":
        return random.integers(0, 2, shape)
    bits = np.iinfo(DTYPES[dtype])
    full = random.integers(bits.min, bits.max, shape, dtype=np.int64, endpoint=True)
    small = random.integers(max(bits.min, -20), 21, shape)
    return np.where(random.random(shape) < 0.5, full, small)


def special_values(dtype):
    tiny, largest = TINY[dtype], LARGEST[dtype]
    return np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1.5,
                     88.0, -104.0, 100.0, -20.0, 10.0, -10.0, tiny, -tiny, tiny / 4, -tiny / 4,
                     largest, -largest, largest / 2, 3.0, -3.0, 1e-3])


# -- The text of a module ----------------------------------------------------------------------------

def tensor(dims, dtype):
    """The text of a type; dims are integers and expressions over symbols, None where unknown."""
    prefix = "".join((str(d) if isinstance(d, int) else "?") + "x" for d in dims)
    known = [d for d in dims if isinstance(d, str)]
    if not known:
        return f"tensor<{prefix}{dtype}>"
    return f"tensor<{prefix}{dtype}, #relax.shape<[{', '.join('?' if d is None else str(d) for d in dims)}]>>"


def symbol_names(text):
    functions = {"floordiv", "ceildiv", "mod", "min", "max"}
    return [s for s in re.findall(r"[A-Za-z_]\w*", text) if s not in functions]


def keywords(reference):
    """The names of a function's keyword-only parameters."""
    try:
        parameters = inspect.signature(reference).parameters.values()
    except ValueError:  # NumPy's own functions.
        return []
    return [p.name for p in parameters if p.kind == p.KEYWORD_ONLY]


class Function:
    """A case at one dtype: its text, and its runs."""

    def __init__(self, case, dtype, name):
        self.case, self.dtype, self.name = case, dtype, name
        self.operands = [self._typed(o) for o in case.operands]
        self.results = [self._typed(r) for r in case.results]
        fresh = [name for names in re.findall(r'symbols? = \[?("[^\]}]*)', case.attributes)
                 for name in re.findall(r'"(\w+)"', names)]
        bound, used = [], []
        for kind, dims in self.operands + self.results:
            for dim in dims:
                used += symbol_names(dim) if isinstance(dim, str) else []
        for text in re.findall(r"#relax\.(?:expr|shape)<(.*?)>", case.attributes):
            used += symbol_names(text)
        used = [s for s in dict.fromkeys(used) if s not in fresh]
        for _, dims in self.operands:
            bound += [d for d in dims if d in used and d not in bound]
        # Symbols that no operand has as a dimension come from the shape of an argument that isn't
        # read.
        self.binders = [s for s in used if s not in bound]
        self.symbols = used
        self.failure = None
        self.worst = 0.0

    def _typed(self, dims):
        return dims if isinstance(dims, tuple) else (self.dtype, dims)

    def text(self):
        case = self.case
        if case.text:
            return re.sub(r"@main\b|@main_", lambda m: m[0].replace("main", self.name),
                          case.text.replace("$T", self.dtype)) + "\n"
        types = [tensor(dims, kind) for kind, dims in self.operands]
        names = [f"%a{i}" for i in range(len(types))]
        arguments = [f"{n}: {t}" for n, t in zip(names, types)]
        arguments += [f"%bind_{s}: {tensor([s], 'i8')}" for s in self.binders]
        results = [tensor(dims, kind) for kind, dims in self.results]
        result = results[0] if len(results) == 1 else f"({', '.join(results)})"
        operands = ", ".join(names) + (" " if names else "")
        attributes = case.attributes.replace("$T", self.dtype)
        attributes += " " if attributes else ""
        if case.form == "to":
            line = f"relax.{case.op} {operands}{attributes}: {types[0]} to {result}"
        else:
            line = f"relax.{case.op} {operands}{attributes}: ({', '.join(types)}) -> {result}"
        count = len(results)
        values = ["%r"] if count == 1 else [f"%r#{i}" for i in range(count)]
        bounds = ", ".join(f"{s} = {case.symbols.get(s, '[0, ?]')}" for s in self.symbols)
        declared = f" attributes {{relax.symbols = #relax.symbols<{bounds}>}}" if bounds else ""
        return (f"func.func @{self.name}({', '.join(arguments)}) -> {result}{declared} {{\n"
                f"  %r{f':{count}' if count > 1 else ''} = {line}\n"
                f"  return {', '.join(values)} : {', '.join(results)}\n}}\n")

    # -- Runs ----------------------------------------------------------------------------------------

    def assignments(self):
        sizes = self.case.sizes
        for i, size in enumerate(sizes):
            if isinstance(size, dict):
                yield size
                continue
            # Other symbols take the same sizes in another order.
            yield {s: size if j == 0 else sizes[(i * 5 + 3 * j) % len(sizes)]
                   for j, s in enumerate(self.symbols)}

    def check(self, run):
        random = np.random.default_rng([7, sum(self.case.title.encode())])
        for values in self.assignments():
            self._check_once(run, random, values, special=False)
            if self.failure:
                return
        floating = any(kind in FLOATS for kind, _ in self.operands)
        if self.case.special and floating:
            for size in (29, 64):
                self._check_once(run, random, {s: size for s in self.symbols}, special=True)

    def _arrays(self, random, values, special):
        functions = {"floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b),
                     "mod": lambda a, b: a % b, "min": min, "max": max}
        shapes = [tuple(d if isinstance(d, int) else eval(d, functions, dict(values)) for d in dims)
                  for _, dims in self.operands]
        data = self.case.data
        if callable(data):
            arrays = data(random, shapes)
        else:
            generators = data or [None] * len(shapes)
            arrays = [g(random, s) if g else default_data(random, s, kind)
                      for g, s, (kind, _) in zip(generators, shapes, self.operands)]
        for i, (kind, _) in enumerate(self.operands):
            if special and kind in FLOATS:
                values_of = special_values(kind)
                # Against each other in all pairs, as far as the size goes.
                picks = random.integers(0, len(values_of), np.shape(arrays[i]))
                flat = picks.reshape(-1)
                if i == 0:
                    flat[:] = np.arange(flat.size) % len(values_of)
                arrays[i] = values_of[picks]
        return [encode(a, kind) for a, (kind, _) in zip(arrays, self.operands)]

    def _check_once(self, run, random, values, special):
        arrays = self._arrays(random, values, special)
        binders = [np.zeros(values[s], np.int8) for s in self.binders]
        where = f"{values}{', special values' if special else ''}"
        try:
            found = run(*arrays, *binders)
        except relaxlib.RelaxError as error:
            if self.case.error and re.search(self.case.error, str(error)):
                return
            self.failure = f"{where}: {error}"
            return
        if self.case.error:
            self.failure = f"{where}: no error, expected one like '{self.case.error}'"
            return
        wide = [decode(a, kind) for a, (kind, _) in zip(arrays, self.operands)]
        available = {**values, "dtype": self.dtype}
        named = {name: available[name] for name in keywords(self.case.reference) if name in available}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # Means of nothing, and the like.
            expected = self.case.reference(*wide, **named)
            scale = self.case.scale(*wide) if self.case.scale else None
        expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
        if len(expected) != len(found):
            self.failure = f"{where}: {len(found)} results, expected {len(expected)}"
            return
        for i, (a, e, (kind, _)) in enumerate(zip(found, expected, self.results)):
            problem = self._compare(a, np.asarray(e), kind, scale)
            if problem:
                self.failure = f"{where}, result {i}: {problem}"
                return

    def _epsilons(self, kind):
        epsilons = self.case.epsilons
        if isinstance(epsilons, dict):
            return epsilons.get(kind, epsilons.get("default", 4.0))
        return epsilons

    def _compare(self, found, expected, kind, scale):
        """What is wrong, or None."""
        if found.shape != expected.shape:
            return f"shape {found.shape}, expected {expected.shape}"
        if found.dtype != DTYPES[kind]:
            return f"{found.dtype}, expected {kind}"
        if kind not in FLOATS:
            same = found == encode(expected, kind)
            return None if np.all(same) else self._report(found, encode(expected, kind), ~same)
        expected = expected.astype(np.float64)
        rounded = decode(encode(expected, kind), kind)
        wide = decode(found, kind)
        with np.errstate(all="ignore"):
            error = np.abs(wide - expected)
            limit = np.broadcast_to(np.abs(expected) if scale is None else scale, expected.shape)
            units = error / (EPSILON[kind] * limit + TINY[kind])
            good = (wide == rounded) | (np.isnan(wide) & np.isnan(expected))
            # Near the largest number a result may round either way.
            edge = LARGEST[kind] * (1 - 16 * EPSILON[kind])
            good |= ((np.abs(wide) >= edge) & (np.abs(expected) >= edge)
                     & (np.sign(wide) == np.sign(expected)))
            good |= np.isfinite(wide) & np.isfinite(expected) & (units <= self._epsilons(kind))
        finite = np.isfinite(wide) & np.isfinite(expected) & np.isfinite(units)
        self.worst = max(self.worst, np.max(units[finite], initial=0))
        return None if np.all(good) else self._report(wide, rounded, ~good)

    @staticmethod
    def _report(found, expected, wrong):
        where = np.argwhere(wrong)
        first = tuple(int(i) for i in where[0])
        return (f"{len(where)} of {wrong.size} wrong, first at {first}: "
                f"found {found[first]!s}, expected {expected[first]!s}")


# -- Compiling many functions ------------------------------------------------------------------------

def compile_text(text, threads=2, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ops.mlir"
        path.write_text(text)
        return relaxlib.Module(relaxlib.compile_model(path, **options), threads=threads)


def check_functions(functions):
    """Compiles the functions together; where that fails, takes them apart to find which."""
    if not functions:
        return
    try:
        module = compile_text("\n".join(f.text() for f in functions))
    except relaxlib.RelaxError as error:
        if len(functions) == 1:
            functions[0].failure = f"doesn't compile: {str(error)[:1500]}"
            return
        half = len(functions) // 2
        check_functions(functions[:half])
        check_functions(functions[half:])
        return
    for function in functions:
        try:
            function.check(module[function.name])
        except Exception as error:  # A reference that fails is this case's failure, not the file's.
            function.failure = f"{type(error).__name__}: {error}"


def check_isolated(functions):
    """check_functions in a process of its own, so that a crash is the failure of one case."""
    if not functions:
        return
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        check_functions(functions)
        with os.fdopen(write, "w") as pipe:
            json.dump([(f.failure, float(f.worst)) for f in functions], pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        for function, (failure, worst) in zip(functions, json.loads(text)):
            function.failure, function.worst = failure, worst
    elif len(functions) == 1:
        functions[0].failure = f"crashes: exit status {status}"
    else:
        half = len(functions) // 2
        check_isolated(functions[:half])
        check_isolated(functions[half:])
        if not any(f.failure for f in functions):
            functions[0].failure = f"crashes together with others of its module: exit status {status}"


def results_folder():
    folder = relaxlib.LIBRARIES.parent / "tests/conformance"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(file, cases):
    """Runs a family's cases; exits with 1 if one fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="", help="only cases whose title holds this")
    parser.add_argument("--dtype", default="")
    parser.add_argument("--show", action="store_true", help="print the text and the worst error of each")
    options = parser.parse_args()
    functions = []
    for case in cases:
        for dtype in case.dtypes:
            if options.k in case.title and options.dtype in ("", dtype):
                functions.append(Function(case, dtype, f"f{len(functions)}"))
    for start in range(0, len(functions), MODULE):
        check_isolated(functions[start:start + MODULE])
    cells, failures = {}, 0
    for f in functions:
        row, title = f.case.row or f.case.op, f"{f.case.title} {f.dtype}"
        cells.setdefault(row, {}).setdefault(f.dtype, True)
        if options.show:
            print(f"{f.text()}  {title}: largest error {f.worst:.3g} units")
        if f.failure:
            failures += 1
            cells[row][f.dtype] = False
            print(f"FAILED {title}: {f.failure}")
    print(f"{len(functions)} functions, {failures} failed")
    if not options.k and not options.dtype:
        family = pathlib.Path(file).stem
        (results_folder() / f"{family}.json").write_text(json.dumps(cells, indent=1, sort_keys=True))
    sys.exit(1 if failures or not functions else 0)
