// RUN: relax-opt %s --relax-expand-math --split-input-file | FileCheck %s

// CHECK-LABEL: @exp_fused
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     math.exp
module attributes {relax.target = #relax.target<"x86-64-v3", features = ["fma"], vector_bits = 256>} {
func.func @exp_fused(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}
}

// -----

// Without the instruction a fused operation would be a call of a library.
// CHECK-LABEL: @exp_and_fma
// CHECK-NOT:     math.fma
// CHECK-NOT:     math.exp
func.func @exp_and_fma(%x: f32) -> f32 {
  %y = math.exp %x : f32
  %z = math.fma %y, %y, %x : f32
  return %z : f32
}

// -----

// Half precision goes through float32.
// CHECK-LABEL: @tanh_half
// CHECK:         arith.extf {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK-NOT:     math.tanh
// CHECK:         arith.truncf {{.*}} : vector<4xf32> to vector<4xf16>
func.func @tanh_half(%x: vector<4xf16>) -> vector<4xf16> {
  %y = math.tanh %x : vector<4xf16>
  return %y : vector<4xf16>
}

// -----

// What the machine has stays.
// CHECK-LABEL: @square_root
// CHECK-NEXT:    math.sqrt
func.func @square_root(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}
