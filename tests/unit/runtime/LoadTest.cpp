//===- LoadTest.cpp - weights files, states, code objects -------------------------------------===//
#include "runtime/artifact/Load.h"
#include "runtime/artifact/ContentHash.h"
#include "runtime/loader/CodeLibrary.h"
#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/CacheFolder.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/time.h>

namespace relax::test {
namespace {

namespace fs = std::filesystem;
using runtime::LoadOptions;
using runtime::TensorView;

std::vector<uint8_t> readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

/// A model with weights in a file: 100,000 floats at byte 128, of which "initialize" makes a state,
/// and 4 at byte 64, which "main" adds to it.
class Weights : public testing::Test {
protected:
  void SetUp() override {
    bytes.resize(128 + 400'000);
    auto *floats = reinterpret_cast<float *>(bytes.data());
    for (size_t i = 0; i != bytes.size() / 4; ++i)
      floats[i] = static_cast<float>(i % 1000);
    writeWeights();
    module = testModule();
    module.files.push_back({"weights.bin", bytes.size(), hash(0, artifact::headerHashBytes)});
    module.constants.push_back(
        {"large", DType::F32, {100'000}, {}, 0, 128, 400'000, hash(128, 400'000)});
    module.constants.push_back({"small", DType::F32, {4}, {}, 0, 64, 16, hash(64, 16)});
    module.states.push_back({"state", DType::F32, {100'000}});
    FunctionBuilder init(initializeName);
    Slot n = init.constant(100'000);
    init.result("state", DType::F32, {n});
    init.kernel(Double, {init.buffer(Buffer::Constant, 0), init.buffer(Buffer::Result, 0)}, n);
    module.functions.push_back(init.finish());
    FunctionBuilder b("main");
    Slot four = b.constant(4);
    b.result("y", DType::F32, {four});
    b.kernel(
        Add,
        {b.buffer(Buffer::State, 0), b.buffer(Buffer::Constant, 1), b.buffer(Buffer::Result, 0)},
        four);
    module.functions.push_back(b.finish());
    save();
  }

  uint64_t hash(size_t offset, size_t size) {
    return contentHash(std::span(bytes).subspan(offset, size));
  }
  std::string weightsPath() { return folder.path("weights.bin"); }
  /// Writes the weights as they would be some time after a download.
  void writeWeights() {
    writeBytes(weightsPath(), bytes);
    age();
  }
  /// Gives the file an old modification time, always the same.
  void age() {
    timeval times[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    ASSERT_EQ(::utimes(weightsPath().c_str(), times), 0);
  }
  void save() { ASSERT_TRUE(writeFile(module, folder.path("m.rlx")).ok()); }

  Expected<runtime::Module> load(LoadOptions options = {}) {
    if (!options.cacheFolder)
      options.cacheFolder = folder.path("cache");
    return runtime::Module::load(folder.path("m.rlx"), options);
  }
  std::string loadError(LoadOptions options = {}) {
    auto loaded = load(std::move(options));
    return loaded ? "no error" : loaded.status().message();
  }
  static std::vector<float> run(const runtime::Module &loaded) {
    FloatTensor y({4});
    TensorView outputs[] = {y.view()};
    Status status = loaded.function("main")->call({}, outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    return y.data;
  }

  TemporaryFolder folder;
  std::vector<uint8_t> bytes;
  Module module;
  /// 2 * (32, 33, 34, 35) + (16, 17, 18, 19)
  const std::vector<float> answer = {80, 83, 86, 89};
};

TEST_F(Weights, LoadInitializeRun) {
  for (unsigned threads : {1u, 2u}) {
    auto loaded = load({.threads = threads});
    ASSERT_TRUE(loaded) << loaded.status().message();
    EXPECT_EQ(run(*loaded), answer);
    EXPECT_EQ(loaded->memory().current, 401'408u); // The state, in whole pages.
    EXPECT_EQ(loaded->target(), "any");
  }
}

TEST_F(Weights, ProgressIsTold) {
  std::vector<double> shares;
  auto note = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(load({.progress = note, .progressAfter = 3600}));
  EXPECT_EQ(shares, std::vector<double>());
  ASSERT_TRUE(load({.progress = note, .progressAfter = 0}));
  EXPECT_EQ(shares, std::vector<double>{1}); // "initialize" has one kernel.
}

TEST_F(Weights, StatesAreKeptOnRequest) {
  const std::string states = folder.path("cache/states");
  ASSERT_TRUE(load());
  EXPECT_FALSE(fs::exists(states));
  auto first = load({.keepStates = true});
  ASSERT_TRUE(first) << first.status().message();
  EXPECT_EQ(run(*first), answer);
  ASSERT_TRUE(fs::exists(states));
  const std::string path = fs::directory_iterator(states)->path().string();
  // What a later start takes: the states, forged here with the hash that they then have.
  std::vector<uint8_t> kept = readBytes(path), damaged = kept;
  const size_t begin = 4096;
  auto at = [&](size_t i) { return begin + i * sizeof(float); };
  const float forged = 1000;
  std::memcpy(&kept[at(0)], &forged, sizeof forged);
  const uint64_t hash = contentHash(std::span(kept).subspan(4096));
  std::memcpy(&kept[64], &hash, sizeof hash);
  writeBytes(path, kept);
  auto second = load({.keepStates = true});
  ASSERT_TRUE(second) << second.status().message();
  EXPECT_EQ(run(*second), (std::vector<float>{1000 + 16, 83, 86, 89}));
  // One that is damaged is made again.
  damaged[at(1)] ^= 1;
  for (const std::vector<uint8_t> &wrong :
       {damaged, std::vector<uint8_t>(damaged.begin(), damaged.end() - 1),
        std::vector<uint8_t>()}) {
    writeBytes(path, wrong);
    auto again = load({.keepStates = true});
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(run(*again), answer);
    EXPECT_NE(readBytes(path), wrong);
  }
  // Another model's isn't taken.
  module.compilerVersion = "another";
  save();
  auto other = load({.keepStates = true});
  ASSERT_TRUE(other) << other.status().message();
  EXPECT_EQ(std::distance(fs::directory_iterator(states), fs::directory_iterator()), 2);
}

TEST_F(Weights, OtherPlaces) {
  fs::create_directory(folder.path("elsewhere"));
  fs::rename(weightsPath(), folder.path("elsewhere/weights.bin"));
  EXPECT_EQ(loadError(), folder.path("m.rlx") + ": the weights: " + weightsPath() +
                             ": can't be opened: No such file or directory");
  auto inFolder = load({.weightsPath = folder.path("elsewhere")});
  ASSERT_TRUE(inFolder) << inFolder.status().message();
  fs::rename(folder.path("elsewhere/weights.bin"), folder.path("other.name"));
  auto byPath = load({.weightsPath = folder.path("other.name")});
  ASSERT_TRUE(byPath) << byPath.status().message();
  EXPECT_EQ(run(*byPath), answer);
}

TEST_F(Weights, DamageIsNoticed) {
  const std::string prefix = folder.path("m.rlx") + ": " + weightsPath() + ": ";
  bytes[200'000] ^= 1;
  writeWeights();
  std::string error = loadError();
  EXPECT_EQ(error.rfind(prefix + "tensor \"large\" (bytes 128 to 128 + 400000) has hash 0x", 0), 0u)
      << error;
  EXPECT_NE(error.find("damaged, or not the one"), std::string::npos);
  bytes[200'000] ^= 1;
  bytes[10] ^= 1;
  writeWeights();
  error = loadError();
  EXPECT_EQ(error.rfind(prefix + "its beginning (64 KiB) has hash 0x", 0), 0u) << error;
  bytes[10] ^= 1;
  bytes.pop_back();
  writeWeights();
  EXPECT_EQ(loadError(), prefix + "has 400127 bytes, expected 400128: it is not the file that the "
                                  "model was compiled from");
}

TEST_F(Weights, StampIsVoidWhenTheFileChanges) {
  // The change time can't be set back, and a young file gets no stamp.
  ::usleep(2'100'000);
  ASSERT_TRUE(load());
  ASSERT_EQ(std::distance(fs::directory_iterator(folder.path("cache/verified")), {}), 1);
  // The same size and modification time; only the change time tells.
  bytes[200'000] ^= 1;
  writeWeights();
  EXPECT_NE(loadError(), "no error");
  bytes[200'000] ^= 1;
  writeWeights();
  EXPECT_EQ(loadError(), "no error");
}

TEST_F(Weights, StampIsBelieved) {
  ::usleep(2'100'000);
  ASSERT_TRUE(load());
  // Forge the stamp, so that it describes a damaged file.
  fs::path stamp = *fs::directory_iterator(folder.path("cache/verified"));
  auto read = [&] {
    std::vector<uint8_t> content(fs::file_size(stamp));
    FILE *file = std::fopen(stamp.c_str(), "rb");
    EXPECT_EQ(std::fread(content.data(), 1, content.size(), file), content.size());
    std::fclose(file);
    return std::string(content.begin(), content.end());
  };
  std::string before = read();
  bytes[200'000] ^= 1;
  writeWeights();
  struct stat info;
  ASSERT_EQ(::stat(weightsPath().c_str(), &info), 0);
  size_t at = before.find("\nchanged ");
  ASSERT_NE(at, std::string::npos);
  std::string forged = before.substr(0, at) + "\nchanged " +
                       std::to_string(info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec) +
                       before.substr(before.find("\nconstants "));
  writeBytes(stamp.string(), {reinterpret_cast<const uint8_t *>(forged.data()), forged.size()});
  EXPECT_EQ(loadError(), "no error") << "with its stamp the file is not hashed";
  EXPECT_NE(loadError({.cacheFolder = ""}), "no error") << "without the cache it is";
}

TEST_F(Weights, FreshFilesGetNoStamp) {
  writeBytes(weightsPath(), bytes);
  ASSERT_TRUE(load());
  EXPECT_FALSE(fs::exists(folder.path("cache/verified")));
}

TEST_F(Weights, UnusableCacheFolderIsNoError) {
  writeBytes(folder.path("file"), bytes);
  EXPECT_EQ(loadError({.cacheFolder = folder.path("file")}), "no error");
  EXPECT_EQ(loadError({.cacheFolder = "/proc/none"}), "no error");
  EXPECT_EQ(loadError({.cacheFolder = ""}), "no error");
}

TEST_F(Weights, StatesRespectTheLimit) {
  EXPECT_EQ(loadError({.memoryLimit = 300'000}),
            folder.path("m.rlx") + ": no memory for the states: 401408 bytes are needed, 0 are in "
                                   "use, and the limit is 300000");
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const char *home = std::getenv("HOME"), *xdg = std::getenv("XDG_CACHE_HOME");
  std::string oldHome = home ? home : "", oldXdg = xdg ? xdg : "";
  ::setenv("HOME", "/h", 1);
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(cacheFolder(), "/x/relax");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cacheFolder(), "/h/.cache/relax");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(cacheFolder(), "");
  if (home)
    ::setenv("HOME", oldHome.c_str(), 1);
  if (xdg)
    ::setenv("XDG_CACHE_HOME", oldXdg.c_str(), 1);
}

// ---- Code objects
// --------------------------------------------------------------------------------

TEST(CodeObjects, BestSupportedLevel) {
  std::vector<std::string> have = runtime::cpuFeatures();
  if (have.size() > 2)
    have.resize(2);
  std::vector<CodeObject> objects = {
      {"base", {}, {}}, {"better", have, {}}, {"same", have, {}}, {"future", {"warp-drive"}, {}}};
  Expected<size_t> choice = runtime::chooseCodeObject(objects);
  ASSERT_TRUE(choice);
  EXPECT_EQ(*choice, have.empty() ? 0u : 1u);
  std::vector<CodeObject> none = {{"future", {"warp-drive", "flux"}, {}}, {"past", {"valves"}, {}}};
  Expected<size_t> refused = runtime::chooseCodeObject(none);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(refused.status().message(),
            "this CPU can't run any of its code: \"future\" needs warp-drive, flux; \"past\" needs "
            "valves: compile the model for this machine");
}

TEST(CodeObjects, TheOneThatIsAskedFor) {
  std::vector<CodeObject> objects = {
      {"base", {}, {}}, {"better", {}, {}}, {"future", {"flux"}, {}}};
  Expected<size_t> choice = runtime::chooseCodeObject(objects, "better");
  ASSERT_TRUE(choice);
  EXPECT_EQ(*choice, 1u);
  EXPECT_EQ(runtime::chooseCodeObject(objects, "future").status().message(),
            "this CPU can't run that code: \"future\" needs flux");
  EXPECT_EQ(runtime::chooseCodeObject(objects, "past").status().message(),
            "has no code for the target \"past\"; it has code for base, better, future");
}

/// The extent of its kernel is n with the first code, and 0 with the second.
TEST(CodeObjects, ExtentsFollowTheLevel) {
  FunctionBuilder b("main");
  Slot n = b.symbol("n", 0, 0), zero = b.constant(0);
  Slot first = b.product(b.slot(SlotOp::Level, 0), n);
  Slot second = b.product(b.slot(SlotOp::Level, 1), zero);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  b.kernel(Double, {b.buffer(Buffer::Parameter, 0), b.buffer(Buffer::Result, 0)},
           b.slot(SlotOp::Add, first, second));
  Module module = testModule();
  module.objects.push_back({"other", {}, kernelImage()});
  module.functions.push_back(b.finish());
  auto call = [&](const std::string &target) {
    runtime::Module loaded = loadOrDie(module, {.target = target});
    EXPECT_EQ(loaded.target(), target.empty() ? "any" : target);
    FloatTensor x({3}, 4), y({3}, 7);
    runtime::TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
    EXPECT_TRUE(loaded.function("main")->call(inputs, outputs).ok());
    return y.data;
  };
  EXPECT_EQ(call(""), std::vector<float>(3, 8));
  EXPECT_EQ(call("any"), std::vector<float>(3, 8));
  EXPECT_EQ(call("other"), std::vector<float>(3, 7));
}

TEST(CodeObjects, WrongImages) {
  auto loadError = [](auto change) {
    Module module = testModule();
    std::vector<uint8_t> image = kernelImage();
    change(module, image);
    module.objects[0].image = image;
    auto loaded = runtime::CodeLibrary::load(module);
    return loaded ? "no error" : loaded.status().message();
  };
  using Image = std::vector<uint8_t>;
  EXPECT_EQ(loadError([](Module &, Image &) {}), "no error");
  EXPECT_EQ(loadError([](Module &, Image &image) { image.resize(10); }),
            "the code for \"any\" is cut off: 10 bytes");
  EXPECT_EQ(loadError([](Module &, Image &image) { image[1] = 'X'; }),
            "the code for \"any\" is not a 64-bit ELF shared object");
  EXPECT_NE(loadError([](Module &, Image &image) {
              image[18] = 8;
            }).find("the code for \"any\" is for ELF machine 8; this machine is "),
            std::string::npos);
  EXPECT_EQ(loadError([](Module &, Image &image) { image[39] = 0x7f; }),
            "the code for \"any\" has program headers outside itself");
  EXPECT_EQ(loadError([](Module &module, Image &) { module.kernels[2].name = "k_other"; }),
            "the code for \"any\" has no kernel \"k_other\"");
}

TEST(CodeObjects, TwoModulesAtOnce) {
  // The dynamic linker knows a library by its name: two of them must not become one.
  Module module = testModule();
  auto first = runtime::CodeLibrary::load(module);
  auto second = runtime::CodeLibrary::load(module);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_NE(first->kernels()[0], second->kernels()[0]);
}

} // namespace
} // namespace relax::test
