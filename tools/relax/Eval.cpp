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
  std::string tokens, positions = "all";
  int64_t top = 10, chunk = 128;
  bool json = false;
};

using Json = nlohmann::ordered_json;

Json describe(int32_t position, std::span<const float> logits, size_t top) {
  Json list = Json::array();
  for (const auto &[token, logit] : topLogits(logits, top))
    list.push_back({token, logit});
  return {{"position", position},
          {"top", list},
          {"logsumexp", logSumExp(logits)},
          {"mean", mean(logits)},
          {"norm", norm(logits)}};
}

/// A table for people: one block for each position.
std::string describeText(const Json &document, const llm::Tokenizer &tokenizer) {
  std::string text;
  for (const Json &entry : document["positions"]) {
    text += fmt::format("position {}: log-sum-exp {:.6f}, mean {:.6f}, norm {:.6f}\n",
                        entry["position"].get<int>(), entry["logsumexp"].get<double>(),
                        entry["mean"].get<double>(), entry["norm"].get<double>());
    for (const Json &pair : entry["top"]) {
      const auto id = pair[0].get<int32_t>();
      text += fmt::format(
          "  {:>8}  {:12.6f}  {}\n", id, pair[1].get<double>(),
          tokenizer.contains(id)
              ? Json(tokenizer.bytesOf(id)).dump(-1, ' ', false, Json::error_handler_t::replace)
              : "");
    }
  }
  if (document.contains("perplexity"))
    text += fmt::format("perplexity {:.6f}\n", document["perplexity"].get<double>());
  return text;
}

Status run(const Options &options) {
  auto model = loadModel(options.model);
  if (!model)
    return model.takeStatus();
  llm::Engine &engine = model->engine;
  auto tokens = parseTokens("--tokens", options.tokens, engine.vocabularySize());
  if (!tokens)
    return tokens.takeStatus();
  auto positions = parsePositions("--positions", options.positions, tokens->size());
  if (!positions)
    return positions.takeStatus();

  std::vector<Json> described(tokens->size());
  std::vector<bool> wanted(tokens->size(), false);
  for (const int32_t position : *positions)
    wanted[static_cast<size_t>(position)] = true;
  std::vector<int32_t> rows(tokens->size());
  std::iota(rows.begin(), rows.end(), 0);
  double negativeLogLikelihood = 0;
  const auto onLogits = [&](size_t index, std::span<const float> logits) -> Status {
    if (wanted[index])
      described[index] =
          describe(static_cast<int32_t>(index), logits, static_cast<size_t>(options.top));
    if (index + 1 < tokens->size())
      negativeLogLikelihood +=
          logSumExp(logits) - logits[static_cast<size_t>((*tokens)[index + 1])];
    return {};
  };
  RELAX_RETURN_IF_ERROR(engine.append(engine.createSequence(), *tokens, rows, onLogits,
                                      options.chunk, [] { return interrupted(); }));
  Json document = {{"positions", Json::array()}};
  for (const int32_t position : *positions)
    document["positions"].push_back(described[static_cast<size_t>(position)]);
  if (tokens->size() > 1)
    document["perplexity"] =
        std::exp(negativeLogLikelihood / static_cast<double>(tokens->size() - 1));
  return writeOutput(options.json ? jsonText(document)
                                  : describeText(document, engine.tokenizer()));
}

} // namespace

void addEval(CLI::App &app, int &exitCode) {
  CLI::App &command =
      *app.add_subcommand("eval", "Print a model's logits, to compare them with a reference");
  auto options = std::make_shared<Options>();
  options->model.describe(command);
  command.add_option("--tokens", options->tokens, "The token ids to read: 1,2,3")
      ->required()
      ->type_name("IDS");
  command
      .add_option("--positions", options->positions,
                  "After which of them: all, last, or a list such as 0,5 or 0,-1")
      ->capture_default_str()
      ->type_name("LIST");
  command.add_option("--top", options->top, "How many of the highest logits")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--chunk", options->chunk,
                  "Read so many tokens at a time; the result is the same for any")
      ->check(CLI::Range(int64_t(1), int64_t(8192)))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--json", options->json,
                   "Print one JSON document: positions, each with position, top, logsumexp, mean "
                   "and norm (L2); the perplexity of all tokens but the first");
  command.footer("Examples:\n"
                 "  relax eval model.gguf --tokens 504,3575,282,4649,314 --positions last\n"
                 "  relax eval model.gguf --tokens 1,2,3 --activations float32 --json");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
