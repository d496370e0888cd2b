//===- SymbolicZ3Test.cpp - proofs against Z3 -------------------------------------------------===//
//
// Random facts and questions go to our prover and, as they were written, to Z3. An answer that Z3
// has a model against is a failure. What Z3 decides and we don't is counted by kind of question:
// below 2 % on the linear fragment, which Prove.h claims to be complete.
//   RELAX_Z3_QUERIES is the number of questions; with RELAX_Z3_SHOW, those that we miss are
//   printed.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Prove.h"
#include "tests/property/SymbolicWorlds.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <z3++.h>

using namespace relax::symbolic;
using namespace relax::testing;

namespace {

int queryCount() {
  const char *text = std::getenv("RELAX_Z3_QUERIES");
  return text ? std::atoi(text) : 800;
}

/// Work after which Z3 gives up; not time, so that every run does the same.
constexpr unsigned workLimit = 100'000;

/// Trees as Z3 terms. Divisors must be positive; what says so is added to `defined`.
class Translator {
public:
  Translator(z3::context &context, z3::expr_vector &defined) : context(context), defined(defined) {}

  z3::expr operator()(const Tree &tree) {
    if (tree.operation == Tree::Constant)
      return context.int_val(tree.value);
    if (tree.operation == Tree::Symbol)
      return context.int_const(tree.name.c_str());
    z3::expr a = (*this)(tree.children[0]), b = (*this)(tree.children[1]);
    switch (tree.operation) {
    case Tree::Add:
      return a + b;
    case Tree::Sub:
      return a - b;
    case Tree::Mul:
      return a * b;
    case Tree::Min:
      return z3::ite(a <= b, a, b);
    case Tree::Max:
      return z3::ite(a <= b, b, a);
    default:
      break;
    }
    defined.push_back(b >= 1);
    // For a positive divisor, Z3's division rounds down.
    if (tree.operation == Tree::Mod)
      return z3::mod(a, b);
    return tree.operation == Tree::FloorDiv ? a / b : -(-a / b);
  }

