// Random use of one engine for as long as one likes:
//
//   relax_soak MODEL.gguf [--rounds N] [--chats N] [--seed N] [--sequences N] [flags of relax chat]
//
// A round is one thing done to some of several sequences: tokens appended in chunks of any size, in
// one call or several; steps of several sequences at once; a fork, a trim, an end; tokens sampled;
// any of it cancelled, or asked for without room. Now and then a sequence is read anew, from
// nothing and in other chunks: the logits must be equal to the last bit. A chat is a conversation
// with questions, taken back, cancelled, resumed; its answers must be those of a session that has
// nothing cached. At the end all pages must be free and the process as large as at the beginning.
#include "llm/ChatSession.h"
#include "llm/Statistics.h"
#include "runtime/support/Text.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Model.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <malloc.h>
#include <random>

namespace relax {
namespace {

using llm::Engine;
using llm::SequenceId;
using llm::StepPart;
using Tokens = std::vector<int32_t>;

struct Options {
  tool::ModelFlags model;
  int64_t rounds = 2000, chats = 100, sequences = 3;
  uint64_t seed = 1;
};

/// What must never be; ends the program.
[[noreturn]] void fail(const std::string &what) {
  fmt::print(stderr, "soak: FAILED: {}\n", what);
  std::exit(1);
}
template <typename T> T check(Expected<T> value, const char *what) {
  if (!value)
    fail(fmt::format("{}: {}", what, value.status().message()));
  return std::move(*value);
}
void check(const Status &status, const char *what) {
  if (!status.ok())
    fail(fmt::format("{}: {}", what, status.message()));
}

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t upTo(int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(engine); }
  bool oneIn(int64_t count) { return upTo(count - 1) == 0; }

private:
  std::mt19937_64 engine;
};

/// Several sequences of one engine, and the tokens that each should have.
class Sequences {
public:
  Sequences(Engine &engine, Random &random) : engine(engine), random(random) {}

  void round() {
    if (talks.empty() || (talks.size() < 6 && random.oneIn(8)))
      talks.push_back({engine.createSequence(), {}});
    const auto which = static_cast<size_t>(random.upTo(static_cast<int64_t>(talks.size()) - 1));
    switch (random.upTo(9)) {
    case 0:
    case 1:
    case 2:
      return append(talks[which]);
    case 3:
    case 4:
      return batch();
    case 5:
      return fork(which);
    case 6:
      return trim(talks[which]);
    case 7:
      return generate(talks[which]);
    case 8:
      return compare(talks[which]);
    default:
      check(engine.free(talks[which].sequence), "free");
      talks.erase(talks.begin() + static_cast<ptrdiff_t>(which));
    }
  }

  void end() {
    for (const Talk &talk : talks)
      check(engine.free(talk.sequence), "free");
    talks.clear();
  }

  int64_t compared = 0, cancelled = 0, refused = 0;

private:
  struct Talk {
    SequenceId sequence;
    Tokens tokens;
  };

  Tokens someTokens(int64_t most) {
    Tokens tokens(static_cast<size_t>(1 + random.upTo(most - 1)));
    for (int32_t &token : tokens)
      token = static_cast<int32_t>(random.upTo(static_cast<int64_t>(engine.vocabularySize()) - 1));
    return tokens;
  }

  int64_t lengthOf(const Talk &talk) { return check(engine.length(talk.sequence), "length"); }

  /// Whether the tokens fit; if not, the engine must refuse them and change nothing.
  bool isRefused(const Talk &talk, const Status &status) {
    if (status.ok())
      return false;
    if (status.code() != StatusCode::InvalidArgument &&
        status.code() != StatusCode::ResourceExhausted)
      fail(status.message());
    ++refused;
    if (lengthOf(talk) > engine.context())
      fail("a sequence is longer than the context");
    return true;
  }

