//===- ArtifactGeneralTest.cpp - the rules of general functions -------------------------------===//
#include "runtime/artifact/Load.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

namespace relax::artifact {
namespace {

using test::GeneralBuilder;

/// A module whose function 0 has an instruction of every kind, and whose function 1 is planned.
Module generalModule() {
  Module module = test::testModule();
  module.objects[0].image = std::vector<uint8_t>(100, 0x5a);
  module.constants.push_back({"c", DType::F32, {1}, std::vector<uint8_t>(4), -1, 0, 4, 0});
  module.libraries = {"library"};
  module.packed = {{"packed", true}};
  GeneralBuilder b("f");
  Slot n = b.symbol("n", 0, 0, 0, 9), one = b.constant(1);
  uint32_t tensor = b.tensor(DType::F32, {n, noSlot});
  TypePattern tuple, function;
  tuple.kind = TypePattern::Tuple;
  tuple.fields = {tensor, tensor};
  function.kind = TypePattern::Function;
  function.numParameters = 2;
  uint32_t x = b.argument("x", tensor), s = b.argument("s", b.shape({n}));
  b.argument("t", b.pattern(tuple));
  b.argument("f", b.pattern(function));
  uint32_t y = b.newRegister();
  b.generalResult("y", tensor);
  b.endEntry();
  Slot read = b.slot(SlotOp::Element, x, 3);
  b.function.symbols[0].origin = "here";
  b.function.guards.push_back({Guard::Equal, 0, 1, n, one, "n == 1", "m.mlir:1:1"});
  b.function.guards.push_back({Guard::Elements, -1, -1, noSlot, noSlot, "take", "m.mlir:1:2"});
  b.function.guards.push_back({Guard::ValuesInRange, 4, -1, n, noSlot, "", ""});
  b.add(Instruction::Evaluate, 0, {}, {read, 3});          // 0
  b.add(Instruction::Check, 0);                            // 1
  b.add(Instruction::CheckValue, tensor, {x}, {read, 3});  // 2
  b.add(Instruction::CheckValues, 1, {x}, {n, one});       // 3
  b.add(Instruction::Allocate, 0, {y}, {n});               // 4
  b.add(Instruction::View, 2, {y, x, s});                  // 5
  b.add(Instruction::LoadConstant, 0, {y});                // 6
  b.add(Instruction::Invoke, 1, {x, y});                   // 7
  b.add(Instruction::InvokeValue, 0, {s, x, y}).count = 1; // 8
  b.add(Instruction::InvokePacked, 0, {x, y}).count = 1;   // 9
  b.add(Instruction::MakeFunction, 1, {y});                // 10
  b.add(Instruction::BranchIfZero, 0, {}, {n});            // 11
  b.kernelOn(test::Double, {x, y}, one);                   // 12
  b.add(Instruction::CallLibrary, 0, {0, 1}, {n});         // 13
  module.functions = {b.finishWith({y}), test::scaleFunction()};
  return module;
}

std::string verifyError(const Module &module) {
  Status status = verify(module);
  return status.ok() ? "no error" : status.message();
}

/// Applies a change to the general function, and expects this error of it.
template <typename Change> void expectFault(const std::string &message, Change change) {
  Module module = generalModule();
  change(module.functions[0]);
  EXPECT_EQ(verifyError(module), "function \"f\": " + message);
  EXPECT_FALSE(serialize(module)) << "the writer must refuse it too";
}

TEST(GeneralArtifact, RoundTrip) {
  Module module = generalModule();
  ASSERT_EQ(verifyError(module), "no error");
  std::vector<uint8_t> bytes = test::serializeOrDie(module);
  Expected<LoadedArtifact> loaded = loadBytes(bytes, "m.rlx");
  ASSERT_TRUE(loaded) << loaded.status().message();
  EXPECT_EQ(test::serializeOrDie(loaded->module), bytes);
  const Function &f = loaded->module.functions[0];
  EXPECT_TRUE(f.general);
  EXPECT_EQ(f.numRegisters, 5u);
  EXPECT_EQ(f.entrySlots, 2u);
  EXPECT_EQ(f.symbols[0].origin, "here");
  EXPECT_EQ(f.patterns[f.parameters[2].pattern].fields.size(), 2u);
  EXPECT_EQ(f.patterns[f.parameters[3].pattern].numParameters, 2);
  EXPECT_EQ(f.patterns[f.parameters[3].pattern].numResults, -1);
  EXPECT_EQ(f.code[8].count, 1u);
  EXPECT_EQ(loaded->module.functions[1].parameters[0].pattern, noPattern);
  EXPECT_TRUE(loaded->module.packed[0].pure);
}

TEST(GeneralArtifact, EveryForgedByteIsSafe) {
  std::vector<uint8_t> bytes = test::serializeOrDie(generalModule());
  for (size_t i = 0; i != bytes.size(); ++i) {
    bytes[i] ^= 0x41;
    EXPECT_FALSE(loadBytes(bytes, "m.rlx"));
    bytes[i] ^= 0x41;
  }
}

TEST(GeneralArtifact, Registers) {
  expectFault("has 3 registers; expected 4, for its parameters, to 1048576",
              [](Function &f) { f.numRegisters = 3; });
  expectFault("has 4294967295 registers; expected 4, for its parameters, to 1048576",
              [](Function &f) { f.numRegisters = UINT32_MAX; });
  expectFault("instruction 4: register 5 does not exist; there are 5",
              [](Function &f) { f.code[4].buffers[0] = 5; });
  expectFault("buffer 0: register 9 does not exist; there are 5",
              [](Function &f) { f.buffers[0].index = 9; });
  expectFault("buffer 0: is not in a register, in a general function",
              [](Function &f) { f.buffers[0].kind = Buffer::Parameter; });
  expectFault("slot 2 reads element 3 of register 5; there are 5 registers",
              [](Function &f) { f.slots[2].a = 5; });
  expectFault("slot 2 reads element -1 of register 0; there are 5 registers",
              [](Function &f) { f.slots[2].b = -1; });
  expectFault("guard 2: register 5 does not exist; there are 5",
              [](Function &f) { f.guards[2].parameter = 5; });
}

TEST(GeneralArtifact, Slots) {
  expectFault("evaluates 9 slots when it is entered; there are 3",
              [](Function &f) { f.entrySlots = 9; });
  expectFault("slot 0 is a dimension of a parameter; only the first 0 slots may be",
              [](Function &f) { f.entrySlots = 0; });
  expectFault("slot 0 is dimension 2 of parameter 0, which does not exist",
              [](Function &f) { f.slots[0].b = 2; });
  expectFault("slot 0 is dimension 0 of parameter 2, which does not exist",
              [](Function &f) { f.slots[0].a = 2; }); // A tuple has none.
  expectFault("instruction 0: evaluates slots 2 to 4; there are 3",
              [](Function &f) { f.code[0].slots[1] = 4; });
  expectFault("instruction 0: evaluates slots 3 to 2; there are 3",
              [](Function &f) { f.code[0].slots = {3, 2}; });
  expectFault("instruction 2: has 1 slots; expected the first and the end",
              [](Function &f) { f.code[2].slots.pop_back(); });
  expectFault("instruction 4: an operand is slot 3, but there are 3 slots",
              [](Function &f) { f.code[4].slots[0] = 3; });
  expectFault("instruction 4: makes a tensor of rank 9; at most 8 is allowed",
              [](Function &f) { f.code[4].slots.assign(9, 0); });
  expectFault("instruction 5: has dims by slots and by a shape",
              [](Function &f) { f.code[5].slots = {0}; });
  expectFault("instruction 6: has 1 slots; expected none",
              [](Function &f) { f.code[6].slots = {0}; });
}

TEST(GeneralArtifact, Patterns) {
  expectFault("parameter \"s\": pattern 7 does not exist; there are 4",
              [](Function &f) { f.parameters[1].pattern = 7; });
  expectFault("result \"y\": pattern 4294967295 does not exist; there are 4",
              [](Function &f) { f.results[0].pattern = noPattern; });
  expectFault("pattern 0: a dimension is slot 8, but there are 3 slots",
              [](Function &f) { f.patterns[0].dims[0] = 8; });
  expectFault("pattern 0: has 2 dimensions, but no rank",
              [](Function &f) { f.patterns[0].anyRank = true; });
  expectFault("pattern 0: its rank is 9; at most 8 is allowed",
              [](Function &f) { f.patterns[0].dims.assign(9, noSlot); });
  expectFault("pattern 2: a field is pattern 2; only the 2 before it may be used",
              [](Function &f) { f.patterns[2].fields[1] = 2; });
  expectFault("pattern 2: has fields, but is not a tuple",
              [](Function &f) { f.patterns[2].kind = TypePattern::Object; });
  expectFault("pattern 3: has a negative number of parameters or results",
              [](Function &f) { f.patterns[3].numResults = -2; });
  expectFault("instruction 2: pattern 4 does not exist; there are 4",
              [](Function &f) { f.code[2].target = 4; });
  expectFault("parameter \"x\" has both a pattern and a type",
              [](Function &f) { f.parameters[0].type.dims = {0}; });
  expectFault("result \"y\" has both a pattern and a type or alias",
              [](Function &f) { f.results[0].alias = 0; });
  expectFault("is general, but has an arena", [](Function &f) { f.arenaSize = 0; });
}

TEST(GeneralArtifact, Targets) {
  expectFault("instruction 1: guard 3 does not exist; there are 3",
              [](Function &f) { f.code[1].target = 3; });
  expectFault("instruction 1: guard 1 is the text of an instruction",
              [](Function &f) { f.code[1].target = 1; });
  expectFault("instruction 3: guard 0 is not about elements",
              [](Function &f) { f.code[3].target = 0; });
  expectFault("instruction 5: guard 3 does not exist; there are 3",
              [](Function &f) { f.code[5].target = 4; });
  expectFault("instruction 5: guard 0 is not about elements",
              [](Function &f) { f.code[5].target = 1; });
  expectFault("guard 1: operand b is slot 9, but there are 3 slots",
              [](Function &f) { f.guards[1].b = 9; });
  expectFault("guard 1: is about elements of f16; expected integers",
              [](Function &f) { f.guards[1].dtype = DType::F16; });
  expectFault("instruction 4: dtype 10 does not exist; there are 10",
              [](Function &f) { f.code[4].target = 10; });
  expectFault("instruction 6: constant 1 does not exist; there are 1",
              [](Function &f) { f.code[6].target = 1; });
  expectFault("instruction 6: state 0 does not exist; there are 0",
              [](Function &f) { f.code[6].op = Instruction::LoadState; });
  expectFault("instruction 7: function 2 does not exist; there are 2",
              [](Function &f) { f.code[7].target = 2; });
  expectFault("instruction 7: calls \"scale\" with 1 registers; expected 2",
              [](Function &f) { f.code[7].buffers.pop_back(); });
  expectFault("instruction 8: has a function and 3 arguments among 3 registers",
              [](Function &f) { f.code[8].count = 3; });
  expectFault("instruction 8: has a function and 0 arguments among 0 registers", [](Function &f) {
    f.code[8].buffers.clear();
    f.code[8].count = 0;
  });
  expectFault("instruction 9: packed function 1 does not exist; there are 1",
              [](Function &f) { f.code[9].target = 1; });
  expectFault("instruction 9: has 3 arguments among 2 registers",
              [](Function &f) { f.code[9].count = 3; });
  expectFault("instruction 10: function 2 does not exist; there are 2",
              [](Function &f) { f.code[10].target = 2; });
  expectFault("instruction 11: jumps to instruction 15; only those from 0 to 14 may be reached",
              [](Function &f) { f.code[11].target = 15; });
  expectFault("instruction 12: buffer 2 does not exist; there are 2",
              [](Function &f) { f.code[12].buffers[0] = 2; });
  expectFault("instruction 13: library function 1 does not exist; there are 1",
              [](Function &f) { f.code[13].target = 1; });
  expectFault("instruction 14: returns 2 values; expected 1",
              [](Function &f) { f.code[14].buffers = {0, 0}; });
  expectFault("instruction 7: is one that only planned functions have",
              [](Function &f) { f.code[7] = {Instruction::CallFunction, 1, {}, {}}; });
  expectFault("instruction 5: names 1 registers; expected 2 to 3",
              [](Function &f) { f.code[5].buffers.resize(1); });
}

TEST(GeneralArtifact, PlannedFunctionsHaveNothingOfIt) {
  auto fault = [](auto change) {
    Module module = generalModule();
    change(module.functions[1]);
    return verifyError(module);
  };
  const std::string prefix = "function \"scale\": ";
  EXPECT_EQ(fault([](Function &f) { f.numRegisters = 1; }),
            prefix + "is planned, but has registers, slots of its entry, or patterns");
  EXPECT_EQ(fault([](Function &f) { f.parameters[0].pattern = 0; }),
            prefix + "parameter \"x\" of a planned function has a pattern");
  EXPECT_EQ(fault([](Function &f) { f.slots[1] = {SlotOp::RegisterDimension, 0, 0}; }),
            prefix + "slot 1 reads a register, which only general functions have");
  EXPECT_EQ(fault([](Function &f) { f.buffers[0] = {Buffer::Register, 0}; }),
            prefix + "buffer 0: is in a register, which only general functions have");
  EXPECT_EQ(fault([](Function &f) { f.code[0].op = Instruction::Evaluate; }),
            prefix + "instruction 0: is one that only general functions have");
}

TEST(GeneralArtifact, PlannedCallsOfGeneralFunctions) {
  Module module = generalModule();
  Function &scale = module.functions[1];
  scale.code[0] = {Instruction::CallFunction, 0, {0, 0, 0, 0, 1}, {}};
  EXPECT_EQ(verifyError(module), "function \"scale\": instruction 0: calls \"f\", whose parameter "
                                 "\"s\" has no known dtype and rank");
  module.functions[0].name = initializeName;
  EXPECT_EQ(verifyError(module),
            "function \"initialize\": is a general function; \"initialize\" must be planned");
}

} // namespace
} // namespace relax::artifact
