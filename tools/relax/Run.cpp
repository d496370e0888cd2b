// `relax run`: any function of a program, with values from the command line and NumPy files.
#include "runtime/Module.h"
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Inspect.h"
#include "tools/relax/LibraryFlags.h"
#include "tools/relax/Lists.h"
#include "tools/relax/MemorySize.h"
#include "tools/relax/Model.h"
#include "tools/relax/Numbers.h"
#include "tools/relax/Passes.h"
#include "tools/relax/RunLibrary.h"
#include "tools/relax/RunReference.h"
#include "tools/relax/RunSignature.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

namespace relax::tool {
namespace {

using runtime::Value;

/// Results of more elements are only in files, not in the JSON document.
constexpr size_t maxJsonElements = 65536;

struct Options {
  CompileRequest request;
  std::string function;
  std::vector<std::string> inputs, symbols, outputs, libraries;
  uint64_t seed = 0;
  int64_t threads = 0;
  uint64_t memoryLimit = 0;
  bool json = false, compare = false, profile = false;
};

/// "name=value" at its first equals sign.
Expected<std::pair<std::string, std::string>> splitPair(std::string_view flag,
                                                        const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: found '{}', expected NAME=VALUE", flag, text));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Expected<runtime::Module> load(const Options &options, const CompilerLibrary *&compiler) {
  auto kind = fileKind(options.request.input);
  if (!kind)
    return kind.takeStatus();
  runtime::LoadOptions loading;
  loading.threads = static_cast<unsigned>(options.threads);
  loading.memoryLimit = options.memoryLimit;
  static runtime::Registry registry; // The module keeps pointers to its functions.
  for (const std::string &path : options.libraries)
    RELAX_RETURN_IF_ERROR(registerLibrary(path, registry));
  loading.registry = &registry;
  if (*kind == FileKind::Artifact) {
    loading.target = codeTarget(options.request.target);
    if (!options.request.disabled.empty())
      return Status(StatusCode::InvalidArgument,
                    options.request.input + ": --disable-pass is decided when a program is "
                                            "compiled; this one is compiled already");
    if (options.compare)
      return Status(StatusCode::InvalidArgument,
                    options.request.input +
                        ": --compare-reference needs the program's text (.mlir), "
                        "which a compiled one no longer has");
    return runtime::Module::load(options.request.input, loading);
  }
  if (*kind == FileKind::Gguf || !options.request.input.ends_with(".mlir"))
    return Status(StatusCode::InvalidFile,
                  options.request.input + ": found neither text IR (.mlir) nor a compiled program "
                                          "(.rlx); models are run by `relax chat` and `relax "
                                          "generate`");
  static Expected<CompilerLibrary> library = CompilerLibrary::load();
  if (!library)
    return library.status();
  compiler = &*library;
  auto bytes = compiler->compile(options.request);
  if (!bytes)
    return bytes.takeStatus();
  return runtime::Module::loadBytes(*bytes, options.request.input, loading);
}

/// The functions of a module that no other one calls or makes a value of.
std::vector<std::string> uncalledFunctions(const artifact::Module &module) {
  using artifact::Instruction;
  std::set<uint32_t> called;
  for (uint32_t i = 0; i != module.functions.size(); ++i)
    for (const Instruction &each : module.functions[i].code)
      if ((each.op == Instruction::CallFunction || each.op == Instruction::Invoke ||
           each.op == Instruction::MakeFunction) &&
          each.target != i)
        called.insert(each.target);
  std::vector<std::string> names;
  for (uint32_t i = 0; i != module.functions.size(); ++i)
    if (!called.contains(i) && module.functions[i].name != artifact::initializeName)
      names.push_back(module.functions[i].name);
  return names;
}

/// The function of that name; without one, "main", or the only one that isn't there for others.
Expected<runtime::Function> choose(const runtime::Module &module, const std::string &name) {
  if (!name.empty())
    return module.function(name);
  std::vector<std::string> names;
  for (const artifact::Function &function : module.contents().functions)
    if (function.name != artifact::initializeName)
      names.push_back(function.name);
  if (std::ranges::find(names, "main") != names.end())
    return module.function("main");
  if (const std::vector<std::string> uncalled = uncalledFunctions(module.contents());
      uncalled.size() == 1)
    return module.function(uncalled[0]);
  return Status(StatusCode::InvalidArgument,
                fmt::format("which function? --function is one of: {}", fmt::join(names, ", ")));
}

Expected<SymbolValues> readSymbols(const Options &options, const artifact::Function &function) {
  SymbolValues symbols;
  const std::vector<std::string> names = symbolNames(function);
  for (const std::string &text : options.symbols) {
    auto pair = splitPair("--symbol", text);
    if (!pair)
      return pair.takeStatus();
    const auto &[name, number] = *pair;
    int64_t value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size())
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--symbol {}: found '{}', expected an integer", name, number));
    if (std::ranges::find(names, name) == names.end())
      return Status(
          StatusCode::InvalidArgument,
          fmt::format("--symbol {}: the function '{}' has no such symbol; it has: {}", name,
                      function.name,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    if (!symbols.emplace(name, value).second)
      return Status(StatusCode::InvalidArgument, fmt::format("--symbol {}: is given twice", name));
  }
  return symbols;
}

/// The index of a parameter by its name, or by its number.
Expected<size_t> parameterIndex(const artifact::Function &function, const std::string &name) {
  for (size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].name == name || std::to_string(i) == name)
      return i;
  std::vector<std::string> known;
  known.reserve(function.parameters.size());
  for (size_t i = 0; i < function.parameters.size(); ++i)
    known.push_back(fmt::format("{}: {}", function.parameters[i].name, parameterText(function, i)));
  return Status(StatusCode::InvalidArgument,
                fmt::format("--input {}: the function '{}' has no such parameter; it takes {}",
                            name, function.name,
                            known.empty() ? "nothing" : fmt::format("{}", fmt::join(known, ", "))));
}

Expected<std::vector<Value>> readInputs(const Options &options, const runtime::Module &module,
                                        const artifact::Function &function) {
  auto symbols = readSymbols(options, function);
  if (!symbols)
    return symbols.takeStatus();
  std::vector<Value> inputs(function.parameters.size());
  InputReader reader(module, *symbols);
  for (const std::string &text : options.inputs) {
    auto pair = splitPair("--input", text);
    if (!pair)
      return pair.takeStatus();
    auto index = parameterIndex(function, pair->first);
    if (!index)
      return index.takeStatus();
    if (!inputs[*index].isNothing())
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--input {}: is given twice", pair->first));
    auto value = reader.read("--input " + pair->first, pair->second,
                             parameterDType(function, *index), options.seed + *index + 1);
    if (!value)
      return value.takeStatus();
    inputs[*index] = std::move(*value);
  }
  RELAX_RETURN_IF_ERROR(fillInputs(function, *symbols, options.seed, inputs));
  return inputs;
}

std::string describe(const std::string &name, const Value &value) {
  if (value.isTuple()) {
    std::string text;
    size_t index = 0;
    for (const Value &field : value.asTuple())
      text += describe(fmt::format("{}.{}", name, index++), field);
    return text.empty() ? fmt::format("{}: ()\n", name) : text;
  }
  if (!value.isTensor())
    return fmt::format("{}: {}\n", name, value.text());
  const Array array = arrayOf(value);
  if (array.dims.empty())
    return fmt::format("{}: {} {}\n", name, artifact::name(array.dtype), elementText(array, 0));
  return fmt::format("{}: {}\n{}\n", name, value.text(), arrayText(array));
}

Json describeJson(const Value &value) {
  if (value.isTuple()) {
    Json fields = Json::array();
    for (const Value &field : value.asTuple())
      fields.push_back(describeJson(field));
    return {{"kind", "tuple"}, {"fields", fields}};
  }
  if (value.isShape())
    return {{"kind", "shape"}, {"dims", value.asShape()}};
  if (!value.isTensor())
    return {{"kind", value.text()}};
  const Array array = arrayOf(value);
  Json result = {{"kind", "tensor"}, {"dtype", artifact::name(array.dtype)}, {"dims", array.dims}};
  if (array.count() <= maxJsonElements)
    result["data"] = arrayJson(array);
  return result;
}

/// Writes the tensors of a value: `path`, or path.0, path.1, … of a tuple.
Status writeValue(const std::string &path, const Value &value) {
  if (value.isTensor())
    return writeNpy(path, arrayOf(value));
  if (!value.isTuple())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: only tensors can be written, found {}", path, value.text()));
  const std::string stem = path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path;
  size_t index = 0;
  for (const Value &field : value.asTuple())
    RELAX_RETURN_IF_ERROR(writeValue(fmt::format("{}.{}.npy", stem, index++), field));
  return {};
}

Status writeResults(const Options &options, const std::vector<std::string> &names,
                    const std::vector<Value> &results) {
  for (const std::string &output : options.outputs) {
    if (output.find('=') == std::string::npos) {
      if (output.ends_with(".npy")) {
        if (results.size() != 1)
          return Status(StatusCode::InvalidArgument,
                        fmt::format("--output {}: expected NAME={} with one of {}", output, output,
                                    fmt::join(names, ", ")));
        RELAX_RETURN_IF_ERROR(writeValue(output, results.front()));
        continue;
      }
      std::error_code error;
      std::filesystem::create_directories(output, error);
      if (error)
        return Status(StatusCode::Io,
                      fmt::format("{}: can't be made: {}", output, error.message()));
      for (size_t i = 0; i < results.size(); ++i)
        if (results[i].isTensor() || results[i].isTuple())
          RELAX_RETURN_IF_ERROR(writeValue(fmt::format("{}/{}.npy", output, names[i]), results[i]));
      continue;
    }
    auto pair = splitPair("--output", output);
    if (!pair)
      return pair.takeStatus();
    const auto name = std::ranges::find(names, pair->first);
    if (name == names.end())
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--output {}: there is no such result; there are: {}", pair->first,
                                fmt::join(names, ", ")));
    RELAX_RETURN_IF_ERROR(
        writeValue(pair->second, results[static_cast<size_t>(name - names.begin())]));
  }
  return {};
}

