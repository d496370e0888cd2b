// Which instruction sums the products of a quantised contraction, by target. Few tokens multiply with the
// packed weights; for more, a chunk of two units (scale, minimum and eight quads of 64 bytes) is taken
// apart first.
// RUN: relax-opt %s --split-input-file --relax-schedule-kernels | FileCheck %s

// CHECK-LABEL: func.func {{.*}}@k(
// CHECK-SAME:  relax.strategy = "quantized-matmul"
// CHECK:       %[[COPY:.*]] = memref.alloca() {{.*}} : memref<1280xi8>
// CHECK:       arith.cmpi sle, %{{.*}}, %c8
// CHECK-NOT:   vector.store {{.*}}, %[[COPY]]
// CHECK:       "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>)
// CHECK:       } else {
// CHECK:       vector.store {{.*}}, %[[COPY]]
// CHECK:       vector.load %[[COPY]]
// CHECK-NOT:   pmaddub
module attributes {relax.target = #relax.target<"x86-64-v4", features = ["avx512f", "avx512bw", "avx512vl", "avx512vnni"], vector_bits = 512>} {
  func.func private @k(%q: tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, %p: tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %y = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 32 : i64} : (tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>>
    return %y : tensor<?x32xf32, #relax.shape<[s0, 32]>>
  }
}

// -----

// CHECK-LABEL: func.func {{.*}}@k(
// CHECK-NOT:   vpdpbusd
// CHECK:       "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// CHECK:       "llvm.x86.avx2.pmadd.wd"
module attributes {relax.target = #relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>} {
  func.func private @k(%q: tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, %p: tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %y = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 32 : i64} : (tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>>
    return %y : tensor<?x32xf32, #relax.shape<[s0, 32]>>
  }
}

// -----

// A target without byte products: plain multiplications, no instruction of x86.
// CHECK-LABEL: func.func {{.*}}@k(
// CHECK-NOT:   llvm.x86
// CHECK:       arith.muli {{.*}} : vector<4xi32>
module attributes {relax.target = #relax.target<"x86-64", features = [], vector_bits = 128>} {
  func.func private @k(%q: tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, %p: tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %y = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 32 : i64} : (tensor<?x1x64xi8, #relax.shape<[s0, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[s0, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[s0, 1, 2]>>, tensor<2x640xi8>) -> tensor<?x32xf32, #relax.shape<[s0, 32]>>
    return %y : tensor<?x32xf32, #relax.shape<[s0, 32]>>
  }
}
