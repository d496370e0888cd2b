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
  std::vector<std::string> beside; ///< Further models.
  std::string prompts = "128,512", depths = "0", sequences = "1", threads;
  int64_t generate = 64, repeat = 3;
  int64_t likeliest = 1;
  bool json = false, profile = false;
};

/// Tokens per second in each repetition: of the clock, and of the processor, all threads together,
/// which other programs can't take.
struct Rates {
  std::vector<double> clock, processor;
};

struct Row {
  std::string model;
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

/// In each repetition, how many times as fast as there; the two were measured one after the other.
std::vector<double> ratios(const std::vector<double> &rates, const std::vector<double> &others) {
  std::vector<double> result;
  for (size_t i = 0; i != std::min(rates.size(), others.size()); ++i)
    result.push_back(rates[i] / others[i]);
  return result;
}

/// What is read, over and over. Running text, since what an output head computes depends on how
/// sure the model is of what comes next (compiler/kernels/contraction/Likeliest.h).
constexpr std::string_view runningText =
    "The river rises in the hills behind the town and reaches the sea after some forty miles. In "
    "spring, when the snow melts, it floods the lower meadows, and for a week or two the road to "
    "the harbour can only be used by boat. Nobody minds much. The children are sent home early, "
    "the baker delivers bread through the upper windows, and old men argue about whether the water "
    "stood higher in the year of the great storm. A mark on the wall of the church says that it "
    "did, by almost a foot.\n\n"
    "How does one measure the flow of such a river? The simplest way is to throw in an orange, "
    "walk beside it for a hundred paces and count the seconds. If the bed is 12 metres wide and "
    "1.5 metres deep on average, and the orange takes 50 seconds for 80 metres, then 28.8 cubic "
    "metres pass each second. A better way uses a small propeller at several depths, because water "
    "near the ground is slower than at the surface.\n\n"
    "def flow(width, depth, speed):\n"
    "    \"\"\"Cubic metres per second.\"\"\"\n"
    "    return width * depth * speed\n\n"
    "for day, speed in enumerate(measurements):\n"
    "    print(f\"day {day}: {flow(12.0, 1.5, speed):.1f}\")\n\n"
    "When the mill was still in use, the miller kept such numbers in a book with a green cover. It "
    "is in the library today, next to the letters of the engineer who built the bridge. \"Dear "
    "sir,\" he wrote in the last of them, \"I have the honour to inform you that the work is "
    "finished, that nobody was hurt, and that it cost a little less than we had feared.\" ";

/// One of the models that take turns.
class Bench {
public:
  explicit Bench(LoadedModel model)
      : model(std::move(model)),
        text(engine().tokenizer().encode(runningText, {.addSpecial = false})) {
    if (text.empty()) // A vocabulary that has nothing for it.
      text = {0};
  }

  llm::Engine &engine() { return model.engine; }

  /// Makes `row.sequences` sequences, with `row.depth` tokens in their caches.
  Status begin(const Row &row) {
    for (int64_t i = 0; i < row.sequences; ++i) {
      sequences.push_back(engine().createSequence());
      RELAX_RETURN_IF_ERROR(read(sequences.back(), row.depth));
    }
    return {};
  }

  /// Measures once reading `row.prompt` tokens in each sequence, and then giving out
  /// `options.generate` in each, all at once.
  Status measure(Row &row, const Options &options) {
    if (row.prompt > 0)
      RELAX_RETURN_IF_ERROR(
          timed(row.prefill, row.prompt * row.sequences, [&] { return prefill(row); }));
    if (options.generate > 0)
      RELAX_RETURN_IF_ERROR(timed(row.decode, options.generate * row.sequences,
                                  [&] { return decode(row, options); }));
    return {};
  }

  Status end() {
    for (const llm::SequenceId sequence : std::exchange(sequences, {}))
      RELAX_RETURN_IF_ERROR(engine().free(sequence));
    return {};
  }

  Status warmUp() {
    const llm::SequenceId sequence = engine().createSequence();
    RELAX_RETURN_IF_ERROR(read(sequence, std::min<int64_t>(64, engine().context())));
    return engine().free(sequence);
  }

  /// Once more, with the clock around each kernel.
  Status profile(Row &row, const Options &options) {
    const runtime::Module &module = engine().module();
    module.enableProfiling(true);
    if (row.prompt > 0) {
      module.resetProfile();
      RELAX_RETURN_IF_ERROR(prefill(row));
      row.prefillProfile = module.profileReport();
    }
    if (options.generate > 0) {
      module.resetProfile();
      RELAX_RETURN_IF_ERROR(decode(row, options));
      row.decodeProfile = module.profileReport();
    }
    module.enableProfiling(false);
    return {};
  }

private:
  /// Appends the next `count` tokens of the text; logits after the last one.
  Status read(llm::SequenceId sequence, int64_t count) {
    const std::vector<int32_t> tokens = nextTokens(static_cast<size_t>(count));
    const int32_t last[] = {static_cast<int32_t>(count) - 1};
    return engine().append(
        sequence, tokens, last, [](size_t, std::span<const float>) { return Status(); },
        llm::Engine::promptChunk, [] { return interrupted(); });
  }

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

