// A weight format of a user's own, from a file.
// RUN: split-file %s %t
// RUN: relax-opt --block-format=%t/two_bits.mlir --relax-legalize %t/program.mlir | FileCheck %s
// RUN: not relax-opt --block-format=%t/wrong.mlir %t/program.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not relax-opt --block-format=%t/missing.mlir %t/program.mlir 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK: call_kernel @dequantize({{.*}}) : (tensor<4x20xi8>) -> tensor<4x64xf32>
// CHECK-LABEL: func.func private @dequantize
// CHECK: arith.shrui
// CHECK: arith.sitofp
// WRONG: weight format "wrong": elements: found 40, expected a multiple of 32
// MISSING: missing.mlir: the weight format can't be read

//--- two_bits.mlir
// (q - 1) * d: the four numbers of a byte are eight apart.
{
  elements = 32, bytes = 10, scale = 0,
  quants = {planes = [{bits = 2, at = affine_map<(j) -> (2 + j mod 8, j floordiv 8 * 2)>}], offset = 1}
}

//--- wrong.mlir
{elements = 40, bytes = 10, scale = 0}

//--- program.mlir
func.func @main(%b: tensor<4x20xi8>) -> tensor<4x64xf32> {
  %w = relax.dequantize %b {format = "two_bits"} : (tensor<4x20xi8>) -> tensor<4x64xf32>
  return %w : tensor<4x64xf32>
}
