#include "llm/Random.h"
#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace relax::tool {
namespace {

struct Options {
  ModelFlags model;
  std::string prompts = "128,512", depths = "0", threads;
  int64_t generate = 64, repeat = 3;
  bool json = false;
};

struct Row {
  int64_t threads, prompt, depth;
  double prefillRate, decodeRate;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class Bench {
public:
  explicit Bench(llm::Engine &engine) : engine(engine), random(1) {}

  /// Tokens per second of reading `prompt` tokens, and of then giving out `generate`, both with
  /// `depth` tokens in the cache at the beginning. A rate is 0 where nothing is measured.
  Expected<Row> measure(int64_t prompt, int64_t depth, int64_t generate, int64_t repeat) {
    const llm::SequenceId sequence = engine.createSequence();
    RELAX_RETURN_IF_ERROR(read(sequence, depth));
    std::vector<double> prefill, decode;
    for (int64_t i = 0; i < repeat; ++i) {
      RELAX_RETURN_IF_ERROR(engine.trim(sequence, depth));
      const llm::Stopwatch prefillWatch;
      RELAX_RETURN_IF_ERROR(read(sequence, prompt));
      prefill.push_back(static_cast<double>(prompt) / prefillWatch.seconds());
      RELAX_RETURN_IF_ERROR(engine.trim(sequence, depth));
      const llm::Stopwatch decodeWatch;
      for (int64_t j = 0; j < generate; ++j)
        RELAX_RETURN_IF_ERROR(read(sequence, 1));
      decode.push_back(static_cast<double>(generate) / decodeWatch.seconds());
    }
    RELAX_RETURN_IF_ERROR(engine.free(sequence));
    return Row{0, prompt, depth, prompt > 0 ? median(prefill) : 0,
               generate > 0 ? median(decode) : 0};
  }

  /// Appends `count` random tokens; logits after the last one.
  Status read(llm::SequenceId sequence, int64_t count) {
    std::vector<int32_t> tokens(static_cast<size_t>(count));
    for (int32_t &token : tokens)
      token = static_cast<int32_t>(random.next() % engine.vocabularySize());
    const int32_t last[] = {static_cast<int32_t>(count) - 1};
    return engine.append(
        sequence, tokens, last, [](size_t, std::span<const float>) { return Status(); },
        llm::Engine::promptChunk, [] { return interrupted(); });
  }

private:
  llm::Engine &engine;
  llm::Random random;
};

std::string table(const std::vector<Row> &rows) {
  std::string text = "threads  prompt   depth  prefill tokens/s  decode tokens/s\n";
  for (const Row &row : rows)
    text += fmt::format("{:>7} {:>7} {:>7} {:>17.1f} {:>16.1f}\n", row.threads, row.prompt,
                        row.depth, row.prefillRate, row.decodeRate);
  return text;
}

nlohmann::ordered_json document(const std::vector<Row> &rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Row &row : rows)
    list.push_back({{"threads", row.threads},
                    {"prompt", row.prompt},
                    {"depth", row.depth},
                    {"prefill_tokens_per_s", row.prefillRate},
                    {"decode_tokens_per_s", row.decodeRate}});
  return list;
}

Status run(const Options &options) {
  auto prompts = parseNumbers("--prompt", options.prompts, 0, INT32_MAX);
  if (!prompts)
    return prompts.takeStatus();
  auto depths = parseNumbers("--depth", options.depths, 0, INT32_MAX);
  if (!depths)
    return depths.takeStatus();
  auto threads = parseNumbers("--threads", options.threads, 0, 1024);
  if (!threads)
    return threads.takeStatus();
  if (threads->empty())
    threads->push_back(0);
  if (prompts->empty() || depths->empty())
    return Status(StatusCode::InvalidArgument, "--prompt, --depth: expected at least one number");

  std::vector<Row> rows;
  ProgressLine progress;
  for (const int64_t count : *threads) {
    ModelFlags flags = options.model;
    flags.threads = count;
    auto model = loadModel(flags);
    if (!model)
      return model.takeStatus();
    Bench bench(model->engine);
    const llm::SequenceId warmUp = model->engine.createSequence();
    RELAX_RETURN_IF_ERROR(bench.read(warmUp, std::min<int64_t>(64, model->engine.context())));
    RELAX_RETURN_IF_ERROR(model->engine.free(warmUp));
    for (const int64_t depth : *depths)
      for (const int64_t prompt : *prompts) {
        progress.show(fmt::format("threads {}, prompt {}, depth {}", count, prompt, depth));
        auto row = bench.measure(prompt, depth, options.generate, options.repeat);
        if (!row)
          return row.takeStatus();
        row->threads = model->engine.module().pool()->threads();
        rows.push_back(*row);
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
  command.add_option("--repeat", options->repeat, "Measure so often; the median counts")
      ->check(CLI::Range(int64_t(1), int64_t(1000)))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--activations", options->model.activations, "int8, int16 or float32")
      ->check(CLI::IsMember({"int8", "int16", "float32"}))
      ->capture_default_str()
      ->type_name("MODE");
  command.add_option("--cache-type", options->model.cacheType, "f32 or f16")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->capture_default_str()
      ->type_name("TYPE");
  command.add_flag("--json", options->json, "Print the rows as a JSON list");
  command.footer("Reading and giving out both start with `depth` tokens in the cache, as in "
                 "llama-bench.\n"
                 "Examples:\n"
                 "  relax bench model.gguf\n"
                 "  relax bench model.gguf --prompt 128,512 --generate 64 --threads 1,2 --json");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
