// RUN: relax-opt %s --relax-claim-library=libraries=openblas,onednn | FileCheck %s
// RUN: relax-opt %s --relax-claim-library=libraries=openblas | FileCheck %s --check-prefix=BLAS
// RUN: relax-opt %s "--relax-claim-library=libraries=onednn required" | FileCheck %s --check-prefix=REQUIRED
// RUN: relax-opt %s --relax-claim-library | FileCheck %s --check-prefix=NONE
// RUN: relax-opt %s --relax-claim-library=libraries=auto | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %s --relax-claim-library=libraries=blis 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: relax-opt %s --relax-claim-library=libraries=onednn --relax-verify | FileCheck %s --check-prefix=AGAIN

// NONE-NOT: relax.call_library
// UNKNOWN: unknown library 'blis'; expected auto, none or some of onednn, openblas
// AGAIN-LABEL: func.func @plain

// From 32 rows and 2^24 multiplications on; below that the alternative, which is compiled like all else.
// CHECK-LABEL: func.func @plain
// CHECK:         relax.call_library "onednn.matmul"(%arg0, %arg1)
// CHECK-SAME:      at_least = array<i64: 32, 16777216>
// CHECK-SAME:      otherwise = @[[$PLAIN:library_alternative[_0-9]*]]
// CHECK-SAME:      when = [#relax.expr<min(t, 512)>, #relax.expr<131072 * t>]
// CHECK-NOT:     relax.matmul
// BLAS-LABEL:  func.func @plain
// BLAS:          relax.call_library "openblas.matmul"(%arg0, %arg1)
// REQUIRED-LABEL: func.func @plain
// REQUIRED:      relax.call_library "onednn.matmul"(%arg0, %arg1) : (
func.func @plain(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<256x512xf32>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %y = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %y : tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// The same region has the same alternative, whatever the sizes are called here.
// CHECK-LABEL: func.func @again
// CHECK:         relax.call_library "onednn.matmul"{{.*}}otherwise = @[[$PLAIN]],
func.func @again(%x: tensor<?x256xf32, #relax.shape<[2 * n, 256]>>, %w: tensor<256x512xf32>, %n: tensor<?xf32, #relax.shape<[n]>>)
    -> tensor<?x512xf32, #relax.shape<[2 * n, 512]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[2 * n, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[2 * n, 512]>>
  return %y : tensor<?x512xf32, #relax.shape<[2 * n, 512]>>
}

// The largest region: product, bias, activation and residual are one call. OpenBLAS takes the product,
// and leaves the rest.
// CHECK-LABEL: func.func @epilogue
// CHECK-NEXT:    %[[Y:.*]] = relax.call_library "onednn.matmul"(%arg0, %arg1, %arg2, %arg3)
// CHECK-SAME:      bias
// CHECK-SAME:      relu = 2 : i64, residual, transpose_b
// CHECK-NEXT:    return %[[Y]]
// BLAS-LABEL:  func.func @epilogue
// BLAS:          relax.call_library "openblas.matmul"(%arg0, %arg1)
// BLAS:          relax.add
// BLAS:          relax.relu
// BLAS:          relax.add
func.func @epilogue(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<512x256xf32>, %b: tensor<512xf32>,
                    %r: tensor<?x512xf32, #relax.shape<[t, 512]>>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.matmul %x, %w {transpose_b} : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<512x256xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %1 = relax.add %0, %b : (tensor<?x512xf32, #relax.shape<[t, 512]>>, tensor<512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %2 = relax.relu %1 : (tensor<?x512xf32, #relax.shape<[t, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %3 = relax.add %r, %2 : (tensor<?x512xf32, #relax.shape<[t, 512]>>, tensor<?x512xf32, #relax.shape<[t, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %3 : tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// Batches, with one matrix for all of them: the rows of all batches count.
// CHECK-LABEL: func.func @batches
// CHECK:         relax.call_library "onednn.matmul"{{.*}}when = [#relax.expr<min(b * t, 512)>, #relax.expr<131072 * b * t>]
func.func @batches(%x: tensor<?x?x256xf32, #relax.shape<[b, t, 256]>>, %w: tensor<256x512xf32>)
    -> tensor<?x?x512xf32, #relax.shape<[b, t, 512]>> attributes {relax.symbols = #relax.symbols<b = [0, ?], t = [0, ?]>} {
  %y = relax.matmul %x, %w : (tensor<?x?x256xf32, #relax.shape<[b, t, 256]>>, tensor<256x512xf32>) -> tensor<?x?x512xf32, #relax.shape<[b, t, 512]>>
  return %y : tensor<?x?x512xf32, #relax.shape<[b, t, 512]>>
}

// OpenBLAS has double precision, oneDNN has not.
// CHECK-LABEL: func.func @double
// CHECK:         relax.call_library "openblas.matmul"
func.func @double(%x: tensor<?x256xf64, #relax.shape<[t, 256]>>, %w: tensor<256x512xf64>)
    -> tensor<?x512xf64, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %y = relax.matmul %x, %w : (tensor<?x256xf64, #relax.shape<[t, 256]>>, tensor<256x512xf64>) -> tensor<?x512xf64, #relax.shape<[t, 512]>>
  return %y : tensor<?x512xf64, #relax.shape<[t, 512]>>
}

// What the product's result is also used for is computed once: only the product is claimed.
// CHECK-LABEL: func.func @used_twice
// CHECK:         %[[P:.*]] = relax.call_library "onednn.matmul"(%arg0, %arg1)
// CHECK:         relax.relu %[[P]]
func.func @used_twice(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<256x512xf32>)
    -> (tensor<?x512xf32, #relax.shape<[t, 512]>>, tensor<?x512xf32, #relax.shape<[t, 512]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  %1 = relax.relu %0 : (tensor<?x512xf32, #relax.shape<[t, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %0, %1 : tensor<?x512xf32, #relax.shape<[t, 512]>>, tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// Never large enough: 16 rows at most.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     relax.call_library
// CHECK:         relax.matmul
func.func @small(%x: tensor<?x256xf32, #relax.shape<[t, 256]>>, %w: tensor<256x512xf32>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, 16]>} {
  %y = relax.matmul %x, %w : (tensor<?x256xf32, #relax.shape<[t, 256]>>, tensor<256x512xf32>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %y : tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// A type that the libraries don't have, and operands of two types.
// CHECK-LABEL: func.func @half
// CHECK-NOT:     relax.call_library
// CHECK:         return
func.func @half(%x: tensor<?x256xf16, #relax.shape<[t, 256]>>, %w: tensor<256x512xf16>)
    -> tensor<?x512xf16, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %y = relax.matmul %x, %w : (tensor<?x256xf16, #relax.shape<[t, 256]>>, tensor<256x512xf16>) -> tensor<?x512xf16, #relax.shape<[t, 512]>>
  return %y : tensor<?x512xf16, #relax.shape<[t, 512]>>
}

// Sizes that only a guard makes equal.
// CHECK-LABEL: func.func @guarded
// CHECK-NOT:     relax.call_library
// CHECK:         relax.matmul
func.func @guarded(%x: tensor<?x?xf32, #relax.shape<[t, k]>>, %w: tensor<?x512xf32, #relax.shape<[j, 512]>>)
    -> tensor<?x512xf32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?], k = [0, ?], j = [0, ?]>} {
  relax.guard <equal, k, j> "k == j"
  %y = relax.matmul %x, %w : (tensor<?x?xf32, #relax.shape<[t, k]>>, tensor<?x512xf32, #relax.shape<[j, 512]>>) -> tensor<?x512xf32, #relax.shape<[t, 512]>>
  return %y : tensor<?x512xf32, #relax.shape<[t, 512]>>
}

// Batches that broadcast.
// CHECK-LABEL: func.func @broadcast
// CHECK-NOT:     relax.call_library
// CHECK:         relax.matmul
func.func @broadcast(%x: tensor<1x256x256xf32>, %w: tensor<7x256x512xf32>) -> tensor<7x256x512xf32> {
  %y = relax.matmul %x, %w : (tensor<1x256x256xf32>, tensor<7x256x512xf32>) -> tensor<7x256x512xf32>
  return %y : tensor<7x256x512xf32>
}

// Stored weights keep their bytes: claim-contractions has them.
// CHECK-LABEL: func.func @stored
// CHECK-NOT:     relax.call_library
// CHECK:         relax.matmul
func.func @stored(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x9600xf32, #relax.shape<[t, 9600]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 384000, hash = "00"> : tensor<9600x40xi8>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<9600x40xi8>) -> tensor<9600x64xf32>
  %y = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<9600x64xf32>) -> tensor<?x9600xf32, #relax.shape<[t, 9600]>>
  return %y : tensor<?x9600xf32, #relax.shape<[t, 9600]>>
}

// CHECK:       func.func private @[[$PLAIN]](%arg0: tensor<?x256xf32, #relax.shape<[s0, 256]>>, %arg1: tensor<256x512xf32>)
// CHECK-SAME:      -> tensor<?x512xf32, #relax.shape<[s0, 512]>>
// CHECK-NEXT:    relax.matmul
