// SPDX-License-Identifier: BSD-3-Clause
// What every transport owes its users, written once. A rig gives two connected ends; the checks here drive both from one
// thread, so that a failure is the same in each run, or from two.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "btl/btl.h"
#include "ompi_lite/base/clock.h"

namespace ompi_lite::test {

struct FrameHeader {
  std::uint64_t number;
  std::uint64_t bytes;  // of the payload
};

inline std::byte pattern(std::uint64_t number, std::uint64_t i) {
  return static_cast<std::byte>((number * 31 + i * 7 + (i >> 8)) & 0xff);
}

// Checks each frame as it comes: numbers without gaps, payload as it was sent.
class CheckingReceiver final : public btl::Receiver {
 public:
  void on_frame(btl::PeerId from, std::span<const std::byte> frame) override {
    FrameHeader header{};
    if (frame.size() < sizeof header) return fail("a frame shorter than its header");
    std::memcpy(&header, frame.data(), sizeof header);
    if (reinterpret_cast<std::uintptr_t>(frame.data()) % 8 != 0) fail("a frame at an odd address");
    if (header.number != next[from]) fail("out of order");
    next[from] = header.number + 1;
    if (frame.size() != sizeof header + header.bytes) return fail("a frame of the wrong size");
    for (std::uint64_t i = 0; i < header.bytes; ++i) {
      if (frame[sizeof header + i] != pattern(header.number, i)) return fail("wrong bytes");
    }
    if (on_each) on_each(header);
  }
  void on_lost(btl::PeerId peer, Error) override { ++lost[peer]; }

  // With `lands`, what follows the header of all frames but every third goes to `landed` without a copy; the places of every
  // fifth are refused when they are half there.
  Landing on_begin(btl::PeerId from, std::span<const std::byte> begin, std::size_t bytes) override {
    FrameHeader header{};
    std::memcpy(&header, begin.data(), sizeof header);
    if (!lands || header.number % 3 == 0) return {};
    if (header.number != next[from]) fail("out of order");
    if (bytes != sizeof header + header.bytes) fail("a frame of the wrong size begins");
    landed.assign(header.bytes, std::byte{0x55});
    landing = header;
    landing_from = from;
    asked = 0;
    return {header.number + 1, sizeof header};
  }
  std::byte* landing_place(std::uint64_t ticket) override {
    if (ticket != landing.number + 1) fail("a place for another frame");
    return landing.number % 5 == 0 && ++asked > 2 ? nullptr : landed.data();
  }
  void on_landed(std::uint64_t ticket, std::size_t bytes) override {
    if (ticket != landing.number + 1 || bytes != landing.bytes) fail("another frame lands");
    for (std::uint64_t i = 0; i < bytes && landing.number % 5 != 0; ++i)
      if (landed[i] != pattern(landing.number, i)) return fail("wrong bytes landed");
    next[landing_from] = landing.number + 1;
    ++landings;
  }

  void fail(const char* what) {
    if (failure.empty()) failure = what;
  }
  std::uint64_t frames() const {
    std::uint64_t all = 0;
    for (const auto& [peer, count] : next) all += count;
    return all;
  }

  std::map<btl::PeerId, std::uint64_t> next;
  std::map<btl::PeerId, int> lost;
  std::function<void(const FrameHeader&)> on_each;
  std::string failure;
  bool lands = false;
  int landings = 0, asked = 0;
  std::vector<std::byte> landed;
  FrameHeader landing{};
  btl::PeerId landing_from = 0;
};

// One process's side of the pair.
struct End {
  btl::PeerId self = 0;
  std::unique_ptr<btl::Transport> transport;
  std::unique_ptr<btl::Endpoint> to_peer;
  CheckingReceiver receiver;
  std::uint64_t sent = 0;
  std::vector<std::byte> buffer;

  // The next frame, once. `pieces`: into how many parts the payload is cut.
  btl::Sent try_send(std::size_t payload_bytes, std::size_t pieces = 1) {
    FrameHeader header{sent, payload_bytes};
    if (buffer.size() < payload_bytes) buffer.resize(payload_bytes);
    for (std::size_t i = 0; i < payload_bytes; ++i) buffer[i] = pattern(sent, i);
    std::vector<btl::Piece> parts;
    std::size_t at = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      std::size_t end = payload_bytes * (p + 1) / pieces;
      parts.push_back({buffer.data() + at, end - at});
      at = end;
    }
    btl::Sent result = to_peer->try_send(std::as_bytes(std::span(&header, 1)), parts);
    // The bytes are ours again: spoil them.
    if (result == btl::Sent::yes) {
      std::fill_n(buffer.begin(), payload_bytes, std::byte{0xee});
      ++sent;
    }
    return result;
  }
  bool turn() { return transport->progress(receiver); }
  std::size_t most_payload() const { return transport->info().max_frame - sizeof(FrameHeader); }
};

// Two ends that reach each other. For a transport to oneself both are one.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual End& a() = 0;
  virtual End& b() = 0;
  bool alone() { return &a() == &b(); }
};

