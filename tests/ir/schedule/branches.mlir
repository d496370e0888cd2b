// RUN: relax-opt %s --relax-schedule-kernels --canonicalize --cse --split-input-file | FileCheck %s
// An scf.if in a body is a branch of the kernel: what isn't taken isn't read.

module attributes {relax.target = #relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>} {

// Eight lanes at once where they agree, which the first and the last of them show; else one by one.
// CHECK-LABEL: func.func private @concat(
// CHECK-SAME:    relax.strategy = "elementwise"
// CHECK:       scf.for %[[I:.*]] = {{.*}} step %c8
// CHECK:         %[[LAST:.*]] = arith.addi %[[I]], %c7
// CHECK:         %[[ALL:.*]] = arith.cmpi slt, %[[LAST]],
// CHECK:         %[[ANY:.*]] = arith.cmpi slt, %[[I]],
// CHECK:         scf.if %[[ALL]] -> (vector<8xf32>)
// CHECK-NEXT:      vector.load %arg0
// CHECK:         } else {
// CHECK:           scf.if %[[ANY]] -> (vector<8xf32>)
// CHECK:             scf.for {{.*}} = %c0 to %c8 step %c1 iter_args
// CHECK:               scf.if {{.*}} -> (f32)
// CHECK:                 memref.load %arg0
// CHECK:               } else {
// CHECK:                 memref.load %arg1
// CHECK:               vector.insert
// CHECK:           } else {
// CHECK:             vector.load %arg1
func.func private @concat(%x: tensor<?xf32, #relax.shape<[s0]>>, %y: tensor<?xf32, #relax.shape<[s1]>>) -> tensor<?xf32, #relax.shape<[s0 + s1]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  %n = relax.symbol_value <s0>
  %m = relax.symbol_value <s0 + s1>
  %e = tensor.empty(%m) : tensor<?xf32, #relax.shape<[s0 + s1]>>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xf32, #relax.shape<[s0 + s1]>>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi slt, %i, %n : index
    %v = scf.if %c -> f32 {
      %a = tensor.extract %x[%i] : tensor<?xf32, #relax.shape<[s0]>>
      scf.yield %a : f32
    } else {
      %j = arith.subi %i, %n : index
      %b = tensor.extract %y[%j] : tensor<?xf32, #relax.shape<[s1]>>
      scf.yield %b : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32, #relax.shape<[s0 + s1]>>
  return %r : tensor<?xf32, #relax.shape<[s0 + s1]>>
}

// A condition that is the same in all lanes is one branch.
// CHECK-LABEL: func.func private @rows(
// CHECK:       scf.for {{.*}} step %c8
// CHECK:         scf.if %{{.*}} -> (vector<8xf32>)
// CHECK-NEXT:      vector.load %arg0
// CHECK-NOT:     scf.for {{.*}} = %c0 to %c8
func.func private @rows(%x: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %y: tensor<2x64xf32>) -> tensor<?x64xf32, #relax.shape<[s0 + 2, 64]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %m = relax.symbol_value <s0 + 2>
  %e = tensor.empty(%m) : tensor<?x64xf32, #relax.shape<[s0 + 2, 64]>>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x64xf32, #relax.shape<[s0 + 2, 64]>>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi slt, %i, %n : index
    %v = scf.if %c -> f32 {
      %a = tensor.extract %x[%i, %j] : tensor<?x64xf32, #relax.shape<[s0, 64]>>
      scf.yield %a : f32
    } else {
      %k = arith.subi %i, %n : index
      %b = tensor.extract %y[%k, %j] : tensor<2x64xf32>
      scf.yield %b : f32
    }
    linalg.yield %v : f32
  } -> tensor<?x64xf32, #relax.shape<[s0 + 2, 64]>>
  return %r : tensor<?x64xf32, #relax.shape<[s0 + 2, 64]>>
}
}
