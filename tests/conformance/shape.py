"""Ops that change annotations and not elements."""
import numpy as np

from conformance import Case, run, tensor

F32 = {name: tensor(dims, "f32") for name, dims in
       {"wide": ["n", 6], "narrow": ["2 * n", 3], "n": ["n", 3], "m": ["m", 3]}.items()}
# A view between two kernels: n rows of 6 are 2 n rows of 3.
VIEW = f"""
func.func @main(%x: {F32["wide"]}) -> {F32["narrow"]}
    attributes {{relax.symbols = #relax.symbols<n = [0, ?]>}} {{
  %a = relax.negate %x : ({F32["wide"]}) -> {F32["wide"]}
  %b = relax.reshape %a : {F32["wide"]} to {F32["narrow"]}
  %c = relax.relu %b : ({F32["narrow"]}) -> {F32["narrow"]}
  return %c : {F32["narrow"]}
}}"""
# m is what the argument says; the call fails where it isn't n.
MATCH = f"""
func.func @main(%x: {F32["n"]}, %y: {F32["m"]}) -> {F32["n"]}
    attributes {{relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}} {{
  %z = relax.match_cast %y : {F32["m"]} to {F32["n"]}
  %r = relax.add %x, %z : ({F32["n"]}, {F32["n"]}) -> {F32["n"]}
  return %r : {F32["n"]}
}}"""
EQUAL = tuple({"n": n, "m": n} for n in (0, 1, 2, 17, 5))
OTHER = tuple({"n": n, "m": n + 1} for n in (0, 1, 2, 17, 5))

CASES = [
    Case("reshape", [["n", 6]], [["2 * n", 3]], text=VIEW,
         reference=lambda x: np.maximum(-x, 0).reshape(-1, 3)),
    Case("match_cast", [["n", 3], ["m", 3]], [["n", 3]], text=MATCH, reference=np.add, sizes=EQUAL),
    Case("match_cast", [["n", 3], ["m", 3]], [["n", 3]], text=MATCH, error="m == n", sizes=OTHER,
         name="match_cast that fails"),
]

if __name__ == "__main__":
    run(__file__, CASES)
