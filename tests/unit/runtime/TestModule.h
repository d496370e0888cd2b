//===- TestModule.h - build artifacts by hand for the runtime's tests -------------------------===//
//
// The compiler isn't needed: modules are filled in C++, and their kernels (kernels.c) come from a
// small shared object that is built with the tests and read from disk.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/Module.h"
#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/Serialize.h"

#include <string>
#include <vector>

namespace relax::test {

using namespace relax::artifact;

/// The kernels of kernels.c, in the order of testModule's `kernels`.
enum TestKernel : uint32_t { Double, Add, Increase, Fill };

/// Puts a function together.
class FunctionBuilder {
public:
  explicit FunctionBuilder(std::string name) { function.name = std::move(name); }

  Slot slot(SlotOp::Kind kind, int64_t a, int64_t b = 0) {
    function.slots.push_back({kind, a, b});
    return static_cast<Slot>(function.slots.size() - 1);
  }
  Slot constant(int64_t value) { return slot(SlotOp::Constant, value); }
  /// A symbol that is a dimension of a parameter.
  Slot symbol(std::string name, int64_t parameter, int64_t axis, int64_t lo = 0,
              std::optional<int64_t> hi = std::nullopt, int64_t divisor = 1) {
    Slot s = slot(SlotOp::Dimension, parameter, axis);
    function.symbols.push_back({std::move(name), lo, hi, divisor, s});
    return s;
  }
  /// The product of slots.
  Slot product(Slot a, Slot b) { return slot(SlotOp::Mul, a, b); }

  uint32_t parameter(std::string name, DType dtype, std::vector<Slot> dims, bool donated = false) {
    function.parameters.push_back({std::move(name), {dtype, std::move(dims)}, donated});
    return static_cast<uint32_t>(function.parameters.size() - 1);
  }
  uint32_t result(std::string name, DType dtype, std::vector<Slot> dims, int32_t alias = -1) {
    function.results.push_back({std::move(name), {dtype, std::move(dims)}, alias});
    return static_cast<uint32_t>(function.results.size() - 1);
  }
  uint32_t buffer(Buffer::Kind kind, uint32_t index, Slot offset = noSlot, Slot size = noSlot) {
    function.buffers.push_back({kind, index, offset, size});
    return static_cast<uint32_t>(function.buffers.size() - 1);
  }
  Instruction &add(Instruction::Op op, uint32_t target = 0, std::vector<uint32_t> buffers = {},
                   std::vector<Slot> slots = {}) {
    function.code.push_back({op, target, std::move(buffers), std::move(slots), noSlot, noSlot});
    return function.code.back();
  }
  void kernel(TestKernel kernel, std::vector<uint32_t> buffers, Slot extent,
              std::vector<Slot> slots = {}) {
    Instruction &call = add(Instruction::CallKernel, kernel, std::move(buffers), std::move(slots));
    call.extent = call.cost = extent;
  }
  /// Ends the code, and gives the function away.
  Function finish() {
    add(Instruction::Return);
    return std::move(function);
  }

  Function function;
};

/// Puts a general function together. Arguments first: they are the first registers.
class GeneralBuilder : public FunctionBuilder {
public:
  explicit GeneralBuilder(std::string name) : FunctionBuilder(std::move(name)) {
    function.general = true;
  }

  uint32_t pattern(TypePattern pattern) {
    function.patterns.push_back(std::move(pattern));
    return static_cast<uint32_t>(function.patterns.size() - 1);
  }
  uint32_t tensor(DType dtype, std::vector<Slot> dims);
  uint32_t shape(std::vector<Slot> dims);
  uint32_t any() { return pattern({}); }

  /// Each returns the register.
  uint32_t argument(std::string name, uint32_t pattern, bool donated = false) {
    function.parameters.push_back({std::move(name), {}, donated, pattern});
    return newRegister();
  }
  uint32_t newRegister() { return function.numRegisters++; }

  void generalResult(std::string name, uint32_t pattern) {
    function.results.push_back({std::move(name), {}, -1, pattern});
  }
  /// The slots so far are those of the entry.
  void endEntry() { function.entrySlots = static_cast<uint32_t>(function.slots.size()); }
  /// Evaluates the slots from `first` to the last so far.
  void evaluate(Slot first) {
    add(Instruction::Evaluate, 0, {}, {first, static_cast<Slot>(function.slots.size())});
  }
  /// A kernel on registers.
  void kernelOn(TestKernel kernel, std::vector<uint32_t> registers, Slot extent,
                std::vector<Slot> slots = {}) {
    for (uint32_t &each : registers)
      each = buffer(Buffer::Register, each);
    this->kernel(kernel, std::move(registers), extent, std::move(slots));
  }
  /// The number of the next instruction.
  [[nodiscard]] uint32_t here() const { return static_cast<uint32_t>(function.code.size()); }
  Function finishWith(std::vector<uint32_t> results) {
    add(Instruction::Return, 0, std::move(results));
    return std::move(function);
  }
};

/// "grow": (x: f32[c], trips: i64[]) -> f32[?]: trips times, the vector is replaced by one that is
/// an element longer, with its own length in all elements.
Function growFunction();

/// "down": (n: shape [k]) -> f32[4]: k zeros if k is 0, else 1 more than itself of [k - 1].
Function downFunction(uint32_t itself);

/// A module with the test kernels and no functions.
Module testModule();

/// "scale": (x: f32[n, 4]) -> y = 4 * x, by two kernels and a temporary tensor; 0 <= n <= 1000000.
Function scaleFunction();

/// "update": (pages: f32[n] donated, by: f32[m]) -> pages + 3, in place.
Function updateFunction();

/// The smallest module that has something of everything: metadata of every type, an inline
/// constant, a state, "initialize", branches, guards, a nested call.
Module everythingModule();

/// Serializes and loads; fails the test, and aborts it, if that fails.
runtime::Module loadOrDie(const Module &module, const runtime::LoadOptions &options = {});
std::vector<uint8_t> serializeOrDie(const Module &module);

/// The shared object with the test kernels.
std::vector<uint8_t> kernelImage();

/// An empty folder that is removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  [[nodiscard]] std::string path(const std::string &name = "") const {
    return name.empty() ? folder : folder + "/" + name;
  }

private:
  std::string folder;
};

/// Values to call functions with.
runtime::Value floats(std::vector<int64_t> dims, float value = 0);
runtime::Value integers(std::vector<int64_t> dims, std::vector<int64_t> elements);
runtime::Value shapeOf(std::vector<int64_t> dims);
runtime::Value tupleOf(std::vector<runtime::Value> fields);
/// The elements of a tensor of f32; fails the test if it isn't one.
std::vector<float> elementsOf(const runtime::Value &value);
/// The results as texts, or the error's message.
std::string invokeText(const runtime::Function &function,
                       const std::vector<runtime::Value> &arguments);

void writeBytes(const std::string &path, std::span<const uint8_t> bytes);

/// A tensor of floats that owns its memory.
struct FloatTensor {
  explicit FloatTensor(std::vector<int64_t> dims, float value = 0);
  runtime::TensorView view() { return {data.data(), DType::F32, dims}; }
  std::vector<int64_t> dims;
  std::vector<float> data;
};

} // namespace relax::test
