// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>) {
  // expected-error @+2 {{relax.softmax: axis 2 is not one of [t, 576], which has 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.softmax %a {axis = 2 : i64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<?x576xi32, #relax.shape<[t, 576]>>) {
  // expected-error @+2 {{relax.softmax: x must have elements of floating point, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.softmax %a : (tensor<?x576xi32, #relax.shape<[t, 576]>>) -> tensor<?x576xi32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<f32>) {
  // expected-error @+2 {{relax.log_softmax: axis -1 is not one of [], which has 0 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.log_softmax %a : (tensor<f32>) -> tensor<f32>
  return
}
// -----
func.func @f(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<64xf32>) {
  // expected-error @+2 {{relax.rms_norm: dimension 1 of x [t, 576] and dimension 0 of weight [64] are never equal: 576 and 64}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rms_norm %a, %b {epsilon = 1.0e-5 : f64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<64xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<1x576xf32>) {
  // expected-error @+2 {{relax.rms_norm: expected x of rank 1 or more and weight of rank 1, found [t, 576] and [1, 576]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rms_norm %a, %b {epsilon = 1.0e-5 : f64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<1x576xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, %b: tensor<4xf32>) {
  // expected-error @+2 {{relax.layer_norm: expected scale of rank 2, found [4] for x [t, 3, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.layer_norm %a, %b {axis = 1 : i64} : (tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<4xf32>) -> tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, %b: tensor<4xf32>, %c: tensor<5xf32>) {
  // expected-error @+2 {{relax.layer_norm: dimension 2 of x [t, 3, 4] and dimension 0 of bias [5] are never equal: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.layer_norm %a, %b, %c : (tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<4xf32>, tensor<5xf32>) -> tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[t, 4]>>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) {
  // expected-error @+2 {{relax.layer_norm: expected at most a scale and a bias, found 3 parameters}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.layer_norm %a, %b, %c, %d : (tensor<?x4xf32, #relax.shape<[t, 4]>>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #relax.shape<[t, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) {
  // expected-error @+2 {{relax.group_norm: num_groups and dimension 1 of x [n, 6, 5] never divide (first by second): 4 and 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.group_norm %a {num_groups = 4 : i64} : (tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) -> tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) {
  // expected-error @+2 {{relax.group_norm: num_groups must be at least 1, found 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.group_norm %a {num_groups = 0 : i64} : (tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) -> tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>, %b: tensor<5xf32>) {
  // expected-error @+2 {{relax.instance_norm: dimension 1 of x [n, 6, 5] and dimension 0 of scale [5] are never equal: 6 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.instance_norm %a, %b : (tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>, tensor<5xf32>) -> tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?xf32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.instance_norm: expected x [batch, channels, ...], found [n]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.instance_norm %a : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a: tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<5xf32>) {
  // expected-error @+2 {{relax.batch_norm: dimension 1 of x [n, 6, 5] and dimension 0 of variance [5] are never equal: 6 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.batch_norm %a, %b, %c, %d, %e : (tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>) -> tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x6xf32, #relax.shape<[n, 6]>>) {
  // expected-error @+2 {{relax.lp_norm: p must be 1 or 2, found 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.lp_norm %a {p = 3 : i64} : (tensor<?x6xf32, #relax.shape<[n, 6]>>) -> tensor<?x6xf32, #relax.shape<[n, 6]>>
  return
}
// -----
func.func @f(%a: tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) {
  // expected-error @+2 {{relax.normalize_groups: expected a scale and perhaps a bias, found 0 parameters}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.normalize_groups %a {epsilon = 1.0e-5 : f64} : (tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>) -> tensor<?x6x5xf32, #relax.shape<[n, 6, 5]>>
  return
}
// -----
func.func @groups_of_channels(%x: tensor<?x3x8xf32, #relax.shape<[n, 3, 8]>>, %scale: tensor<4xf32>) {
  // expected-error @+2 {{never divide (first by second): 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.normalize_groups %x, %scale {epsilon = 1.0e-5 : f64} : (tensor<?x3x8xf32, #relax.shape<[n, 3, 8]>>, tensor<4xf32>) -> tensor<?x3x8xf32, #relax.shape<[n, 3, 8]>>
  return
}