  void append(Talk &talk) {
    const Tokens tokens = someTokens(random.oneIn(4) ? 300 : 40);
    const int64_t stopAfter = random.oneIn(5) ? random.upTo(3) : INT64_MAX;
    int64_t steps = 0;
    const Status status = engine.append(talk.sequence, tokens, {}, {}, 1 + random.upTo(99),
                                        [&] { return ++steps > stopAfter; });
    const int64_t length = lengthOf(talk), before = static_cast<int64_t>(talk.tokens.size());
    if (status.code() == StatusCode::Cancelled)
      ++cancelled;
    else if (!isRefused(talk, status) && length != before + static_cast<int64_t>(tokens.size()))
      fail("a sequence lacks tokens that were appended");
    talk.tokens.insert(talk.tokens.end(), tokens.begin(), tokens.begin() + (length - before));
  }

  void batch() {
    std::vector<Tokens> tokens;
    std::vector<StepPart> parts;
    tokens.reserve(talks.size());
    for (const Talk &talk : talks) {
      tokens.push_back(someTokens(random.oneIn(3) ? 60 : 1));
      parts.push_back({talk.sequence, tokens.back(), {0}});
    }
    if (auto logits = engine.step(parts); !logits) {
      isRefused(talks.front(), logits.status());
      for (const Talk &talk : talks)
        if (lengthOf(talk) != static_cast<int64_t>(talk.tokens.size()))
          fail("a step that was refused changed a sequence");
      return;
    }
    for (size_t i = 0; i < talks.size(); ++i)
      talks[i].tokens.insert(talks[i].tokens.end(), tokens[i].begin(), tokens[i].end());
  }

  /// Some length at most `most` shorter at which the sequence can be cut.
  int64_t cut(const Talk &talk, int64_t most) {
    const int64_t length = lengthOf(talk) - random.upTo(std::min(lengthOf(talk), most));
    return check(engine.resumable(talk.sequence, length), "resumable");
  }

  void fork(size_t which) {
    if (talks.size() > 8)
      return;
    const int64_t length = cut(talks[which], lengthOf(talks[which]));
    Talk child{check(engine.fork(talks[which].sequence, length), "fork"), talks[which].tokens};
    child.tokens.resize(static_cast<size_t>(length));
    talks.push_back(std::move(child));
  }

  void trim(Talk &talk) {
    const int64_t length = cut(talk, 80);
    check(engine.trim(talk.sequence, length), "trim");
    talk.tokens.resize(static_cast<size_t>(length));
  }

  void generate(Talk &talk) {
    llm::GenerateOptions options;
    options.maxTokens = random.upTo(20);
    options.sampling = {.temperature = random.oneIn(2) ? 0 : 1.0,
                        .topK = random.upTo(50),
                        .seed = static_cast<uint64_t>(random.upTo(1000))};
    options.stops = {"a", "the"};
    options.ignoreEnd = random.oneIn(2);
    const int64_t stopAfter = random.oneIn(3) ? random.upTo(10) : INT64_MAX;
    int64_t asked = 0;
    llm::GenerateObserver observer;
    observer.cancelled = [&] { return ++asked > stopAfter; };
    // Those before an error too.
    Tokens generated;
    observer.onToken = [&](int32_t token) { generated.push_back(token); };
    const Tokens prompt = someTokens(30);
    auto found = llm::generate(engine, talk.sequence, prompt, options, observer);
    const int64_t length = lengthOf(talk), before = static_cast<int64_t>(talk.tokens.size());
    talk.tokens.insert(talk.tokens.end(), prompt.begin(), prompt.end());
    talk.tokens.insert(talk.tokens.end(), generated.begin(), generated.end());
    if (!found)
      isRefused(talk, found.status());
    else if (found->tokens != generated)
      fail("the tokens that were told are not the answer's");
    else
      cancelled += found->reason == llm::StopReason::Cancelled;
    if (length < before || length > static_cast<int64_t>(talk.tokens.size()))
      fail("a sequence has tokens that nobody gave it");
    talk.tokens.resize(static_cast<size_t>(length));
  }

