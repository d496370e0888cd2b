// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK: relax.target = #relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>
module attributes {relax.target = #relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>} {

// Expressions are printed in their normal form.
// CHECK-LABEL: @expressions
// CHECK-SAME: a = #relax.expr<2 * n + 2>
// CHECK-SAME: b = #relax.expr<ceildiv(n, 16)>
// CHECK-SAME: c = #relax.expr<3>
// CHECK-SAME: d = #relax.expr<mod(m, 16)>
// CHECK-SAME: e = #relax.expr<max(m, n, 1)>
// CHECK-SAME: f = #relax.expr<1 - n>
// CHECK-SAME: g = #relax.expr<-9223372036854775808>
func.func private @expressions() attributes {
  a = #relax.expr<(n + 1) * 2>, b = #relax.expr<floordiv(n + 15, 16)>, c = #relax.expr<ceildiv(24, 10)>,
  d = #relax.expr<mod(mod(m, 32), 16)>, e = #relax.expr<max(n, max(m, 1))>, f = #relax.expr<-n + 1>,
  g = #relax.expr<-9223372036854775808>}

// CHECK-LABEL: @shapes
// CHECK-SAME: a = #relax.shape<[n, 4, 2 * n]>
// CHECK-SAME: b = #relax.shape<[]>
// CHECK-SAME: c = #relax.shape<[?, n]>
func.func private @shapes() attributes {
  a = #relax.shape<[n, 4, n + n]>, b = #relax.shape<[]>, c = #relax.shape<[?, n]>}

// CHECK-LABEL: @symbols
// CHECK-SAME: relax.symbols = #relax.symbols<n = [1, 8192], m = [0, ?], k = [0, ?] divisor 16, z = [?, -1]>
func.func private @symbols() attributes {
  relax.symbols = #relax.symbols<n = [1, 8192], m = [0, ?], k = [0, ?] divisor 16, z = [?, -1] divisor 1>}

// CHECK-LABEL: @others
// CHECK-SAME: a = #relax.weight<"blk.0.attn_q.weight", file = 0, offset = 4096, size = 207360, hash = "00ff">
// CHECK-SAME: b = [#relax.storage<arena, 64 * n>, #relax.storage<alias, 3>, #relax.storage<result, 0>]
// CHECK-SAME: c = #relax.values<0, 16 * p>
func.func private @others() attributes {
  a = #relax.weight<"blk.0.attn_q.weight", file = 0, offset = 4096, size = 207360, hash = "00ff">,
  b = [#relax.storage<arena, n * 64>, #relax.storage<alias, 3>, #relax.storage<result, 0>],
  c = #relax.values<0, p * 16>}

// CHECK-LABEL: @types
// CHECK-SAME: !relax.shape<[n, 4]>, !relax.shape<rank 2>, !relax.shape<[]>, !relax.object
// CHECK-SAME: tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x?xf32>, tensor<*xf32>
func.func private @types(!relax.shape<[n, 4]>, !relax.shape<rank 2>, !relax.shape<[]>, !relax.object,
                         tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x?xf32>, tensor<*xf32>)

// CHECK-LABEL: @arguments
// CHECK-SAME: relax.name = "tokens", relax.values = #relax.values<0, 49152>
// CHECK-SAME: relax.donated
// CHECK-SAME: relax.ragged = {cached = 0 : i64, limit = #relax.expr<16 * p>, starts = 0 : i64, total = #relax.expr<t>}
func.func private @arguments(
    tensor<?xi32, #relax.shape<[t]>> {relax.name = "tokens", relax.values = #relax.values<0, 49152>},
    tensor<?xf32, #relax.shape<[p]>> {relax.donated})
    attributes {relax.ragged = {starts = 0, cached = 0, limit = #relax.expr<16 * p>, total = #relax.expr<t>}}
}
