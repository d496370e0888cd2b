//===- OpenFile.cpp - opens a GGUF model of one file or several
//--------------------------------===//
#include "compiler/importers/gguf/Cursor.h"
#include "compiler/importers/gguf/HeaderReader.h"

#include "runtime/support/Text.h"

#include <cstdio>

namespace relax::gguf {
namespace {

constexpr const char *numberKey = "split.no", *countKey = "split.count",
                     *tensorsKey = "split.tensors.count";
constexpr int64_t mostParts = 9999;

Status invalid(const std::string &path, const std::string &problem) {
  return {StatusCode::InvalidFile, path + ": " + problem};
}

/// How the name of part `number` of `count` ends, counted from 1.
std::string partEnding(int64_t number, int64_t count) {
  char ending[64];
  std::snprintf(ending, sizeof ending, "-%05lld-of-%05lld.gguf", static_cast<long long>(number),
                static_cast<long long>(count));
  return ending;
}

/// The key of every part; `otherwise` where it isn't there.
Expected<int64_t> splitKey(const File &file, const char *key, int64_t otherwise, int64_t most) {
  Expected<int64_t> value = file.metadata().integer(key, otherwise);
  if (value && (*value < 0 || *value > most))
    return invalid(file.path(), text(key, ": found ", *value, ", expected 0 to ", most));
  return value;
}

} // namespace

Expected<File> File::openPart(const std::string &path) {
  Expected<MappedFile> mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.takeStatus();
  Expected<File> file = parse(path, mapped->bytes());
  if (file)
    file->files.front().mapping = std::move(*mapped);
  return file;
}

Expected<File> File::open(const std::string &path) {
  Expected<File> file = openPart(path);
  if (!file)
    return file;
  RELAX_RETURN_IF_ERROR(file->addParts());
  return file;
}

/// Opens what else belongs to the model whose first part this is.
Status File::addParts() {
  Expected<int64_t> count = splitKey(*this, countKey, 1, mostParts);
  if (!count)
    return count.takeStatus();
  if (*count <= 1)
    return {};
  Expected<int64_t> number = splitKey(*this, numberKey, 0, *count - 1);
  if (!number)
    return number.takeStatus();
  const std::string ending = partEnding(*number + 1, *count);
  if (!path().ends_with(ending))
    return invalid(path(), text("is part ", *number + 1, " of ", *count,
                                " of a model, expected a name that ends with ", ending,
                                ": the other parts are found by it"));
  const std::string stem = path().substr(0, path().size() - ending.size());
  if (*number != 0)
    return invalid(path(), text("is part ", *number + 1, " of ", *count,
                                ". Give the first one: ", stem, partEnding(1, *count)));
  for (int64_t i = 1; i < *count; ++i) {
    const std::string place = text("part ", i + 1, " of ", *count);
    Expected<File> part = openPart(stem + partEnding(i + 1, *count));
    if (!part)
      return part.takeStatus().withContext(place);
    for (const auto &[key, expected] : {std::pair(numberKey, i), std::pair(countKey, *count)}) {
      if (!part->metadata().contains(key))
        return invalid(part->path(),
                       text("has no key ", key, ": this is not ", place, " of ", path()));
      Expected<int64_t> found = splitKey(*part, key, 0, mostParts);
      if (!found)
        return found.takeStatus();
      if (*found != expected)
        return invalid(part->path(), text(key, ": found ", *found, ", expected ", expected,
                                          ": this is not ", place, " of ", path()));
    }
    RELAX_RETURN_IF_ERROR(addPart(std::move(*part), static_cast<uint64_t>(*count)));
  }
  Expected<int64_t> tensors =
      splitKey(*this, tensorsKey, static_cast<int64_t>(list.size()), int64_t(1) << 40);
  if (tensors && *tensors != static_cast<int64_t>(list.size()))
    return invalid(path(), text(tensorsKey, ": found ", *tensors, ", expected ", list.size(),
                                ", the tensors of all ", *count,
                                " parts: one of them belongs to another model"));
  return tensors ? Status() : tensors.takeStatus();
}

/// Takes a part's tensors over. A part of another model has other metadata, or tensors that are
/// there already.
Status File::addPart(File part, uint64_t count) {
  for (const char *key : {"general.architecture", "general.name", tensorsKey}) {
    const MetadataValue *mine = values.find(key), *theirs = part.values.find(key);
    if (mine && theirs && *mine != *theirs)
      return invalid(part.path(), text("has another ", key, " than ", path(),
                                       ": it is a part of another model"));
  }
  const auto index = static_cast<uint32_t>(files.size());
  for (Tensor &tensor : part.list) {
    if (const Tensor *first = find(tensor.name))
      return invalid(part.path(),
                     text("byte ", tensor.infoOffset, ": found the tensor ", nameText(tensor.name),
                          ", which is in ", files[first->part].path, " already: one of the ", count,
                          " parts belongs to another model"));
    tensor.part = index;
    positions.emplace(tensor.name, list.size());
    list.push_back(std::move(tensor));
  }
  files.push_back(std::move(part.files.front()));
  return {};
}

} // namespace relax::gguf
