#include "compiler/transforms/KernelSymbols.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace relax::transforms {

void appendSymbols(symbolic::Expr expr, SymbolNames &names) {
  std::set<std::string> used;
  expr.collectSymbols(used);
  for (const std::string &name : used)
    names.insert(expr.getContext().symbol(name).symbolName());
}

KernelSymbols nameKernelSymbols(MLIRContext *context, const SymbolNames &names) {
  symbolic::Context &symbols = ir::symbolicContext(context);
  Builder b(context);
  KernelSymbols result;
  SmallVector<Attribute> own, values;
  for (StringRef name : names) {
    std::string renamed = "s" + std::to_string(own.size());
    result.renaming[name.str()] = symbols.symbol(renamed);
    own.push_back(b.getStringAttr(renamed));
    values.push_back(ir::ExprAttr::get(context, symbols.symbol(name.str())));
  }
  result.own = b.getArrayAttr(own);
  result.values = b.getArrayAttr(values);
  return result;
}

} // namespace relax::transforms
