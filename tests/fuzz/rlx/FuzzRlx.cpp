//===- FuzzRlx.cpp - artifacts from a hostile hand --------------------------------------------===//
//
// The input is taken as an artifact and loaded twice: as it is, and with right checksums, so that
// the parts behind them are reached. What loads must obey the rules, survive being written and read
// again, and be able to run: functions are called with made-up arguments, whose arrays have exactly
// the size that they say, while kernels and host functions do nothing. Kernels of the file don't
// run: they are native code.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Header.h"
#include "runtime/artifact/Load.h"
#include "runtime/artifact/Serialize.h"
#include "runtime/vm/Environment.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Interpreter.h"

#include <cstdlib>
#include <cstring>

using namespace relax;
using namespace relax::artifact;
using runtime::TensorView;
using runtime::Value;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

constexpr uint64_t mostBytes = uint64_t{1} << 20;

/// Zeros on the heap, so that AddressSanitizer knows where they end.
std::shared_ptr<void> zeros(uint64_t bytes) {
  return std::shared_ptr<void>(std::calloc(bytes == 0 ? 1 : bytes, 1), std::free);
}

/// Enough of a loaded module to call functions.
class Program {
public:
  explicit Program(const Module &module) : module(module) {
    environment.module = &module;
    environment.pool = std::make_shared<runtime::ThreadPool>(1);
    environment.account.setLimit(8 * mostBytes);
    environment.callDepthLimit = 50;
    environment.instructionLimit = 2000;
    for (const Constant &constant : module.constants)
      environment.constants.push_back(storage(constant.dtype, constant.dims));
    for (const State &state : module.states)
      environment.states.push_back(storage(state.dtype, state.dims));
    environment.kernels.assign(module.kernels.size(),
                               [](void *const *, const int64_t *, int64_t, int64_t) {});
    environment.libraries.assign(module.libraries.size(), &library);
    environment.packed.assign(module.packed.size(), [](runtime::PackedCall &call) -> Status {
      for (size_t i = 0; i != call.results.size(); ++i)
        call.results[i] =
            i < call.arguments.size() ? call.arguments[i] : Value::shape(std::span(&three, 1));
      return {};
    });
    environment.profiler = std::make_unique<runtime::Profiler>(module);
    for (const Function &function : module.functions)
      environment.frames.push_back(
          function.general ? nullptr : std::make_unique<runtime::Frame>(function, environment));
    environment.interpreter = std::make_unique<runtime::Interpreter>(environment);
  }

  /// Calls each function; all sizes of its arguments are `size`.
  void callAll(int64_t size) {
    dims.assign(maxRank, size);
    for (size_t index = 0; index != module.functions.size(); ++index) {
      const Function &function = module.functions[index];
      if (!function.general)
        askForDims(*environment.frames[index], function);
      if (tooLarge)
        continue;
      budget = 100;
      std::vector<Value> arguments, results(function.results.size());
      for (const Parameter &parameter : function.parameters)
        arguments.push_back(function.general
                                ? valueFor(function, function.patterns[parameter.pattern])
                                : tensor(parameter.type.dtype, parameter.type.dims.size()));
      Status status = environment.interpreter->invoke(index, arguments, results);
      require(status.ok() || !status.message().empty());
      for (const Value &result : results)
        require(!status.ok() || !result.isNothing());
      arguments.clear();
      results.clear();
      require(environment.memory->use().live == 0);
    }
  }

private:
  /// In tests of huge tensors nothing runs.
  runtime::Storage storage(DType dtype, const std::vector<int64_t> &dims) {
    std::optional<uint64_t> bytes = runtime::tensorBytes(dtype, dims);
    require(bytes.has_value());
    if (*bytes > mostBytes) {
      tooLarge = true;
      return {};
    }
    kept.push_back(zeros(*bytes));
    return {kept.back().get(), *bytes};
  }
  static void askForDims(runtime::Frame &frame, const Function &function) {
    std::vector<TensorView> arguments;
    const std::vector<int64_t> large(maxRank, INT64_MAX);
    for (const Parameter &parameter : function.parameters)
      arguments.push_back(
          {nullptr, parameter.type.dtype, std::span(large).first(parameter.type.dims.size())});
    if (auto result = frame.resultDims(arguments))
      require(result->size() == function.results.size());
  }
  Value tensor(DType dtype, size_t rank) {
    std::span<const int64_t> sizes = std::span(dims).first(rank);
    std::optional<uint64_t> bytes = runtime::tensorBytes(dtype, sizes);
    if (!bytes || *bytes > mostBytes)
      return Value::shape(sizes);
    std::shared_ptr<void> memory = zeros(*bytes);
    if (isInteger(dtype)) // Threes: so that loops over them run.
      for (uint64_t at = 0; at < *bytes; at += byteSize(dtype))
        static_cast<uint8_t *>(memory.get())[at] = 3;
    return Value::tensor({memory.get(), dtype, sizes}, memory);
  }
  Value valueFor(const Function &function, const TypePattern &pattern) {
    if (budget == 0)
      return Value::shape({});
    --budget;
    switch (pattern.kind) {
    case TypePattern::Tensor:
    case TypePattern::Any:
      return tensor(pattern.anyDType ? DType::I64 : pattern.dtype, pattern.dims.size());
    case TypePattern::Shape:
      return Value::shape(
          std::vector<int64_t>(std::min<size_t>(pattern.dims.size(), 100), dims[0]));
    case TypePattern::Function:
      return Value::function(nullptr, 0);
    case TypePattern::Object:
      return Value::object(nullptr);
    case TypePattern::Tuple:
      break;
    }
    std::vector<Value> fields;
    for (uint32_t field : pattern.fields)
      if (fields.size() < 100)
        fields.push_back(valueFor(function, function.patterns[field]));
    Expected<Value> tuple = Value::tuple(std::move(fields));
    return tuple ? *tuple : Value::shape({});
  }

  static constexpr int64_t three = 3;
  const runtime::LibraryFunction library = [](const runtime::LibraryCall &) { return Status(); };
  const Module &module;
  std::vector<std::shared_ptr<void>> kept;
  bool tooLarge = false;
  runtime::Environment environment;
  std::vector<int64_t> dims;
  size_t budget = 0;
};

void tryLoad(std::span<const uint8_t> bytes) {
  Expected<LoadedArtifact> loaded = loadBytes(bytes, "fuzz");
  if (!loaded) {
    require(!loaded.status().message().empty());
    return;
  }
  require(verify(loaded->module).ok());
  Expected<std::vector<uint8_t>> again = serialize(loaded->module);
  require(again.ok() && loadBytes(*again, "again").ok());
  Program program(loaded->module);
  for (int64_t size : {0, 1, 4, 3})
    program.callAll(size);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tryLoad({data, size});
  Header header;
  if (size < sizeof header)
    return 0;
  std::vector<uint8_t> sealed(data, data + size);
  std::memcpy(&header, data, sizeof header);
  header.formatVersion = formatVersion;
  header.kernelAbiVersion = kernelAbiVersion;
  header.fileSize = size;
  header.payloadHash = contentHash(std::span(sealed).subspan(sizeof header));
  std::memcpy(header.magic, "RLX1", 4);
  header.headerHash = contentHash({reinterpret_cast<const uint8_t *>(&header), hashedHeaderBytes});
  std::memcpy(sealed.data(), &header, sizeof header);
  tryLoad(sealed);
  return 0;
}
