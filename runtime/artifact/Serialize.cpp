//===- Serialize.cpp - from structs to the bytes of a file ------------------------------------===//
#include "runtime/artifact/Serialize.h"

#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Header.h"
#include "runtime/artifact/Load.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/Text.h"

#include "artifact_generated.h"

#include <cstring>

namespace relax::artifact {
namespace {

using flatbuffers::FlatBufferBuilder;
template <typename T> using Offset = flatbuffers::Offset<T>;

/// A vector of `list`'s elements, each written by `write(builder, element)`.
template <typename List, typename Write>
auto writeAll(FlatBufferBuilder &b, const List &list, Write write) {
  std::vector<decltype(write(b, list.front()))> offsets;
  offsets.reserve(list.size());
  for (const auto &element : list)
    offsets.push_back(write(b, element));
  return b.CreateVector(offsets);
}

/// A text that most often is empty, and then takes no room.
Offset<flatbuffers::String> writeText(FlatBufferBuilder &b, const std::string &s) {
  return s.empty() ? Offset<flatbuffers::String>() : b.CreateString(s);
}

auto writeStrings(FlatBufferBuilder &b, const std::vector<std::string> &list) {
  return writeAll(b, list,
                  [](FlatBufferBuilder &b, const std::string &s) { return b.CreateString(s); });
}

Offset<flatbuffers::Vector<uint8_t>> writeBytes(FlatBufferBuilder &b, const Bytes &bytes) {
  std::span<const uint8_t> span = bytes.span();
  b.ForceVectorAlignment(span.size(), 1, bufferAlignment);
  return b.CreateVector(span.data(), span.size());
}

Offset<flat::TensorType> writeType(FlatBufferBuilder &b, const TensorType &type) {
  return flat::CreateTensorType(b, uint8_t(type.dtype), b.CreateVector(type.dims));
}

Offset<flat::MetadataEntry> writeMetadata(FlatBufferBuilder &b, const Metadata::Entry &entry) {
  const MetadataValue &value = entry.value;
  Offset<flatbuffers::String> text;
  Offset<flatbuffers::Vector<uint8_t>> booleans;
  Offset<flatbuffers::Vector<int64_t>> integers;
  Offset<flatbuffers::Vector<double>> numbers;
  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> texts;
  int64_t integer = 0;
  double number = 0;
  if (auto *v = std::get_if<bool>(&value))
    integer = *v;
  else if (auto *v = std::get_if<int64_t>(&value))
    integer = *v;
  else if (auto *v = std::get_if<double>(&value))
    number = *v;
  else if (auto *v = std::get_if<std::string>(&value))
    text = b.CreateString(*v);
  else if (auto *v = std::get_if<std::vector<bool>>(&value))
    booleans = b.CreateVector(std::vector<uint8_t>(v->begin(), v->end()));
  else if (auto *v = std::get_if<std::vector<int64_t>>(&value))
    integers = b.CreateVector(*v);
  else if (auto *v = std::get_if<std::vector<double>>(&value))
    numbers = b.CreateVector(*v);
  else if (auto *v = std::get_if<std::vector<std::string>>(&value))
    texts = writeStrings(b, *v);
  return flat::CreateMetadataEntry(b, b.CreateString(entry.key), uint8_t(value.index()), integer,
                                   number, text, booleans, integers, numbers, texts);
}

Offset<flat::Constant> writeConstant(FlatBufferBuilder &b, const Constant &constant) {
  auto name = b.CreateString(constant.name);
  auto dims = b.CreateVector(constant.dims);
  auto data = constant.file < 0 ? writeBytes(b, constant.data) : 0;
  uint64_t size = constant.file < 0 ? constant.data.size() : constant.size;
  return flat::CreateConstant(b, name, uint8_t(constant.dtype), dims, data, constant.file,
                              constant.offset, size, constant.hash);
}

Offset<flat::CodeObject> writeObject(FlatBufferBuilder &b, const CodeObject &object) {
  auto target = b.CreateString(object.target);
  auto features = writeStrings(b, object.features);
  return flat::CreateCodeObject(b, target, features, writeBytes(b, object.image));
}

Offset<flat::Symbol> writeSymbol(FlatBufferBuilder &b, const Symbol &symbol) {
  auto name = b.CreateString(symbol.name);
  return flat::CreateSymbol(b, name, symbol.lo, symbol.hi.value_or(0), symbol.hi.has_value(),
                            symbol.divisor, symbol.slot, writeText(b, symbol.origin));
}

Offset<flat::TypePattern> writePattern(FlatBufferBuilder &b, const TypePattern &pattern) {
  auto dims = b.CreateVector(pattern.dims);
  auto fields = b.CreateVector(pattern.fields);
  auto what = writeText(b, pattern.what);
  return flat::CreateTypePattern(b, uint8_t(pattern.kind), uint8_t(pattern.dtype), pattern.anyDType,
                                 pattern.anyRank, dims, fields, pattern.numParameters,
                                 pattern.numResults, what, writeText(b, pattern.source));
}

Offset<flat::Guard> writeGuard(FlatBufferBuilder &b, const Guard &guard) {
  auto expression = b.CreateString(guard.expression);
  return flat::CreateGuard(b, uint8_t(guard.kind), guard.parameter, guard.axis, guard.a, guard.b,
                           expression, b.CreateString(guard.source), uint8_t(guard.dtype));
}

Offset<flat::Instruction> writeInstruction(FlatBufferBuilder &b, const Instruction &instruction) {
  auto buffers = b.CreateVector(instruction.buffers);
  return flat::CreateInstruction(b, uint8_t(instruction.op), instruction.target, buffers,
                                 b.CreateVector(instruction.slots), instruction.extent,
                                 instruction.cost, instruction.count);
}

Offset<flatbuffers::Vector<const flat::SlotOp *>> writeSlots(FlatBufferBuilder &b,
                                                             const std::vector<SlotOp> &slots) {
  std::vector<flat::SlotOp> flatSlots;
  flatSlots.reserve(slots.size());
  for (const SlotOp &op : slots)
    flatSlots.emplace_back(op.a, op.b, uint8_t(op.kind));
  return b.CreateVectorOfStructs(flatSlots);
}

Offset<flat::Function> writeFunction(FlatBufferBuilder &b, const Function &function) {
  auto name = b.CreateString(function.name);
  auto symbols = writeAll(b, function.symbols, writeSymbol);
  auto slots = writeSlots(b, function.slots);
  auto parameters = writeAll(b, function.parameters, [](FlatBufferBuilder &b, const Parameter &p) {
    auto name = b.CreateString(p.name);
    return flat::CreateParameter(b, name, writeType(b, p.type), p.donated, p.pattern);
  });
  auto results = writeAll(b, function.results, [](FlatBufferBuilder &b, const Result &r) {
    auto name = b.CreateString(r.name);
    return flat::CreateResult(b, name, writeType(b, r.type), r.alias, r.pattern);
  });
  auto guards = writeAll(b, function.guards, writeGuard);
  std::vector<flat::Buffer> flatBuffers;
  flatBuffers.reserve(function.buffers.size());
  for (const Buffer &buffer : function.buffers)
    flatBuffers.emplace_back(uint8_t(buffer.kind), buffer.index, buffer.offset, buffer.size);
  auto buffers = b.CreateVectorOfStructs(flatBuffers);
  auto code = writeAll(b, function.code, writeInstruction);
  auto patterns = writeAll(b, function.patterns, writePattern);
  return flat::CreateFunction(
      b, name, symbols, slots, parameters, results, guards, buffers, code, function.arenaSize,
      function.arenaMaximum.value_or(0), function.arenaMaximum.has_value(), function.general,
      function.numRegisters, function.entrySlots, patterns, function.captured);
}

Offset<flat::LibraryDetail> writeLibrary(FlatBufferBuilder &b, const Library &library) {
  std::vector<std::string> options;
  std::vector<int64_t> values;
  for (const Library::Option &option : library.options) {
    options.push_back(option.name);
    values.push_back(option.value);
  }
  std::vector<uint8_t> dtypes;
  std::vector<uint32_t> ranks;
  for (const Library::Tensor &tensor : library.tensors) {
    dtypes.push_back(static_cast<uint8_t>(tensor.dtype));
    ranks.push_back(tensor.rank);
  }
  auto optionNames = writeStrings(b, options);
  auto numbers = b.CreateVector(values);
  auto kinds = b.CreateVector(dtypes);
  auto rankNumbers = b.CreateVector(ranks);
  return flat::CreateLibraryDetail(b, optionNames, numbers, kinds, rankNumbers, library.optional);
}

Offset<flat::Module> writeModule(FlatBufferBuilder &b, const Module &module) {
  auto version = b.CreateString(module.compilerVersion);
  auto metadata = writeAll(b, module.metadata.entries(), writeMetadata);
  auto files = writeAll(b, module.files, [](FlatBufferBuilder &b, const WeightsFile &file) {
    return flat::CreateWeightsFile(b, b.CreateString(file.path), file.size, file.headerHash);
  });
  auto constants = writeAll(b, module.constants, writeConstant);
  auto states = writeAll(b, module.states, [](FlatBufferBuilder &b, const State &state) {
    auto name = b.CreateString(state.name);
    return flat::CreateState(b, name, uint8_t(state.dtype), b.CreateVector(state.dims));
  });
  auto kernels = writeAll(b, module.kernels, [](FlatBufferBuilder &b, const Kernel &kernel) {
    auto name = b.CreateString(kernel.name);
    auto strategy = b.CreateString(kernel.strategy), kind = b.CreateString(kernel.kind);
    auto symbols = writeStrings(b, kernel.symbols);
    return flat::CreateKernel(b, name, strategy, kind, symbols, writeSlots(b, kernel.slots),
                              kernel.flops, kernel.bytes);
  });
  std::vector<std::string> names;
  names.reserve(module.libraries.size());
  for (const Library &library : module.libraries)
    names.push_back(library.name);
  auto libraries = writeStrings(b, names);
  auto details = writeAll(b, module.libraries, writeLibrary);
  auto thresholds = writeAll(b, module.thresholds, [](FlatBufferBuilder &b, const Threshold &t) {
    auto version = b.CreateString(t.version), cpu = b.CreateString(t.cpu);
    return flat::CreateThreshold(b, t.library, t.byDefault, t.tuned.value_or(0),
                                 t.tuned.has_value(), version, cpu);
  });
  auto objects = writeAll(b, module.objects, writeObject);
  auto functions = writeAll(b, module.functions, writeFunction);
  auto packed = writeAll(b, module.packed, [](FlatBufferBuilder &b, const PackedFunction &p) {
    return flat::CreatePackedFunction(b, b.CreateString(p.name), p.pure);
  });
  return flat::CreateModule(b, version, metadata, files, constants, states, kernels, libraries,
                            objects, functions, packed, details, thresholds);
}

/// An upper bound of the bulk: FlatBufferBuilder asserts, rather than fails, above 2 GiB.
uint64_t bulkBytes(const Module &module) {
  uint64_t sum = 0;
  for (const Constant &constant : module.constants)
    sum += constant.data.size();
  for (const CodeObject &object : module.objects)
    sum += object.image.size();
  for (const Metadata::Entry &entry : module.metadata.entries()) {
    if (auto *texts = std::get_if<std::vector<std::string>>(&entry.value))
      for (const std::string &s : *texts)
        sum += s.size() + 16;
    else if (auto *integers = std::get_if<std::vector<int64_t>>(&entry.value))
      sum += integers->size() * 8;
    else if (auto *numbers = std::get_if<std::vector<double>>(&entry.value))
      sum += numbers->size() * 8;
  }
  return sum;
}

} // namespace

Expected<std::vector<uint8_t>> serialize(const Module &module) {
  if (Status status = verify(module); !status.ok())
    return Status(StatusCode::Internal,
                  "the module to be written is not well-formed: " + status.message());
  if (uint64_t bulk = bulkBytes(module); bulk > maxPayloadBytes / 2)
    return Status(StatusCode::Unsupported,
                  text("the module has ", byteText(bulk), " inside itself; at most ",
                       byteText(maxPayloadBytes / 2), " fit: keep weights in a file beside it"));
  FlatBufferBuilder builder(1 << 16);
  builder.Finish(writeModule(builder, module));

  std::vector<uint8_t> bytes(sizeof(Header) + builder.GetSize());
  std::memcpy(bytes.data() + sizeof(Header), builder.GetBufferPointer(), builder.GetSize());
  Header header;
  header.formatVersion = formatVersion;
  header.kernelAbiVersion = kernelAbiVersion;
  header.fileSize = bytes.size();
  header.payloadHash = contentHash(std::span(bytes).subspan(sizeof(Header)));
  header.headerHash = contentHash({reinterpret_cast<const uint8_t *>(&header), hashedHeaderBytes});
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Status writeFile(const Module &module, const std::string &path) {
  Expected<std::vector<uint8_t>> bytes = serialize(module);
  if (!bytes)
    return bytes.takeStatus().withContext(path);
  return writeFileAtomically(path, *bytes);
}

} // namespace relax::artifact
