// The adapters of OpenBLAS and oneDNN: products of all kinds and sizes, one thread each, and what
// is said where a library isn't there.
#include "runtime/libraries/Libraries.h"
#include "runtime/artifact/Load.h"
#include "runtime/libraries/MatmulCall.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace relax;
using namespace relax::runtime;
using artifact::DType;
using artifact::Library;

namespace {

/// A product, its reference, and what the adapter is called with.
struct Product {
  int64_t batch = 0; ///< 0: matrices without a dimension in front.
  int64_t m = 1, n = 1, k = 1;
  bool transposeA = false, transposeB = false, sharesB = false;
  bool bias = false, residual = false;
  int64_t relu = 0;
};

template <typename T> class Runner {
public:
  Runner(const char *function, DType dtype, const Product &p) : p(p), entry(function) {
    auto dims = [&](int64_t rows, int64_t columns, bool transposed, bool batched) {
      std::vector<int64_t> result;
      if (p.batch != 0 && batched)
        result.push_back(p.batch);
      result.push_back(transposed ? columns : rows);
      result.push_back(transposed ? rows : columns);
      return result;
    };
    add(a, dims(p.m, p.k, p.transposeA, true), dtype, 1);
    add(b, dims(p.k, p.n, p.transposeB, !p.sharesB), dtype, 2);
    if (p.bias)
      add(bias, {p.n}, dtype, 3);
    if (p.residual)
      add(residual, dims(p.m, p.n, false, true), dtype, 4);
    add(result, dims(p.m, p.n, false, true), dtype, 5);
    std::fill(result.begin(), result.end(), std::numeric_limits<T>::quiet_NaN());
    auto option = [&](const char *name, int64_t value) {
      if (value != 0)
        entry.options.push_back({name, value});
    };
    option("bias", p.bias);
    option("relu", p.relu);
    option("residual", p.residual);
    option("transpose_a", p.transposeA);
    option("transpose_b", p.transposeB);
    for (const Library::Option &o : entry.options)
      values.push_back(o.value);
  }

  void add(std::vector<T> &data, const std::vector<int64_t> &dims, DType dtype, unsigned seed) {
    int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    data.resize(static_cast<size_t>(count));
    for (T &value : data)
      value = static_cast<T>(uniform(random));
    arrays.push_back(&data);
    entry.tensors.push_back({dtype, static_cast<uint32_t>(dims.size())});
    values.insert(values.end(), dims.begin(), dims.end());
  }

  Status run(ThreadPool &pool) {
    Expected<LibraryFunction> function = externalFunction(entry);
    if (!function)
      return function.takeStatus();
    std::vector<void *> buffers;
    std::vector<uint64_t> sizes;
    for (std::vector<T> *array : arrays) {
      buffers.push_back(array->data());
      sizes.push_back(array->size() * sizeof(T));
    }
    return (*function)({buffers, sizes, values, pool});
  }

  double expected(int64_t batch, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t x = 0; x != p.k; ++x) {
      size_t inA =
          static_cast<size_t>(batch * p.m * p.k + (p.transposeA ? x * p.m + i : i * p.k + x));
      size_t inB = static_cast<size_t>((p.sharesB ? 0 : batch * p.k * p.n) +
                                       (p.transposeB ? j * p.k + x : x * p.n + j));
      sum += static_cast<double>(a[inA]) * static_cast<double>(b[inB]);
    }
    auto at = static_cast<size_t>((batch * p.m + i) * p.n + j);
    if (p.bias)
      sum += bias[static_cast<size_t>(j)];
    if (p.residual && p.relu != 2)
      sum += residual[at];
    if (p.relu != 0)
      sum = sum < 0 ? 0 : sum;
    return p.residual && p.relu == 2 ? sum + residual[at] : sum;
  }

  void check() const {
    double tolerance = (sizeof(T) == 4 ? 1e-6 : 1e-14) * (1 + static_cast<double>(p.k));
    size_t at = 0;
    for (int64_t batch = 0; batch != std::max(p.batch, int64_t{1}); ++batch)
      for (int64_t i = 0; i != p.m; ++i)
        for (int64_t j = 0; j != p.n; ++j, ++at)
          ASSERT_NEAR(result[at], expected(batch, i, j), tolerance)
              << entry.name << " " << batch << ", " << i << ", " << j << " of " << p.m << " x "
              << p.k << " x " << p.n << " transposed " << p.transposeA << p.transposeB;
  }

