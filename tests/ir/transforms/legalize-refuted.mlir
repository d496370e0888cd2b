// RUN: relax-opt %s --relax-legalize --relax-verify | FileCheck %s

// In a branch that must never be taken, guards let no call come to an op whose sizes can't all be
// right: its program only has to exist.
// CHECK-LABEL: func.func @refuted_together
// CHECK: relax.call_kernel @[[NEVER:batch_norm[_0-9]*]]({{.*}}tensor<1xf32>, tensor<?xf32, #relax.shape<[3 * m]>>)
// CHECK: func.func private @[[NEVER]]
// CHECK-NOT: linalg.generic
// CHECK: linalg.fill
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @refuted_together(%x: tensor<?x?xf32, #relax.shape<[n, c]>>, %scale: tensor<?xf32, #relax.shape<[c]>>,
                            %mean: tensor<1xf32>, %variance: tensor<?xf32, #relax.shape<[3 * m]>>,
                            %m: tensor<?xf32, #relax.shape<[m]>>, %go: tensor<i1>)
    -> tensor<?x?xf32, #relax.shape<[n, c]>>
    attributes {relax.symbols = #relax.symbols<m = [1, 24], n = [0, 24], c = [0, 24]>} {
  %0 = relax.if %go : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, c]>> {
    relax.guard <equal, c, 1> "mean"
    relax.guard <equal, c, 3 * m> "variance"
    %1 = relax.batch_norm %x, %scale, %scale, %mean, %variance
        : (tensor<?x?xf32, #relax.shape<[n, c]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>,
           tensor<1xf32>, tensor<?xf32, #relax.shape<[3 * m]>>) -> tensor<?x?xf32, #relax.shape<[n, c]>>
    relax.yield %1 : tensor<?x?xf32, #relax.shape<[n, c]>>
  } else {
    relax.yield %x : tensor<?x?xf32, #relax.shape<[n, c]>>
  }
  return %0 : tensor<?x?xf32, #relax.shape<[n, c]>>
}
