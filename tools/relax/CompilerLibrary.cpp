#include "tools/relax/CompilerLibrary.h"

#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <filesystem>

namespace relax::tool {
namespace {

constexpr const char *libraryName = "librelax_compiler.so";

/// What the callbacks of one compilation need.
struct Compilation {
  const char *verb = "compiling";
  ProgressLine line;
  std::vector<uint8_t> bytes;
};

void onProgress(void *user, const char *stage, double fraction) {
  auto &compilation = *static_cast<Compilation *>(user);
  compilation.line.show(fmt::format("{}: {:3.0f} % {}", compilation.verb, 100 * fraction, stage));
}

void onMessage(void *user, const char *text) {
  static_cast<Compilation *>(user)->line.clear();
  fmt::print(stderr, "{}\n", text);
}

/// The options of a compilation as JSON.
Expected<nlohmann::json> optionsOf(const CompileRequest &request) {
  // The options travel as JSON, which has no other bytes.
  for (const std::string *path : {&request.input, &request.dumpFolder, &request.passLog})
    RELAX_RETURN_IF_ERROR(checkUtf8("the path " + *path, *path));
  return nlohmann::json{{"input", request.input},
                        {"target", request.target},
                        {"activations", request.activations},
                        {"cache_type", request.cacheTypeOrDefault()},
                        {"context", request.context},
                        {"disable", request.disabled},
                        {"libraries", request.libraries},
                        {"library_patterns", request.libraryPatterns},
                        {"fusion_patterns", request.fusionPatterns},
                        {"library_required", request.libraryRequired},
                        {"library_thresholds", request.libraryThresholds},
                        {"plugins", request.plugins},
                        {"insert", request.inserted},
                        {"block_formats", request.blockFormats},
                        {"pass_limit", request.passLimit},
                        {"pass_log", request.passLog},
                        {"timing", request.timing},
                        {"dump_ir", request.dumpFolder}};
}

int isCancelled(void *) { return interrupted(); }

int onArtifact(void *user, const void *bytes, size_t size) {
  const auto *begin = static_cast<const uint8_t *>(bytes);
  static_cast<Compilation *>(user)->bytes.assign(begin, begin + size);
  return 0;
}

} // namespace

Expected<std::string> CompilerLibrary::find() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = program.parent_path();
  for (const auto &candidate : {folder / libraryName, folder / ".." / "lib" / libraryName})
    if (std::filesystem::exists(candidate, error))
      return candidate.string();
  return Status(StatusCode::NotFound,
                fmt::format("{} was not found in {} nor in {}; it is needed to compile a model",
                            libraryName, folder.string(), (folder / ".." / "lib").string()));
}

Expected<CompilerLibrary> CompilerLibrary::load() {
  auto path = find();
  if (!path)
    return path.takeStatus();
  void *handle = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(StatusCode::Io, fmt::format("cannot load the compiler: {}", dlerror()));
  CompilerLibrary library;
  decltype(&relax_compiler_api_version) apiVersion = nullptr;
  const auto resolve = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    return function != nullptr;
  };
  if (!resolve("relax_compiler_api_version", apiVersion) ||
      !resolve("relax_compile", library.compileFunction) ||
      !resolve("relax_inspect", library.inspectFunction) ||
      !resolve("relax_interpret", library.interpretFunction) ||
      !resolve("relax_verify", library.verifyFunction) ||
      !resolve("relax_view", library.viewFunction) ||
      !resolve("relax_passes", library.passesFunction) ||
      !resolve("relax_compiler_version", library.versionFunction) ||
      !resolve("relax_compiler_free", library.freeFunction) ||
      apiVersion() != RELAX_COMPILER_API_VERSION)
    return Status(StatusCode::Unsupported,
                  fmt::format("{}: is not the compiler of this version of relax (interface {})",
                              *path, RELAX_COMPILER_API_VERSION));
  return library;
}

Expected<std::vector<uint8_t>> CompilerLibrary::compile(const CompileRequest &request) const {
  return make(compileFunction, request);
}

Expected<std::vector<uint8_t>> CompilerLibrary::view(const CompileRequest &request) const {
  return make(viewFunction, request);
}

/// What a function of the library makes of a request: an artifact, or a page.
Expected<std::vector<uint8_t>> CompilerLibrary::make(decltype(&relax_compile) function,
                                                     const CompileRequest &request) const {
  auto options = optionsOf(request);
  if (!options)
    return options.takeStatus();
  const std::string text = options->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Compilation compilation;
  const relax_compile_callbacks callbacks = {&compilation, onProgress, onMessage, isCancelled,
                                             onArtifact};
  char *error = nullptr;
  const int code = function(text.c_str(), &callbacks, &error);
  compilation.line.clear();
  if (code == 0)
    return std::move(compilation.bytes);
  Status status(static_cast<StatusCode>(code), error ? error : "the compilation failed");
  freeFunction(error);
  return status;
}

Expected<std::string> CompilerLibrary::verify(const CompileRequest &request,
                                              const VerifyRequest &verify) const {
  auto options = optionsOf(request);
  if (!options)
    return options.takeStatus();
  (*options)["verify"] = {{"kernel", verify.kernel},
                          {"function", verify.function},
                          {"reproducer", verify.reproducer},
                          {"seed", verify.seed},
                          {"budget", verify.budget}};
  const std::string text = options->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Compilation verification;
  verification.verb = "verifying";
  const relax_compile_callbacks callbacks = {&verification, onProgress, onMessage, isCancelled,
                                             nullptr};
  char *report = nullptr, *error = nullptr;
  const int code = verifyFunction(text.c_str(), &callbacks, &report, &error);
  verification.line.clear();
  if (code != 0) {
    Status status(static_cast<StatusCode>(code), error ? error : "the verification failed");
    freeFunction(error);
    return status;
  }
  std::string result = report ? report : "";
  freeFunction(report);
  return result;
}

Expected<std::string> CompilerLibrary::inspect(const std::string &path, bool guards) const {
  char *text = nullptr, *error = nullptr;
  const int code =
      inspectFunction(path.c_str(), guards ? R"({"guards": true})" : "{}", &text, &error);
  if (code != 0) {
    Status status(static_cast<StatusCode>(code), error ? error : "the file cannot be inspected");
    freeFunction(error);
    return status;
  }
  std::string result = text ? text : "";
  freeFunction(text);
  return result;
}

Status CompilerLibrary::interpret(const std::string &path, const std::string &function,
                                  std::span<const relax_interpreter_value> inputs,
                                  relax_interpreter_result onResult, void *user) const {
  char *error = nullptr;
  const int code = interpretFunction(path.c_str(), function.c_str(), inputs.data(), inputs.size(),
                                     onResult, user, &error);
  if (code == 0)
    return {};
  Status status(static_cast<StatusCode>(code), error ? error : "the interpreter failed");
  freeFunction(error);
  return status;
}

Expected<std::string> CompilerLibrary::passes() const {
  char *text = nullptr, *error = nullptr;
  const int code = passesFunction(&text, &error);
  if (code != 0) {
    Status status(static_cast<StatusCode>(code), error ? error : "the passes can't be listed");
    freeFunction(error);
    return status;
  }
  std::string result = text ? text : "";
  freeFunction(text);
  return result;
}

std::string CompilerLibrary::version() const { return versionFunction(); }

} // namespace relax::tool
