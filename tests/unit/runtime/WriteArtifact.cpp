//===- WriteArtifact.cpp - artifacts for other tests ------------------------------------------===//
//
//   write_artifact FILE            the module with "scale" and "update", for the C program
//   write_artifact --corpus FOLDER seeds for the fuzzer: a few small artifacts, whole and cut off
//
//===------------------------------------------------------------------------------------------===//
#include "tests/unit/runtime/TestModule.h"

#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace relax;
using namespace relax::test;

static void writeCorpus(const std::string &folder) {
  std::filesystem::create_directories(folder);
  Module everything = everythingModule();
  everything.objects[0].image = std::vector<uint8_t>(64, 1);
  Module scale;
  scale.kernels.push_back({"k_double", "test"});
  scale.objects.push_back({"any", {"avx2"}, std::vector<uint8_t>{1}});
  scale.functions.push_back(scaleFunction());
  auto write = [&](const char *name, std::span<const uint8_t> bytes) {
    writeBytes(folder + "/" + name, bytes);
  };
  std::vector<uint8_t> bytes = serializeOrDie(everything);
  write("everything.rlx", bytes);
  write("cut.rlx", std::span(bytes).first(bytes.size() / 2));
  write("scale.rlx", serializeOrDie(scale));
  write("empty.rlx", serializeOrDie(Module()));
}

int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--corpus") == 0) {
    writeCorpus(argv[2]);
    return 0;
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_artifact FILE | --corpus FOLDER\n");
    return 2;
  }
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  module.functions.push_back(updateFunction());
  Status status = writeFile(module, argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
