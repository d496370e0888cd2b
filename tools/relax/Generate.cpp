#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

namespace relax::tool {
namespace {

struct Options {
  ModelFlags model;
  llm::GenerateOptions generate;
  std::string prompt, file, tokens;
  bool promptGiven = false, special = false, json = false, statistics = false, echo = false;
};

/// The prompt's tokens, from whichever flag gave it.
Expected<std::vector<int32_t>> promptTokens(const Options &options, const llm::Engine &engine) {
  if (!options.tokens.empty())
    return parseTokens("--tokens", options.tokens, engine.vocabularySize());
  std::string text = options.prompt;
  if (!options.file.empty()) {
    auto content = readText(options.file);
    if (!content)
      return content.takeStatus();
    text = std::move(*content);
  }
  const std::string name = options.file.empty() ? "the prompt" : options.file;
  RELAX_RETURN_IF_ERROR(checkUtf8(name, text));
  auto ids = engine.tokenizer().encode(
      text, {.addSpecial = true, .parseSpecial = options.special, .oneBegin = true});
  if (ids.empty())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{} is empty: there is nothing to continue", name));
  return ids;
}

Status run(const Options &options) {
  if (auto sampler = llm::Sampler::create(options.generate.sampling); !sampler)
    return sampler.takeStatus();
  RELAX_RETURN_IF_ERROR(checkStops(options.generate.stops));
  auto model = loadModel(options.model);
  if (!model)
    return model.takeStatus();
  llm::Engine &engine = model->engine;
  auto prompt = promptTokens(options, engine);
  if (!prompt)
    return prompt.takeStatus();

  Status output;
  if (options.echo && !options.json)
    RELAX_RETURN_IF_ERROR(writeOutput(engine.tokenizer().decode(*prompt, true)));
  llm::GenerateObserver observer;
  observer.cancelled = [&] { return interrupted() || !output.ok(); };
  observer.onText = [&](std::string_view piece) {
    if (!options.json && output.ok())
      output = writeOutput(piece);
  };
  auto generation =
      llm::generate(engine, engine.createSequence(), *prompt, options.generate, observer);
  if (!generation)
    return generation.takeStatus();
  RELAX_RETURN_IF_ERROR(std::move(output));
  if (options.json) {
    nlohmann::ordered_json document = {{"prompt_tokens", *prompt},
                                       {"tokens", generation->tokens},
                                       {"text", generation->text},
                                       {"stop", llm::name(generation->reason)}};
    if (generation->endToken >= 0)
      document["end_token"] = generation->endToken;
    document["statistics"] = statisticsJson(*model, generation->statistics);
    RELAX_RETURN_IF_ERROR(writeOutput(jsonText(document)));
  } else {
    RELAX_RETURN_IF_ERROR(writeOutput("\n"));
  }
  if (generation->reason == llm::StopReason::Cancelled)
    return Status(StatusCode::Cancelled, "cancelled");
  if (generation->reason == llm::StopReason::Context)
    reportNote(fmt::format("stopped because the context of {} tokens is full", engine.context()));
  if (options.statistics)
    fmt::print(stderr, "\n{}", statisticsText(*model, generation->statistics));
  return {};
}

} // namespace

void addGenerate(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("generate", "Continue a text");
  auto options = std::make_shared<Options>();
  options->model.describe(command);
  CLI::Option *prompt =
      command.add_option("-p,--prompt", options->prompt, "The text to continue")->type_name("TEXT");
  CLI::Option *file = command
                          .add_option("-f,--file", options->file,
                                      "A file with the text to continue; -: the standard input")
                          ->type_name("FILE");
  CLI::Option *tokens =
      command.add_option("--tokens", options->tokens, "The token ids to continue: 1,2,3")
          ->type_name("IDS");
  prompt->excludes(file)->excludes(tokens);
  file->excludes(tokens);
  describeSampling(command, options->generate);
  command.add_flag("--ignore-eos", options->generate.ignoreEnd, "Go on after an end token");
  command.add_flag("--special", options->special,
                   "Recognise special tokens such as <|im_start|> in the prompt");
  command.add_flag("--echo", options->echo, "Print the prompt before what follows it");
  command.add_flag("--json", options->json,
                   "Print one JSON document: tokens, text, why it stopped, statistics");
  command.add_flag("--stats", options->statistics, "Print times and rates at the end");
  command.footer("Examples:\n"
                 "  relax generate model.gguf -p \"The capital of France is\" -n 20\n"
                 "  relax generate model.gguf -p \"Once upon a time\" --temperature 0.8 --seed 7\n"
                 "  relax generate model.gguf -p \"1. Wash.\" --stop \"3.\"\n"
                 "  relax generate model.gguf --tokens 504,3575,282,4649,314 --json\n"
                 "Control tokens that are generated print as their names.");
  onCall(command, exitCode, [options, prompt, file, tokens]() -> Status {
    if (prompt->count() + file->count() + tokens->count() == 0)
      return Status(StatusCode::InvalidArgument,
                    "expected a prompt: -p TEXT, -f FILE or --tokens IDS");
    if (tokens->count() > 0 && options->tokens.empty())
      return Status(StatusCode::InvalidArgument,
                    "--tokens: found no tokens, expected at least one");
    return run(*options);
  });
}

} // namespace relax::tool
