#include "llm/ChatSession.h"
#include "tools/relax/Command.h"
#include "tools/relax/Conversation.h"
#include "tools/relax/GenerateFlags.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Lists.h"
#include "tools/relax/MessageReader.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <optional>

namespace relax::tool {
namespace {

constexpr const char *helpText = "/system TEXT    set the instruction, and begin anew\n"
                                 "/retry          answer the last question again, otherwise\n"
                                 "/undo           take the last question and its answer back\n"
                                 "/reset          forget the conversation\n"
                                 "/save FILE      write the conversation, as JSON\n"
                                 "/load FILE      go on from a conversation in a file\n"
                                 "/stats          times and rates of the last answer\n"
                                 "/help           this list\n"
                                 "/exit           leave (Ctrl-D too)\n"
                                 "Lines: \\ at the end goes on in the next; \"\"\" begins and ends "
                                 "a message of several.\n"
                                 "Ctrl-C stops an answer.\n";

struct Options {
  ModelFlags model;
  llm::GenerateOptions generate;
  std::string system, message, load;
  bool statistics = false;
};

class Chat {
public:
  Chat(const Options &options, LoadedModel &model, llm::ChatSession session)
      : options(options), model(model), session(std::move(session)),
        interactive(inputIsTerminal() && outputIsTerminal()) {}

  Status run() {
    if (interactive)
      fmt::print(stderr, "{}\n", colouredForErrors(Colour::Dim, "/help lists what you can do."));
    MessageReader reader(interactive);
    std::string message;
    for (;;) {
      clearInterrupt();
      auto input = reader.read(message);
      if (!input)
        return input.takeStatus();
      switch (*input) {
      case MessageReader::Input::End:
        return {};
      case MessageReader::Input::Interrupted:
        // At the prompt Ctrl-C drops the message, as in a shell; in a pipe it ends the program.
        if (!interactive)
          return Status(StatusCode::Cancelled, "cancelled");
        break;
      case MessageReader::Input::TooLong:
        return textTooLong("the message");
      case MessageReader::Input::Command:
        if (message == "/exit" || message == "/quit")
          return {};
        RELAX_RETURN_IF_ERROR(command(message));
        break;
      case MessageReader::Input::Message:
        if (message.find_first_not_of(" \t\r\n") != std::string::npos)
          RELAX_RETURN_IF_ERROR(ask(message));
      }
    }
  }

  /// Goes on from the conversation in a file.
  Status load(const std::string &path) {
    auto conversation = loadConversation(path);
    if (!conversation)
      return conversation.takeStatus();
    return session.resume(std::move(*conversation)).withContext(path);
  }

  /// One question, answered on the standard output.
  Status ask(const std::string &message) {
    if (Status status = checkUtf8("the message", message); !status.ok())
      return tell(std::move(status));
    llm::GenerateOptions generate = options.generate;
    // Another answer to the same words; the whole conversation is still decided by the seed.
    generate.sampling.seed += session.messages().size() + 1000 * retries;
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
    } else if (name == "/undo" || name == "/retry") {
      return takeBack(name == "/retry");
    } else if (name == "/save" || name == "/load") {
      return transfer(name, rest);
    } else if (name == "/stats") {
      fmt::print(stderr, "{}", last ? statisticsText(model, *last) : "there was no answer yet\n");
    } else {
      if (name != "/help")
        reportError(fmt::format("there is no command {}", name));
      fmt::print(stderr, "{}", helpText);
    }
    return {};
  }

  /// Takes the last question back; asks it again with `again`, for another answer.
  Status takeBack(bool again) {
    const std::vector<llm::ChatMessage> &messages = session.messages();
    if (messages.size() < 2)
      return tell(Status(StatusCode::InvalidArgument, "there was no question yet"));
    const std::string question = messages[messages.size() - 2].content;
    session.undo();
    if (!again) {
      reportNote("the last question and its answer are taken back");
      return {};
    }
    if (options.generate.sampling.temperature == 0)
      reportNote("at temperature 0 every answer to the same words is the same (--temperature)");
    ++retries;
    return ask(question);
  }

  /// "/save FILE" and "/load FILE".
  Status transfer(const std::string &name, const std::string &path) {
    if (path.empty())
      return tell(Status(StatusCode::InvalidArgument, name + ": expected a file's name"));
    Status status = name == "/save" ? saveConversation(path, session.conversation()) : load(path);
    if (!status.ok())
      return tell(std::move(status));
    reportNote(fmt::format("{} messages {} {}", session.messages().size(),
                           name == "/save" ? "are in" : "come from", path));
    return {};
  }

  const Options &options;
  LoadedModel &model;
  llm::ChatSession session;
  bool interactive;
  std::optional<llm::Statistics> last;
  uint64_t retries = 0;
};

Status run(const Options &options) {
  if (auto sampler = llm::Sampler::create(options.generate.sampling); !sampler)
    return sampler.takeStatus();
  RELAX_RETURN_IF_ERROR(checkStops(options.generate.stops));
  RELAX_RETURN_IF_ERROR(checkUtf8("--system", options.system));
  auto model = loadModel(options.model);
  if (!model)
    return model.takeStatus();
  auto session = llm::ChatSession::create(model->engine);
  if (!session)
    return session.takeStatus();
  session->setSystem(options.system);
  Chat chat(options, *model, std::move(*session));
  if (!options.load.empty())
    RELAX_RETURN_IF_ERROR(chat.load(options.load));
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
  command.add_option("--load", options->load, "Go on from a conversation that /save wrote")
      ->type_name("FILE");
  CLI::Option *message =
      command.add_option("-m,--message", options->message, "Ask this, print the answer, and leave")
          ->type_name("TEXT");
  describeSampling(command, options->generate);
  command.add_flag("--stats", options->statistics, "Print times and rates after each answer");
  command.footer("Examples:\n"
                 "  relax chat model.gguf\n"
                 "  relax chat model.gguf --system \"Answer in one sentence.\" --temperature 0.7\n"
                 "  relax chat model.gguf -m \"Why is the sky blue?\" --stats\n"
                 "  relax chat model.gguf --load talk.json --stop END\n"
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
