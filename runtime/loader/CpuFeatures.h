//===- CpuFeatures.h - what this CPU can do ---------------------------------------------------===//
#pragma once

#include <span>
#include <string>
#include <vector>

namespace relax::runtime {

/// The features of this CPU that the system lets programs use, by LLVM's names: "avx2", "fma",
/// "f16c", "avx512vnni", "avxvnni", …, sorted. Empty on machines whose features aren't known here.
const std::vector<std::string> &cpuFeatures();

/// What the CPU calls itself, such as "AMD EPYC 7B13"; empty where that isn't known here.
const std::string &cpuName();

/// Those of `needed` that this CPU lacks, in their order.
std::vector<std::string> missingFeatures(std::span<const std::string> needed);

} // namespace relax::runtime