Status run(const Options &options) {
  const CompilerLibrary *compiler = nullptr;
  auto module = load(options, compiler);
  if (!module)
    return module.takeStatus();
  auto function = choose(*module, options.function);
  if (!function)
    return function.takeStatus();
  const artifact::Function &signature = function->signature();
  auto inputs = readInputs(options, *module, signature);
  if (!inputs)
    return inputs.takeStatus();
  // Donated arguments may be overwritten; the reference gets what the call got.
  std::vector<Value> given = *inputs;
  for (size_t i = 0; i < given.size(); ++i)
    if (signature.parameters[i].donated && given[i].isTensor())
      given[i] = valueOf(arrayOf((*inputs)[i]));
  module->enableProfiling(options.profile);
  auto results = function->invoke(*inputs);
  if (!results)
    return results.takeStatus();
  std::vector<std::string> names;
  names.reserve(signature.results.size());
  for (const artifact::Result &result : signature.results)
    names.push_back(result.name);
  RELAX_RETURN_IF_ERROR(writeResults(options, names, *results));
  std::vector<Difference> differences;
  if (options.compare) {
    auto compared = compareWithReference(*compiler, options.request.input, signature.name, given,
                                         names, *results);
    if (!compared)
      return compared.takeStatus();
    differences = std::move(*compared);
  }
  if (options.json) {
    Json list = Json::array();
    for (size_t i = 0; i < results->size(); ++i) {
      Json entry = {{"name", names[i]}};
      entry.update(describeJson((*results)[i]));
      list.push_back(std::move(entry));
    }
    Json document = {{"function", signature.name}, {"results", list}};
    if (options.compare)
      document["reference"] = differenceJson(differences);
    RELAX_RETURN_IF_ERROR(writeOutput(jsonText(document)));
  } else {
    std::string text;
    for (size_t i = 0; i < results->size(); ++i)
      text += describe(names[i], (*results)[i]);
    if (options.profile)
      text += "\n" + module->profileReport();
    RELAX_RETURN_IF_ERROR(writeOutput(text + (options.compare ? differenceText(differences) : "")));
  }
  if (std::ranges::any_of(differences, [](const Difference &d) { return !d.agrees; }))
    return Status(StatusCode::Internal, "the results differ from the reference");
  return {};
}

} // namespace

