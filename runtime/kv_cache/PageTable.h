//===- PageTable.h - which cache page belongs to which sequence -------------------------------===//
//
// The host side of a paged key-value cache. The pages themselves are tensors of the compiled
// program, [pages, …, page size, …], that this class never sees: it hands out page numbers, and
// writes the rows of `page_table` that a call of @step takes.
//
// A sequence of `length` slots owns ceildiv(length, page size) pages, or more after a reserve.
// Pages have reference counts: a fork shares all pages of its parent. What is shared is never
// written to: when a sequence is to grow inside a shared page, reserve() gives it a page of its own
// and tells the caller to copy the old one's contents, in every layer, before the next step.
//
// Where attention sees a window of the last slots only, the pages before it may be given back: the
// sequence keeps its length and its pages' places, but what they held is gone.
//
//   SequenceId a = table.create();
//   auto copies = table.reserve(a, 7);         // room for 7 more slots, or an error
//   … copy pages as told, fillRow(a, row), run @step …
//   table.advance(a, 7);                       // the 7 slots are there now
//
// Not thread-safe.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace relax::runtime {

using SequenceId = uint64_t;

/// "Copy the contents of page `from` to page `to`".
struct PageCopy {
  int32_t from, to;
  int64_t slots; ///< How many slots from the page's beginning are in use.
  bool operator==(const PageCopy &) const = default;
};

class PageTable {
public:
  /// `numPages` pages of `pageSize` slots; a sequence may have at most `maxLength` slots.
  static Expected<PageTable> create(int64_t numPages, int64_t pageSize, int64_t maxLength);

  /// A new, empty sequence.
  SequenceId create();
  /// Gives the sequence's pages back, as far as no other has them.
  Status free(SequenceId sequence);

  /// How many free pages reserve() would take for `slots` more: for the slots, and for a copy.
  [[nodiscard]] Expected<int64_t> pagesNeeded(SequenceId sequence, int64_t slots) const;
  /// Makes room for `slots` more after the sequence's length. Either all of it or, with an error
  /// (no free pages; beyond maxLength), nothing. Returns the copies to make first: one or none.
  Expected<std::vector<PageCopy>> reserve(SequenceId sequence, int64_t slots);
  /// The sequence is `slots` longer now; they must have been reserved.
  Status advance(SequenceId sequence, int64_t slots);
  /// Gives the pages back that lie wholly before slot `slots`, which the caller won't read again.
  Status release(SequenceId sequence, int64_t slots);
  /// The first slot that is in a page which wasn't given back.
  [[nodiscard]] Expected<int64_t> firstSlot(SequenceId sequence) const;
  /// Keeps the first `length` slots, and the pages that they are in. Like a fork's, a length may be
  /// 0, but else not before what was given back.
  Status trim(SequenceId sequence, int64_t length);
  /// A new sequence that begins with the first `length` slots of `parent`, and shares their pages.
  Expected<SequenceId> fork(SequenceId parent, int64_t length);

  /// Writes the sequence's page numbers, and `padding` after them and in the places of those that
  /// were given back. An error if `row` is shorter.
  Status fillRow(SequenceId sequence, std::span<int32_t> row, int32_t padding = 0) const;
  /// The number of slots in use; an error for an unknown sequence, as everywhere.
  [[nodiscard]] Expected<int64_t> length(SequenceId sequence) const;
  /// -1 for those that were given back.
  [[nodiscard]] Expected<std::vector<int32_t>> pages(SequenceId sequence) const;
  /// How many sequences have the page.
  [[nodiscard]] int64_t references(int32_t page) const;

  [[nodiscard]] int64_t numPages() const { return static_cast<int64_t>(counts.size()); }
  [[nodiscard]] int64_t numFreePages() const { return static_cast<int64_t>(freePages.size()); }
  [[nodiscard]] int64_t pageSize() const { return slotsPerPage; }
  [[nodiscard]] int64_t maxLength() const { return longest; }

private:
  struct Sequence {
    int64_t length = 0;
    int64_t released = 0; ///< So many pages at the beginning were given back: they are -1.
    std::vector<int32_t> pages;
  };
  /// What growing by some slots takes: pages after the last, and a copy of a shared page.
  struct Growth {
    int64_t pages = 0;
    bool copies = false;
  };

  PageTable(int64_t numPages, int64_t pageSize, int64_t maxLength);
  [[nodiscard]] const Sequence *find(SequenceId sequence) const;
  Sequence *find(SequenceId sequence);
  [[nodiscard]] int64_t pagesFor(int64_t slots) const {
    return slots / slotsPerPage + (slots % slotsPerPage != 0 ? 1 : 0);
  }
  [[nodiscard]] Status checkThere(const Sequence &sequence, int64_t length) const;
  [[nodiscard]] Growth growth(const Sequence &sequence, int64_t slots) const;
  int32_t takePage();
  void dropPage(int32_t page);

  int64_t slotsPerPage, longest;
  std::vector<int32_t> counts;    ///< References of each page.
  std::vector<int32_t> freePages; ///< The next one to take is the last.
  std::map<SequenceId, Sequence> sequences;
  SequenceId nextSequence = 0;
};

} // namespace relax::runtime
