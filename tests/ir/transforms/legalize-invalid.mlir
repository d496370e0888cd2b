// RUN: relax-opt %s --relax-legalize --split-input-file --verify-diagnostics

func.func @unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{with a dimension whose size isn't known; give it a symbol by relax.match_cast}}
  %0 = relax.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
