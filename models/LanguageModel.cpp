#include "models/LanguageModel.h"

#include "models/Decoder.h"
#include "models/HyperParameters.h"
#include "runtime/kv_cache/CacheType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::models {
namespace {

Status checkOptions(const ModelOptions &options) {
  if (options.pageSize < 1 || options.pageSize > 65536)
    return Status(
        StatusCode::InvalidArgument,
        fmt::format("the page size is {}; expected a number from 1 to 65536", options.pageSize));
  if (!runtime::cacheElement(options.cacheType))
    return Status(StatusCode::InvalidArgument,
                  fmt::format("unknown cache type '{}'; expected {}", options.cacheType,
                              runtime::cacheTypeNames));
  return {};
}

/// Writes the signature of @step around the body of an architecture.
class StepBuilder {
public:
  StepBuilder(ModuleOp module, const HyperParameters &parameters, const ModelOptions &options)
      : module(module), parameters(parameters), options(options),
        symbols(ir::symbolicContext(module.getContext())), b(module.getBodyRegion()),
        numInputs(parameters.mixesLayers() ? 8 : 7) {}

  template <typename Model> void build(const Model &model) {
    func::FuncOp step = makeFunction();
    Block *entry = step.addEntryBlock();
    b.setInsertionPointToStart(entry);
    auto dataflow = ir::DataflowOp::create(b, module.getLoc(), step.getResultTypes());
    Block *body = b.createBlock(&dataflow.getBody());
    Graph graph{OpBuilder::atBlockEnd(body),
                module.getLoc(),
                entry->getArgument(2),
                entry->getArgument(3),
                entry->getArgument(parameters.mixesLayers() ? 7 : 3),
                entry->getArgument(4)};
    std::vector<LayerCache> caches(parameters.layers);
    for (auto [i, cache] : llvm::enumerate(caches))
      cache = {entry->getArgument(numInputs + 2 * i), entry->getArgument(numInputs + 2 * i + 1)};
    SmallVector<Value> results = {model(graph, entry->getArgument(0), entry->getArgument(1),
                                        entry->getArgument(5), entry->getArgument(6), caches)};
    for (const LayerCache &cache : caches)
      results.append({cache.keys, cache.values});
    ir::YieldOp::create(graph.b, module.getLoc(), results);
    b.setInsertionPointToEnd(entry);
    func::ReturnOp::create(b, module.getLoc(), dataflow.getResults());
  }

private:
  Expr symbol(const char *name) { return symbols.symbol(name); }
  Expr constant(int64_t value) { return symbols.constant(value); }
  Type tensor(ArrayRef<Expr> dims, Type element) {
    return ir::tensorType(module.getContext(), dims, element);
  }

  func::FuncOp makeFunction() {
    Type i32 = b.getI32Type();
    const artifact::DType element = *runtime::cacheElement(options.cacheType);
    Type cache = element == artifact::DType::I8    ? Type(b.getI8Type())
                 : element == artifact::DType::F16 ? Type(b.getF16Type())
                                                   : Type(b.getF32Type());
    Expr t = symbol("t"), sequences = symbol("b"), g = symbol("g"), h = symbol("h");
    Expr kvHeads = constant(parameters.kvHeads),
         headDim = constant(runtime::storedHeadDim(element, parameters.headDim));
    Expr pageSize = constant(options.pageSize);
    SmallVector<Type> inputs = {tensor({t}, i32),
                                tensor({t}, i32),
                                tensor({symbols.add(sequences, constant(1))}, i32),
                                tensor({sequences, symbol("p")}, i32),
                                tensor({sequences}, i32),
                                tensor({symbol("r")}, i32),
                                tensor({symbol("r")}, i32)};
    SmallVector<std::string> names = {"tokens",       "positions",      "sequence_starts",
                                      "page_table",   "cached_lengths", "output_rows",
                                      "output_counts"};
    if (parameters.mixesLayers()) {
      inputs.push_back(tensor({sequences, symbol("p")}, i32));
      names.push_back("local_page_table");
    }
    SmallVector<Type> results = {
        tensor({symbol("r"), constant(parameters.vocabulary)}, b.getF32Type())};
    for (int64_t i = 0; i < parameters.layers; ++i) {
      Expr pages = parameters.mixesLayers() && parameters.isLocal(i) ? h : g;
      Type keys = tensor({pages, kvHeads, headDim, pageSize}, cache);
      Type values = tensor({pages, kvHeads, pageSize, headDim}, cache);
      inputs.append({keys, values});
      results.append({keys, values});
      names.push_back("k_pages." + std::to_string(i));
      names.push_back("v_pages." + std::to_string(i));
    }
    auto step =
        func::FuncOp::create(b, module.getLoc(), "step", b.getFunctionType(inputs, results));
    step->setAttr(ir::RelaxDialect::symbolsAttr, declareSymbols());
    for (auto [i, name] : llvm::enumerate(names)) {
      step.setArgAttr(i, ir::RelaxDialect::nameAttr, b.getStringAttr(name));
      if (i < numInputs)
        continue;
      step.setArgAttr(i, ir::RelaxDialect::donatedAttr, b.getUnitAttr());
      step.setResultAttr(i - numInputs + 1, ir::RelaxDialect::nameAttr, b.getStringAttr(name));
    }
    step.setResultAttr(0, ir::RelaxDialect::nameAttr, b.getStringAttr("logits"));
    auto guard = [&](unsigned argument, Expr upper) {
      step.setArgAttr(argument, ir::RelaxDialect::valuesAttr,
                      ir::ValuesAttr::get(module.getContext(), constant(0), upper));
    };
    guard(0, constant(parameters.vocabulary));
    if (!parameters.usesRotary)
      guard(1, constant(parameters.trainedContext));
    guard(3, g);
    guard(5, t);
    if (parameters.mixesLayers())
      guard(7, h);
    MLIRContext *context = module.getContext();
    Expr limit = symbols.mul(constant(options.pageSize), symbol("p"));
    step->setAttr(ir::RelaxDialect::raggedAttr,
                  b.getDictionaryAttr({b.getNamedAttr("starts", b.getI64IntegerAttr(2)),
                                       b.getNamedAttr("cached", b.getI64IntegerAttr(4)),
                                       b.getNamedAttr("limit", ir::ExprAttr::get(context, limit)),
                                       b.getNamedAttr("total", ir::ExprAttr::get(context, t))}));
    return step;
  }

