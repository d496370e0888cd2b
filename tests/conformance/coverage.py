"""Which ops there are, and which family's conformance cases test each of them."""
import importlib
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(FOLDER))

NOT_FAMILIES = {"conformance", "coverage", "test_coverage", "test_harness"}

PROGRAMS = "tests/end-to-end/test_programs.py"
SMOLLM2 = "tests/end-to-end/test_smollm2.py"
LIKELIEST = "tests/end-to-end/test_bit_equality.py"

# Ops without a case of their own: the test that runs them. The file names the op, unless a note says
# by what it is made there.
ELSEWHERE = {
    "call": PROGRAMS,
    "call_indirect": PROGRAMS,
    "call_kernel": "tests/ir/paper/2-three-levels.mlir",
    "call_library": "tests/ir/paper/2-three-levels.mlir",
    "call_packed": PROGRAMS,
    "check_values": ("tests/conformance/index.py", "the check of every op's indices"),
    "condition": PROGRAMS,
    "constant": (SMOLLM2, "every weight"),
    "dataflow": (SMOLLM2, "around every model"),
    "erase": PROGRAMS,
    "function": PROGRAMS,
    "guard": ("tests/conformance/elementwise.py", "where n meets m"),
    "if": PROGRAMS,
    "likeliest": (LIKELIEST, "the largest logits"),
    "likeliest_bounds": (LIKELIEST, "the same"),
    "likeliest_matmul": (LIKELIEST, "the same"),
    "likeliest_terms": (LIKELIEST, "the same"),
    "likeliest_threshold": (LIKELIEST, "the same"),
    "pack_weights": (SMOLLM2, "every product with a packed weight"),
    "packed_matmul": (SMOLLM2, "the same"),
    "paged_attention": ("tests/unit/kernels/attention/PagedAttentionTest.cpp", "as C++ programs"),
    "prefix": ("tests/conformance/search.py", "every data-dependent result"),
    "quantize_activations": ("tests/unit/kernels/contraction/ContractionTest.cpp", "as C++ programs"),
    "quantized_matmul": ("tests/unit/kernels/contraction/ContractionTest.cpp", "as C++ programs"),
    "reshape_to": PROGRAMS,
    "rotary_table": ("tests/unit/kernels/attention/RotaryTableTest.cpp", "as C++ programs"),
    "shape": PROGRAMS,
    "shape_of": "tests/ir/dialect/shape.mlir",
    "shape_to_tensor": "tests/end-to-end/test_run.py",
    "state": (SMOLLM2, "packed weights"),
    "symbol_value": ("tests/conformance/create.py", "every size in a program"),
    "tensor_to_shape": PROGRAMS,
    "tuple": PROGRAMS,
    "tuple_get": PROGRAMS,
    "update_slots": ("tests/unit/kernels/attention/UpdateSlotsTest.cpp", "as C++ programs"),
    "while": PROGRAMS,
    "yield": PROGRAMS,
}


def test_of(op):
    """The path of the test of an op that is listed, and the note, if it has one."""
    where = ELSEWHERE[op]
    return where if isinstance(where, tuple) else (where, "")


def families():
    """The names of the files with cases."""
    return sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in NOT_FAMILIES)


def cases(family):
    return importlib.import_module(family).CASES


def defined_ops():
    """Op name to the family of its definition, read from the .td files."""
    ops = {}
    for path in sorted((ROOT / "compiler/dialect/ops").glob("*Ops.td")):
        text = re.sub(r"//.*", "", path.read_text())
        for name in re.findall(r'\bdef\s+Relax_\w+\s*:\s*\w+<\s*"(\w+)"', text):
            ops[name] = path.stem.removesuffix("Ops")
    return ops
