// unique, nonzero, masked_select, top_p_filter: as many results as the values say. A program fills
// buffers of the most that there can be, and counts; the graph takes the prefix of that length.

#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/SearchOps.h"
#include "compiler/dialect/ops/ShapeOps.h"
#include "compiler/kernels/programs/search/Order.h"
#include "compiler/kernels/programs/search/SearchPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

FailureOr<Value> flattened(OpBuilder &b, Operation *op, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  symbolic::Expr count = ir::elementCount(op->getContext(), ir::shapeOf(type));
  if (!count)
    return op->emitError("has an operand of type ")
           << type << ", with a dimension whose size isn't known; give it a symbol by "
           << "relax.match_cast";
  return Value(ir::ReshapeOp::create(b, op->getLoc(), value, ArrayRef(count)));
}

bool hasOtherRank(Operation *op) {
  return llvm::any_of(op->getOperandTypes(),
                      [](Type type) { return cast<RankedTensorType>(type).getRank() != 1; });
}

LogicalResult onVectors(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands()) {
    FailureOr<Value> flat = flattened(b, op, operand);
    if (failed(flat))
      return failure();
    state.addOperands(*flat);
  }
  state.addAttributes(op->getAttrs());
  for (Type result : op->getResultTypes()) {
    auto type = cast<RankedTensorType>(result);
    symbolic::Expr count = ir::elementCount(op->getContext(), ir::shapeOf(type));
    state.addTypes(ir::tensorType(op->getContext(), {count}, type.getElementType()));
  }
  Operation *flat = b.create(state);
  for (auto [type, result] : llvm::zip_equal(op->getResultTypes(), flat->getResults())) {
    auto shaped = cast<RankedTensorType>(type);
    values.push_back(shaped.getRank() == 1 ? result
                                           : Value(ir::ReshapeOp::create(b, op->getLoc(), result,
                                                                         ir::shapeOf(shaped))));
  }
  return success();
}

static Type vectorOf(Operation *op, symbolic::Expr count, Type element) {
  return ir::tensorType(op->getContext(), {count}, element);
}
static Type i64(Operation *op) { return IntegerType::get(op->getContext(), 64); }
static Type countType(Operation *op) { return RankedTensorType::get({}, i64(op)); }

/// A count as a tensor.
static Value countTensor(const LoopBuilder &l, const ProgramBuilder &program, unsigned result,
                         Value count) {
  return l.insert(l.toI64(count), program.empty(program.types[result]), {});
}

static Value prefix(OpBuilder &b, Operation *op, Value buffer, Value count, StringRef symbol) {
  return ir::PrefixOp::create(b, op->getLoc(), buffer, count, symbol);
}

/// A second result of the same length: its own symbol, which is then said to be the first.
static Value prefixAgain(OpBuilder &b, Operation *op, Value buffer, Value count, StringRef symbol) {
  std::set<std::string> used;
  op->getParentOfType<func::FuncOp>()->walk([&](Operation *other) {
    for (Type type : other->getResultTypes())
      ir::collectSymbols(type, used);
  });
  std::string name;
  for (unsigned number = 2; name.empty() || used.count(name); ++number)
    name = symbol.str() + "_" + std::to_string(number);
  Value own = prefix(b, op, buffer, count, name);
  auto type = cast<RankedTensorType>(buffer.getType());
  SmallVector<symbolic::Expr> dims(ir::shapeOf(type));
  dims[0] = ir::symbolicContext(op->getContext()).symbol(std::string_view(symbol));
  Type wanted = ir::tensorType(op->getContext(), dims, type.getElementType());
  return ir::MatchCastOp::create(b, op->getLoc(), wanted, own);
}

// -- unique --

SmallVector<Type> uniqueBuffers(Operation *op) {
  auto unique = cast<ir::UniqueOp>(op);
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  symbolic::Expr count = ir::elementCount(op->getContext(), ir::shapeOf(x));
  Type positions = vectorOf(op, count, i64(op));
  SmallVector<Type> types = {vectorOf(op, count, x.getElementType())};
  types.append(unique.getInverse() + unique.getCounts(), positions);
  types.push_back(countType(op));
  types.append(2, positions);
  return types;
}