  std::vector<int32_t> nextTokens(size_t count) {
    std::vector<int32_t> tokens(count);
    for (int32_t &token : tokens)
      token = text[position++ % text.size()];
    return tokens;
  }

  /// Reads a prompt in each sequence, as many of them in one step as it takes, and forgets them.
  Status prefill(const Row &row) {
    const int64_t chunk = llm::Engine::promptChunk;
    const auto atOnce = static_cast<size_t>(std::max<int64_t>(1, chunk / row.prompt));
    for (size_t begin = 0; begin < sequences.size(); begin += atOnce) {
      const auto group =
          std::span(sequences).subspan(begin, std::min(atOnce, sequences.size() - begin));
      RELAX_RETURN_IF_ERROR(group.size() == 1 ? read(group[0], row.prompt)
                                              : readTogether(group, row.prompt));
    }
    return forget(row);
  }

  /// Gives out tokens in each sequence, always the likeliest, and forgets them.
  Status decode(const Row &row, const Options &options) {
    std::vector<int32_t> tokens = nextTokens(sequences.size());
    const size_t vocabulary = engine().vocabularySize();
    for (int64_t i = 0; i < options.generate; ++i) {
      if (interrupted())
        return Status(StatusCode::Cancelled, "interrupted");
      std::vector<llm::StepPart> parts;
      for (size_t s = 0; s != sequences.size(); ++s)
        parts.push_back({sequences[s], {&tokens[s], 1}, {0}, options.likeliest});
      auto logits = engine().step(parts);
      if (!logits)
        return logits.takeStatus();
      for (size_t s = 0; s != sequences.size(); ++s) {
        auto next = llm::argmax(logits->subspan(s * vocabulary, vocabulary));
        if (!next)
          return next.takeStatus();
        tokens[s] = *next;
      }
    }
    return forget(row);
  }

  Status forget(const Row &row) {
    for (const llm::SequenceId sequence : sequences)
      RELAX_RETURN_IF_ERROR(engine().trim(sequence, row.depth));
    return {};
  }

  /// Appends the next `count` tokens to each sequence, in one step; logits after the last of each.
  Status readTogether(std::span<const llm::SequenceId> group, int64_t count) {
    if (interrupted())
      return Status(StatusCode::Cancelled, "interrupted");
    const auto each = static_cast<size_t>(count);
    const std::vector<int32_t> tokens = nextTokens(group.size() * each);
    std::vector<llm::StepPart> parts;
    for (size_t i = 0; i != group.size(); ++i)
      parts.push_back(
          {group[i], std::span(tokens).subspan(i * each, each), {static_cast<int32_t>(count) - 1}});
    auto logits = engine().step(parts);
    return logits ? Status() : logits.takeStatus();
  }

  LoadedModel model;
  std::vector<int32_t> text;
  size_t position = 0; ///< In the text, that repeats.
  std::vector<llm::SequenceId> sequences;
};

/// `rows` are those of each model in turn, `models` of them.
std::string table(const std::vector<Row> &rows, size_t models) {
  const bool turns = models > 1;
  std::string text = "threads  sequences  prompt   depth  prefill tokens/s  decode tokens/s";
  text += turns ? "  prefill ratio  decode ratio  model\n" : "\n";
  for (size_t i = 0; i != rows.size(); ++i) {
    const Row &row = rows[i], &first = rows[i - i % models];
    text += fmt::format("{:>7} {:>10} {:>7} {:>7} {:>17.1f} {:>16.1f}", row.threads, row.sequences,
                        row.prompt, row.depth, median(row.prefill.clock), median(row.decode.clock));
    if (turns)
      text += fmt::format("{:>15.3f}{:>14.3f}  {}",
                          median(ratios(row.prefill.clock, first.prefill.clock)),
                          median(ratios(row.decode.clock, first.decode.clock)), row.model);
    text += '\n';
  }
  for (const Row &row : rows)
    for (const auto &[what, profile] :
         {std::pair("prefill", &row.prefillProfile), {"decode", &row.decodeProfile}})
      if (!profile->empty())
        text += fmt::format("\n{}, threads {}, sequences {}, prompt {}, depth {}{}:\n{}", what,
                            row.threads, row.sequences, row.prompt, row.depth,
                            turns ? ", " + row.model : "", *profile);
  return text;
}

nlohmann::ordered_json document(const std::vector<Row> &rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Row &row : rows)
    list.push_back({{"model", row.model},
                    {"threads", row.threads},
                    {"sequences", row.sequences},
                    {"prompt", row.prompt},
                    {"depth", row.depth},
                    {"prefill_tokens_per_s", median(row.prefill.clock)},
                    {"decode_tokens_per_s", median(row.decode.clock)},
                    {"best_prefill_tokens_per_s", best(row.prefill.clock)},
                    {"best_decode_tokens_per_s", best(row.decode.clock)},
                    {"best_prefill_tokens_per_processor_s", best(row.prefill.processor)},
                    {"best_decode_tokens_per_processor_s", best(row.decode.processor)},
                    {"each_prefill_tokens_per_s", row.prefill.clock},
                    {"each_decode_tokens_per_s", row.decode.clock},
                    {"each_prefill_tokens_per_processor_s", row.prefill.processor},
                    {"each_decode_tokens_per_processor_s", row.decode.processor}});
  return list;
}

