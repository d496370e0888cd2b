#include "compiler/libraries/Entries.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace relax::libraries {

ArrayRef<Entry> libraryEntries() {
  static const Entry table[] = {
      {"onednn", "onednn.matmul", matchMatmulWithEpilogue, 11, 32, int64_t{1} << 24},
      {"onednn", "onednn.matmul", matchIntegerMatmul, 3, 32, int64_t{1} << 24},
      {"openblas", "openblas.matmul", matchMatmul, 13, 32, int64_t{1} << 24},
  };
  return table;
}

SmallVector<StringRef> libraryNames() {
  SmallVector<StringRef> names;
  for (const Entry &entry : libraryEntries())
    if (!llvm::is_contained(names, entry.library))
      names.push_back(entry.library);
  return names;
}

std::string dtypeOf(const Claim &claim) {
  std::string text;
  llvm::raw_string_ostream(text)
      << cast<RankedTensorType>(claim.inputs[0].getType()).getElementType();
  return text;
}

} // namespace relax::libraries
