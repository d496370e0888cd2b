//===- PageTableTest.cpp - pages are shared, copied and given back ----------------------------===//
#include "runtime/kv_cache/PageTable.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace relax::runtime {
namespace {

PageTable makeTable(int64_t pages, int64_t size, int64_t longest = 1000) {
  Expected<PageTable> table = PageTable::create(pages, size, longest);
  EXPECT_TRUE(table);
  return std::move(*table);
}

/// reserve and advance; the copies that were asked for.
std::vector<PageCopy> append(PageTable &table, SequenceId sequence, int64_t slots) {
  Expected<std::vector<PageCopy>> copies = table.reserve(sequence, slots);
  EXPECT_TRUE(copies) << copies.status().message();
  EXPECT_TRUE(table.advance(sequence, slots).ok());
  return copies ? *copies : std::vector<PageCopy>();
}

using Pages = std::vector<int32_t>;

TEST(PageTable, GrowsByPages) {
  PageTable table = makeTable(4, 8);
  SequenceId a = table.create();
  EXPECT_EQ(*table.pages(a), Pages{});
  append(table, a, 1);
  EXPECT_EQ(*table.pages(a), Pages{0});
  append(table, a, 7);
  EXPECT_EQ(*table.pages(a), Pages{0});
  append(table, a, 1);
  EXPECT_EQ(*table.pages(a), (Pages{0, 1}));
  EXPECT_EQ(*table.length(a), 9);
  EXPECT_EQ(table.numFreePages(), 2);
  int32_t row[4];
  ASSERT_TRUE(table.fillRow(a, row, -1).ok());
  EXPECT_EQ(Pages(row, row + 4), (Pages{0, 1, -1, -1}));
  EXPECT_EQ(table.fillRow(a, std::span(row, 1)).message(),
            "page table: the sequence has 2 pages; the row has room for 1");
  ASSERT_TRUE(table.free(a).ok());
  EXPECT_EQ(table.numFreePages(), 4);
}

TEST(PageTable, ExhaustionChangesNothing) {
  PageTable table = makeTable(3, 4, 100);
  SequenceId a = table.create(), b = table.create();
  append(table, a, 8);
  auto status = table.reserve(b, 5);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.status().message(), "page table: 5 more slots need 2 pages; 1 of 3 are free");
  EXPECT_EQ(*table.pages(b), Pages{});
  EXPECT_EQ(table.numFreePages(), 1);
  append(table, b, 4);
  EXPECT_EQ(table.reserve(a, 93).status().message(),
            "page table: 93 more slots after 8 exceed the most of 100");
  EXPECT_EQ(table.reserve(a, INT64_MAX).status().code(), StatusCode::ResourceExhausted);
}

TEST(PageTable, ForkSharesAndCopiesBeforeWriting) {
  PageTable table = makeTable(10, 4);
  SequenceId a = table.create();
  append(table, a, 6); // pages 0, 1
  Expected<SequenceId> b = table.fork(a, 6);
  ASSERT_TRUE(b);
  EXPECT_EQ(*table.pages(*b), (Pages{0, 1}));
  EXPECT_EQ(table.references(1), 2);
  EXPECT_EQ(table.numFreePages(), 8);
  // b grows inside page 1: it gets its own, with the 2 slots in use copied.
  EXPECT_EQ(append(table, *b, 1), (std::vector<PageCopy>{{1, 2, 2}}));
  EXPECT_EQ(*table.pages(*b), (Pages{0, 2}));
  // a has page 1 for itself now.
  EXPECT_EQ(append(table, a, 1), std::vector<PageCopy>{});
  EXPECT_EQ(*table.pages(a), (Pages{0, 1}));
  // At a page's end there is nothing to copy.
  Expected<SequenceId> c = table.fork(a, 4);
  ASSERT_TRUE(c);
  EXPECT_EQ(append(table, *c, 1), std::vector<PageCopy>{});
  EXPECT_EQ(*table.pages(*c), (Pages{0, 3}));
  EXPECT_EQ(table.references(0), 3);
  for (SequenceId s : {a, *b, *c})
    ASSERT_TRUE(table.free(s).ok());
  EXPECT_EQ(table.numFreePages(), 10);
}

