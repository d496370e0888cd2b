"""The same elements in another order."""
from conformance import ALL, Case, run


def permute(*order):
    dims = ["n", 4, 5]
    return Case("permute", [dims], [[dims[i] for i in order]],
                f"{{permutation = array<i64: {', '.join(map(str, order))}>}}",
                reference=lambda x: x.transpose(order), dtypes=ALL)


CASES = [permute(0, 2, 1), permute(2, 1, 0), permute(1, 0, 2)]

if __name__ == "__main__":
    run(__file__, CASES)