inline void turn_both(Rig& rig) {
  rig.a().turn();
  if (!rig.alone()) rig.b().turn();
}

template <class Done>
void turn_until(Rig& rig, Done done) {
  Deadline deadline = Deadline::in_ms(20000);
  while (!done()) {
    turn_both(rig);
    if (deadline.passed()) FAIL("nothing more comes");
  }
}

inline void send_patiently(Rig& rig, End& end, std::size_t bytes, std::size_t pieces = 1) {
  Deadline deadline = Deadline::in_ms(20000);
  btl::Sent sent;
  while ((sent = end.try_send(bytes, pieces)) == btl::Sent::full) {
    turn_both(rig);
    if (deadline.passed()) FAIL("full for ever");
  }
  REQUIRE(sent == btl::Sent::yes);
}

inline void check_received(Rig& rig, End& from, End& at) {
  turn_until(rig, [&] { return at.receiver.next[from.self] == from.sent; });
  CHECK(at.receiver.failure == "");
}

inline void frames_of_all_sizes(Rig& rig) {
  End& a = rig.a();
  std::size_t most = a.most_payload();
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) send_patiently(rig, a, bytes, 1 + bytes % 4);
  for (std::size_t bytes = 300; bytes < most; bytes = bytes * 5 / 4 + 1) send_patiently(rig, a, bytes);
  for (std::size_t bytes = most - 20; bytes <= most; ++bytes) send_patiently(rig, a, bytes, 3);
  send_patiently(rig, a, most, 200);
  send_patiently(rig, a, 0, 0);
  check_received(rig, a, rig.b());
}

inline void both_ways_at_once(Rig& rig) {
  End &a = rig.a(), &b = rig.b();
  for (int i = 0; i < 500; ++i) {
    send_patiently(rig, a, static_cast<std::size_t>(i * 37) % a.most_payload());
    send_patiently(rig, b, static_cast<std::size_t>(i * 91) % b.most_payload());
  }
  check_received(rig, a, b);
  check_received(rig, b, a);
}

// A sender whose peer does not look gets `full` in bounded memory, and everything arrives once it does.
inline void a_flood_is_stopped_and_arrives(Rig& rig) {
  End &a = rig.a(), &b = rig.b();
  send_patiently(rig, a, 8);
  check_received(rig, a, b);  // connected
  std::uint64_t bytes = 0;
  while (a.try_send(1000) == btl::Sent::yes) {
    bytes += 1000;
    REQUIRE(bytes < (64u << 20));
  }
  check_received(rig, a, b);
  send_patiently(rig, a, 8);
  for (int i = 0; i < 20000; ++i) send_patiently(rig, a, 8);
  check_received(rig, a, b);
}

inline void large_frames_stream(Rig& rig) {
  for (int i = 0; i < 400; ++i) {
    send_patiently(rig, rig.a(), rig.a().most_payload());
    if (i % 7 == 0) send_patiently(rig, rig.a(), 8);
  }
  check_received(rig, rig.a(), rig.b());
}

// What lands without a copy and what does not come in order, whole, and of any size.
inline void large_frames_land(Rig& rig) {
  End &a = rig.a(), &b = rig.b();
  b.receiver.lands = true;
  for (int i = 0; i < 300; ++i) {
    send_patiently(rig, a, a.most_payload() - static_cast<std::size_t>(i % 20) * 1001 % a.most_payload());
    if (i % 7 == 0) send_patiently(rig, a, static_cast<std::size_t>(i));
  }
  check_received(rig, a, b);
  b.receiver.lands = false;
  if (a.transport->info().stream && !rig.alone()) CHECK(b.receiver.landings > 0);
}

// The receiver answers from within on_frame.
inline void answers_from_within(Rig& rig) {
  if (rig.alone()) return;
  End &a = rig.a(), &b = rig.b();
  int refused = 0;
  b.receiver.on_each = [&](const FrameHeader& header) { refused += b.try_send(header.bytes) == btl::Sent::yes ? 0 : 1; };
  for (int i = 0; i < 300; ++i) {
    send_patiently(rig, a, static_cast<std::size_t>(i));
    turn_until(rig, [&] { return b.receiver.next[a.self] == a.sent; });
  }
  b.receiver.on_each = nullptr;
  CHECK(b.sent + static_cast<std::uint64_t>(refused) == 300);
  check_received(rig, b, a);
}

