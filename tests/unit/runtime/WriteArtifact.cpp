//===- WriteArtifact.cpp - artifacts for other tests ------------------------------------------===//
//
//   write_artifact FILE            the module of cProgramModule(), for the C program
//   write_artifact --corpus FOLDER seeds for the fuzzer: a few small artifacts, whole and cut off
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/Load.h"
#include "tests/unit/runtime/TestModule.h"

#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace relax;
using namespace relax::test;

/// "scale", "update", "grow", "down", and "ask": (x) -> packed "host"(x, the function "scale").
static Module cProgramModule() {
  Module module = testModule();
  GeneralBuilder ask("ask");
  uint32_t x = ask.argument("x", ask.any()), function = ask.newRegister(), y = ask.newRegister();
  ask.generalResult("y", 0);
  ask.add(Instruction::MakeFunction, 0, {function});
  ask.add(Instruction::InvokePacked, 0, {x, function, y}).count = 2;
  module.packed = {{"host", false}};
  module.functions = {scaleFunction(), updateFunction(), growFunction(), downFunction(3),
                      ask.finishWith({y})};
  return module;
}

static void writeCorpus(const std::string &folder) {
  std::filesystem::create_directories(folder);
  Module everything = everythingModule();
  everything.objects[0].image = std::vector<uint8_t>(64, 1);
  Module scale;
  scale.kernels.push_back({"k_double", "test"});
  scale.objects.push_back({"any", {"avx2"}, std::vector<uint8_t>{1}});
  scale.objects.push_back({"more", {"avx2", "fma"}, std::vector<uint8_t>{2}});
  scale.functions.push_back(scaleFunction());
  scale.functions[0].slots.push_back({SlotOp::Level, 1, 0});
  auto write = [&](const char *name, std::span<const uint8_t> bytes) {
    writeBytes(folder + "/" + name, bytes);
  };
  std::vector<uint8_t> bytes = serializeOrDie(everything);
  write("everything.rlx", bytes);
  write("cut.rlx", std::span(bytes).first(bytes.size() / 2));
  write("scale.rlx", serializeOrDie(scale));
  Module general = cProgramModule();
  general.objects[0].image = std::vector<uint8_t>(64, 1);
  write("general.rlx", serializeOrDie(general));
  for (Function &function : general.functions) {
    Module one = general;
    one.functions = {function};
    for (Instruction &instruction : one.functions[0].code)
      if (instruction.op >= Instruction::MakeFunction)
        instruction.target = 0;
    if (verify(one).ok())
      write((function.name + ".rlx").c_str(), serializeOrDie(one));
  }
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
  Status status = writeFile(cProgramModule(), argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
