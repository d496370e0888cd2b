// RUN: relax-opt %s --relax-lift-workspace --relax-verify --relax-plan-memory --relax-check-memory-plan | FileCheck %s

// The paper's own example: a product whose sum over k is split in parts, kept in a workspace that the
// program allocates. Lifted, the workspace is a result that nothing reads, and a part of the arena of
// the function that calls it.
!x = tensor<?x512xf32, #relax.shape<[s0, 512]>>
!w = tensor<512x16xf32>
!y = tensor<?x16xf32, #relax.shape<[s0, 16]>>
!parts = tensor<4x?x16xf32, #relax.shape<[4, s0, 16]>>
// CHECK-LABEL: func.func private @mm_split_k
// CHECK-SAME:    -> (tensor<?x16xf32, #relax.shape<[s0, 16]>>, tensor<?xi8, #relax.shape<[256 * s0]>>)
func.func private @mm_split_k(%x: !x, %w: !w) -> !y attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %m = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %workspace = tensor.empty(%m) : !parts
  %parts = scf.for %s = %c0 to %c4 step %c1 iter_args(%p0 = %workspace) -> (!parts) {
    %first = arith.muli %s, %c128 : index
    %p3 = scf.for %i = %c0 to %m step %c1 iter_args(%p1 = %p0) -> (!parts) {
      %p2 = scf.for %j = %c0 to %c16 step %c1 iter_args(%p = %p1) -> (!parts) {
        %sum = scf.for %k = %c0 to %c128 step %c1 iter_args(%acc = %zero) -> (f32) {
          %kk = arith.addi %first, %k : index
          %a = tensor.extract %x[%i, %kk] : !x
          %b = tensor.extract %w[%kk, %j] : !w
          %q = arith.mulf %a, %b : f32
          %next = arith.addf %acc, %q : f32
          scf.yield %next : f32
        }
        %u = tensor.insert %sum into %p[%s, %i, %j] : !parts
        scf.yield %u : !parts
      }
      scf.yield %p2 : !parts
    }
    scf.yield %p3 : !parts
  }
  %e = tensor.empty(%m) : !y
  %y = scf.for %i = %c0 to %m step %c1 iter_args(%y0 = %e) -> (!y) {
    %y2 = scf.for %j = %c0 to %c16 step %c1 iter_args(%y1 = %y0) -> (!y) {
      %sum = scf.for %s = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = tensor.extract %parts[%s, %i, %j] : !parts
        %next = arith.addf %acc, %a : f32
        scf.yield %next : f32
      }
      %u = tensor.insert %sum into %y1[%i, %j] : !y
      scf.yield %u : !y
    }
    scf.yield %y2 : !y
  }
  return %y : !y
}

// CHECK-LABEL: func.func @main
// CHECK-SAME:    relax.arena_size = #relax.expr<256 * n>
// CHECK:         relax.call_kernel @mm_split_k(%arg0, %arg1) {storage = [#relax.storage<result, 0>, #relax.storage<arena, 0>], symbols = [#relax.expr<n>]}
func.func @main(%x: tensor<?x512xf32, #relax.shape<[n, 512]>>, %w: !w) -> tensor<?x16xf32, #relax.shape<[n, 16]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @mm_split_k(%x, %w) {symbols = [#relax.expr<n>]} : (tensor<?x512xf32, #relax.shape<[n, 512]>>, !w) -> tensor<?x16xf32, #relax.shape<[n, 16]>>
  return %0 : tensor<?x16xf32, #relax.shape<[n, 16]>>
}