  Product p;
  Library entry;
  std::vector<T> a, b, bias, residual, result;
  std::vector<std::vector<T> *> arrays;
  std::vector<int64_t> values;
};

template <typename T>
void expectRight(const char *function, DType dtype, const Product &p, ThreadPool &pool) {
  Runner<T> runner(function, dtype, p);
  Status status = runner.run(pool);
  ASSERT_TRUE(status.ok()) << status.message();
  runner.check();
}

TEST(Libraries, ProductsOfAllSizesAndTransposes) {
  ThreadPool pool(2);
  for (auto [m, n, k] : {std::array<int64_t, 3>{0, 3, 2},
                         {3, 0, 2},
                         {3, 4, 0},
                         {1, 1, 1},
                         {1, 17, 5},
                         {7, 1, 9},
                         {33, 31, 65},
                         {130, 97, 50}})
    for (int transposed = 0; transposed != 4; ++transposed) {
      Product p{0, m, n, k, (transposed & 1) != 0, (transposed & 2) != 0};
      expectRight<float>("openblas.matmul", DType::F32, p, pool);
      expectRight<double>("openblas.matmul", DType::F64, p, pool);
      expectRight<float>("onednn.matmul", DType::F32, p, pool);
    }
}

TEST(Libraries, Batches) {
  ThreadPool pool(2);
  for (int64_t batch : {0, 1, 3})
    for (int variant = 0; variant != 8; ++variant) {
      Product p{batch, 5, 9, 4, (variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
      expectRight<float>("openblas.matmul", DType::F32, p, pool);
      expectRight<float>("onednn.matmul", DType::F32, p, pool);
    }
}

TEST(Libraries, OneDnnEpilogues) {
  ThreadPool pool(2);
  for (int64_t k : {0, 1, 40})
    for (int64_t relu : {0, 1, 2})
      for (int variant = 0; variant != 4; ++variant) {
        Product p{2, 13, 11, k};
        p.bias = (variant & 1) != 0;
        p.residual = (variant & 2) != 0;
        p.relu = relu;
        expectRight<float>("onednn.matmul", DType::F32, p, pool);
      }
}

/// The library's own relu makes 0 of NaN; a NaN is a NaN here.
TEST(Libraries, NotANumberStays) {
  ThreadPool pool(1);
  Product p{0, 2, 3, 4};
  p.relu = 1;
  Runner<float> runner("onednn.matmul", DType::F32, p);
  runner.a[1] = std::numeric_limits<float>::quiet_NaN();
  runner.a[5] = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(runner.run(pool).ok());
  for (size_t j = 0; j != 3; ++j)
    EXPECT_TRUE(std::isnan(runner.result[j]));
  for (size_t j = 3; j != 6; ++j)
    EXPECT_TRUE(runner.result[j] == 0 || std::isinf(runner.result[j]));
}

/// Large enough for several parts: they depend on the sizes alone.
TEST(Libraries, ThreadsChangeNothing) {
  for (const char *function : {"openblas.matmul", "onednn.matmul"}) {
    Product p{0, 300, 260, 270};
    Runner<float> one(function, DType::F32, p), three(function, DType::F32, p);
    ThreadPool single(1), several(3);
    ASSERT_TRUE(one.run(single).ok());
    ASSERT_TRUE(three.run(several).ok());
    EXPECT_EQ(one.result, three.result) << function;
    one.check();
  }
}

/// Products of 8-bit integers are exact, or refused.
TEST(Libraries, IntegersAreExactOrRefused) {
  Library entry("onednn.matmul");
  entry.tensors = {{DType::U8, 2}, {DType::I8, 2}, {DType::I32, 2}};
  Expected<LibraryFunction> function = externalFunction(entry);
  if (!function) {
    EXPECT_EQ(function.status().message(),
              "calls the library function \"onednn.matmul\": oneDNN's products of 8-bit integers "
              "aren't exact on this CPU, which lacks VNNI");
    return;
  }
  constexpr size_t k = 100, n = 5;
  std::vector<uint8_t> a(k, 255);
  std::vector<int8_t> b(k * n, -128);
  std::vector<int32_t> result(n);
  void *buffers[] = {a.data(), b.data(), result.data()};
  uint64_t sizes[] = {k, k * n, n * 4};
  int64_t dims[] = {1, k, k, n, 1, n};
  ThreadPool pool(1);
  ASSERT_TRUE((*function)({buffers, sizes, dims, pool}).ok());
  EXPECT_EQ(result, std::vector<int32_t>(n, -128 * 255 * 100));
}

TEST(Libraries, WrongEntriesAreErrors) {
  auto messageOf = [](Library entry) {
    Expected<LibraryFunction> function = externalFunction(entry);
    return function ? std::string() : function.status().message();
  };
  EXPECT_EQ(messageOf({"blis.matmul"}),
            "calls the library function \"blis.matmul\", which this program does not have");
  EXPECT_EQ(messageOf({"openblas.qr"}), "calls the library function \"openblas.qr\": this runtime "
                                        "has no library function \"openblas.qr\"");
  Library entry("openblas.matmul");
  entry.tensors = {{DType::F32, 2}, {DType::F32, 2}};
  EXPECT_NE(messageOf(entry).find("has 2 tensors; expected 3"), std::string::npos);
  entry.tensors = {{DType::F32, 1}, {DType::F32, 2}, {DType::F32, 1}};
  EXPECT_NE(messageOf(entry).find("multiplies tensors of rank 1 and 2"), std::string::npos);
  entry.tensors.assign(3, {DType::F16, 2});
  EXPECT_NE(messageOf(entry).find("OpenBLAS multiplies f32 or f64; found f16"), std::string::npos);
}

/// Sizes that don't fit each other can only come from a wrong artifact; nothing is read then.
TEST(Libraries, WrongSizesAreErrors) {
  ThreadPool pool(1);
  for (const char *function : {"openblas.matmul", "onednn.matmul"}) {
    Runner<float> runner(function, DType::F32, {0, 3, 4, 5});
    runner.values[2] = 6; // Rows of b.
    EXPECT_NE(runner.run(pool).message().find("don't fit"), std::string::npos);
    Runner<float> shorter(function, DType::F32, {0, 3, 4, 5});
    shorter.result.pop_back();
    EXPECT_NE(shorter.run(pool).message().find("don't fit"), std::string::npos);
  }
}

/// From n = 3 on a library does what a kernel does below. The library here is the host's.
artifact::Module twoWays(std::optional<int64_t> tuned, const char *name) {
  test::FunctionBuilder b("main");
  artifact::Slot n = b.symbol("n", 0, 0);
  artifact::Slot threshold = b.slot(artifact::SlotOp::Threshold, 0);
  artifact::Slot large = b.slot(artifact::SlotOp::LessEqual, threshold, n);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  uint32_t x = b.buffer(artifact::Buffer::Parameter, 0), y = b.buffer(artifact::Buffer::Result, 0);
  b.add(artifact::Instruction::BranchIfZero, 3, {}, {large});
  b.add(artifact::Instruction::CallLibrary, 0, {x, y}, {n, n});
  b.add(artifact::Instruction::Jump, 4);
  b.kernel(test::Double, {x, y}, n);
  artifact::Module module = test::testModule();
  Library library(name);
  library.tensors.assign(2, {DType::F32, 1});
  library.optional = true;
  module.libraries = {library};
  artifact::Threshold t;
  t.byDefault = 3;
  t.tuned = tuned;
  t.version = "0.0.0";
  t.cpu = "no such CPU";
  module.thresholds = {t};
  module.functions.push_back(b.finish());
  return module;
}

float callTwoWays(const artifact::Module &module, int64_t size, const LoadOptions &options) {
  auto loaded = Module::loadBytes(test::serializeOrDie(module), "m.rlx", options);
  EXPECT_TRUE(loaded) << loaded.status().message();
  auto main = loaded->function("main");
  std::vector<float> x(static_cast<size_t>(size), 1), y(x.size());
  int64_t dims[] = {size};
  TensorView inputs[] = {{x.data(), DType::F32, dims}}, outputs[] = {{y.data(), DType::F32, dims}};
  EXPECT_TRUE(main->call(inputs, outputs).ok());
  return y.at(0);
}

TEST(Libraries, CalledFromTheThresholdOn) {
  Registry registry;
  registry.add("mine.f", [](const LibraryCall &call) -> Status {
    for (int64_t i = 0; i != call.values[0]; ++i)
      static_cast<float *>(call.buffers[1])[i] = 7;
    return {};
  });
  artifact::Module module = twoWays({}, "mine.f");
  EXPECT_EQ(callTwoWays(module, 2, {.registry = &registry}), 2);
  EXPECT_EQ(callTwoWays(module, 3, {.registry = &registry}), 7);
  EXPECT_EQ(callTwoWays(module, 4, {.registry = &registry}), 7);
}

TEST(Libraries, AMissingOneIsReportedAndItsAlternativeRuns) {
  artifact::Module module = twoWays({}, "mine.f");
  std::vector<std::string> notes;
  LoadOptions options;
  options.report = [&](const std::string &note) { notes.push_back(note); };
  EXPECT_EQ(callTwoWays(module, 100, options), 2);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "m.rlx: calls the library function \"mine.f\", which this program does not "
                      "have; kernels of the module do its work");
  module.libraries[0].optional = false;
  auto loaded = Module::loadBytes(test::serializeOrDie(module), "m.rlx", options);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.status().code(), StatusCode::Unsupported);
}

