//===- TestModule.cpp -------------------------------------------------------------------------===//
#include "tests/unit/runtime/TestModule.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace relax::test {
namespace {

[[noreturn]] void die(const std::string &message) {
  std::fprintf(stderr, "test set-up failed: %s\n", message.c_str());
  std::abort();
}

} // namespace

std::vector<uint8_t> kernelImage() {
  std::ifstream file(TEST_KERNELS, std::ios::binary);
  if (!file)
    die("no " TEST_KERNELS);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

Module testModule() {
  Module module;
  module.compilerVersion = "test";
  for (const char *name : {"k_double", "k_add", "k_increase", "k_fill"})
    module.kernels.push_back({name, "test"});
  module.objects.push_back({"any", {}, kernelImage()});
  return module;
}

Function scaleFunction() {
  FunctionBuilder b("scale");
  Slot n = b.symbol("n", 0, 0, 0, 1'000'000);
  Slot four = b.constant(4), zero = b.constant(0);
  Slot count = b.product(n, four), bytes = b.product(count, four);
  b.parameter("x", DType::F32, {n, four});
  b.result("y", DType::F32, {n, four});
  uint32_t x = b.buffer(Buffer::Parameter, 0), y = b.buffer(Buffer::Result, 0);
  uint32_t temporary = b.buffer(Buffer::Arena, 0, zero, bytes);
  b.function.arenaSize = bytes;
  b.kernel(Double, {x, temporary}, count);
  b.kernel(Double, {temporary, y}, count);
  return b.finish();
}

Function updateFunction() {
  FunctionBuilder b("update");
  Slot n = b.symbol("n", 0, 0), three = b.constant(3);
  b.parameter("pages", DType::F32, {n}, true);
  b.result("pages", DType::F32, {n}, 0);
  uint32_t pages = b.buffer(Buffer::Result, 0);
  b.kernel(Increase, {pages}, n, {three});
  return b.finish();
}

uint32_t GeneralBuilder::tensor(DType dtype, std::vector<Slot> dims) {
  TypePattern p;
  p.kind = TypePattern::Tensor;
  p.dtype = dtype;
  p.dims = std::move(dims);
  return pattern(std::move(p));
}

uint32_t GeneralBuilder::shape(std::vector<Slot> dims) {
  TypePattern p;
  p.kind = TypePattern::Shape;
  p.dims = std::move(dims);
  return pattern(std::move(p));
}

Function growFunction() {
  GeneralBuilder b("grow");
  b.function.symbols.push_back({"c", 0, std::nullopt, 1, b.slot(SlotOp::Dimension, 0, 0)});
  uint32_t x = b.argument("x", b.tensor(DType::F32, {0}));
  uint32_t trips = b.argument("trips", b.tensor(DType::I64, {}));
  uint32_t counter = b.newRegister(), longer = b.newRegister();
  b.generalResult("y", b.tensor(DType::F32, {noSlot}));
  Slot zero = b.constant(0), one = b.constant(1);
  b.endEntry();
  b.add(Instruction::MakeShape, 0, {counter}, {zero});
  uint32_t loop = b.here();
  Slot i = b.slot(SlotOp::ShapeElement, counter, 0), n = b.slot(SlotOp::Element, trips, 0);
  Slot more = b.slot(SlotOp::Less, i, n), next = b.slot(SlotOp::Add, i, one);
  Slot extent = b.slot(SlotOp::RegisterDimension, x, 0), grown = b.slot(SlotOp::Add, extent, one);
  b.evaluate(i);
  uint32_t branch = b.here();
  b.add(Instruction::BranchIfZero, 0, {}, {more});
  b.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {longer}, {grown});
  b.kernelOn(Fill, {longer}, grown, {grown});
  b.add(Instruction::Move, 0, {x, longer});
  b.add(Instruction::Release, 0, {longer});
  b.add(Instruction::MakeShape, 0, {counter}, {next});
  b.add(Instruction::Jump, loop);
  b.function.code[branch].target = b.here();
  return b.finishWith({x});
}

Function downFunction(uint32_t itself) {
  GeneralBuilder b("down");
  Slot k = b.slot(SlotOp::Dimension, 0, 0);
  b.function.symbols.push_back({"k", 0, std::nullopt, 1, k});
  uint32_t n = b.argument("n", b.shape({k}));
  uint32_t less = b.newRegister(), y = b.newRegister();
  Slot one = b.constant(1), zero = b.constant(0), four = b.constant(4);
  Slot minus = b.slot(SlotOp::Sub, k, one), positive = b.slot(SlotOp::Less, zero, k);
  b.generalResult("y", b.tensor(DType::F32, {four}));
  b.endEntry();
  uint32_t branch = b.here();
  b.add(Instruction::BranchIfZero, 0, {}, {positive});
  b.add(Instruction::MakeShape, 0, {less}, {minus});
  b.add(Instruction::Invoke, itself, {less, y});
  b.kernelOn(Increase, {y}, four, {one});
  b.add(Instruction::Return, 0, {y});
  b.function.code[branch].target = b.here();
  b.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {y}, {four});
  b.kernelOn(Fill, {y}, four, {zero});
  (void)n;
  return b.finishWith({y});
}

