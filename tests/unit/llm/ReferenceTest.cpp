// Token ids and chat texts of the sample model equal those of independent implementations.
#include "tests/unit/llm/Reference.h"

#include "llm/ChatTemplate.h"
#include "llm/tokenizer/StreamDecoder.h"
#include "llm/tokenizer/Tokenizer.h"
#include "llm/tokenizer/Unicode.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iterator>

namespace relax::llm {
namespace {

using json = nlohmann::ordered_json;
using Ids = std::vector<int32_t>;

class SampleModel : public testing::Test {
protected:
  static const Tokenizer &tokenizer() {
    static const auto made = Tokenizer::fromMetadata(test::sampleModelMetadata());
    EXPECT_TRUE(made) << made.status().message();
    return *made;
  }
};

TEST_F(SampleModel, TokenIds) {
  const json data = test::readReference("smollm2/tokenize_smol.json");
  ASSERT_GT(data["cases"].size(), 20u);
  for (const json &one : data["cases"]) {
    const std::string text = one["text"];
    EXPECT_EQ(tokenizer().encode(text, {}), one["plain"].get<Ids>()) << one["text"];
    EXPECT_EQ(tokenizer().encode(text, {.addSpecial = true, .parseSpecial = true}),
              one["special"].get<Ids>())
        << one["text"];
  }
}

TEST_F(SampleModel, MoreTokenIds) {
  const json data = test::readReference("smollm2/tokenize_more_smol.json");
  ASSERT_GT(data["cases"].size(), 50u);
  for (const json &one : data["cases"]) {
    const Ids ids =
        tokenizer().encode(one["text"].get<std::string>(), {.addSpecial = one["add_special"],
                                                            .parseSpecial = one["parse_special"]});
    const bool equal = ids == one["ids"].get<Ids>() ||
                       (one.contains("alt_ids") && ids == one["alt_ids"].get<Ids>());
    EXPECT_TRUE(equal) << one["text"] << testing::PrintToString(ids);
  }
}

std::string fromHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST_F(SampleModel, InvalidUtf8) {
  const json data = test::readReference("smollm2/tokenize_more_smol.json");
  for (const json &one : data["invalid_utf8"])
    EXPECT_EQ(tokenizer().encode(fromHex(one["hex"]), {}), one["ids"].get<Ids>()) << one["hex"];
  EXPECT_EQ(tokenizer().encode("\xf4\x90\x80\x80", {}), (Ids{24211, 24211, 24211, 24211}));
}

TEST_F(SampleModel, DecodingGivesTheTextBack) {
  const json data = test::readReference("smollm2/tokenize_more_smol.json");
  for (const json &one : data["cases"]) {
    const std::string text = one["text"];
    const Ids ids = tokenizer().encode(text, {.parseSpecial = one["parse_special"]});
    StreamDecoder decoder;
    std::string streamed;
    for (const int32_t id : ids) {
      const std::string piece = decoder.push(tokenizer().bytesOf(id));
      EXPECT_EQ(findInvalidUtf8(piece), std::nullopt);
      streamed += piece;
    }
    streamed += decoder.finish();
    const std::string whole = tokenizer().decode(ids, true);
    EXPECT_EQ(streamed, whole);
    // Bytes without a token are lost; no other text changes.
    if (whole.size() == text.size())
      EXPECT_EQ(whole, text);
    else
      EXPECT_NE(text.find_first_of("\x04\x06\x13\x14\x16\x1d"), std::string::npos) << text;
  }
}

TEST_F(SampleModel, SpecialTokens) {
  EXPECT_EQ(tokenizer().vocabularySize(), 49152u);
  EXPECT_EQ(tokenizer().endTokens(), (std::set<int32_t>{0, 2, 4}));
  EXPECT_EQ(tokenizer().endToken(), 2);
  EXPECT_TRUE(tokenizer().isControl(1));
  EXPECT_FALSE(tokenizer().isControl(504));
}

TEST_F(SampleModel, LongRuns) {
  std::string han;
  for (int i = 0; i < 20000; ++i)
    han += "\u4f60\u597d";
  for (const std::string &text :
       {std::string(43000, 'A'), std::string(50000, ' '), std::string(131072, 'Z'),
        std::string(60000, '\n'), std::string(50000, '1'), std::string(50000, '\''), han})
    EXPECT_EQ(tokenizer().decode(tokenizer().encode(text, {}), true), text);
}

jinja::Value toValue(const json &data) {
  if (data.is_boolean())
    return jinja::Value::boolean(data);
  if (data.is_number_integer())
    return jinja::Value::integer(data);
  if (data.is_number())
    return jinja::Value::number(data);
  if (data.is_string())
    return jinja::Value::string(data);
  if (data.is_array()) {
    jinja::List list;
    for (const json &element : data)
      list.push_back(toValue(element));
    return jinja::Value::list(std::move(list));
  }
  if (!data.is_object())
    return jinja::Value::none();
  jinja::Dict dict;
  for (const auto &[key, value] : data.items())
    dict.set(key, toValue(value));
  return jinja::Value::dict(std::move(dict));
}

TEST_F(SampleModel, ChatTemplate) {
  auto chat = ChatTemplate::fromMetadata(test::sampleModelMetadata());
  ASSERT_TRUE(chat) << chat.status().message();
  const json data = test::readReference("smollm2/chat_smol.json");
  ASSERT_GE(data["cases"].size(), 10u);
  for (const json &one : data["cases"]) {
    const auto text =
        chat->render(toValue(one["messages"]), toValue(one["tools"]), one["add_generation_prompt"]);
    ASSERT_TRUE(text) << text.status().message();
    EXPECT_EQ(*text, one["text"].get<std::string>());
    EXPECT_EQ(tokenizer().encode(*text, {.addSpecial = true, .parseSpecial = true}),
              one["ids"].get<Ids>());
  }
}

std::string readTemplateFile(const std::string &name) {
  std::ifstream file(std::string(RELAX_TEST_DATA) + "/templates/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A harder template: tools, nested conditions, neighbours of a message.
TEST(ChatTemplates, Qwen) {
  auto chat = ChatTemplate::parse(readTemplateFile("qwen2.5.jinja"), "", "<|im_end|>");
  ASSERT_TRUE(chat) << chat.status().message();
  const json data = test::readReference("smollm2/chat_qwen.json");
  ASSERT_GE(data["cases"].size(), 20u);
  for (const json &one : data["cases"]) {
    const auto text =
        chat->render(toValue(one["messages"]), toValue(one["tools"]), one["add_generation_prompt"]);
    ASSERT_TRUE(text) << text.status().message();
    EXPECT_EQ(*text, one["text"].get<std::string>());
  }
}

/// As the function strftime_now of templates writes it.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[64];
  return {text, std::strftime(text, sizeof text, "%d %b %Y", localtime_r(&now, &local))};
}

/// The families' templates, tools included, against Jinja2 (tests/data/templates/render.py).
TEST(ChatTemplates, Families) {
  const json cases = json::parse(readTemplateFile("rendered.json"));
  ASSERT_GE(cases.size(), 150u);
  size_t texts = 0;
  for (const json &one : cases) {
    auto chat = ChatTemplate::parse(readTemplateFile(one["template"].get<std::string>() + ".jinja"),
                                    one["begin"], one["end"]);
    ASSERT_TRUE(chat) << chat.status().message();
    const auto text =
        chat->render(toValue(one["messages"]), toValue(one["tools"]), one["add_generation_prompt"]);
    if (one.contains("error")) {
      EXPECT_FALSE(text) << one;
      continue;
    }
    ++texts;
    ASSERT_TRUE(text) << text.status().message() << one;
    std::string expected = one["text"];
    if (const size_t date = expected.find("@DATE@"); date != std::string::npos)
      expected.replace(date, 6, today());
    EXPECT_EQ(*text, expected) << one;
  }
  EXPECT_GE(texts, 100u);
}

TEST(ChatTemplates, AnInstructionThatTheTemplateRefusesGoesToTheUser) {
  const auto render = [](const std::string &source, std::vector<ChatMessage> messages) {
    auto chat = ChatTemplate::parse(source, "<bos>", "<eos>");
    EXPECT_TRUE(chat) << chat.status().message();
    return *chat->render(messages, true);
  };
  const std::vector<ChatMessage> asked = {{"system", "Be brief.\n"}, {"user", "Hi"}};
  EXPECT_EQ(render(readTemplateFile("gemma2.jinja"), asked),
            "<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\n");
  const std::string deaf =
      "{% for m in messages if m.role != 'system' %}[{{ m.content }}]{% endfor %}";
  EXPECT_EQ(render(deaf, asked), "[Be brief.\n\nHi]");
  EXPECT_EQ(render("{% for m in messages %}[{{ m.content | trim }}]{% endfor %}", asked),
            "[Be brief.][Hi]");
}

} // namespace
} // namespace relax::llm
