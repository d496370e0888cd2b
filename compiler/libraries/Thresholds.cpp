#include "compiler/libraries/Thresholds.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace relax::libraries {

Expected<std::vector<TunedEntry>> readThresholds(const std::string &path) {
  std::vector<TunedEntry> entries;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    if (file.getError() == std::errc::no_such_file_or_directory ||
        file.getError() == std::errc::not_a_directory)
      return entries;
    return Status(StatusCode::Io, path + ": " + file.getError().message());
  }
  auto damaged = [&](const std::string &what) {
    return Status(StatusCode::InvalidFile,
                  path + ": " + what + "; measure again with `relax tune-dispatch`");
  };
  llvm::Expected<llvm::json::Value> document = llvm::json::parse((*file)->getBuffer());
  if (!document)
    return damaged(llvm::toString(document.takeError()));
  const llvm::json::Object *root = document->getAsObject();
  const llvm::json::Array *list = root ? root->getArray("entries") : nullptr;
  if (!list)
    return damaged("found no list \"entries\"");
  for (const llvm::json::Value &value : *list) {
    const llvm::json::Object *object = value.getAsObject();
    TunedEntry entry;
    auto text = [&](llvm::StringRef key, std::string &out) {
      auto found = object->getString(key);
      if (found)
        out = found->str();
      return found.has_value();
    };
    auto number = [&](llvm::StringRef key, int64_t &out) {
      auto found = object->getInteger(key);
      if (found)
        out = *found < 0 ? INT64_MAX : *found;
      return found.has_value();
    };
    if (!object || !text("function", entry.function) || !text("dtype", entry.dtype) ||
        !text("version", entry.version) || !text("cpu", entry.cpu) || !number("rows", entry.rows) ||
        !number("work", entry.work))
      return damaged("an entry lacks function, dtype, version, cpu, rows or work");
    entries.push_back(std::move(entry));
  }
  return entries;
}

const TunedEntry *findThreshold(const std::vector<TunedEntry> &entries, const std::string &function,
                                const std::string &dtype, const std::string &cpu) {
  for (const TunedEntry &entry : entries)
    if (entry.function == function && entry.dtype == dtype && entry.cpu == cpu)
      return &entry;
  return nullptr;
}

} // namespace relax::libraries
