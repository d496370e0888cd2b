#include "compiler/driver/ViewModel.h"

#include "compiler/driver/InspectGuards.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/driver/ViewData.h"

#include "mlir/IR/OperationSupport.h"

#include <chrono>
#include <filesystem>

using namespace mlir;
using nlohmann::json;

namespace relax::driver::view {
// Made by cmake/EmbedFiles.cmake of the files in driver/view/.
extern const std::string_view page_html, style_css, core_js, text_js, passes_js, graph_js,
    kernels_js, memory_js, main_js;
} // namespace relax::driver::view

namespace relax::driver {
namespace {

/// Gathers while the passes run.
class Gatherer {
public:
  void before(const std::string &name, ModuleOp module) {
    if (name == "schedule-kernels") {
      addPrograms(module, texts, kernels);
      lowered = graphs(module);
    }
    start = std::chrono::steady_clock::now();
  }

  void after(const std::string &name, ModuleOp module) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (name == "import") {
      imported = graphs(module);
      gatherGuards(module);
    }
    if (name == "schedule-kernels")
      addSchedules(module, texts, kernels);
    if (name == "plan-memory")
      plans = memoryPlans(module);
    json functions = snapshot(module, texts);
    const bool changed = passes.empty() || passes.back()["functions"] != functions;
    if (name != "verify")
      passes.push_back({{"name", name},
                        {"ms", name == "import" ? 0 : seconds * 1e3},
                        {"changed", changed},
                        {"functions", std::move(functions)}});
    start = std::chrono::steady_clock::now();
  }

  /// The page's data.
  json take(const CompileOptions &options, const std::string &error) {
    json descriptions = json::object();
    for (const PipelineStep &step : pipelineSteps({}))
      descriptions[step.name] = {{"what", step.pass->getDescription().str()},
                                 {"needed", step.requiredBecause}};
    return {{"input", std::filesystem::path(options.input).filename().string()},
            {"compiler", compilerVersion()},
            {"activations", options.activations},
            {"disabled", options.disabled},
            {"error", error},
            {"descriptions", descriptions},
            {"lines", texts.lines()},
            {"texts", texts.texts()},
            {"passes", std::move(passes)},
            {"graphs", {{"imported", imported}, {"lowered", lowered}}},
            {"kernels", kernels},
            {"memory", plans},
            {"guards", guards}};
  }

private:
  void gatherGuards(ModuleOp module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    // What fails here fails in the passes as well, and is reported there.
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    if (FailureOr<json> found = inspectGuards(*copy); succeeded(found))
      guards = std::move(*found);
  }

  TextTable texts;
  json passes = json::array(), kernels = json::object(), plans = json::array();
  json imported = json::array(), lowered = json::array(), guards = json::array();
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

void replace(std::string &text, std::string_view mark, std::string_view with) {
  if (size_t at = text.find(mark); at != std::string::npos)
    text.replace(at, mark.size(), with);
}

std::string page(const json &data) {
  std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
  // Inside a script element only these would end it.
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  for (size_t at = 0; (at = text.find("<!--", at)) != std::string::npos; at += 5)
    text.replace(at, 4, "\\u003c!--");
  std::string scripts;
  for (std::string_view script : {view::core_js, view::text_js, view::passes_js, view::graph_js,
                                  view::kernels_js, view::memory_js, view::main_js})
    scripts.append(script).append("\n");
  std::string html(view::page_html);
  replace(html, "/*STYLE*/", view::style_css);
  replace(html, "/*SCRIPTS*/", scripts);
  replace(html, "/*DATA*/", text);
  return html;
}

} // namespace

Expected<std::string> viewModel(const CompileOptions &options, const CompileObserver &observer) {
  Gatherer gatherer;
  CompileObserver watching = observer;
  watching.before = [&](const std::string &name, ModuleOp module) {
    gatherer.before(name, module);
  };
  watching.after = [&](const std::string &name, ModuleOp module) { gatherer.after(name, module); };
  CompileOptions passesOnly = options;
  passesOnly.passesOnly = true;
  Expected<std::vector<uint8_t>> result = compileModel(passesOnly, watching);
  const std::string error = result ? std::string() : result.status().message();
  json data = gatherer.take(options, error);
  // Nothing to look at: the file itself couldn't be read.
  if (!result && data["passes"].empty())
    return result.takeStatus();
  if (!result && observer.message)
    observer.message(error);
  return page(data);
}

} // namespace relax::driver
