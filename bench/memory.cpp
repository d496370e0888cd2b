//===- memory.cpp - how much memory the activations of language models take -------------------===//
//
// Plans @step of three architectures in float16, and walks the plan without computing anything and
// without weights, for several calls one after the other: prompts of 128, 256, 512 and 1024 tokens;
// then one token of each of 1, 16, 32 and 64 sequences. For each run it prints, in MiB, what the
// activations and the logits take:
//
//   planned      the arena, which only grows, and the largest logits
//   live         the bytes that are alive at once, with what is written in place counted once: no
//                plan of this program needs less. Logits are the caller's memory, so they are there
//                all the time
//   exact pool   every tensor from a pool that keeps each freed block for the next of the same
//   size,
//                in pages of 4 KiB (the baseline of the paper)
//   class pool   every tensor from the runtime's own pool, with four classes for each power of two
//                (MemoryPool.h), which gives back what the last calls didn't need
//
// Then the same of the activations alone: nothing can make logits smaller.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Relax.h"
#include "compiler/driver/Dialects.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/transforms/ByteSize.h"
#include "compiler/transforms/FunctionForm.h"
#include "runtime/memory/MemoryPool.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

using namespace mlir;
using namespace relax;

namespace {

struct Architecture {
  const char *name;
  int64_t layers, width, hidden, heads, kvHeads, headDim, vocabulary;
  const char *activation;
};

constexpr Architecture architectures[] = {
    {"Llama 3 8B", 32, 4096, 14336, 32, 8, 128, 128256, "silu"},
    {"Gemma 7B", 28, 3072, 24576, 16, 16, 256, 256000, "gelu"},
    {"Qwen2 7B", 28, 3584, 18944, 28, 4, 128, 152064, "silu"},
};

/// Writes @step as text.
class StepText {
public:
  explicit StepText(const Architecture &model) : model(model) {}

  std::string make() {
    std::string arguments =
        "%tokens: !i, %positions: !i, %starts: !starts, %table: !table, %cached: !cached, %rows: "
        "!rows";
    std::string results = "!logits", returned = "%logits";
    std::string resultTypes = "!logits";
    for (int64_t layer = 0; layer < model.layers; ++layer) {
      arguments += fmt::format(
          ", %kp{0}: !keys {{relax.donated}}, %vp{0}: !values {{relax.donated}}", layer);
      resultTypes += ", !keys, !values";
      returned += fmt::format(", %k_new{0}, %v_new{0}", layer);
    }
    line("%table_w = {}", weight({model.vocabulary, model.width}));
    line("%x0 = relax.take %table_w, %tokens {{axis = 0 : i64}} : ({}, !i) -> {}",
         matrix(model.vocabulary, model.width), rows("t", model.width));
    line(
        "%angles = relax.rotary_table %positions {{base = 5.000000e+05 : f64, dims = {0} : i64}} : "
        "(!i) -> tensor<?x{0}xf32, #relax.shape<[t, {0}]>>",
        model.headDim);
    for (int64_t layer = 0; layer < model.layers; ++layer)
      addLayer(layer);
    line("%last = relax.take %x{0}, %rows {{axis = 0 : i64}} : ({1}, !rows) -> {2}", model.layers,
         rows("t", model.width), rows("r", model.width));
    std::string normed = norm("final", "%last", "r");
    line("%logits = relax.matmul {}, %table_w {{transpose_b}} : ({}, {}) -> {}", normed,
         rows("r", model.width), matrix(model.vocabulary, model.width),
         rows("r", model.vocabulary));
    return types() + "func.func @step(" + arguments + ") -> (" + resultTypes +
           ") attributes {relax.symbols = #relax.symbols<t = [1, 8192], b = [1, 1024], p = [1, "
           "8192], r = [1, 8192], g = [1, ?]>} {\n" +
           body + "return " + returned + " : " + resultTypes + "\n}\n";
  }

private:
  template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    body += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  static std::string rows(const char *symbol, int64_t columns, const char *element = "f16") {
    return fmt::format("tensor<?x{0}x{1}, #relax.shape<[{2}, {0}]>>", columns, element, symbol);
  }
  static std::string cube(int64_t heads, int64_t dim, const char *element) {
    return fmt::format("tensor<?x{0}x{1}x{2}, #relax.shape<[t, {0}, {1}]>>", heads, dim, element);
  }
  static std::string matrix(int64_t rows, int64_t columns) {
    return fmt::format("tensor<{}x{}xf16>", rows, columns);
  }

