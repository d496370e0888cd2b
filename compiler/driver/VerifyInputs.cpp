#include "compiler/driver/VerifyInputs.h"

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::driver {
namespace {

/// Edges of a symbol beyond which nobody learns more from trying.
constexpr int64_t maxSize = 4096;
/// Unknown dimensions have this size.
constexpr int64_t unknownSize = 3;

std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attribute;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    attribute = dyn_cast<IntegerAttr>(constant.getValue());
  return attribute ? std::optional(attribute.getInt()) : std::nullopt;
}

struct Declared {
  std::string name;
  int64_t lower, upper, divisor;
  [[nodiscard]] bool takes(int64_t value) const {
    return value >= lower && value <= upper && value % divisor == 0;
  }
  /// The value at or above `value` that it takes.
  [[nodiscard]] int64_t nearest(int64_t value) const {
    value = std::clamp(value, lower, upper);
    const int64_t up = (value + divisor - 1) / divisor * divisor;
    return up <= upper ? up : upper / divisor * divisor;
  }
};

std::vector<Declared> declaredSymbols(func::FuncOp function) {
  std::vector<Declared> list;
  if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    for (const ir::SymbolDeclaration &s : symbols.getDeclarations())
      list.push_back({s.name.str(), s.lo, s.hi ? *s.hi : INT64_MAX / 4, s.divisor});
  return list;
}

/// The elements of the largest argument; nothing if a size is negative or too large.
std::optional<int64_t> largestArgument(func::FuncOp function, const SymbolValues &values) {
  int64_t largest = 0;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    int64_t count = 1;
    for (Expr dim : ir::shapeOf(tensor)) {
      std::optional<int64_t> size = dim ? symbolic::evaluate(dim, values) : unknownSize;
      if (!size || *size < 0 || llvm::MulOverflow(count, *size, count))
        return std::nullopt;
    }
    largest = std::max(largest, count);
  }
  return largest;
}

/// A page table has pages of its own for each entry: as many pages as entries, at least.
void makeRoomForPages(func::FuncOp function, SymbolValues &values) {
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    auto range = function.getArgAttrOfType<ir::ValuesAttr>(i, ir::RelaxDialect::valuesAttr);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!range || !type || type.getRank() < 2 || !range.getUpper().isSymbol())
      continue;
    int64_t entries = 1;
    for (Expr dim : ir::shapeOf(type))
      entries *= dim ? symbolic::evaluate(dim, values).value_or(0) : unknownSize;
    int64_t &pages = values[range.getUpper().symbolName()];
    pages = std::max(pages, entries);
  }
}

class ArgumentMaker {
public:
  ArgumentMaker(func::FuncOp function, const SymbolValues &symbols, std::mt19937_64 &random)
      : function(function), symbols(symbols), random(random) {}

  Expected<std::vector<interpreter::Value>> make() {
    std::vector<interpreter::Value> values;
    for (unsigned i = 0; i != function.getNumArguments(); ++i) {
      range = function.getArgAttrOfType<ir::ValuesAttr>(i, ir::RelaxDialect::valuesAttr);
      Expected<interpreter::Value> value = make(function.getArgumentTypes()[i]);
      if (!value)
        return value.takeStatus();
      values.push_back(std::move(*value));
    }
    RELAX_RETURN_IF_ERROR(makeRagged(values));
    return values;
  }

private:
  static Status impossible(const std::string &why) { return Status(StatusCode::Unsupported, why); }

  Expected<std::vector<int64_t>> sizes(ArrayRef<Expr> dims) {
    std::vector<int64_t> result;
    for (Expr dim : dims) {
      std::optional<int64_t> size = dim ? symbolic::evaluate(dim, symbols) : unknownSize;
      if (!size || *size < 0)
        return impossible("the size " + dim.str() + " has no value");
      result.push_back(*size);
    }
    return result;
  }