  z3::expr operator()(const TreeRelation &relation) {
    z3::expr a = (*this)(relation.a), b = (*this)(relation.b);
    switch (relation.kind) {
    case Constraint::Kind::Equal:
      return a == b;
    case Constraint::Kind::LessEqual:
      return a <= b;
    case Constraint::Kind::Less:
      return a < b;
    case Constraint::Kind::Divides:
      return a >= 1 && z3::mod(b, a) == 0;
    case Constraint::Kind::Broadcast:
      return a == b || a == 1 || b == 1;
    }
    return context.bool_val(true);
  }

private:
  z3::context &context;
  z3::expr_vector &defined;
};

/// Facts and a question, as they were written.
struct Query {
  std::map<std::string, SymbolRange> ranges;
  std::vector<TreeRelation> relations;
  TreeRelation question;
};

Query randomQuery(Random &random, const TreeStyle &style, Constraint::Kind kind) {
  Query query;
  for (const std::string &name : style.symbols)
    if (!random.oneIn(4))
      query.ranges[name] = randomRange(random);
  for (int64_t i = random.range(-1, 2); i > 0; --i)
    query.relations.push_back(randomRelation(random, style));
  auto [a, b] = relatedTrees(random, style);
  query.question = {kind, a, b};
  if (kind == Constraint::Kind::Divides)
    query.question.a = constantTree(random.range(2, 16));
  return query;
}

std::string describe(const Query &query, Context &context) {
  std::string text = query.question.build(context).str() + "  where ";
  for (const auto &[name, range] : query.ranges)
    text += name + " in [" + (range.lo == INT64_MIN ? "?" : std::to_string(range.lo)) + ", " +
            (range.hi ? std::to_string(*range.hi) : "?") + "] % " + std::to_string(range.divisor) +
            "; ";
  for (const TreeRelation &relation : query.relations)
    text += relation.build(context).str() + "; ";
  return text;
}

struct Verdict {
  z3::check_result holds, fails;
};

Verdict askZ3(z3::solver &solver, const Query &query) {
  z3::context &context = solver.ctx();
  z3::expr_vector defined(context), facts(context);
  Translator translate(context, defined);
  for (const auto &[name, range] : query.ranges) {
    z3::expr symbol = context.int_const(name.c_str());
    if (range.lo != INT64_MIN)
      facts.push_back(symbol >= context.int_val(range.lo));
    if (range.hi)
      facts.push_back(symbol <= context.int_val(*range.hi));
    if (range.divisor > 1)
      facts.push_back(z3::mod(symbol, context.int_val(range.divisor)) == 0);
  }
  for (const TreeRelation &relation : query.relations)
    facts.push_back(translate(relation));
  z3::expr question = translate(query.question);
  auto check = [&](const z3::expr &goal) {
    solver.push();
    for (unsigned i = 0; i < facts.size(); ++i)
      solver.add(facts[static_cast<int>(i)]);
    for (unsigned i = 0; i < defined.size(); ++i)
      solver.add(defined[static_cast<int>(i)]);
    solver.add(goal);
    z3::check_result result = solver.check();
    solver.pop();
    return result;
  };
  return {check(question), check(!question)};
}

struct Score {
  int asked = 0, decided = 0, missed = 0, extra = 0;
};

Score compare(const char *title, uint64_t seed, int count, const TreeStyle &style,
              Constraint::Kind kind) {
  Random random(seed);
  Context context;
  z3::context z3Context; // Making these takes longer than a question.
  z3::solver solver(z3Context);
  solver.set("rlimit", workLimit);
  Score score;
  for (int i = 0; i < count; ++i) {
    Query query = randomQuery(random, style, kind);
    Facts facts;
    for (const auto &[name, range] : query.ranges)
      facts.set(name, range);
    for (const TreeRelation &relation : query.relations)
      facts.add(relation.build(context));
    Proof proof = prove(query.question.build(context), facts);
    Verdict verdict = askZ3(solver, query);
    bool canHold = verdict.holds != z3::unsat, canFail = verdict.fails != z3::unsat;
    if (!canHold && !canFail)
      continue; // The facts contradict each other.
    ++score.asked;
    EXPECT_FALSE(proof == Proof::Proved && verdict.fails == z3::sat)
        << "proved, but false: " << describe(query, context);
    EXPECT_FALSE(proof == Proof::Refuted && verdict.holds == z3::sat)
        << "refuted, but true: " << describe(query, context);
    bool decided = !canHold || !canFail;
    score.decided += decided;
    if (decided && proof == Proof::Unknown) {
      ++score.missed;
      if (std::getenv("RELAX_Z3_SHOW"))
        std::printf("  missed: %s\n", describe(query, context).c_str());
    }
    score.extra += !decided && proof != Proof::Unknown;
  }
  std::printf("  %-34s asked %5d, Z3 decided %5d, missed %4d (%.2f %%), decided beyond Z3 %d\n",
              title, score.asked, score.decided, score.missed,
              score.decided ? 100.0 * score.missed / score.decided : 0.0, score.extra);
  return score;
}

struct Kind {
  const char *name;
  Constraint::Kind kind;
};

constexpr Kind kinds[] = {{"equal", Constraint::Kind::Equal},
                          {"less or equal", Constraint::Kind::LessEqual},
                          {"less", Constraint::Kind::Less},
                          {"divides", Constraint::Kind::Divides},
                          {"broadcast", Constraint::Kind::Broadcast}};

TEST(SymbolicZ3, LinearFragment) {
  uint64_t seed = 100;
  int decided = 0, missed = 0;
  for (int depth : {2, 3})
    for (const Kind &kind : kinds) {
      std::string title = "linear, depth " + std::to_string(depth) + ", " + kind.name;
      Score score = compare(title.c_str(), ++seed, queryCount() * 8 / 100,
                            {.depth = depth, .linear = true}, kind.kind);
      decided += score.decided;
      missed += score.missed;
    }
  EXPECT_GT(decided, queryCount() / 5) << "too few questions have an answer";
  EXPECT_LT(missed * 50, decided) << "2 % of what Z3 decides";
}

TEST(SymbolicZ3, ProductsAndSymbolicDivisors) {
  uint64_t seed = 200;
  int decided = 0, missed = 0;
  for (const Kind &kind : kinds) {
    std::string title = std::string("products, ") + kind.name;
    Score score = compare(title.c_str(), ++seed, queryCount() * 4 / 100,
                          {.depth = 2, .tameDivisors = false}, kind.kind);
    decided += score.decided;
    missed += score.missed;
  }
  EXPECT_LT(missed * 4, decided) << "a quarter of what Z3 decides";
}

} // namespace
