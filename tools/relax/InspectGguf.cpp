#include "compiler/importers/gguf/File.h"
#include "runtime/support/Text.h"
#include "tools/relax/Inspect.h"

#include <fmt/format.h>

#include <map>

namespace relax::tool {
namespace {

constexpr size_t shownElements = 8;
constexpr size_t shownBytes = 160;

std::string cut(const std::string &text, bool all) {
  if (all || text.size() <= shownBytes)
    return text;
  return fmt::format("{}… ({} bytes)", text.substr(0, shownBytes), text.size());
}

template <typename T> Json arrayJson(const std::vector<T> &values, bool all) {
  Json list = Json::array();
  for (size_t i = 0; i < values.size() && (all || i < shownElements); ++i)
    list.push_back(static_cast<T>(values[i]));
  if (list.size() == values.size())
    return list;
  return {{"count", values.size()}, {"first", list}};
}

struct ValueJson {
  bool all;
  Json operator()(const std::string &text) const { return cut(text, all); }
  template <typename T> Json operator()(const std::vector<T> &values) const {
    return arrayJson(values, all);
  }
  template <typename T> Json operator()(const T &value) const { return value; }
};

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

Json metadataJson(const Metadata &metadata, bool all) {
  Json object = Json::object();
  for (const Metadata::Entry &entry : metadata.entries())
    object[entry.key] = std::visit(ValueJson{all}, entry.value);
  return object;
}

std::string metadataText(const Json &metadata) {
  std::string text = fmt::format("Metadata ({})\n", metadata.size());
  for (const auto &[key, value] : metadata.items()) {
    const bool isCut = value.is_object();
    std::string shown = dump(isCut ? value["first"] : value);
    if (isCut)
      shown = fmt::format("{}… ({} elements)", shown.substr(0, shown.size() - 1) + ", ",
                          value["count"].get<size_t>());
    text += fmt::format("  {:<45} {}\n", key, shown);
  }
  return text;
}

Expected<Json> inspectGguf(const std::string &path, bool all) {
  auto file = gguf::File::open(path);
  if (!file)
    return file.takeStatus();
  struct Sum {
    int64_t tensors = 0;
    uint64_t bytes = 0, elements = 0;
  };
  std::map<std::string, Sum> formats;
  Json tensors = Json::array();
  uint64_t parameters = 0;
  for (const gguf::Tensor &tensor : file->tensors()) {
    uint64_t elements = 1;
    for (const int64_t dim : tensor.dims)
      elements *= static_cast<uint64_t>(dim);
    Sum &sum = formats[tensor.format->name];
    ++sum.tensors;
    sum.bytes += tensor.size;
    sum.elements += elements;
    parameters += elements;
    if (all)
      tensors.push_back({{"name", tensor.name},
                         {"format", tensor.format->name},
                         {"shape", tensor.dims},
                         {"offset", tensor.offset},
                         {"bytes", tensor.size}});
  }
  Json summary = Json::array();
  for (const auto &[name, sum] : formats)
    summary.push_back({{"format", name},
                       {"tensors", sum.tensors},
                       {"parameters", sum.elements},
                       {"bytes", sum.bytes}});
  Json document = {{"format", "gguf"},
                   {"version", file->version()},
                   {"bytes", file->size()},
                   {"files", file->parts().size()},
                   {"parameters", parameters},
                   {"metadata", metadataJson(file->metadata(), all)},
                   {"tensor_count", file->tensors().size()},
                   {"formats", summary}};
  if (all)
    document["tensors"] = tensors;
  return document;
}

std::string ggufText(const Json &document) {
  std::string text = fmt::format(
      "GGUF version {}, {}{}, {} parameters\n\n", document["version"].get<int>(),
      byteText(document["bytes"].get<uint64_t>()),
      document["files"] == 1 ? "" : fmt::format(" in {} files", document["files"].get<size_t>()),
      document["parameters"].get<uint64_t>());
  text += metadataText(document["metadata"]);
  text += fmt::format("\nTensors ({})\n  format   tensors    parameters        size\n",
                      document["tensor_count"].get<size_t>());
  for (const Json &row : document["formats"])
    text += fmt::format("  {:<8} {:>7} {:>13} {:>11}\n", row["format"].get<std::string>(),
                        row["tensors"].get<int64_t>(), row["parameters"].get<uint64_t>(),
                        byteText(row["bytes"].get<uint64_t>()));
  if (!document.contains("tensors"))
    return text + "  --all lists each of them\n";
  for (const Json &tensor : document["tensors"])
    text += fmt::format("  {:<40} {:<6} {:<16} {:>11}\n", tensor["name"].get<std::string>(),
                        tensor["format"].get<std::string>(), dump(tensor["shape"]),
                        byteText(tensor["bytes"].get<uint64_t>()));
  return text;
}

} // namespace relax::tool
