#include "compiler/driver/PassTrace.h"

#include "compiler/driver/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace relax::driver {

PassTrace::PassTrace(Options options, std::vector<PassRecord> &records)
    : options(std::move(options)), records(records) {}

static bool isStep(Pass *pass, Operation *op) {
  // Adaptors that only hold nested passes are no step of their own.
  return isa<ModuleOp>(op) && pass->getName() != "mlir::detail::OpToOpPassAdaptor" &&
         !pass->getArgument().empty();
}

void PassTrace::runBeforePass(Pass *pass, Operation *op) {
  if (!isStep(pass, op))
    return;
  if (options.onStage)
    options.onStage(pass->getArgument().str());
  if (options.before)
    options.before(stepName(*pass), cast<ModuleOp>(op));
  if (options.timing)
    before = std::make_unique<OperationFingerPrint>(op);
  start = std::chrono::steady_clock::now();
}

void PassTrace::runAfterPass(Pass *pass, Operation *op) {
  if (!isStep(pass, op))
    return;
  PassRecord record;
  record.name = pass->getArgument().str();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.timing)
    record.changed = !before || *before != OperationFingerPrint(op);
  records.push_back(record);
  if (options.after)
    options.after(stepName(*pass), cast<ModuleOp>(op));
  if (options.dumpFolder.empty())
    return;
  std::string path = fmt::format("{}/{:02}-{}.mlir", options.dumpFolder, number++, record.name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error) {
    op->emitWarning("can't write ") << path << ": " << error.message();
    return;
  }
  op->print(stream, OpPrintingFlags().elideLargeElementsAttrs());
  stream << "\n";
}

std::vector<std::string> timingTable(const std::vector<PassRecord> &records) {
  double total = 0;
  for (const PassRecord &record : records)
    total += record.seconds;
  std::vector<std::string> lines = {"     ms     %  step"};
  for (const PassRecord &record : records)
    lines.push_back(fmt::format("{:7.1f}  {:4.1f}  {}{}", record.seconds * 1e3,
                                total > 0 ? 100 * record.seconds / total : 0.0, record.name,
                                record.changed ? "" : "  (changed nothing)"));
  lines.push_back(fmt::format("{:7.1f} 100.0  total", total * 1e3));
  return lines;
}

} // namespace relax::driver
