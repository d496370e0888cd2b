//===- PageTable.cpp --------------------------------------------------------------------------===//
#include "runtime/kv_cache/PageTable.h"

#include "runtime/support/Text.h"

#include <algorithm>

namespace relax::runtime {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}
Status unknown(SequenceId sequence) {
  return Status(StatusCode::NotFound, text("page table: no sequence ", sequence));
}

} // namespace

Expected<PageTable> PageTable::create(int64_t numPages, int64_t pageSize, int64_t maxLength) {
  if (numPages < 0 || numPages > INT32_MAX || pageSize < 1 || maxLength < 0)
    return invalid(text("page table: found ", numPages, " pages of ", pageSize, " slots for up to ",
                        maxLength, "; expected 0 to ", INT32_MAX,
                        " pages, of at least 1 slot, for at least 0"));
  return PageTable(numPages, pageSize, maxLength);
}

PageTable::PageTable(int64_t numPages, int64_t pageSize, int64_t maxLength)
    : slotsPerPage(pageSize), longest(maxLength), counts(static_cast<size_t>(numPages)) {
  // From the lowest number on.
  for (int64_t page = numPages; page-- != 0;)
    freePages.push_back(static_cast<int32_t>(page));
}

const PageTable::Sequence *PageTable::find(SequenceId sequence) const {
  auto found = sequences.find(sequence);
  return found == sequences.end() ? nullptr : &found->second;
}

PageTable::Sequence *PageTable::find(SequenceId sequence) {
  return const_cast<Sequence *>(std::as_const(*this).find(sequence));
}

int32_t PageTable::takePage() {
  int32_t page = freePages.back();
  freePages.pop_back();
  counts[static_cast<size_t>(page)] = 1;
  return page;
}

void PageTable::dropPage(int32_t page) {
  if (page < 0)
    return;
  if (--counts[static_cast<size_t>(page)] == 0)
    freePages.push_back(page);
}

SequenceId PageTable::create() {
  sequences.emplace(nextSequence, Sequence());
  return nextSequence++;
}

Status PageTable::free(SequenceId sequence) {
  Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  for (int32_t page : found->pages)
    dropPage(page);
  sequences.erase(sequence);
  return {};
}

PageTable::Growth PageTable::growth(const Sequence &sequence, int64_t slots) const {
  const auto have = static_cast<int64_t>(sequence.pages.size());
  // The page in which the new slots begin, if it is there already and others have it too.
  const auto tail = static_cast<size_t>(sequence.length / slotsPerPage);
  return {std::max<int64_t>(0, pagesFor(sequence.length + slots) - have),
          slots > 0 && tail < sequence.pages.size() &&
              counts[static_cast<size_t>(sequence.pages[tail])] > 1};
}

Expected<int64_t> PageTable::pagesNeeded(SequenceId sequence, int64_t slots) const {
  const Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  if (slots < 0 || slots > longest - found->length)
    return invalid(text("page table: found ", slots, " more slots after ", found->length,
                        ", expected at most ", longest, " together"));
  const auto [more, copies] = growth(*found, slots);
  return more + (copies ? 1 : 0);
}

Expected<std::vector<PageCopy>> PageTable::reserve(SequenceId sequence, int64_t slots) {
  Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  if (slots < 0)
    return invalid(text("page table: can't reserve ", slots, " slots"));
  if (slots > longest - found->length)
    return Status(StatusCode::ResourceExhausted,
                  text("page table: ", slots, " more slots after ", found->length,
                       " exceed the most of ", longest));
  const auto [more, copies] = growth(*found, slots);
  const auto tail = static_cast<size_t>(found->length / slotsPerPage);
  const int64_t needed = more + (copies ? 1 : 0);
  if (needed > numFreePages())
    return Status(StatusCode::ResourceExhausted,
                  text("page table: ", slots, " more slots need ", needed, " pages; ",
                       numFreePages(), " of ", numPages(), " are free"));
  std::vector<PageCopy> result;
  if (copies) {
    int32_t old = found->pages[tail], fresh = takePage();
    found->pages[tail] = fresh;
    dropPage(old);
    if (int64_t used = found->length % slotsPerPage; used != 0)
      result.push_back({old, fresh, used});
  }
  for (int64_t i = 0; i != more; ++i)
    found->pages.push_back(takePage());
  return result;
}

