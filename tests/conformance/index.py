"""Elements by index."""
from conformance import ALL, Case, integers, run

CASES = [
    Case("take", [[11, 6], ("i32", ["n"])], [["n", 6]], dtypes=ALL,
         reference=lambda table, rows: table[rows], data=[None, integers(0, 11)]),
]

if __name__ == "__main__":
    run(__file__, CASES)
