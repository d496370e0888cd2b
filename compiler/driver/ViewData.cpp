#include "compiler/driver/ViewData.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/Locations.h"
#include "compiler/transforms/FunctionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using nlohmann::json;

namespace relax::driver {
namespace {

bool isKernel(func::FuncOp function) {
  return function->hasAttr(ir::RelaxDialect::kernelAttr) ||
         function->hasAttr("relax.scheduled_kernel");
}

/// What a graph node is called, and its kind: the callee, or the op's name.
std::pair<std::string, std::string> describe(Operation *op, ModuleOp module) {
  if (auto call = dyn_cast<ir::CallKernelOp>(op)) {
    std::string kind = "kernel";
    if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
      if (auto attribute = callee->getAttrOfType<StringAttr>(ir::RelaxDialect::kindAttr))
        kind = attribute.str();
    return {call.getCallee().str(), kind};
  }
  if (auto call = dyn_cast<ir::CallLibraryOp>(op))
    return {call.getFunction().str(), "library"};
  if (auto constant = dyn_cast<ir::ConstantOp>(op))
    return {constant.getWeight().getName().str(), "weight"};
  if (auto state = dyn_cast<ir::StateOp>(op))
    return {state.getName().str(), "weight"};
  if (isa<arith::ConstantOp>(op))
    return {"constant", "weight"};
  StringRef name = op->getName().getStringRef();
  name.consume_front("relax.");
  return {name.str(), op->getNumRegions() > 0   ? "control"
                      : isa<ir::GuardOp>(op)    ? "guard"
                      : isa<func::ReturnOp>(op) ? "return"
                                                : "op"};
}

json graphOf(func::FuncOp function, ModuleOp module) {
  json nodes = json::array();
  llvm::DenseMap<Value, size_t> number;
  for (BlockArgument argument : function.getArguments()) {
    auto name =
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ir::RelaxDialect::nameAttr);
    number[argument] = nodes.size();
    nodes.push_back({{"op", "argument"},
                     {"label", name ? name.str() : "arg" + std::to_string(argument.getArgNumber())},
                     {"kind", "argument"},
                     {"types", {llvm::to_string(argument.getType())}},
                     {"inputs", json::array()}});
  }
  // A dataflow block is as if its ops stood in the function.
  auto add = [&](auto &self, Block &block) -> void {
    for (Operation &op : block) {
      if (op.getName().getStringRef() == "relax.dataflow" && op.getNumRegions() == 1) {
        Block &inner = op.getRegion(0).front();
        self(self, inner);
        for (auto [result, value] :
             llvm::zip(op.getResults(), inner.getTerminator()->getOperands()))
          if (auto it = number.find(value); it != number.end())
            number[result] = it->second;
        continue;
      }
      if (op.hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op))
        continue;
      json inputs = json::array(), types = json::array();
      llvm::SmallSetVector<size_t, 4> from;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (auto it = number.find(operand); it != number.end())
            from.insert(it->second);
      });
      for (size_t node : from)
        inputs.push_back(node);
      for (Value result : op.getResults()) {
        number[result] = nodes.size();
        types.push_back(llvm::to_string(result.getType()));
      }
      auto [label, kind] = describe(&op, module);
      nodes.push_back({{"op", op.getName().getStringRef().str()},
                       {"label", label},
                       {"kind", kind},
                       {"types", types},
                       {"inputs", inputs},
                       {"place", locationText(op.getLoc())}});
    }
  };
  add(add, function.getBody().front());
  return {{"name", function.getName().str()}, {"nodes", nodes}};
}

/// The bytes of a tensor as the text of an expression; empty if not all sizes are known.
std::string byteSizeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return {};
  unsigned bits = tensor.getElementType().getIntOrFloatBitWidth();
  std::string text = std::to_string(std::max(1U, bits / 8));
  for (symbolic::Expr dim : ir::shapeOf(tensor)) {
    if (!dim)
      return {};
    text += " * (" + dim.str() + ")";
  }
  return text;
}

/// The last of `place`s at which a value, or a view of it, is used.
size_t lastUse(Value value, const llvm::DenseMap<Operation *, size_t> &place) {
  size_t last = 0;
  for (Operation *user : value.getUsers()) {
    auto it = place.find(user);
    if (it == place.end())
      continue;
    last = std::max(last, it->second);
    if (isa<ir::ReshapeOp>(user))
      last = std::max(last, lastUse(user->getResult(0), place));
  }
  return last;
}

