#include "runtime/artifact/Load.h"
#include "runtime/libraries/Libraries.h"
#include "runtime/loader/CodeLibrary.h"
#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/Text.h"
#include "tools/relax/Inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace relax::tool {
namespace {

using artifact::Function;
using artifact::Slot;
using artifact::SlotOp;

constexpr size_t longestExpression = 400;

/// Whether `text` needs parentheses as an operand of * or /.
bool isSum(const std::string &text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i > 0 && (text[i] == '+' || text[i] == '-') && text[i - 1] == ' ')
      return true;
  }
  return false;
}

std::string group(const std::string &text) { return isSum(text) ? "(" + text + ")" : text; }

std::string operationText(const Function &function, const SlotOp &op,
                          const std::vector<std::string> &texts) {
  if (op.kind == SlotOp::Constant)
    return std::to_string(op.a);
  if (op.kind == SlotOp::Dimension)
    return fmt::format("{}.dim({})", function.parameters[static_cast<size_t>(op.a)].name, op.b);
  if (op.kind == SlotOp::Threshold)
    return fmt::format("threshold({})", op.a);
  if (op.kind == SlotOp::Level)
    return fmt::format("level({})", op.a);
  if (op.kind == SlotOp::RegisterRank)
    return fmt::format("rank(%{})", op.a);
  if (op.reads())
    return fmt::format("%{}{}{}{}", op.a, op.kind == SlotOp::RegisterDimension ? ".dim(" : "[",
                       op.b, op.kind == SlotOp::RegisterDimension ? ")" : "]");
  const std::string &a = texts[static_cast<size_t>(op.a)], &b = texts[static_cast<size_t>(op.b)];
  switch (op.kind) {
  case SlotOp::Add:
    return fmt::format("{} + {}", a, b);
  case SlotOp::Sub:
    return fmt::format("{} - {}", a, group(b));
  case SlotOp::Mul:
    return fmt::format("{} * {}", group(a), group(b));
  case SlotOp::FloorDiv:
    return fmt::format("floordiv({}, {})", a, b);
  case SlotOp::CeilDiv:
    return fmt::format("ceildiv({}, {})", a, b);
  case SlotOp::Mod:
    return fmt::format("mod({}, {})", a, b);
  case SlotOp::Min:
    return fmt::format("min({}, {})", a, b);
  case SlotOp::Max:
    return fmt::format("max({}, {})", a, b);
  case SlotOp::Less:
    return fmt::format("({} < {})", a, b);
  case SlotOp::Equal:
    return fmt::format("({} == {})", a, b);
  case SlotOp::NotEqual:
    return fmt::format("({} != {})", a, b);
  case SlotOp::And:
    return fmt::format("({} and {})", a, b);
  case SlotOp::Or:
    return fmt::format("({} or {})", a, b);
  default:
    return fmt::format("({} <= {})", a, b);
  }
}

/// The texts of all slots up to and with `last`.
std::vector<std::string> slotTexts(const Function &function, Slot last) {
  std::map<Slot, std::string> symbols;
  for (const artifact::Symbol &symbol : function.symbols)
    symbols.emplace(symbol.slot, symbol.name);
  std::vector<std::string> texts;
  for (Slot slot = 0; slot <= last && slot < function.slots.size(); ++slot) {
    const auto named = symbols.find(slot);
    texts.push_back(named != symbols.end() ? named->second
                                           : operationText(function, function.slots[slot], texts));
    if (texts.back().size() > longestExpression)
      texts.back() = "…";
  }
  return texts;
}

/// What a kernel computes or moves, over the numbers that it is called with; null if it isn't
/// known.
Json costJson(const artifact::Kernel &kernel, Slot slot) {
  if (slot == artifact::noSlot)
    return Json();
  // As if they were a function's, whose symbols these are.
  Function expressions;
  expressions.slots = kernel.slots;
  for (Slot i = 0; i < kernel.slots.size(); ++i)
    if (kernel.slots[i].kind == SlotOp::Dimension) {
      artifact::Symbol &symbol = expressions.symbols.emplace_back();
      symbol.name = kernel.symbols[static_cast<size_t>(kernel.slots[i].a)];
      symbol.slot = i;
    }
  return slotText(expressions, slot);
}

