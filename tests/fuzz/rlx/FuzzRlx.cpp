//===- FuzzRlx.cpp - artifacts from a hostile hand --------------------------------------------===//
//
// The input is taken as an artifact and loaded twice: as it is, and with right checksums, so that
// the parts behind them are reached. What loads must obey the rules, survive being written and read
// again, and be able to check calls with made-up shapes. Kernels don't run: they are native code.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Header.h"
#include "runtime/artifact/Load.h"
#include "runtime/artifact/Serialize.h"
#include "runtime/vm/Environment.h"
#include "runtime/vm/Frame.h"

#include <cstdlib>
#include <cstring>

using namespace relax;
using namespace relax::artifact;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Asks each function for the dims of its results, for arguments whose sizes are all `size`.
static void checkCalls(const Module &module, int64_t size) {
  runtime::Environment environment;
  environment.module = &module;
  const std::vector<int64_t> dims(maxRank, size);
  for (const Function &function : module.functions) {
    runtime::Frame frame(function, environment);
    std::vector<runtime::TensorView> arguments;
    for (const Parameter &parameter : function.parameters)
      arguments.push_back(
          {nullptr, parameter.type.dtype, std::span(dims).first(parameter.type.dims.size())});
    if (auto result = frame.resultDims(arguments))
      require(result->size() == function.results.size());
  }
}

static void tryLoad(std::span<const uint8_t> bytes) {
  Expected<LoadedArtifact> loaded = loadBytes(bytes, "fuzz");
  if (!loaded) {
    require(!loaded.status().message().empty());
    return;
  }
  require(verify(loaded->module).ok());
  Expected<std::vector<uint8_t>> again = serialize(loaded->module);
  require(again.ok() && loadBytes(*again, "again").ok());
  for (int64_t size : {int64_t{0}, int64_t{1}, int64_t{4}, int64_t{INT64_MAX}})
    checkCalls(loaded->module, size);
}

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
