#include "compiler/driver/InterpretModule.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/Dialects.h"
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/Locations.h"
#include "compiler/importers/text/ReadText.h"
#include "compiler/interpreter/Interpreter.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstring>
#include <deque>

using namespace mlir;
using relax::artifact::DType;

namespace relax::driver {
namespace {

Type elementType(MLIRContext *context, DType dtype) {
  Builder b(context);
  switch (dtype) {
  case DType::F64:
    return b.getF64Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::U8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DType::Bool:
    return b.getI1Type();
  default:
    return b.getIntegerType(static_cast<unsigned>(8 * artifact::byteSize(dtype)));
  }
}

Expected<interpreter::Value> fromApi(MLIRContext *context, const relax_interpreter_value &value) {
  std::vector<int64_t> dims(value.dims, value.dims + (value.dims ? value.count : 0));
  switch (value.kind) {
  case RELAX_INTERPRETER_TENSOR: {
    const auto dtype = static_cast<DType>(value.dtype);
    interpreter::TensorPointer tensor =
        interpreter::makeTensor(elementType(context, dtype), std::move(dims));
    for (size_t i = 0; i < tensor->elements.size(); ++i)
      tensor->elements[i] = interpreter::readElement(value.data, i, tensor->element);
    return interpreter::Value(std::move(tensor));
  }
  case RELAX_INTERPRETER_SHAPE:
    return interpreter::Value(interpreter::Shape{std::move(dims)});
  case RELAX_INTERPRETER_TUPLE: {
    auto fields = std::make_shared<std::vector<interpreter::Value>>();
    for (size_t i = 0; i < value.count; ++i) {
      Expected<interpreter::Value> field = fromApi(context, value.fields[i]);
      if (!field)
        return field;
      fields->push_back(std::move(*field));
    }
    return interpreter::Value(interpreter::Tuple{std::move(fields)});
  }
  case RELAX_INTERPRETER_FUNCTION:
    return interpreter::Value(interpreter::Function{value.name});
  default:
    return Status(StatusCode::InvalidArgument, "the interpreter can't take such a value");
  }
}

/// A value for the receiver; what it points to is kept in here.
class Results {
public:
  /// `type` is what the function's signature says: ui8 is i8 in the interpreter.
  relax_interpreter_value toApi(const interpreter::Value &value, Type type) {
    relax_interpreter_value result = {};
    result.kind = RELAX_INTERPRETER_OTHER;
    if (value.isTensor()) {
      storeTensor(*value.tensor(), type, result);
    } else if (auto *shape = std::get_if<interpreter::Shape>(&value.data)) {
      result.kind = RELAX_INTERPRETER_SHAPE;
      result.count = shape->dims.size();
      result.dims = shape->dims.data();
    } else if (auto *tuple = std::get_if<interpreter::Tuple>(&value.data)) {
      auto tupleType = dyn_cast<TupleType>(type);
      std::vector<relax_interpreter_value> fields;
      for (auto [i, field] : llvm::enumerate(*tuple->fields))
        fields.push_back(
            toApi(field, tupleType && i < tupleType.size() ? tupleType.getType(i) : Type(type)));
      tuples.push_back(std::move(fields));
      result.kind = RELAX_INTERPRETER_TUPLE;
      result.count = tuples.back().size();
      result.fields = tuples.back().data();
    } else if (auto *function = std::get_if<interpreter::Function>(&value.data)) {
      result.kind = RELAX_INTERPRETER_FUNCTION;
      result.name = function->name.c_str();
    }
    return result;
  }

private:
  void storeTensor(const interpreter::Tensor &tensor, Type type, relax_interpreter_value &result) {
    auto tensorType = dyn_cast<TensorType>(type);
    const bool isUnsigned = tensorType && tensorType.getElementType().isUnsignedInteger();
    DType dtype = DType::F64;
    if (!tensor.isReal())
      dtype = isUnsigned ? DType::U8 : runtimeType(tensor.element).value_or(DType::I64);
    const size_t size = artifact::byteSize(dtype);
    std::vector<char> data(tensor.elements.size() * size + 1);
    for (auto [i, element] : llvm::enumerate(tensor.elements)) {
      const void *from = tensor.isReal() ? static_cast<const void *>(&element.real)
                                         : static_cast<const void *>(&element.integer);
      std::memcpy(&data[i * size], from, size); // Little-endian: the low bytes.
    }
    memory.push_back(std::move(data));
    result.kind = RELAX_INTERPRETER_TENSOR;
    result.dtype = static_cast<int>(dtype);
    result.count = tensor.dims.size();
    result.dims = tensor.dims.data();
    result.data = memory.back().data();
  }

  std::deque<std::vector<char>> memory;
  std::deque<std::vector<relax_interpreter_value>> tuples;
};

} // namespace

Status interpretModule(const std::string &path, const std::string &function,
                       std::span<const relax_interpreter_value> inputs,
                       relax_interpreter_result result, void *user) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // Its place says it, in the words of the file.
  context.loadAllAvailableDialects();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    const std::string place = locationText(diagnostic.getLocation());
    errors += (errors.empty() ? "" : "\n") + place + (place.empty() ? "" : ": ") + diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = text::readText(path, &context);
  if (!module)
    return Status(StatusCode::InvalidFile, errors.empty() ? path + ": can't be read" : errors);
  auto signature = module->lookupSymbol<func::FuncOp>(function);
  if (!signature)
    return Status(StatusCode::NotFound, path + ": there is no function '" + function + "'");
  SmallVector<Type> types(signature.getResultTypes());
  std::vector<interpreter::Value> arguments;
  for (const relax_interpreter_value &input : inputs) {
    Expected<interpreter::Value> argument = fromApi(&context, input);
    if (!argument)
      return argument.takeStatus();
    arguments.push_back(std::move(*argument));
  }
  Expected<std::vector<interpreter::Value>> values =
      interpreter::interpret(*module, function, std::move(arguments));
  if (!values) {
    Status status = values.takeStatus();
    return errors.empty() ? status : Status(status.code(), status.message() + "\n" + errors);
  }
  for (auto [i, value] : llvm::enumerate(*values)) {
    Results memory;
    const relax_interpreter_value described = memory.toApi(value, types[i]);
    result(user, i, &described);
  }
  return {};
}

} // namespace relax::driver
