// RUN: not relax-opt %s --split-input-file --relax-legalize --relax-merge-groups 2>&1 | FileCheck %s

// CHECK: error: a relax.group function holds tensor programs, and reshapes that split or join dimensions; this can't be a part of one kernel
// CHECK: note: in this group
func.func private @mine(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.group} {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_packed "f"(%0) {pure} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @mine(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: a relax.group function is private and holds what shall be one kernel
func.func private @nothing(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.group} {
  return %x : tensor<4xf32>
}
