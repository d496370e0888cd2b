#include "tools/relax/GenerateFlags.h"

#include "runtime/support/Text.h"
#include "tools/relax/Lists.h"

#include <fmt/format.h>

namespace relax::tool {

void describeSampling(CLI::App &command, llm::GenerateOptions &options) {
  command.add_option("-n,--max-tokens", options.maxTokens, "Tokens to generate at most")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--temperature", options.sampling.temperature,
                  "0: always the likeliest token; 1: by the model's probabilities; more: wilder")
      ->capture_default_str()
      ->type_name("T");
  command.add_option("--top-k", options.sampling.topK, "Only the K likeliest tokens; 0: all")
      ->check(wholeNumber(0, INT64_MAX))
      ->capture_default_str()
      ->type_name("K");
  command
      .add_option("--top-p", options.sampling.topP,
                  "Only the likeliest tokens that reach probability P together")
      ->capture_default_str()
      ->type_name("P");
  command
      .add_option("--min-p", options.sampling.minP,
                  "Only tokens with P times the likeliest one's probability at least")
      ->capture_default_str()
      ->type_name("P");
  command.add_option("--seed", options.sampling.seed, "The same seed chooses the same tokens")
      ->check(wholeNumber(0, UINT64_MAX))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--stop", options.stops,
                  "End the answer before this text; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
}

Status checkStops(const std::vector<std::string> &stops) {
  for (const std::string &stop : stops) {
    if (stop.empty())
      return Status(StatusCode::InvalidArgument,
                    "--stop: found an empty text, expected one that can end an answer");
    RELAX_RETURN_IF_ERROR(checkUtf8("--stop", stop));
  }
  return {};
}

std::string statisticsText(const LoadedModel &model, const llm::Statistics &statistics) {
  std::string text;
  if (model.compileSeconds > 0)
    text += fmt::format("compile              {:8.2f} s\n", model.compileSeconds);
  text += fmt::format("load                 {:8.2f} s\n", model.loadSeconds);
  text += fmt::format("time to first token  {:8.2f} s\n", statistics.firstTokenSeconds);
  text += fmt::format("prefill              {:8.1f} tokens/s  ({} tokens, {} of them reused)\n",
                      statistics.prefillRate(), statistics.promptTokens, statistics.reusedTokens);
  text += fmt::format("decode               {:8.1f} tokens/s  ({} tokens)\n",
                      statistics.decodeRate(), statistics.generatedTokens);
  text += fmt::format("peak memory          {:>8}\n", byteText(llm::peakMemory()));
  return text;
}

nlohmann::ordered_json statisticsJson(const LoadedModel &model, const llm::Statistics &statistics) {
  return {{"compile_s", model.compileSeconds},
          {"load_s", model.loadSeconds},
          {"first_token_s", statistics.firstTokenSeconds},
          {"prompt_tokens", statistics.promptTokens},
          {"reused_tokens", statistics.reusedTokens},
          {"generated_tokens", statistics.generatedTokens},
          {"prefill_tokens_per_s", statistics.prefillRate()},
          {"decode_tokens_per_s", statistics.decodeRate()},
          {"peak_memory_bytes", llm::peakMemory()}};
}

std::string jsonText(const nlohmann::ordered_json &json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace relax::tool
