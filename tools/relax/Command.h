//===- Command.h - what the subcommands of `relax` share --------------------------------------===//
//
// Each subcommand is one file with one function that describes its flags to CLI11 and, if it is the
// one that was called, runs it. Results go to the standard output, all else to the standard error.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace relax::tool {

/// Exit codes of the program; documented in `relax --help`.
enum ExitCode : int {
  exitSuccess = 0,
  exitFailure = 1,    ///< The model or the machine failed: no memory, no disk, broken numbers.
  exitUsage = 2,      ///< Wrong flags or values; a prompt that is empty, too long or not UTF-8.
  exitBadFile = 3,    ///< A file that is missing, damaged or of an unknown kind.
  exitCancelled = 130 ///< Stopped by Ctrl-C.
};

ExitCode exitCodeFor(StatusCode code);

/// Makes `command` run `body` when it is called; its error is reported, and its code becomes the
/// program's exit code, held by `exitCode`.
void onCall(CLI::App &command, int &exitCode, std::function<Status()> body);

// One for each subcommand.
void addChat(CLI::App &app, int &exitCode);
void addGenerate(CLI::App &app, int &exitCode);
void addCompile(CLI::App &app, int &exitCode);
void addEval(CLI::App &app, int &exitCode);
void addPerplexity(CLI::App &app, int &exitCode);
void addTokenize(CLI::App &app, int &exitCode);
void addDetokenize(CLI::App &app, int &exitCode);
void addRun(CLI::App &app, int &exitCode);
void addInspect(CLI::App &app, int &exitCode);
void addBench(CLI::App &app, int &exitCode);
void addBisect(CLI::App &app, int &exitCode);
void addView(CLI::App &app, int &exitCode);
void addVerify(CLI::App &app, int &exitCode);
void addTuneDispatch(CLI::App &app, int &exitCode);

} // namespace relax::tool
