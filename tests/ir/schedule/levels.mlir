// RUN: relax-opt %s --relax-schedule-kernels | FileCheck %s

// Several targets: the kernels of the first stand where the programs stood, those of each further
// one in a module of their own. Tiles of @product follow the width of vectors, so its units differ;
// those of @negate don't.

// CHECK-LABEL: func.func private @product
// CHECK-SAME: relax.level_extents = [#relax.expr<4 * ceildiv(s0, 96)>, #relax.expr<2 * ceildiv(s0, 96)>]
// CHECK: vector<4xf32>
// CHECK-LABEL: func.func private @negate
// CHECK-NOT: relax.level_extents
// CHECK: module attributes {relax.target = #relax.target<"x86-64-v3"
// CHECK: func.func private @product
// CHECK: vector<8xf32>
// CHECK: func.func private @negate
module attributes {
    relax.target = #relax.target<"x86-64-v2", features = ["sse4.2"], vector_bits = 128>,
    relax.more_targets = [#relax.target<"x86-64-v3", features = ["avx2", "fma"], vector_bits = 256>]} {
  func.func private @product(%a: tensor<?x32xf32, #relax.shape<[s0, 32]>>, %b: tensor<32x64xf32>)
      -> tensor<?x64xf32, #relax.shape<[s0, 64]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %zero = arith.constant 0.0 : f32
    %n = relax.symbol_value #relax.expr<s0>
    %empty = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32, #relax.shape<[s0, 64]>>)
        -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    %y = linalg.matmul ins(%a, %b : tensor<?x32xf32, #relax.shape<[s0, 32]>>, tensor<32x64xf32>)
        outs(%fill : tensor<?x64xf32, #relax.shape<[s0, 64]>>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  }
  func.func private @negate(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
      attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %y = arith.negf %x : tensor<?xf32, #relax.shape<[s0]>>
    return %y : tensor<?xf32, #relax.shape<[s0]>>
  }
}
