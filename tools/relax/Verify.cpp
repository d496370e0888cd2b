// `relax verify`: what is compiled beside the interpreter, at many sizes.
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Model.h"
#include "tools/relax/Passes.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relax::tool {
namespace {

using nlohmann::json;

struct Options {
  CompileRequest request;
  VerifyRequest verify;
  bool json = false;
};

std::string symbolsText(const json &symbols) {
  std::string text;
  for (const auto &[name, value] : symbols.items())
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value.get<int64_t>());
  return text.empty() ? "no symbols" : text;
}

std::string differenceText(const json &difference) {
  std::string text = fmt::format("\nDIFFERS: {} '{}'", difference["what"].get<std::string>(),
                                 difference["name"].get<std::string>());
  if (const auto strategy = difference["strategy"].get<std::string>(); !strategy.empty())
    text +=
        fmt::format(" (strategy {}) of @{}", strategy, difference["function"].get<std::string>());
  text += fmt::format("\n  sizes      {}\n", symbolsText(difference["symbols"]));
  if (const auto element = difference["element"].get<std::string>(); !element.empty())
    text += fmt::format("  element    {}\n  got        {}\n  expected   {}\n", element,
                        difference["got"].get<std::string>(),
                        difference["expected"].get<std::string>());
  if (difference["tolerance"].get<double>() > 0)
    text += fmt::format("  off by     {}, allowed {:.3g}\n", difference["error"].dump(),
                        difference["tolerance"].get<double>());
  text += fmt::format("  because    {}\n", difference["because"].get<std::string>());
  if (difference.contains("command"))
    text += fmt::format("  see it     {}\n", difference["command"].get<std::string>());
  return text;
}

std::string reportText(const json &report) {
  std::string text = fmt::format("{:>9}  {:22} kernel\n", "compared", "strategy");
  for (const json &kernel : report["kernels"])
    text += fmt::format("{:>9}  {:22} {}{}\n", kernel["compared"].get<int64_t>(),
                        kernel["strategy"].get<std::string>(), kernel["name"].get<std::string>(),
                        kernel["too_large"].get<int64_t>() > 0 ? "  (too large for the interpreter)"
                                                               : "");
  for (const json &function : report["functions"]) {
    text += fmt::format("@{}: {} cases, {} of them as a whole", function["name"].get<std::string>(),
                        function["cases"].get<int64_t>(), function["whole"].get<int64_t>());
    if (const auto refused = function["refused"].get<int64_t>(); refused > 0)
      text += fmt::format("; {} whose arguments are refused", refused);
    if (const auto note = function["note"].get<std::string>(); !note.empty())
      text += fmt::format(" ({})", note);
    text += "\n";
  }
  if (!report["finished"].get<bool>())
    text += "The time was up before all cases were done; --budget gives more.\n";
  text +=
      report["difference"].is_null() ? "Nothing differs.\n" : differenceText(report["difference"]);
  return text;
}

Status run(const Options &options) {
  auto kind = fileKind(options.request.input);
  if (!kind)
    return kind.takeStatus();
  if (*kind != FileKind::Gguf && !options.request.input.ends_with(".mlir"))
    return Status(StatusCode::InvalidFile,
                  options.request.input + ": found neither a GGUF file nor text IR (.mlir)");
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  auto text = compiler->verify(options.request, options.verify);
  if (!text)
    return text.takeStatus();
  const json report = json::parse(*text);
  RELAX_RETURN_IF_ERROR(writeOutput(options.json ? *text + "\n" : reportText(report)));
  if (!report["difference"].is_null())
    return Status(StatusCode::Internal, "compiled code differs from the interpreter");
  return {};
}

} // namespace

void addVerify(CLI::App &app, int &exitCode) {
  CLI::App &command =
      *app.add_subcommand("verify", "Compare every compiled kernel with the interpreter");
  auto options = std::make_shared<Options>();
  CompileRequest &request = options->request;
  VerifyRequest &verify = options->verify;
  command.add_option("MODEL", request.input, "A .gguf file, or a program as text IR (.mlir)")
      ->type_name("")
      ->required();
  command.add_option("--kernel", verify.kernel, "Only this kernel")->type_name("NAME");
  command.add_option("--function", verify.function, "Only this function")->type_name("NAME");
  command.add_option("--budget", verify.budget, "Seconds after which no new case is begun")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("SECONDS");
  command.add_option("--seed", verify.seed, "Of the random arguments")
      ->check(wholeNumber(0, INT64_MAX))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--reproducer", verify.reproducer,
                  "Write the first kernel that differs and its inputs into this folder")
      ->type_name("DIR");
  addTarget(command, request.target, "The machine that is compiled for");
  addActivations(command, request.activations, "As for `relax compile`");
  addCacheType(command, request.cacheType, "As for `relax compile`");
  addDisablePass(command, request.disabled);
  addPluginFlags(command, request);
  command.add_flag("--json", options->json, "Print one JSON document");
  command.footer("Examples:\n"
                 "  relax verify model.gguf\n"
                 "  relax verify program.mlir --reproducer /tmp/found --budget 60\n"
                 "Sizes are 0, 1, 2, the symbols' bounds, and what kernels compare sizes with and "
                 "step by,\none more and one less. Exit code 1 where something differs.");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
