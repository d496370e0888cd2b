#include "compiler/driver/InspectGuards.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/Locations.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using nlohmann::json;

namespace relax::driver {
namespace {

class Lister {
public:
  explicit Lister(func::FuncOp function) : function(function) {}

  json list() {
    arguments();
    symbols();
    proved();
    function.walk([&](Operation *op) { inBody(op); });
    return {{"name", function.getName().str()}, {"guards", guards}};
  }

private:
  void add(const std::string &what, Location loc, const char *status, const std::string &by) {
    guards.push_back(
        {{"what", what}, {"source", locationText(loc)}, {"status", status}, {"by", by}});
  }

  std::string nameOf(BlockArgument argument) {
    auto name =
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ir::RelaxDialect::nameAttr);
    return "argument " + std::to_string(argument.getArgNumber()) +
           (name ? " \"" + name.str() + "\"" : std::string());
  }

  void arguments() {
    std::set<std::string> bound;
    for (BlockArgument argument : function.getArguments()) {
      std::string name = nameOf(argument), claim = name + " is a ";
      llvm::raw_string_ostream(claim) << argument.getType();
      add(claim, argument.getLoc(), "checked", "the call");
      if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
        dims(name, argument.getLoc(), ir::shapeOf(tensor), bound);
      else if (auto shape = dyn_cast<ir::ShapeType>(argument.getType()); shape && shape.hasRank())
        dims(name, argument.getLoc(), shape.getDimsOrUnknown(), bound);
      if (auto values = function.getArgAttrOfType<ir::ValuesAttr>(argument.getArgNumber(),
                                                                  ir::RelaxDialect::valuesAttr))
        add(name + ": " + values.getLower().str() + " <= element < " + values.getUpper().str(),
            argument.getLoc(), "checked", "the call");
    }
    if (function->hasAttr(ir::RelaxDialect::raggedAttr))
      add("the sequences' starts rise, and no sequence exceeds its limit", function.getLoc(),
          "checked", "the call");
  }

  void dims(const std::string &name, Location loc, ArrayRef<symbolic::Expr> shape,
            std::set<std::string> &bound) {
    for (auto [axis, dim] : llvm::enumerate(shape)) {
      if (!dim || (dim.isSymbol() && bound.insert(dim.symbolName()).second))
        continue; // Where a symbol gets its value there is nothing to compare.
      add("dimension " + std::to_string(axis) + " of " + name + " == " + dim.str(), loc, "checked",
          "the call");
    }
  }

  void symbols() {
    auto declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr);
    if (!declared)
      return;
    for (const ir::SymbolDeclaration &symbol : declared.getDeclarations()) {
      std::string name = symbol.name.str();
      if (symbol.lo > 0 || symbol.hi)
        add((symbol.lo > 0 ? std::to_string(symbol.lo) + " <= " : std::string()) + name +
                (symbol.hi ? " <= " + std::to_string(*symbol.hi) : std::string()),
            function.getLoc(), "checked", "the call");
      if (symbol.divisor > 1)
        add(std::to_string(symbol.divisor) + " divides " + name, function.getLoc(), "checked",
            "the call");
    }
  }

  void proved() {
    auto list = function->getAttrOfType<ArrayAttr>(transforms::provedGuardsAttr);
    for (Attribute attribute : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto entry = cast<DictionaryAttr>(attribute);
      auto text = [&](StringRef key) { return entry.getAs<StringAttr>(key).str(); };
      guards.push_back({{"what", text("what")},
                        {"source", text("source")},
                        {"status", "proved"},
                        {"by", text("by")}});
    }
  }

  void inBody(Operation *op) {
    const char *status = "checked";
    Location loc = op->getLoc();
    if (auto guard = dyn_cast<ir::GuardOp>(op))
      add(transforms::describeConstraint(guard.getConstraint(), guard.getText()), loc, status,
          "relax.guard");
    else if (auto cast = dyn_cast<ir::MatchCastOp>(op);
             cast && !op->hasAttr(transforms::provedAttr) && checksSomething(cast))
      add(transforms::describeCast(cast), loc, status, "match_cast");
    else if (auto prefix = dyn_cast<ir::PrefixOp>(op))
      add("0 <= " + prefix.getSymbol().str() + " <= the rows of " +
              ir::shapeText(prefix.getX().getType()),
          loc, status, "prefix");
    else if (isa<ir::TensorToShapeOp>(op))
      add("tensor_to_shape gives no negative size", loc, status, "tensor_to_shape");
    else if (isa<ir::ReshapeToOp>(op))
      add("reshape_to keeps the number of elements", loc, status, "reshape_to");
    else if (auto check = dyn_cast<ir::CheckValuesOp>(op))
      add(check.getWhat().str() + ": " + check.getRange().getLower().str() + " <= element < " +
              check.getRange().getUpper().str(),
          loc, status, "check_values");
    else if (isa<ir::CallIndirectOp, ir::CallPackedOp>(op))
      for (Value result : op->getResults())
        add("what comes back is a " + ir::shapeText(result.getType()), loc, status, "the caller");
  }

  /// One that only gives names to unknown dimensions has nothing to compare.
  static bool checksSomething(ir::MatchCastOp cast) {
    auto from = dyn_cast<RankedTensorType>(cast.getValue().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from || !to || from.getElementType() != to.getElementType())
      return true;
    std::set<std::string> named;
    for (auto [found, stated] : llvm::zip(ir::shapeOf(from), ir::shapeOf(to)))
      if (stated && !(found == stated) &&
          (found || !stated.isSymbol() || !named.insert(stated.symbolName()).second))
        return true;
    return false;
  }

  func::FuncOp function;
  json guards = json::array();
};

} // namespace

FailureOr<json> inspectGuards(ModuleOp module) {
  // As in the pipeline: what is dropped has its guards before.
  PassManager pm(module.getContext());
  pm.addPass(transforms::createInlineDataflowPass());
  pm.addPass(transforms::createFlattenUnknownRanksPass());
  pm.addPass(transforms::createFoldShapesPass());
  pm.addPass(transforms::createNameUnknownDimsPass());
  pm.addPass(transforms::createMaterializeGuardsPass());
  pm.addPass(transforms::createProveGuardsPass());
  pm.addPass(createCanonicalizerPass());
  // The checks of indices are made here.
  pm.addPass(kernels::createLegalizePass());
  if (failed(pm.run(module)))
    return failure();
  json functions = json::array();
  for (auto function : module.getOps<func::FuncOp>())
    if (transforms::isGraphFunction(function))
      functions.push_back(Lister(function).list());
  return functions;
}

std::vector<std::string> provedGuards(ModuleOp module) {
  std::vector<std::string> texts;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto list = function->getAttrOfType<ArrayAttr>(transforms::provedGuardsAttr))
      for (Attribute attribute : list) {
        auto entry = cast<DictionaryAttr>(attribute);
        json described = {{"function", function.getName().str()}};
        for (NamedAttribute part : entry)
          described[part.getName().str()] = cast<StringAttr>(part.getValue()).str();
        texts.push_back(described.dump(-1, ' ', false, json::error_handler_t::replace));
      }
  return texts;
}

} // namespace relax::driver
