#include "compiler/driver/VerifyReproducer.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/InterpreterBytes.h"
#include "runtime/support/AtomicFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

using namespace mlir;
using relax::artifact::DType;

namespace relax::driver {
namespace {

/// The bytes of a .npy file, version 1.0.
std::vector<uint8_t> npyBytes(DType dtype, ArrayRef<int64_t> dims, ArrayRef<uint8_t> data) {
  const char *type = "<f4";
  switch (dtype) {
  case DType::F32:
    type = "<f4";
    break;
  case DType::F16:
    type = "<f2";
    break;
  case DType::BF16:
    type = "|V2";
    break;
  case DType::F64:
    type = "<f8";
    break;
  case DType::I8:
    type = "|i1";
    break;
  case DType::U8:
    type = "|u1";
    break;
  case DType::I16:
    type = "<i2";
    break;
  case DType::I32:
    type = "<i4";
    break;
  case DType::I64:
    type = "<i8";
    break;
  case DType::Bool:
    type = "|b1";
    break;
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{})}}",
                                   type, fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
  std::vector<uint8_t> bytes = {0x93,
                                'N',
                                'U',
                                'M',
                                'P',
                                'Y',
                                1,
                                0,
                                static_cast<uint8_t>(header.size() & 255),
                                static_cast<uint8_t>(header.size() >> 8)};
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

/// A module with the kernel's program, and a function @main that calls it. A shape gives the
/// symbols that no operand has as a dimension of its own.
std::string kernelModule(ModuleOp programs, func::FuncOp program) {
  OpBuilder b(programs.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  b.setInsertionPointToEnd(module->getBody());
  auto copy = cast<func::FuncOp>(b.clone(*program));
  SmallVector<symbolic::Expr> dims;
  SmallVector<Attribute> values;
  SmallVector<ir::SymbolDeclaration> declared;
  symbolic::Context &context = ir::symbolicContext(programs.getContext());
  if (auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
    for (auto name : names.getAsRange<StringAttr>()) {
      dims.push_back(context.symbol(name.str()));
      declared.push_back({name, 0, std::nullopt, 1});
      values.push_back(ir::ExprAttr::get(programs.getContext(), dims.back()));
    }
  SmallVector<Type> inputs(program.getArgumentTypes());
  if (!dims.empty())
    inputs.push_back(ir::ShapeType::get(programs.getContext(), dims));
  auto main = func::FuncOp::create(b, program.getLoc(), "main",
                                   b.getFunctionType(inputs, program.getResultTypes()));
  if (!declared.empty())
    main->setAttr(ir::RelaxDialect::symbolsAttr,
                  ir::SymbolsAttr::get(programs.getContext(), declared));
  Block *body = main.addEntryBlock();
  b.setInsertionPointToEnd(body);
  auto call =
      ir::CallKernelOp::create(b, program.getLoc(), program.getResultTypes(), copy.getName(),
                               body->getArguments().take_front(program.getNumArguments()),
                               b.getArrayAttr(values), ArrayAttr(), DenseI64ArrayAttr());
  func::ReturnOp::create(b, program.getLoc(), call->getResults());
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

} // namespace

Expected<Reproducer> writeReproducer(const std::string &folder, ModuleOp programs,
                                     const std::string &input, const Mismatch &mismatch) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status(StatusCode::Io, folder + ": can't be made: " + error.message());
  Reproducer result;
  auto write = [&](const std::string &name, ArrayRef<uint8_t> bytes) -> Status {
    const std::string path = folder + "/" + name;
    result.files.push_back(path);
    return writeFileAtomically(path, {bytes.data(), bytes.size()});
  };
  std::string file = input;
  result.command = "relax run ";
  auto program = programs.lookupSymbol<func::FuncOp>(mismatch.name);
  if (mismatch.what == "kernel") {
    const std::string text = kernelModule(programs, program);
    RELAX_RETURN_IF_ERROR(write(mismatch.name + ".mlir",
                                {reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
    file = result.files.back();
  }
  result.command += file;
  if (mismatch.what != "kernel")
    result.command += " --function " + mismatch.name;
  for (auto [i, value] : llvm::enumerate(mismatch.inputs)) {
    if (!value.isTensor())
      continue;
    const interpreter::Tensor &tensor = *value.tensor();
    Type element = tensor.element;
    if (i < program.getNumArguments())
      if (auto type = dyn_cast<TensorType>(program.getArgumentTypes()[i]))
        element = type.getElementType();
    std::optional<DType> dtype = runtimeType(element);
    if (!dtype)
      continue;
    const std::string name = fmt::format("{}-input{}.npy", mismatch.name, i);
    const std::vector<uint8_t> bytes =
        tensor.compiled ? *tensor.compiled : bytesOf(tensor, element);
    RELAX_RETURN_IF_ERROR(write(name, npyBytes(*dtype, tensor.dims, bytes)));
    result.command += fmt::format(" --input {}={}", i, result.files.back());
  }
  if (mismatch.what == "kernel" && !mismatch.symbols.empty()) {
    std::string dims;
    if (auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
      for (auto name : names.getAsRange<StringAttr>())
        dims += (dims.empty() ? "" : ",") + std::to_string(mismatch.symbols.at(name.str()));
    result.command += fmt::format(" --input {}=shape:[{}]", mismatch.inputs.size(), dims);
  }
  result.command += " --compare-reference";
  return result;
}

} // namespace relax::driver