inline void get_copies_the_peers_memory(Rig& rig) {
  End& a = rig.a();
  std::vector<std::byte> theirs(3 << 20), ours(3 << 20);
  for (std::size_t i = 0; i < theirs.size(); ++i) theirs[i] = pattern(5, i);
  struct Done : btl::Completion {
    int calls = 0;
    Error result;
  } finished{};
  finished.done = [](btl::Completion& self, Error result) {
    ++static_cast<Done&>(self).calls;
    static_cast<Done&>(self).result = result;
  };
  Error refused = a.to_peer->get({reinterpret_cast<std::uint64_t>(theirs.data()), theirs.size(), 0},
                                 {ours.data(), ours.size()}, finished);
  if (!a.transport->info().one_sided) {
    CHECK(refused.error_class() == ErrorClass::unsupported_operation);
    CHECK(finished.calls == 0);
    return;
  }
  if (refused) {  // the system may forbid it: then it must say so, and not half do it
    CHECK(refused.error_class() == ErrorClass::unsupported_operation);
    CHECK(finished.calls == 0);
    WARN("get is refused on this machine: " << refused.sentence());
    return;
  }
  turn_until(rig, [&] { return finished.calls == 1; });
  CHECK(!finished.result);
  CHECK(ours == theirs);
}

inline void put_copies_our_memory(Rig& rig) {
  End& a = rig.a();
  std::vector<std::byte> ours(3 << 20), theirs(3 << 20);
  for (std::size_t i = 0; i < ours.size(); ++i) ours[i] = pattern(9, i);
  struct Done : btl::Completion {
    int calls = 0;
    Error result;
  } finished{};
  finished.done = [](btl::Completion& self, Error result) {
    ++static_cast<Done&>(self).calls;
    static_cast<Done&>(self).result = result;
  };
  const btl::RemoteRegion there{reinterpret_cast<std::uint64_t>(theirs.data()), theirs.size(), 0};
  const Error refused = a.to_peer->put({ours.data(), ours.size()}, there, finished);
  if (refused) {
    CHECK(refused.error_class() == ErrorClass::unsupported_operation);
    CHECK(finished.calls == 0);
    return;
  }
  turn_until(rig, [&] { return finished.calls == 1; });
  CHECK(!finished.result);
  CHECK(ours == theirs);
}

// Both ends find the same word, another one for each direction.
inline void both_ends_see_a_word(Rig& rig) {
  using Direction = btl::Endpoint::Direction;
  End &a = rig.a(), &b = rig.b();
  if (a.transport->info().share_from == btl::kNever) return;
  send_patiently(rig, a, 8);
  send_patiently(rig, b, 8);
  std::atomic<std::uint64_t>* out = a.to_peer->shared_word(Direction::outgoing);
  std::atomic<std::uint64_t>* in = a.to_peer->shared_word(Direction::incoming);
  std::atomic<std::uint64_t>* out_there = b.to_peer->shared_word(Direction::incoming);
  std::atomic<std::uint64_t>* in_there = b.to_peer->shared_word(Direction::outgoing);
  REQUIRE((out && in && out_there && in_there));
  CHECK(out->load() == 0);
  out->store(5);
  in->store(7);
  CHECK(out_there->load() == 5);
  CHECK(in_there->load() == 7);
}

// Two threads, each the user of one end: the ends share no other lock.
inline void two_threads_talk(Rig& rig, int rounds) {
  if (rig.alone()) return;
  auto talk = [rounds](End& end, btl::PeerId peer, std::string& trouble) {
    Deadline deadline = Deadline::in_ms(30000);
    for (int i = 0; i < rounds; ++i) {
      std::size_t bytes = static_cast<std::size_t>(i % 5 == 0 ? i * 61 : i % 100) % end.most_payload();
      btl::Sent sent;
      while ((sent = end.try_send(bytes)) == btl::Sent::full && !deadline.passed()) {
        if (!end.turn()) std::this_thread::yield();
      }
      if (sent != btl::Sent::yes) trouble = "not sent";
      if (i % 3 == 0) end.turn();
    }
    while (end.receiver.next[peer] < static_cast<std::uint64_t>(rounds) && !deadline.passed()) {
      if (!end.turn()) std::this_thread::yield();
    }
    while (!end.transport->drained() && !deadline.passed()) end.turn();
    if (deadline.passed()) trouble = "time over";
  };
  std::string trouble_a, trouble_b;
  std::thread other([&] { talk(rig.b(), rig.a().self, trouble_b); });
  talk(rig.a(), rig.b().self, trouble_a);
  other.join();
  CHECK(trouble_a == "");
  CHECK(trouble_b == "");
  CHECK(rig.a().receiver.failure == "");
  CHECK(rig.b().receiver.failure == "");
}

// A peer that is gone is reported, and sending to it ends with `dead` instead of waiting for ever.
inline void a_peer_that_left_is_dead(Rig& rig) {
  if (rig.alone()) return;
  End &a = rig.a(), &b = rig.b();
  send_patiently(rig, a, 100);
  send_patiently(rig, b, 100);
  check_received(rig, a, b);
  check_received(rig, b, a);
  b.to_peer.reset();
  b.transport.reset();
  Deadline deadline = Deadline::in_ms(20000);
  while (a.try_send(100) != btl::Sent::dead) {
    a.turn();
    if (deadline.passed()) FAIL("the dead peer takes frames for ever");
  }
  a.turn();
  CHECK(a.receiver.lost.empty());  // it said goodbye
}

}  // namespace ompi_lite::test
