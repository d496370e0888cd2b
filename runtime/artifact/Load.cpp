//===- Load.cpp - from the bytes of a file to structs -----------------------------------------===//
//
// The FlatBuffers verifier makes sure that every offset stays inside the file. It allows many
// offsets to one object, by which a small hostile file could blow up into huge structs; so what is
// decoded is counted, and may not exceed the file's size: our writer shares nothing.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/Load.h"

#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Header.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Text.h"

#include "artifact_generated.h"

#include <cstring>
#include <new>

namespace relax::artifact {
namespace {

Status damaged(std::string message) { return Status(StatusCode::InvalidFile, std::move(message)); }

/// The header, if it is one that this version reads and the file is as long as it says.
Expected<Header> readHeader(std::span<const uint8_t> bytes) {
  if (!isArtifact(bytes))
    return damaged("is not a Relax artifact: it does not begin with \"RLX1\"");
  if (bytes.size() < sizeof(Header))
    return damaged(text("is cut off in its header: ", bytes.size(), " bytes found, ",
                        sizeof(Header), " expected"));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.formatVersion != formatVersion)
    return Status(StatusCode::Unsupported,
                  text("has format version ", header.formatVersion, "; this runtime reads version ",
                       formatVersion, ": compile the model again"));
  if (uint64_t found = contentHash(bytes.first(hashedHeaderBytes)); found != header.headerHash)
    return damaged(text("its header (bytes 0 to 55) is damaged: its checksum is ",
                        hexadecimal(found), ", expected ", hexadecimal(header.headerHash)));
  if (header.fileSize != bytes.size())
    return damaged(text(
        header.fileSize > bytes.size() ? "is cut off: " : "has bytes after its end: ", bytes.size(),
        " bytes found, ", header.fileSize, " expected"));
  if (header.kernelAbiVersion != kernelAbiVersion)
    return Status(StatusCode::Unsupported,
                  text("has kernels of ABI version ", header.kernelAbiVersion,
                       "; this runtime calls version ", kernelAbiVersion,
                       ": compile the model again"));
  if (bytes.size() - sizeof(Header) > maxPayloadBytes)
    return damaged(text("has ", bytes.size(), " bytes; at most ", maxPayloadBytes + sizeof(Header),
                        " are allowed"));
  return header;
}

/// Copies FlatBuffers objects to structs while the budget lasts.
class Decoder {
public:
  explicit Decoder(uint64_t budget) : budget(budget) {}

  Module decode(const flat::Module &in);
  [[nodiscard]] bool exhausted() const { return overdrawn; }

private:
  bool charge(uint64_t bytes) {
    if (bytes > budget)
      overdrawn = true;
    budget -= overdrawn ? 0 : bytes;
    return !overdrawn;
  }
  std::string string(const flatbuffers::String *in) {
    return in && charge(in->size() + 4) ? in->str() : std::string();
  }
  template <typename T> std::vector<T> numbers(const flatbuffers::Vector<T> *in) {
    if (!in || !charge(4 + uint64_t{in->size()} * sizeof(T)))
      return {};
    // Not element by element: the verifier lets vectors of 8-byte elements be at multiples of 4.
    std::vector<T> out(in->size());
    if (!out.empty())
      std::memcpy(out.data(), in->Data(), out.size() * sizeof(T));
    return out;
  }
  Bytes bytes(const flatbuffers::Vector<uint8_t> *in) {
    if (!in || !charge(4 + uint64_t{in->size()}))
      return {};
    return Bytes::borrow({in->data(), in->size()});
  }
  /// Each element of a vector of tables or strings through `read`; a table is 4 bytes at least.
  template <typename In, typename Read>
  auto all(const flatbuffers::Vector<flatbuffers::Offset<In>> *in, Read read) {
    std::vector<decltype(read(*in->Get(0)))> out;
    for (uint32_t i = 0; in && i != in->size() && charge(8); ++i)
      out.push_back(read(*in->Get(i)));
    return out;
  }
  std::vector<std::string>
  strings(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *in) {
    return all(in, [this](const flatbuffers::String &s) { return string(&s); });
  }

  std::vector<SlotOp> slots(const flatbuffers::Vector<const flat::SlotOp *> *in) {
    std::vector<SlotOp> out;
    if (in && charge(uint64_t{in->size()} * sizeof(flat::SlotOp)))
      for (const flat::SlotOp *op : *in)
        out.push_back({static_cast<SlotOp::Kind>(op->kind()), op->a(), op->b()});
    return out;
  }

