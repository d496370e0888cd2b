//===- relax.cpp - the C interface over Module and Function -----------------------------------===//
#include "runtime/c_api/Handles.h"
#include "runtime/c_api/Tensors.h"

#include <algorithm>
#include <cstring>

using relax::Expected;
using relax::Status;
using relax::StatusCode;
using relax::text;
using relax::c_api::guarded;
using relax::c_api::missing;
using relax::runtime::Function;
using relax::runtime::LoadOptions;
using relax::runtime::Module;
using relax::runtime::TensorView;

namespace {

/// The options that the caller's version of the struct has; the others keep their defaults.
Expected<LoadOptions> readOptions(const relax_load_options *given) {
  LoadOptions options;
  if (!given)
    return options;
  if (given->struct_size < offsetof(relax_load_options, weights_path))
    return Status(StatusCode::InvalidArgument, text("options.struct_size is ", given->struct_size,
                                                    "; set it to sizeof(relax_load_options)"));
  relax_load_options all = {};
  std::memcpy(&all, given, std::min(given->struct_size, sizeof all));
  if (all.weights_path)
    options.weightsPath = all.weights_path;
  options.threads = all.threads;
  options.memoryLimit = all.memory_limit;
  if (all.target)
    options.target = all.target;
  return options;
}

/// Loads through `load(options)` and makes the C handles.
template <typename Load>
Status loadModule(const relax_load_options *given, relax_module **out, Load &&load) {
  Expected<LoadOptions> options = readOptions(given);
  if (!options)
    return options.takeStatus();
  // Used while loading only.
  const relax::runtime::Registry registry = relax::c_api::registeredFunctions();
  options->registry = &registry;
  Expected<Module> module = load(*options);
  if (!module)
    return module.takeStatus();
  auto handle = std::make_unique<relax_module>(relax_module{std::move(*module), {}});
  for (const relax::artifact::Function &each : handle->module.contents().functions)
    if (Expected<Function> function = handle->module.function(each.name); function.ok())
      handle->functions.push_back(std::make_unique<relax_function>(relax_function{*function}));
  *out = handle.release();
  return {};
}

const relax::artifact::Function *signatureOf(const relax_function *function) {
  return function ? &function->function.signature() : nullptr;
}

Status readTensors(const DLTensor *const *tensors, size_t count, const char *what,
                   std::vector<TensorView> &views) {
  views.clear();
  if (count != 0 && !tensors)
    return missing(what);
  for (size_t i = 0; i != count; ++i) {
    Expected<TensorView> view = relax::runtime::viewOf(tensors[i]);
    if (!view)
      return view.takeStatus().withContext(text(what, ' ', i));
    views.push_back(*view);
  }
  return {};
}

Status call(const Function &function, const DLTensor *const *inputs, size_t numInputs,
            DLTensor *const *outputs, size_t numOutputs) {
  // Kept from call to call, so that a call allocates nothing; taken away while it runs, since a
  // host function may call again.
  static thread_local std::vector<TensorView> keptInputs, keptOutputs;
  std::vector<TensorView> inputViews = std::move(keptInputs), outputViews = std::move(keptOutputs);
  RELAX_RETURN_IF_ERROR(readTensors(inputs, numInputs, "input", inputViews));
  RELAX_RETURN_IF_ERROR(readTensors(outputs, numOutputs, "output", outputViews));
  RELAX_RETURN_IF_ERROR(function.call(inputViews, outputViews));
  for (size_t i = 0; i != numOutputs; ++i)
    if (!outputs[i]->data) {
      outputs[i]->data = outputViews[i].data;
      outputs[i]->byte_offset = 0;
    }
  keptInputs = std::move(inputViews);
  keptOutputs = std::move(outputViews);
  return {};
}

Status outputShapes(const Function &function, const DLTensor *const *inputs, size_t numInputs,
                    DLTensor *const *outputs, size_t numOutputs) {
  std::vector<TensorView> views;
  RELAX_RETURN_IF_ERROR(readTensors(inputs, numInputs, "input", views));
  const auto &results = function.signature().results;
  if (numOutputs != results.size() || (numOutputs != 0 && !outputs))
    return Status(StatusCode::InvalidArgument,
                  text("found ", numOutputs, " outputs, expected ", results.size()));
  Expected<std::vector<std::vector<int64_t>>> dims = function.resultDims(views);
  if (!dims)
    return dims.takeStatus();
  for (size_t i = 0; i != numOutputs; ++i) {
    if (!outputs[i] || (!outputs[i]->shape && !(*dims)[i].empty()))
      return missing("an output, or its shape,");
    outputs[i]->ndim = static_cast<int32_t>((*dims)[i].size());
    outputs[i]->dtype = relax::runtime::toDlpack(results[i].type.dtype);
    std::copy((*dims)[i].begin(), (*dims)[i].end(), outputs[i]->shape);
  }
  return {};
}

} // namespace

