// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-analyze-kernels --relax-verify | FileCheck %s

// One operation for each element; both operands are read once, what is broadcast isn't.
// CHECK-DAG: func.func private @add(%arg0{{.*}}relax.bytes = #relax.expr<512 * s0 + 256>, relax.flops = #relax.expr<64 * s0>{{.*}}relax.read_once = array<i64: 0>
func.func @f1(%x: tensor<?x64xf32, #relax.shape<[n, 64]>>, %v: tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.add %x, %v : (tensor<?x64xf32, #relax.shape<[n, 64]>>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[n, 64]>>
}

// A product and a sum for each of n * 96 * 64.
// CHECK-DAG: func.func private @matmul(%arg0{{.*}}relax.flops = #relax.expr<12288 * s0>
func.func @f2(%x: tensor<?x64xf32, #relax.shape<[n, 64]>>, %w: tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[n, 96]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[n, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[n, 96]>>
  return %0 : tensor<?x96xf32, #relax.shape<[n, 96]>>
}

// Of a table, only what is looked up: at most all of it.
// CHECK-DAG: func.func private @take(%arg0{{.*}}relax.bytes = #relax.expr<{{.*}}min(
func.func @f3(%t: tensor<1000x64xf32>, %i: tensor<?xi32, #relax.shape<[n]>> {relax.values = #relax.values<0, 1000>}) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.take %t, %i : (tensor<1000x64xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[n, 64]>>
}

// Loops of a user are counted too.
// CHECK-DAG: func.func private @loops(%arg0{{.*}}relax.flops = #relax.expr<s0>
func.func private @loops(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = relax.symbol_value <s0>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32, #relax.shape<[s0]>> {
    %v = tensor.extract %a[%i] : tensor<?xf32, #relax.shape<[s0]>>
    %s = arith.addf %v, %v : f32
    %t = tensor.insert %s into %a[%i] : tensor<?xf32, #relax.shape<[s0]>>
    scf.yield %t : tensor<?xf32, #relax.shape<[s0]>>
  }
  return %y : tensor<?xf32, #relax.shape<[s0]>>
}

// What is decoded of a table is what is looked up in it, and so are the bytes it is decoded from.
// CHECK-DAG: func.func private @decoded_rows(%arg0{{.*}}relax.bytes = #relax.expr<68 * s0 + 4 * min({{16 \* s0, 16000|16000, 16 \* s0}})>, relax.flops = #relax.expr<min({{16 \* s0, 16000|16000, 16 \* s0}})>
func.func private @decoded_rows(%t: tensor<1000x16xf32>, %i: tensor<?xi32, #relax.shape<[s0]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %e = tensor.empty() : tensor<1000x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<1000x16xf32>) {
  ^bb0(%o: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%r, %c] : tensor<1000x16xf32>
    %s = arith.mulf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<1000x16xf32>
  %n = relax.symbol_value <s0>
  %f = tensor.empty(%n) : tensor<?x16xf32, #relax.shape<[s0, 16]>>
  %y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi32, #relax.shape<[s0]>>) outs(%f : tensor<?x16xf32, #relax.shape<[s0, 16]>>) {
  ^bb0(%row: i32, %o: f32):
    %r = arith.index_cast %row : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %d[%r, %c] : tensor<1000x16xf32>
    linalg.yield %v : f32
  } -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
  return %y : tensor<?x16xf32, #relax.shape<[s0, 16]>>
}

// Of the cache, the slots that are written, and the pages that the page table may name.
// CHECK-DAG: func.func private @update_slots(%arg0{{.*}}relax.bytes = #relax.expr<192 * s1 + 8 * s2 + 4 * s2 * s3 + 4>
!pages = tensor<?x3x8x4xf32, #relax.shape<[g, 3, 8, 4]>>
func.func @f5(%p: !pages {relax.donated}, %v: tensor<?x3x8xf32, #relax.shape<[t, 3, 8]>>, %s: tensor<?xi32, #relax.shape<[b + 1]>>,
              %table: tensor<?x?xi32, #relax.shape<[b, q]>>, %c: tensor<?xi32, #relax.shape<[b]>>) -> !pages
    attributes {relax.symbols = #relax.symbols<g = [0, ?], t = [0, ?], b = [0, ?], q = [0, ?]>} {
  %0 = relax.update_slots %p, %v, %s, %table, %c {layout = "keys"}
    : (!pages, tensor<?x3x8xf32, #relax.shape<[t, 3, 8]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, q]>>, tensor<?xi32, #relax.shape<[b]>>) -> !pages
  return %0 : !pages
}