  void metadata(const flat::MetadataEntry &in, Metadata &out);
  Constant constant(const flat::Constant &in);
  std::vector<Library> libraries(const flat::Module &in);
  TensorType type(const flat::TensorType &in) {
    return {static_cast<DType>(in.dtype()), numbers(in.dims())};
  }
  Function function(const flat::Function &in);
  TypePattern pattern(const flat::TypePattern &in);
  Guard guard(const flat::Guard &in);
  Instruction instruction(const flat::Instruction &in);

  uint64_t budget;
  bool overdrawn = false;
};

void Decoder::metadata(const flat::MetadataEntry &in, Metadata &out) {
  std::string key = string(in.key());
  switch (in.type()) {
  case 0:
    return out.set(std::move(key), MetadataValue(in.integer() != 0));
  case 1:
    return out.set(std::move(key), MetadataValue(in.integer()));
  case 2:
    return out.set(std::move(key), MetadataValue(in.number()));
  case 3:
    return out.set(std::move(key), MetadataValue(string(in.text())));
  case 4: {
    std::vector<uint8_t> bytes = numbers(in.booleans());
    return out.set(std::move(key), MetadataValue(std::vector<bool>(bytes.begin(), bytes.end())));
  }
  case 5:
    return out.set(std::move(key), MetadataValue(numbers(in.integers())));
  case 6:
    return out.set(std::move(key), MetadataValue(numbers(in.numbers())));
  default: // 7; greater ones were refused by checkEnumerations.
    return out.set(std::move(key), MetadataValue(strings(in.texts())));
  }
}

Constant Decoder::constant(const flat::Constant &in) {
  Constant out;
  out.name = string(in.name());
  out.dtype = static_cast<DType>(in.dtype());
  out.dims = numbers(in.dims());
  out.data = bytes(in.data());
  out.file = in.file();
  out.offset = in.offset();
  out.size = in.size();
  out.hash = in.hash();
  return out;
}

Guard Decoder::guard(const flat::Guard &in) {
  Guard out;
  out.kind = static_cast<Guard::Kind>(in.kind());
  out.parameter = in.parameter();
  out.axis = in.axis();
  out.a = in.a();
  out.b = in.b();
  out.expression = string(in.expression());
  out.source = string(in.source());
  out.dtype = static_cast<DType>(in.dtype());
  return out;
}

TypePattern Decoder::pattern(const flat::TypePattern &in) {
  TypePattern out;
  out.kind = static_cast<TypePattern::Kind>(in.kind());
  out.dtype = static_cast<DType>(in.dtype());
  out.anyDType = in.any_dtype();
  out.anyRank = in.any_rank();
  out.dims = numbers(in.dims());
  out.fields = numbers(in.fields());
  out.numParameters = in.num_parameters();
  out.numResults = in.num_results();
  out.what = string(in.what());
  out.source = string(in.source());
  return out;
}

Instruction Decoder::instruction(const flat::Instruction &in) {
  Instruction out;
  out.op = static_cast<Instruction::Op>(in.op());
  out.target = in.target();
  out.buffers = numbers(in.buffers());
  out.slots = numbers(in.slots());
  out.extent = in.extent();
  out.cost = in.cost();
  out.count = in.count();
  return out;
}

Function Decoder::function(const flat::Function &in) {
  Function out;
  out.name = string(in.name());
  out.symbols = all(in.symbols(), [this](const flat::Symbol &s) {
    Symbol symbol{string(s.name()), s.lo(), std::nullopt, s.divisor(), s.slot()};
    if (s.bounded())
      symbol.hi = s.hi();
    symbol.origin = string(s.origin());
    return symbol;
  });
  out.slots = slots(in.slots());
  out.parameters = all(in.parameters(), [this](const flat::Parameter &p) {
    return Parameter{string(p.name()), type(*p.type()), p.donated(), p.pattern()};
  });
  out.results = all(in.results(), [this](const flat::Result &r) {
    return Result{string(r.name()), type(*r.type()), r.alias(), r.pattern()};
  });
  out.guards = all(in.guards(), [this](const flat::Guard &g) { return guard(g); });
  if (charge(uint64_t{in.buffers()->size()} * sizeof(flat::Buffer)))
    for (const flat::Buffer *b : *in.buffers())
      out.buffers.push_back(
          {static_cast<Buffer::Kind>(b->kind()), b->index(), b->offset(), b->size()});
  out.code = all(in.code(), [this](const flat::Instruction &i) { return instruction(i); });
  out.arenaSize = in.arena_size();
  if (in.arena_bounded())
    out.arenaMaximum = in.arena_maximum();
  out.general = in.general();
  out.numRegisters = in.num_registers();
  out.entrySlots = in.entry_slots();
  out.captured = in.captured();
  out.patterns = all(in.patterns(), [this](const flat::TypePattern &p) { return pattern(p); });
  return out;
}

/// Where there are details there is one for each name (checkEnumerations).
std::vector<Library> Decoder::libraries(const flat::Module &in) {
  std::vector<Library> out;
  for (std::string &name : strings(in.libraries()))
    out.emplace_back(std::move(name));
  if (!in.library_details())
    return out;
  for (uint32_t i = 0; i != out.size() && charge(8); ++i) {
    const flat::LibraryDetail &detail = *in.library_details()->Get(i);
    std::vector<int64_t> values = numbers(detail.values());
    std::vector<std::string> names = strings(detail.options());
    for (size_t j = 0; j != names.size() && j != values.size(); ++j)
      out[i].options.push_back({std::move(names[j]), values[j]});
    std::vector<uint8_t> dtypes = numbers(detail.dtypes());
    std::vector<uint32_t> ranks = numbers(detail.ranks());
    for (size_t j = 0; j != dtypes.size() && j != ranks.size(); ++j)
      out[i].tensors.push_back({static_cast<DType>(dtypes[j]), ranks[j]});
    out[i].optional = detail.optional();
  }
  return out;
}

Module Decoder::decode(const flat::Module &in) {
  Module out;
  out.compilerVersion = string(in.compiler_version());
  for (uint32_t i = 0; i != in.metadata()->size() && charge(8); ++i)
    metadata(*in.metadata()->Get(i), out.metadata);
  out.files = all(in.files(), [this](const flat::WeightsFile &f) {
    return WeightsFile{string(f.path()), f.size(), f.header_hash()};
  });
  out.constants = all(in.constants(), [this](const flat::Constant &c) { return constant(c); });
  out.states = all(in.states(), [this](const flat::State &s) {
    return State{string(s.name()), static_cast<DType>(s.dtype()), numbers(s.dims())};
  });
  out.kernels = all(in.kernels(), [this](const flat::Kernel &k) {
    return Kernel{string(k.name()), string(k.strategy()),
                  string(k.kind()), strings(k.symbols()),
                  slots(k.slots()), k.flops(),
                  k.bytes()};
  });
  out.libraries = libraries(in);
  out.thresholds = all(in.thresholds(), [this](const flat::Threshold &t) {
    Threshold threshold;
    threshold.library = t.library();
    threshold.byDefault = t.by_default();
    if (t.is_tuned())
      threshold.tuned = t.tuned();
    threshold.version = string(t.version());
    threshold.cpu = string(t.cpu());
    return threshold;
  });
  out.objects = all(in.objects(), [this](const flat::CodeObject &o) {
    return CodeObject{string(o.target()), strings(o.features()), bytes(o.image())};
  });
  out.functions = all(in.functions(), [this](const flat::Function &f) { return function(f); });
  out.packed = all(in.packed(), [this](const flat::PackedFunction &p) {
    return PackedFunction{string(p.name()), p.pure()};
  });
  return out;
}

Status unknown(const char *what, uint32_t value) {
  return damaged(text("has an unknown ", what, ": ", value));
}

Status checkSlots(const flatbuffers::Vector<const flat::SlotOp *> *slots) {
  if (!slots || slots->size() == 0)
    return {};
  if (reinterpret_cast<uintptr_t>(slots->Data()) % alignof(flat::SlotOp) != 0)
    return damaged("has slots that are not aligned to 8 bytes");
  for (const flat::SlotOp *op : *slots)
    if (op->kind() >= SlotOp::numKinds)
      return unknown("slot operation", op->kind());
  return {};
}

/// Refuses numbers that stand for no enumerator, before they become one.
Status checkEnumerations(const flat::Function &function) {
  RELAX_RETURN_IF_ERROR(checkSlots(function.slots()));
  for (const flat::Parameter *parameter : *function.parameters())
    if (parameter->type()->dtype() >= numDTypes)
      return unknown("dtype of a parameter", parameter->type()->dtype());
  for (const flat::Result *result : *function.results())
    if (result->type()->dtype() >= numDTypes)
      return unknown("dtype of a result", result->type()->dtype());
  for (const flat::Guard *guard : *function.guards()) {
    if (guard->kind() >= Guard::numKinds)
      return unknown("kind of guard", guard->kind());
    if (guard->dtype() >= numDTypes)
      return unknown("dtype of a guard", guard->dtype());
  }
  for (const flat::Buffer *buffer : *function.buffers())
    if (buffer->kind() >= Buffer::numKinds)
      return unknown("kind of buffer", buffer->kind());
  for (const flat::Instruction *instruction : *function.code())
    if (instruction->op() >= Instruction::numOps)
      return unknown("instruction", instruction->op());
  for (uint32_t i = 0; function.patterns() && i != function.patterns()->size(); ++i) {
    const flat::TypePattern *pattern = function.patterns()->Get(i);
    if (pattern->kind() >= TypePattern::numKinds)
      return unknown("kind of pattern", pattern->kind());
    if (pattern->dtype() >= numDTypes)
      return unknown("dtype of a pattern", pattern->dtype());
  }
  return {};
}

Status checkEnumerations(const flat::Module &module) {
  for (const flat::MetadataEntry *entry : *module.metadata())
    if (entry->type() >= std::variant_size_v<MetadataValue>)
      return unknown("type of metadata", entry->type());
  for (const flat::Constant *constant : *module.constants())
    if (constant->dtype() >= numDTypes)
      return unknown("dtype of a constant", constant->dtype());
  for (const flat::State *state : *module.states())
    if (state->dtype() >= numDTypes)
      return unknown("dtype of a state", state->dtype());
  for (const flat::Kernel *kernel : *module.kernels())
    RELAX_RETURN_IF_ERROR(checkSlots(kernel->slots()));
  for (const flat::Function *function : *module.functions())
    RELAX_RETURN_IF_ERROR(checkEnumerations(*function));
  if (!module.library_details())
    return {};
  if (module.library_details()->size() != module.libraries()->size())
    return damaged(text("describes ", module.library_details()->size(), " library functions of ",
                        module.libraries()->size()));
  for (const flat::LibraryDetail *detail : *module.library_details()) {
    if (detail->options()->size() != detail->values()->size() ||
        detail->dtypes()->size() != detail->ranks()->size())
      return damaged("has a library function whose options or tensors are incomplete");
    for (uint8_t dtype : *detail->dtypes())
      if (dtype >= numDTypes)
        return unknown("dtype of a library function", dtype);
  }
  return {};
}

Expected<LoadedArtifact> load(std::span<const uint8_t> bytes, std::shared_ptr<const void> storage) {
  Expected<Header> header = readHeader(bytes);
  if (!header)
    return header.takeStatus();
  std::span<const uint8_t> payload = bytes.subspan(sizeof(Header));
  if (uint64_t found = contentHash(payload); found != header->payloadHash)
    return damaged(text("is damaged: the checksum of bytes 64 to ", bytes.size() - 1, " is ",
                        hexadecimal(found), ", expected ", hexadecimal(header->payloadHash)));
  flatbuffers::Verifier verifier(payload.data(), payload.size(), 16, 8'000'000);
  if (!flat::VerifyModuleBuffer(verifier))
    return damaged("its structure is not that of an artifact (bytes 64 on)");
  const flat::Module &root = *flat::GetModule(payload.data());
  RELAX_RETURN_IF_ERROR(checkEnumerations(root));

  LoadedArtifact result;
  // Equal strings and slots may be stored once and named often; twice the size is bound enough.
  Decoder decoder(2 * payload.size());
  result.module = decoder.decode(root);
  if (decoder.exhausted())
    return damaged("its parts overlap (bytes 64 on)");
  RELAX_RETURN_IF_ERROR(verify(result.module));
  for (const Constant &constant : result.module.constants)
    if (reinterpret_cast<uintptr_t>(constant.data.span().data()) % bufferAlignment != 0)
      return damaged(text("constant ", inQuotes(constant.name), " is not aligned to ",
                          bufferAlignment, " bytes"));
  result.storage = std::move(storage);
  result.fileSize = bytes.size();
  result.checksum = header->payloadHash;
  return result;
}

Expected<LoadedArtifact> named(Expected<LoadedArtifact> result, const std::string &name) {
  if (!result)
    return result.takeStatus().withContext(name);
  result->module.metadata.setSource(name);
  return result;
}

} // namespace

bool isArtifact(std::span<const uint8_t> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), Header().magic, 4) == 0;
}

Expected<LoadedArtifact> loadFile(const std::string &path) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  auto storage = std::make_shared<const MappedFile>(std::move(*file));
  return named(load(storage->bytes(), storage), path);
}

Expected<LoadedArtifact> loadBytes(std::span<const uint8_t> bytes, const std::string &name) {
  constexpr std::align_val_t alignment{bufferAlignment};
  void *copy = ::operator new(bytes.size() + 1, alignment, std::nothrow);
  if (!copy)
    return Status(StatusCode::ResourceExhausted,
                  text(name, ": no memory for ", byteText(bytes.size())));
  std::shared_ptr<const void> storage(
      copy, [](void *memory) { ::operator delete(memory, std::align_val_t(bufferAlignment)); });
  if (!bytes.empty())
    std::memcpy(copy, bytes.data(), bytes.size());
  return named(load({static_cast<const uint8_t *>(copy), bytes.size()}, storage), name);
}

} // namespace relax::artifact