json symbolsOf(func::FuncOp function) {
  json symbols = json::array();
  if (auto attribute = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    for (const ir::SymbolDeclaration &symbol : attribute.getDeclarations())
      symbols.push_back({{"name", symbol.name.str()},
                         {"lower", symbol.lo},
                         {"upper", symbol.hi ? json(*symbol.hi) : json(nullptr)},
                         {"divisor", symbol.divisor}});
  return symbols;
}

json planOf(func::FuncOp function) {
  llvm::DenseMap<Operation *, size_t> place;
  json steps = json::array(), blocks = json::array();
  for (Operation &op : function.getBody().front()) {
    place[&op] = steps.size();
    auto call = dyn_cast<ir::CallKernelOp>(op);
    steps.push_back(call ? call.getCallee().str() : op.getName().getStringRef().str());
  }
  for (Operation &op : function.getBody().front()) {
    auto storage = op.getAttrOfType<ArrayAttr>("storage");
    if (!storage)
      continue;
    for (auto [i, attribute] : llvm::enumerate(storage)) {
      auto where = dyn_cast<ir::StorageAttr>(attribute);
      if (!where || i >= op.getNumResults() || where.getKind() != ir::StorageKind::Arena)
        continue;
      std::string size = byteSizeText(op.getResult(i).getType());
      if (size.empty())
        continue;
      std::string name = steps[place[&op]].get<std::string>();
      if (op.getNumResults() > 1)
        name += "#" + std::to_string(i);
      blocks.push_back({{"name", name},
                        {"type", llvm::to_string(op.getResult(i).getType())},
                        {"offset", where.getOffset().str()},
                        {"size", size},
                        {"from", place[&op]},
                        {"to", std::max(place[&op], lastUse(op.getResult(i), place))}});
    }
  }
  auto arena = function->getAttrOfType<ir::ExprAttr>("relax.arena_size");
  return {{"name", function.getName().str()},
          {"symbols", symbolsOf(function)},
          {"arena", arena.getExpr().str()},
          {"steps", steps},
          {"blocks", blocks}};
}

} // namespace

size_t TextTable::add(Operation *op) {
  // Most passes leave most functions alone, and to print one takes longer than to hash it.
  OperationFingerPrint print(op);
  auto known = seen.find(op);
  if (known != seen.end() && known->second.first == print)
    return known->second.second;
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().elideLargeElementsAttrs().useLocalScope());
  std::vector<size_t> numbers;
  for (StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    auto [it, inserted] = lineNumbers.try_emplace(line, allLines.size());
    if (inserted)
      allLines.push_back(line.str());
    numbers.push_back(it->second);
    rest = after;
  }
  auto [it, inserted] = textNumbers.try_emplace(numbers, allTexts.size());
  if (inserted)
    allTexts.push_back(std::move(numbers));
  seen.insert_or_assign(op, std::pair(print, it->second));
  return it->second;
}

json snapshot(ModuleOp module, TextTable &texts) {
  json functions = json::array();
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    functions.push_back(
        {function ? function.getName().str() : op.getName().getStringRef().str(), texts.add(&op)});
  }
  return functions;
}

json graphs(ModuleOp module) {
  json list = json::array();
  for (auto function : module.getOps<func::FuncOp>())
    if (!isKernel(function) && !function.isDeclaration())
      list.push_back(graphOf(function, module));
  return list;
}

void addPrograms(ModuleOp module, TextTable &texts, json &kernels) {
  llvm::StringMap<int64_t> calls;
  module.walk([&](ir::CallKernelOp call) { ++calls[call.getCallee()]; });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    json symbols = json::array(), types = json::array(), results = json::array();
    if (auto names = function->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
      for (auto name : names.getAsRange<StringAttr>())
        symbols.push_back(name.str());
    std::string bytes;
    for (auto [list, all] : {std::pair(&types, function.getArgumentTypes()),
                             std::pair(&results, function.getResultTypes())})
      for (Type type : all) {
        list->push_back(llvm::to_string(type));
        bytes += (bytes.empty() ? "" : " + ") + byteSizeText(type);
      }
    auto kind = function->getAttrOfType<StringAttr>(ir::RelaxDialect::kindAttr);
    kernels[function.getName().str()] = {{"kind", kind ? kind.str() : ""},
                                         {"calls", calls.lookup(function.getName())},
                                         {"symbols", symbols},
                                         {"inputs", types},
                                         {"results", results},
                                         {"bytes", bytes},
                                         {"program", texts.add(function)}};
  }
}

void addSchedules(ModuleOp module, TextTable &texts, json &kernels) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("relax.scheduled_kernel"))
      continue;
    json &kernel = kernels[function.getName().str()];
    if (auto strategy = function->getAttrOfType<StringAttr>("relax.strategy"))
      kernel["strategy"] = strategy.str();
    for (auto [key, name] :
         {std::pair("units", "relax.parallel_extent"), std::pair("cost", "relax.cost")})
      if (auto expression = function->getAttrOfType<ir::ExprAttr>(name))
        kernel[key] = expression.getExpr().str();
    kernel["loops"] = texts.add(function);
  }
}

json memoryPlans(ModuleOp module) {
  json plans = json::array();
  for (auto function : module.getOps<func::FuncOp>())
    if (!isKernel(function) && !function.isDeclaration() &&
        function->getAttrOfType<ir::ExprAttr>("relax.arena_size"))
      plans.push_back(planOf(function));
  return plans;
}

} // namespace relax::driver
