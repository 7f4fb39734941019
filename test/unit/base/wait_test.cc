// SPDX-License-Identifier: BSD-3-Clause
// Waiting: nobody sleeps through its bell, and who waits long does not burn the processor.
#include "ompi_lite/base/wait.h"

#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite {

extern constinit Knob<double> crowded_spin_time;

namespace {

double cpu_seconds_of_this_thread() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_CASE("waiting ends at once when it is already over", "[base]") {
  Doorbell bell{};
  Waiter waiter(bell);
  int turns = 0;
  waiter.until([] { return true; }, [&] { return ++turns != 0; });
  CHECK(turns == 0);
}

TEST_CASE("work that turns up keeps the waiter awake", "[base]") {
  Doorbell bell{};
  Waiter waiter(bell, {.crowded = true});
  int turns = 0;
  waiter.until([&] { return turns == 1000; }, [&] { return ++turns > 0; });
  CHECK(turns == 1000);
}

TEST_CASE("a sleeper hears the bell", "[base]") {
  bool crowded = GENERATE(false, true);
  Doorbell bell{};
  Waiter waiter(bell, {crowded});
  std::atomic<int> posted{0};
  std::thread other([&] {
    for (int i = 1; i <= 30; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 3 == 0 ? 5 : 1));
      while (bell.sleepers.load() == 0) std::this_thread::yield();  // on a busy machine it gets there late
      posted.store(i, std::memory_order_release);
      bell.ring_if_sleeping(crowded);
    }
  });
  for (int i = 1; i <= 30; ++i) {
    waiter.until([&] { return posted.load(std::memory_order_acquire) >= i; }, [] { return false; });
  }
  other.join();
  CHECK(bell.sleepers.load() == 0);
  CHECK(bell.rings.load() > 0);
}

TEST_CASE("no ring is lost between two who hand over as fast as they can", "[base]") {
  Doorbell bells[2] = {};
  std::atomic<int> ball{0};
  auto play = [&](int me) {
    Waiter waiter(bells[me], {.crowded = true});
    for (int round = 0; round < 3000; ++round) {
      int mine = round * 2 + me;
      waiter.until([&] { return ball.load(std::memory_order_acquire) == mine; }, [] { return false; });
      if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));  // let the other fall asleep
      ball.store(mine + 1, std::memory_order_release);
      bells[1 - me].ring_if_sleeping(true);
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  CHECK(ball.load() == 6000);
}

TEST_CASE("who waits long burns next to nothing", "[base]") {
  bool crowded = GENERATE(false, true);
  Doorbell bell{};
  Waiter waiter(bell, {crowded});
  Deadline end = Deadline::in_ms(500);
  double before = cpu_seconds_of_this_thread();
  waiter.until([&] { return end.passed(); }, [] { return false; });
  CHECK(cpu_seconds_of_this_thread() - before < 0.05);
}

TEST_CASE("looking again and again in vain burns little", "[base]") {
  Doorbell bell{};
  Waiter waiter(bell, {.crowded = true});
  Deadline end = Deadline::in_ms(500);
  double before = cpu_seconds_of_this_thread();
  while (!end.passed()) {
    waiter.rest(waiter.after_look(false), [] { return false; });
    waiter.rested();
  }
  CHECK(cpu_seconds_of_this_thread() - before < 0.2);
  CHECK(bell.sleepers.load() == 0);
}

TEST_CASE("who looks now and then while it computes keeps its core", "[base]") {
  bool crowded = GENERATE(false, true);
  Doorbell bell{};
  Waiter waiter(bell, {crowded});
  static_cast<void>(waiter.after_look(true));
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t end = now_ns() + 50'000;
    while (now_ns() < end) {
    }
    REQUIRE(waiter.after_look(false) == Waiter::Rest::none);
    waiter.rested();
  }
}

TEST_CASE("a nap ends with the bell, or at once if there is work", "[base]") {
  Doorbell bell{};
  Waiter waiter(bell, {.crowded = true});
  int turns = 0;
  waiter.rest(Waiter::Rest::nap, [&] { return ++turns > 0; });
  CHECK(turns == 1);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop.load()) bell.ring_if_sleeping(true);
  });
  for (int i = 0; i < 1000; ++i) waiter.rest(Waiter::Rest::nap, [] { return false; });
  stop.store(true);
  other.join();
  CHECK(bell.sleepers.load() == 0);
}

TEST_CASE("descriptors are polled while they are live", "[base]") {
  struct Pipe final : PollSet {
    void look_next() override { ++looks; }
    int looks = 0;
    bool live() const override { return true; }
    void poll_ns(std::int64_t at_most_ns, int) override {
      ++polls;
      std::this_thread::sleep_for(std::chrono::nanoseconds(at_most_ns / 10));
    }
    int polls = 0;
  } pipe;
  Doorbell bell{};
  Waiter waiter(bell, {}, &pipe);
  waiter.until([&] { return pipe.polls >= 3; }, [] { return false; });
  CHECK(pipe.polls == 3);
  CHECK(bell.sleepers.load() == 0);
}

TEST_CASE("a bell is heard by those who poll descriptors", "[base]") {
  struct Deaf final : PollSet {  // nothing comes through its descriptors, and it would sleep for long
    void look_next() override {}
    bool live() const override { return true; }
    void poll_ns(std::int64_t, int bell) override {
      pollfd rung{bell, POLLIN, 0};
      polls_for.store(stage.load() + 1);
      if (poll(&rung, 1, 10'000) == 0) overslept.fetch_add(1);
    }
    std::atomic<int> stage{0}, polls_for{0}, overslept{0};
  } deaf;
  Doorbell bell{};
  std::thread other([&] {
    Waiter waiter(bell, {true}, &deaf);
    for (int i = 1; i <= 100; ++i) waiter.until([&] { return deaf.stage.load() >= i; }, [] { return false; });
  });
  for (int i = 1; i <= 100; ++i) {
    while (deaf.polls_for.load() != i) std::this_thread::yield();
    deaf.stage.store(i);
    bell.ring_if_sleeping(true);
  }
  other.join();
  CHECK(deaf.overslept.load() == 0);
  CHECK(bell.pollers.load() == 0);
  CHECK(bell.bell.load() == 0);
}

}  // namespace
}  // namespace ompi_lite