/// Measures all models at one combination of the lists, which stands in `rows`, one row for each.
Status measure(std::span<Bench> models, std::span<Row> rows, const Options &options) {
  for (size_t i = 0; i != models.size(); ++i)
    RELAX_RETURN_IF_ERROR(models[i].begin(rows[i]));
  // They take turns, and another one begins each time, so that what else the machine does meets
  // all.
  for (int64_t repetition = 0; repetition < options.repeat; ++repetition)
    for (size_t turn = 0; turn != models.size(); ++turn) {
      const size_t i = (turn + static_cast<size_t>(repetition)) % models.size();
      RELAX_RETURN_IF_ERROR(models[i].measure(rows[i], options));
    }
  for (size_t i = 0; i != models.size(); ++i) {
    if (options.profile)
      RELAX_RETURN_IF_ERROR(models[i].profile(rows[i], options));
    RELAX_RETURN_IF_ERROR(models[i].end());
  }
  return {};
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

  std::vector<std::string> files = {options.model.model};
  files.insert(files.end(), options.beside.begin(), options.beside.end());
  std::vector<Row> rows;
  ProgressLine progress;
  for (const int64_t count : *threads) {
    std::vector<Bench> models;
    for (const std::string &file : files) {
      ModelFlags flags = options.model;
      flags.threads = count;
      flags.model = file;
      auto model = loadModel(flags, std::ranges::max(*sequences));
      if (!model)
        return model.takeStatus();
      models.emplace_back(std::move(*model));
      RELAX_RETURN_IF_ERROR(models.back().warmUp());
    }
    const auto used = static_cast<int64_t>(models.front().engine().module().pool()->threads());
    for (const int64_t together : *sequences)
      for (const int64_t depth : *depths)
        for (const int64_t prompt : *prompts) {
          progress.show(fmt::format("threads {}, sequences {}, prompt {}, depth {}", count,
                                    together, prompt, depth));
          for (const std::string &file : files)
            rows.push_back({file, used, together, prompt, depth});
          RELAX_RETURN_IF_ERROR(measure(models, std::span(rows).last(files.size()), options));
        }
  }
  progress.clear();
  return writeOutput(options.json ? jsonText(document(rows)) : table(rows, files.size()));
}

} // namespace

void addBench(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("bench", "Measure a model's speed on this machine");
  auto options = std::make_shared<Options>();
  options->model.describe(command, /*running=*/false);
  command
      .add_option("--beside", options->beside,
                  "Another model, or the same compiled otherwise, that takes turns with MODEL; "
                  "may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE");
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
  command
      .add_option("--likeliest", options->likeliest,
                  "How many of the largest logits are needed to give out a token, as by sampling "
                  "with --top-k; 0: all")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->capture_default_str()
      ->type_name("K");
  command.add_option("--repeat", options->repeat, "Measure so often; the median counts")
      ->check(CLI::Range(int64_t(1), int64_t(1000)))
      ->capture_default_str()
      ->type_name("N");
  addActivations(command, options->model.activations, "int8, int16 or float32");
  addCacheType(command, options->model.cacheType, "f32, f16 or q8_0");
  auto *json = command.add_flag("--json", options->json, "Print the rows as a JSON list");
  command
      .add_flag("--profile", options->profile,
                "Then print each kernel's share of the time, GFLOP/s and GB/s")
      ->excludes(json);
  command.footer("Reading and giving out both start with `depth` tokens in the cache, as in "
                 "llama-bench. What is read is running text, what is given out the likeliest "
                 "continuation. A ratio is the median of those of the repetitions, in each of "
                 "which the models\n"
                 "follow one another: more than 1 is faster than MODEL.\n"
                 "Examples:\n"
                 "  relax bench model.gguf\n"
                 "  relax bench model.gguf --prompt 128,512 --generate 64 --threads 1,2 --json\n"
                 "  relax bench new.rlx --beside old.rlx --sequences 1,8 --repeat 9");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
