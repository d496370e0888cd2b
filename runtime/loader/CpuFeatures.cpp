//===- CpuFeatures.cpp ------------------------------------------------------------------------===//
#include "runtime/loader/CpuFeatures.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace relax::runtime {
namespace {

#if defined(__x86_64__)

enum Register : uint8_t { Eax, Ebx, Ecx, Edx };

/// The vector registers that the system must save for a feature (bits of XCR0).
enum Needs : uint8_t { Nothing, Ymm, Zmm, Tiles };

struct FeatureBit {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  Needs needs;
};

// Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E.
constexpr FeatureBit featureBits[] = {
    {"sse3", 1, 0, Ecx, 0, Nothing},
    {"pclmul", 1, 0, Ecx, 1, Nothing},
    {"ssse3", 1, 0, Ecx, 9, Nothing},
    {"fma", 1, 0, Ecx, 12, Ymm},
    {"cx16", 1, 0, Ecx, 13, Nothing},
    {"sse4.1", 1, 0, Ecx, 19, Nothing},
    {"sse4.2", 1, 0, Ecx, 20, Nothing},
    {"movbe", 1, 0, Ecx, 22, Nothing},
    {"popcnt", 1, 0, Ecx, 23, Nothing},
    {"aes", 1, 0, Ecx, 25, Nothing},
    {"avx", 1, 0, Ecx, 28, Ymm},
    {"f16c", 1, 0, Ecx, 29, Ymm},
    {"mmx", 1, 0, Edx, 23, Nothing},
    {"fxsr", 1, 0, Edx, 24, Nothing},
    {"sse", 1, 0, Edx, 25, Nothing},
    {"sse2", 1, 0, Edx, 26, Nothing},
    {"bmi", 7, 0, Ebx, 3, Nothing},
    {"avx2", 7, 0, Ebx, 5, Ymm},
    {"bmi2", 7, 0, Ebx, 8, Nothing},
    {"avx512f", 7, 0, Ebx, 16, Zmm},
    {"avx512dq", 7, 0, Ebx, 17, Zmm},
    {"avx512ifma", 7, 0, Ebx, 21, Zmm},
    {"avx512cd", 7, 0, Ebx, 28, Zmm},
    {"avx512bw", 7, 0, Ebx, 30, Zmm},
    {"avx512vl", 7, 0, Ebx, 31, Zmm},
    {"avx512vbmi", 7, 0, Ecx, 1, Zmm},
    {"avx512vbmi2", 7, 0, Ecx, 6, Zmm},
    {"gfni", 7, 0, Ecx, 8, Nothing},
    {"vaes", 7, 0, Ecx, 9, Ymm},
    {"vpclmulqdq", 7, 0, Ecx, 10, Ymm},
    {"avx512vnni", 7, 0, Ecx, 11, Zmm},
    {"avx512bitalg", 7, 0, Ecx, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Zmm},
    {"amx-bf16", 7, 0, Edx, 22, Tiles},
    {"avx512fp16", 7, 0, Edx, 23, Zmm},
    {"amx-tile", 7, 0, Edx, 24, Tiles},
    {"amx-int8", 7, 0, Edx, 25, Tiles},
    {"avxvnni", 7, 1, Eax, 4, Ymm},
    {"avx512bf16", 7, 1, Eax, 5, Zmm},
    {"avxifma", 7, 1, Eax, 23, Ymm},
    {"avxvnniint8", 7, 1, Edx, 4, Ymm},
    {"avxneconvert", 7, 1, Edx, 5, Ymm},
    {"avxvnniint16", 7, 1, Edx, 10, Ymm},
    {"sahf", 0x80000001, 0, Ecx, 0, Nothing},
    {"lzcnt", 0x80000001, 0, Ecx, 5, Nothing},
    {"prfchw", 0x80000001, 0, Ecx, 8, Nothing},
    {"64bit", 0x80000001, 0, Edx, 29, Nothing},
};

/// XCR0: which registers the system saves; 0 where it can't be asked.
uint64_t savedRegisters() {
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

std::vector<std::string> detect() {
  uint64_t saved = savedRegisters();
  auto saves = [&](uint64_t mask) { return (saved & mask) == mask; };
  const bool usable[] = {true, saves(0x6), saves(0xe6), saves(0x60000)};
  std::vector<std::string> names;
  for (const FeatureBit &feature : featureBits) {
    uint32_t regs[4];
    if (usable[feature.needs] &&
        __get_cpuid_count(feature.leaf, feature.subleaf, &regs[Eax], &regs[Ebx], &regs[Ecx],
                          &regs[Edx]) &&
        (regs[feature.reg] >> feature.bit) & 1)
      names.emplace_back(feature.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

#else

std::vector<std::string> detect() { return {}; }

#endif

} // namespace

const std::vector<std::string> &cpuFeatures() {
  static const std::vector<std::string> features = detect();
  return features;
}

const std::string &cpuName() {
  static const std::string name = [] {
    std::string text;
#if defined(__x86_64__)
    // Intel SDM volume 2, CPUID, leaves 80000002H to 80000004H: 48 characters.
    uint32_t words[12] = {};
    if (__get_cpuid_max(0x80000000u, nullptr) >= 0x80000004u)
      for (uint32_t i = 0; i != 3; ++i)
        __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                    &words[4 * i + 3]);
    for (uint32_t word : words)
      for (int shift = 0; shift != 32; shift += 8)
        if (char c = static_cast<char>(word >> shift); c >= ' ' && c <= '~')
          text += c;
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
#endif
    return text;
  }();
  return name;
}

std::vector<std::string> missingFeatures(std::span<const std::string> needed) {
  const std::vector<std::string> &have = cpuFeatures();
  std::vector<std::string> missing;
  for (const std::string &feature : needed)
    if (!std::binary_search(have.begin(), have.end(), feature))
      missing.push_back(feature);
  return missing;
}

} // namespace relax::runtime
