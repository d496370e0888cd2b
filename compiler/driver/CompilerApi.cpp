// The C entry points of librelax_compiler.so; see runtime/compiler_api.h.

#include "runtime/compiler_api.h"

#include "compiler/driver/CompileModel.h"
#include "compiler/driver/InterpretModule.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/driver/VerifyModel.h"
#include "compiler/driver/ViewModel.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

using nlohmann::json;
using relax::Expected;
using relax::Status;
using relax::StatusCode;
using relax::driver::CompileObserver;
using relax::driver::CompileOptions;

namespace {

int fail(const Status &status, char **error) {
  if (error)
    *error = strdup(status.message().c_str());
  return static_cast<int>(status.code());
}

Status badOptions(const std::string &what) {
  return Status(StatusCode::InvalidArgument, "compile options: " + what);
}

bool isListOfStrings(const json &value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json &v) { return v.is_string(); });
}

/// Reads `text`, which must be an object with known keys of the right types only.
Expected<CompileOptions> parseOptions(const char *text) {
  json object = json::parse(text ? text : "", nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return badOptions("expected a JSON object");
  CompileOptions options;
  std::string limit;
  for (const auto &[key, value] : object.items()) {
    std::string *asText = key == "input"                ? &options.input
                          : key == "target"             ? &options.target
                          : key == "activations"        ? &options.activations
                          : key == "cache_type"         ? &options.cacheType
                          : key == "dump_ir"            ? &options.dumpFolder
                          : key == "pass_log"           ? &options.limit.logFile
                          : key == "pass_limit"         ? &limit
                          : key == "library_thresholds" ? &options.libraries.thresholds
                                                        : nullptr;
    if (asText) {
      if (!value.is_string())
        return badOptions("'" + key + "' must be a string");
      *asText = value.get<std::string>();
    } else if (key == "context") {
      if (!value.is_number_integer())
        return badOptions("'context' must be an integer");
      options.context = value.get<int64_t>();
    } else if (key == "timing" || key == "library_required") {
      if (!value.is_boolean())
        return badOptions("'" + key + "' must be true or false");
      (key == "timing" ? options.timing : options.libraries.required) = value.get<bool>();
    } else if (key == "libraries" || key == "library_patterns" || key == "fusion_patterns") {
      if (!isListOfStrings(value))
        return badOptions("'" + key + "' must be a list of strings");
      (key == "libraries"          ? options.libraries.libraries
       : key == "library_patterns" ? options.libraries.patterns
                                   : options.fusionPatterns) =
          value.get<std::vector<std::string>>();
    } else if (key == "disable" || key == "plugins" || key == "insert" || key == "block_formats") {
      if (!isListOfStrings(value))
        return badOptions("'" + key + "' must be a list of strings");
      (key == "disable"   ? options.disabled
       : key == "plugins" ? options.plugins
       : key == "insert"  ? options.inserted
                          : options.blockFormats) = value.get<std::vector<std::string>>();
    } else {
      return badOptions("unknown key '" + key + "'");
    }
  }
  if (options.input.empty())
    return badOptions("'input' is needed");
  if (!limit.empty()) {
    auto parsed = relax::driver::parseApplicationLimit(limit);
    if (!parsed)
      return parsed.takeStatus();
    options.limit.passes = parsed->passes;
    options.limit.steps = parsed->steps;
  }
  return options;
}

CompileObserver makeObserver(const relax_compile_callbacks *callbacks) {
  CompileObserver observer;
  if (!callbacks)
    return observer;
  if (callbacks->progress)
    observer.progress = [callbacks](const std::string &stage, double fraction) {
      callbacks->progress(callbacks->user, stage.c_str(), fraction);
    };
  if (callbacks->message)
    observer.message = [callbacks](const std::string &line) {
      callbacks->message(callbacks->user, line.c_str());
    };
  if (callbacks->cancelled)
    observer.cancelled = [callbacks] { return callbacks->cancelled(callbacks->user) != 0; };
  return observer;
}

} // namespace

#define RELAX_EXPORT extern "C" __attribute__((visibility("default")))

