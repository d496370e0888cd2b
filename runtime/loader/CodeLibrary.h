//===- CodeLibrary.h - the kernels of an artifact, as machine code ----------------------------===//
//
// Picks the code object of the highest CPU level that this machine supports, and loads it with the
// system's dynamic linker, from memory. What the machine code does is beyond checking: an artifact
// is to be trusted like a program (docs/artifact.md).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace relax::runtime {

/// See artifact::kernelAbiVersion.
using KernelFunction = void (*)(void *const *buffers, const int64_t *symbols, int64_t begin,
                                int64_t end);

class CodeLibrary {
public:
  /// The kernels of `module`, in their order: the best code that this CPU can run, or that for the
  /// target `wanted`.
  static Expected<CodeLibrary> load(const artifact::Module &module, const std::string &wanted = {});

  CodeLibrary() = default;
  CodeLibrary(CodeLibrary &&other) noexcept { swap(other); }
  CodeLibrary &operator=(CodeLibrary &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CodeLibrary();

  [[nodiscard]] const std::vector<KernelFunction> &kernels() const { return functions; }
  /// The target of the code object that was taken: "x86-64-v3"; empty if there are no kernels.
  [[nodiscard]] const std::string &target() const { return level; }
  /// Its number among the module's.
  [[nodiscard]] size_t index() const { return object; }

private:
  void swap(CodeLibrary &other) noexcept {
    std::swap(handle, other.handle);
    std::swap(file, other.file);
    std::swap(object, other.object);
    std::swap(level, other.level);
    std::swap(functions, other.functions);
  }

  void *handle = nullptr;
  /// Kept open while the code is loaded: the linker knows it by its number.
  int file = -1;
  size_t object = 0;
  std::string level;
  std::vector<KernelFunction> functions;
};

/// The index of the code object to use, of those for the target `wanted` if one is named. An
/// Unsupported error names what the CPU lacks.
Expected<size_t> chooseCodeObject(const std::vector<artifact::CodeObject> &objects,
                                  const std::string &wanted = {});

} // namespace relax::runtime
