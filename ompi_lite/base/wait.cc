// SPDX-License-Identifier: BSD-3-Clause
// The slow half of waiting: yielding and sleeping.
#include "ompi_lite/base/wait.h"

#include <sched.h>

#include <algorithm>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite {

constinit Knob<double> spin_time{
    "spin_time", 1e-3, Unit::seconds,
    "how long a waiting rank looks again and again before it sleeps, while each rank has a core"};
constinit Knob<double> crowded_spin_time{"crowded_spin_time", 2e-4, Unit::seconds,
                                         "the same when ranks share cores; it gives its core away between two looks"};

namespace {

// Rounds of plain spinning before the first system call: some microseconds. Longer would be dear where others use the cores.
constexpr std::uint32_t kSpinRounds = 256;
// Nothing is lost while a rank sleeps, but what rings no bell (a lost process, a descriptor) has to be seen now and then.
constexpr std::int64_t kShortestSleepNs = 1'000'000;
constexpr std::int64_t kLongestSleepNs = 20'000'000;

// Looks of a program that does nothing else between them follow each other within this time ...
constexpr std::int64_t kTightNs = 2'000;
// ... and those of one that does little else within this.
constexpr std::int64_t kLooseNs = 20'000;
constexpr std::uint32_t kTightLooks = 16;  // so many make a loop that waits

}  // namespace

void Doorbell::ring() {
  rings.fetch_add(
      1);  // partners: the loads in Waiter::announce and, before it sees a poller or that sees this, sleep_in_poll
  os::futex_wake_all(rings);
  if (pollers.load() != 0) os::ring_bell(bell.load());
}

Waiter::Waiter(Doorbell& bell, WaitPolicy policy, PollSet* descriptors) : bell_(&bell), descriptors_(descriptors) {
  set_policy(policy);
}

Waiter::~Waiter() {
  if (poll_bell_.name != 0) bell_->bell.store(0);
}

void Waiter::set_policy(WaitPolicy policy) {
  policy_ = policy;
  spin_rounds_ = policy.crowded ? 0 : kSpinRounds;
  spin_ns_ = static_cast<std::int64_t>((policy.crowded ? crowded_spin_time : spin_time).value() * 1e9);
  fence_by_kernel_ = !policy.crowded && os::register_remote_fence();
}

void Waiter::share_cores() {
  spin_rounds_ = 0;
  spin_ns_ = static_cast<std::int64_t>(crowded_spin_time.value() * 1e9);
}

bool Waiter::pause_longer(State& state) {
  std::int64_t now = now_ns();
  if (state.began == 0) state.began = now;
  if (now - state.began >= spin_ns_) return false;
  sched_yield();
  if (descriptors_ != nullptr && descriptors_->live()) descriptors_->look_next();
  return true;
}

Waiter::Rest Waiter::after_looks_in_vain() {
  const std::int64_t now = now_ns(), gap = now - looks_.left;
  looks_.left = now;
  if (gap > kLooseNs) return Rest::none;  // it computes, and wants its core
  if (gap > kTightNs) {
    looks_.tight = 0;
    return Rest::yield;
  }
  if (looks_.tight++ == 0) looks_.began = now;
  if (!policy_.crowded || now - looks_.began < spin_ns_) return Rest::yield;
  return looks_.tight >= kTightLooks ? Rest::nap : Rest::none;
}

void Waiter::rested() { looks_.left = now_ns(); }

void Waiter::relax() {
  if (policy_.crowded) {
    sched_yield();
  } else {
    os::cpu_pause();
  }
}

Waiter::Sleep Waiter::announce() {
  Sleep sleep{bell_->rings.load(std::memory_order_acquire)};  // partner: the increment in Doorbell::ring
  bell_->sleepers.fetch_add(1, std::memory_order_seq_cst);    // partner: the load in Doorbell::ring_if_sleeping
  if (fence_by_kernel_) os::remote_fence();
  return sleep;
}

void Waiter::fall_asleep(Sleep sleep, State& state) {
  std::int64_t at_most_ns = kShortestSleepNs << std::min<std::uint32_t>(state.sleeps, 8);
  at_most_ns = std::min(at_most_ns, kLongestSleepNs);
  // Without any fence a ring may be missed: sleep so short that nobody minds.
  if (!policy_.crowded && !fence_by_kernel_) at_most_ns = kShortestSleepNs;
  ++state.sleeps;
  if (recorder_ != nullptr) recorder_->idle(state.began);
  sleep_at_most(sleep, at_most_ns);
}

void Waiter::sleep_at_most(Sleep sleep, std::int64_t at_most_ns) {
  const std::int64_t began_ns = now_ns();
  if (descriptors_ && descriptors_->live()) {
    sleep_in_poll(sleep, at_most_ns);
  } else {
    os::futex_wait(bell_->rings, sleep.seen, at_most_ns);
  }
  counters.sleeps.add_from_any_thread(1);
  counters.asleep_ns.add_from_any_thread(static_cast<std::uint64_t>(now_ns() - began_ns));
}

// Not long: a rank in another network namespace cannot ring this bell.
void Waiter::sleep_in_poll(Sleep sleep, std::int64_t at_most_ns) {
  std::call_once(polls_, [this] {
    poll_bell_ = os::make_bell();
    bell_->bell.store(poll_bell_.name);
  });
  bell_->pollers.fetch_add(1);
  if (bell_->rings.load() == sleep.seen) descriptors_->poll_ns(std::min(at_most_ns, kShortestSleepNs), poll_bell_.fd.get());
  bell_->pollers.fetch_sub(1);
  if (poll_bell_.fd) os::silence_bell(poll_bell_.fd.get());
}

void Waiter::tell_awake() {
  if (recorder_ != nullptr) recorder_->busy();
}

void Waiter::retract() { bell_->sleepers.fetch_sub(1, std::memory_order_relaxed); }  // late is harmless: one ring too many

}  // namespace ompi_lite
