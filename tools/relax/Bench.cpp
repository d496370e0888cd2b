#include "llm/Random.h"
#include "llm/Sampler.h"
#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace relax::tool {
namespace {

struct Options {
  ModelFlags model;
  std::string prompts = "128,512", depths = "0", sequences = "1", threads;
  int64_t generate = 64, repeat = 3;
  bool json = false, profile = false;
};

/// Tokens per second in each repetition: of the clock, and of the processor, all threads together,
/// which other programs can't take.
struct Rates {
  std::vector<double> clock, processor;
};

struct Row {
  int64_t threads, sequences, prompt, depth;
  Rates prefill = {}, decode = {};
  std::string prefillProfile = {}, decodeProfile = {}; ///< Where they are asked for.
};

/// 0 where nothing was measured.
double best(const std::vector<double> &values) {
  return values.empty() ? 0 : std::ranges::max(values);
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class Bench {
public:
  explicit Bench(llm::Engine &engine) : engine(engine), random(1) {}

  /// Measures reading `row.prompt` tokens in each of `row.sequences` sequences, and then giving out
  /// `generate` in each, all at once, with `row.depth` tokens in their caches at the beginning.
  Status measure(Row &row, const Options &options) {
    std::vector<llm::SequenceId> sequences;
    for (int64_t i = 0; i < row.sequences; ++i) {
      sequences.push_back(engine.createSequence());
      RELAX_RETURN_IF_ERROR(read(sequences.back(), row.depth));
    }
    for (int64_t i = 0; i < options.repeat; ++i) {
      if (row.prompt > 0)
        RELAX_RETURN_IF_ERROR(timed(row.prefill, row.prompt * row.sequences,
                                    [&] { return prefill(sequences, row); }));
      if (options.generate > 0)
        RELAX_RETURN_IF_ERROR(timed(row.decode, options.generate * row.sequences,
                                    [&] { return decode(sequences, row, options.generate); }));
    }
    if (options.profile)
      RELAX_RETURN_IF_ERROR(profile(sequences, row, options.generate));
    for (const llm::SequenceId sequence : sequences)
      RELAX_RETURN_IF_ERROR(engine.free(sequence));
    return {};
  }

  /// Appends `count` random tokens; logits after the last one.
  Status read(llm::SequenceId sequence, int64_t count) {
    std::vector<int32_t> tokens(static_cast<size_t>(count));
    for (int32_t &token : tokens)
      token = randomToken();
    const int32_t last[] = {static_cast<int32_t>(count) - 1};
    return engine.append(
        sequence, tokens, last, [](size_t, std::span<const float>) { return Status(); },
        llm::Engine::promptChunk, [] { return interrupted(); });
  }

private:
  template <typename Step> Status timed(Rates &rates, int64_t tokens, Step step) {
    const llm::Stopwatch watch;
    const double before = processorSeconds();
    RELAX_RETURN_IF_ERROR(step());
    rates.clock.push_back(static_cast<double>(tokens) / watch.seconds());
    rates.processor.push_back(static_cast<double>(tokens) / (processorSeconds() - before));
    return {};
  }

  static double processorSeconds() {
    timespec time{};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  int32_t randomToken() { return static_cast<int32_t>(random.next() % engine.vocabularySize()); }

  /// Reads a prompt in each sequence, as many of them in one step as it takes, and forgets them.
  Status prefill(std::span<const llm::SequenceId> sequences, const Row &row) {
    const int64_t chunk = llm::Engine::promptChunk;
    const auto atOnce = static_cast<size_t>(std::max<int64_t>(1, chunk / row.prompt));
    for (size_t begin = 0; begin < sequences.size(); begin += atOnce) {
      const auto group = sequences.subspan(begin, std::min(atOnce, sequences.size() - begin));
      RELAX_RETURN_IF_ERROR(group.size() == 1 ? read(group[0], row.prompt)
                                              : readTogether(group, row.prompt));
    }
    return forget(sequences, row);
  }

  /// Gives out `count` tokens in each sequence, always the likeliest, and forgets them.
  Status decode(std::span<const llm::SequenceId> sequences, const Row &row, int64_t count) {
    std::vector<int32_t> tokens(sequences.size());
    for (int32_t &token : tokens)
      token = randomToken();
    const size_t vocabulary = engine.vocabularySize();
    for (int64_t i = 0; i < count; ++i) {
      if (interrupted())
        return Status(StatusCode::Cancelled, "interrupted");
      std::vector<llm::StepPart> parts;
      for (size_t s = 0; s != sequences.size(); ++s)
        parts.push_back({sequences[s], {&tokens[s], 1}, {0}, /*likeliest=*/1});
      auto logits = engine.step(parts);
      if (!logits)
        return logits.takeStatus();
      for (size_t s = 0; s != sequences.size(); ++s) {
        auto next = llm::argmax(logits->subspan(s * vocabulary, vocabulary));
        if (!next)
          return next.takeStatus();
        tokens[s] = *next;
      }
    }
    return forget(sequences, row);
  }

  Status forget(std::span<const llm::SequenceId> sequences, const Row &row) {
    for (const llm::SequenceId sequence : sequences)
      RELAX_RETURN_IF_ERROR(engine.trim(sequence, row.depth));
    return {};
  }

  /// Once more, with the clock around each kernel.
  Status profile(std::span<const llm::SequenceId> sequences, Row &row, int64_t generate) {
    const runtime::Module &module = engine.module();
    module.enableProfiling(true);
    if (row.prompt > 0) {
      module.resetProfile();
      RELAX_RETURN_IF_ERROR(prefill(sequences, row));
      row.prefillProfile = module.profileReport();
    }
    if (generate > 0) {
      module.resetProfile();
      RELAX_RETURN_IF_ERROR(decode(sequences, row, generate));
      row.decodeProfile = module.profileReport();
    }
    module.enableProfiling(false);
    return {};
  }

  /// Appends `count` random tokens to each sequence, in one step; logits after the last of each.
  Status readTogether(std::span<const llm::SequenceId> sequences, int64_t count) {
    if (interrupted())
      return Status(StatusCode::Cancelled, "interrupted");
    const auto each = static_cast<size_t>(count);
    std::vector<int32_t> tokens(sequences.size() * each);
    for (int32_t &token : tokens)
      token = randomToken();
    std::vector<llm::StepPart> parts;
    for (size_t i = 0; i != sequences.size(); ++i)
      parts.push_back({sequences[i],
                       std::span(tokens).subspan(i * each, each),
                       {static_cast<int32_t>(count) - 1}});
    auto logits = engine.step(parts);
    return logits ? Status() : logits.takeStatus();
  }

  llm::Engine &engine;
  llm::Random random;
};

std::string table(const std::vector<Row> &rows) {
  std::string text = "threads  sequences  prompt   depth  prefill tokens/s  decode tokens/s\n";
  for (const Row &row : rows)
    text +=
        fmt::format("{:>7} {:>10} {:>7} {:>7} {:>17.1f} {:>16.1f}\n", row.threads, row.sequences,
                    row.prompt, row.depth, median(row.prefill.clock), median(row.decode.clock));
  for (const Row &row : rows)
    for (const auto &[what, profile] :
         {std::pair("prefill", &row.prefillProfile), {"decode", &row.decodeProfile}})
      if (!profile->empty())
        text += fmt::format("\n{}, threads {}, sequences {}, prompt {}, depth {}:\n{}", what,
                            row.threads, row.sequences, row.prompt, row.depth, *profile);
  return text;
}

nlohmann::ordered_json document(const std::vector<Row> &rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Row &row : rows)
    list.push_back({{"threads", row.threads},
                    {"sequences", row.sequences},
                    {"prompt", row.prompt},
                    {"depth", row.depth},
                    {"prefill_tokens_per_s", median(row.prefill.clock)},
                    {"decode_tokens_per_s", median(row.decode.clock)},
                    {"best_prefill_tokens_per_s", best(row.prefill.clock)},
                    {"best_decode_tokens_per_s", best(row.decode.clock)},
                    {"best_prefill_tokens_per_processor_s", best(row.prefill.processor)},
                    {"best_decode_tokens_per_processor_s", best(row.decode.processor)}});
  return list;
}

Status run(const Options &options) {
  auto prompts = parseNumbers("--prompt", options.prompts, 0, INT32_MAX);
  if (!prompts)
    return prompts.takeStatus();
  auto depths = parseNumbers("--depth", options.depths, 0, INT32_MAX);
  if (!depths)
    return depths.takeStatus();
  auto sequences = parseNumbers("--sequences", options.sequences, 1, 1024);
  if (!sequences)
    return sequences.takeStatus();
  auto threads = parseNumbers("--threads", options.threads, 0, 1024);
  if (!threads)
    return threads.takeStatus();
  if (threads->empty())
    threads->push_back(0);
  if (prompts->empty() || depths->empty() || sequences->empty())
    return Status(StatusCode::InvalidArgument,
                  "--prompt, --depth, --sequences: expected at least one number");

  std::vector<Row> rows;
  ProgressLine progress;
  for (const int64_t count : *threads) {
    ModelFlags flags = options.model;
    flags.threads = count;
    auto model = loadModel(flags, std::ranges::max(*sequences));
    if (!model)
      return model.takeStatus();
    Bench bench(model->engine);
    const llm::SequenceId warmUp = model->engine.createSequence();
    RELAX_RETURN_IF_ERROR(bench.read(warmUp, std::min<int64_t>(64, model->engine.context())));
    RELAX_RETURN_IF_ERROR(model->engine.free(warmUp));
    for (const int64_t together : *sequences)
      for (const int64_t depth : *depths)
        for (const int64_t prompt : *prompts) {
          progress.show(fmt::format("threads {}, sequences {}, prompt {}, depth {}", count,
                                    together, prompt, depth));
          Row row{static_cast<int64_t>(model->engine.module().pool()->threads()), together, prompt,
                  depth};
          RELAX_RETURN_IF_ERROR(bench.measure(row, options));
          rows.push_back(std::move(row));
        }
  }
  progress.clear();
  return writeOutput(options.json ? jsonText(document(rows)) : table(rows));
}

} // namespace

void addBench(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("bench", "Measure a model's speed on this machine");
  auto options = std::make_shared<Options>();
  options->model.describe(command, /*running=*/false);
  command.add_option("--prompt", options->prompts, "Lengths of prompts to read")
      ->capture_default_str()
      ->type_name("LIST");
  command.add_option("--generate", options->generate, "How many tokens to give out")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--depth", options->depths,
                  "Tokens that the cache holds before, for prompts and for decoding")
      ->capture_default_str()
      ->type_name("LIST");
  command
      .add_option("--threads", options->threads, "Numbers of threads; 0, the default: all cores")
      ->type_name("LIST");
  command
      .add_option("--sequences", options->sequences,
                  "Read prompts and give out tokens in so many sequences at once; rates count all")
      ->capture_default_str()
      ->type_name("LIST");
  command.add_option("--repeat", options->repeat, "Measure so often; the median counts")
      ->check(CLI::Range(int64_t(1), int64_t(1000)))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--activations", options->model.activations, "int8, int16 or float32")
      ->check(CLI::IsMember({"int8", "int16", "float32"}))
      ->capture_default_str()
      ->type_name("MODE");
  command.add_option("--cache-type", options->model.cacheType, "f32, f16 or q8_0")
      ->check(isCacheType())
      ->capture_default_str()
      ->type_name("TYPE");
  auto *json = command.add_flag("--json", options->json, "Print the rows as a JSON list");
  command
      .add_flag("--profile", options->profile,
                "Then print each kernel's share of the time, GFLOP/s and GB/s")
      ->excludes(json);
  command.footer("Reading and giving out both start with `depth` tokens in the cache, as in "
                 "llama-bench.\n"
                 "Examples:\n"
                 "  relax bench model.gguf\n"
                 "  relax bench model.gguf --prompt 128,512 --generate 64 --threads 1,2 --json");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