RELAX_EXPORT int relax_compiler_api_version(void) { return RELAX_COMPILER_API_VERSION; }

RELAX_EXPORT const char *relax_compiler_version(void) { return relax::driver::compilerVersion(); }

RELAX_EXPORT int relax_compile(const char *options_json, const relax_compile_callbacks *callbacks,
                               char **error) {
  Expected<CompileOptions> options = parseOptions(options_json);
  if (!options)
    return fail(options.status(), error);
  Expected<std::vector<uint8_t>> bytes =
      relax::driver::compileModel(*options, makeObserver(callbacks));
  if (!bytes)
    return fail(bytes.status(), error);
  if (callbacks && callbacks->artifact &&
      callbacks->artifact(callbacks->user, bytes->data(), bytes->size()) != 0)
    return fail(Status(StatusCode::Io, "the artifact couldn't be stored"), error);
  return 0;
}

RELAX_EXPORT int relax_view(const char *options_json, const relax_compile_callbacks *callbacks,
                            char **error) {
  Expected<CompileOptions> options = parseOptions(options_json);
  if (!options)
    return fail(options.status(), error);
  Expected<std::string> page = relax::driver::viewModel(*options, makeObserver(callbacks));
  if (!page)
    return fail(page.status(), error);
  if (callbacks && callbacks->artifact &&
      callbacks->artifact(callbacks->user, page->data(), page->size()) != 0)
    return fail(Status(StatusCode::Io, "the page couldn't be stored"), error);
  return 0;
}

RELAX_EXPORT int relax_verify(const char *options_json, const relax_compile_callbacks *callbacks,
                              char **out_json, char **error) {
  json object = json::parse(options_json ? options_json : "", nullptr, false);
  relax::driver::VerifyOptions options;
  if (object.is_object() && object.contains("verify")) {
    auto parsed = relax::driver::parseVerifyOptions(object["verify"]);
    if (!parsed)
      return fail(parsed.status(), error);
    options = std::move(*parsed);
    object.erase("verify");
  }
  Expected<CompileOptions> compile = parseOptions(object.dump().c_str());
  if (!compile)
    return fail(compile.status(), error);
  options.compile = std::move(*compile);
  Expected<json> report = relax::driver::verifyModel(options, makeObserver(callbacks));
  if (!report)
    return fail(report.status(), error);
  *out_json = strdup(report->dump(2, ' ', false, json::error_handler_t::replace).c_str());
  return 0;
}

RELAX_EXPORT int relax_passes(char **out_json, char **error) {
  json list = json::array();
  for (const relax::driver::PipelineStep &step : relax::driver::pipelineSteps({}))
    list.push_back({{"name", step.name},
                    {"description", step.pass->getDescription().str()},
                    {"required_because", step.requiredBecause}});
  (void)error;
  *out_json = strdup(list.dump(2).c_str());
  return 0;
}

RELAX_EXPORT int relax_inspect(const char *path, const char *options_json, char **out_json,
                               char **error) {
  json options = json::parse(options_json ? options_json : "{}", nullptr, false);
  bool guards = false;
  if (!options.is_object())
    return fail(Status(StatusCode::InvalidArgument, "inspect options: expected a JSON object"),
                error);
  for (const auto &[key, value] : options.items()) {
    if (key != "guards" || !value.is_boolean())
      return fail(Status(StatusCode::InvalidArgument,
                         "inspect options: expected 'guards', true or false; found '" + key + "'"),
                  error);
    guards = value.get<bool>();
  }
  Expected<std::string> text = relax::driver::inspectModule(path ? path : "", guards);
  if (!text)
    return fail(text.status(), error);
  *out_json = strdup(text->c_str());
  return 0;
}

RELAX_EXPORT int relax_interpret(const char *path, const char *function,
                                 const relax_interpreter_value *inputs, size_t num_inputs,
                                 relax_interpreter_result result, void *user, char **error) {
  Status status = relax::driver::interpretModule(path ? path : "", function ? function : "",
                                                 {inputs, num_inputs}, result, user);
  return status.ok() ? 0 : fail(status, error);
}

RELAX_EXPORT void relax_compiler_free(char *text) { std::free(text); }
