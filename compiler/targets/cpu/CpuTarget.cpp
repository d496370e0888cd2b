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

std::string targetText(ir::TargetAttr target) {
  std::string text = target.getName().str();
  for (const Extension &extension : extensions)
    if (target.hasFeature(extension.feature))
      text += ("+" + extension.feature).str();
  return text;
}

ir::TargetAttr targetByName(MLIRContext *context, llvm::StringRef name, std::string &error) {
  if (name.empty() || name == "native")
    return hostTarget(context);
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '+');
  for (size_t level = 0; level < levels().size(); ++level) {
    if (levels()[level].name != parts.front())
      continue;
    bool known = llvm::all_of(ArrayRef(parts).drop_front(), [&](llvm::StringRef part) {
      return llvm::any_of(extensions, [&](const Extension &extension) {
        return extension.feature == part && extension.level <= level;
      });
    });
    if (known)
      return makeTarget(context, level, ArrayRef(parts).drop_front());
  }
  error = "unknown target '" + name.str() +
          "'; expected native, x86-64-v2, x86-64-v3, x86-64-v3+avxvnni, x86-64-v4 or "
          "x86-64-v4+avx512vnni";
  return {};
}

llvm::SmallVector<ir::TargetAttr> targetsByNames(MLIRContext *context, llvm::StringRef names,
                                                 std::string &error) {
  llvm::SmallVector<llvm::StringRef> parts;
  names.split(parts, ',');
  llvm::SmallVector<ir::TargetAttr> targets;
  for (llvm::StringRef part : parts) {
    ir::TargetAttr target = targetByName(context, part, error);
    if (!target)
      return {};
    auto later = llvm::find_if(targets, [&](ir::TargetAttr other) {
      return other.getFeatures().size() > target.getFeatures().size();
    });
    if (!llvm::is_contained(targets, target))
      targets.insert(later, target);
  }
  return targets;
}

} // namespace relax::targets
