#include "tools/relax/InspectMemory.h"

#include "llm/Engine.h"
#include "runtime/artifact/Load.h"
#include "runtime/support/Text.h"
#include "runtime/vm/Slots.h"
#include "tools/relax/CompileCache.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <unistd.h>

namespace relax::tool {
namespace {

using artifact::Function;
using artifact::Slot;
using artifact::SlotOp;
using Values = std::vector<std::optional<int64_t>>;

/// The values of a planned function's slots, where `dimension` knows those of its parameters.
Values evaluate(const Function &function,
                const std::function<std::optional<int64_t>(Slot, const SlotOp &)> &dimension) {
  Values values(function.slots.size());
  for (Slot i = 0; i < function.slots.size(); ++i) {
    const SlotOp &op = function.slots[i];
    int64_t result = 0;
    if (op.kind == SlotOp::Constant)
      values[i] = op.a;
    else if (op.kind == SlotOp::Dimension)
      values[i] = dimension(i, op);
    else if (op.combines()) {
      const auto &a = values[static_cast<size_t>(op.a)], &b = values[static_cast<size_t>(op.b)];
      if (a && b && runtime::applySlot(op.kind, *a, *b, result))
        values[i] = result;
    }
  }
  return values;
}

/// The bytes of the function's own arena and those of the functions that it calls, each of which
/// keeps one, by function.
using Arenas = std::map<size_t, std::optional<int64_t>>;

class ArenaSizes {
public:
  explicit ArenaSizes(const artifact::Module &module) : module(module) {}

  Arenas of(size_t index, const Values &values) {
    Arenas arenas;
    collect(index, values, arenas);
    return arenas;
  }

private:
  // Calls of planned functions nest at most artifact::maxCallDepth deep.
  void collect(size_t index, const Values &values, Arenas &arenas) {
    const Function &function = module.functions[index];
    std::optional<int64_t> own = 0;
    if (function.arenaSize != artifact::noSlot)
      own = values[function.arenaSize];
    auto [it, isNew] = arenas.try_emplace(index, own);
    if (!isNew && it->second)
      it->second = own ? std::optional(std::max(*it->second, *own)) : std::nullopt;
    for (const artifact::Instruction &call : function.code) {
      if (call.op != artifact::Instruction::CallFunction || module.functions[call.target].general)
        continue;
      const Function &callee = module.functions[call.target];
      std::vector<size_t> firstDim;
      size_t dims = 0;
      for (const artifact::Parameter &parameter : callee.parameters) {
        firstDim.push_back(dims);
        dims += parameter.type.dims.size();
      }
      collect(call.target,
              evaluate(callee,
                       [&](Slot, const SlotOp &op) {
                         return values[call.slots[firstDim[static_cast<size_t>(op.a)] +
                                                  static_cast<size_t>(op.b)]];
                       }),
              arenas);
    }
  }

