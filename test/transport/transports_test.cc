// SPDX-License-Identifier: BSD-3-Clause
// The conformance checks, run for each transport.
#include <catch2/catch.hpp>

#include "btl/loopback/transport.h"
#include "btl/ofi/ofi.h"
#include "btl/self/transport.h"
#include "btl/shm/transport.h"
#include "btl/tcp/transport.h"
#include "test/transport/conformance.h"

namespace ompi_lite::test {
namespace {

void connect_ends(End& a, End& b) {
  auto there = b.transport->address();
  auto to_peer = a.transport->connect(b.self, there);
  REQUIRE(to_peer);
  a.to_peer = std::move(to_peer).value();
}

class PairRig : public Rig {
 public:
  End& a() override { return a_; }
  End& b() override { return b_; }

 protected:
  void connect() {
    a_.self = 0;
    b_.self = 1;
    connect_ends(a_, b_);
    connect_ends(b_, a_);
  }
  End a_, b_;
};

class SelfRig final : public Rig {
 public:
  SelfRig() {
    end_.self = 3;
    end_.transport = std::make_unique<btl::self::SelfTransport>(btl::Setup{.self = 3});
    connect_ends(end_, end_);
  }
  End& a() override { return end_; }
  End& b() override { return end_; }

 private:
  End end_;
};

// Two views of one segment in one process.
class ShmRig : public Rig {
 public:
  explicit ShmRig(int local_size = 2, const std::string& folder = {}) {
    auto first = Segment::create(0, local_size, folder);
    REQUIRE(first);
    first_ = std::make_unique<Segment>(std::move(first).value());
    auto second = Segment::attach_path(first_->path(), local_size - 1, local_size);
    REQUIRE(second);
    second_ = std::make_unique<Segment>(std::move(second).value());
    for (int r = 0; r < local_size; ++r) peers_.push_back(r * 10);
    make(a_, *first_, 0);
    make(b_, *second_, local_size - 1);
    connect_ends(a_, b_);
    connect_ends(b_, a_);
  }
  ~ShmRig() override {
    a_.to_peer.reset();
    b_.to_peer.reset();
    a_.transport.reset();
    b_.transport.reset();
  }
  End& a() override { return a_; }
  End& b() override { return b_; }
  Segment& segment() { return *first_; }
  void second_leaves() {
    b_.to_peer.reset();
    b_.transport.reset();
    second_.reset();
  }

 private:
  void make(End& end, Segment& segment, int local_rank) {
    end.self = peers_[static_cast<std::size_t>(local_rank)];
    btl::Setup setup{.self = end.self, .segment = &segment, .local_peers = peers_};
    end.transport = std::make_unique<btl::shm::ShmTransport>(setup);
  }
  std::unique_ptr<Segment> first_, second_;
  std::vector<btl::PeerId> peers_;
  End a_, b_;
};

class TcpRig final : public PairRig {
 public:
  explicit TcpRig(std::byte secret_of_b = std::byte{7}) {
    btl::Setup setup_a{.self = 0}, setup_b{.self = 1};
    setup_a.job_secret.fill(std::byte{7});
    setup_b.job_secret.fill(secret_of_b);
    auto a = btl::tcp::TcpTransport::make(setup_a);
    auto b = btl::tcp::TcpTransport::make(setup_b);
    REQUIRE(a);
    REQUIRE(b);
    a_.transport = std::move(a).value();
    b_.transport = std::move(b).value();
    connect();
  }
};

// Over the provider that libfabric has for this machine: its sockets at least.
class OfiRig final : public PairRig {
 public:
  explicit OfiRig(std::byte secret_of_b = std::byte{7}) {
    btl::Setup setup_a{.self = 0}, setup_b{.self = 1};
    setup_a.job_secret.fill(std::byte{7});
    setup_b.job_secret.fill(secret_of_b);
    auto a = btl::ofi::make(setup_a, btl::ofi::Use::as_asked);
    if (!a) FAIL(a.error().sentence());
    auto b = btl::ofi::make(setup_b, btl::ofi::Use::as_asked);
    if (!b) FAIL(b.error().sentence());
    a_.transport = std::move(a).value();
    b_.transport = std::move(b).value();
    connect();
  }
};

// False in a build without libfabric, or where it has no provider.
bool has_libfabric() {
  static const bool has = [] {
    const auto made = btl::ofi::make(btl::Setup{}, btl::ofi::Use::as_asked);
    if (!made) WARN("not checked over libfabric: " << made.error().sentence());
    return static_cast<bool>(made);
  }();
  return has;
}

class LoopbackRig final : public PairRig {
 public:
  explicit LoopbackRig(btl::loopback::Faults faults = {}) : network_(2, faults) {
    a_.transport = std::make_unique<btl::loopback::LoopbackTransport>(network_, 0);
    b_.transport = std::make_unique<btl::loopback::LoopbackTransport>(network_, 1);
    connect();
  }
  ~LoopbackRig() override {
    a_.transport.reset();
    b_.transport.reset();
  }
  btl::loopback::Network& network() { return network_; }

