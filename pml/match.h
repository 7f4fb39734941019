// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom on one communicator and plane: receives that were posted, messages that came unexpected.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite::pml {

// What can wait: base of receive requests and of unexpected messages. In a posted receive source and tag may be wildcards.
struct MatchEntry {
  struct Link {
    MatchEntry* next;
    MatchEntry* previous;
  };
  int source = 0, tag = 0;
  std::uint64_t order = 0;    // rises with age of the list: the smaller, the older
  std::array<Link, 4> links;  // by lane; only those that the list uses are valid
};

// A list of entries, oldest first, that stays fast when it grows long. Short, it is searched from the front. Longer than
// kShort, it is also indexed: a queue per (source, tag) as a receive can ask for it. Not thread safe; does not own entries.
//
//   lane 0: everything by age | lane 1: the entry's own (source, tag) | 2: (source, any) | 3: (any, tag)
class MatchList {
 public:
  bool empty() const { return all_.head == nullptr; }
  std::size_t size() const { return size_; }

  // Visits all, oldest first; the visitor may remove the entry it is given.
  template <class Visit>
  void for_each(Visit visit) const {
    MatchEntry* next = nullptr;
    for (MatchEntry* entry = all_.head; entry != nullptr; entry = next) {
      next = entry->links[0].next;
      visit(*entry);
    }
  }

 protected:
  struct Queue {
    MatchEntry* head = nullptr;
    MatchEntry* tail = nullptr;
    int source = 0, tag = 0;
    Queue* next = nullptr;  // in its bucket, or on the free list
  };
  class Index;

  explicit MatchList(int lanes);
  ~MatchList();
  MatchList(const MatchList&) = delete;
  MatchList& operator=(const MatchList&) = delete;

  void add_entry(MatchEntry& entry) {
    entry.order = next_order_++;
    append(all_, 0, entry);
    if (++size_ > kShort || indexed_) [[unlikely]]
      index_one(entry);
  }
  void remove_entry(MatchEntry& entry) {
    unlink(all_, 0, entry);
    --size_;
    if (indexed_) [[unlikely]]
      unindex_one(entry);
  }
  MatchEntry* queue_head(int source, int tag) const;

  static void append(Queue& queue, std::size_t lane, MatchEntry& entry) {
    entry.links[lane] = {nullptr, queue.tail};
    (queue.tail != nullptr ? queue.tail->links[lane].next : queue.head) = &entry;
    queue.tail = &entry;
  }
  static void unlink(Queue& queue, std::size_t lane, MatchEntry& entry) {
    const auto [next, previous] = entry.links[lane];
    (previous != nullptr ? previous->links[lane].next : queue.head) = next;
    (next != nullptr ? next->links[lane].previous : queue.tail) = previous;
  }

  static constexpr std::size_t kShort = 16;
  Queue all_;
  bool indexed_ = false;

 private:
  void index_one(MatchEntry& entry);
  void unindex_one(MatchEntry& entry);

  int lanes_;
  std::size_t size_ = 0;
  std::uint64_t next_order_ = 0;
  std::unique_ptr<Index> index_;
};

// Posted receives. A receive is listed under what it asks for; a message looks at the four ways in which it can be asked
// for.
class PostedList : public MatchList {
 public:
  PostedList() : MatchList(2) {}
  void add(MatchEntry& receive) { add_entry(receive); }
  void remove(MatchEntry& receive) { remove_entry(receive); }

  // The oldest receive that takes a message of this source and tag; null if there is none.
  MatchEntry* find(int source, int tag) const {
    if (indexed_) [[unlikely]]
      return find_indexed(source, tag);
    for (MatchEntry* receive = all_.head; receive != nullptr; receive = receive->links[0].next)
      if ((receive->source == source || receive->source == MPI_ANY_SOURCE) &&
          (receive->tag == tag || receive->tag == MPI_ANY_TAG))
        return receive;
    return nullptr;
  }
  // The same, taken out of the list.
  MatchEntry* take(int source, int tag) {
    MatchEntry* receive = find(source, tag);
    if (receive != nullptr) remove_entry(*receive);
    return receive;
  }

 private:
  MatchEntry* find_indexed(int source, int tag) const;
};

// Messages that nobody asked for yet. A message is listed under all four ways in which a receive can ask for it.
class UnexpectedList : public MatchList {
 public:
  UnexpectedList() : MatchList(4) {}
  void add(MatchEntry& message) { add_entry(message); }
  void remove(MatchEntry& message) { remove_entry(message); }

  // The oldest message that a receive for this source and tag (wildcards allowed) takes; it stays in the list.
  MatchEntry* find(int source, int tag) const {
    if (indexed_) [[unlikely]]
      return find_indexed(source, tag);
    for (MatchEntry* message = all_.head; message != nullptr; message = message->links[0].next)
      if ((source == message->source || source == MPI_ANY_SOURCE) && (tag == message->tag || tag == MPI_ANY_TAG))
        return message;
    return nullptr;
  }
  MatchEntry* oldest() const { return all_.head; }

 private:
  MatchEntry* find_indexed(int source, int tag) const;
};

}  // namespace ompi_lite::pml
