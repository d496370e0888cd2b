//===- Verify.cpp - the rules of a well-formed module -----------------------------------------===//
//
// The rules R1 to R14 are listed in Load.h; each function below names those that it checks.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/FunctionVerifier.h"
#include "runtime/artifact/Load.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace relax::artifact {
namespace {

/// The bytes of a static tensor; nothing if a dimension is negative, or the size overflows int64.
std::optional<uint64_t> staticBytes(DType dtype, const std::vector<int64_t> &dims) {
  int64_t bytes = static_cast<int64_t>(byteSize(dtype));
  bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  for (int64_t dim : dims)
    if (dim < 0 || (!empty && __builtin_mul_overflow(bytes, dim, &bytes)))
      return std::nullopt;
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

bool isIdentifier(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), fits);
}

} // namespace

// R2
Status FunctionVerifier::checkSlots() const {
  for (size_t i = 0; i != function.slots.size(); ++i)
    RELAX_RETURN_IF_ERROR(checkSlot(i));
  return {};
}

Status FunctionVerifier::checkSlot(size_t i) const {
  const SlotOp &op = function.slots[i];
  auto names = [](int64_t value, size_t count) {
    return value >= 0 && static_cast<uint64_t>(value) < count;
  };
  if (op.kind == SlotOp::Constant)
    return {};
  if (op.kind == SlotOp::Threshold)
    return names(op.a, module.thresholds.size())
               ? Status()
               : fault(text("slot ", i, " is threshold ", op.a, "; there are ",
                            module.thresholds.size()));
  if (op.kind == SlotOp::Level)
    return names(op.a, module.objects.size())
               ? Status()
               : fault(text("slot ", i, " is about code object ", op.a, "; there are ",
                            module.objects.size()));
  if (op.combines()) {
    if (names(op.a, i) && names(op.b, i))
      return {};
    return fault(text("slot ", i, " uses slots ", op.a, " and ", op.b, "; only the ", i,
                      " before it may be used"));
  }
  if (op.reads()) {
    if (!function.general)
      return fault(text("slot ", i, " reads a register, which only general functions have"));
    if (names(op.a, function.numRegisters) && op.b >= 0)
      return {};
    return fault(text("slot ", i, " reads element ", op.b, " of register ", op.a, "; there are ",
                      function.numRegisters, " registers"));
  }
  bool exists = names(op.a, function.parameters.size());
  if (exists) {
    const Parameter &parameter = function.parameters[static_cast<size_t>(op.a)];
    exists = names(op.b, function.general ? function.patterns[parameter.pattern].dims.size()
                                          : parameter.type.dims.size());
  }
  if (!exists)
    return fault(
        text("slot ", i, " is dimension ", op.b, " of parameter ", op.a, ", which does not exist"));
  if (function.general && i >= function.entrySlots)
    return fault(text("slot ", i, " is a dimension of a parameter; only the first ",
                      function.entrySlots, " slots may be"));
  return {};
}

// R1, R3
Status FunctionVerifier::checkSymbols() const {
  for (const Symbol &symbol : function.symbols) {
    if (symbol.name.empty())
      return fault("a symbol has no name");
    if (Status status = slotExists(symbol.slot, "its value"); !status.ok())
      return std::move(status).withContext("symbol " + inQuotes(symbol.name));
    if (symbol.divisor < 1 || (symbol.hi && *symbol.hi < symbol.lo))
      return fault(text("symbol ", inQuotes(symbol.name), " can have no value: at least ",
                        symbol.lo, symbol.hi ? text(", at most ", *symbol.hi) : "",
                        ", divisible by ", symbol.divisor));
  }
  return {};
}

// R3, R4
Status FunctionVerifier::checkType(const TensorType &type) const {
  if (type.dims.size() > maxRank)
    return fault(text("its rank is ", type.dims.size(), "; at most ", maxRank, " is allowed"));
  for (Slot dim : type.dims)
    RELAX_RETURN_IF_ERROR(slotExists(dim, "a dimension"));
  return {};
}

// R3, R4, R6
Status FunctionVerifier::checkSignature() const {
  RELAX_RETURN_IF_ERROR(function.general ? checkGeneralSignature() : checkPlannedSignature());
  RELAX_RETURN_IF_ERROR(slotIfAny(function.arenaSize, "the size of the arena"));
  if (function.arenaMaximum && *function.arenaMaximum < 0)
    return fault(text("the arena's maximum is ", *function.arenaMaximum));
  return {};
}

