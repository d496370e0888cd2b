// RUN: sed 's/FEATURES/"avx2"/' %s | relax-opt --relax-claim-library=libraries=onednn | FileCheck %s --check-prefix=WITHOUT
// RUN: sed 's/FEATURES/"avx512vnni"/' %s | relax-opt --relax-claim-library=libraries=onednn | FileCheck %s --check-prefix=WITH

// oneDNN's products of 8-bit integers are exact with VNNI only.
module attributes {relax.target = #relax.target<"t", features = [FEATURES], vector_bits = 256>} {
  // WITH-LABEL:    func.func @integers
  // WITH:            relax.call_library "onednn.matmul"
  // WITHOUT-LABEL: func.func @integers
  // WITHOUT-NOT:     relax.call_library
  func.func @integers(%x: tensor<?x256xui8, #relax.shape<[t, 256]>>, %w: tensor<256x512xi8>)
      -> tensor<?x512xi32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
    %y = relax.matmul %x, %w : (tensor<?x256xui8, #relax.shape<[t, 256]>>, tensor<256x512xi8>) -> tensor<?x512xi32, #relax.shape<[t, 512]>>
    return %y : tensor<?x512xi32, #relax.shape<[t, 512]>>
  }
  // Unsigned numbers on the right side it has not.
  // WITH-LABEL:    func.func @unsigned
  // WITH-NOT:        relax.call_library
  func.func @unsigned(%x: tensor<?x256xui8, #relax.shape<[t, 256]>>, %w: tensor<256x512xui8>)
      -> tensor<?x512xi32, #relax.shape<[t, 512]>> attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
    %y = relax.matmul %x, %w : (tensor<?x256xui8, #relax.shape<[t, 256]>>, tensor<256x512xui8>) -> tensor<?x512xi32, #relax.shape<[t, 512]>>
    return %y : tensor<?x512xi32, #relax.shape<[t, 512]>>
  }
}
