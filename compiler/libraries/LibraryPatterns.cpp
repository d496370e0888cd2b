#include "compiler/libraries/LibraryPatterns.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::libraries {
namespace {

/// The name "x0_1" stands for dimension 1 of operand 0.
std::optional<std::map<std::string, Expr>> dimensionNames(ValueRange inputs) {
  std::map<std::string, Expr> names;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto tensor = dyn_cast<RankedTensorType>(input.getType());
    if (!tensor)
      return std::nullopt;
    for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(tensor))) {
      if (!dim)
        return std::nullopt;
      names["x" + std::to_string(i) + "_" + std::to_string(axis)] = dim;
    }
  }
  return names;
}

/// Adds the sizes of `when`. False, with `problem`, where an expression isn't one.
bool readMeasures(DictionaryAttr when, ValueRange inputs, Claim &claim, std::string &problem) {
  auto names = dimensionNames(inputs);
  if (!names)
    return false;
  symbolic::Context &context = ir::symbolicContext(when.getContext());
  for (NamedAttribute entry : when) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    std::string message;
    Expr expr = context.parse(entry.getName().strref(), &message);
    std::set<std::string> used;
    if (expr)
      expr.collectSymbols(used);
    for (const std::string &name : used)
      if (!names->contains(name))
        message = "there is no dimension '" + name + "'";
    if (!number || !expr || !message.empty()) {
      problem = ("`when` compares expressions over x<operand>_<dimension> with integers; found '" +
                 entry.getName().strref() + "'" + (message.empty() ? "" : ": " + message))
                    .str();
      return false;
    }
    claim.measures.push_back(
        {symbolic::substitute(expr, *names), number.getValue().getSExtValue(), {}});
  }
  return true;
}

/// The claim that a pattern describes; a problem with its text is reported, once for each match.
std::optional<Claim> claimOf(Operation *root, ValueRange inputs, Attribute description) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(description);
  auto function = fields ? fields.getAs<StringAttr>("function") : StringAttr();
  Claim claim;
  std::string problem;
  if (!function)
    problem = "a claim is a dictionary with `function`";
  else {
    claim.root = root;
    claim.inputs.assign(inputs.begin(), inputs.end());
    claim.function = function.str();
    claim.required = fields.contains("required");
    if (auto options = fields.getAs<DictionaryAttr>("options"))
      claim.options.assign(options.begin(), options.end());
    if (auto when = fields.getAs<DictionaryAttr>("when");
        !when || readMeasures(when, inputs, claim, problem))
      return claim;
  }
  if (!problem.empty())
    root->emitWarning("a library pattern isn't applied: ") << problem;
  return std::nullopt;
}

} // namespace

transforms::PatternFunctions libraryPatternFunctions(PatternHost &host) {
  // (root, inputs…, claim): patterns declare as many inputs as they have.
  auto describe = [](ArrayRef<PDLValue> arguments) -> std::optional<Claim> {
    if (arguments.size() < 2)
      return std::nullopt;
    auto description = arguments.back().dyn_cast<Attribute>();
    std::optional<transforms::RegionArguments> region =
        transforms::regionArguments(arguments.drop_back());
    return region ? claimOf(region->root, region->inputs, description) : std::nullopt;
  };
  transforms::PatternFunctions functions;
  functions.constraints["Claimable"] = [&host,
                                        describe](PatternRewriter &, PDLResultList &,
                                                  ArrayRef<PDLValue> arguments) -> LogicalResult {
    std::optional<Claim> claim = describe(arguments);
    return success(claim && host.claimer && host.claimer->isLegal(*claim));
  };
  functions.rewrites["ClaimLibrary"] = [&host,
                                        describe](PatternRewriter &rewriter, PDLResultList &,
                                                  ArrayRef<PDLValue> arguments) -> LogicalResult {
    // A pattern that doesn't ask whether it may is asked here; its match just isn't used.
    if (std::optional<Claim> claim = describe(arguments);
        claim && host.claimer && host.claimer->isLegal(*claim))
      host.patterns.put(host.claimer->make(rewriter, *claim));
    return success();
  };
  return functions;
}

} // namespace relax::libraries
