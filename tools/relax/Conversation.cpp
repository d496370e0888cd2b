#include "tools/relax/Conversation.h"

#include "runtime/support/AtomicFile.h"
#include "tools/relax/Lists.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace relax::tool {
namespace {

using json = nlohmann::ordered_json;

std::string withoutTilde(const std::string &path) {
  const char *home = std::getenv("HOME");
  return home && path.starts_with("~/") ? home + path.substr(1) : path;
}

Status invalid(const std::string &path, const std::string &problem) {
  return Status(StatusCode::InvalidFile, path + ": " + problem);
}

} // namespace

Status saveConversation(const std::string &path, const std::vector<llm::ChatMessage> &messages) {
  json document = json::array();
  for (const llm::ChatMessage &message : messages)
    document.push_back({{"role", message.role}, {"content", message.content}});
  const std::string text = document.dump(1) + "\n";
  return writeFileAtomically(withoutTilde(path),
                             {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

Expected<std::vector<llm::ChatMessage>> loadConversation(const std::string &path) {
  const std::string name = withoutTilde(path);
  auto text = readText(name);
  if (!text)
    return text.takeStatus();
  json document;
  try {
    document = json::parse(*text);
  } catch (const json::parse_error &error) {
    return invalid(name, fmt::format("byte {}: no JSON, expected a list of messages", error.byte));
  }
  if (!document.is_array())
    return invalid(
        name, fmt::format("found JSON's {}, expected a list of messages", document.type_name()));
  std::vector<llm::ChatMessage> messages;
  for (const json &entry : document) {
    llm::ChatMessage message;
    for (const auto &[key, target] :
         {std::pair("role", &message.role), std::pair("content", &message.content)}) {
      const auto field = entry.is_object() ? entry.find(key) : entry.end();
      if (field == entry.end() || !field->is_string())
        return invalid(
            name, fmt::format("message {}: found no text called \"{}\"", messages.size(), key));
      *target = field->get<std::string>();
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

} // namespace relax::tool
