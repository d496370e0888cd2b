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

std::string modelFolder() {
  const auto variable = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  if (!variable("RELAX_MODELS").empty())
    return variable("RELAX_MODELS");
  if (!variable("XDG_CACHE_HOME").empty())
    return variable("XDG_CACHE_HOME") + "/relax/models";
  return variable("HOME") + "/.cache/relax/models";
}

std::string sampleModelPath() { return modelFolder() + "/SmolLM2-135M-Instruct.Q4_1.gguf"; }

Metadata readMetadata(const std::string &path) {
  auto file = gguf::File::open(path);
  if (file)
    return file->metadata();
  ADD_FAILURE() << file.status().message()
                << " (scripts/fetch_model.sh and scripts/fetch_vocabularies.sh obtain it)";
  return Metadata(path);
}

const Metadata &sampleModelMetadata() {
  static const Metadata metadata = readMetadata(sampleModelPath());
  return metadata;
}

} // namespace relax::llm::test
