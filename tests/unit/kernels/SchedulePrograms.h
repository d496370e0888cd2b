//===- SchedulePrograms.h - tensor programs that the tests of strategies run ------------------===//
#pragma once

#include <string>

namespace relax::test {

/// One map for each operand, as linalg.generic wants them; `iterators` is comma-separated.
inline std::string generic(const std::string &maps, const std::string &iterators) {
  return "linalg.generic {indexing_maps = [" + maps + "], iterator_types = [" + iterators + "]} ";
}

inline const std::string row2 = "affine_map<(i, j) -> (i, j)>";
inline const std::string rows = "affine_map<(i, j) -> (i)>";
inline const std::string columns = "affine_map<(i, j) -> (j)>";
inline const std::string parallel2 = "\"parallel\", \"parallel\"";
inline const std::string reduce2 = "\"parallel\", \"reduction\"";

/// tensor<?x?xf32> of shape [s0, s1].
inline const std::string matrix = "tensor<?x?xf32, #relax.shape<[s0, s1]>>";
inline const std::string vectorS0 = "tensor<?xf32, #relax.shape<[s0]>>";
inline const std::string vectorS1 = "tensor<?xf32, #relax.shape<[s1]>>";

/// %n0 and %n1, the extents s0 and s1, and uninitialised tensors %e (matrix) and %r (of rows).
inline const std::string prologue = R"(
    %n0 = relax.symbol_value #relax.expr<s0>
    %n1 = relax.symbol_value #relax.expr<s1>
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty(%n0, %n1) : )" +
                                    matrix + R"(
    %r = tensor.empty(%n0) : )" + vectorS0 +
                                    "\n";

inline std::string program(const std::string &arguments, const std::string &results,
                           const std::string &body, const std::string &symbols = "\"s0\", \"s1\"") {
  return "func.func private @k(" + arguments + ") -> " + results +
         " attributes {relax.kernel, relax.kernel_symbols = [" + symbols + "]} {\n" + body + "}\n";
}

/// The softmax of each row of %x.
inline std::string softmaxProgram() {
  return program("%x: " + matrix, matrix,
                 prologue + R"(
    %mi = linalg.fill ins(%lowest : f32) outs(%r : )" +
                     vectorS0 + ") -> " + vectorS0 + R"(
    %m = )" + generic(row2 + ", " + rows, reduce2) +
                     "ins(%x : " + matrix + ") outs(%mi : " + vectorS0 + R"() {
      ^bb0(%a: f32, %acc: f32):
        %v = arith.maximumf %a, %acc : f32
        linalg.yield %v : f32 } -> )" +
                     vectorS0 + R"(
    %si = linalg.fill ins(%zero : f32) outs(%r : )" +
                     vectorS0 + ") -> " + vectorS0 + R"(
    %s = )" + generic(row2 + ", " + rows + ", " + rows, reduce2) +
                     "ins(%x, %m : " + matrix + ", " + vectorS0 + ") outs(%si : " + vectorS0 +
                     R"() {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %d = arith.subf %a, %b : f32
        %ex = math.exp %d : f32
        %v = arith.addf %acc, %ex : f32
        linalg.yield %v : f32 } -> )" +
                     vectorS0 + R"(
    %y = )" + generic(row2 + ", " + rows + ", " + rows + ", " + row2, parallel2) +
                     "ins(%x, %m, %s : " + matrix + ", " + vectorS0 + ", " + vectorS0 +
                     ") outs(%e : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
        %d = arith.subf %a, %b : f32
        %ex = math.exp %d : f32
        %v = arith.divf %ex, %c : f32
        linalg.yield %v : f32 } -> )" +
                     matrix + "\n    return %y : " + matrix + "\n");
}

/// y = x + residual, and its RMS normalisation times %w: two results.
inline std::string addNormProgram() {
  std::string two = "(" + matrix + ", " + matrix + ")";
  return program("%x: " + matrix + ", %residual: " + matrix + ", %w: " + vectorS1, two,
                 prologue + R"(
    %y = )" + generic(row2 + ", " + row2 + ", " + row2, parallel2) +
                     "ins(%x, %residual : " + matrix + ", " + matrix + ") outs(%e : " + matrix +
                     R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %v = arith.addf %a, %b : f32
        linalg.yield %v : f32 } -> )" +
                     matrix + R"(
    %si = linalg.fill ins(%zero : f32) outs(%r : )" +
                     vectorS0 + ") -> " + vectorS0 + R"(
    %s = )" + generic(row2 + ", " + rows, reduce2) +
                     "ins(%y : " + matrix + ") outs(%si : " + vectorS0 + R"() {
      ^bb0(%a: f32, %acc: f32):
        %q = arith.mulf %a, %a : f32
        %v = arith.addf %acc, %q : f32
        linalg.yield %v : f32 } -> )" +
                     vectorS0 + R"(
    %eps = arith.constant 1.0e-5 : f32
    %scale = )" + generic("affine_map<(i) -> (i)>, affine_map<(i) -> (i)>", "\"parallel\"") +
                     "ins(%s : " + vectorS0 + ") outs(%r : " + vectorS0 + R"() {
      ^bb0(%a: f32, %o: f32):
        %c = arith.index_cast %n1 : index to i64
        %f = arith.sitofp %c : i64 to f32
        %mean = arith.divf %a, %f : f32
        %p = arith.addf %mean, %eps : f32
        %v = math.rsqrt %p : f32
        linalg.yield %v : f32 } -> )" +
                     vectorS0 + R"(
    %z = )" + generic(row2 + ", " + rows + ", " + columns + ", " + row2, parallel2) +
                     "ins(%y, %scale, %w : " + matrix + ", " + vectorS0 + ", " + vectorS1 +
                     ") outs(%e : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
        %d = arith.mulf %a, %b : f32
        %v = arith.mulf %d, %c : f32
        linalg.yield %v : f32 } -> )" +
                     matrix + "\n    return %y, %z : " + matrix + ", " + matrix + "\n");
}

/// silu(%x) * %y.
inline std::string swigluProgram() {
  return program("%x: " + matrix + ", %y: " + matrix, matrix,
                 prologue + R"(
    %g = )" + generic(row2 + ", " + row2, parallel2) +
                     "ins(%x : " + matrix + ") outs(%e : " + matrix + R"() {
      ^bb0(%a: f32, %o: f32):
        %n = arith.negf %a : f32
        %ex = math.exp %n : f32
        %p = arith.addf %ex, %one : f32
        %v = arith.divf %a, %p : f32
        linalg.yield %v : f32 } -> )" +
                     matrix + R"(
    %z = )" + generic(row2 + ", " + row2 + ", " + row2, parallel2) +
                     "ins(%g, %y : " + matrix + ", " + matrix + ") outs(%e : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %v = arith.mulf %a, %b : f32
        linalg.yield %v : f32 } -> )" +
                     matrix + "\n    return %z : " + matrix + "\n");
}

} // namespace relax::test