TEST(PageTable, TrimGivesPagesBack) {
  PageTable table = makeTable(10, 4);
  SequenceId a = table.create();
  append(table, a, 10);
  Expected<SequenceId> b = table.fork(a, 10);
  ASSERT_TRUE(table.trim(a, 5).ok());
  EXPECT_EQ(*table.pages(a), (Pages{0, 1}));
  EXPECT_EQ(table.references(2), 1);
  // Page 1 is b's too: a must not overwrite slot 5 of it.
  EXPECT_EQ(append(table, a, 1), (std::vector<PageCopy>{{1, 3, 1}}));
  ASSERT_TRUE(table.trim(*b, 0).ok());
  EXPECT_EQ(*table.pages(*b), Pages{});
  EXPECT_EQ(table.trim(a, 7).message(), "page table: can't trim to 7 slots; there are 6");
}

TEST(PageTable, Misuse) {
  EXPECT_FALSE(PageTable::create(-1, 4, 4));
  EXPECT_FALSE(PageTable::create(4, 0, 4));
  EXPECT_FALSE(PageTable::create(int64_t{1} << 40, 4, 4));
  PageTable table = makeTable(4, 4);
  EXPECT_EQ(table.free(7).message(), "page table: no sequence 7");
  EXPECT_EQ(table.length(7).status().code(), StatusCode::NotFound);
  SequenceId a = table.create();
  EXPECT_EQ(table.advance(a, 1).message(), "page table: can't advance by 1 slots; 0 are reserved");
  EXPECT_FALSE(table.reserve(a, -1));
  append(table, a, 2);
  EXPECT_FALSE(table.fork(a, 3));
  ASSERT_TRUE(table.fork(a, 2));
  // Room that was reserved before the fork is shared room.
  EXPECT_EQ(table.advance(a, 1).message(),
            "page table: can't advance in a page that a fork shares: reserve after the fork");
}

/// Random operations against a model: what each sequence's slots hold, by content.
TEST(PageTable, SaysWhatGrowingTakes) {
  PageTable table = makeTable(8, 4, 20);
  SequenceId a = table.create();
  EXPECT_EQ(*table.pagesNeeded(a, 0), 0);
  EXPECT_EQ(*table.pagesNeeded(a, 5), 2);
  append(table, a, 5);
  EXPECT_EQ(*table.pagesNeeded(a, 3), 0);
  SequenceId b = *table.fork(a, 5);
  EXPECT_EQ(*table.pagesNeeded(b, 0), 0);
  EXPECT_EQ(*table.pagesNeeded(b, 3), 1); // A copy.
  EXPECT_EQ(*table.pagesNeeded(b, 4), 2);
  EXPECT_FALSE(table.pagesNeeded(b, 16));
  EXPECT_FALSE(table.pagesNeeded(99, 1));
}

TEST(PageTable, GivesPagesBackBeforeAWindow) {
  PageTable table = makeTable(6, 4);
  SequenceId a = table.create();
  append(table, a, 14);
  ASSERT_TRUE(table.release(a, 11).ok());
  EXPECT_EQ(*table.firstSlot(a), 8);
  EXPECT_EQ(*table.pages(a), (Pages{-1, -1, 2, 3}));
  EXPECT_EQ(table.numFreePages(), 4);
  int32_t row[5];
  ASSERT_TRUE(table.fillRow(a, row, 0).ok());
  EXPECT_EQ(Pages(row, row + 5), (Pages{0, 0, 2, 3, 0}));
  // What is there is shared by a fork, and stays for it when the parent gives it back.
  SequenceId b = *table.fork(a, 13);
  EXPECT_EQ(*table.firstSlot(b), 8);
  EXPECT_EQ(table.references(2), 2);
  ASSERT_TRUE(table.release(a, 12).ok());
  EXPECT_EQ(table.references(2), 1);
  append(table, b, 2);
  EXPECT_EQ(table.pages(b)->size(), 4u);
  // No sequence may end where nothing is; an empty one may.
  EXPECT_EQ(table.trim(a, 11).message(),
            "page table: the slots before 12 were given back; a sequence can't end in 11");
  EXPECT_FALSE(table.fork(b, 7));
  EXPECT_TRUE(table.fork(b, 8));
  ASSERT_TRUE(table.trim(a, 0).ok());
  EXPECT_EQ(*table.firstSlot(a), 0);
  append(table, a, 1);
  EXPECT_GE((*table.pages(a))[0], 0);
  EXPECT_FALSE(table.release(a, 2).ok());
  EXPECT_FALSE(table.release(99, 0).ok());
  EXPECT_FALSE(table.firstSlot(99));
}

