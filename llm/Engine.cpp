#include "llm/Engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace relax::llm {
namespace {

using runtime::DType;
using runtime::TensorView;

constexpr size_t numPlainInputs = 6;

/// The hyper-parameters that the compiler wrote into the artifact.
struct Parameters {
  int64_t pageSize, context, layers, kvHeads, headDim, vocabulary;
  DType cacheType;

  static Expected<Parameters> read(const Metadata &metadata) {
    Parameters result{};
    const std::pair<const char *, int64_t *> keys[] = {
        {"relax.page_size", &result.pageSize}, {"relax.context_length", &result.context},
        {"relax.num_layers", &result.layers},  {"relax.num_kv_heads", &result.kvHeads},
        {"relax.head_dim", &result.headDim},   {"relax.vocabulary_size", &result.vocabulary}};
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
    auto type = metadata.string("relax.cache_type", "f32");
    if (!type)
      return type.takeStatus();
    if (*type != "f32" && *type != "f16")
      return Status(StatusCode::InvalidFile,
                    fmt::format("{}: relax.cache_type: found '{}', expected f32 or f16",
                                metadata.source(), *type));
    result.cacheType = *type == "f16" ? DType::F16 : DType::F32;
    return result;
  }
};

/// Counts the cache's memory under the module's limit. An error says which context would fit.
Expected<runtime::MemoryReservation> reserveCache(const runtime::Module &module,
                                                  const KvCacheShape &shape) {
  const auto bytes = KvCache::bytes(shape);
  if (!bytes)
    return runtime::MemoryReservation(); // KvCache::create says what is wrong.
  auto reserved = module.reserveMemory(
      *bytes, fmt::format("the keys and values of {} pages of {} tokens, {} at most in a sequence",
                          shape.pages, shape.pageSize, shape.maxLength));
  const runtime::MemoryUse use = module.memory();
  if (reserved || use.limit <= use.current || *bytes == 0)
    return reserved;
  const uint64_t pageBytes = *bytes / static_cast<uint64_t>(shape.pages);
  const uint64_t sequences = std::max<uint64_t>(
      1, static_cast<uint64_t>(shape.pages) /
             static_cast<uint64_t>((shape.maxLength + shape.pageSize - 1) / shape.pageSize));
  const uint64_t fits = (use.limit - use.current) / pageBytes / sequences;
  return Status(reserved.status().code(),
                fmt::format("{}; a context of {} tokens would leave nothing for the activations",
                            reserved.status().message(),
                            fits * static_cast<uint64_t>(shape.pageSize)));
}

} // namespace

Expected<Engine> Engine::create(runtime::Module module, const EngineOptions &options) {
  auto parameters = Parameters::read(module.metadata());
  if (!parameters)
    return parameters.takeStatus().withContext("this is no compiled language model");
  auto step = module.function("step");
  if (!step)
    return step.takeStatus();
  const size_t expected = numPlainInputs + 2 * static_cast<size_t>(parameters->layers);
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
  const int64_t context = options.context > 0 ? options.context : parameters->context;
  const int64_t pages = (context + parameters->pageSize - 1) / parameters->pageSize;
  const KvCacheShape shape = {.layers = parameters->layers,
                              .kvHeads = parameters->kvHeads,
                              .headDim = parameters->headDim,
                              .pageSize = parameters->pageSize,
                              .pages = pages * std::max<int64_t>(options.sequences, 1),
                              .maxLength = context,
                              .dtype = parameters->cacheType};
  auto reserved = reserveCache(module, shape);
  if (!reserved)
    return reserved.takeStatus();
  auto cache = KvCache::create(shape);
  if (!cache)
    return cache.takeStatus();
  return Engine(std::move(module), std::move(*step),
                std::make_unique<Tokenizer>(std::move(*tokenizer)), std::move(*cache),
                std::move(*reserved), static_cast<size_t>(parameters->vocabulary));
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
    RELAX_RETURN_IF_ERROR(checkRoom(part.sequence, static_cast<int64_t>(part.tokens.size())));
  }
  return {};
}

/// Reserves room for the tokens, and fills the arguments of @step.
Status Engine::gather(std::span<const StepPart> parts) {
  for (std::vector<int32_t> *argument :
       {&tokens, &positions, &starts, &pageRows, &cachedLengths, &outputRows})
    argument->clear();
  starts.push_back(0);
  pagesPerRow = 0;
  for (const StepPart &part : parts) {
    auto copies = cache.table().reserve(part.sequence, static_cast<int64_t>(part.tokens.size()));
    if (!copies)
      return copies.takeStatus();
    cache.copy(*copies);
    auto cached = length(part.sequence);
    if (!cached)
      return cached.takeStatus();
    const auto base = static_cast<int32_t>(tokens.size());
    for (const int32_t row : part.rows)
      outputRows.push_back(base + row);
    for (size_t i = 0; i < part.tokens.size(); ++i)
      positions.push_back(static_cast<int32_t>(*cached) + static_cast<int32_t>(i));
    tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
    starts.push_back(static_cast<int32_t>(tokens.size()));
    cachedLengths.push_back(static_cast<int32_t>(*cached));
    const int64_t slots = *cached + static_cast<int64_t>(part.tokens.size());
    pagesPerRow =
        std::max(pagesPerRow, (slots + cache.table().pageSize() - 1) / cache.table().pageSize());
  }
  // A row must take all the pages that its sequence owns, which can be more than it needs now.
  for (const StepPart &part : parts) {
    auto pages = cache.table().pages(part.sequence);
    if (!pages)
      return pages.takeStatus();
    pagesPerRow = std::max(pagesPerRow, static_cast<int64_t>(pages->size()));
  }
  pageRows.assign(parts.size() * static_cast<size_t>(pagesPerRow), 0);
  for (size_t i = 0; i < parts.size(); ++i)
    RELAX_RETURN_IF_ERROR(cache.table().fillRow(
        parts[i].sequence, std::span(pageRows).subspan(i * static_cast<size_t>(pagesPerRow),
                                                       static_cast<size_t>(pagesPerRow))));
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
      {starts.data(), DType::I32, startDims},         {pageRows.data(), DType::I32, pageDims},
      {cachedLengths.data(), DType::I32, lengthDims}, {outputRows.data(), DType::I32, rowDims}};
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
    RELAX_RETURN_IF_ERROR(
        cache.table().advance(part.sequence, static_cast<int64_t>(part.tokens.size())));
  return std::span<const float>(logits);
}

Status Engine::append(SequenceId sequence, std::span<const int32_t> newTokens,
                      std::span<const int32_t> rows, const OnLogits &onLogits, int64_t chunk,
                      const std::function<bool()> &cancelled) {
  RELAX_RETURN_IF_ERROR(checkRoom(sequence, static_cast<int64_t>(newTokens.size())));
  size_t nextRow = 0;
  for (size_t begin = 0; begin < newTokens.size();) {
    if (cancelled && cancelled())
      return Status(StatusCode::Cancelled, "cancelled");
    const size_t end = std::min(newTokens.size(), begin + static_cast<size_t>(chunk));
    StepPart part{sequence, newTokens.subspan(begin, end - begin), {}};
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
