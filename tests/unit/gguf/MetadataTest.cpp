#include "runtime/support/Metadata.h"

#include <gtest/gtest.h>

namespace relax {
namespace {

TEST(Metadata, KeepsOrderAndReplacesInPlace) {
  Metadata m;
  m.set("b", 1);
  m.set("a", "text");
  m.set("b", true);
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m.entries()[0].key, "b");
  EXPECT_EQ(*m.boolean("b"), true);
  EXPECT_EQ(*m.string("a"), "text");
}

TEST(Metadata, IntegersOfAnyWidthAreIntegers) {
  Metadata m;
  m.set("small", uint8_t(7));
  m.set("large", int64_t(1) << 40);
  EXPECT_EQ(*m.integer("small"), 7);
  EXPECT_EQ(*m.integer("large"), int64_t(1) << 40);
  EXPECT_EQ(*m.number("small"), 7.0);
}

TEST(Metadata, DefaultsStandForMissingKeysOnly) {
  Metadata m("model.gguf");
  m.set("s", "text");
  EXPECT_EQ(*m.integer("n", 5), 5);
  EXPECT_EQ(*m.number("n", 0.5), 0.5);
  EXPECT_EQ(*m.boolean("n", true), true);
  EXPECT_EQ(*m.string("n", "x"), "x");
  Expected<int64_t> wrong = m.integer("s", 5);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().message(),
            "model.gguf: metadata key 's' has type string; expected a value of type integer");
  EXPECT_FALSE(m.number("s", 0.5).ok());
}

TEST(Metadata, MissingKeysAreErrors) {
  Metadata m("model.gguf");
  Expected<const std::vector<std::string> *> missing = m.strings("tokens");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_EQ(missing.status().message(), "model.gguf: metadata key 'tokens' is missing; expected a "
                                        "value of type array of strings");
}

} // namespace
} // namespace relax
