// RUN: relax-opt %s --relax-classify-kernels --relax-verify | FileCheck %s --check-prefix=BEFORE
// RUN: relax-opt %s --relax-raise-loops --relax-classify-kernels --relax-group-kernels --relax-verify | FileCheck %s --check-prefix=GROUPED
// RUN: relax-opt %s --relax-raise-loops --relax-classify-kernels --relax-group-kernels --relax-merge-groups --relax-verify | FileCheck %s --check-prefix=MERGED
// RUN: relax-opt %s --relax-raise-loops --relax-classify-kernels --relax-group-kernels --relax-merge-groups --relax-schedule-kernels | FileCheck %s --check-prefix=SCHEDULED

// A decoder of 4-bit weights of one's own, written as loops, before a product. Two elements share a
// byte (unsigned in the graph, signless in programs); a block of 32 has one scale.
//
// Before grouping: two calls. The decoder is known to be injective from its loops alone.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
!x_s0 = tensor<?x128xf32, #relax.shape<[s0, 128]>>
!y_s0 = tensor<?x256xf32, #relax.shape<[s0, 256]>>
!x = tensor<?x128xf32, #relax.shape<[n, 128]>>
!y = tensor<?x256xf32, #relax.shape<[n, 256]>>

// BEFORE-LABEL: func.func private @decode
// BEFORE-SAME: relax.kind = "injective"
// BEFORE: scf.for
// BEFORE-LABEL: func.func private @matmul
// BEFORE-SAME: relax.kind = "output-fusible"
// BEFORE-LABEL: func.func @main
// BEFORE: relax.call_kernel @decode(%{{.*}}, %{{.*}}) : (tensor<64x256xui8>, tensor<4x256xf32>) -> tensor<128x256xf32>
// BEFORE: relax.call_kernel @matmul(%{{.*}}, %{{.*}}) {symbols = [#relax.expr<n>]}
//
// Grouped: both calls in a function of their own.
// GROUPED-LABEL: func.func @main
// GROUPED-NEXT: relax.call @decode_matmul_group(%arg1, %arg2, %arg0)
// GROUPED-LABEL: func.func private @decode_matmul_group
// GROUPED-SAME: (%arg0: tensor<64x256xui8>, %arg1: tensor<4x256xf32>, %arg2: tensor<?x128xf32, #relax.shape<[n, 128]>>) -> tensor<?x256xf32, #relax.shape<[n, 256]>>
// GROUPED-SAME: relax.symbols = #relax.symbols<n = [0, ?]>
// GROUPED: relax.call_kernel @decode(%arg0, %arg1)
// GROUPED: relax.call_kernel @matmul(%arg2, %{{.*}}) {symbols = [#relax.expr<n>]}
//
// Merged: one program, which decodes where it multiplies.
// MERGED-LABEL: func.func @main
// MERGED-NEXT: relax.call_kernel @decode_matmul(%arg1, %arg2, %arg0) {symbols = [#relax.expr<n>]}
// MERGED-LABEL: func.func private @decode_matmul(
// MERGED-SAME: relax.kernel_symbols = ["s0"]
// MERGED: linalg.generic
// MERGED: tensor.extract
// MERGED: linalg.generic
//
// And no decoded matrix is in memory.
// SCHEDULED: func.func private @decode_matmul(
// SCHEDULED-SAME: relax.strategy = "matmul"
// SCHEDULED-NOT: memref<128x256xf32>
func.func private @decode(%packed: tensor<64x256xi8>, %scales: tensor<4x256xf32>) -> tensor<128x256xf32>
    attributes {relax.kernel, relax.kernel_symbols = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %depth = arith.constant 128 : index
  %columns = arith.constant 256 : index
  %low = arith.constant 15 : i8
  %shift = arith.constant 4 : i8
  %offset = arith.constant 8.0 : f32
  %w0 = tensor.empty() : tensor<128x256xf32>
  %w = scf.for %k = %c0 to %depth step %c1 iter_args(%a = %w0) -> tensor<128x256xf32> {
    %half = arith.divui %k, %c2 : index
    %odd = arith.remui %k, %c2 : index
    %second = arith.cmpi ne, %odd, %c0 : index
    %block = arith.divui %k, %c32 : index
    %row = scf.for %j = %c0 to %columns step %c1 iter_args(%b = %a) -> tensor<128x256xf32> {
      %byte = tensor.extract %packed[%half, %j] : tensor<64x256xi8>
      %lo = arith.andi %byte, %low : i8
      %hi = arith.shrui %byte, %shift : i8
      %q = arith.select %second, %hi, %lo : i8
      %f = arith.uitofp %q : i8 to f32
      %centered = arith.subf %f, %offset : f32
      %scale = tensor.extract %scales[%block, %j] : tensor<4x256xf32>
      %v = arith.mulf %centered, %scale : f32
      %t = tensor.insert %v into %b[%k, %j] : tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    scf.yield %row : tensor<128x256xf32>
  }
  return %w : tensor<128x256xf32>
}
func.func private @matmul(%x: !x_s0, %w: tensor<128x256xf32>) -> !y_s0 attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : !y_s0
  %i = linalg.fill ins(%zero : f32) outs(%e : !y_s0) -> !y_s0
  %y = linalg.generic {indexing_maps = [#rows, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !x_s0, tensor<128x256xf32>) outs(%i : !y_s0) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> !y_s0
  return %y : !y_s0
}
func.func @main(%x: !x, %packed: tensor<64x256xui8>, %scales: tensor<4x256xf32>) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %w = relax.call_kernel @decode(%packed, %scales) : (tensor<64x256xui8>, tensor<4x256xf32>) -> tensor<128x256xf32>
  %y = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<n>]} : (!x, tensor<128x256xf32>) -> !y
  return %y : !y
}