  const artifact::Module &module;
};

std::optional<int64_t> total(const Arenas &arenas) {
  int64_t sum = 0;
  for (const auto &[index, bytes] : arenas)
    if (!bytes || *bytes < 0 || __builtin_add_overflow(sum, *bytes, &sum))
      return std::nullopt;
  return sum;
}

/// The value of each symbol: what is asked, else its upper bound.
using SymbolChoice = std::map<std::string, std::optional<int64_t>>;

SymbolChoice choose(const Function &function, const std::map<std::string, int64_t> &asked) {
  SymbolChoice choice;
  for (const artifact::Symbol &symbol : function.symbols) {
    const auto it = asked.find(symbol.name);
    choice[symbol.name] = it != asked.end() ? std::optional(it->second) : symbol.hi;
  }
  return choice;
}

Values evaluateAt(const Function &function, const SymbolChoice &choice) {
  std::map<Slot, std::string> names;
  for (const artifact::Symbol &symbol : function.symbols)
    names.emplace(symbol.slot, symbol.name);
  return evaluate(function, [&](Slot slot, const SlotOp &) -> std::optional<int64_t> {
    const auto name = names.find(slot);
    return name == names.end() ? std::nullopt : choice.at(name->second);
  });
}

std::optional<int64_t> tensorBytes(const artifact::TensorType &type, const Values &values) {
  auto bytes = static_cast<int64_t>(artifact::byteSize(type.dtype));
  for (const Slot dim : type.dims)
    if (!values[dim] || __builtin_mul_overflow(bytes, *values[dim], &bytes))
      return std::nullopt;
  return bytes;
}

/// The symbols that the arena's size depends on.
std::set<std::string> symbolsOfArena(const Function &function) {
  std::set<std::string> names;
  if (function.arenaSize == artifact::noSlot)
    return names;
  std::vector<bool> used(function.slots.size());
  used[function.arenaSize] = true;
  for (size_t i = function.slots.size(); i-- > 0;)
    if (used[i] && function.slots[i].combines()) {
      used[static_cast<size_t>(function.slots[i].a)] = true;
      used[static_cast<size_t>(function.slots[i].b)] = true;
    }
  for (const artifact::Symbol &symbol : function.symbols)
    if (used[symbol.slot])
      names.insert(symbol.name);
  return names;
}

Json optionalJson(std::optional<int64_t> value) { return value ? Json(*value) : Json(); }

Expected<Json> functionMemory(const artifact::Module &module, size_t index,
                              const MemoryQuery &query) {
  const Function &function = module.functions[index];
  Json result = {{"name", function.name}, {"general", function.general}};
  if (function.general)
    return result;
  for (const artifact::Symbol &symbol : function.symbols)
    if (const auto it = query.symbols.find(symbol.name); it != query.symbols.end())
      if (it->second < symbol.lo || (symbol.hi && it->second > *symbol.hi) ||
          it->second % symbol.divisor != 0)
        return Status(
            StatusCode::InvalidArgument,
            fmt::format(
                "--symbol {}: found {}, expected {} to {}{} in @{}", symbol.name, it->second,
                symbol.lo, symbol.hi ? std::to_string(*symbol.hi) : "any number",
                symbol.divisor == 1 ? "" : fmt::format(", a multiple of {}", symbol.divisor),
                function.name));
  const SymbolChoice choice = choose(function, query.symbols);
  const Arenas arenas = ArenaSizes(module).of(index, evaluateAt(function, choice));
  Json at = Json::object(), missing = Json::array();
  for (const std::string &name : symbolsOfArena(function)) {
    at[name] = optionalJson(choice.at(name));
    if (!choice.at(name))
      missing.push_back(name);
  }
  result["formula"] =
      function.arenaSize == artifact::noSlot ? "0" : slotText(function, function.arenaSize);
  result["bytes"] = optionalJson(total(arenas));
  result["callees"] = arenas.size() - 1;
  result["maximum"] = optionalJson(
      function.arenaSize == artifact::noSlot ? std::optional<int64_t>(0) : function.arenaMaximum);
  result["at"] = at;
  result["missing"] = missing;
  return result;
}

/// Whether a call of the kernel may read the whole of `bytes`: it moves as many where there is one
/// of everything, or nobody knows how many.
bool readsAll(const artifact::Kernel &kernel, uint64_t bytes) {
  const std::vector<int64_t> ones(kernel.symbols.size(), 1);
  const auto moved = runtime::kernelCost(kernel, kernel.bytes, ones);
  return !moved || static_cast<uint64_t>(*moved) >= bytes;
}

/// Weights that are read in place when the model runs, those of which single rows are (token
/// embeddings), and those that are only packed at load.
Json weightsMemory(const artifact::Module &module) {
  enum class Use : uint8_t { Load, Rows, All };
  std::vector<Use> uses(module.constants.size(), Use::Load);
  const auto bytesOf = [](artifact::DType dtype, const std::vector<int64_t> &dims) {
    uint64_t bytes = artifact::byteSize(dtype);
    for (const int64_t dim : dims)
      bytes *= static_cast<uint64_t>(dim);
    return bytes;
  };
  for (const Function &function : module.functions) {
    if (function.name == artifact::initializeName)
      continue;
    for (const artifact::Instruction &instruction : function.code) {
      if (instruction.op == artifact::Instruction::LoadConstant)
        uses[instruction.target] = Use::All;
      if (instruction.op > artifact::Instruction::CallFunction)
        continue; // Their buffers are registers.
      for (const uint32_t buffer : instruction.buffers) {
        if (function.buffers[buffer].kind != artifact::Buffer::Constant)
          continue;
        const uint32_t index = function.buffers[buffer].index;
        const artifact::Constant &constant = module.constants[index];
        const bool rows =
            instruction.op == artifact::Instruction::CallKernel &&
            !readsAll(module.kernels[instruction.target], bytesOf(constant.dtype, constant.dims));
        uses[index] = std::max(uses[index], rows ? Use::Rows : Use::All);
      }
    }
  }
  uint64_t bytes[3] = {}, packed = 0;
  for (size_t i = 0; i < module.constants.size(); ++i)
    bytes[static_cast<size_t>(uses[i])] +=
        bytesOf(module.constants[i].dtype, module.constants[i].dims);
  for (const artifact::State &state : module.states)
    packed += bytesOf(state.dtype, state.dims);
  return {
      {"in_place", bytes[2]}, {"rows", bytes[1]}, {"read_at_load", bytes[0]}, {"packed", packed}};
}

/// What this program, the artifact and its tokenizer take: as much as in this process now.
uint64_t programMemory(const artifact::Module &module) {
  const auto tokenizer = llm::Tokenizer::fromMetadata(module.metadata);
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// A language model's @step, asked for contexts and batches.
class StepMemory {
public:
  struct Use {
    uint64_t cache = 0, activations = 0, logits = 0;
    [[nodiscard]] uint64_t sum() const { return cache + activations + logits; }
  };

  StepMemory(const artifact::Module &module, size_t index, int64_t pageSize,
             const MemoryQuery &query)
      : module(module), index(index), pageSize(pageSize), query(query) {}

  /// None if @step is of another form.
  std::optional<Use> use(int64_t context, int64_t batch) {
    const int64_t pages = batch * ((context + pageSize - 1) / pageSize);
    const int64_t prompt = std::min(context, llm::Engine::promptChunk);
    // A prompt's longest part, and one token of every sequence.
    const auto prefill = at({{"t", prompt}, {"b", 1}, {"r", 1}}, pages, batch);
    const auto decode = at({{"t", batch}, {"b", batch}, {"r", batch}}, pages, batch);
    if (!prefill || !decode)
      return std::nullopt;
    return Use{decode->cache, std::max(prefill->activations, decode->activations),
               std::max(prefill->logits, decode->logits)};
  }

private:
  std::optional<Use> at(SymbolChoice choice, int64_t pages, int64_t batch) {
    const Function &function = module.functions[index];
    choice["g"] = pages;
    choice["h"] = localPages(pages / batch * pageSize, batch);
    choice["p"] = pages / batch;
    for (const artifact::Symbol &symbol : function.symbols)
      choice.try_emplace(symbol.name, symbol.hi);
    for (const auto &[name, value] : query.symbols)
      choice[name] = value;
    const Values values = evaluateAt(function, choice);
    const auto arena = total(ArenaSizes(module).of(index, values));
    if (!arena)
      return std::nullopt;
    Use use;
    use.activations = static_cast<uint64_t>(*arena);
    for (const artifact::Parameter &parameter : function.parameters) {
      const auto bytes = tensorBytes(parameter.type, values);
      if (!bytes)
        return std::nullopt;
      if (parameter.donated)
        use.cache += static_cast<uint64_t>(*bytes);
    }
    for (const artifact::Result &result : function.results)
      if (result.alias < 0) {
        const auto bytes = tensorBytes(result.type, values);
        if (!bytes)
          return std::nullopt;
        use.logits += static_cast<uint64_t>(*bytes);
      }
    return use;
  }

  /// Of layers with a window, where others stand beside them.
  [[nodiscard]] int64_t localPages(int64_t context, int64_t batch) const {
    const auto window = module.metadata.integer("relax.window", 0);
    return llm::KvCacheShape{.layers = 0,
                             .kvHeads = 0,
                             .headDim = 0,
                             .pageSize = pageSize,
                             .maxLength = context,
                             .sequences = batch,
                             .window = window ? *window : 0,
                             .stepTokens = llm::Engine::promptChunk}
        .localPages();
  }

  const artifact::Module &module;
  size_t index;
  int64_t pageSize;
  const MemoryQuery &query;
};

/// The largest number in [0, most] for which `fits` holds, which holds for all below it.
int64_t largest(int64_t most, const std::function<bool(int64_t)> &fits) {
  int64_t low = 0, high = most;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

Status addLanguageModel(const artifact::Module &module, const MemoryQuery &query, uint64_t weights,
                        Json &document) {
  const auto pageSize = module.metadata.integer("relax.page_size", 0);
  const auto context = module.metadata.integer("relax.context_length", 0);
  const auto step = std::ranges::find(module.functions, "step", &Function::name);
  if (!pageSize || !context || *pageSize < 1 || *context < 1 || step == module.functions.end() ||
      step->general)
    return {};
  if (query.context > *context)
    return Status(StatusCode::InvalidArgument,
                  fmt::format("--context: found {}, expected at most the {} tokens that the model "
                              "was compiled for",
                              query.context, *context));
  const int64_t tokens = query.context > 0 ? query.context : *context;
  StepMemory memory(module, static_cast<size_t>(step - module.functions.begin()), *pageSize, query);
  const auto use = memory.use(tokens, query.batch);
  if (!use)
    return {};
  const uint64_t program = programMemory(module);
  document["model"] = {{"program", program},
                       {"context", tokens},
                       {"batch", query.batch},
                       {"cache", use->cache},
                       {"activations", use->activations},
                       {"logits", use->logits}};
  document["counted"] = weights + use->sum();
  document["total"] = program + weights + use->sum();
  if (query.limit == 0)
    return {};
  const auto fits = [&](int64_t length, int64_t batch) {
    const auto needed = memory.use(length, batch);
    return needed && weights + needed->sum() <= query.limit;
  };
  document["largest_context"] =
      largest(*context, [&](int64_t length) { return length == 0 || fits(length, query.batch); });
  document["largest_batch"] =
      largest(1024, [&](int64_t batch) { return batch == 0 || fits(tokens, batch); });
  return {};
}

} // namespace

Expected<Json> memoryOf(const artifact::Module &module, const MemoryQuery &query) {
  std::set<std::string> known;
  Json functions = Json::array();
  std::optional<uint64_t> most = 0;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    for (const artifact::Symbol &symbol : module.functions[i].symbols)
      known.insert(symbol.name);
    auto function = functionMemory(module, i, query);
    if (!function)
      return function.takeStatus();
    if (module.functions[i].name != artifact::initializeName) {
      const Json &bytes = (*function)["general"].get<bool>() ? Json() : (*function)["bytes"];
      most = most && !bytes.is_null() ? std::optional(std::max(*most, bytes.get<uint64_t>()))
                                      : std::nullopt;
    }
    functions.push_back(std::move(*function));
  }
  for (const auto &[name, value] : query.symbols)
    if (!known.contains(name))
      return Status(
          StatusCode::InvalidArgument,
          fmt::format("--symbol {}: no function has such a symbol; there are: {}", name,
                      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  const Json weights = weightsMemory(module);
  const uint64_t fixed = weights["in_place"].get<uint64_t>() + weights["packed"].get<uint64_t>();
  Json document = {{"weights", weights}, {"functions", functions}};
  if (most)
    document["total"] = document["counted"] = fixed + *most;
  RELAX_RETURN_IF_ERROR(addLanguageModel(module, query, fixed, document));
  if (query.limit != 0) {
    document["limit"] = query.limit;
    document["fits"] = document.contains("counted")
                           ? Json(document["counted"].get<uint64_t>() <= query.limit)
                           : Json();
  }
  return document;
}

static std::string functionText(const Json &function) {
  std::string text = fmt::format("\nFunction @{}\n", function["name"].get<std::string>());
  if (function["general"].get<bool>())
    return text + "  as its values need it, from a pool\n";
  std::vector<std::string> at;
  for (const auto &[name, value] : function["at"].items())
    at.push_back(fmt::format("{} = {}", name, value.is_null() ? "?" : value.dump()));
  text += fmt::format("  arena    {}\n", function["formula"].get<std::string>());
  if (!function["bytes"].is_null())
    text += fmt::format("  at {}    {}\n",
                        at.empty() ? "any call" : fmt::format("{}", fmt::join(at, ", ")),
                        byteText(function["bytes"].get<uint64_t>()));
  else
    text += fmt::format("  no number: give {} by --symbol\n",
                        fmt::join(function["missing"].get<std::vector<std::string>>(), ", "));
  text += fmt::format("  at most  {}\n", function["maximum"].is_null()
                                             ? "unbounded"
                                             : byteText(function["maximum"].get<uint64_t>()));
  if (function["callees"].get<size_t>() > 0)
    text += fmt::format("  with the arenas of {} functions that it calls\n",
                        function["callees"].get<size_t>());
  return text;
}

std::string memoryText(const Json &document) {
  const auto bytes = [](const Json &value) { return byteText(value.get<uint64_t>()); };
  const Json &weights = document["weights"];
  std::string text = fmt::format("Weights\n  read in place         {:>12}\n  packed at load        "
                                 "{:>12}\n",
                                 bytes(weights["in_place"]), bytes(weights["packed"]));
  if (weights["rows"].get<uint64_t>() > 0)
    text += fmt::format("  read by rows          {:>12}, mapped: only what was used lately counts, "
                        "and it isn't in the total\n",
                        bytes(weights["rows"]));
  if (weights["read_at_load"].get<uint64_t>() > 0)
    text += fmt::format("  read at load only     {:>12}, not needed afterwards\n",
                        bytes(weights["read_at_load"]));
  for (const Json &function : document["functions"])
    text += functionText(function);
  if (document.contains("model")) {
    const Json &model = document["model"];
    text += fmt::format(
        "\nAs a language model, {} tokens in each of {} sequences\n"
        "  program, tokenizer    {:>12}\n  weights               {:>12}\n  cache of keys, values "
        "{:>12}\n"
        "  activations           {:>12}\n  logits                {:>12}\n",
        model["context"].get<int64_t>(), model["batch"].get<int64_t>(), bytes(model["program"]),
        byteText(weights["in_place"].get<uint64_t>() + weights["packed"].get<uint64_t>()),
        bytes(model["cache"]), bytes(model["activations"]), bytes(model["logits"]));
  }
  if (document.contains("total"))
    text += fmt::format("\nTotal {}{}\n", bytes(document["total"]),
                        document["total"] == document["counted"]
                            ? ""
                            : fmt::format("; a limit is about {} of it, without the program",
                                          bytes(document["counted"])));
  if (!document.contains("limit"))
    return text;
  text += fmt::format("Limit {}: ", bytes(document["limit"]));
  text += document["fits"].is_null()     ? "not known"
          : document["fits"].get<bool>() ? "it fits"
                                         : "it doesn't fit";
  if (document.contains("largest_context"))
    text += fmt::format("; the largest context is {} tokens, the largest batch {}",
                        document["largest_context"].get<int64_t>(),
                        document["largest_batch"].get<int64_t>());
  return text + "\n";
}

Expected<Json> inspectMemory(const std::string &path, const MemoryQuery &query) {
  auto kind = fileKind(path);
  if (!kind)
    return kind.takeStatus();
  auto loaded = [&]() -> Expected<artifact::LoadedArtifact> {
    if (*kind == FileKind::Artifact)
      return artifact::loadFile(path);
    CompileRequest request;
    request.input = path;
    if (*kind == FileKind::Other) {
      auto compiler = CompilerLibrary::load();
      if (!compiler)
        return compiler.takeStatus();
      auto bytes = compiler->compile(request);
      if (!bytes)
        return bytes.takeStatus();
      return artifact::loadBytes(*bytes, path);
    }
    auto compiled = compiledModel(request, /*refresh=*/false);
    if (!compiled)
      return compiled.takeStatus();
    return compiled->path.empty() ? artifact::loadBytes(compiled->bytes, path)
                                  : artifact::loadFile(compiled->path);
  }();
  if (!loaded)
    return loaded.takeStatus();
  return memoryOf(loaded->module, query);
}

} // namespace relax::tool
