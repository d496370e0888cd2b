//===- GenerateFlags.h - the flags that say how tokens are chosen -----------------------------===//
#pragma once

#include "llm/Generate.h"
#include "tools/relax/Model.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace relax::tool {

/// Describes -n, --temperature, --top-k, --top-p, --min-p, --seed and --stop, which fill `options`.
void describeSampling(CLI::App &command, llm::GenerateOptions &options);
/// An error if a stop is empty or no UTF-8.
Status checkStops(const std::vector<std::string> &stops);

/// "12 tokens in 0.34 s (35.3 tokens/s)"-like lines on one answer, for the standard error.
std::string statisticsText(const LoadedModel &model, const llm::Statistics &statistics);
/// The same for programs.
nlohmann::ordered_json statisticsJson(const LoadedModel &model, const llm::Statistics &statistics);

/// JSON as text, with a newline; bytes that are no UTF-8 become U+FFFD.
std::string jsonText(const nlohmann::ordered_json &json);

} // namespace relax::tool
