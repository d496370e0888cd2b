#include "compiler/driver/EmitArtifact.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/FunctionEmitter.h"
#include "compiler/driver/GeneralEmitter.h"
#include "compiler/driver/SlotTable.h"
#include "compiler/transforms/FunctionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::driver {

uint32_t ConstantPool::add(artifact::Constant constant) {
  auto index = static_cast<uint32_t>(constants.size());
  constants.push_back(std::move(constant));
  return index;
}

FailureOr<uint32_t> ConstantPool::weight(ir::WeightAttr weight, RankedTensorType type,
                                         Location loc) {
  auto [it, inserted] = indices.try_emplace(std::make_pair(Attribute(weight), Type(type)), 0);
  if (!inserted)
    return it->second;
  FailureOr<artifact::DType> dtype = dtypeOf(type.getElementType(), loc);
  if (failed(dtype))
    return failure();
  artifact::Constant constant;
  constant.name = weight.getName().str();
  constant.dtype = *dtype;
  constant.dims.assign(type.getShape().begin(), type.getShape().end());
  constant.file = static_cast<int32_t>(weight.getFile());
  constant.offset = weight.getOffset();
  constant.size = weight.getSize();
  if (weight.getHash().getAsInteger(16, constant.hash))
    return emitError(loc, "the weight '") << weight.getName() << "' has no content hash";
  return it->second = add(std::move(constant));
}

