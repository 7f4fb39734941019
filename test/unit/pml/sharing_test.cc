// SPDX-License-Identifier: BSD-3-Clause
// How two sides divide the copying of one message.
#include "pml/sharing.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace ompi_lite::pml {
namespace {

TEST_CASE("the parts cover the message once, whoever takes them", "[pml]") {
  std::atomic<std::uint64_t> word{0};
  for (const Count bytes : {Count{1}, Count{4096}, Count{16384}, Count{16385}, Count{65536}, Count{1000003}, Count{8 << 20}})
    for (int backs = 0; backs < 6; ++backs) {
      Sharing receiver = Sharing::begin(word, bytes);
      Sharing sender(word, receiver.generation(), bytes);
      Count front = 0, back = bytes;
      for (int i = 0; i < backs; ++i)
        if (const Sharing::Part part = sender.take_back(); part.bytes > 0) {
          REQUIRE(part.offset + part.bytes == back);
          back = part.offset;
        }
      for (Sharing::Part part = receiver.take_front(); part.bytes > 0; part = receiver.take_front()) {
        REQUIRE(part.offset == front);
        front += part.bytes;
      }
      CHECK(front == back);
      CHECK(receiver.sender_took_part() == (back < bytes));
      CHECK(sender.take_back().bytes == 0);
    }
}

TEST_CASE("two threads share each message without overlap", "[pml]") {
  constexpr Count kBytes = 4 << 20;
  std::atomic<std::uint64_t> word{0};
  std::vector<std::atomic<int>> copied(kBytes / 4096);
  const auto mark = [&](const Sharing::Part& part) {
    for (Count at = part.offset; at < part.offset + part.bytes; at += 4096) ++copied[static_cast<std::size_t>(at / 4096)];
  };
  constexpr std::uint32_t kRounds = 300;
  std::atomic<std::uint32_t> begun{0}, ended{0};
  std::thread other([&] {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      while (begun.load() < round) std::this_thread::yield();
      Sharing sender(word, round, kBytes);
      for (Sharing::Part part = sender.take_back(); part.bytes > 0; part = sender.take_back()) mark(part);
      ended.store(round);
    }
  });
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    Sharing receiver = Sharing::begin(word, kBytes);
    begun.store(receiver.generation());
    for (Sharing::Part part = receiver.take_front(); part.bytes > 0; part = receiver.take_front()) mark(part);
    while (ended.load() < round) std::this_thread::yield();
    for (const auto& times : copied) REQUIRE(times.load() == static_cast<int>(round));
  }
  other.join();
}

TEST_CASE("a sender that comes too late takes nothing of the next message", "[pml]") {
  std::atomic<std::uint64_t> word{0};
  Sharing first = Sharing::begin(word, 100000);
  Sharing late(word, first.generation(), 100000);
  first.close();
  CHECK_FALSE(first.sender_took_part());
  Sharing second = Sharing::begin(word, 100000);
  CHECK(late.take_back().bytes == 0);
  CHECK(second.take_front().offset == 0);
}

TEST_CASE("very long messages keep within what the word can count", "[pml]") {
  std::atomic<std::uint64_t> word{0};
  for (const Count bytes : {Count{1} << 34, Count{1} << 40, (Count{1} << 40) + 12345}) {
    Sharing receiver = Sharing::begin(word, bytes);
    Sharing sender(word, receiver.generation(), bytes);
    Count copied = 0;
    for (;;) {
      const Sharing::Part front = receiver.take_front(), back = sender.take_back();
      copied += front.bytes + back.bytes;
      if (front.bytes == 0 || back.bytes == 0) break;
    }
    CHECK(copied == bytes);
  }
}

}  // namespace
}  // namespace ompi_lite::pml
