// The strategy siblings: programs whose results don't depend on each other (q, k and v of one
// input; gate and up; a rotary embedding beside the cache's update).
//
// Before:  func.func @k(%x, %w, %v) { %a = quantized_matmul %x, %w  %b = quantized_matmul %x, %v
//          return %a, %b }
//
// After:   func.func private @k.part(%x, %w, %a, %begin, %end)      by the strategy of its own
//          func.func @k(%x, %w, %v, %a, %b, %begin, %end) {
//            call @k.part(%x, %w, %a, max(%begin, 0), min(%end, units))
//            call @k.part(%x, %v, %b, max(%begin - units, 0), min(%end - units, units)) }
//
// The units of the parts are one after the other, so that one call of the kernel does the work of
// all, with one hand-over to the threads. Equal parts are one function. Each part is scheduled as
// if it were alone, so that its results are the same bits.

#include "compiler/kernels/Siblings.h"

#include "compiler/dialect/Ops.h"
#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// A part of the program: results by number, with what they are computed from.
struct Part {
  SmallVector<unsigned> results;
  llvm::SetVector<Operation *> ops; ///< In the program's order.
  SmallVector<unsigned> arguments;  ///< In the order in which the ops use them.
};

/// Ops that take nothing but sizes belong to every part that needs them.
bool isShared(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isa<ir::SymbolValueOp, tensor::EmptyOp>(op) ||
         isa<linalg::FillOp>(op);
}

SmallVector<Part> partsOf(func::FuncOp program) {
  Block &body = program.getBody().front();
  Operation *terminator = body.getTerminator();
  unsigned count = terminator->getNumOperands();
  // What each result is computed from.
  SmallVector<llvm::SetVector<Operation *>> slices(count);
  llvm::EquivalenceClasses<unsigned> classes;
  llvm::DenseMap<Operation *, unsigned> owner;
  for (unsigned i = 0; i < count; ++i) {
    classes.insert(i);
    SmallVector<Value> work = {terminator->getOperand(i)};
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      op = op ? body.findAncestorOpInBlock(*op) : nullptr;
      if (!op || !slices[i].insert(op))
        continue;
      if (!isShared(op)) {
        auto [it, inserted] = owner.try_emplace(op, i);
        if (!inserted)
          classes.unionSets(i, it->second);
      }
      op->walk([&](Operation *inner) { llvm::append_range(work, inner->getOperands()); });
    }
  }
  SmallVector<Part> parts;
  llvm::DenseMap<unsigned, unsigned> partOf;
  for (unsigned i = 0; i < count; ++i) {
    auto [it, inserted] = partOf.try_emplace(classes.getLeaderValue(i), parts.size());
    if (inserted)
      parts.emplace_back();
    parts[it->second].results.push_back(i);
  }
  for (Part &part : parts) {
    llvm::DenseSet<Operation *> needed;
    for (unsigned result : part.results)
      needed.insert(slices[result].begin(), slices[result].end());
    llvm::SetVector<unsigned> arguments;
    for (Operation &op : body)
      if (needed.contains(&op)) {
        part.ops.insert(&op);
        op.walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (auto argument = dyn_cast<BlockArgument>(operand);
                argument && argument.getOwner() == &body)
              arguments.insert(argument.getArgNumber());
        });
      }
    for (unsigned result : part.results)
      if (auto argument = dyn_cast<BlockArgument>(terminator->getOperand(result)))
        arguments.insert(argument.getArgNumber());
    part.arguments = arguments.takeVector();
  }
  return parts;
}

/// The part as a program of its own, not in a module; symbols as those of the whole.
func::FuncOp programOf(const Part &part, func::FuncOp whole) {
  Block &body = whole.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Type> inputs, results;
  for (unsigned i : part.arguments)
    inputs.push_back(whole.getArgumentTypes()[i]);
  for (unsigned i : part.results)
    results.push_back(whole.getResultTypes()[i]);
  OpBuilder b(whole.getContext());
  auto program = func::FuncOp::create(whole.getLoc(), "part", b.getFunctionType(inputs, results));
  program.setPrivate();
  for (NamedAttribute attribute : whole->getDiscardableAttrs())
    program->setAttr(attribute.getName(), attribute.getValue());
  Block *entry = program.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  IRMapping mapping;
  for (auto [i, argument] : llvm::zip_equal(part.arguments, entry->getArguments()))
    mapping.map(body.getArgument(i), argument);
  for (Operation *op : part.ops)
    b.clone(*op, mapping);
  SmallVector<Value> values;
  for (unsigned i : part.results)
    values.push_back(mapping.lookup(terminator->getOperand(i)));
  func::ReturnOp::create(b, whole.getLoc(), values);
  return program;
}

std::string textOf(func::FuncOp program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  program.print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

class SiblingsStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "siblings"; }

  bool matches(func::FuncOp program) const override {
    if (program.getNumResults() < 2 || !program.getBody().hasOneBlock())
      return false;
    // Elementwise parts share their loops where they are in one kernel.
    bool plain = llvm::none_of(program.getBody().front(), [](Operation &op) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      return ir::isStructuredKernelOp(&op) || (linalgOp && linalgOp.getNumReductionLoops() > 0);
    });
    if (plain)
      return false;
    SmallVector<Part> parts = partsOf(program);
    if (parts.size() < 2)
      return false;
    return llvm::all_of(parts, [&](const Part &part) {
      func::FuncOp own = programOf(part, program);
      bool known = findStrategy(own) != nullptr;
      own.erase();
      return known;
    });
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    OpBuilder &b = context.b;
    symbolic::Context &symbols = ir::symbolicContext(b.getContext());
    Expr first = symbols.constant(0), cost = symbols.constant(0);
    llvm::StringMap<std::pair<func::FuncOp, Schedule>> known;
    for (const Part &part : partsOf(context.program)) {
      func::FuncOp program = programOf(part, context.program);
      auto [it, inserted] = known.try_emplace(textOf(program));
      if (inserted) {
        FailureOr<std::pair<func::FuncOp, Schedule>> built =
            schedulePart(program, context.kernel, context.target);
        if (failed(built))
          return failure();
        it->second = *built;
      } else {
        program.erase();
      }
      auto &[kernel, schedule] = it->second;
      callPart(context, part, kernel, first, schedule.parallelExtent);
      first = first + schedule.parallelExtent;
      cost = cost + schedule.cost;
    }
    return Schedule{first, cost};
  }

private:
  /// Calls the part for its share of [begin, end), if it has one.
  static void callPart(KernelContext &context, const Part &part, func::FuncOp kernel, Expr first,
                       Expr units) {
    OpBuilder &b = context.b;
    Location loc = context.loc;
    Value offset = context.exprValue(first), count = context.exprValue(units);
    auto local = [&](Value v) -> Value {
      Value shifted = arith::SubIOp::create(b, loc, v, offset);
      Value low = arith::MaxSIOp::create(b, loc, shifted, context.index(0));
      return arith::MinSIOp::create(b, loc, low, count);
    };
    Value begin = local(context.begin()), end = local(context.end());
    SmallVector<Value> arguments;
    for (unsigned i : part.arguments)
      arguments.push_back(context.input(i));
    for (unsigned i : part.results)
      arguments.push_back(context.output(i));
    for (const std::string &name : context.symbols)
      arguments.push_back(context.symbol(name));
    arguments.append({begin, end});
    Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
    auto branch = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    func::CallOp::create(inside, loc, kernel, arguments);
  }
};

} // namespace

const KernelStrategy &siblingsStrategy() {
  static const SiblingsStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
