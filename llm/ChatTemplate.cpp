#include "llm/ChatTemplate.h"

#include <algorithm>
#include <string_view>

namespace relax::llm {
namespace {

/// The text of the token whose id the metadata has under `key`; empty if there is none.
std::string tokenText(const Metadata &metadata, std::string_view key) {
  const auto id = metadata.integer(key, -1);
  const auto tokens = metadata.strings("tokenizer.ggml.tokens");
  if (!id || !tokens || *id < 0 || static_cast<uint64_t>(*id) >= (*tokens)->size())
    return {};
  return (**tokens)[static_cast<size_t>(*id)];
}

jinja::Value toValue(const std::vector<ChatMessage> &messages) {
  jinja::List list;
  for (const ChatMessage &message : messages) {
    jinja::Dict dict;
    dict.set("role", jinja::Value::string(message.role));
    dict.set("content", jinja::Value::string(message.content));
    list.push_back(jinja::Value::dict(std::move(dict)));
  }
  return jinja::Value::list(std::move(list));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const size_t first = std::min(text.find_first_not_of(space), text.size());
  return text.substr(first, text.find_last_not_of(space) + 1 - first);
}

} // namespace

Expected<ChatTemplate> ChatTemplate::fromMetadata(const Metadata &metadata) {
  constexpr std::string_view key = "tokenizer.chat_template";
  if (!metadata.contains(key))
    return Status(StatusCode::Unsupported,
                  metadata.source() + ": the model has no chat template (tokenizer.chat_template); "
                                      "it can complete text, not chat");
  auto source = metadata.string(key);
  if (!source)
    return source.takeStatus();
  auto parsed = parse(*source, tokenText(metadata, "tokenizer.ggml.bos_token_id"),
                      tokenText(metadata, "tokenizer.ggml.eos_token_id"));
  if (!parsed)
    return parsed.takeStatus().withContext(metadata.source());
  return parsed;
}

Expected<ChatTemplate> ChatTemplate::parse(std::string_view source, std::string beginText,
                                           std::string endText) {
  auto text = jinja::Template::parse(source);
  if (!text)
    return text.takeStatus();
  return ChatTemplate(std::move(*text), std::move(beginText), std::move(endText));
}

Expected<std::string> ChatTemplate::render(const std::vector<ChatMessage> &messages,
                                           bool addGenerationPrompt) const {
  auto text = render(toValue(messages), jinja::Value::none(), addGenerationPrompt);
  if (messages.size() < 2 || messages[0].role != "system" || messages[1].role != "user")
    return text;
  const std::string_view system = trimmed(messages[0].content);
  if (text && text->find(system) != std::string::npos)
    return text;
  std::vector<ChatMessage> merged(messages.begin() + 1, messages.end());
  merged[0].content = std::string(system) + "\n\n" + merged[0].content;
  auto other = render(toValue(merged), jinja::Value::none(), addGenerationPrompt);
  return other ? std::move(other) : std::move(text);
}

Expected<std::string> ChatTemplate::render(jinja::Value messages, jinja::Value tools,
                                           bool addGenerationPrompt) const {
  jinja::Dict variables;
  variables.set("messages", std::move(messages));
  variables.set("tools", std::move(tools));
  variables.set("add_generation_prompt", jinja::Value::boolean(addGenerationPrompt));
  variables.set("bos_token", jinja::Value::string(beginText));
  variables.set("eos_token", jinja::Value::string(endText));
  return text.render(variables);
}

} // namespace relax::llm