 private:
  btl::loopback::Network network_;
};

std::unique_ptr<Rig> make_rig(const std::string& name) {
  if (name == "self") return std::make_unique<SelfRig>();
  if (name == "shm") return std::make_unique<ShmRig>();
  if (name == "shm of many ranks") return std::make_unique<ShmRig>(70);
  if (name == "shm in a folder") return std::make_unique<ShmRig>(2, "/dev/shm");
  if (name == "tcp") return std::make_unique<TcpRig>();
  if (name == "ofi") return std::make_unique<OfiRig>();
  if (name == "loopback") return std::make_unique<LoopbackRig>();
  return std::make_unique<LoopbackRig>(
      btl::loopback::Faults{.seed = 42, .delay_turns = 5, .shuffle_peers = true, .full_per_mille = 300, .most_frames = 7});
}

template <class Check>
void on_every_transport(Check check) {
  for (const char* name :
       {"self", "shm", "shm of many ranks", "shm in a folder", "tcp", "ofi", "loopback", "loopback with faults"}) {
    if (name == std::string("ofi") && !has_libfabric()) continue;
    DYNAMIC_SECTION(name) {
      auto rig = make_rig(name);
      check(*rig);
    }
  }
}

TEST_CASE("frames of every size arrive whole and in order", "[transport]") { on_every_transport(frames_of_all_sizes); }
TEST_CASE("both ends send at once", "[transport]") { on_every_transport(both_ways_at_once); }
TEST_CASE("a flood is stopped and arrives", "[transport]") { on_every_transport(a_flood_is_stopped_and_arrives); }
TEST_CASE("large frames stream", "[transport]") { on_every_transport(large_frames_stream); }
TEST_CASE("large frames land where they belong", "[transport]") { on_every_transport(large_frames_land); }
TEST_CASE("a receiver answers from within on_frame", "[transport]") { on_every_transport(answers_from_within); }
TEST_CASE("get copies the peer's memory or is refused", "[transport]") { on_every_transport(get_copies_the_peers_memory); }
TEST_CASE("put copies our memory to the peer or is refused", "[transport]") { on_every_transport(put_copies_our_memory); }

TEST_CASE("both ends of a pair see one word for each direction", "[transport]") { on_every_transport(both_ends_see_a_word); }

TEST_CASE("two threads talk", "[transport]") {
  on_every_transport([](Rig& rig) { two_threads_talk(rig, 5000); });
}
TEST_CASE("a tcp peer that left is dead", "[transport]") {
  TcpRig rig;
  a_peer_that_left_is_dead(rig);
}
TEST_CASE("a peer over libfabric that left is dead", "[transport]") {
  if (!has_libfabric()) return;
  OfiRig rig;
  a_peer_that_left_is_dead(rig);
}
TEST_CASE("what does not prove over libfabric that it is of the job is dropped", "[transport]") {
  if (!has_libfabric()) return;
  OfiRig rig(std::byte{8});
  for (int i = 0; i < 10; ++i) send_patiently(rig, rig.a(), 100);
  const Deadline deadline = Deadline::in_ms(500);
  while (!deadline.passed()) turn_both(rig);
  CHECK(rig.b().receiver.frames() == 0);
  CHECK(rig.b().receiver.lost.empty());
}
TEST_CASE("a loopback peer that left is dead", "[transport]") {
  LoopbackRig rig;
  a_peer_that_left_is_dead(rig);
}

TEST_CASE("an shm peer that left is dead once its ring is full", "[transport]") {
  ShmRig rig;
  send_patiently(rig, rig.a(), 100);
  check_received(rig, rig.a(), rig.b());
  rig.second_leaves();
  btl::Sent sent = btl::Sent::yes;
  for (int i = 0; i < 200 && sent == btl::Sent::yes; ++i) sent = rig.a().try_send(100);
  CHECK(sent == btl::Sent::dead);
}

TEST_CASE("an shm transport that comes again goes on with the ring it left", "[transport]") {
  ShmRig rig;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) send_patiently(rig, rig.a(), static_cast<std::size_t>(i * 700));
    check_received(rig, rig.a(), rig.b());
    auto address = rig.b().transport->address();
    rig.a().to_peer.reset();
    auto again = rig.a().transport->connect(rig.b().self, address);
    REQUIRE(again);
    rig.a().to_peer = std::move(again).value();
  }
}

TEST_CASE("a cut connection is told to both sides once", "[transport]") {
  LoopbackRig rig;
  send_patiently(rig, rig.a(), 10);
  check_received(rig, rig.a(), rig.b());
  rig.network().cut(0, 1);
  for (int i = 0; i < 5; ++i) turn_both(rig);
  CHECK(rig.a().receiver.lost[1] == 1);
  CHECK(rig.b().receiver.lost[0] == 1);
  CHECK(rig.a().try_send(10) == btl::Sent::dead);
}

TEST_CASE("loopback drops what it was told to drop", "[transport]") {
  LoopbackRig rig(btl::loopback::Faults{.drop_after = 5});
  for (int i = 0; i < 9; ++i) send_patiently(rig, rig.a(), 10);
  for (int i = 0; i < 5; ++i) turn_both(rig);
  CHECK(rig.b().receiver.next[0] == 5);
}

}  // namespace
}  // namespace ompi_lite::test
