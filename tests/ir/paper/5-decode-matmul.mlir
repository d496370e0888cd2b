// RUN: relax-opt %s --split-input-file --relax-verify | relax-opt --split-input-file --relax-verify | FileCheck %s

// A decoder of 4-bit weights of one's own, written as loops, before a product. Two elements share a
// byte (unsigned in the graph, signless in programs); a block of 32 has one scale.
//
// Before grouping: two calls.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
!x_s0 = tensor<?x128xf32, #relax.shape<[s0, 128]>>
!y_s0 = tensor<?x256xf32, #relax.shape<[s0, 256]>>
!x = tensor<?x128xf32, #relax.shape<[n, 128]>>
!y = tensor<?x256xf32, #relax.shape<[n, 256]>>

// CHECK-LABEL: func.func private @decode
// CHECK: scf.for
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
// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @decode(%{{.*}}, %{{.*}}) : (tensor<64x256xui8>, tensor<4x256xf32>) -> tensor<128x256xf32>
// CHECK: relax.call_kernel @matmul(%{{.*}}, %{{.*}}) {symbols = [#relax.expr<n>]}
func.func @main(%x: !x, %packed: tensor<64x256xui8>, %scales: tensor<4x256xf32>) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %w = relax.call_kernel @decode(%packed, %scales) : (tensor<64x256xui8>, tensor<4x256xf32>) -> tensor<128x256xf32>
  %y = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<n>]} : (!x, tensor<128x256xf32>) -> !y
  return %y : !y
}

// -----

// Grouped: both calls in a function of their own.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
!x_s0 = tensor<?x128xf32, #relax.shape<[s0, 128]>>
!y_s0 = tensor<?x256xf32, #relax.shape<[s0, 256]>>
!x = tensor<?x128xf32, #relax.shape<[n, 128]>>
!y = tensor<?x256xf32, #relax.shape<[n, 256]>>
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
// CHECK-LABEL: func.func private @decode_matmul_group
// CHECK: relax.call_kernel @decode
// CHECK: relax.call_kernel @matmul
func.func private @decode_matmul_group(%x: !x, %packed: tensor<64x256xui8>, %scales: tensor<4x256xf32>) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %w = relax.call_kernel @decode(%packed, %scales) : (tensor<64x256xui8>, tensor<4x256xf32>) -> tensor<128x256xf32>
  %y = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<n>]} : (!x, tensor<128x256xf32>) -> !y
  return %y : !y
}
// CHECK-LABEL: func.func @main
// CHECK: relax.call @decode_matmul_group
func.func @main(%x: !x, %packed: tensor<64x256xui8>, %scales: tensor<4x256xf32>) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @decode_matmul_group(%x, %packed, %scales) : (!x, tensor<64x256xui8>, tensor<4x256xf32>) -> !y
  return %0 : !y
}

// -----

// Merged: one program, which decodes into a value of its own and multiplies.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
!x_s0 = tensor<?x128xf32, #relax.shape<[s0, 128]>>
!y_s0 = tensor<?x256xf32, #relax.shape<[s0, 256]>>
!x = tensor<?x128xf32, #relax.shape<[n, 128]>>
!y = tensor<?x256xf32, #relax.shape<[n, 256]>>
// CHECK-LABEL: func.func private @decode_matmul
// CHECK: scf.for
// CHECK: linalg.generic
func.func private @decode_matmul(%x: !x_s0, %packed: tensor<64x256xi8>, %scales: tensor<4x256xf32>) -> !y_s0
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
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
// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @decode_matmul(%{{.*}}, %{{.*}}, %{{.*}}) {symbols = [#relax.expr<n>]}
func.func @main(%x: !x, %packed: tensor<64x256xui8>, %scales: tensor<4x256xf32>) -> !y attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @decode_matmul(%x, %packed, %scales) {symbols = [#relax.expr<n>]} : (!x, tensor<64x256xui8>, tensor<4x256xf32>) -> !y
  return %0 : !y
}