  /// What follows a sequence's last token is what follows it in a fresh one.
  void compare(Talk &talk) {
    if (talk.tokens.empty() || engine.pages() == 0)
      return;
    const Tokens next = {talk.tokens.back()};
    const SequenceId probe = engine.createSequence();
    const bool hasRoom = check(engine.hasRoom(probe, lengthOf(talk)), "room");
    check(engine.free(probe), "free");
    if (!hasRoom)
      return;
    auto last = [&](SequenceId sequence, std::span<const int32_t> tokens, int64_t chunk) {
      std::vector<float> logits;
      const int32_t row = static_cast<int32_t>(tokens.size()) - 1;
      check(engine.append(sequence, tokens, {&row, 1},
                          [&](size_t, std::span<const float> found) {
                            logits.assign(found.begin(), found.end());
                            return Status();
                          },
                          chunk, {}),
            "append");
      return logits;
    };
    check(engine.trim(talk.sequence, lengthOf(talk) - 1), "trim");
    const std::vector<float> continued = last(talk.sequence, next, 1);
    const SequenceId fresh = engine.createSequence();
    const std::vector<float> anew = last(fresh, talk.tokens, 1 + random.upTo(400));
    check(engine.free(fresh), "free");
    if (continued.size() != anew.size() ||
        !std::equal(continued.begin(), continued.end(), anew.begin()))
      fail(fmt::format("the logits after {} tokens differ from those of a fresh sequence",
                       talk.tokens.size()));
    ++compared;
  }

  Engine &engine;
  Random &random;
  std::vector<Talk> talks;
};

/// Conversations on `engine`, against sessions on `other` that begin with nothing.
class Chats {
public:
  static Expected<Chats> create(Engine &engine, Engine &other, Random &random) {
    auto session = llm::ChatSession::create(engine);
    if (!session)
      return session.takeStatus();
    return Chats(std::move(*session), other, random);
  }

  void chat() {
    if (random.oneIn(3))
      session.setSystem(random.oneIn(2) ? "Be brief." : "Talk like a pirate, " + words(20));
    else if (!kept.empty() && random.oneIn(2))
      check(session.resume(kept), "resume");
    else
      session.reset();
    for (int64_t turn = random.upTo(5); turn >= 0; --turn) {
      ask();
      if (random.oneIn(3))
        session.undo();
      if (random.oneIn(3))
        kept = session.conversation();
    }
  }

  int64_t answers = 0, reused = 0;

private:
  Chats(llm::ChatSession session, Engine &other, Random &random)
      : session(std::move(session)), other(&other), random(random) {}

  std::string words(int64_t most) {
    static constexpr const char *list[] = {"the",  "model",  "hello", "world", "42",
                                           "\n",   "é",      "你好",  "is",    "a",
                                           "tiny", "\"\"\"", "...",   "and"};
    std::string text = "so";
    for (int64_t i = random.upTo(most); i > 0; --i)
      text += std::string(" ") + list[random.upTo(std::size(list) - 1)];
    return text;
  }

  void ask() {
    llm::GenerateOptions options;
    options.maxTokens = 1 + random.upTo(30);
    options.sampling = {
        .temperature = 0.9, .topP = 0.95, .seed = static_cast<uint64_t>(random.upTo(1 << 20))};
    options.stops = {"qq"};
    const auto before = session.conversation();
    const std::string question = words(60);
    const int64_t stopAfter = random.oneIn(4) ? random.upTo(8) : INT64_MAX;
    int64_t asked = 0;
    std::string streamed;
    auto found = session.ask(
        question, options, [&](std::string_view text) { streamed += text; },
        [&] { return ++asked > stopAfter; });
    if (!found) {
      if (found.status().code() != StatusCode::InvalidArgument)
        fail(found.status().message());
      session.reset(); // The context is full.
      return;
    }
    if (streamed != found->text)
      fail("what was streamed is not the answer");
    reused += found->statistics.reusedTokens;
    if (found->reason == llm::StopReason::Cancelled)
      return;
    auto fresh = check(llm::ChatSession::create(*other), "a session");
    check(fresh.resume(before), "resume");
    auto expected = check(fresh.ask(question, options, {}, {}), "ask");
    if (expected.tokens != found->tokens || expected.text != found->text)
      fail(fmt::format("a fresh session answers '{}', not '{}'", expected.text, found->text));
    ++answers;
  }

