#include "llm/tokenizer/StreamDecoder.h"
#include "llm/tokenizer/Tokenizer.h"
#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Model.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

namespace relax::tool {
namespace {

struct Options {
  ModelFlags model;
  std::string text, file, tokens;
  bool special = false, json = false;
};

Expected<llm::Tokenizer> loadTokenizer(const std::string &path) {
  auto metadata = readMetadata(path);
  if (!metadata)
    return metadata.takeStatus();
  return llm::Tokenizer::fromMetadata(*metadata);
}

Status tokenize(const Options &options) {
  std::string text = options.text;
  if (!options.file.empty()) {
    auto content = readText(options.file);
    if (!content)
      return content.takeStatus();
    text = std::move(*content);
  }
  RELAX_RETURN_IF_ERROR(checkUtf8(options.file.empty() ? "--text" : options.file, text));
  auto tokenizer = loadTokenizer(options.model.model);
  if (!tokenizer)
    return tokenizer.takeStatus();
  const auto ids =
      tokenizer->encode(text, {.addSpecial = options.special, .parseSpecial = options.special});
  if (options.json)
    return writeOutput(jsonText(ids));
  std::string lines;
  for (const int32_t id : ids)
    lines += fmt::format("{:>8}  {}\n", id,
                         nlohmann::json(tokenizer->bytesOf(id))
                             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return writeOutput(lines);
}

Status detokenize(const Options &options) {
  auto tokenizer = loadTokenizer(options.model.model);
  if (!tokenizer)
    return tokenizer.takeStatus();
  auto ids = parseTokens("--tokens", options.tokens, tokenizer->vocabularySize());
  if (!ids)
    return ids.takeStatus();
  llm::StreamDecoder decoder;
  std::string text = decoder.push(tokenizer->decode(*ids, !options.special));
  text += decoder.finish();
  return writeOutput(options.json ? jsonText(text) : text + "\n");
}

} // namespace

void addTokenize(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("tokenize", "Show the tokens of a text");
  auto options = std::make_shared<Options>();
  options->model.describe(command, /*running=*/false);
  CLI::Option *text = command.add_option("-t,--text", options->text, "The text")->type_name("TEXT");
  CLI::Option *file =
      command.add_option("-f,--file", options->file, "A file with the text; -: the standard input")
          ->type_name("FILE");
  text->excludes(file);
  command.add_flag("--special", options->special,
                   "Recognise special tokens such as <|im_end|>, and add those that the model "
                   "begins or ends a text with");
  command.add_flag("--json", options->json, "Print the ids as a JSON list");
  command.footer("Examples:\n"
                 "  relax tokenize model.gguf --text \"Hello world\"\n"
                 "  relax tokenize model.gguf --text \"<|im_start|>user\" --special --json");
  onCall(command, exitCode, [options, text, file]() -> Status {
    if (text->count() + file->count() == 0)
      return Status(StatusCode::InvalidArgument, "expected a text: --text TEXT or -f FILE");
    return tokenize(*options);
  });
}

void addDetokenize(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("detokenize", "Show the text of tokens");
  auto options = std::make_shared<Options>();
  options->model.describe(command, /*running=*/false);
  command.add_option("--tokens", options->tokens, "The token ids: 1,2,3")
      ->required()
      ->type_name("IDS");
  command.add_flag("--skip-special", options->special, "Leave control tokens out");
  command.add_flag("--json", options->json, "Print the text as a JSON string");
  command.footer("Example:\n  relax detokenize model.gguf --tokens 19556,905");
  onCall(command, exitCode, [options] { return detokenize(*options); });
}

} // namespace relax::tool