void addRun(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("run", "Run a function of a program");
  auto options = std::make_shared<Options>();
  command
      .add_option("FILE", options->request.input, "Text IR (.mlir) or a compiled program (.rlx)")
      ->type_name("")
      ->required();
  command
      .add_option("--function", options->function,
                  "Which function; needed where there are several and none is called main")
      ->type_name("NAME");
  command
      .add_option("-i,--input", options->inputs,
                  "An input by its parameter's name or number; may be given again")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command
      .add_option("-s,--symbol", options->symbols,
                  "The value of a symbol, for inputs that aren't given: they are random")
      ->allow_extra_args(false)
      ->type_name("NAME=N");
  command
      .add_option("-o,--output", options->outputs,
                  "Write one result to a NumPy file, by its name if there are several, or all into "
                  "a folder")
      ->allow_extra_args(false)
      ->type_name("[NAME=]FILE.npy|DIR");
  command
      .add_option("--library", options->libraries,
                  "A shared library with functions that the program calls by name "
                  "(tools/relax/library_api.h); may be given again")
      ->allow_extra_args(false)
      ->type_name("FILE.so");
  command.add_option("--seed", options->seed, "The same seed makes the same random inputs")
      ->check(wholeNumber(0, UINT64_MAX))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--threads", options->threads, "Threads to compute with; 0: one for each core")
      ->check(CLI::Range(int64_t(0), int64_t(1024)))
      ->capture_default_str()
      ->type_name("N");
  addMemoryLimit(command, options->memoryLimit);
  addTarget(
      command, options->request.target,
      "The machine that text IR is compiled for; of a compiled program, which of its code runs");
  addActivations(command, options->request.activations,
                 "How products with stored weights see their inputs: int8, int16, float32");
  addLibraryFlags(command, options->request);
  addPassFlags(command, options->request);
  command
      .add_option("--dump-ir", options->request.dumpFolder,
                  "Write the program after each pass into this folder")
      ->type_name("DIR");
  auto *json = command.add_flag("--json", options->json, "Print one JSON document");
  command
      .add_flag("--profile", options->profile,
                "Print each kernel's share of the time, GFLOP/s and GB/s")
      ->excludes(json);
  command.add_flag("--compare-reference", options->compare,
                   "Run a plain interpreter in float64 as well, and show the largest error");
  command.footer(
      "Values of --input:\n"
      "  x.npy                      a NumPy file\n"
      "  random:[3,n]f32            random numbers; n is a symbol that --symbol gives a value\n"
      "  zeros:[3]i64 ones:[] arange:[2,3]\n"
      "  5  -1.5f16  true           one number\n"
      "  [1,2,3]i64  [[1,2],[3,4]]  a list of numbers\n"
      "  shape:[3,4]                a shape\n"
      "  (1.5, shape:[2], x.npy)    a tuple\n"
      "  function:NAME              a function of the program\n"
      "Element types: f64 f32 f16 bf16 i64 i32 i16 i8 ui8 bool; without one, the parameter's.\n"
      "Inputs that aren't given are random, of the sizes that the symbols and other inputs imply.\n"
      "Examples:\n"
      "  relax run program.mlir --symbol n=5\n"
      "  relax run program.mlir --function f --input x=x.npy --output result0=y.npy\n"
      "  relax run program.mlir -i 'x=[[1,2],[3,4]]' -i k=3 --compare-reference\n"
      "  relax run program.rlx -i x=random:[3,4]f32 --output results/ --json");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
