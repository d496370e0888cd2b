// RUN: relax-opt %s --relax-legalize --relax-schedule-kernels | FileCheck %s

// No matrix of scores: memory on the stack is of static size, for a tile of queries and a block of
// keys.
// CHECK: func.func private @attention(
// CHECK-SAME: relax.strategy = "attention"
// CHECK: memref.alloca
// CHECK-NOT: memref.alloc(
// CHECK: math.exp
func.func @whole(%q: tensor<1x6x?x16xf32, #relax.shape<[1, 6, t, 16]>>, %k: tensor<1x2x?x16xf32, #relax.shape<[1, 2, s, 16]>>, %m: tensor<?x?xi1, #relax.shape<[t, s]>>)
    -> tensor<1x6x?x16xf32, #relax.shape<[1, 6, t, 16]>> attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %r = relax.attention %q, %k, %k, %m {causal, softcap = 5.0 : f64, window = 8 : i64} : (tensor<1x6x?x16xf32, #relax.shape<[1, 6, t, 16]>>, tensor<1x2x?x16xf32, #relax.shape<[1, 2, s, 16]>>, tensor<1x2x?x16xf32, #relax.shape<[1, 2, s, 16]>>, tensor<?x?xi1, #relax.shape<[t, s]>>) -> tensor<1x6x?x16xf32, #relax.shape<[1, 6, t, 16]>>
  return %r : tensor<1x6x?x16xf32, #relax.shape<[1, 6, t, 16]>>
}