  Expected<interpreter::Value> make(Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (!tensor.getElementType().isIntOrFloat())
        return impossible("elements of an unknown type");
      Expected<std::vector<int64_t>> dims = sizes(ir::shapeOf(tensor));
      if (!dims)
        return dims.takeStatus();
      return tensorOf(tensor.getElementType(), std::move(*dims));
    }
    if (auto shape = dyn_cast<ir::ShapeType>(type); shape && shape.hasRank()) {
      Expected<std::vector<int64_t>> dims = sizes(shape.getDimsOrUnknown());
      if (!dims)
        return dims.takeStatus();
      return interpreter::Value(interpreter::Shape{std::move(*dims)});
    }
    if (auto tuple = dyn_cast<TupleType>(type)) {
      auto fields = std::make_shared<std::vector<interpreter::Value>>();
      for (Type field : tuple.getTypes()) {
        Expected<interpreter::Value> value = make(field);
        if (!value)
          return value;
        fields->push_back(std::move(*value));
      }
      return interpreter::Value(interpreter::Tuple{std::move(fields)});
    }
    return impossible(
        "a parameter is neither a tensor of known rank, a shape nor a tuple of these");
  }

  int64_t below(int64_t limit) {
    return limit > 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(limit)) : 0;
  }

  Expected<interpreter::Value> tensorOf(Type element, std::vector<int64_t> dims) {
    if (element.isUnsignedInteger())
      element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
    interpreter::TensorPointer tensor = interpreter::makeTensor(element, std::move(dims));
    std::vector<interpreter::Scalar> &elements = tensor->elements;
    if (auto real = dyn_cast<FloatType>(element)) {
      std::normal_distribution<double> normal;
      for (interpreter::Scalar &e : elements)
        e = interpreter::realScalar(interpreter::roundToType(normal(random), real));
      return interpreter::Value(std::move(tensor));
    }
    std::optional<int64_t> upper = 10;
    if (range)
      upper = symbolic::evaluate(range.getUpper(), symbols);
    if (element.isInteger(1))
      upper = 2;
    if (!upper || (*upper <= 0 && !elements.empty()))
      return impossible("an index has no value that is allowed");
    const auto count = static_cast<int64_t>(elements.size());
    if (range && tensor->dims.size() >= 2 && *upper >= count) {
      // A page of its own for each entry: two writes to one slot would have no order.
      std::vector<int64_t> pages(static_cast<size_t>(*upper));
      std::iota(pages.begin(), pages.end(), 0);
      std::shuffle(pages.begin(), pages.end(), random);
      for (size_t i = 0; i != elements.size(); ++i)
        elements[i] = interpreter::integerScalar(pages[i]);
    } else {
      for (interpreter::Scalar &e : elements)
        e = interpreter::integerScalar(below(*upper));
    }
    return interpreter::Value(std::move(tensor));
  }

  /// Starts that rise from 0 to the total, and cached lengths that leave room for the rest.
  Status makeRagged(std::vector<interpreter::Value> &values) {
    auto ragged = function->getAttrOfType<DictionaryAttr>(ir::RelaxDialect::raggedAttr);
    if (!ragged)
      return {};
    auto number = [&](StringRef name) {
      return symbolic::evaluate(ragged.getAs<ir::ExprAttr>(name).getExpr(), symbols);
    };
    auto argument = [&](StringRef name) -> std::vector<interpreter::Scalar> & {
      return values[static_cast<size_t>(ragged.getAs<IntegerAttr>(name).getInt())]
          .tensor()
          ->elements;
    };
    std::optional<int64_t> total = number("total"), limit = number("limit");
    std::vector<interpreter::Scalar> &starts = argument("starts"), &cached = argument("cached");
    const auto sequences = static_cast<int64_t>(cached.size());
    if (!total || !limit || *total > sequences * *limit)
      return impossible("the tokens don't fit the sequences");
    int64_t start = 0;
    for (int64_t s = 0; s != sequences; ++s) {
      starts[static_cast<size_t>(s)] = interpreter::integerScalar(start);
      // As many as the later sequences can't take, up to what this one can.
      const int64_t rest = *total - start, later = (sequences - 1 - s) * *limit;
      const int64_t least = std::max<int64_t>(0, rest - later), most = std::min(rest, *limit);
      const int64_t length = s + 1 == sequences ? rest : least + below(most - least + 1);
      cached[static_cast<size_t>(s)] = interpreter::integerScalar(below(*limit - length + 1));
      start += length;
    }
    if (!starts.empty())
      starts.back() = interpreter::integerScalar(*total);
    return {};
  }

  func::FuncOp function;
  const SymbolValues &symbols;
  std::mt19937_64 &random;
  ir::ValuesAttr range;
};

} // namespace

std::string symbolsText(const SymbolValues &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text.empty() ? "no symbols" : text;
}

std::set<int64_t> thresholdsOf(ModuleOp scheduled) {
  std::set<int64_t> found;
  auto add = [&](Value value) {
    if (std::optional<int64_t> number = constantOf(value); number && *number > 2 && *number <= 1024)
      found.insert(*number);
  };
  scheduled.walk([&](Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      add(compare.getLhs());
      add(compare.getRhs());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(loop.getStep());
    }
  });
  return found;
}

std::vector<SymbolValues> sweep(func::FuncOp function, const std::set<int64_t> &thresholds,
                                int64_t maxElements) {
  const std::vector<Declared> symbols = declaredSymbols(function);
  std::vector<SymbolValues> list;
  std::set<SymbolValues> seen;
  auto add = [&](SymbolValues values) {
    makeRoomForPages(function, values);
    for (const Declared &symbol : symbols)
      if (!symbol.takes(values[symbol.name]))
        return;
    std::optional<int64_t> elements = largestArgument(function, values);
    if (elements && *elements <= maxElements && seen.insert(values).second)
      list.push_back(std::move(values));
  };
  auto allAt = [&](int64_t value) {
    SymbolValues values;
    for (const Declared &symbol : symbols)
      values[symbol.name] = symbol.nearest(value);
    return values;
  };
  add(allAt(3));
  for (int64_t value : {1, 2, 0})
    add(allAt(value));
  auto each = [&](auto edges) {
    for (const Declared &symbol : symbols)
      for (int64_t edge : edges(symbol))
        if (symbol.takes(edge) && edge <= std::max(maxSize, symbol.lower)) {
          SymbolValues values = allAt(3);
          values[symbol.name] = edge;
          add(std::move(values));
        }
  };
  each([](const Declared &s) {
    return std::vector<int64_t>{1, 0, 2, s.lower, s.lower + s.divisor, 5, 7};
  });
  each([&](const Declared &s) {
    std::vector<int64_t> edges;
    for (int64_t threshold : thresholds)
      if (threshold <= 64 || thresholds.size() <= 24)
        for (int64_t edge : {threshold + 1, threshold, threshold - 1})
          edges.push_back(edge * (s.divisor > 1 ? s.divisor : 1));
    return edges;
  });
  each([](const Declared &s) {
    return std::vector<int64_t>{17, 16, 15, 33, 32, 31, 65, 64, 63, s.upper, s.upper - s.divisor};
  });
  for (int64_t value : {17, 33, 64})
    add(allAt(value));
  return list;
}

Expected<std::vector<interpreter::Value>>
makeArguments(func::FuncOp function, const SymbolValues &symbols, std::mt19937_64 &random) {
  return ArgumentMaker(function, symbols, random).make();
}

} // namespace relax::driver