Status FunctionVerifier::checkPlannedSignature() const {
  for (size_t i = 0; i != function.parameters.size(); ++i)
    if (Status status = checkType(function.parameters[i].type); !status.ok())
      return std::move(status).withContext(
          text("parameter ", i, ' ', inQuotes(function.parameters[i].name)));
  for (size_t i = 0; i != function.results.size(); ++i)
    if (Status status = checkType(function.results[i].type); !status.ok())
      return std::move(status).withContext(
          text("result ", i, ' ', inQuotes(function.results[i].name)));
  return checkAliases();
}

// R6
Status FunctionVerifier::checkAliases() const {
  std::vector<bool> taken(function.parameters.size());
  for (size_t i = 0; i != function.results.size(); ++i) {
    const Result &result = function.results[i];
    if (result.alias == -1)
      continue;
    auto alias = static_cast<size_t>(static_cast<uint32_t>(result.alias));
    std::string where = text("result ", i, ' ', inQuotes(result.name), " shares the storage of ");
    if (alias >= function.parameters.size())
      return fault(text(where, "parameter ", result.alias, ", which does not exist"));
    const Parameter &parameter = function.parameters[alias];
    if (!parameter.donated)
      return fault(text(where, inQuotes(parameter.name), ", which is not donated"));
    if (taken[alias])
      return fault(text(where, inQuotes(parameter.name), ", as an earlier result does"));
    if (parameter.type.dtype != result.type.dtype ||
        parameter.type.dims.size() != result.type.dims.size())
      return fault(text(where, inQuotes(parameter.name), ", which has another dtype or rank"));
    taken[alias] = true;
  }
  return {};
}

/// A parameter whose elements a guard reads: i32 of rank 1 unless `wide`, then any rank, or i64.
Status FunctionVerifier::checkReadable(int32_t parameter, bool wide) const {
  if (parameter < 0)
    return fault("names no parameter");
  auto index = static_cast<size_t>(parameter);
  if (function.general)
    return registerExists(index);
  RELAX_RETURN_IF_ERROR(inRange(index, function.parameters.size(), "parameter"));
  const TensorType &type = function.parameters[index].type;
  bool fits = wide ? type.dtype == DType::I32 || type.dtype == DType::I64
                   : type.dtype == DType::I32 && type.dims.size() == 1;
  if (!fits)
    return fault(text("reads parameter ", index, ", an array of ", name(type.dtype), " of rank ",
                      type.dims.size(), "; expected ", wide ? "i32 or i64" : "i32 of rank 1"));
  return {};
}

// R3, R7
Status FunctionVerifier::checkGuard(const Guard &guard) const {
  if (guard.kind == Guard::Elements) {
    RELAX_RETURN_IF_ERROR(slotIfAny(guard.a, "operand a"));
    RELAX_RETURN_IF_ERROR(slotIfAny(guard.b, "operand b"));
    return isInteger(guard.dtype)
               ? Status()
               : fault(text("is about elements of ", name(guard.dtype), "; expected integers"));
  }
  RELAX_RETURN_IF_ERROR(slotExists(guard.a, "operand a"));
  if (guard.kind == Guard::ValuesInRange)
    return checkReadable(guard.parameter, true);
  RELAX_RETURN_IF_ERROR(slotExists(guard.b, "operand b"));
  if (guard.kind == Guard::Ragged) {
    RELAX_RETURN_IF_ERROR(checkReadable(guard.parameter, false));
    return checkReadable(guard.axis, false);
  }
  if (guard.parameter < -1 || guard.axis < -1)
    return fault("names a negative parameter or dimension");
  if (guard.parameter == -1)
    return {};
  auto index = static_cast<size_t>(guard.parameter);
  RELAX_RETURN_IF_ERROR(inRange(index, function.parameters.size(), "parameter"));
  if (guard.axis == -1)
    return {};
  size_t rank = function.general ? function.patterns[function.parameters[index].pattern].dims.size()
                                 : function.parameters[index].type.dims.size();
  return inRange(static_cast<uint64_t>(guard.axis), rank, "dimension");
}

// R8
Status FunctionVerifier::checkBuffer(const Buffer &buffer) const {
  bool both = buffer.kind == Buffer::Constant || buffer.kind == Buffer::State;
  if (!both && function.general != (buffer.kind == Buffer::Register))
    return fault(function.general ? "is not in a register, in a general function"
                                  : "is in a register, which only general functions have");
  switch (buffer.kind) {
  case Buffer::Register:
    return registerExists(buffer.index);
  case Buffer::Parameter:
    return inRange(buffer.index, function.parameters.size(), "parameter");
  case Buffer::Result:
    return inRange(buffer.index, function.results.size(), "result");
  case Buffer::Constant:
    return inRange(buffer.index, module.constants.size(), "constant");
  case Buffer::State:
    if (function.name == initializeName)
      return fault("\"initialize\" reads a state, which it is to compute");
    return inRange(buffer.index, module.states.size(), "state");
  case Buffer::Arena:
    if (function.arenaSize == noSlot)
      return fault("is in the arena, but the function has none");
    RELAX_RETURN_IF_ERROR(slotExists(buffer.offset, "its offset"));
    return slotExists(buffer.size, "its size");
  }
  return fault("unknown kind");
}

