//===- Reference.h - the reference data and the sample model, for tests -----------------------===//
#pragma once

#include "runtime/support/Metadata.h"

#include <nlohmann/json.hpp>

#include <string>

namespace relax::llm::test {

/// The parsed file tests/data/reference/NAME; the test fails and null comes back if it is missing.
nlohmann::ordered_json readReference(const std::string &name);

/// Where scripts/fetch_model.sh puts models.
std::string modelFolder();

/// The metadata of a GGUF file; the test fails if it is missing.
Metadata readMetadata(const std::string &path);

/// The path of SmolLM2-135M-Instruct.Q4_1.gguf, which scripts/fetch_model.sh obtains.
std::string sampleModelPath();

/// The metadata of that file; read once.
const Metadata &sampleModelMetadata();

} // namespace relax::llm::test