Module everythingModule() {
  Module module = testModule();
  module.metadata.set("boolean", MetadataValue(true));
  module.metadata.set("integer", -7);
  module.metadata.set("number", MetadataValue(0.5));
  module.metadata.set("string", "text");
  module.metadata.set("booleans", MetadataValue(std::vector<bool>{true, false}));
  module.metadata.set("integers", MetadataValue(std::vector<int64_t>{1, -2, INT64_MAX}));
  module.metadata.set("numbers", MetadataValue(std::vector<double>{1.5, -2.5}));
  module.metadata.set("strings", MetadataValue(std::vector<std::string>{"a", "", "\xff"}));

  // weights[i] = i + 1; the state is twice that.
  std::vector<uint8_t> weights(4 * sizeof(float));
  for (int i = 0; i != 4; ++i)
    reinterpret_cast<float *>(weights.data())[i] = static_cast<float>(i + 1);
  module.constants.push_back({"weights", DType::F32, {4}, weights, -1, 0, 16, 0});
  module.states.push_back({"doubled", DType::F32, {4}});

  FunctionBuilder init(initializeName);
  Slot four = init.constant(4);
  init.result("doubled", DType::F32, {four});
  init.kernel(Double, {init.buffer(Buffer::Constant, 0), init.buffer(Buffer::Result, 0)}, four);
  module.functions.push_back(init.finish());
  module.functions.push_back(scaleFunction());

  // (x: f32[n]) -> x + state if n is 4 (which the guard wants), by way of a branch.
  FunctionBuilder b("main");
  Slot n = b.symbol("n", 0, 0, 1, 64, 2);
  Slot limit = b.constant(8), small = b.slot(SlotOp::LessEqual, n, limit), one = b.constant(1);
  Slot size = b.constant(4);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  b.function.guards.push_back({Guard::Equal, 0, 0, n, size, "n == 4", "test.mlir:3:5"});
  uint32_t x = b.buffer(Buffer::Parameter, 0), y = b.buffer(Buffer::Result, 0);
  uint32_t state = b.buffer(Buffer::State, 0);
  b.add(Instruction::BranchIfZero, 3, {}, {small});
  b.kernel(Add, {x, state, y}, n);
  b.add(Instruction::Jump, 4);
  b.kernel(Double, {x, y}, n);
  b.add(Instruction::CallFunction, 1, {y, y}, {one, size});
  module.functions.push_back(b.finish());
  return module;
}

std::vector<uint8_t> serializeOrDie(const Module &module) {
  Expected<std::vector<uint8_t>> bytes = serialize(module);
  if (!bytes)
    die(bytes.status().message());
  return std::move(*bytes);
}

runtime::Module loadOrDie(const Module &module, const runtime::LoadOptions &options) {
  Expected<runtime::Module> loaded =
      runtime::Module::loadBytes(serializeOrDie(module), "test.rlx", options);
  if (!loaded)
    die(loaded.status().message());
  return std::move(*loaded);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "relax-test-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    die("no temporary folder");
  folder = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
}

runtime::Value floats(std::vector<int64_t> dims, float value) {
  auto tensor = std::make_shared<FloatTensor>(std::move(dims), value);
  return runtime::Value::tensor(tensor->view(), tensor);
}

runtime::Value integers(std::vector<int64_t> dims, std::vector<int64_t> elements) {
  struct Integers {
    std::vector<int64_t> dims, elements;
  };
  auto tensor = std::make_shared<Integers>(Integers{std::move(dims), std::move(elements)});
  return runtime::Value::tensor({tensor->elements.data(), DType::I64, tensor->dims}, tensor);
}

runtime::Value shapeOf(std::vector<int64_t> dims) { return runtime::Value::shape(dims); }

runtime::Value tupleOf(std::vector<runtime::Value> fields) {
  auto tuple = runtime::Value::tuple(std::move(fields));
  if (!tuple)
    die(tuple.status().message());
  return *tuple;
}

std::vector<float> elementsOf(const runtime::Value &value) {
  if (!value.isTensor() || value.asTensor().dtype != DType::F32)
    die("expected a tensor of f32, found " + value.text());
  runtime::TensorView view = value.asTensor();
  const auto *data = static_cast<const float *>(view.data);
  return std::vector<float>(data, data + runtime::elementCount(view.dims));
}

std::string invokeText(const runtime::Function &function,
                       const std::vector<runtime::Value> &arguments) {
  auto results = function.invoke(arguments);
  if (!results)
    return results.status().message();
  std::string out;
  for (const runtime::Value &result : *results)
    out += (out.empty() ? "" : ", ") + result.text();
  return out;
}

void writeBytes(const std::string &path, std::span<const uint8_t> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush())
    die("can't write " + path);
}

FloatTensor::FloatTensor(std::vector<int64_t> dims, float value) : dims(std::move(dims)) {
  int64_t count = 1;
  for (int64_t dim : this->dims)
    count *= dim;
  data.assign(static_cast<size_t>(count), value);
}

} // namespace relax::test
