#include "tools/relax/CompileCache.h"

#include "compiler/importers/gguf/File.h"
#include "llm/Statistics.h"
#include "runtime/artifact/Artifact.h"
#include "runtime/artifact/ContentHash.h"
#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/MappedFile.h"
#include "tools/relax/CompileInChild.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace relax::tool {
namespace {

uint64_t hashOf(std::string_view text) {
  return artifact::contentHash({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

/// All that an artifact depends on, as text.
Expected<std::string> dependencies(const CompileRequest &request) {
  auto model = gguf::File::open(request.input);
  if (!model)
    return model.takeStatus();
  auto compilerPath = CompilerLibrary::find();
  if (!compilerPath)
    return compilerPath.takeStatus();
  auto compiler = MappedFile::open(*compilerPath);
  if (!compiler)
    return compiler.takeStatus();
  std::string headers;
  for (const gguf::Part &part : model->parts())
    headers += fmt::format("header {:016x} size {}\n", artifact::contentHash(part.header()),
                           part.bytes.size());
  return fmt::format("format {} abi {}\ncompiler {:016x}\n{}target {} {}\nactivations {}\n"
                     "cache {}\ncontext {}\ndisabled {}\n",
                     artifact::formatVersion, artifact::kernelAbiVersion,
                     artifact::contentHash(compiler->bytes()), headers, request.target,
                     request.target == "native"
                         ? fmt::format("{}", fmt::join(runtime::cpuFeatures(), ","))
                         : std::string(),
                     request.activations, request.cacheTypeOrDefault(), request.context,
                     fmt::join(request.disabled, ","));
}

/// Keeps `bytes` at `path`; says on the terminal why if it can't.
bool keep(const std::string &path, const std::vector<uint8_t> &bytes) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Status status = makeFolders(folder)
                      ? writeFileAtomically(path, bytes)
                      : Status(StatusCode::Io, folder + ": the folder cannot be made");
  if (status.ok()) {
    pruneCache(folder, path);
    return true;
  }
  reportNote(fmt::format("the compiled model is not kept, and will be compiled again next time: {}",
                         status.message()));
  return false;
}

} // namespace

Expected<std::string> cachedArtifactPath(const CompileRequest &request) {
  auto text = dependencies(request);
  if (!text)
    return text.takeStatus();
  const std::string folder = cacheFolder();
  if (folder.empty())
    return std::string();
  const std::string stem = std::filesystem::path(request.input).stem().string().substr(0, 80);
  return fmt::format("{}/compiled/{}-{:016x}{:016x}.rlx", folder, stem, hashOf(*text),
                     hashOf("second half\n" + *text));
}

void pruneCache(const std::string &folder, const std::string &kept, size_t maxFiles,
                uint64_t maxBytes) {
  struct File {
    std::filesystem::path path;
    std::filesystem::file_time_type used;
    uint64_t bytes;
  };
  std::vector<File> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code unreadable;
    File file = {it->path(), it->last_write_time(unreadable), 0};
    if (!unreadable)
      file.bytes = it->file_size(unreadable);
    if (!unreadable && (file.path.extension() == ".rlx" || file.path.extension() == ".states"))
      files.push_back(std::move(file));
  }
  std::ranges::sort(files, [&](const File &a, const File &b) {
    return std::pair(a.path == kept, a.used) > std::pair(b.path == kept, b.used);
  });
  uint64_t bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].bytes;
    if (files[i].path != kept && (i >= maxFiles || bytes > maxBytes)) {
      std::filesystem::remove(files[i].path, error);
      bytes -= files[i].bytes;
    }
  }
}

Expected<CompiledModel> compiledModel(const CompileRequest &request, bool refresh) {
  auto path = cachedArtifactPath(request);
  if (!path)
    return path.takeStatus();
  CompiledModel result;
  std::error_code error;
  if (!refresh && !path->empty() && std::filesystem::is_regular_file(*path, error)) {
    // The time of the last use decides what goes when the cache is full.
    std::filesystem::last_write_time(*path, std::filesystem::file_time_type::clock::now(), error);
    result.path = std::move(*path);
    result.fromCache = true;
    return result;
  }
  const llm::Stopwatch watch;
  auto bytes = compileInChild(request);
  if (!bytes)
    return bytes.takeStatus();
  result.compileSeconds = watch.seconds();
  result.bytes = std::move(*bytes);
  if (path->empty())
    reportNote("the compiled model is not kept: neither XDG_CACHE_HOME nor HOME is set");
  else if (keep(*path, result.bytes))
    result.path = std::move(*path);
  return result;
}

} // namespace relax::tool
