#!/usr/bin/python3
"""Writes docs/operators.md from what the conformance tests have found.

    scripts/operator_table.py            run the families whose results are missing, and write
    scripts/operator_table.py --all      run every family first
    scripts/operator_table.py --check    compare: exit status 1 where the file isn't current
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import conformance  # noqa: E402
import coverage  # noqa: E402

TABLE = ROOT / "docs/operators.md"
HEADER = """# Operators by element type

Written by `scripts/operator_table.py` from the conformance tests (`tests/conformance`), which compile each
op and compare it with NumPy at sizes 0, 1, 2, 3, odd, and around the tiles. **yes**: every case passes;
FAILS: one doesn't; empty: not claimed. `i1` is bool. Each op's meaning stands beside its definition in
`compiler/dialect/ops`.
"""


def results(family):
    path = conformance.results_folder() / f"{family}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table():
    lines = [HEADER]
    for family in coverage.families():
        cells = results(family)
        if cells is None:
            sys.exit(f"no results of {family}: run tests/conformance/{family}.py")
        lines.append(f"\n## {family.replace('_', ' ').capitalize()}\n")
        lines.append(f"| op | {' | '.join(conformance.ALL)} |")
        lines.append(f"|---|{'---|' * len(conformance.ALL)}")
        for row in sorted(cells):
            marks = ["" if d not in cells[row] else "yes" if cells[row][d] else "FAILS"
                     for d in conformance.ALL]
            lines.append(f"| {row} | {' | '.join(marks)} |")
    lines.append("\n## Tested elsewhere\n\nOps that structure a program, and those with kernels of their own.\n")
    lines.append("| op | test |\n|---|---|")
    for op in sorted(coverage.ELSEWHERE):
        path, note = coverage.test_of(op)
        lines.append(f"| {op} | {path}{': ' if note else ''}{note} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.check:
        if table() != TABLE.read_text():
            sys.exit("docs/operators.md isn't what the conformance tests find: run scripts/operator_table.py")
        return
    for family in coverage.families():
        if options.all or results(family) is None:
            subprocess.run(["/usr/bin/python3", ROOT / f"tests/conformance/{family}.py"], check=False)
    TABLE.write_text(table())


if __name__ == "__main__":
    main()