FailureOr<uint32_t> ConstantPool::dense(DenseElementsAttr values, Location loc) {
  auto [it, inserted] =
      indices.try_emplace(std::make_pair(Attribute(values), Type(values.getType())), 0);
  if (!inserted)
    return it->second;
  auto type = cast<RankedTensorType>(values.getType());
  FailureOr<artifact::DType> dtype = dtypeOf(type.getElementType(), loc);
  if (failed(dtype))
    return failure();
  artifact::Constant constant;
  constant.name = "constant." + std::to_string(constants.size());
  constant.dtype = *dtype;
  constant.dims.assign(type.getShape().begin(), type.getShape().end());
  size_t elements = type.getNumElements();
  size_t bytes = elements * artifact::byteSize(*dtype);
  std::vector<uint8_t> data(bytes);
  ArrayRef<char> raw = values.getRawData();
  if (*dtype == artifact::DType::Bool) {
    for (auto [i, value] : llvm::enumerate(values.getValues<bool>()))
      data[i] = value;
  } else if (values.isSplat() && elements > 0) {
    size_t size = raw.size();
    for (size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<uint8_t>(raw[i % size]);
  } else {
    std::copy(raw.begin(), raw.end(), data.begin());
  }
  constant.size = bytes;
  constant.data = artifact::Bytes(std::move(data));
  return it->second = add(std::move(constant));
}

bool ConstantPool::isConstant(Operation *op) {
  if (auto dense = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(dense.getValue());
  return isa<ir::ConstantOp>(op);
}

FailureOr<uint32_t> ConstantPool::of(Operation *op) {
  if (auto stored = dyn_cast<ir::ConstantOp>(op))
    return weight(stored.getWeight(), cast<RankedTensorType>(stored.getType()), op->getLoc());
  return dense(cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue()), op->getLoc());
}

/// What a kernel is and takes, for people.
static artifact::Kernel describe(func::FuncOp scheduled) {
  artifact::Kernel kernel{scheduled.getName().str(), ""};
  if (auto strategy = scheduled->getAttrOfType<StringAttr>("relax.strategy"))
    kernel.strategy = strategy.str();
  if (auto kind = scheduled->getAttrOfType<StringAttr>(ir::RelaxDialect::kindAttr))
    kernel.kind = kind.str();
  SlotTable slots(kernel.slots);
  if (auto names = scheduled->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
    for (auto name : names.getAsRange<StringAttr>()) {
      slots.bind(name.str(), static_cast<int64_t>(kernel.symbols.size()), 0);
      kernel.symbols.push_back(name.str());
    }
  auto slotOf = [&](StringRef name) {
    auto attribute = scheduled->getAttrOfType<ir::ExprAttr>(name);
    return attribute ? slots.slotOf(attribute.getExpr()) : artifact::noSlot;
  };
  kernel.flops = slotOf("relax.flops");
  kernel.bytes = slotOf("relax.bytes");
  return kernel;
}

FailureOr<uint32_t> KernelTable::indexOf(StringRef name, Location loc) {
  auto [it, inserted] = indices.try_emplace(name, static_cast<uint32_t>(kernels.size()));
  if (!inserted)
    return it->second;
  auto scheduled = function(name);
  if (!scheduled || !scheduled->hasAttr("relax.scheduled_kernel"))
    return emitError(loc, "the call's kernel '") << name << "' isn't scheduled";
  kernels.push_back(describe(scheduled));
  return it->second;
}

/// The entry for a call: its name, options and types.
static FailureOr<artifact::Library> libraryOf(ir::CallLibraryOp call) {
  artifact::Library library(call.getFunction().str());
  library.optional = call.getOtherwise().has_value();
  for (NamedAttribute attribute : call->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue; // Of a pass.
    auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!integer && !isa<UnitAttr>(attribute.getValue()))
      return call.emitError("the option '")
             << name << "' of a library function must be an integer, or only be there; found "
             << attribute.getValue();
    library.options.push_back({name.str(), integer ? integer.getValue().getSExtValue() : 1});
  }
  SmallVector<Type> types(call->getOperandTypes());
  llvm::append_range(types, call->getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return call.emitError("a library function takes and gives tensors of known rank; found ")
             << type;
    FailureOr<artifact::DType> dtype = dtypeOf(tensor.getElementType(), call.getLoc());
    if (failed(dtype))
      return failure();
    library.tensors.push_back({*dtype, static_cast<uint32_t>(tensor.getRank())});
  }
  return library;
}

FailureOr<uint32_t> LibraryTable::indexOf(ir::CallLibraryOp call) {
  FailureOr<artifact::Library> library = libraryOf(call);
  if (failed(library))
    return failure();
  std::string key = library->name;
  for (const artifact::Library::Option &option : library->options)
    key += " " + option.name + "=" + std::to_string(option.value);
  for (const artifact::Library::Tensor &tensor : library->tensors)
    key += std::string(" ") + artifact::name(tensor.dtype) + "x" + std::to_string(tensor.rank);
  auto [it, inserted] = indices.try_emplace(key, static_cast<uint32_t>(artifact.libraries.size()));
  if (inserted)
    artifact.libraries.push_back(std::move(*library));
  else
    artifact.libraries[it->second].optional &= library->optional;
  return it->second;
}

FailureOr<std::vector<uint32_t>> LibraryTable::thresholdsOf(ir::CallLibraryOp call) {
  FailureOr<uint32_t> library = indexOf(call);
  if (failed(library))
    return failure();
  SmallVector<int64_t> atLeast(call.getAtLeast().value_or(ArrayRef<int64_t>()));
  SmallVector<int64_t> tuned;
  artifact::Threshold threshold;
  threshold.library = *library;
  if (std::optional<DictionaryAttr> measured = call.getTuned()) {
    tuned.assign(measured->getAs<DenseI64ArrayAttr>("at_least").asArrayRef());
    threshold.version = measured->getAs<StringAttr>("version").str();
    threshold.cpu = measured->getAs<StringAttr>("cpu").str();
  }
  if (atLeast.empty())
    atLeast.push_back(0);
  std::vector<uint32_t> numbers;
  for (auto [i, number] : llvm::enumerate(atLeast)) {
    threshold.byDefault = number;
    threshold.tuned = i < tuned.size() ? std::optional(tuned[i]) : std::nullopt;
    auto same = [&, &wanted = threshold](const artifact::Threshold &other) {
      return other.library == wanted.library && other.byDefault == wanted.byDefault &&
             other.tuned == wanted.tuned && other.version == wanted.version &&
             other.cpu == wanted.cpu;
    };
    auto found = llvm::find_if(artifact.thresholds, same);
    numbers.push_back(static_cast<uint32_t>(found - artifact.thresholds.begin()));
    if (found == artifact.thresholds.end())
      artifact.thresholds.push_back(threshold);
  }
  return numbers;
}

uint32_t PackedTable::indexOf(StringRef name, bool pure) {
  auto [it, inserted] = indices.try_emplace(name, static_cast<uint32_t>(packed.size()));
  if (inserted)
    packed.push_back({name.str(), false});
  packed[it->second].pure |= pure;
  return it->second;
}

static LogicalResult emitStates(func::FuncOp initialize, artifact::Module &artifact) {
  auto names = initialize->getAttrOfType<ArrayAttr>("relax.state_names");
  for (auto [i, type] : llvm::enumerate(initialize.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return initialize.emitError("result ")
             << i << " of @initialize must have a static shape; found " << type;
    FailureOr<artifact::DType> dtype = dtypeOf(tensor.getElementType(), initialize.getLoc());
    if (failed(dtype))
      return failure();
    artifact::State state;
    state.name =
        names && i < names.size() ? cast<StringAttr>(names[i]).str() : "state." + std::to_string(i);
    state.dtype = *dtype;
    state.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
    artifact.states.push_back(std::move(state));
  }
  return success();
}

/// Lets "initialize" read large constants before small ones, where the order is free. While a state
/// is filled, the constant that it comes from is in memory too: for the largest, the other states
/// aren't yet.
static void readLargestFirst(artifact::Function &function, ArrayRef<artifact::Constant> constants) {
  using artifact::Buffer;
  std::vector<artifact::Instruction> &code = function.code;
  std::vector<bool> isWritten(function.results.size());
  SmallVector<std::pair<uint64_t, int64_t>> order; // Bytes that are read; the number, negative.
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].op != artifact::Instruction::CallKernel)
      return;
    uint64_t bytes = 0;
    for (uint32_t number : code[i].buffers) {
      const Buffer &buffer = function.buffers[number];
      if (buffer.kind == Buffer::Constant)
        bytes += constants[buffer.index].size;
      else if (buffer.kind != Buffer::Result || isWritten[buffer.index])
        return; // What another instruction made.
      else
        isWritten[buffer.index] = true;
    }
    order.emplace_back(bytes, -static_cast<int64_t>(i));
  }
  llvm::sort(order, std::greater<>());
  std::vector<artifact::Instruction> sorted;
  sorted.reserve(code.size());
  for (auto [bytes, number] : order)
    sorted.push_back(std::move(code[-number]));
  if (!code.empty())
    sorted.push_back(std::move(code.back()));
  code = std::move(sorted);
}

LogicalResult emitArtifact(ModuleOp module, artifact::Module &artifact) {
  ConstantPool constants(artifact.constants);
  KernelTable kernels(module, artifact.kernels);
  FunctionTable functions;
  LibraryTable libraries(artifact);
  PackedTable packed(artifact.packed);
  if (func::FuncOp initialize = kernels.function(artifact::initializeName))
    if (failed(emitStates(initialize, artifact)))
      return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && transforms::isGraphFunction(function))
      functions.indexOf(function);
  // Those that are emitted may name more.
  for (size_t i = 0; i < functions.size(); ++i) {
    func::FuncOp function = functions[i];
    if (function.isDeclaration())
      return function.emitError("@") << function.getName() << " is called, but has no body";
    artifact::Function result;
    SharedTables tables = {constants, kernels, functions, libraries, packed};
    if (failed(function->hasAttr("relax.general")
                   ? GeneralEmitter(function, result, tables).emit()
                   : FunctionEmitter(function, result, tables).emit()))
      return failure();
    if (result.name == artifact::initializeName)
      readLargestFirst(result, artifact.constants);
    artifact.functions.push_back(std::move(result));
  }
  return success();
}

} // namespace relax::driver