uint32_t relax_api_version(void) {
  return RELAX_API_VERSION_MAJOR * 1000 + RELAX_API_VERSION_MINOR;
}

std::string &relax::c_api::lastError() {
  static thread_local std::string message;
  return message;
}

const char *relax_last_error(void) { return relax::c_api::lastError().c_str(); }

relax_status relax_module_load(const char *path, const relax_load_options *options,
                               relax_module **module) {
  return guarded([&]() -> Status {
    if (!module)
      return missing("module");
    *module = nullptr;
    if (!path)
      return missing("path");
    return loadModule(options, module, [&](const LoadOptions &o) { return Module::load(path, o); });
  });
}

relax_status relax_module_load_bytes(const void *bytes, size_t size,
                                     const relax_load_options *options, relax_module **module) {
  return guarded([&]() -> Status {
    if (!module)
      return missing("module");
    *module = nullptr;
    if (!bytes && size != 0)
      return missing("bytes");
    return loadModule(options, module, [&](const LoadOptions &o) {
      return Module::loadBytes({static_cast<const uint8_t *>(bytes), size}, "artifact in memory",
                               o);
    });
  });
}

void relax_module_free(relax_module *module) { delete module; }

relax_status relax_module_memory(const relax_module *module, uint64_t *current, uint64_t *peak) {
  return guarded([&]() -> Status {
    if (!module)
      return missing("module");
    relax::runtime::MemoryUse use = module->module.memory();
    if (current)
      *current = use.current;
    if (peak)
      *peak = use.peak;
    return {};
  });
}

void relax_module_trim_memory(relax_module *module) {
  if (module)
    module->module.trimMemory();
}

size_t relax_module_function_count(const relax_module *module) {
  return module ? module->functions.size() : 0;
}

const char *relax_module_function_name(const relax_module *module, size_t index) {
  if (index >= relax_module_function_count(module))
    return nullptr;
  return module->functions[index]->function.name().c_str();
}

relax_status relax_module_function(relax_module *module, const char *name,
                                   relax_function **function) {
  return guarded([&]() -> Status {
    if (!function)
      return missing("function");
    *function = nullptr;
    if (!module || !name)
      return missing(module ? "name" : "module");
    for (const auto &each : module->functions)
      if (each->function.name() == name)
        *function = each.get();
    return *function ? Status() : module->module.function(name).takeStatus();
  });
}

size_t relax_function_input_count(const relax_function *function) {
  const auto *signature = signatureOf(function);
  return signature ? signature->parameters.size() : 0;
}

size_t relax_function_output_count(const relax_function *function) {
  const auto *signature = signatureOf(function);
  return signature ? signature->results.size() : 0;
}

const char *relax_function_input_name(const relax_function *function, size_t index) {
  if (index >= relax_function_input_count(function))
    return nullptr;
  return signatureOf(function)->parameters[index].name.c_str();
}

const char *relax_function_output_name(const relax_function *function, size_t index) {
  if (index >= relax_function_output_count(function))
    return nullptr;
  return signatureOf(function)->results[index].name.c_str();
}

int64_t relax_function_output_alias(const relax_function *function, size_t index) {
  if (index >= relax_function_output_count(function))
    return -1;
  return signatureOf(function)->results[index].alias;
}

relax_status relax_function_output_shapes(relax_function *function, const DLTensor *const *inputs,
                                          size_t num_inputs, DLTensor *const *outputs,
                                          size_t num_outputs) {
  return guarded([&]() -> Status {
    if (!function)
      return missing("function");
    return outputShapes(function->function, inputs, num_inputs, outputs, num_outputs);
  });
}

relax_status relax_function_call(relax_function *function, const DLTensor *const *inputs,
                                 size_t num_inputs, DLTensor *const *outputs, size_t num_outputs) {
  return guarded([&]() -> Status {
    if (!function)
      return missing("function");
    return call(function->function, inputs, num_inputs, outputs, num_outputs);
  });
}
