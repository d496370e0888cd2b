#include "compiler/targets/cpu/CpuTarget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <array>

using namespace mlir;

namespace relax::targets {
namespace {

struct Level {
  llvm::StringRef name;
  unsigned vectorBits;
  /// What this level adds to the one before it, as LLVM names it.
  llvm::SmallVector<llvm::StringRef> added;
};

const std::array<Level, 3> &levels() {
  static const std::array<Level, 3> table = {{
      {"x86-64-v2", 128, {"cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"}},
      {"x86-64-v3", 256, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
      {"x86-64-v4", 512, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
  }};
  return table;
}

/// Extensions beyond a level that a strategy asks for, with the level that they need.
struct Extension {
  llvm::StringRef feature;
  size_t level;
};
constexpr std::array<Extension, 2> extensions = {{{"avxvnni", 1}, {"avx512vnni", 2}}};

ir::TargetAttr makeTarget(MLIRContext *context, size_t level,
                          llvm::ArrayRef<llvm::StringRef> additional) {
  llvm::SmallVector<llvm::StringRef> features;
  for (size_t i = 0; i <= level; ++i)
    features.append(levels()[i].added);
  features.append(additional.begin(), additional.end());
  llvm::SmallVector<StringAttr> names;
  for (llvm::StringRef feature : features)
    names.push_back(StringAttr::get(context, feature));
  return ir::TargetAttr::get(context, levels()[level].name, names, levels()[level].vectorBits);
}

} // namespace

ir::TargetAttr hostTarget(MLIRContext *context) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  size_t level = 0;
  while (level + 1 < levels().size() &&
         llvm::all_of(levels()[level + 1].added,
                      [&](llvm::StringRef feature) { return host.lookup(feature); }))
    ++level;
  llvm::SmallVector<llvm::StringRef> additional;
  for (const Extension &extension : extensions)
    if (extension.level <= level && host.lookup(extension.feature))
      additional.push_back(extension.feature);
  return makeTarget(context, level, additional);
}

ir::TargetAttr targetByName(MLIRContext *context, llvm::StringRef name, std::string &error) {
  if (name.empty() || name == "native")
    return hostTarget(context);
  for (size_t level = 0; level < levels().size(); ++level)
    if (levels()[level].name == name)
      return makeTarget(context, level, {});
  error = "unknown target '" + name.str() + "'; expected native, x86-64-v2, x86-64-v3 or x86-64-v4";
  return {};
}

} // namespace relax::targets