Status PageTable::advance(SequenceId sequence, int64_t slots) {
  Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  int64_t room = static_cast<int64_t>(found->pages.size()) * slotsPerPage - found->length;
  if (slots < 0 || slots > room)
    return invalid(text("page table: can't advance by ", slots, " slots; ", room, " are reserved"));
  auto tail = static_cast<size_t>(found->length / slotsPerPage);
  if (slots > 0 && counts[static_cast<size_t>(found->pages[tail])] > 1)
    return invalid(
        "page table: can't advance in a page that a fork shares: reserve after the fork");
  found->length += slots;
  return {};
}

/// A sequence of this length would write into its last page: that must be there.
Status PageTable::checkThere(const Sequence &sequence, int64_t length) const {
  if (length == 0 || length / slotsPerPage >= sequence.released)
    return {};
  return invalid(text("page table: the slots before ", sequence.released * slotsPerPage,
                      " were given back; a sequence can't end in ", length));
}

Status PageTable::trim(SequenceId sequence, int64_t length) {
  Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  if (length < 0 || length > found->length)
    return invalid(text("page table: can't trim to ", length, " slots; there are ", found->length));
  RELAX_RETURN_IF_ERROR(checkThere(*found, length));
  auto keep = static_cast<size_t>(pagesFor(length));
  while (found->pages.size() > keep) {
    dropPage(found->pages.back());
    found->pages.pop_back();
  }
  found->length = length;
  found->released = std::min(found->released, static_cast<int64_t>(keep));
  return {};
}

Status PageTable::release(SequenceId sequence, int64_t slots) {
  Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  if (slots < 0 || slots > found->length)
    return invalid(
        text("page table: can't give back ", slots, " slots; there are ", found->length));
  for (; found->released < slots / slotsPerPage; ++found->released) {
    int32_t &page = found->pages[static_cast<size_t>(found->released)];
    dropPage(page);
    page = -1;
  }
  return {};
}

Expected<int64_t> PageTable::firstSlot(SequenceId sequence) const {
  const Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  return found->released * slotsPerPage;
}

Expected<SequenceId> PageTable::fork(SequenceId parent, int64_t length) {
  Sequence *found = find(parent);
  if (!found)
    return unknown(parent);
  if (length < 0 || length > found->length)
    return invalid(text("page table: can't fork at ", length, " slots; there are ", found->length));
  RELAX_RETURN_IF_ERROR(checkThere(*found, length));
  Sequence child;
  child.length = length;
  child.pages.assign(found->pages.begin(), found->pages.begin() + pagesFor(length));
  child.released = std::min(found->released, static_cast<int64_t>(child.pages.size()));
  for (int32_t page : child.pages)
    if (page >= 0)
      ++counts[static_cast<size_t>(page)];
  sequences.emplace(nextSequence, std::move(child));
  return nextSequence++;
}

Status PageTable::fillRow(SequenceId sequence, std::span<int32_t> row, int32_t padding) const {
  const Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  if (row.size() < found->pages.size())
    return invalid(text("page table: the sequence has ", found->pages.size(),
                        " pages; the row has room for ", row.size()));
  auto rest = std::copy(found->pages.begin(), found->pages.end(), row.begin());
  std::fill(row.begin(), row.begin() + found->released, padding);
  std::fill(rest, row.end(), padding);
  return {};
}

Expected<int64_t> PageTable::length(SequenceId sequence) const {
  const Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  return found->length;
}

Expected<std::vector<int32_t>> PageTable::pages(SequenceId sequence) const {
  const Sequence *found = find(sequence);
  if (!found)
    return unknown(sequence);
  return found->pages;
}

int64_t PageTable::references(int32_t page) const {
  return page >= 0 && page < numPages() ? counts[static_cast<size_t>(page)] : 0;
}

} // namespace relax::runtime