TEST(Libraries, TheVerifierKnowsCallsAndThresholds) {
  auto faultOf = [](const std::function<void(artifact::Module &)> &damage) {
    artifact::Module module = twoWays(7, "mine.f");
    damage(module);
    return artifact::verify(module).message();
  };
  EXPECT_EQ(faultOf([](artifact::Module &) {}), "");
  EXPECT_EQ(faultOf([](artifact::Module &m) { m.thresholds[0].library = 1; }),
            "a threshold is about library function 1; there are 1");
  EXPECT_EQ(faultOf([](artifact::Module &m) { m.thresholds.clear(); }),
            "function \"main\": slot 1 is threshold 0; there are 0");
  EXPECT_EQ(faultOf([](artifact::Module &m) { m.libraries[0].tensors[1].rank = 2; }),
            "function \"main\": instruction 1: calls \"mine.f\" with 2 buffers and 2 slots; "
            "expected 2 and 3");
  EXPECT_EQ(faultOf([](artifact::Module &m) { m.libraries[0].options = {{"alpha", 1}}; }),
            "function \"main\": instruction 1: calls \"mine.f\" with 2 buffers and 2 slots; "
            "expected 2 and 3");
  EXPECT_EQ(faultOf([](artifact::Module &m) { m.libraries[0].tensors[0].rank = 9; }),
            "library function \"mine.f\" has a tensor of rank 9; at most 8 is allowed");
}