  std::string types() const {
    auto pages = [&](const char *name, int64_t a, int64_t b) {
      return fmt::format("!{0} = tensor<?x{1}x{2}x{3}xf16, #relax.shape<[g, {1}, {2}, {3}]>>\n",
                         name, model.kvHeads, a, b);
    };
    return "!i = tensor<?xi32, #relax.shape<[t]>>\n"
           "!starts = tensor<?xi32, #relax.shape<[b + 1]>>\n"
           "!table = tensor<?x?xi32, #relax.shape<[b, p]>>\n"
           "!cached = tensor<?xi32, #relax.shape<[b]>>\n"
           "!rows = tensor<?xi32, #relax.shape<[r]>>\n" +
           fmt::format("!logits = {}\n", rows("r", model.vocabulary)) +
           pages("keys", model.headDim, 32) + pages("values", 32, model.headDim);
  }

  /// A constant that no file has: only its size counts here.
  std::string weight(std::vector<int64_t> dims) {
    int64_t bytes = 2;
    std::string shape;
    for (int64_t dim : dims) {
      bytes *= dim;
      shape += fmt::format("{}x", dim);
    }
    offset += bytes;
    return fmt::format("relax.constant <\"w\", file = 0, offset = {}, size = {}, hash = \"\"> : "
                       "tensor<{}f16>",
                       offset - bytes, bytes, shape);
  }

  std::string norm(const std::string &name, const std::string &x, const char *symbol) {
    line("%{}_w = {}", name, weight({model.width}));
    line("%{0} = relax.rms_norm {1}, %{0}_w {{epsilon = 1.000000e-05 : f64}} : ({2}, "
         "tensor<{3}xf16>) -> {2}",
         name, x, rows(symbol, model.width), model.width);
    return "%" + name;
  }

  std::string linear(const std::string &name, const std::string &x, int64_t in, int64_t out) {
    line("%{}_w = {}", name, weight({out, in}));
    line("%{0} = relax.matmul {1}, %{0}_w {{transpose_b}} : ({2}, {3}) -> {4}", name, x,
         rows("t", in), matrix(out, in), rows("t", out));
    return "%" + name;
  }

  /// A projection as heads in float32, as the rotary embedding and attention take them.
  std::string heads(const std::string &name, const std::string &x, int64_t count) {
    std::string y = linear(name, x, model.width, count * model.headDim);
    line("%{0}_h = relax.reshape {1} : {2} to {3}", name, y, rows("t", count * model.headDim),
         cube(count, model.headDim, "f16"));
    line("%{0}_f = relax.cast %{0}_h : {1} to {2}", name, cube(count, model.headDim, "f16"),
         cube(count, model.headDim, "f32"));
    return "%" + name + "_f";
  }

  std::string rotate(const std::string &name, const std::string &x, int64_t count) {
    line("%{0} = relax.rotary {1}, %angles : ({2}, tensor<?x{3}xf32, #relax.shape<[t, {3}]>>) -> "
         "{2}",
         name, x, cube(count, model.headDim, "f32"), model.headDim);
    return "%" + name;
  }

  void addLayer(int64_t layer) {
    const std::string l = std::to_string(layer);
    const int64_t inner = model.heads * model.headDim;
    const std::string x = "%x" + l, stream = rows("t", model.width), wide = rows("t", model.hidden);
    std::string h = norm("n" + l, x, "t");
    std::string q = rotate("qr" + l, heads("q" + l, h, model.heads), model.heads);
    std::string k = rotate("kr" + l, heads("k" + l, h, model.kvHeads), model.kvHeads);
    std::string v = heads("v" + l, h, model.kvHeads);
    for (auto [pages, values, type, layout] :
         {std::tuple("k", k, "!keys", "keys"), std::tuple("v", v, "!values", "values")})
      line("%{0}_new{1} = relax.update_slots %{0}p{1}, {2}, %starts, %table, %cached {{layout = "
           "\"{4}\"}} : ({3}, {5}, !starts, !table, !cached) -> {3}",
           pages, l, values, type, layout, cube(model.kvHeads, model.headDim, "f32"));
    line(
        "%a{0} = relax.paged_attention {1}, %k_new{0}, %v_new{0}, %starts, %table, %cached {{scale "
        "= 1.250000e-01 : f64}} : ({2}, !keys, !values, !starts, !table, !cached) -> {2}",
        l, q, cube(model.heads, model.headDim, "f32"));
    line("%ac{0} = relax.cast %a{0} : {1} to {2}", l, cube(model.heads, model.headDim, "f32"),
         cube(model.heads, model.headDim, "f16"));
    line("%am{0} = relax.reshape %ac{0} : {1} to {2}", l, cube(model.heads, model.headDim, "f16"),
         rows("t", inner));
    std::string o = linear("o" + l, "%am" + l, inner, model.width);
    line("%y{0} = relax.add {1}, {2} : ({3}, {3}) -> {3}", l, x, o, stream);
    h = norm("m" + l, "%y" + l, "t");
    std::string gate = linear("g" + l, h, model.width, model.hidden);
    line("%s{0} = relax.{1} {2} : ({3}) -> {3}", l, model.activation, gate, wide);
    std::string up = linear("u" + l, h, model.width, model.hidden);
    line("%p{0} = relax.multiply %s{0}, {1} : ({2}, {2}) -> {2}", l, up, wide);
    std::string down = linear("d" + l, "%p" + l, model.hidden, model.width);
    line("%x{0} = relax.add %y{1}, {2} : ({3}, {3}) -> {3}", layer + 1, l, down, stream);
  }

