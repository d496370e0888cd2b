#include "compiler/driver/ApplicationLimit.h"

#include "compiler/transforms/Application.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace relax::driver {
namespace {

/// The handler of MLIR's actions that counts.
class Limiter {
public:
  Limiter(ApplicationLimit limit, const PipelineOptions &options) : limit(std::move(limit)) {
    for (const PipelineStep &step : pipelineSteps(options))
      if (!step.requiredBecause.empty())
        needed.insert(step.name);
    needed.insert("verify");
  }

  Status openLog() {
    if (limit.logFile.empty())
      return {};
    std::error_code error;
    log = std::make_unique<llvm::raw_fd_ostream>(limit.logFile, error);
    if (error)
      return Status(StatusCode::Io, limit.logFile + ": can't be written: " + error.message());
    return {};
  }

  void run(function_ref<void()> transform, const tracing::Action &action) {
    if (auto *pass = dyn_cast<PassExecutionAction>(&action))
      return runPass(transform, *pass);
    if (isa<ApplyPatternAction, transforms::ApplicationAction>(action) && inLastPass) {
      ++steps;
      if (limit.steps && steps > *limit.steps)
        return;
      write("step " + std::to_string(steps) + " ", action);
    }
    transform();
  }

private:
  void runPass(function_ref<void()> transform, const PassExecutionAction &action) {
    const std::string name = stepName(action.getPass());
    // Passes inside others, and adaptors, belong to the step that runs them.
    if (inPass || name.empty())
      return transform();
    inPass = true;
    if (needed.contains(name)) {
      write("needed " + name);
      transform();
    } else if (++passes; !limit.passes || passes <= *limit.passes) {
      write("pass " + std::to_string(passes) + " " + name);
      inLastPass = limit.passes && passes == *limit.passes;
      transform();
      inLastPass = false;
    }
    inPass = false;
  }

  void write(const std::string &line) {
    if (!log)
      return;
    *log << line << "\n";
    log->flush();
  }
  void write(const std::string &start, const tracing::Action &action) {
    if (!log)
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    action.print(stream);
    for (const IRUnit &unit : action.getContextIRUnits())
      if (auto *op = dyn_cast_if_present<Operation *>(unit)) {
        stream << " at " << op->getLoc();
        break;
      }
    llvm::replace(text, '\n', ' ');
    write(start + text);
  }

  ApplicationLimit limit;
  llvm::StringSet<> needed;
  std::unique_ptr<llvm::raw_fd_ostream> log;
  int64_t passes = 0, steps = 0;
  bool inPass = false, inLastPass = false;
};

std::optional<int64_t> numberOf(StringRef text) {
  int64_t value = 0;
  if (text.getAsInteger(10, value) || value < 0)
    return std::nullopt;
  return value;
}

} // namespace

Expected<ApplicationLimit> parseApplicationLimit(const std::string &text) {
  auto [first, second] = StringRef(text).split('.');
  ApplicationLimit limit;
  limit.passes = numberOf(first);
  if (StringRef(text).contains('.'))
    limit.steps = numberOf(second);
  if (!limit.passes || (StringRef(text).contains('.') && !limit.steps))
    return Status(StatusCode::InvalidArgument,
                  "the limit of passes is '" + text +
                      "'; expected a number such as 12, or 12.3 for three steps of the last");
  return limit;
}

Status limitApplications(MLIRContext &context, const ApplicationLimit &limit,
                         const PipelineOptions &options) {
  if (!limit.isActive())
    return {};
  auto limiter = std::make_shared<Limiter>(limit, options);
  RELAX_RETURN_IF_ERROR(limiter->openLog());
  // Steps have one order only without threads.
  context.disableMultithreading();
  context.registerActionHandler(
      [limiter](function_ref<void()> transform, const tracing::Action &action) {
        limiter->run(transform, action);
      });
  return {};
}

} // namespace relax::driver
