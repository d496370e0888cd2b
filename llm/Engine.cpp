#include "llm/Engine.h"

#include "llm/Statistics.h"
#include "runtime/kv_cache/CacheType.h"
#include "runtime/support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace relax::llm {
namespace {

using runtime::DType;
using runtime::TensorView;

constexpr size_t numPlainInputs = 7;

/// The hyper-parameters that the compiler wrote into the artifact.
struct Parameters {
  int64_t pageSize, context, trainedContext, layers, kvHeads, headDim, vocabulary, window;
  std::vector<bool> localLayers;
  DType cacheType;

  static Expected<Parameters> read(const Metadata &metadata) {
    Parameters result{};
    const std::pair<const char *, int64_t *> keys[] = {
        {"relax.page_size", &result.pageSize},
        {"relax.context_length", &result.context},
        {"relax.trained_context_length", &result.trainedContext},
        {"relax.num_layers", &result.layers},
        {"relax.num_kv_heads", &result.kvHeads},
        {"relax.head_dim", &result.headDim},
        {"relax.vocabulary_size", &result.vocabulary}};
    for (const auto &[key, target] : keys) {
      auto value = metadata.integer(key);
      if (!value)
        return value.takeStatus();
      if (*value < 1 || *value > INT32_MAX)
        return Status(StatusCode::InvalidFile,
                      fmt::format("{}: {}: found {}, expected 1 to {}", metadata.source(), key,
                                  *value, INT32_MAX));
      *target = *value;
    }
    auto window = metadata.integer("relax.window", 0);
    if (!window)
      return window.takeStatus();
    result.window = *window;
    if (*window > 0) {
      auto local = metadata.booleans("relax.local_layers");
      if (!local)
        return local.takeStatus();
      result.localLayers = **local;
      if (static_cast<int64_t>(result.localLayers.size()) != result.layers)
        return Status(StatusCode::InvalidFile,
                      fmt::format("{}: relax.local_layers: found {} entries, expected {}",
                                  metadata.source(), result.localLayers.size(), result.layers));
    }
    auto type = metadata.string("relax.cache_type", "f32");
    if (!type)
      return type.takeStatus();
    const auto element = runtime::cacheElement(*type);
    if (!element)
      return Status(StatusCode::InvalidFile,
                    fmt::format("{}: relax.cache_type: found '{}', expected {}", metadata.source(),
                                *type, runtime::cacheTypeNames));
    result.cacheType = *element;
    return result;
  }
};

/// The cache for `context` tokens of each of `sequences`.
KvCacheShape cacheShape(const Parameters &parameters, int64_t context, int64_t sequences) {
  return {.layers = parameters.layers,
          .kvHeads = parameters.kvHeads,
          .headDim = runtime::storedHeadDim(parameters.cacheType, parameters.headDim),
          .pageSize = parameters.pageSize,
          .maxLength = context,
          .sequences = std::max<int64_t>(sequences, 1),
          .dtype = parameters.cacheType,
          .window = parameters.window,
          .localLayers = parameters.localLayers,
          .stepTokens = Engine::promptChunk};
}

/// The longest context, whole pages, at most `most`, whose keys and values take at most `room`.
int64_t largestContext(const Parameters &parameters, int64_t most, int64_t sequences,
                       uint64_t room) {
  int64_t low = 0, high = most / parameters.pageSize;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const auto bytes =
        KvCache::bytes(cacheShape(parameters, middle * parameters.pageSize, sequences));
    if (bytes && *bytes <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return low * parameters.pageSize;
}

/// The shape for the context that is asked for, or an error if there is no room for it; without
/// one, for as much of the compiled context as there is room for.
Expected<KvCacheShape> fittingShape(const Parameters &parameters, const EngineOptions &options,
                                    const runtime::Module &module) {
  const KvCacheShape wanted = cacheShape(
      parameters, options.context > 0 ? options.context : parameters.context, options.sequences);
  uint64_t room = options.memory.value_or(machineMemory());
  const auto bytes = KvCache::bytes(wanted);
  if (!bytes || room == 0)
    return wanted; // KvCache::create says what is wrong.
  room -= options.memory ? 0 : std::min(room, module.memory().current);
  if (*bytes <= room)
    return wanted;
  const int64_t fits = largestContext(parameters, wanted.maxLength, options.sequences, room);
  if (options.context > 0 || fits == 0)
    return Status(StatusCode::ResourceExhausted,
                  fmt::format("the keys and values of a context of {} tokens take {}, but there is "
                              "memory for {}: a context of {} tokens would fit",
                              wanted.maxLength, byteText(*bytes), byteText(room), fits));
  return cacheShape(parameters, fits, options.sequences);
}

/// Counts the cache's memory under the module's limit. An error says which context would fit.
Expected<runtime::MemoryReservation> reserveCache(const runtime::Module &module,
                                                  const Parameters &parameters,
                                                  const KvCacheShape &shape) {
  const auto bytes = KvCache::bytes(shape);
  if (!bytes)
    return runtime::MemoryReservation(); // KvCache::create says what is wrong.
  auto reserved = module.reserveMemory(
      *bytes, fmt::format("the keys and values of {} pages of {} tokens, {} at most in a sequence",
                          shape.pages(), shape.pageSize, shape.maxLength));
  const runtime::MemoryUse use = module.memory();
  if (reserved || use.limit <= use.current)
    return reserved;
  const int64_t fits =
      largestContext(parameters, shape.maxLength, shape.sequences, use.limit - use.current);
  return Status(
      reserved.status().code(),
      fmt::format("{}; the keys and values of {} tokens would fit, but activations need room, "
                  "too: relax inspect --memory with --limit says which context fits",
                  reserved.status().message(), fits));
}

} // namespace

Expected<Engine> Engine::create(runtime::Module module, const EngineOptions &options) {
  auto parameters = Parameters::read(module.metadata());
  if (!parameters)
    return parameters.takeStatus().withContext("this is no compiled language model");
  auto step = module.function("step");
  if (!step)
    return step.takeStatus();
  const auto local = static_cast<size_t>(std::ranges::count(parameters->localLayers, true));
  const auto layers = static_cast<size_t>(parameters->layers);
  const size_t tables = local > 0 && local < layers ? 2 : 1;
  const size_t expected = numPlainInputs + tables - 1 + 2 * layers;
  if (step->signature().parameters.size() != expected)
    return Status(StatusCode::InvalidFile,
                  fmt::format("{}: @step has {} parameters, expected {}",
                              module.metadata().source(), step->signature().parameters.size(),
                              expected));
  if (options.context < 0 || options.context > parameters->context)
    return Status(
        StatusCode::InvalidArgument,
        fmt::format("context: found {}, expected at most the {} tokens that the model was "
                    "compiled for",
                    options.context, parameters->context));
  auto tokenizer = Tokenizer::fromMetadata(module.metadata());
  if (!tokenizer)
    return tokenizer.takeStatus();
  auto shape = fittingShape(*parameters, options, module);
  if (!shape)
    return shape.takeStatus();
  auto reserved = reserveCache(module, *parameters, *shape);
  if (!reserved)
    return reserved.takeStatus();
  auto cache = KvCache::create(*shape);
  if (!cache)
    return cache.takeStatus();
  return Engine(std::move(module), std::move(*step),
                std::make_unique<Tokenizer>(std::move(*tokenizer)), std::move(*cache),
                std::move(*reserved), static_cast<size_t>(parameters->vocabulary),
                {parameters->context, parameters->trainedContext});
}

Status Engine::checkRoom(SequenceId sequence, int64_t count) const {
  auto used = length(sequence);
  if (!used)
    return used.takeStatus();
  if (count <= context() - *used)
    return {};
  return Status(
      StatusCode::InvalidArgument,
      *used == 0
          ? fmt::format("the prompt has {} tokens, but the context holds {}", count, context())
          : fmt::format("the prompt has {} tokens more, but the context holds {}, of "
                        "which {} are in use",
                        count, context(), *used));
}

Status Engine::checkParts(std::span<const StepPart> parts) const {
  for (const StepPart &part : parts) {
    for (const int32_t token : part.tokens)
      if (token < 0 || static_cast<size_t>(token) >= vocabulary)
        return Status(StatusCode::InvalidArgument,
                      fmt::format("found token {}, expected one of the vocabulary, 0 to {}", token,
                                  vocabulary - 1));
    const auto count = static_cast<int64_t>(part.tokens.size());
    if (count > promptChunk)
      return Status(StatusCode::InvalidArgument,
                    fmt::format("found {} tokens of one sequence in a step, expected at most {}",
                                count, promptChunk));
    RELAX_RETURN_IF_ERROR(checkRoom(part.sequence, count));
  }
  return {};
}

/// Reserves room for the tokens, and fills the arguments of @step.
Status Engine::gather(std::span<const StepPart> parts) {
  for (std::vector<int32_t> *argument :
       {&tokens, &positions, &starts, &cachedLengths, &outputRows, &outputCounts})
    argument->clear();
  starts.push_back(0);
  pagesPerRow = 0;
  for (const StepPart &part : parts) {
    RELAX_RETURN_IF_ERROR(cache.reserve(part.sequence, static_cast<int64_t>(part.tokens.size())));
    auto cached = length(part.sequence);
    if (!cached)
      return cached.takeStatus();
    const auto base = static_cast<int32_t>(tokens.size());
    for (const int32_t row : part.rows) {
      outputRows.push_back(base + row);
      outputCounts.push_back(
          static_cast<int32_t>(std::clamp<int64_t>(part.likeliest, 0, INT32_MAX)));
    }
    for (size_t i = 0; i < part.tokens.size(); ++i)
      positions.push_back(static_cast<int32_t>(*cached) + static_cast<int32_t>(i));
    tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
    starts.push_back(static_cast<int32_t>(tokens.size()));
    cachedLengths.push_back(static_cast<int32_t>(*cached));
  }
  // A row must take all the pages that its sequence owns, which can be more than it needs now.
  for (const StepPart &part : parts)
    for (size_t table = 0; table < cache.numTables(); ++table) {
      auto pages = cache.table(table).pages(part.sequence);
      if (!pages)
        return pages.takeStatus();
      pagesPerRow = std::max(pagesPerRow, static_cast<int64_t>(pages->size()));
    }
  pageRows.resize(cache.numTables());
  const auto width = static_cast<size_t>(pagesPerRow);
  for (size_t table = 0; table < cache.numTables(); ++table) {
    pageRows[table].assign(parts.size() * width, 0);
    for (size_t i = 0; i < parts.size(); ++i)
      RELAX_RETURN_IF_ERROR(cache.table(table).fillRow(
          parts[i].sequence, std::span(pageRows[table]).subspan(i * width, width)));
  }
  return {};
}

Status Engine::call(size_t rows) {
  const auto count = [](const std::vector<int32_t> &values) {
    return static_cast<int64_t>(values.size());
  };
  const int64_t tokenDims[] = {count(tokens)}, startDims[] = {count(starts)},
                pageDims[] = {count(cachedLengths), pagesPerRow},
                lengthDims[] = {count(cachedLengths)}, rowDims[] = {count(outputRows)},
                logitDims[] = {static_cast<int64_t>(rows), static_cast<int64_t>(vocabulary)};
  std::vector<TensorView> inputs = {
      {tokens.data(), DType::I32, tokenDims},         {positions.data(), DType::I32, tokenDims},
      {starts.data(), DType::I32, startDims},         {pageRows[0].data(), DType::I32, pageDims},
      {cachedLengths.data(), DType::I32, lengthDims}, {outputRows.data(), DType::I32, rowDims},
      {outputCounts.data(), DType::I32, rowDims}};
  for (size_t table = 1; table < pageRows.size(); ++table)
    inputs.push_back({pageRows[table].data(), DType::I32, pageDims});
  inputs.insert(inputs.end(), cache.tensors().begin(), cache.tensors().end());
  logits.resize(rows * vocabulary);
  std::vector<TensorView> outputs = {{logits.data(), DType::F32, logitDims}};
  outputs.insert(outputs.end(), cache.tensors().begin(), cache.tensors().end());
  return stepFunction.call(inputs, outputs);
}

Expected<std::span<const float>> Engine::step(std::span<const StepPart> parts) {
  RELAX_RETURN_IF_ERROR(checkParts(parts));
  RELAX_RETURN_IF_ERROR(gather(parts));
  RELAX_RETURN_IF_ERROR(call(outputRows.size()));
  for (const StepPart &part : parts)
    RELAX_RETURN_IF_ERROR(cache.advance(part.sequence, static_cast<int64_t>(part.tokens.size())));
  return std::span<const float>(logits);
}

Status Engine::append(SequenceId sequence, std::span<const int32_t> newTokens,
                      std::span<const int32_t> rows, const OnLogits &onLogits, int64_t chunk,
                      const std::function<bool()> &cancelled, int64_t likeliest) {
  RELAX_RETURN_IF_ERROR(checkRoom(sequence, static_cast<int64_t>(newTokens.size())));
  size_t nextRow = 0;
  const auto most = static_cast<size_t>(std::clamp<int64_t>(chunk, 1, promptChunk));
  for (size_t begin = 0; begin < newTokens.size();) {
    if (cancelled && cancelled())
      return Status(StatusCode::Cancelled, "cancelled");
    const size_t end = std::min(newTokens.size(), begin + most);
    StepPart part{sequence, newTokens.subspan(begin, end - begin), {}, likeliest};
    const size_t firstRow = nextRow;
    for (; nextRow < rows.size() && static_cast<size_t>(rows[nextRow]) < end; ++nextRow)
      part.rows.push_back(rows[nextRow] - static_cast<int32_t>(begin));
    auto result = step({&part, 1});
    if (!result)
      return result.takeStatus();
    for (size_t i = firstRow; i < nextRow; ++i)
      RELAX_RETURN_IF_ERROR(onLogits(static_cast<size_t>(rows[i]),
                                     result->subspan((i - firstRow) * vocabulary, vocabulary)));
    begin = end;
  }
  return {};
}

} // namespace relax::llm
