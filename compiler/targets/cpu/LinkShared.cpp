// Links objects into a shared object with lld, in this process.

#include "compiler/targets/cpu/CompileKernels.h"

#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace relax::targets {
namespace {

/// What a kernel may need from outside: the three functions that LLVM itself calls.
bool isAllowed(llvm::StringRef symbol) {
  return symbol == "memcpy" || symbol == "memmove" || symbol == "memset";
}

LogicalResult checkUndefinedSymbols(Location loc, llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels"));
  if (!file)
    return emitError(loc, "internal error: the emitted object can't be read: ")
           << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if ((*flags & llvm::object::BasicSymbolRef::SF_Undefined) && !name->empty() &&
        !isAllowed(*name))
      return emitError(loc, "a kernel calls '")
             << *name << "', which no artifact provides: the operation that needs it has no "
             << "expansion for this target";
  }
  return success();
}

LogicalResult writeFile(Location loc, llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return emitError(loc, "can't write the temporary file ") << path << ": " << error.message();
  return success();
}

} // namespace

FailureOr<std::string> linkShared(Location loc, ArrayRef<std::string> objects) {
  std::vector<llvm::SmallString<128>> inputs(objects.size());
  llvm::SmallString<128> output;
  llvm::scope_exit removeFiles([&] {
    inputs.push_back(output);
    for (const llvm::SmallString<128> &path : inputs)
      if (!path.empty())
        (void)llvm::sys::fs::remove(path); // What can't be removed harms nobody.
  });
  for (auto [object, input] : llvm::zip_equal(objects, inputs)) {
    if (failed(checkUndefinedSymbols(loc, object)))
      return failure();
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("relax-kernels", "o", input))
      return emitError(loc, "can't create a temporary file: ") << error.message();
    if (failed(writeFile(loc, input, object)))
      return failure();
  }
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("relax-kernels", "so", output))
    return emitError(loc, "can't create a temporary file: ") << error.message();

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  llvm::SmallVector<const char *> arguments = {
      "ld.lld",          "-shared", "--gc-sections", "-z", "noexecstack", "--hash-style=gnu",
      "--build-id=none", "-o",      output.c_str()};
  for (llvm::SmallString<128> &input : inputs)
    arguments.push_back(input.c_str());
  // lld keeps global state while it runs.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return emitError(loc, "linking the kernels failed: ") << messages;
  auto buffer =
      llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc, "can't read the linked kernels: ") << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

} // namespace relax::targets