/// What is written is what is read.
TEST(Libraries, EntriesAndThresholdsSurviveTheFile) {
  artifact::Module module = twoWays(7, "mine.f");
  module.libraries[0].options = {{"alpha", -3}};
  module.functions[0].code[1].slots.push_back(0);
  auto loaded = artifact::loadBytes(test::serializeOrDie(module), "m.rlx");
  ASSERT_TRUE(loaded) << loaded.status().message();
  const artifact::Library &library = loaded->module.libraries.at(0);
  EXPECT_EQ(library.name, "mine.f");
  ASSERT_EQ(library.options.size(), 1u);
  EXPECT_EQ(library.options[0].name, "alpha");
  EXPECT_EQ(library.options[0].value, -3);
  ASSERT_EQ(library.tensors.size(), 2u);
  EXPECT_EQ(library.tensors[1].dtype, DType::F32);
  EXPECT_EQ(library.tensors[1].rank, 1u);
  EXPECT_TRUE(library.optional);
  const artifact::Threshold &threshold = loaded->module.thresholds.at(0);
  EXPECT_EQ(threshold.byDefault, 3);
  EXPECT_EQ(threshold.tuned, 7);
  EXPECT_EQ(threshold.version, "0.0.0");
  EXPECT_EQ(threshold.cpu, "no such CPU");
}

TEST(Libraries, MeasurementsOfAnotherMachineAreSaid) {
  artifact::Module module = twoWays(5, "openblas.matmul");
  const ThresholdChoice choice = chooseThreshold(module, module.thresholds[0]);
  EXPECT_EQ(choice.value, 3);
  EXPECT_NE(choice.why.find("its thresholds were measured with OpenBLAS 0.0.0"), std::string::npos);
  module.thresholds[0].version = *externalLibraryOf("openblas.matmul")->version();
  EXPECT_NE(chooseThreshold(module, module.thresholds[0]).why.find("measured on \"no such CPU\""),
            std::string::npos);
}

} // namespace