std::string patternText(const Function &function, uint32_t number,
                        const std::vector<std::string> &texts) {
  const artifact::TypePattern &pattern = function.patterns[number];
  std::vector<std::string> parts;
  parts.reserve(pattern.dims.size() + pattern.fields.size());
  for (const Slot dim : pattern.dims)
    parts.push_back(dim == artifact::noSlot ? "?" : texts[dim]);
  for (const uint32_t field : pattern.fields)
    parts.push_back(patternText(function, field, texts));
  const std::string list = pattern.anyRank ? "*" : fmt::format("{}", fmt::join(parts, ", "));
  switch (pattern.kind) {
  case artifact::TypePattern::Tensor:
    return fmt::format("{}[{}]", pattern.anyDType ? "any" : artifact::name(pattern.dtype), list);
  case artifact::TypePattern::Shape:
    return fmt::format("shape [{}]", list);
  case artifact::TypePattern::Tuple:
    return fmt::format("({})", list);
  case artifact::TypePattern::Function:
    return fmt::format("a function of {} values that returns {}", pattern.numParameters,
                       pattern.numResults);
  case artifact::TypePattern::Object:
    return "an object";
  case artifact::TypePattern::Any:
    break;
  }
  return "any value";
}

std::string typeText(const artifact::TensorType &type, const std::vector<std::string> &texts) {
  std::vector<std::string> dims;
  dims.reserve(type.dims.size());
  for (const Slot dim : type.dims)
    dims.push_back(texts[dim]);
  return fmt::format("{}[{}]", artifact::name(type.dtype), fmt::join(dims, ", "));
}

uint64_t byteCount(artifact::DType dtype, const std::vector<int64_t> &dims) {
  uint64_t bytes = artifact::byteSize(dtype);
  for (const int64_t dim : dims)
    bytes *= static_cast<uint64_t>(dim);
  return bytes;
}

Json functionJson(const Function &function) {
  const std::vector<std::string> texts =
      slotTexts(function, static_cast<Slot>(function.slots.size()));
  Json symbols = Json::array(), parameters = Json::array(), results = Json::array(),
       guards = Json::array();
  for (const artifact::Symbol &symbol : function.symbols)
    symbols.push_back({{"name", symbol.name},
                       {"lower", symbol.lo},
                       {"upper", symbol.hi ? Json(*symbol.hi) : Json()},
                       {"divisor", symbol.divisor}});
  for (const artifact::Parameter &parameter : function.parameters)
    parameters.push_back(
        {{"name", parameter.name},
         {"type", function.general ? patternText(function, parameter.pattern, texts)
                                   : typeText(parameter.type, texts)},
         {"donated", parameter.donated}});
  for (const artifact::Result &result : function.results)
    results.push_back(
        {{"name", result.name},
         {"type", function.general ? patternText(function, result.pattern, texts)
                                   : typeText(result.type, texts)},
         {"shares", result.alias < 0
                        ? Json()
                        : Json(function.parameters[static_cast<size_t>(result.alias)].name)}});
  for (const artifact::Guard &guard : function.guards)
    guards.push_back({{"condition", guard.expression}, {"source", guard.source}});
  int64_t kernelCalls = 0;
  for (const artifact::Instruction &instruction : function.code)
    kernelCalls += instruction.op == artifact::Instruction::CallKernel;
  return {{"name", function.name},
          {"general", function.general},
          {"captured", function.captured},
          {"symbols", symbols},
          {"parameters", parameters},
          {"results", results},
          {"guards", guards},
          {"instructions", function.code.size()},
          {"kernel_calls", kernelCalls},
          {"memory", function.arenaSize == artifact::noSlot ? "0" : texts[function.arenaSize]},
          {"memory_maximum", function.arenaMaximum ? Json(*function.arenaMaximum) : Json()}};
}

/// What the module calls of external libraries, and what of it this machine has.
Json librariesJson(const artifact::Module &module) {
  Json list = Json::array();
  for (size_t i = 0; i < module.libraries.size(); ++i) {
    const artifact::Library &library = module.libraries[i];
    Json entry = {{"name", library.name}, {"alternative", library.optional}};
    Json options = Json::object(), thresholds = Json::array();
    for (const artifact::Library::Option &option : library.options)
      options[option.name] = option.value;
    entry["options"] = options;
    if (const runtime::ExternalLibrary *external = runtime::externalLibraryOf(library.name)) {
      const auto function = runtime::externalFunction(library);
      const Expected<std::string> &version = external->version();
      entry["library"] = external->title;
      entry["package"] = external->package;
      entry["found"] = version ? Json(*version) : Json();
      entry["problem"] = function ? Json() : Json(function.status().message());
    }
    for (const artifact::Threshold &threshold : module.thresholds) {
      if (threshold.library != i)
        continue;
      const runtime::ThresholdChoice choice = runtime::chooseThreshold(module, threshold);
      const bool usable = !entry.contains("problem") || entry["problem"].is_null();
      const bool never = choice.value == artifact::Threshold::never || !usable;
      thresholds.push_back({{"value", never ? Json("never") : Json(choice.value)},
                            {"default", threshold.byDefault},
                            {"tuned", threshold.tuned ? Json(*threshold.tuned) : Json()},
                            {"version", threshold.version},
                            {"cpu", threshold.cpu},
                            {"why", choice.why}});
    }
    entry["thresholds"] = thresholds;
    list.push_back(entry);
  }
  return list;
}

