#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Score.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace relax::tool {
namespace {

struct Options {
  ModelFlags model;
  std::string file;
  int64_t window = 0;
  bool json = false;
};

/// The logits of so many tokens are in memory at once.
constexpr int64_t chunk = 128;

/// The sum of -log p(token | those before it in the window) over all tokens of the window but the
/// first.
Expected<double> scoreWindow(llm::Engine &engine, std::span<const int32_t> tokens) {
  const llm::SequenceId sequence = engine.createSequence();
  std::vector<int32_t> rows(tokens.size() - 1);
  std::iota(rows.begin(), rows.end(), 0);
  double sum = 0;
  Status status = engine.append(
      sequence, tokens, rows,
      [&](size_t index, std::span<const float> logits) -> Status {
        sum += logSumExp(logits) - logits[static_cast<size_t>(tokens[index + 1])];
        return {};
      },
      chunk, [] { return interrupted(); });
  RELAX_RETURN_IF_ERROR(std::move(status));
  RELAX_RETURN_IF_ERROR(engine.free(sequence));
  return sum;
}

Status run(const Options &options) {
  auto text = readText(options.file);
  if (!text)
    return text.takeStatus();
  RELAX_RETURN_IF_ERROR(checkUtf8(options.file, *text));
  auto model = loadModel(options.model);
  if (!model)
    return model.takeStatus();
  llm::Engine &engine = model->engine;
  const auto tokens = engine.tokenizer().encode(*text, {.addSpecial = true});
  if (tokens.size() < 2)
    return Status(
        StatusCode::InvalidArgument,
        fmt::format("{}: found {} tokens, expected at least 2", options.file, tokens.size()));
  if (options.window > engine.context())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("--window: found {}, expected at most the context of {} tokens",
                              options.window, engine.context()));
  const auto window = static_cast<size_t>(options.window > 0 ? options.window : engine.context());
  double sum = 0;
  int64_t scored = 0, windows = 0;
  ProgressLine progress;
  for (size_t begin = 0; begin + 1 < tokens.size(); begin += window) {
    const size_t count = std::min(window, tokens.size() - begin);
    if (count < 2)
      break;
    auto score = scoreWindow(engine, std::span(tokens).subspan(begin, count));
    if (!score)
      return score.takeStatus();
    sum += *score;
    scored += static_cast<int64_t>(count) - 1;
    ++windows;
    progress.show(fmt::format("{} of {} tokens, perplexity {:.4f}", begin + count, tokens.size(),
                              std::exp(sum / static_cast<double>(scored))));
  }
  progress.clear();
  const double perplexity = std::exp(sum / static_cast<double>(scored));
  if (!options.json)
    return writeOutput(fmt::format("perplexity {:.6f} of {} tokens in {} window{}\n", perplexity,
                                   scored, windows, windows == 1 ? "" : "s"));
  return writeOutput(jsonText({{"perplexity", perplexity},
                               {"negative_log_likelihood", sum},
                               {"tokens", tokens.size()},
                               {"scored_tokens", scored},
                               {"windows", windows}}));
}

} // namespace

void addPerplexity(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("perplexity", "Measure how well a model predicts a text");
  auto options = std::make_shared<Options>();
  options->model.describe(command);
  command.add_option("-f,--file", options->file, "The text, UTF-8; -: the standard input")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--window", options->window,
                  "Cut the text into windows of N tokens, each read from nothing; 0, the default: "
                  "of the context's size")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->type_name("N");
  command.add_flag("--json", options->json, "Print one JSON document");
  command.footer("The perplexity is exp of the mean of -log p(token | those before it) over all "
                 "tokens but\nthe first of each window.\n"
                 "Examples:\n"
                 "  relax perplexity model.gguf -f text.txt\n"
                 "  relax perplexity model.gguf -f text.txt --activations float32 --json");
  onCall(command, exitCode, [options]() -> Status {
    if (options->window == 1)
      return Status(StatusCode::InvalidArgument, "--window: found 1, expected 2 or more");
    return run(*options);
  });
}

} // namespace relax::tool