SmallVector<Value> buildUnique(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  auto op = cast<ir::UniqueOp>(program.op);
  Order order = orderOf(program.op, 0, false);
  Value x = program.inputs[0], count = l.dim(x, 0), one = l.index(1), zero = l.index(0);
  unsigned buffers = program.types.size() - 3;
  auto at = [&](Value place) { return l.extract(x, place); };
  auto sorted = sortPositions(l, order, program.empty(program.types[buffers + 1]),
                              program.empty(program.types[buffers + 2]), count, at);
  // Carried: how many different elements so far, then the buffers.
  SmallVector<Value> inits = {zero};
  for (unsigned i = 0; i < buffers; ++i)
    inits.push_back(program.empty(program.types[i]));
  auto found = l.loop(count, inits, [&](Value i, ValueRange carried) -> LoopBuilder::Values {
    Value place = l.toIndex(l.extract(sorted[0], i));
    Value element = at(place);
    // The first is compared with itself, and counts anyway.
    Value before = l.select(l.less(zero, i), l.sub(i, one), i);
    Value previous = at(l.toIndex(l.extract(sorted[0], before)));
    Value differs =
        isa<FloatType>(element.getType())
            ? Value(arith::CmpFOp::create(l.b, l.loc, arith::CmpFPredicate::UNE, element, previous))
            : Value(arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::ne, element, previous));
    Value isFirst = l.isNot(l.less(zero, i));
    Value isNew = l.either(differs, isFirst);
    Value total = l.select(isNew, l.add(carried[0], one), carried[0]);
    Value last = l.sub(total, one);
    // The first of equal elements stays.
    LoopBuilder::Values next = {total};
    next.push_back(l.choose(
        isNew, [&] { return LoopBuilder::Values{l.insert(element, carried[1], last)}; },
        [&] { return LoopBuilder::Values{carried[1]}; })[0]);
    unsigned buffer = 2;
    if (op.getInverse())
      next.push_back(l.insert(l.toI64(last), carried[buffer++], place));
    if (op.getCounts()) {
      Value old = l.extract(carried[buffer], last);
      Value sum = l.add(l.select(isNew, l.i64(0), old), l.i64(1));
      next.push_back(l.insert(sum, carried[buffer], last));
    }
    return next;
  });
  SmallVector<Value> results(llvm::drop_begin(found));
  results.push_back(countTensor(l, program, buffers, found[0]));
  llvm::append_range(results, sorted);
  return results;
}

LogicalResult finishUnique(OpBuilder &b, Operation *op, ValueRange results,
                           SmallVectorImpl<Value> &values) {
  auto unique = cast<ir::UniqueOp>(op);
  unsigned buffer = 1;
  Value count = results[1 + unique.getInverse() + unique.getCounts()];
  values.push_back(prefix(b, op, results[0], count, unique.getSymbol()));
  if (unique.getInverse())
    values.push_back(results[buffer++]);
  if (unique.getCounts())
    values.push_back(prefixAgain(b, op, results[buffer], count, unique.getSymbol()));
  return success();
}

// -- nonzero --

SmallVector<Type> nonzeroBuffers(Operation *op) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  symbolic::Context &symbols = ir::symbolicContext(op->getContext());
  symbolic::Expr count = ir::elementCount(op->getContext(), ir::shapeOf(x));
  return {ir::tensorType(op->getContext(), {count, symbols.constant(x.getRank())}, i64(op)),
          countType(op)};
}

SmallVector<Value> buildNonzero(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Value x = program.inputs[0], one = l.index(1);
  int64_t rank = program.inputType(0).getRank();
  SmallVector<Value> position;
  std::function<LoopBuilder::Values(ValueRange)> nest =
      [&](ValueRange carried) -> LoopBuilder::Values {
    auto dimension = int64_t(position.size());
    if (dimension < rank)
      return l.loop(l.dim(x, dimension), carried, [&](Value i, ValueRange inner) {
        position.push_back(i);
        LoopBuilder::Values next = nest(inner);
        position.pop_back();
        return next;
      });
    Value element = l.extract(x, position);
    Value zero = program.constant(l.b, element.getType(), 0);
    Value isNonzero =
        isa<FloatType>(element.getType())
            ? Value(arith::CmpFOp::create(l.b, l.loc, arith::CmpFPredicate::UNE, element, zero))
            : Value(arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::ne, element, zero));
    return l.choose(
        isNonzero,
        [&]() -> LoopBuilder::Values {
          Value buffer = carried[1];
          for (auto [i, place] : llvm::enumerate(position))
            buffer = l.insert(l.toI64(place), buffer, {carried[0], l.index(int64_t(i))});
          return {l.add(carried[0], one), buffer};
        },
        [&] { return LoopBuilder::Values(carried); });
  };
  auto found = nest(SmallVector<Value>{l.index(0), program.empty(program.types[0])});
  return {found[1], countTensor(l, program, 1, found[0])};
}

