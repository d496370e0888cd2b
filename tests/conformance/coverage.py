"""Which ops there are, and which family's conformance cases test each of them."""
import importlib
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(FOLDER))

NOT_FAMILIES = {"conformance", "coverage", "test_coverage", "test_harness"}

# Ops without a case of their own, and where they are tested.
ELSEWHERE = {
    "constant": "tests/end-to-end/test_smollm2.py",
    "state": "tests/end-to-end/test_smollm2.py",
    "call": "tests/ir/dialect/structure.mlir",
    "call_kernel": "tests/ir/transforms",
    "call_library": "tests/ir/dialect/structure.mlir",
    "dataflow": "tests/end-to-end/test_smollm2.py",
    "yield": "tests/end-to-end/test_smollm2.py",
    "shape_of": "tests/ir/dialect/shape.mlir",
    "symbol_value": "tests/conformance/normalize.py, inside rms_norm",
    "rotary_table": "tests/unit/kernels/attention",
    "update_slots": "tests/unit/kernels/attention",
    "paged_attention": "tests/unit/kernels/attention",
    "pack_weights": "tests/unit/kernels/contraction",
    "quantize_activations": "tests/unit/kernels/contraction",
    "quantized_matmul": "tests/unit/kernels/contraction",
    "packed_matmul": "tests/unit/kernels/contraction",
}


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