// R3, R9
Status FunctionVerifier::checkInstruction(size_t position) const {
  const Instruction &instruction = function.code[position];
  bool named =
      instruction.op == Instruction::CallKernel || instruction.op == Instruction::CallLibrary;
  if (function.general && !named)
    return checkGeneralInstruction(position);
  for (uint32_t buffer : instruction.buffers)
    RELAX_RETURN_IF_ERROR(inRange(buffer, function.buffers.size(), "buffer"));
  for (Slot slot : instruction.slots)
    RELAX_RETURN_IF_ERROR(slotExists(slot, "an operand"));
  switch (instruction.op) {
  case Instruction::CallKernel:
    RELAX_RETURN_IF_ERROR(inRange(instruction.target, module.kernels.size(), "kernel"));
    RELAX_RETURN_IF_ERROR(slotExists(instruction.extent, "its extent"));
    return slotExists(instruction.cost, "its cost");
  case Instruction::CallLibrary:
    RELAX_RETURN_IF_ERROR(inRange(instruction.target, module.libraries.size(), "library function"));
    return checkLibraryCall(instruction);
  case Instruction::CallFunction:
    RELAX_RETURN_IF_ERROR(inRange(instruction.target, module.functions.size(), "function"));
    return checkCall(instruction);
  case Instruction::BranchIfZero:
  case Instruction::Jump:
    return checkJump(position);
  case Instruction::CheckValues:
    return checkElements(instruction);
  case Instruction::Return:
    return {};
  default:
    return fault("is one that only general functions have");
  }
}

Status FunctionVerifier::checkLibraryCall(const Instruction &call) const {
  const Library &library = module.libraries[call.target];
  if (library.tensors.empty())
    return {};
  size_t numSlots = library.options.size();
  for (const Library::Tensor &tensor : library.tensors)
    numSlots += tensor.rank;
  if (call.buffers.size() != library.tensors.size() || call.slots.size() != numSlots)
    return fault(text("calls ", inQuotes(library.name), " with ", call.buffers.size(),
                      " buffers and ", call.slots.size(), " slots; expected ",
                      library.tensors.size(), " and ", numSlots));
  return {};
}

Status FunctionVerifier::checkJump(size_t position) const {
  const Instruction &instruction = function.code[position];
  if (instruction.op == Instruction::BranchIfZero && instruction.slots.size() != 1)
    return fault(text("a branch has ", instruction.slots.size(), " operands; expected 1"));
  size_t first = function.general ? 0 : position + 1;
  if (instruction.target < first || instruction.target >= function.code.size())
    return fault(text("jumps to instruction ", instruction.target, "; only those from ", first,
                      " to ", function.code.size() - 1, " may be reached"));
  return {};
}

/// Of CheckValues.
Status FunctionVerifier::checkElements(const Instruction &instruction) const {
  if (instruction.buffers.size() != 1 || instruction.slots.size() != 2)
    return fault(text("checks the elements of ", instruction.buffers.size(), " tensors against ",
                      instruction.slots.size(), " bounds; expected 1 and 2"));
  return checkText(instruction.target);
}

/// An Elements guard.
Status FunctionVerifier::checkText(uint32_t guard) const {
  RELAX_RETURN_IF_ERROR(inRange(guard, function.guards.size(), "guard"));
  if (function.guards[guard].kind != Guard::Elements)
    return fault(text("guard ", guard, " is not about elements"));
  return {};
}

