//===- WeightsFile.cpp ------------------------------------------------------------------------===//
#include "runtime/loader/WeightsFile.h"

#include "runtime/artifact/ContentHash.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/Text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace relax::runtime {
namespace {

using artifact::Constant;
using artifact::contentHash;

std::vector<const Constant *> constantsOf(const artifact::Module &module, size_t file) {
  std::vector<const Constant *> result;
  for (const Constant &constant : module.constants)
    if (constant.file >= 0 && static_cast<size_t>(constant.file) == file)
      result.push_back(&constant);
  return result;
}

uint64_t digest(const std::vector<const Constant *> &constants) {
  std::vector<uint64_t> words;
  for (const Constant *constant : constants)
    words.insert(words.end(), {constant->offset, constant->size, constant->hash});
  return contentHash({reinterpret_cast<const uint8_t *>(words.data()), words.size() * 8});
}

/// The stamp of a verified file: its text, and the path to keep it at.
struct Stamp {
  std::string path, content;

  [[nodiscard]] bool exists() const {
    std::ifstream file(path, std::ios::binary);
    return file && std::string(std::istreambuf_iterator<char>(file), {}) == content;
  }
  void leave() const {
    if (!makeFolders(std::filesystem::path(path).parent_path().string()))
      return;
    // Without a stamp the next start hashes again; no reason to fail this one.
    (void)writeFileAtomically(path,
                              {reinterpret_cast<const uint8_t *>(content.data()), content.size()});
  }
};

Stamp makeStamp(const std::string &path, const FileIdentity &id, uint64_t digest,
                const std::string &cacheFolder) {
  std::error_code error;
  std::string absolute = std::filesystem::weakly_canonical(path, error).string();
  if (error)
    absolute = path;
  std::string content = text("relax verified 1\n", absolute, "\nsize ", id.size, "\ndevice ",
                             id.device, "\ninode ", id.inode, "\nmodified ", id.modifiedNs,
                             "\nchanged ", id.changedNs, "\nconstants ", hexadecimal(digest), '\n');
  std::string key = text(absolute, '\n', hexadecimal(digest));
  uint64_t name = contentHash({reinterpret_cast<const uint8_t *>(key.data()), key.size()});
  return {text(cacheFolder, "/verified/", hexadecimal(name).substr(2)), content};
}

bool isSettled(const FileIdentity &id) {
  auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                 std::chrono::system_clock::now().time_since_epoch())
                 .count();
  return now - std::max(id.modifiedNs, id.changedNs) > 2'000'000'000;
}

Status mismatch(const std::string &path, const std::string &what, uint64_t found,
                uint64_t expected) {
  return Status(StatusCode::InvalidFile,
                text(path, ": ", what, " has hash ", hexadecimal(found), ", expected ",
                     hexadecimal(expected),
                     ": the file is damaged, or not the one that the model was compiled from"));
}

/// Hashes every constant, in parallel, and reports the first that differs.
Status hashConstants(const MappedFile &file, const std::string &path,
                     const std::vector<const Constant *> &constants, ThreadPool &pool) {
  std::vector<uint64_t> hashes(constants.size());
  pool.parallelFor(
      static_cast<int64_t>(constants.size()), INT64_MAX, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i != static_cast<size_t>(end); ++i)
          hashes[i] = contentHash(file.bytes().subspan(constants[i]->offset, constants[i]->size));
      });
  for (size_t i = 0; i != constants.size(); ++i)
    if (const Constant &constant = *constants[i]; hashes[i] != constant.hash)
      return mismatch(path,
                      text("tensor ", inQuotes(constant.name), " (bytes ", constant.offset, " to ",
                           constant.offset, " + ", constant.size, ")"),
                      hashes[i], constant.hash);
  return {};
}

} // namespace

Expected<MappedFile> openWeightsFile(const artifact::Module &module, size_t index,
                                     const std::string &path, const std::string &cacheFolder,
                                     ThreadPool &pool) {
  const artifact::WeightsFile &expected = module.files[index];
  Expected<MappedFile> opened = MappedFile::open(path);
  if (!opened)
    return opened.takeStatus().withContext("the weights");
  MappedFile &file = *opened;
  std::span<const uint8_t> bytes = file.bytes();
  if (bytes.size() != expected.size)
    return Status(StatusCode::InvalidFile,
                  text(path, ": has ", bytes.size(), " bytes, expected ", expected.size,
                       ": it is not the file that the model was compiled from"));
  uint64_t head = contentHash(bytes.first(std::min(expected.size, artifact::headerHashBytes)));
  if (head != expected.headerHash)
    return mismatch(path, "its beginning (64 KiB)", head, expected.headerHash);

  std::vector<const Constant *> constants = constantsOf(module, index);
  for (const Constant *constant : constants)
    file.willNeed(constant->offset, constant->size);
  Stamp stamp = makeStamp(path, file.identity(), digest(constants), cacheFolder);
  if (!cacheFolder.empty() && stamp.exists())
    return opened;
  RELAX_RETURN_IF_ERROR(hashConstants(file, path, constants, pool));
  file.dontNeed(0, expected.size); // Who reads it gets it from the system's cache.
  if (!cacheFolder.empty() && isSettled(file.identity()))
    stamp.leave();
  return opened;
}

std::string weightsFilePath(const artifact::WeightsFile &file, const std::string &artifactFolder,
                            const std::string &weightsPath) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (weightsPath.empty()) {
    fs::path recorded = fs::path(artifactFolder) / file.path;
    fs::path beside = fs::path(artifactFolder) / recorded.filename();
    return (!fs::exists(recorded, error) && fs::exists(beside, error) ? beside : recorded).string();
  }
  if (fs::is_directory(weightsPath, error))
    return (fs::path(weightsPath) / fs::path(file.path).filename()).string();
  return weightsPath;
}

} // namespace relax::runtime