  const Architecture &model;
  std::string body;
  int64_t offset = 0;
};

/// A call of @step.
struct Call {
  int64_t t, b, r;
};
using Values = std::map<std::string, int64_t>;

Values valuesOf(const Call &call) {
  return {{"t", call.t}, {"b", call.b}, {"r", call.r}, {"p", 64}, {"g", 64 * call.b}};
}

/// A pool that keeps every block for the next tensor of exactly its size, in whole pages.
struct ExactPool {
  int64_t total = 0;
  std::multimap<int64_t, int> freed;
  int64_t allocate(int64_t bytes) {
    int64_t size = (bytes + 4095) / 4096 * 4096;
    if (auto it = freed.find(size); it != freed.end())
      freed.erase(it);
    else
      total += size;
    return size;
  }
  void free(int64_t size) { freed.emplace(size, 0); }
};

class Walker {
public:
  explicit Walker(func::FuncOp step) {
    int64_t position = 0;
    for (Operation &op : step.getBody().front()) {
      for (Value operand : op.getOperands())
        last[transforms::viewedValue(operand)] = position;
      ++position;
    }
    arena = step->getAttrOfType<ir::ExprAttr>("relax.arena_size").getExpr();
    position = 0;
    for (Operation &op : step.getBody().front()) {
      int64_t here = position++;
      auto storage = op.getAttrOfType<ArrayAttr>("storage");
      if (!storage)
        continue;
      for (OpResult result : op.getResults()) {
        auto place = cast<ir::StorageAttr>(storage[result.getResultNumber()]);
        if (place.getKind() == ir::StorageKind::Alias)
          continue; // The cache.
        int64_t end = last.contains(result) ? last[result] : here;
        tensors.push_back(
            {place, transforms::byteSize(cast<RankedTensorType>(result.getType())), here, end});
      }
    }
  }

  struct Use {
    int64_t arena = 0, results = 0, live = 0;
  };
  Use plan(const Call &call) const {
    Values values = valuesOf(call);
    Use use;
    use.arena = *symbolic::evaluate(arena, values);
    std::map<unsigned, int64_t> results;
    // Blocks of the plan: what has one place at one time is one.
    std::map<int64_t, std::vector<std::pair<Attribute, int64_t>>> starts, ends;
    for (const Tensor &tensor : tensors) {
      int64_t bytes = *symbolic::evaluate(tensor.bytes, values);
      if (tensor.place.getKind() == ir::StorageKind::Result) {
        results[tensor.place.getIndex()] = bytes;
        continue;
      }
      starts[tensor.first].emplace_back(tensor.place, bytes);
      ends[tensor.last + 1].emplace_back(tensor.place, bytes);
    }
    std::map<const void *, std::pair<int64_t, int64_t>> alive; // Place: how many, and bytes.
    for (int64_t time = 0; time <= ends.rbegin()->first; ++time) {
      for (auto &[place, bytes] : ends[time])
        if (--alive[place.getAsOpaquePointer()].first == 0)
          alive.erase(place.getAsOpaquePointer());
      for (auto &[place, bytes] : starts[time]) {
        auto &entry = alive[place.getAsOpaquePointer()];
        entry = {entry.first + 1, std::max(entry.second, bytes)};
      }
      int64_t sum = 0;
      for (auto &[place, entry] : alive)
        sum += entry.second;
      use.live = std::max(use.live, sum);
    }
    for (auto &[index, bytes] : results)
      use.results += bytes;
    use.live += use.results;
    return use;
  }

