//===- CompilerLibrary.h - the compiler, loaded only when it is needed ------------------------===//
//
// `relax` itself holds no LLVM. librelax_compiler.so lies beside it, or in ../lib as seen from it;
// it is loaded for `compile`, for a .gguf that isn't in the cache yet, and to inspect a .mlir.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/compiler_api.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relax::tool {

/// Elements of the cache of keys and values: 16 bits where activations have 8, whose error is a
/// hundred times as large; else 32.
inline const char *defaultCacheType(std::string_view activations) {
  return activations == "int8" ? "f16" : "f32";
}

struct CompileRequest {
  std::string input;
  std::string target = "native";
  std::string activations = "int8";
  std::string cacheType; ///< Empty: that of defaultCacheType().
  int64_t context = 0;
  std::vector<std::string> disabled;                   ///< Optimisations to leave out.
  std::vector<std::string> plugins, inserted;          ///< Passes of others; see compiler_api.h.
  std::vector<std::string> blockFormats;               ///< See compiler_api.h.
  std::string passLimit, passLog;                      ///< For bisecting; see compiler_api.h.
  std::vector<std::string> libraries, libraryPatterns; ///< See compiler_api.h.
  std::vector<std::string> fusionPatterns;             ///< See compiler_api.h.
  std::string libraryThresholds;
  bool libraryRequired = false;
  bool timing = false;
  std::string dumpFolder;

  [[nodiscard]] std::string cacheTypeOrDefault() const {
    return cacheType.empty() ? defaultCacheType(activations) : cacheType;
  }
};

/// What `relax verify` wants besides.
struct VerifyRequest {
  std::string kernel, function, reproducer;
  uint64_t seed = 0;
  double budget = 300;
};

class CompilerLibrary {
public:
  /// The path of the library; an error if there is none.
  static Expected<std::string> find();
  /// Loads it. It stays loaded until the program ends.
  static Expected<CompilerLibrary> load();

  /// Compiles with a progress line on the terminal; the bytes of the artifact. Ctrl-C cancels.
  [[nodiscard]] Expected<std::vector<uint8_t>> compile(const CompileRequest &request) const;
  /// The same for the page of `relax view`.
  [[nodiscard]] Expected<std::vector<uint8_t>> view(const CompileRequest &request) const;
  /// Compares with the interpreter; the report as JSON (see compiler_api.h).
  [[nodiscard]] Expected<std::string> verify(const CompileRequest &request,
                                             const VerifyRequest &verify) const;
  /// The description of a .mlir file, as JSON (see compiler_api.h).
  [[nodiscard]] Expected<std::string> inspect(const std::string &path, bool guards = false) const;
  /// Runs `function` of a .mlir file in the interpreter; `onResult` gets each result.
  [[nodiscard]] Status interpret(const std::string &path, const std::string &function,
                                 std::span<const relax_interpreter_value> inputs,
                                 relax_interpreter_result onResult, void *user) const;
  /// The passes of a compilation, as JSON (see compiler_api.h).
  [[nodiscard]] Expected<std::string> passes() const;
  [[nodiscard]] std::string version() const;

private:
  [[nodiscard]] Expected<std::vector<uint8_t>> make(decltype(&relax_compile) function,
                                                    const CompileRequest &request) const;

  decltype(&relax_compile) compileFunction = nullptr;
  decltype(&relax_inspect) inspectFunction = nullptr;
  decltype(&relax_interpret) interpretFunction = nullptr;
  decltype(&relax_verify) verifyFunction = nullptr;
  decltype(&relax_view) viewFunction = nullptr;
  decltype(&relax_passes) passesFunction = nullptr;
  decltype(&relax_compiler_version) versionFunction = nullptr;
  decltype(&relax_compiler_free) freeFunction = nullptr;
};

} // namespace relax::tool
