//===- ControlFlowOps.cpp - text and rules of branches and loops ------------------------------===//
//
// The rules that have numbers are listed in compiler/transforms/Verify.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/ops/ControlFlowOps.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/StructureOps.h"

using namespace mlir;

namespace relax::ir {

void registerControlFlowOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ControlFlowOps.cpp.inc"
      >();
}

/// Values that arrive where others are declared: as many, and each provably of the declared type.
static LogicalResult verifyArriving(Operation *op, StringRef rule, StringRef what,
                                    TypeRange arriving, TypeRange declared) {
  if (arriving.size() != declared.size())
    return op->emitOpError(rule) << " " << what << " " << arriving.size()
                                 << " values, but there are " << declared.size() << " results";
  for (auto [index, from, to] : llvm::enumerate(arriving, declared)) {
    std::string why;
    if (isSubtypeOf(from, to, {}, &why) != symbolic::Proof::Proved)
      return op->emitOpError(rule) << " " << what << " " << from << " as value " << index
                                   << ", which is not provably a " << to << ": " << why;
  }
  return success();
}

LogicalResult IfOp::verifyRegions() {
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    StringRef name = region == &getThenRegion() ? "the first branch" : "the second branch";
    if (region->getNumArguments() != 0)
      return emitOpError("[R13] ") << name << " has arguments";
    auto yield = dyn_cast<YieldOp>(region->front().getTerminator());
    if (!yield)
      return emitOpError("[R13] ") << name << " must end in relax.yield";
    if (failed(verifyArriving(*this, "[R13]", (name + " yields").str(), yield.getOperandTypes(),
                              getResultTypes())))
      return failure();
  }
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  if (failed(verifyArriving(*this, "[R14]", "the loop starts from", getInits().getTypes(),
                            getResultTypes())))
    return failure();
  for (Region *region : {&getConditionRegion(), &getBody()})
    if (region->getArgumentTypes() != getResultTypes())
      return emitOpError("[R14] both regions see the carried values of types ")
             << getResultTypes() << ", found " << region->getArgumentTypes();
  if (!isa<ConditionOp>(getConditionRegion().front().getTerminator()))
    return emitOpError("[R14] the first region must end in relax.condition");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("[R14] the second region must end in relax.yield");
  return verifyArriving(*this, "[R14]", "the second region yields", yield.getOperandTypes(),
                        getResultTypes());
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> initTypes, carried;
  SMLoc loc = parser.getCurrentLocation();
  auto parseTypes = [&](SmallVectorImpl<Type> &types) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                          [&] { return parser.parseType(types.emplace_back()); });
  };
  if (parser.parseAssignmentList(arguments, inits) || parser.parseColon() || parseTypes(initTypes))
    return failure();
  carried = initTypes;
  if (succeeded(parser.parseOptionalArrow())) {
    carried.clear();
    if (parseTypes(carried))
      return failure();
  }
  if (arguments.size() != carried.size())
    return parser.emitError(loc) << "there are " << arguments.size() << " carried values, but "
                                 << carried.size() << " types";
  if (parser.resolveOperands(inits, initTypes, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, carried))
    argument.type = type;
  if (parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do"))
    return failure();
  SmallVector<OpAsmParser::Argument> renamed;
  if (parser.parseArgumentList(renamed, AsmParser::Delimiter::OptionalParen))
    return failure();
  if (!renamed.empty()) {
    if (renamed.size() != carried.size())
      return parser.emitError(loc) << "there are " << carried.size() << " carried values, but "
                                   << renamed.size() << " names after do";
    for (auto [argument, type] : llvm::zip_equal(renamed, carried))
      argument.type = type;
    arguments = renamed;
  }
  result.addTypes(carried);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void WhileOp::print(OpAsmPrinter &printer) {
  auto printTypes = [&](TypeRange types) {
    printer << "(";
    llvm::interleaveComma(types, printer);
    printer << ")";
  };
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(getConditionRegion().getArguments(), getInits()), printer,
      [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ") : ";
  printTypes(getInits().getTypes());
  if (getInits().getTypes() != getResultTypes()) {
    printer << " -> ";
    printTypes(getResultTypes());
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " ";
  printer.printRegion(getConditionRegion(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  if (getBody().getNumArguments() != 0) {
    printer << "(";
    llvm::interleaveComma(getBody().getArguments(), printer);
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ControlFlowOps.cpp.inc"
#pragma GCC diagnostic pop
