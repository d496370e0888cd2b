#include "tests/unit/llm/Reference.h"

#include "compiler/importers/gguf/File.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace relax::llm::test {

nlohmann::ordered_json readReference(const std::string &name) {
  const std::string path = std::string(RELAX_TEST_DATA) + "/reference/" + name;
  std::ifstream file(path);
  if (!file) {
    ADD_FAILURE() << "cannot read " << path;
    return nullptr;
  }
  return nlohmann::ordered_json::parse(file);
}

std::string sampleModelPath() {
  const auto variable = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  std::string folder = variable("RELAX_MODELS");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty())
    folder = variable("XDG_CACHE_HOME") + "/relax/models";
  if (folder.empty())
    folder = variable("HOME") + "/.cache/relax/models";
  return folder + "/SmolLM2-135M-Instruct.Q4_1.gguf";
}

const Metadata &sampleModelMetadata() {
  static const Metadata metadata = [] {
    const std::string path = sampleModelPath();
    auto file = gguf::File::open(path);
    if (!file) {
      ADD_FAILURE() << file.status().message() << " (scripts/fetch_model.sh obtains it)";
      return Metadata(path);
    }
    return file->metadata();
  }();
  return metadata;
}

} // namespace relax::llm::test
