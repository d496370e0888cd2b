// RUN: relax-opt %s --split-input-file --relax-legalize --relax-classify-kernels --relax-group-kernels --relax-verify | FileCheck %s
// RUN: relax-opt %s --split-input-file --relax-legalize --relax-classify-kernels --relax-group-kernels --relax-merge-groups --relax-verify | FileCheck %s --check-prefix=MERGED

// Calls that will be one program are a function first. A symbol that no tensor has as a dimension of
// its own is passed as a shape, and is an argument of the program afterwards.
// CHECK-LABEL: func.func @expression
// CHECK-NEXT: %[[S:.*]] = relax.shape <[n]>
// CHECK-NEXT: relax.call @exp_add_group(%arg0, %[[S]])
// CHECK: func.func private @exp_add_group(%arg0: tensor<?xf32, #relax.shape<[2 * n]>>, %arg1: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[2 * n]>>
// CHECK-SAME: relax.group, relax.symbols = #relax.symbols<n = [0, 10]>
// CHECK: relax.call_kernel @exp(%arg0)
// CHECK: relax.call_kernel @add
// MERGED-LABEL: func.func @expression
// MERGED-NEXT: relax.call_kernel @exp_add(%arg0) {symbols = [#relax.expr<n>]}
// MERGED: func.func private @exp_add(%arg0: tensor<?xf32, #relax.shape<[2 * s0]>>)
func.func @expression(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %s: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[2 * n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 10]>} {
  %0 = relax.exp %x : (tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  %1 = relax.add %0, %x : (tensor<?xf32, #relax.shape<[2 * n]>>, tensor<?xf32, #relax.shape<[2 * n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %1 : tensor<?xf32, #relax.shape<[2 * n]>>
}

// -----

// A symbol that only the result of a merged call has.
// MERGED-LABEL: func.func @result_only
// MERGED-NEXT: relax.call_kernel @arange_negate() {symbols = [#relax.expr<n>]} : () -> tensor<?xf32, #relax.shape<[n + 1]>>
func.func @result_only(%s: !relax.shape<[n]>) -> tensor<?xf32, #relax.shape<[n + 1]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.arange {limit = #relax.expr<n + 1>, dtype = f32} : () -> tensor<?xf32, #relax.shape<[n + 1]>>
  %1 = relax.negate %0 : (tensor<?xf32, #relax.shape<[n + 1]>>) -> tensor<?xf32, #relax.shape<[n + 1]>>
  return %1 : tensor<?xf32, #relax.shape<[n + 1]>>
}

// -----

// Names that are taken already, by functions and by programs.
// CHECK-LABEL: func.func private @exp_negate_group()
// CHECK-LABEL: func.func @names
// CHECK: relax.call @exp_negate_group_0
// CHECK: func.func private @exp_negate_group_0
// MERGED-LABEL: func.func private @exp_negate()
// MERGED-LABEL: func.func private @fused_exp_negate()
// MERGED-LABEL: func.func @names
// MERGED: relax.call_kernel @exp_negate_0
// MERGED: func.func private @exp_negate_0(
func.func private @exp_negate_group() -> tensor<4xf32>
func.func private @exp_negate() -> tensor<4xf32>
func.func private @fused_exp_negate() -> tensor<4xf32>
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Tuples, nested, of what is merged: they move behind the call.
// MERGED-LABEL: func.func @tuples
// MERGED-NEXT: %[[R:.*]]:2 = relax.call_kernel @exp_negate(%arg0)
// MERGED-NEXT: %[[T:.*]] = relax.tuple %[[R]]#0, %arg0
// MERGED-NEXT: relax.tuple %[[T]], %[[R]]#1
func.func @tuples(%x: tensor<4xf32>) -> tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>> {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %1 = relax.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.tuple %t, %1 : (tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>) -> tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>
  return %2 : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>>
}

// -----

// A value with another use is a second result, if it is computed at the same place anyway.
// MERGED-LABEL: func.func @two_uses
// MERGED-NEXT: %[[R:.*]]:2 = relax.call_kernel @exp{{.*}}tanh(%arg0)
// MERGED-NEXT: return %[[R]]#0, %[[R]]#1
func.func @two_uses(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A diamond is one program.
// MERGED-LABEL: func.func @diamond
// MERGED-NEXT: relax.call_kernel @exp{{.*}}add(%arg0)
// MERGED-NEXT: return
func.func @diamond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relax.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// The residual of a normalisation is its second result.
// MERGED-LABEL: func.func @residual
// MERGED-NEXT: %[[R:.*]]:2 = relax.call_kernel @add{{.*}}rms_norm(%arg0, %arg1, %arg2)
// MERGED-NEXT: return %[[R]]#0, %[[R]]#1
func.func @residual(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>, %w: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = relax.add %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = relax.rms_norm %0, %w {epsilon = 1.0e-5 : f64} : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// A path that leaves a group and comes back would be a cycle: exp and multiply stay apart, as what
// softmax makes of the one is needed by the other.
// MERGED-LABEL: func.func @no_cycle
// MERGED-NEXT: relax.call_kernel @exp{{.*}}(
// MERGED-NEXT: relax.call @opaque
// MERGED-NEXT: relax.call_kernel @multiply
func.func @no_cycle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call @opaque(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.multiply %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @opaque(tensor<4xf32>) -> tensor<4xf32>

// Nothing moves across an effect.
// MERGED-LABEL: func.func @effect
// MERGED-NEXT: relax.call_kernel @exp{{.*}}(
// MERGED-NEXT: relax.call_packed "log"
// MERGED-NEXT: relax.call_kernel @negate
func.func @effect(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.impure} {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_packed "log"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Costly elements are not computed again for each place that reads them.
// MERGED-LABEL: func.func @costly
// MERGED-NEXT: relax.call_kernel @exp{{.*}}(
// MERGED-NEXT: relax.call_kernel @add
// MERGED-NEXT: return
func.func @costly(%x: tensor<64xf32>, %y: tensor<100x64xf32>) -> tensor<100x64xf32> {
  %0 = relax.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = relax.add %0, %y : (tensor<64xf32>, tensor<100x64xf32>) -> tensor<100x64xf32>
  return %1 : tensor<100x64xf32>
}

// What is as cheap to compute again as to read is computed where it is needed.
// MERGED-LABEL: func.func @cheap
// MERGED-NEXT: relax.call_kernel @cast{{.*}}permute(%arg0)
// MERGED-NEXT: relax.call_kernel @cast{{.*}}flip(%arg0)
// MERGED-NEXT: return
func.func @cheap(%x: tensor<8x4xf16>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %0 = relax.cast %x : tensor<8x4xf16> to tensor<8x4xf32>
  %1 = relax.permute %0 {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = relax.flip %0 {axes = array<i64: 0>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<8x4xf32>
}

// -----

// A tuple between two calls stays between them: they are no group.
// CHECK-LABEL: func.func @between
// CHECK-NEXT: relax.call_kernel @exp
// CHECK-NEXT: relax.tuple
// CHECK-NEXT: relax.tuple_get
// CHECK-NEXT: relax.call_kernel @add
func.func @between(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.tuple %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %2 = relax.tuple_get %1 {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %3 = relax.add %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}