Status FunctionVerifier::checkCall(const Instruction &call) const {
  const Function &callee = module.functions[call.target];
  if (callee.name == initializeName)
    return fault("calls \"initialize\"");
  size_t numTensors = callee.parameters.size() + callee.results.size();
  if (call.buffers.size() != numTensors)
    return fault(text("calls ", inQuotes(callee.name), " with ", call.buffers.size(),
                      " buffers; expected ", numTensors));
  size_t numDims = 0;
  for (const Parameter &parameter : callee.parameters) {
    if (!callee.general) {
      numDims += parameter.type.dims.size();
      continue;
    }
    // The callee may not have been verified yet.
    if (parameter.pattern >= callee.patterns.size())
      return fault(text("calls ", inQuotes(callee.name), ", which is not well-formed"));
    const TypePattern &pattern = callee.patterns[parameter.pattern];
    if (pattern.kind != TypePattern::Tensor || pattern.anyRank || pattern.anyDType)
      return fault(text("calls ", inQuotes(callee.name), ", whose parameter ",
                        inQuotes(parameter.name), " has no known dtype and rank"));
    numDims += pattern.dims.size();
  }
  if (call.slots.size() != numDims)
    return fault(text("calls ", inQuotes(callee.name), " with ", call.slots.size(),
                      " dimensions; expected ", numDims));
  return {};
}

namespace {

bool hasInstruction(const Function &function, Instruction::Op op) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [&](const Instruction &instruction) { return instruction.op == op; });
}

/// Whether what it launches can be part of a caller's list.
bool canBeInlined(const Function &callee) {
  return callee.captured && !hasInstruction(callee, Instruction::CallLibrary) &&
         std::none_of(callee.guards.begin(), callee.guards.end(),
                      [](const Guard &guard) {
                        return guard.kind == Guard::ValuesInRange || guard.kind == Guard::Ragged;
                      }) &&
         std::all_of(callee.results.begin(), callee.results.end(),
                     [](const Result &result) { return result.alias < 0; });
}

} // namespace

// R15
Status FunctionVerifier::checkCaptured() const {
  if (!function.captured || !hasInstruction(function, Instruction::CallFunction))
    return {};
  if (hasInstruction(function, Instruction::CallLibrary))
    return fault("is captured, but calls functions and libraries");
  std::set<uint32_t> seen;
  for (const Instruction &instruction : function.code)
    if (instruction.op == Instruction::CallFunction && seen.insert(instruction.target).second &&
        !canBeInlined(module.functions[instruction.target]))
      return fault(text("is captured, but calls ",
                        inQuotes(module.functions[instruction.target].name), ", which can't be"));
  return {};
}

// R11
Status FunctionVerifier::checkInitialize() const {
  if (function.name != initializeName)
    return {};
  if (function.general)
    return fault("is a general function; \"initialize\" must be planned");
  if (!function.parameters.empty())
    return fault("has parameters; \"initialize\" must have none");
  if (function.results.size() != module.states.size())
    return fault(text("has ", function.results.size(), " results; expected one for each of ",
                      module.states.size(), " states"));
  for (size_t i = 0; i != function.results.size(); ++i) {
    const TensorType &type = function.results[i].type;
    if (type.dtype != module.states[i].dtype || type.dims.size() != module.states[i].dims.size())
      return fault(text("result ", i, " differs in dtype or rank from state ", i, ' ',
                        inQuotes(module.states[i].name)));
  }
  return {};
}

