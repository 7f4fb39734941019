// SPDX-License-Identifier: BSD-3-Clause
// The one wait primitive: spin, then yield, then sleep on a doorbell. How long it spins depends on whether the node has a
// core for each rank.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/os_bell.h"

namespace ompi_lite {

// A rank's doorbell, one line in memory that all who may wake it share. All zero is its initial state, so it may lie in a
// fresh mapping. Any number of threads may sleep on it.
struct alignas(64) Doorbell {
  std::atomic<std::uint32_t> rings;     // the futex word: counts the rings that found a sleeper
  std::atomic<std::uint32_t> sleepers;  // how many threads sleep or are about to
  std::atomic<std::uint32_t> pollers;   // of them, how many sleep in a poll and hear the bell below
  std::uint32_t unused;
  std::atomic<std::uint64_t> bell;  // the name of the rank's os::Bell, which is made when one first polls; 0: none
  std::uint32_t more[10];

  // Wakes all who sleep. Call it after publishing what they wait for; costs one load of a line that rarely changes.
  // `fence`: the node's ranks agreed that the publisher orders its store before this load (see Waiter); else the sleeper
  // does.
  void ring_if_sleeping(bool fence) {
    if (fence) std::atomic_thread_fence(std::memory_order_seq_cst);
    // relaxed: ordered after the publishing store by the fence above or by the sleeper's membarrier
    if (__builtin_expect(sleepers.load(std::memory_order_relaxed) != 0, 0)) ring();
  }
  void ring();
};
static_assert(sizeof(Doorbell) == 64);

// How the ranks of a node wait: agreed once by all ranks at start-up.
struct WaitPolicy {
  bool crowded = false;  // more ranks than cores: do not spin, and let publishers fence
};

// Whoever must be woken by descriptors too (live TCP connections) offers them here. The calls hold no lock.
class PollSet {
 public:
  virtual ~PollSet() = default;
  // The core was given to others, which is dearer than a look: the next turn is to look at the descriptors.
  virtual void look_next() = 0;
  virtual bool live() const = 0;  // something to poll
  // Sleeps until a descriptor, or `bell` (-1: none), is ready or the time is over.
  virtual void poll_ns(std::int64_t at_most_ns, int bell) = 0;
};

// The waiter of a rank (one per Process; may be used by several threads at once).
class Waiter {
 public:
  // The doorbell must outlive the waiter. `descriptors` may be null.
  explicit Waiter(Doorbell& bell, WaitPolicy policy = {}, PollSet* descriptors = nullptr);
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void set_policy(WaitPolicy policy);
  // Ranks that are not of the node's agreement use its cores too: from now on it sleeps as soon as if it were crowded.
  void share_cores();
  void set_descriptors(PollSet* descriptors) { descriptors_ = descriptors; }
  void set_recorder(flight::Recorder* recorder) { recorder_ = recorder; }  // gets told since when nothing has moved; or null
  bool crowded() const { return policy_.crowded; }
  Doorbell& bell() { return *bell_; }

  // Returns when ready() does. turn() looks for work once (progress) and says whether it found any; it takes whatever lock
  // it needs and holds none on return, so that other threads may work while this one sleeps.
  template <class Ready, class Turn>
  void until(Ready&& ready, Turn&& turn) {
    State state;
    while (!ready()) {
      if (turn()) {
        if (state.sleeps != 0) tell_awake();
        state = State{};
        continue;
      }
      if (ready()) break;
      if (pause(state)) continue;
      // About to sleep: announce it, look once more, and only then sleep. A publisher either sees the announcement or was
      // seen.
      Sleep sleep = announce();
      if (!turn() && !ready()) fall_asleep(sleep, state);
      retract();
    }
    if (state.sleeps != 0) tell_awake();
  }

  // One step of waiting without sleeping, for those who wait for something that rings no bell.
  void relax();

  // For calls that look for work once and return: programs make them in loops, and such a loop must not keep the core from
  // whom it waits for. What to do after a look; kept apart from rest(), because locks must not be held meanwhile. Not for
  // several threads at once.
  enum class Rest { none, yield, nap };
  Rest after_look(bool found) {
    if (found) {
      looks_ = Looks{};
      return Rest::none;
    }
    if (++looks_.in_vain <= spin_rounds_) return Rest::none;
    return after_looks_in_vain();
  }
  // turn() as for until(); it is asked again before a nap.
  template <class Turn>
  void rest(Rest how, Turn&& turn) {
    if (how == Rest::yield) sched_yield();
    if (how != Rest::nap) return;
    Sleep sleep = announce();
    if (!turn()) sleep_at_most(sleep, kNapNs);
    retract();
  }
  void rested();  // the looking goes on from here

 private:
  static constexpr std::int64_t kNapNs = 50'000;  // short, for the caller may have other things to do

  struct Looks {
    std::uint32_t in_vain = 0;  // one after the other
    std::uint32_t tight = 0;    // of these, how many came without the program doing anything else between them
    std::int64_t began = 0;     // of these
    std::int64_t left = 0;      // when the last of them was over
  };
  struct State {
    std::int64_t began = 0;
    std::uint32_t rounds = 0;
    std::uint32_t sleeps = 0;
  };
  struct Sleep {
    std::uint32_t seen;
  };

  // Spins or yields; false when it is time to sleep.
  bool pause(State& state) {
    if (state.rounds < spin_rounds_) {
      ++state.rounds;
      os::cpu_pause();
      return true;
    }
    return pause_longer(state);
  }
  bool pause_longer(State& state);
  Rest after_looks_in_vain();
  void sleep_at_most(Sleep sleep, std::int64_t at_most_ns);
  void sleep_in_poll(Sleep sleep, std::int64_t at_most_ns);
  Sleep announce();
  void fall_asleep(Sleep sleep, State& state);
  void retract();
  [[gnu::cold]] void tell_awake();

  Doorbell* bell_;
  std::once_flag polls_;  // from then on there is
  os::Bell poll_bell_;    // if it could be had
  PollSet* descriptors_;
  flight::Recorder* recorder_ = nullptr;
  WaitPolicy policy_;
  std::uint32_t spin_rounds_ = 0;
  std::int64_t spin_ns_ = 0;
  bool fence_by_kernel_ = false;
  Looks looks_;
};

}  // namespace ompi_lite
