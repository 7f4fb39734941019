// SPDX-License-Identifier: BSD-3-Clause
// The index of long match lists.
#include "pml/match.h"

#include <cstddef>

namespace ompi_lite::pml {

// A hash table of queues by (source, tag), wildcards being values like others. Queues exist only while they have members.
class MatchList::Index {
 public:
  Index() : buckets_(kFirstBuckets, nullptr) {}
  ~Index() {
    for (Queue* chain : buckets_) drop(chain);
    drop(free_);
  }
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  bool large() const { return buckets_.size() > kFirstBuckets; }

  Queue* find(int source, int tag) const {
    Queue* queue = buckets_[bucket(source, tag)];
    while (queue != nullptr && (queue->source != source || queue->tag != tag)) queue = queue->next;
    return queue;
  }

  Queue& find_or_make(int source, int tag) {
    if (Queue* queue = find(source, tag)) return *queue;
    if (++queues_ > buckets_.size()) grow();
    Queue* made = free_;
    if (made != nullptr)
      free_ = made->next;
    else
      made = new Queue;
    Queue*& chain = buckets_[bucket(source, tag)];
    *made = {nullptr, nullptr, source, tag, chain};
    chain = made;
    return *made;
  }

  void erase(Queue& queue) {
    Queue** at = &buckets_[bucket(queue.source, queue.tag)];
    while (*at != &queue) at = &(*at)->next;
    *at = queue.next;
    queue.next = free_;
    free_ = &queue;
    --queues_;
  }

 private:
  static constexpr std::size_t kFirstBuckets = 256;

  // Multiplicative hashing: neighbouring tags and sources are the usual case and must not share buckets.
  std::size_t bucket(int source, int tag) const {
    const auto key = (std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(tag)) + 1;
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 24) & (buckets_.size() - 1);
  }

  void grow() {
    std::vector<Queue*> old(buckets_.size() * 4, nullptr);
    old.swap(buckets_);
    for (Queue* queue : old)
      while (queue != nullptr) {
        Queue* next = queue->next;
        Queue*& chain = buckets_[bucket(queue->source, queue->tag)];
        queue->next = chain;
        chain = queue;
        queue = next;
      }
  }

  static void drop(Queue* chain) {
    while (chain != nullptr) {
      Queue* next = chain->next;
      delete chain;
      chain = next;
    }
  }

  std::vector<Queue*> buckets_;
  std::size_t queues_ = 0;
  Queue* free_ = nullptr;
};

namespace {

struct Key {
  int source, tag;
};

Key key_in_lane(const MatchEntry& entry, std::size_t lane) {
  if (lane == 2) return {entry.source, MPI_ANY_TAG};
  if (lane == 3) return {MPI_ANY_SOURCE, entry.tag};
  return {entry.source, entry.tag};
}

MatchEntry* older(MatchEntry* a, MatchEntry* b) {
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  return a->order < b->order ? a : b;
}

}  // namespace

MatchList::MatchList(int lanes) : lanes_(lanes) {}
MatchList::~MatchList() = default;

// Called with every entry that comes while the list is long; the first one finds the others not indexed yet.
void MatchList::index_one(MatchEntry& entry) {
  MatchEntry* first = &entry;
  if (!indexed_) {
    if (!index_) index_ = std::make_unique<Index>();
    indexed_ = true;
    first = all_.head;
  }
  for (MatchEntry* each = first; each != nullptr; each = each->links[0].next)
    for (std::size_t lane = 1; lane < static_cast<std::size_t>(lanes_); ++lane) {
      const Key key = key_in_lane(*each, lane);
      append(index_->find_or_make(key.source, key.tag), lane, *each);
    }
}

// The index stays until the list is empty, so that a list around kShort does not make and drop it for ever.
void MatchList::unindex_one(MatchEntry& entry) {
  for (std::size_t lane = 1; lane < static_cast<std::size_t>(lanes_); ++lane) {
    const Key key = key_in_lane(entry, lane);
    Queue* queue = index_->find(key.source, key.tag);
    unlink(*queue, lane, entry);
    if (queue->head == nullptr) index_->erase(*queue);
  }
  if (!empty()) return;
  indexed_ = false;
  if (index_->large()) index_.reset();  // a flood is over: give its memory back
}

MatchEntry* MatchList::queue_head(int source, int tag) const {
  const Queue* queue = index_->find(source, tag);
  return queue != nullptr ? queue->head : nullptr;
}

MatchEntry* PostedList::find_indexed(int source, int tag) const {
  MatchEntry* exact = older(queue_head(source, tag), queue_head(source, MPI_ANY_TAG));
  MatchEntry* any_source = older(queue_head(MPI_ANY_SOURCE, tag), queue_head(MPI_ANY_SOURCE, MPI_ANY_TAG));
  return older(exact, any_source);
}

MatchEntry* UnexpectedList::find_indexed(int source, int tag) const {
  if (source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG) return all_.head;
  return queue_head(source, tag);
}

}  // namespace ompi_lite::pml
