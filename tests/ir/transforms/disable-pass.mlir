// An optimisation is left out by name; what nothing works without is refused, and so is a name that
// no pass has.
// RUN: relax-opt %s --relax-pipeline="disable=group-kernels" | FileCheck %s --check-prefix=APART
// RUN: relax-opt %s --relax-pipeline="disable=cse,prove-guards" | FileCheck %s --check-prefix=MERGED
// RUN: not relax-opt %s --relax-pipeline="disable=cse,legalize" 2>&1 | FileCheck %s --check-prefix=NEEDED
// RUN: not relax-opt %s --relax-pipeline="disable=group" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// APART-LABEL: func.func @f
// APART-COUNT-2: relax.call_kernel
// MERGED-LABEL: func.func @f
// MERGED-COUNT-1: relax.call_kernel
// MERGED-NOT: relax.call_kernel
// NEEDED: the pass 'legalize' can't be disabled: a graph op runs as a tensor program
// UNKNOWN: there is no pass 'group' to disable; those that can be are {{.*}}group-kernels

func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.relu %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %1 = relax.exp %0 : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %1 : tensor<?xf32, #relax.shape<[n]>>
}
