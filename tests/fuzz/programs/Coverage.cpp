#include "tests/fuzz/programs/Coverage.h"

#include "tests/fuzz/programs/Generator.h"

#include <set>

using namespace mlir;

namespace relax::fuzz {
namespace {

/// Made by the generator's own ways, not by the catalogue.
constexpr const char *madeOtherwise[] = {
    // Structure.cpp
    "relax.if", "relax.while", "relax.condition", "relax.yield", "relax.dataflow", "relax.call",
    "relax.call_indirect", "relax.function", "relax.tuple", "relax.tuple_get",
    // Annotations.cpp
    "relax.match_cast", "relax.erase", "relax.guard", "relax.check_values", "relax.prefix",
    "relax.shape", "relax.shape_to_tensor", "relax.tensor_to_shape", "relax.reshape_to",
    "relax.reshape",
    // UserPrograms.cpp
    "relax.call_kernel", "relax.call_library", "relax.call_packed", "relax.symbol_value",
    // Generator.cpp
    "relax.cast"};

struct Exclusion {
  const char *op;
  const char *reason;
};
constexpr Exclusion exclusions[] = {
    {"relax.constant", "a weight in a model's file, and programs have no file; dense constants "
                       "stand for it, tests/models has the real ones"},
    {"relax.state", "made by lift-initialization, of what depends on constants"},
    {"relax.pack_weights", "made by claim-contractions, of products with dequantize"},
    {"relax.packed_matmul", "made by claim-contractions, of products with dequantize"},
    {"relax.quantize_activations", "rounds what is multiplied, by design: the interpreter's bound "
                                   "doesn't hold; tests/unit/kernels compares with exact formulas"},
    {"relax.quantized_matmul", "as quantize_activations"},
    {"relax.update_slots", "its indices are promises of the engine (relax.values, relax.ragged), "
                           "which random numbers break; tests/models and tests/end-to-end have it"},
    {"relax.paged_attention", "as update_slots"},
    {"relax.likeliest", "a permission to leave elements out: its values are not one; "
                        "tests/end-to-end/test_bit_equality.py"},
    {"relax.likeliest_terms", "made by claim-contractions, of likeliest"},
    {"relax.likeliest_bounds", "made by claim-contractions, of likeliest"},
    {"relax.likeliest_threshold", "made by claim-contractions, of likeliest"},
    {"relax.likeliest_matmul", "made by claim-contractions, of likeliest"},
};

} // namespace

std::vector<std::string> missingOps(MLIRContext *context) {
  std::set<std::string> known;
  for (const OpTemplate &entry : catalog())
    known.insert(entry.name);
  known.insert(std::begin(madeOtherwise), std::end(madeOtherwise));
  for (const Exclusion &exclusion : exclusions)
    known.insert(exclusion.op);
  std::vector<std::string> wrong;
  std::set<std::string> all;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    if (op.getDialectNamespace() != "relax")
      continue;
    all.insert(op.getStringRef().str());
    if (!known.contains(op.getStringRef().str()))
      wrong.push_back(op.getStringRef().str() +
                      " is made by no random program: put it into Catalog.cpp");
  }
  for (const std::string &name : known)
    if (!all.contains(name))
      wrong.push_back(name + " is no op of the dialect");
  return wrong;
}

} // namespace relax::fuzz