  /// Calls `allocate(number, bytes)` and `free(number)` as an interpreter would; for results too if
  /// `withResults`.
  template <typename Allocate, typename Free>
  void walk(const Call &call, bool withResults, Allocate allocate, Free free) const {
    Values values = valuesOf(call);
    std::map<int64_t, std::vector<size_t>> ends;
    for (size_t i = 0; i < tensors.size(); ++i)
      ends[tensors[i].last].push_back(i);
    int64_t done = -1;
    auto finish = [&](int64_t until) {
      for (auto it = ends.upper_bound(done); it != ends.end() && it->first < until; ++it)
        for (size_t number : it->second)
          if (isWalked(number, withResults))
            free(number);
      done = until - 1;
    };
    for (size_t i = 0; i < tensors.size(); ++i) {
      finish(tensors[i].first);
      if (isWalked(i, withResults))
        allocate(i, *symbolic::evaluate(tensors[i].bytes, values));
    }
    finish(INT64_MAX);
  }

private:
  [[nodiscard]] bool isWalked(size_t number, bool withResults) const {
    return withResults || tensors[number].place.getKind() != ir::StorageKind::Result;
  }

  struct Tensor {
    ir::StorageAttr place;
    symbolic::Expr bytes;
    int64_t first, last;
  };
  llvm::DenseMap<Value, int64_t> last;
  symbolic::Expr arena;
  std::vector<Tensor> tensors;
};

double mib(int64_t bytes) { return double(bytes) / (1 << 20); }

void report(const char *model, const std::string &run, const Walker &walker, ArrayRef<Call> calls,
            bool withResults) {
  int64_t arena = 0, results = 0, live = 0;
  ExactPool exact;
  runtime::Ref<runtime::MemoryPool> classes{new runtime::MemoryPool};
  for (const Call &call : calls) {
    Walker::Use use = walker.plan(call);
    arena = std::max(arena, use.arena);
    if (withResults)
      results = std::max(results, use.results);
    live = std::max(live, use.live - (withResults ? 0 : use.results));
    std::map<size_t, int64_t> held;
    walker.walk(
        call, withResults, [&](size_t i, int64_t bytes) { held[i] = exact.allocate(bytes); },
        [&](size_t i) { exact.free(held[i]); });
    std::map<size_t, runtime::MemoryPool::Block> blocks;
    walker.walk(
        call, withResults,
        [&](size_t i, int64_t bytes) {
          blocks[i] = classes->allocate(static_cast<uint64_t>(bytes));
        },
        [&](size_t i) { blocks.erase(i); });
    classes->endCall();
  }
  int64_t planned = arena + results, pool = int64_t(classes->account.peak());
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:+.1f} % | {:.1f} | {:.0f} % | {:.1f} | {:.0f} % |\n",
             model, run, mib(planned), mib(live), 100 * (double(planned) / double(live) - 1),
             mib(exact.total), 100 * (1 - double(planned) / double(exact.total)), mib(pool),
             100 * (1 - double(planned) / double(pool)));
}

bool measure(const Architecture &model, MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(StepText(model).make(), ParserConfig(&context));
  if (!module)
    return false;
  PassManager pm(&context);
  driver::PipelineOptions options;
  options.activations = "float32";
  for (driver::PipelineStep &step : driver::pipelineSteps(options)) {
    pm.addPass(std::move(step.pass));
    if (step.name == "plan-memory")
      break;
  }
  auto start = std::chrono::steady_clock::now();
  if (failed(pm.run(*module)))
    return false;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto step = module->lookupSymbol<func::FuncOp>("step");
  std::fprintf(stderr, "%s: %.2f s to the plan; arena %s\n", model.name, seconds,
               step->getAttrOfType<ir::ExprAttr>("relax.arena_size").getExpr().str().c_str());
  Walker walker(step);
  for (bool withResults : {true, false}) {
    const std::string with = withResults ? "" : ", without logits";
    report(model.name, "prompts 128, 256, 512, 1024" + with, walker,
           {{128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}}, withResults);
    report(model.name, "decode at batch 1, 16, 32, 64" + with, walker,
           {{1, 1, 1}, {16, 16, 16}, {32, 32, 32}, {64, 64, 64}}, withResults);
  }
  return true;
}

} // namespace

int main() {
  DialectRegistry registry;
  driver::registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  fmt::print(
      "| model | calls | planned | live | over live | exact pool | saved | class pool | saved "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Architecture &model : architectures)
    if (!measure(model, context))
      return 1;
}