TEST(PageTable, RandomOperationsKeepContents) {
  // The same operations at each run. NOLINTNEXTLINE(bugprone-random-generator-seed)
  std::mt19937 random(7);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  constexpr int64_t pageSize = 4;
  PageTable table = makeTable(40, pageSize, 60);
  std::vector<std::vector<int>> memory(40, std::vector<int>(pageSize, -1));
  std::map<SequenceId, std::vector<int>> expected;
  int next = 0;
  // Where a sequence may be cut: nowhere in what it gave back, but at its beginning.
  auto lengthOf = [&](SequenceId sequence, const std::vector<int> &contents) {
    int64_t first = *table.firstSlot(sequence), most = static_cast<int64_t>(contents.size());
    return first > most || below(8) == 0 ? 0 : first + below(most - first + 1);
  };
  for (int step = 0; step != 20'000; ++step) {
    auto pick = expected.begin();
    if (!expected.empty())
      std::advance(pick, below(static_cast<int64_t>(expected.size())));
    int64_t action = below(11);
    if (expected.empty() || (action == 0 && expected.size() < 12)) {
      expected[table.create()];
    } else if (action <= 5) {
      int64_t slots = below(9);
      auto copies = table.reserve(pick->first, slots);
      if (!copies) {
        ASSERT_EQ(copies.status().code(), StatusCode::ResourceExhausted);
        continue;
      }
      for (const PageCopy &copy : *copies)
        std::copy_n(memory[size_t(copy.from)].begin(), copy.slots, memory[size_t(copy.to)].begin());
      auto pages = *table.pages(pick->first);
      for (int64_t i = 0; i != slots; ++i) {
        auto at = static_cast<int64_t>(pick->second.size());
        memory[size_t(pages[size_t(at / pageSize)])][size_t(at % pageSize)] = next;
        pick->second.push_back(next++);
      }
      ASSERT_TRUE(table.advance(pick->first, slots).ok());
    } else if (action <= 7) {
      int64_t length = lengthOf(pick->first, pick->second);
      if (auto child = table.fork(pick->first, length); expected.size() < 12)
        expected[*child] = {pick->second.begin(), pick->second.begin() + length};
      else
        ASSERT_TRUE(table.free(*child).ok());
    } else if (action == 8) {
      int64_t length = lengthOf(pick->first, pick->second);
      ASSERT_TRUE(table.trim(pick->first, length).ok());
      pick->second.resize(static_cast<size_t>(length));
    } else if (action == 9) {
      ASSERT_TRUE(
          table.release(pick->first, below(static_cast<int64_t>(pick->second.size()) + 1)).ok());
    } else {
      ASSERT_TRUE(table.free(pick->first).ok());
      expected.erase(pick);
    }
    int64_t used = 0;
    for (int32_t page = 0; page != 40; ++page)
      used += table.references(page) != 0;
    ASSERT_EQ(table.numFreePages(), 40 - used);
    for (const auto &[sequence, contents] : expected) {
      auto pages = *table.pages(sequence);
      for (auto i = size_t(*table.firstSlot(sequence)); i < contents.size(); ++i)
        ASSERT_EQ(memory[size_t(pages[i / pageSize])][i % pageSize], contents[i]);
    }
  }
}

} // namespace
} // namespace relax::runtime
