//===- ArtifactTest.cpp - what is written is read, and nothing else ---------------------------===//
#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Header.h"
#include "runtime/artifact/Load.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <sys/resource.h>

namespace relax::artifact {
namespace {

using test::everythingModule;
using test::serializeOrDie;

/// The module without its code object's bulk, so that every byte can be tried.
Module smallModule() {
  Module module = everythingModule();
  module.objects[0].image = std::vector<uint8_t>(100, 0x5a);
  return module;
}

/// Makes the checksums right again after a change, as somebody would who forges an artifact.
void seal(std::vector<uint8_t> &bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.fileSize = bytes.size();
  header.payloadHash = contentHash(std::span(bytes).subspan(sizeof header));
  header.headerHash = contentHash({reinterpret_cast<const uint8_t *>(&header), hashedHeaderBytes});
  std::memcpy(bytes.data(), &header, sizeof header);
}

std::string loadError(std::span<const uint8_t> bytes) {
  Expected<LoadedArtifact> loaded = loadBytes(bytes, "m.rlx");
  return loaded ? "no error" : loaded.status().message();
}

std::string verifyError(const Module &module) {
  Status status = verify(module);
  return status.ok() ? "no error" : status.message();
}

TEST(Artifact, RoundTrip) {
  Module module = everythingModule();
  std::vector<uint8_t> bytes = serializeOrDie(module);
  Expected<LoadedArtifact> loaded = loadBytes(bytes, "m.rlx");
  ASSERT_TRUE(loaded) << loaded.status().message();
  // Equal modules are equal bytes: so what was read says the same.
  EXPECT_EQ(serializeOrDie(loaded->module), bytes);
  EXPECT_EQ(loaded->fileSize, bytes.size());
  EXPECT_EQ(loaded->module.metadata.entries().size(), 8u);
  EXPECT_EQ(*loaded->module.metadata.integer("integer"), -7);
  EXPECT_EQ((*loaded->module.metadata.strings("strings"))->at(2), "\xff");
  EXPECT_EQ(loaded->module.functions[2].guards[0].source, "test.mlir:3:5");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(loaded->module.constants[0].data.span().data()) % 64, 0u);
}

TEST(Artifact, EveryFlippedByteIsRefused) {
  std::vector<uint8_t> bytes = serializeOrDie(smallModule());
  ASSERT_TRUE(loadBytes(bytes, "m.rlx"));
  for (size_t i = 0; i != bytes.size(); ++i)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      bytes[i] ^= flip;
      std::string error = loadError(bytes);
      ASSERT_EQ(error.rfind("m.rlx: ", 0), 0u) << "byte " << i << ": " << error;
      bytes[i] ^= flip;
    }
}

TEST(Artifact, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = serializeOrDie(smallModule());
  for (size_t length = 0; length != bytes.size(); ++length)
    ASSERT_FALSE(loadBytes(std::span(bytes).first(length), "m.rlx")) << length;
  bytes.push_back(0);
  EXPECT_NE(loadError(bytes).find("has bytes after its end"), std::string::npos);
}

/// Nothing that a forger can do to one byte makes the loader crash; the sanitizers look on.
TEST(Artifact, ForgedBytesAreSafe) {
  std::vector<uint8_t> bytes = serializeOrDie(smallModule());
  size_t accepted = 0;
  for (size_t i = sizeof(Header); i != bytes.size(); ++i)
    for (uint8_t flip : {0x01, 0x02, 0x04, 0x40, 0x80, 0xff}) {
      std::vector<uint8_t> forged = bytes;
      forged[i] ^= flip;
      seal(forged);
      if (Expected<LoadedArtifact> loaded = loadBytes(forged, "m.rlx")) {
        ++accepted;
        EXPECT_TRUE(verify(loaded->module).ok());
      }
    }
  // Texts and numbers that mean something else now, but nothing impossible.
  EXPECT_GT(accepted, 0u);
}

TEST(Artifact, HeaderMessages) {
  EXPECT_EQ(loadError({}), "m.rlx: is not a Relax artifact: it does not begin with \"RLX1\"");
  std::vector<uint8_t> bytes = serializeOrDie(smallModule());
  EXPECT_TRUE(isArtifact(bytes));
  EXPECT_EQ(loadError(std::span(bytes).first(40)),
            "m.rlx: is cut off in its header: 40 bytes found, 64 expected");
  EXPECT_EQ(loadError(std::span(bytes).first(100)),
            "m.rlx: is cut off: 100 bytes found, " + std::to_string(bytes.size()) + " expected");

  std::vector<uint8_t> other = bytes;
  other[4] = 9;
  EXPECT_EQ(loadError(other), "m.rlx: has format version 9; this runtime reads version 4: compile "
                              "the model again");
  other = bytes;
  other[8] = 7;
  seal(other);
  EXPECT_EQ(loadError(other), "m.rlx: has kernels of ABI version 7; this runtime calls version 1: "
                              "compile the model again");
  other = bytes;
  other[bytes.size() - 1] ^= 1;
  EXPECT_NE(loadError(other).find("m.rlx: is damaged: the checksum of bytes 64 to "),
            std::string::npos);
}