LogicalResult finishNonzero(OpBuilder &b, Operation *op, ValueRange results,
                            SmallVectorImpl<Value> &values) {
  Value rows = prefix(b, op, results[0], results[1], cast<ir::NonzeroOp>(op).getSymbol());
  values.push_back(ir::PermuteOp::create(b, op->getLoc(), rows, ArrayRef<int64_t>{1, 0}));
  return success();
}

// -- masked_select --

SmallVector<Type> maskedSelectBuffers(Operation *op) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  symbolic::Expr count = ir::elementCount(op->getContext(), ir::shapeOf(x));
  return {vectorOf(op, count, x.getElementType()), countType(op)};
}

SmallVector<Value> buildMaskedSelect(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Value x = program.inputs[0], mask = program.inputs[1];
  auto found = l.loop(l.dim(x, 0), {l.index(0), program.empty(program.types[0])},
                      [&](Value i, ValueRange carried) {
                        return l.choose(
                            l.extract(mask, i),
                            [&]() -> LoopBuilder::Values {
                              return {l.add(carried[0], l.index(1)),
                                      l.insert(l.extract(x, i), carried[1], carried[0])};
                            },
                            [&] { return LoopBuilder::Values(carried); });
                      });
  return {found[1], countTensor(l, program, 1, found[0])};
}

LogicalResult finishMaskedSelect(OpBuilder &b, Operation *op, ValueRange results,
                                 SmallVectorImpl<Value> &values) {
  StringRef symbol = cast<StringAttr>(op->getAttr("symbol")).getValue();
  values.push_back(prefix(b, op, results[0], results[1], symbol));
  return success();
}

// -- top_p_filter --

SmallVector<Type> topPFilterBuffers(Operation *op) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  Type positions = vectorOf(op, ir::shapeOf(x)[0], i64(op));
  return {x, positions, countType(op), positions, positions};
}

SmallVector<Value> buildTopPFilter(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  auto op = cast<ir::TopPFilterOp>(program.op);
  Value x = program.inputs[0], count = l.dim(x, 0), one = l.index(1), zero = l.index(0);
  auto at = [&](Value place) { return l.extract(x, place); };
  auto sorted = sortPositions(l, orderOf(program.op, 0, true), program.empty(program.types[3]),
                              program.empty(program.types[4]), count, at);
  Type element = program.types[0].getElementType();
  Type wide = element.isF64() ? element : Type(l.b.getF32Type());
  Value p = program.constant(l.b, wide, op.getP().convertToDouble());
  Value nothing = program.constant(l.b, wide, 0);
  auto kept = l.loopWhile(
      {zero, nothing, program.empty(program.types[0]), program.empty(program.types[1])},
      [&](ValueRange v) {
        Value isShort = arith::CmpFOp::create(l.b, l.loc, arith::CmpFPredicate::OLT, v[1], p);
        Value isFirst = l.isNot(l.less(zero, v[0]));
        return l.both(l.less(v[0], count), l.either(isShort, isFirst));
      },
      [&](ValueRange v) -> LoopBuilder::Values {
        Value place = l.extract(sorted[0], v[0]);
        Value probability = at(l.toIndex(place)), summand = probability;
        if (wide != element)
          summand = arith::ExtFOp::create(l.b, l.loc, wide, probability);
        return {l.add(v[0], one), arith::AddFOp::create(l.b, l.loc, v[1], summand),
                l.insert(probability, v[2], v[0]), l.insert(place, v[3], v[0])};
      });
  return {kept[2], kept[3], countTensor(l, program, 2, kept[0]), sorted[0], sorted[1]};
}

LogicalResult finishTopPFilter(OpBuilder &b, Operation *op, ValueRange results,
                               SmallVectorImpl<Value> &values) {
  StringRef symbol = cast<ir::TopPFilterOp>(op).getSymbol();
  values.push_back(prefix(b, op, results[0], results[2], symbol));
  values.push_back(prefixAgain(b, op, results[1], results[2], symbol));
  return success();
}

} // namespace relax::kernels