  Attribute declareSymbols() {
    int64_t pages = (parameters.context + options.pageSize - 1) / options.pageSize;
    auto declare = [&](const char *name, std::optional<int64_t> most) {
      return ir::SymbolDeclaration{b.getStringAttr(name), 0, most, 1};
    };
    SmallVector<ir::SymbolDeclaration> declarations = {
        declare("t", maxBatchTokens), declare("b", maxBatchSequences), declare("p", pages),
        declare("r", maxBatchTokens), declare("g", std::nullopt)};
    if (parameters.mixesLayers())
      declarations.push_back(declare("h", std::nullopt));
    return ir::SymbolsAttr::get(module.getContext(), declarations);
  }

  ModuleOp module;
  const HyperParameters &parameters;
  const ModelOptions &options;
  symbolic::Context &symbols;
  OpBuilder b;
  unsigned numInputs; ///< Before the pages.
};

} // namespace

Expected<OwningOpRef<ModuleOp>> buildLanguageModel(MLIRContext *context, const gguf::File &file,
                                                   const ModelOptions &options) {
  RELAX_RETURN_IF_ERROR(checkOptions(options));
  Expected<HyperParameters> parameters = HyperParameters::read(file, options);
  if (!parameters)
    return parameters.takeStatus();
  for (const std::string &warning : parameters->warnings)
    emitWarning(UnknownLoc::get(context), warning);
  Weights weights(context, file, options.hashWeights);
  Decoder model(weights, *parameters);
  weights.requireAllUsed();
  if (!weights.status().ok())
    return weights.status();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  StepBuilder(*module, *parameters, options).build(model);
  return module;
}

Expected<Metadata> modelMetadata(const gguf::File &file, const ModelOptions &options) {
  Expected<HyperParameters> parameters = HyperParameters::read(file, options);
  if (!parameters)
    return parameters.takeStatus();
  Metadata result = file.metadata();
  result.set("relax.page_size", options.pageSize);
  result.set("relax.context_length", parameters->context);
  result.set("relax.trained_context_length", parameters->trainedContext);
  result.set("relax.num_layers", parameters->layers);
  result.set("relax.num_kv_heads", parameters->kvHeads);
  result.set("relax.head_dim", parameters->headDim);
  result.set("relax.vocabulary_size", parameters->vocabulary);
  result.set("relax.cache_type", options.cacheType);
  if (parameters->window > 0) {
    std::vector<bool> local;
    local.reserve(static_cast<size_t>(parameters->layers));
    for (int64_t layer = 0; layer < parameters->layers; ++layer)
      local.push_back(parameters->isLocal(layer));
    result.set("relax.window", parameters->window);
    result.set("relax.local_layers", std::move(local));
  }
  return result;
}

} // namespace relax::models
