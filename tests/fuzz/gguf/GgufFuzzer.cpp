// Any bytes give a file or an error; whatever a file claims to hold can be read.
#include "compiler/importers/gguf/File.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = relax::gguf::File::parse("fuzz", {data, size});
  if (!file) {
    if (file.status().message().empty())
      std::abort();
    return 0;
  }
  unsigned sum = 0;
  for (const relax::gguf::Tensor &tensor : file->tensors())
    for (uint8_t byte : file->bytes(tensor))
      sum += byte;
  // Keeps the reads above.
  asm volatile("" : : "r"(sum));
  return 0;
}
