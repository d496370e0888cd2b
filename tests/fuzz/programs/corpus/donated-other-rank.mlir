// A donated argument that is returned with another rank: the artifact was not well-formed.
func.func @f(%x: tensor<f32> {relax.donated}, %y: tensor<?x2xf32, #relax.shape<[n, 2]>> {relax.donated})
    -> (tensor<1xf32>, tensor<?xf32, #relax.shape<[2 * n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.flatten %x : (tensor<f32>) -> tensor<1xf32>
  %1 = relax.flatten %y : (tensor<?x2xf32, #relax.shape<[n, 2]>>) -> tensor<?xf32, #relax.shape<[2 * n]>>
  return %0, %1 : tensor<1xf32>, tensor<?xf32, #relax.shape<[2 * n]>>
}
