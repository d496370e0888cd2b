#include "tests/unit/kernels/attention/Programs.h"

#include <fmt/format.h>

namespace relax::test {

static std::string pagesType(const CacheShape &shape, bool isKeys, const std::string &symbol) {
  int64_t outer = isKeys ? shape.storedHeadDim() : shape.pageSize;
  int64_t inner = isKeys ? shape.pageSize : shape.storedHeadDim();
  return fmt::format("tensor<?x{0}x{1}x{2}x{3}, #relax.shape<[{4}, {0}, {1}, {2}]>>", shape.kvHeads,
                     outer, inner,
                     shape.q8     ? "i8"
                     : shape.half ? "f16"
                                  : "f32",
                     symbol);
}

static const char *batchTypes = "tensor<?xi32, #relax.shape<[s2 + 1]>>, "
                                "tensor<?x?xi32, #relax.shape<[s2, s3]>>, "
                                "tensor<?xi32, #relax.shape<[s2]>>";
static const char *batchArguments = "%starts: tensor<?xi32, #relax.shape<[s2 + 1]>>, "
                                    "%table: tensor<?x?xi32, #relax.shape<[s2, s3]>>, "
                                    "%cached: tensor<?xi32, #relax.shape<[s2]>>";

std::string pagedAttentionProgram(const CacheShape &shape, double scale) {
  std::string query = fmt::format("tensor<?x{0}x{1}xf32, #relax.shape<[s0, {0}, {1}]>>",
                                  shape.heads, shape.headDim);
  std::string keys = pagesType(shape, true, "s1"), values = pagesType(shape, false, "s1"), more;
  if (shape.window > 0)
    more += fmt::format(", window = {} : i64", shape.window);
  if (shape.softCap > 0)
    more += fmt::format(", soft_cap = {:e} : f64", shape.softCap);
  return fmt::format(R"(
func.func private @k(%q: {0}, %k: {1}, %v: {2}, {3}) -> {0}
    attributes {{relax.kernel, relax.kernel_symbols = ["s0", "s1", "s2", "s3"]}} {{
  %0 = "relax.paged_attention"(%q, %k, %v, %starts, %table, %cached) {{scale = {4:e} : f64{6}}}
      : ({0}, {1}, {2}, {5}) -> {0}
  return %0 : {0}
}})",
                     query, keys, values, batchArguments, scale, batchTypes, more);
}

std::string updateSlotsProgram(const CacheShape &shape, bool isKeys) {
  std::string pages = pagesType(shape, isKeys, "s0");
  std::string values = fmt::format("tensor<?x{0}x{1}xf32, #relax.shape<[s1, {0}, {1}]>>",
                                   shape.kvHeads, shape.headDim);
  return fmt::format(R"(
func.func private @k(%pages: {0}, %values: {1}, {2}) -> {0}
    attributes {{relax.kernel, relax.kernel_symbols = ["s0", "s1", "s2", "s3"]}} {{
  %0 = "relax.update_slots"(%pages, %values, %starts, %table, %cached) {{layout = "{3}"}}
      : ({0}, {1}, {4}) -> {0}
  return %0 : {0}
}})",
                     pages, values, batchArguments, isKeys ? "keys" : "values", batchTypes);
}

std::string rotaryTableProgram(double base, int64_t dims) {
  return fmt::format(R"(
func.func private @k(%positions: tensor<?xi32, #relax.shape<[s0]>>)
    -> tensor<?x{0}xf32, #relax.shape<[s0, {0}]>>
    attributes {{relax.kernel, relax.kernel_symbols = ["s0"]}} {{
  %0 = "relax.rotary_table"(%positions) {{base = {1:e} : f64, dims = {0} : i64}}
      : (tensor<?xi32, #relax.shape<[s0]>>) -> tensor<?x{0}xf32, #relax.shape<[s0, {0}]>>
  return %0 : tensor<?x{0}xf32, #relax.shape<[s0, {0}]>>
}})",
                     dims, base);
}

} // namespace relax::test