std::string librariesText(const Json &libraries) {
  std::string text;
  for (const Json &library : libraries) {
    text += fmt::format("Library function: {}", library["name"].get<std::string>());
    for (const auto &[name, value] : library["options"].items())
      text += fmt::format(" {}={}", name, value.get<int64_t>());
    if (library.contains("library"))
      text += library["problem"].is_null()
                  ? fmt::format(", of {} {}", library["library"].get<std::string>(),
                                library["found"].get<std::string>())
                  : fmt::format(", {}", library["problem"].get<std::string>());
    text += library["alternative"].get<bool>() ? "; or a kernel of the module\n" : "\n";
    for (const Json &threshold : library["thresholds"]) {
      const auto why = threshold["why"].get<std::string>();
      text += fmt::format("  called from {} on{}\n", threshold["value"].dump(),
                          why.empty() ? "" : ": " + why);
    }
  }
  return text;
}

void listKernels(const artifact::Module &module, Json &document) {
  std::vector<int64_t> calls(module.kernels.size(), 0);
  for (const Function &function : module.functions)
    for (const artifact::Instruction &instruction : function.code)
      if (instruction.op == artifact::Instruction::CallKernel)
        ++calls[instruction.target];
  Json kernels = Json::array();
  for (size_t i = 0; i < module.kernels.size(); ++i)
    kernels.push_back({{"name", module.kernels[i].name},
                       {"strategy", module.kernels[i].strategy},
                       {"kind", module.kernels[i].kind},
                       {"symbols", module.kernels[i].symbols},
                       {"flops", costJson(module.kernels[i], module.kernels[i].flops)},
                       {"bytes", costJson(module.kernels[i], module.kernels[i].bytes)},
                       {"calls", calls[i]}});
  document["kernels"] = kernels;
}

void listStorage(const artifact::Module &module, bool all, Json &document) {
  uint64_t inlineBytes = 0, fileBytes = 0, stateBytes = 0;
  Json constants = Json::array(), files = Json::array(), objects = Json::array();
  for (const artifact::Constant &constant : module.constants) {
    (constant.file >= 0 ? fileBytes : inlineBytes) += byteCount(constant.dtype, constant.dims);
    if (all)
      constants.push_back({{"name", constant.name},
                           {"type", fmt::format("{}[{}]", artifact::name(constant.dtype),
                                                fmt::join(constant.dims, ", "))},
                           {"file", constant.file >= 0 ? Json(constant.file) : Json()},
                           {"bytes", byteCount(constant.dtype, constant.dims)}});
  }
  for (const artifact::State &state : module.states)
    stateBytes += byteCount(state.dtype, state.dims);
  for (const artifact::WeightsFile &file : module.files)
    files.push_back({{"path", file.path}, {"bytes", file.size}});
  const auto choice = runtime::chooseCodeObject(module.objects);
  for (size_t i = 0; i < module.objects.size(); ++i) {
    const artifact::CodeObject &object = module.objects[i];
    objects.push_back({{"target", object.target},
                       {"features", object.features},
                       {"bytes", object.image.size()},
                       {"missing", runtime::missingFeatures(object.features)},
                       {"runs_here", choice && *choice == i}});
  }
  document["constants"] = {
      {"count", module.constants.size()}, {"inline_bytes", inlineBytes}, {"file_bytes", fileBytes}};
  if (all)
    document["constants"]["list"] = constants;
  document["states"] = {{"count", module.states.size()}, {"bytes", stateBytes}};
  document["weights_files"] = files;
  document["objects"] = objects;
}

