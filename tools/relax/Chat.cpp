#include "llm/ChatSession.h"
#include "tools/relax/Command.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <optional>

namespace relax::tool {
namespace {

constexpr const char *helpText = "/reset          forget the conversation\n"
                                 "/system TEXT    set the instruction, and begin anew\n"
                                 "/stats          times and rates of the last answer\n"
                                 "/help           this list\n"
                                 "/exit           leave (Ctrl-D too)\n"
                                 "Ctrl-C stops an answer.\n";

struct Options {
  ModelFlags model;
  llm::GenerateOptions generate;
  std::string system, message;
  bool statistics = false;
};

enum class Input { Line, End, Interrupted, TooLong };

/// One line of the standard input, without its newline.
Input readLine(std::string &line) {
  line.clear();
  for (;;) {
    errno = 0;
    const int c = std::getchar();
    if (c == EOF && errno == EINTR) {
      std::clearerr(stdin);
      return Input::Interrupted;
    }
    if (c == EOF)
      return line.empty() ? Input::End : Input::Line;
    if (c == '\n')
      return Input::Line;
    if (line.size() == maxTextBytes)
      return Input::TooLong;
    line += static_cast<char>(c);
  }
}

class Chat {
public:
  Chat(const Options &options, LoadedModel &model, llm::ChatSession session)
      : options(options), model(model), session(std::move(session)),
        interactive(inputIsTerminal() && outputIsTerminal()) {}

  Status run() {
    if (interactive)
      fmt::print(stderr, "{}\n", colouredForErrors(Colour::Dim, "/help lists what you can do."));
    std::string line;
    for (;;) {
      if (interactive)
        RELAX_RETURN_IF_ERROR(writeOutput(colouredForOutput(Colour::Green, "> ")));
      clearInterrupt();
      switch (readLine(line)) {
      case Input::End:
        return interactive ? writeOutput("\n") : Status();
      case Input::Interrupted:
        // At the prompt Ctrl-C drops the line, as in a shell; in a pipe it ends the program.
        if (!interactive)
          return Status(StatusCode::Cancelled, "cancelled");
        RELAX_RETURN_IF_ERROR(writeOutput("\n"));
        continue;
      case Input::TooLong:
        return textTooLong("the message");
      case Input::Line:
        break;
      }
      if (line.starts_with("/")) {
        if (line == "/exit" || line == "/quit")
          return {};
        RELAX_RETURN_IF_ERROR(command(line));
      } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
        RELAX_RETURN_IF_ERROR(ask(line));
      }
    }
  }

  /// One question, answered on the standard output.
  Status ask(const std::string &message) {
    if (Status status = checkUtf8("the message", message); !status.ok())
      return tell(std::move(status));
    llm::GenerateOptions generate = options.generate;
    // Another answer to the same words; the whole conversation is still decided by the seed.
    generate.sampling.seed += session.messages().size();
    Status output;
    auto generation = session.ask(
        message, generate,
        [&](std::string_view text) {
          if (output.ok())
            output = writeOutput(text);
        },
        [&] { return interrupted() || !output.ok(); });
    RELAX_RETURN_IF_ERROR(std::move(output));
    if (!generation) {
      const bool tooLong = generation.status().code() == StatusCode::InvalidArgument;
      RELAX_RETURN_IF_ERROR(tell(generation.takeStatus()));
      if (tooLong)
        reportNote("/reset forgets the conversation and makes room");
      return {};
    }
    RELAX_RETURN_IF_ERROR(writeOutput("\n"));
    last = generation->statistics;
    if (generation->reason == llm::StopReason::Context)
      reportNote("the context is full; /reset begins anew");
    if (generation->reason == llm::StopReason::MaxTokens)
      reportNote(
          fmt::format("the answer was cut after {} tokens (-n)", options.generate.maxTokens));
    const bool cancelled = generation->reason == llm::StopReason::Cancelled;
    if (cancelled && !interactive)
      return Status(StatusCode::Cancelled, "cancelled");
    if (options.statistics)
      fmt::print(stderr, "\n{}", statisticsText(model, *last));
    return {};
  }

private:
  /// In a conversation a line that fails is no reason to leave; in a pipe it is.
  Status tell(Status status) const {
    if (!interactive)
      return status;
    reportError(status.message());
    return {};
  }

  Status command(const std::string &line) {
    const size_t space = line.find(' ');
    const std::string name = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (Status status = checkUtf8("the command", line); !status.ok())
      return tell(std::move(status));
    if (name == "/reset") {
      session.reset();
      reportNote("the conversation is forgotten");
    } else if (name == "/system") {
      session.setSystem(rest);
      reportNote(rest.empty() ? "the model's own instruction holds again"
                              : "the instruction is set");
    } else if (name == "/stats") {
      fmt::print(stderr, "{}", last ? statisticsText(model, *last) : "there was no answer yet\n");
    } else {
      if (name != "/help")
        reportError(fmt::format("there is no command {}", name));
      fmt::print(stderr, "{}", helpText);
    }
    return {};
  }

  const Options &options;
  LoadedModel &model;
  llm::ChatSession session;
  bool interactive;
  std::optional<llm::Statistics> last;
};

Status run(const Options &options) {
  if (auto sampler = llm::Sampler::create(options.generate.sampling); !sampler)
    return sampler.takeStatus();
  RELAX_RETURN_IF_ERROR(checkUtf8("--system", options.system));
  auto model = loadModel(options.model);
  if (!model)
    return model.takeStatus();
  auto session = llm::ChatSession::create(model->engine);
  if (!session)
    return session.takeStatus();
  session->setSystem(options.system);
  Chat chat(options, *model, std::move(*session));
  return options.message.empty() ? chat.run() : chat.ask(options.message);
}

} // namespace

void addChat(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("chat", "Talk with a model");
  auto options = std::make_shared<Options>();
  options->generate.maxTokens = 1024;
  options->model.describe(command);
  command.add_option("--system", options->system, "The instruction that the model begins with")
      ->type_name("TEXT");
  CLI::Option *message =
      command.add_option("-m,--message", options->message, "Ask this, print the answer, and leave")
          ->type_name("TEXT");
  describeSampling(command, options->generate);
  command.add_flag("--stats", options->statistics, "Print times and rates after each answer");
  command.footer("Examples:\n"
                 "  relax chat model.gguf\n"
                 "  relax chat model.gguf --system \"Answer in one sentence.\" --temperature 0.7\n"
                 "  relax chat model.gguf -m \"What is the capital of France?\" --stats\n"
                 "  printf 'Hi\\nAnd who are you?\\n' | relax chat model.gguf\n"
                 "While chatting:\n" +
                 std::string(helpText));
  onCall(command, exitCode, [options, message]() -> Status {
    if (message->count() > 0 && options->message.find_first_not_of(" \t\r\n") == std::string::npos)
      return Status(StatusCode::InvalidArgument, "--message is empty: there is nothing to answer");
    return run(*options);
  });
}

} // namespace relax::tool