TEST(Artifact, SharedPartsDoNotBlowUp) {
  // Many references to one long string, which FlatBuffers' own verifier allows.
  Module module;
  module.compilerVersion = std::string(100'000, 'x');
  module.libraries.assign(1000, "a");
  std::vector<uint8_t> bytes = serializeOrDie(module);
  // Find the long string by its length; and the vector by its length and its first offset, which
  // leads to a string of length 1. Then point all its offsets to the long string.
  auto word = [&](size_t at) {
    uint32_t value;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  size_t text = 0;
  for (size_t at = 64; at + 4 < bytes.size() && !text; at += 4)
    if (word(at) == 100'000)
      text = at;
  ASSERT_NE(text, 0u);
  size_t changed = 0;
  for (size_t at = 64; at + 4004 < bytes.size() && !changed; at += 4)
    if (size_t first = at + 4 + word(at + 4);
        word(at) == 1000 && first < bytes.size() - 4 && word(first) == 1)
      for (size_t i = 1; i <= 1000; ++i, ++changed) {
        auto offset = static_cast<uint32_t>(text - (at + 4 * i));
        std::memcpy(bytes.data() + at + 4 * i, &offset, 4);
      }
  ASSERT_EQ(changed, 1000u);
  seal(bytes);
  EXPECT_EQ(loadError(bytes), "m.rlx: its parts overlap (bytes 64 on)");
}

// ---- The rules
// -----------------------------------------------------------------------------------

/// Applies a change to the module with everything, and expects this error.
template <typename Change> void expectFault(const std::string &message, Change change) {
  Module module = smallModule();
  change(module);
  EXPECT_EQ(verifyError(module), message);
  EXPECT_FALSE(serialize(module)) << "the writer must refuse it too";
}

TEST(ArtifactRules, Names) {
  expectFault("kernel \"k double\": the name is not an identifier",
              [](Module &m) { m.kernels[0].name = "k double"; });
  expectFault("kernel \"k_add\" exists twice", [](Module &m) { m.kernels[0].name = "k_add"; });
  expectFault("function \"main\" exists twice", [](Module &m) { m.functions[1].name = "main"; });
  expectFault("a function has no name", [](Module &m) { m.functions[1].name = ""; });
  expectFault("function \"main\": a symbol has no name",
              [](Module &m) { m.functions[2].symbols[0].name = ""; });
}

TEST(ArtifactRules, Slots) {
  expectFault("function \"main\": slot 2 uses slots 0 and 2; only the 2 before it may be used",
              [](Module &m) { m.functions[2].slots[2].b = 2; });
  expectFault("function \"main\": slot 2 uses slots -1 and 1; only the 2 before it may be used",
              [](Module &m) { m.functions[2].slots[2].a = -1; });
  expectFault("function \"main\": slot 0 is dimension 1 of parameter 0, which does not exist",
              [](Module &m) { m.functions[2].slots[0].b = 1; });
  expectFault("function \"main\": slot 0 is dimension 0 of parameter 3, which does not exist",
              [](Module &m) { m.functions[2].slots[0].a = 3; });
  expectFault("function \"main\": symbol \"n\": its value is slot 99, but there are 5 slots",
              [](Module &m) { m.functions[2].symbols[0].slot = 99; });
  expectFault("function \"main\": symbol \"n\" can have no value: at least 1, at most 0, divisible "
              "by 2",
              [](Module &m) { m.functions[2].symbols[0].hi = 0; });
  expectFault("function \"main\": parameter 0 \"x\": a dimension is slot 50, but there are 5 slots",
              [](Module &m) { m.functions[2].parameters[0].type.dims[0] = 50; });
  expectFault("function \"main\": result 0 \"y\": its rank is 9; at most 8 is allowed",
              [](Module &m) { m.functions[2].results[0].type.dims.assign(9, 0); });
  expectFault("function \"scale\": the size of the arena is slot 77, but there are 5 slots",
              [](Module &m) { m.functions[1].arenaSize = 77; });
}

TEST(ArtifactRules, CostsOfKernels) {
  auto cost = [](std::vector<SlotOp> slots, Slot flops) {
    return [=](Module &m) {
      m.kernels[0].symbols = {"s0"};
      m.kernels[0].slots = slots;
      m.kernels[0].flops = flops;
    };
  };
  Module module = smallModule();
  cost({{SlotOp::Dimension, 0, 0}, {SlotOp::Mul, 0, 0}}, 1)(module);
  EXPECT_EQ(verifyError(module), "no error");
  const char *missing = "kernel \"k_double\": slot 0 uses something that doesn't exist";
  expectFault(missing, cost({{SlotOp::Dimension, 1, 0}}, 0));
  expectFault(missing, cost({{SlotOp::Dimension, 0, 1}}, 0));
  expectFault(missing, cost({{SlotOp::Add, 0, 0}}, 0));
  expectFault(missing, cost({{SlotOp::Threshold, 0, 0}}, 0));
  expectFault("kernel \"k_double\": its cost is slot 1, but there are 1 slots",
              cost({{SlotOp::Constant, 4, 0}}, 1));
}

TEST(ArtifactRules, LevelsNameCode) {
  auto level = [](int64_t object) {
    return [=](Module &m) { m.functions[2].slots.push_back({SlotOp::Level, object, 0}); };
  };
  Module module = smallModule();
  level(0)(module);
  EXPECT_EQ(verifyError(module), "no error");
  const std::string slot =
      "function \"main\": slot " + std::to_string(smallModule().functions[2].slots.size());
  expectFault((slot + " is about code object 1; there are 1").c_str(), level(1));
  expectFault((slot + " is about code object -1; there are 1").c_str(), level(-1));
}

TEST(ArtifactRules, ConstantsAndStates) {
  expectFault("constant \"weights\": holds 16 bytes; expected 20",
              [](Module &m) { m.constants[0].dims = {5}; });
  expectFault("constant \"weights\": its dimensions are negative, or its size does not fit 64 bits",
              [](Module &m) { m.constants[0].dims = {-1}; });
  expectFault("constant \"weights\": its dimensions are negative, or its size does not fit 64 bits",
              [](Module &m) { m.constants[0].dims = {int64_t{1} << 40, int64_t{1} << 40}; });
  expectFault("constant \"weights\": is in weights file 0; there are 0",
              [](Module &m) { m.constants[0].file = 0; });
  expectFault(
      "constant \"weights\": is at bytes 90 to 90 + 16, outside a weights file of 100 bytes",
      [](Module &m) {
        m.files.push_back({"w", 100, 0});
        m.constants[0].file = 0;
        m.constants[0].offset = 90;
      });
  expectFault(
      "constant \"weights\": is at bytes 18446744073709551612 to 18446744073709551612 + 16, "
      "outside a weights file of 100 bytes",
      [](Module &m) {
        m.files.push_back({"w", 100, 0});
        m.constants[0].file = 0;
        m.constants[0].offset = UINT64_MAX - 3;
      });
  expectFault("constant \"weights\": is at byte 2, which is not aligned for f32", [](Module &m) {
    m.files.push_back({"w", 100, 0});
    m.constants[0].file = 0;
    m.constants[0].offset = 2;
  });
  expectFault("state \"doubled\": its rank or size is not allowed",
              [](Module &m) { m.states[0].dims = {-4}; });
  expectFault("has 1 states, but no function \"initialize\"",
              [](Module &m) { m.functions[0].name = "other"; });
  expectFault("function \"initialize\": result 0 differs in dtype or rank from state 0 \"doubled\"",
              [](Module &m) { m.states[0].dtype = DType::F16; });
  expectFault("function \"initialize\": has 1 results; expected one for each of 2 states",
              [](Module &m) { m.states.push_back({"more", DType::F32, {1}}); });
  expectFault("has 4 kernels, but no code", [](Module &m) { m.objects.clear(); });
  expectFault("a code object has no target", [](Module &m) { m.objects[0].target.clear(); });
}

TEST(ArtifactRules, AliasesAndGuards) {
  expectFault("function \"main\": result 0 \"y\" shares the storage of \"x\", which is not donated",
              [](Module &m) { m.functions[2].results[0].alias = 0; });
  expectFault("function \"main\": result 0 \"y\" shares the storage of parameter 1, which does not "
              "exist",
              [](Module &m) { m.functions[2].results[0].alias = 1; });
  expectFault("function \"main\": result 0 \"y\" shares the storage of \"x\", which has another "
              "dtype or rank",
              [](Module &m) {
                m.functions[2].parameters[0].donated = true;
                m.functions[2].results[0].alias = 0;
                m.functions[2].results[0].type.dtype = DType::I32;
              });
  expectFault("function \"main\": guard 0: operand a is slot 9, but there are 5 slots",
              [](Module &m) { m.functions[2].guards[0].a = 9; });
  expectFault("function \"main\": guard 0: dimension 1 does not exist; there are 1",
              [](Module &m) { m.functions[2].guards[0].axis = 1; });
  expectFault("function \"main\": guard 0: reads parameter 0, an array of f32 of rank 1; expected "
              "i32 or i64",
              [](Module &m) { m.functions[2].guards[0].kind = Guard::ValuesInRange; });
  expectFault("function \"main\": guard 0: reads parameter 0, an array of f32 of rank 1; expected "
              "i32 of rank 1",
              [](Module &m) { m.functions[2].guards[0].kind = Guard::Ragged; });
}

TEST(ArtifactRules, CodeAndBuffers) {
  expectFault("function \"main\": buffer 0: parameter 4 does not exist; there are 1",
              [](Module &m) { m.functions[2].buffers[0].index = 4; });
  expectFault("function \"main\": buffer 0: is in the arena, but the function has none",
              [](Module &m) { m.functions[2].buffers[0].kind = Buffer::Arena; });
  expectFault("function \"scale\": buffer 2: its offset is slot 4294967295, but there are 5 slots",
              [](Module &m) { m.functions[1].buffers[2].offset = noSlot; });
  expectFault("function \"initialize\": buffer 0: \"initialize\" reads a state, which it is to "
              "compute",
              [](Module &m) { m.functions[0].buffers[0].kind = Buffer::State; });
  expectFault("function \"main\": instruction 1: kernel 44 does not exist; there are 4",
              [](Module &m) { m.functions[2].code[1].target = 44; });
  expectFault("function \"main\": instruction 1: buffer 8 does not exist; there are 3",
              [](Module &m) { m.functions[2].code[1].buffers[0] = 8; });
  expectFault("function \"main\": instruction 1: its extent is slot 4294967295, but there are 5 "
              "slots",
              [](Module &m) { m.functions[2].code[1].extent = noSlot; });
  expectFault(
      "function \"main\": instruction 2: jumps to instruction 2; only those from 3 to 5 may "
      "be reached",
      [](Module &m) { m.functions[2].code[2].target = 2; });
  expectFault(
      "function \"main\": instruction 0: jumps to instruction 6; only those from 1 to 5 may "
      "be reached",
      [](Module &m) { m.functions[2].code[0].target = 6; });
  expectFault("function \"main\": instruction 0: a branch has 0 operands; expected 1",
              [](Module &m) { m.functions[2].code[0].slots.clear(); });
  expectFault("function \"main\": its code does not end with a return",
              [](Module &m) { m.functions[2].code.pop_back(); });
  expectFault("function \"main\": instruction 4: calls \"scale\" with 1 buffers; expected 2",
              [](Module &m) { m.functions[2].code[4].buffers.pop_back(); });
  expectFault("function \"main\": instruction 4: calls \"scale\" with 1 dimensions; expected 2",
              [](Module &m) { m.functions[2].code[4].slots.pop_back(); });
  expectFault("function \"main\": instruction 4: calls \"initialize\"",
              [](Module &m) { m.functions[2].code[4].target = 0; });
  expectFault("calls nest more than 32 deep, or a function calls itself", [](Module &m) {
    Instruction &call = m.functions[2].code[4];
    call.target = 2;
    call.slots.pop_back();
  });
}

// ---- Files
// ---------------------------------------------------------------------------------------

TEST(ArtifactFile, WritesAndLoads) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.rlx");
  ASSERT_TRUE(writeFile(smallModule(), path).ok());
  Expected<LoadedArtifact> loaded = loadFile(path);
  ASSERT_TRUE(loaded) << loaded.status().message();
  EXPECT_EQ(loaded->module.metadata.source(), path);
  EXPECT_EQ(loadFile(folder.path("none")).status().code(), StatusCode::NotFound);
  EXPECT_NE(loadFile(folder.path()).status().message().find("is not a regular file"),
            std::string::npos);
}

TEST(ArtifactFile, AFullDiskLeavesNothing) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.rlx");
  ASSERT_TRUE(writeFile(smallModule(), path).ok());
  auto oldSize = std::filesystem::file_size(path);
  // A limit on the size of files fails a write just as a full disk does.
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = {512, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status = writeFile(everythingModule(), path);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.message();
  EXPECT_EQ(status.message().rfind(path + ": can't be written: ", 0), 0u) << status.message();
  // The old file is as it was, and there is no other.
  EXPECT_EQ(std::filesystem::file_size(path), oldSize);
  EXPECT_TRUE(loadFile(path));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(ArtifactFile, AMissingFolderIsAnError) {
  Status status = writeFile(smallModule(), "/nonexistent-folder/m.rlx");
  EXPECT_EQ(status.message(),
            "/nonexistent-folder/m.rlx: can't be written: No such file or directory");
}

} // namespace
} // namespace relax::artifact