std::string functionText(const Json &function) {
  std::string text = fmt::format("\nFunction @{}\n", function["name"].get<std::string>());
  for (const Json &symbol : function["symbols"])
    text += fmt::format(
        "  symbol {:<8} {} to {}{}\n", symbol["name"].get<std::string>(), symbol["lower"].dump(),
        symbol["upper"].is_null() ? "any" : symbol["upper"].dump(),
        symbol["divisor"] == 1 ? "" : ", a multiple of " + symbol["divisor"].dump());
  // The caches of many layers are all alike: the rest is only counted.
  constexpr size_t shown = 8;
  const auto list = [&](const char *title, const Json &entries, auto &&line) {
    size_t count = 0;
    for (const Json &entry : entries)
      if (count++ < shown)
        text += fmt::format("  {} {}\n", title, line(entry));
    if (count > shown)
      text += fmt::format("  {} … and {} more\n", title, count - shown);
  };
  list("takes  ", function["parameters"], [](const Json &entry) {
    return fmt::format("{:<16} {}{}", entry["name"].get<std::string>(),
                       entry["type"].get<std::string>(), entry["donated"] ? ", donated" : "");
  });
  list("returns", function["results"], [](const Json &entry) {
    return fmt::format(
        "{:<16} {}{}", entry["name"].get<std::string>(), entry["type"].get<std::string>(),
        entry["shares"].is_null() ? ""
                                  : " in the storage of " + entry["shares"].get<std::string>());
  });
  list("checks ", function["guards"],
       [](const Json &entry) { return entry["condition"].get<std::string>(); });
  text +=
      fmt::format("  code    {} instructions, {} of them calls of kernels\n",
                  function["instructions"].get<size_t>(), function["kernel_calls"].get<int64_t>());
  if (function["general"])
    return text + "  memory  as its values need it, from a pool\n";
  if (function["memory"] == "0")
    return text + "  memory  none\n";
  text += fmt::format("  memory  {} bytes, at most {}\n", function["memory"].get<std::string>(),
                      function["memory_maximum"].is_null()
                          ? "unbounded"
                          : byteText(function["memory_maximum"].get<uint64_t>()));
  return text;
}

} // namespace

std::string slotText(const Function &function, Slot slot) {
  return slotTexts(function, slot).back();
}

Expected<Json> inspectArtifact(const std::string &path, bool all) {
  auto loaded = artifact::loadFile(path);
  if (!loaded)
    return loaded.takeStatus();
  const artifact::Module &module = loaded->module;
  Json document = {{"format", "rlx"},
                   {"version", artifact::formatVersion},
                   {"kernel_abi", artifact::kernelAbiVersion},
                   {"compiler", module.compilerVersion},
                   {"bytes", loaded->fileSize},
                   {"metadata", metadataJson(module.metadata, all)}};
  Json functions = Json::array();
  for (const Function &function : module.functions)
    functions.push_back(functionJson(function));
  document["functions"] = functions;
  listKernels(module, document);
  listStorage(module, all, document);
  document["libraries"] = librariesJson(module);
  return document;
}

std::string artifactText(const Json &document) {
  std::string text = fmt::format("Compiled module, format {}, kernel ABI {}, {}, by {}\n\n",
                                 document["version"].get<int>(), document["kernel_abi"].get<int>(),
                                 byteText(document["bytes"].get<uint64_t>()),
                                 document["compiler"].get<std::string>());
  text += metadataText(document["metadata"]);
  for (const Json &function : document["functions"])
    text += functionText(function);
  text += fmt::format("\nKernels ({}): floating-point operations and bytes moved, of one call\n"
                      "  calls  {:<44} {:<24} kind\n",
                      document["kernels"].size(), "name", "strategy");
  const auto known = [](const Json &cost) {
    return cost.is_null() ? std::string("not known") : cost.get<std::string>();
  };
  for (const Json &kernel : document["kernels"])
    text += fmt::format("  {:>5}  {:<44} {:<24} {}\n         flops {}; bytes {}\n",
                        kernel["calls"].get<int64_t>(), kernel["name"].get<std::string>(),
                        kernel["strategy"].get<std::string>(), kernel["kind"].get<std::string>(),
                        known(kernel["flops"]), known(kernel["bytes"]));
  text += fmt::format("\nConstants: {}; {} inline, {} in weights files\n",
                      document["constants"]["count"].get<size_t>(),
                      byteText(document["constants"]["inline_bytes"].get<uint64_t>()),
                      byteText(document["constants"]["file_bytes"].get<uint64_t>()));
  text +=
      fmt::format("States, computed at load: {}, {}\n", document["states"]["count"].get<size_t>(),
                  byteText(document["states"]["bytes"].get<uint64_t>()));
  text += librariesText(document["libraries"]);
  for (const Json &file : document["weights_files"])
    text += fmt::format("Weights: {}, {}\n", file["path"].get<std::string>(),
                        byteText(file["bytes"].get<uint64_t>()));
  for (const Json &object : document["objects"]) {
    const auto missing = object["missing"].get<std::vector<std::string>>();
    text += fmt::format("Code for {}: {}, needs {}{}\n", object["target"].get<std::string>(),
                        byteText(object["bytes"].get<uint64_t>()),
                        fmt::join(object["features"].get<std::vector<std::string>>(), " "),
                        object["runs_here"].get<bool>() ? "; this is what runs on this CPU"
                        : missing.empty()
                            ? ""
                            : fmt::format("; this CPU lacks {}", fmt::join(missing, " ")));
  }
  return text;
}

} // namespace relax::tool
