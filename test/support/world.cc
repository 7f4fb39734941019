// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads.
#include "test/support/world.h"

#include <cstdio>
#include <thread>

#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite::test {

Rank::Rank(btl::loopback::Network& network, int rank, int size, bool several_threads)
    : rank_(rank),
      size_(size),
      waiter_(bell_, WaitPolicy{.crowded = true}),
      blocking_(progress_, waiter_, lock_),
      context_ids_(rank) {
  if (several_threads) lock_.enable();
  network.set_bell(rank, &bell_);
  transports_.push_back(std::make_unique<btl::loopback::LoopbackTransport>(network, rank));
  pml_ = std::make_unique<pml::Pml>(rank, transports_, static_cast<pml::AddressBook&>(*this), blocking_);
  progress_.add({[](void* context) {
                   auto& self = *static_cast<Rank*>(context);
                   return self.transports_[0]->progress(*self.pml_);
                 },
                 this});
  progress_.add({[](void* context) { return static_cast<pml::Pml*>(context)->progress(); }, pml_.get()});
  home_.context_ids = &context_ids_;
  home_.attach = [](void* context, Communicator& comm) { static_cast<pml::Pml*>(context)->attach(comm); };
  home_.attach_context = pml_.get();
  comm_ = make_comm(ContextIds::kWorld);
}

Rank::~Rank() { release(comm_); }

// btl/loopback publishes the rank.
Result<std::vector<std::byte>> Rank::address(PeerId peer, const btl::Transport&) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&peer);
  return std::vector<std::byte>(bytes, bytes + sizeof peer);
}

Communicator* Rank::make_comm(ContextId id) {
  return new Communicator(home_, id, Ref<Group>(new Group(0, size_, rank_)), Ref<Group>(), rank_);
}

void Rank::share(Segment& memory) {
  home_.segment = &memory;
  home_.node_of_peer.assign(static_cast<std::size_t>(size_), 0);
}

void Rank::check(bool good, const char* what, long long a, long long b) {
  if (good) return;
  char text[256];
  std::snprintf(text, sizeof text, "rank %d: %s (%lld, %lld)\n", rank_, what, a, b);
  const std::lock_guard guard(complaints_mutex_);
  if (complaints_.size() < 10) complaints_.emplace_back(text);
}

std::string run_ranks(int size, const btl::loopback::Faults& faults, const std::function<void(Rank&)>& body,
                      bool several_threads) {
  static std::once_flag once;
  std::call_once(once, [] {
    define_predefined_types();
    define_predefined_ops();
  });
  btl::loopback::Network network(size, faults);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(std::make_unique<Rank>(network, rank, size, several_threads));
  std::vector<std::thread> threads;
  for (auto& rank : ranks)
    threads.emplace_back([&body, &rank] {
      body(*rank);
      const std::lock_guard guard(rank->lock());
      rank->pml().drain();
    });
  for (std::thread& thread : threads) thread.join();
  std::string complaints;
  for (auto& rank : ranks)
    for (const std::string& one : rank->complaints()) complaints += one;
  return complaints;
}

}  // namespace ompi_lite::test
