//===- CpuCount.h - how many cores are ours ---------------------------------------------------===//
#pragma once

namespace relax::runtime {

/// The physical cores among the CPUs that this process may run on (threads of one core share its
/// vector units), no more than the CPU time that a cgroup grants, at least 1.
unsigned usableCores();

} // namespace relax::runtime