namespace {

// R4, R5
Status checkConstant(const Module &module, const Constant &constant) {
  if (constant.dims.size() > maxRank)
    return fault(text("its rank is ", constant.dims.size(), "; at most ", maxRank, " is allowed"));
  std::optional<uint64_t> bytes = staticBytes(constant.dtype, constant.dims);
  if (!bytes)
    return fault("its dimensions are negative, or its size does not fit 64 bits");
  if (constant.file == -1) {
    if (constant.data.size() != *bytes)
      return fault(text("holds ", constant.data.size(), " bytes; expected ", *bytes));
    return {};
  }
  if (constant.file < 0 || static_cast<size_t>(constant.file) >= module.files.size())
    return fault(text("is in weights file ", constant.file, "; there are ", module.files.size()));
  if (constant.size != *bytes)
    return fault(text("has ", constant.size, " bytes in the file; expected ", *bytes));
  uint64_t fileSize = module.files[static_cast<size_t>(constant.file)].size;
  if (constant.offset > fileSize || constant.size > fileSize - constant.offset)
    return fault(text("is at bytes ", constant.offset, " to ", constant.offset, " + ",
                      constant.size, ", outside a weights file of ", fileSize, " bytes"));
  if (constant.offset % byteSize(constant.dtype) != 0)
    return fault(
        text("is at byte ", constant.offset, ", which is not aligned for ", name(constant.dtype)));
  return {};
}

// R1
Status checkNames(const Module &module) {
  std::set<std::string_view> seen;
  for (const Kernel &kernel : module.kernels) {
    if (!isIdentifier(kernel.name))
      return fault(text("kernel ", inQuotes(kernel.name), ": the name is not an identifier"));
    if (!seen.insert(kernel.name).second)
      return fault(text("kernel ", inQuotes(kernel.name), " exists twice"));
  }
  seen.clear();
  for (const Function &function : module.functions) {
    if (function.name.empty())
      return fault("a function has no name");
    if (!seen.insert(function.name).second)
      return fault(text("function ", inQuotes(function.name), " exists twice"));
  }
  for (const PackedFunction &packed : module.packed)
    if (packed.name.empty())
      return fault("a packed function has no name");
  for (const Library &library : module.libraries)
    for (const Library::Tensor &tensor : library.tensors)
      if (tensor.rank > maxRank)
        return fault(text("library function ", inQuotes(library.name), " has a tensor of rank ",
                          tensor.rank, "; at most ", maxRank, " is allowed"));
  for (const Threshold &threshold : module.thresholds)
    if (threshold.library >= module.libraries.size())
      return fault(text("a threshold is about library function ", threshold.library, "; there are ",
                        module.libraries.size()));
  return {};
}

/// R2: the expressions of what a kernel computes and moves.
Status checkCost(const Kernel &kernel) {
  auto isFault = [&](const auto &...what) {
    return fault(text("kernel ", inQuotes(kernel.name), ": ", what...));
  };
  for (size_t i = 0; i != kernel.slots.size(); ++i) {
    const SlotOp &op = kernel.slots[i];
    const auto a = static_cast<uint64_t>(op.a), b = static_cast<uint64_t>(op.b);
    const bool fits = op.kind == SlotOp::Dimension ? a < kernel.symbols.size() && b == 0
                      : op.combines()              ? a < i && b < i
                                                   : op.kind == SlotOp::Constant;
    if (!fits)
      return isFault("slot ", i, " uses something that doesn't exist");
  }
  for (Slot slot : {kernel.flops, kernel.bytes})
    if (slot != noSlot && slot >= kernel.slots.size())
      return isFault("its cost is slot ", slot, ", but there are ", kernel.slots.size(), " slots");
  return {};
}

/// R10: how deep calls of planned functions nest below each, computed in an order that needs no
/// recursion.
class CallDepths {
public:
  explicit CallDepths(const Module &module) : module(module), depths(module.functions.size(), 0) {}

  /// A round lifts every caller above its callees; after maxCallDepth + 1 rounds nothing moves any
  /// more, unless there is a cycle or too deep a nest.
  Status check() {
    for (uint32_t round = 0; round != maxCallDepth + 1; ++round)
      if (!lift())
        return {};
    return fault(text("calls nest more than ", maxCallDepth, " deep, or a function calls itself"));
  }

private:
  bool lift() {
    bool moved = false;
    for (size_t i = 0; i != module.functions.size(); ++i)
      for (const Instruction &instruction : module.functions[i].code)
        if (instruction.op == Instruction::CallFunction &&
            !module.functions[instruction.target].general &&
            depths[i] <= depths[instruction.target]) {
          depths[i] = depths[instruction.target] + 1;
          moved = true;
        }
    return moved;
  }

  const Module &module;
  std::vector<uint32_t> depths;
};

} // namespace

Status verify(const Module &module) {
  RELAX_RETURN_IF_ERROR(checkNames(module));
  for (const WeightsFile &file : module.files)
    if (file.path.empty() || file.path.find('\0') != std::string::npos)
      return fault("a weights file has no valid path");
  for (const Constant &constant : module.constants)
    if (Status status = checkConstant(module, constant); !status.ok())
      return std::move(status).withContext("constant " + inQuotes(constant.name));
  for (const State &state : module.states)
    if (state.dims.size() > maxRank || !staticBytes(state.dtype, state.dims))
      return fault(text("state ", inQuotes(state.name), ": its rank or size is not allowed"));
  for (const Kernel &kernel : module.kernels)
    RELAX_RETURN_IF_ERROR(checkCost(kernel));
  for (const Function &function : module.functions)
    RELAX_RETURN_IF_ERROR(FunctionVerifier(module, function).run());
  RELAX_RETURN_IF_ERROR(CallDepths(module).check());
  bool initialized = std::any_of(module.functions.begin(), module.functions.end(),
                                 [](const Function &f) { return f.name == initializeName; });
  if (!module.states.empty() && !initialized)
    return fault(text("has ", module.states.size(), " states, but no function \"initialize\""));
  if (!module.kernels.empty() && module.objects.empty())
    return fault(text("has ", module.kernels.size(), " kernels, but no code"));
  for (const CodeObject &object : module.objects)
    if (object.target.empty())
      return fault("a code object has no target");
  return {};
}

} // namespace relax::artifact