  llm::ChatSession session;
  Engine *other;
  Random &random;
  std::vector<llm::ChatMessage> kept;
};

/// The process' memory when nothing is in use.
uint64_t idleMemory(Engine &engine, Engine &other) {
  for (Engine *one : {&engine, &other}) {
    if (one->freePages() != one->pages())
      fail(fmt::format("{} of {} pages are free", one->freePages(), one->pages()));
    one->trimMemory();
  }
  malloc_trim(0); // What the allocator keeps for later is no use of ours.
  return llm::residentMemory();
}

void talk(Engine &engine, Engine &other, int64_t count, Random &random,
          tool::ProgressLine &progress) {
  auto chats = Chats::create(engine, other, random);
  if (!chats) {
    fmt::print("no chats: {}\n", chats.status().message());
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    progress.show(fmt::format("chat {} of {}", i + 1, count));
    chats->chat();
  }
  progress.clear();
  fmt::print("{} chats: {} answers equal to fresh sessions', {} tokens reused\n", count,
             chats->answers, chats->reused);
}

/// As many sequences, tokens and rows as a round may bring: no later step needs more memory.
void takeLargestStep(Engine &engine) {
  const Tokens tokens(static_cast<size_t>(std::min<int64_t>(64, engine.context())), 0);
  std::vector<StepPart> parts;
  for (int i = 0; i < 9; ++i)
    parts.push_back({engine.createSequence(), tokens, {0}});
  check(engine.step(parts), "the largest step");
  for (const StepPart &part : parts)
    check(engine.free(part.sequence), "free");
}

void soak(Engine &engine, Engine &other, const Options &options) {
  Random random(options.seed);
  takeLargestStep(engine);
  takeLargestStep(other);
  Sequences sequences(engine, random);
  uint64_t first = 0, last = 0;
  // What a process allocates once is there after the first rounds.
  const int64_t warm = std::max<int64_t>(1, options.rounds / 5);
  tool::ProgressLine progress;
  for (int64_t i = 0; i < options.rounds; ++i) {
    progress.show(fmt::format("round {} of {}", i + 1, options.rounds));
    sequences.round();
    if (i + 1 == warm || i + 1 == options.rounds) {
      sequences.end();
      (i + 1 == warm ? first : last) = idleMemory(engine, other);
    }
  }
  progress.clear();
  fmt::print("{} rounds: {} compared with fresh sequences, {} cancelled, {} refused; memory {} "
             "after {} rounds, {} at the end\n",
             options.rounds, sequences.compared, sequences.cancelled, sequences.refused,
             byteText(first), warm, byteText(last));
  constexpr uint64_t slack = uint64_t(3) << 20; // The allocator's own ways.
  if (last > first + slack)
    fail("the process has grown");

  talk(engine, other, warm * options.chats / options.rounds + 1, random, progress);
  first = idleMemory(engine, other);
  talk(engine, other, options.chats, random, progress);
  last = idleMemory(engine, other);
  fmt::print("memory {} after the first chats, {} at the end; {} of {} pages free\n",
             byteText(first), byteText(last), engine.freePages(), engine.pages());
  if (last > first + slack)
    fail("the process has grown");
}

} // namespace
} // namespace relax

int main(int argc, char **argv) {
  using namespace relax;
  Options options;
  CLI::App app("Random chats, against fresh ones.");
  options.model.describe(app);
  app.add_option("--rounds", options.rounds, "Things done to sequences")
      ->check(tool::wholeNumber(1, INT64_MAX))
      ->capture_default_str();
  app.add_option("--chats", options.chats, "Conversations after them")
      ->check(tool::wholeNumber(0, INT64_MAX))
      ->capture_default_str();
  app.add_option("--sequences", options.sequences, "Sequences at once")
      ->check(tool::wholeNumber(1, 1024))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of all that is random")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  auto model = tool::loadModel(options.model, options.sequences);
  auto other = tool::loadModel(options.model);
  if (!model || !other) {
    fmt::print(stderr, "soak: {}\n", (model ? other.status() : model.status()).message());
    return 1;
  }
  soak(model->engine, other->engine, options);
  return 0;
}
