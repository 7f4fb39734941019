// SPDX-License-Identifier: BSD-3-Clause
// Each measurement is a few lines; those of two cores are made by two threads that are tied to one processor each.
#include "ompi_lite/base/measure.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/copy.h"

namespace ompi_lite {
namespace {

constexpr std::size_t kSmall = 64 << 10, kLarge = 8 << 20;  // of one buffer: in a second-level cache, beyond any core's own
constexpr std::size_t kLine = 64;
constexpr int kPasses = 4;
constexpr std::int64_t kPairNs = 50'000'000;  // two threads that do not get on give up after this

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, Free>;
Memory memory_of(std::size_t bytes) {
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
  if (memory) std::memset(memory.get(), 1, bytes);
  return memory;
}

// The least time of one call of `body` in seconds, of `tries`; each measures `calls` of them.
template <class Body>
double least_of(int tries, int calls, Body&& body) {
  std::int64_t least = -1;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t began = now_ns();
    for (int k = 0; k < calls; ++k) body();
    const std::int64_t took = now_ns() - began;
    if (least < 0 || took < least) least = took;
  }
  return static_cast<double>(least) * 1e-9 / calls;
}

// Two threads, each tied to a processor. They meet before they begin; false if they could not be had.
class Pair {
 public:
  Pair(int first, int second) : processors_{first, second} {}
  using Half = double (*)(Pair& pair, int side, void* context);
  // What side 0 returns, 0 if it measured nothing in time. Both sides take turns until they are through or time is over.
  double run(Half half, void* context) {
    half_ = half;
    context_ = context;
    met_ = 0;
    over_ = false;
    until_ns_ = now_ns() + kPairNs;
    for (auto& each : words_) each.value.store(0, std::memory_order_relaxed);  // the threads begin after that
    pthread_t threads[2];
    int made = 0;
    for (; made < 2; ++made) {
      sides_[made] = {this, made};
      if (!start(threads[made], sides_[made])) break;
    }
    if (made < 2) over_ = true;
    for (int i = 0; i < made; ++i) pthread_join(threads[i], nullptr);
    return made == 2 ? result_ : 0;
  }
  // Spins until the word has that value; false when time is over.
  bool await(const std::atomic<std::uint64_t>& word, std::uint64_t least, bool yields = false) {
    for (int looks = 1; word.load(std::memory_order_acquire) < least; ++looks) {  // partner: the stores of the halves
      if (yields) sched_yield();
      if (looks % 1024 == 0 && (over_ || now_ns() > until_ns_)) {
        over_ = true;
        return false;
      }
      if (!yields && looks % 4096 == 0) sched_yield();  // others may have the other processor
    }
    return true;
  }
  std::atomic<std::uint64_t>& word(int side) { return words_[side].value; }

 private:
  struct Side {
    Pair* pair;
    int number;
  };
  struct alignas(128) Word {
    std::atomic<std::uint64_t> value;
  };
  // Takes no signals: handlers of the program run on its own threads.
  static bool start(pthread_t& thread, Side& side) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(side.pair->processors_[side.number], &set);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made = pthread_attr_setaffinity_np(&attributes, sizeof set, &set) == 0 &&
                      pthread_create(&thread, &attributes, enter, &side) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return made;
  }
  static void* enter(void* argument) {
    const Side& side = *static_cast<Side*>(argument);
    Pair& pair = *side.pair;
    ++pair.met_;
    while (pair.met_ < 2 && !pair.over_) {
      if (now_ns() > pair.until_ns_) pair.over_ = true;
      sched_yield();
    }
    const double result = pair.over_ ? 0 : pair.half_(pair, side.number, pair.context_);
    if (side.number == 0) pair.result_ = result;
    return nullptr;
  }

  int processors_[2];
  Half half_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> met_{0};
  std::atomic<bool> over_{false};
  std::int64_t until_ns_ = 0;
  double result_ = 0;
  Side sides_[2];
  Word words_[2];
};

// ---- the halves: both sides take turns in storing the next number into their own word ----

// The best so far; 0: none.
class Best {
 public:
  void note(std::int64_t ns) {
    if (ns > 0 && (least_ == 0 || ns < least_)) least_ = ns;
  }
  double seconds() const { return static_cast<double>(least_) * 1e-9; }

 private:
  std::int64_t least_ = 0;
};

// `yields`: they share a core.
template <bool yields, int turns>
double ping_pong(Pair& pair, int side, void*) {
  constexpr int kRounds = 150;  // short ones: on a busy machine the two seldom run at the same time for long
  Best best;
  std::uint64_t at = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t began = now_ns();
    for (int i = 0; i < turns; ++i) {
      ++at;
      if (side == 1 && !pair.await(pair.word(0), at, yields)) return 0;
      pair.word(side).store(at, std::memory_order_release);  // partner: await
      if (side == 0 && !pair.await(pair.word(1), at, yields)) return best.seconds() / (2 * turns);
    }
    best.note(now_ns() - began);
  }
  return best.seconds() / (2 * turns);
}

// Side 1 writes kSmall bytes, then side 0 copies them.
struct Buffers {
  std::byte *shared, *mine[2];
};
double fetch_written(Pair& pair, int side, void* context) {
  const Buffers& buffers = *static_cast<Buffers*>(context);
  Best best;
  for (std::uint64_t round = 1; round <= 24; ++round) {
    if (side == 1) {
      if (!pair.await(pair.word(0), round - 1)) return 0;
      std::memset(buffers.shared, static_cast<int>(round), kSmall);
      pair.word(1).store(round, std::memory_order_release);  // partner: await
      continue;
    }
    if (!pair.await(pair.word(1), round)) break;
    const std::int64_t began = now_ns();
    copy_bytes(buffers.mine[0], buffers.shared, kSmall);
    best.note(now_ns() - began);
    pair.word(0).store(round, std::memory_order_release);  // partner: await
  }
  return best.seconds() / kSmall;
}

// Side 1 copies in, side 0 out, through a ring twice as large as what is under way.
double pass_through(Pair& pair, int side, void* context) {
  constexpr std::size_t kPiece = 32 << 10, kRing = 32;
  constexpr std::uint64_t kLead = kRing / 2;  // pieces that may be under way
  const Buffers& buffers = *static_cast<Buffers*>(context);
  Best best;
  std::uint64_t at = 0;
  for (int round = 0; round < 8; ++round) {
    const std::int64_t began = now_ns();
    for (std::size_t i = 0; i < kRing; ++i) {
      std::byte* piece = buffers.shared + at % kRing * kPiece;
      std::byte* own = buffers.mine[side] + at % 4 * kPiece;
      ++at;
      if (side == 1) {
        if (at > kLead && !pair.await(pair.word(0), at - kLead)) return 0;
        copy_bytes(piece, own, kPiece);
      } else {
        if (!pair.await(pair.word(1), at)) return best.seconds() / static_cast<double>(kRing * kPiece);
        copy_bytes(own, piece, kPiece);
      }
      pair.word(side).store(at, std::memory_order_release);  // partner: await
    }
    if (round > 0) best.note(now_ns() - began);
  }
  return best.seconds() / static_cast<double>(kRing * kPiece);
}

// Side 0 sleeps, side 1 wakes it after a while and says when it did.
struct Nap {
  std::atomic<std::uint32_t> futex{0};
  std::atomic<std::int64_t> rang_ns{0};
};
double wake_up(Pair& pair, int side, void* context) {
  Nap& nap = *static_cast<Nap*>(context);
  Best best;
  for (std::uint64_t round = 1; round <= 8; ++round) {
    if (side == 1) {
      if (!pair.await(pair.word(0), round)) return 0;
      for (const std::int64_t until = now_ns() + 150'000; now_ns() < until;) os::cpu_pause();
      nap.rang_ns = now_ns();
      ++nap.futex;
      os::futex_wake_all(nap.futex);
      pair.word(1).store(round, std::memory_order_release);  // partner: await
      continue;
    }
    const std::uint32_t seen = nap.futex;
    pair.word(0).store(round, std::memory_order_release);  // partner: await
    os::futex_wait(nap.futex, seen, kPairNs);
    const std::int64_t woke = now_ns();
    if (nap.futex != seen) best.note(woke - nap.rang_ns);
    if (!pair.await(pair.word(1), round)) break;
  }
  return best.seconds();
}

// ---- one core ----

// A ring of pointers, one a line, walked once; the address decides the next load.
double step_of(std::byte* memory) {
  constexpr std::size_t kHops = 64;
  void** const first = reinterpret_cast<void**>(memory);
  for (std::size_t i = 0; i < kHops; ++i)
    *reinterpret_cast<void**>(memory + i * kLine) = memory + (i * 29 + 29) % kHops * kLine;
  void** at = first;
  const double once = least_of(20, 20, [&] {
    for (std::size_t i = 0; i < kHops; ++i) at = static_cast<void**>(*static_cast<void* volatile*>(at));
  });
  return once / kHops;
}

class Measurement {
 public:
  explicit Measurement(const MeasureOptions& options) : options_(options) {
    first_ = next_processor(-1);
    second_ = next_processor(first_);
  }

  MachineNumbers run() {
    const std::int64_t until = now_ns() + options_.at_most_ns;
    small_ = memory_of(4 * kSmall);
    shared_ = memory_of(16 * kSmall);
    large_ = memory_of(2 * kLarge);
    if (!small_ || !shared_) return {};
    for (int pass = 0; pass < kPasses && (pass == 0 || now_ns() < until); ++pass) {
      alone();
      if (second_ >= 0) together();
    }
    return finished();
  }

 private:
  int next_processor(int after) const {
    for (int i = after + 1; i < 1024; ++i)
      if ((options_.processors.words[i / 64] >> i % 64 & 1u) != 0) return i;
    return -1;
  }
  void note(Number number, double value) {
    if (value <= 0) return;
    double& best = best_[static_cast<std::size_t>(number)];
    if (best <= 0 || value < best) best = value;
  }
  // A byte of `body`, which handles so many.
  template <class Body>
  void note_bytes(Number number, std::size_t bytes, int tries, Body&& body) {
    note(number, least_of(tries, 1, body) / static_cast<double>(bytes));
  }

  void alone() {
    note(Number::step, step_of(small_.get() + kSmall));
    std::byte *a = small_.get(), *b = small_.get() + 2 * kSmall;
    note_bytes(Number::copy_cached, kSmall, 20, [&] { copy_bytes(b, a, kSmall); });
    if (options_.sum != nullptr) note_bytes(Number::reduce_cached, kSmall, 20, [&] { sum(a, b, kSmall); });
    if (large_) {
      std::byte *from = large_.get(), *to = large_.get() + kLarge;
      note_bytes(Number::copy_memory, kLarge, 2, [&] { copy_bytes(to, from, kLarge); });
      if (options_.sum != nullptr) note_bytes(Number::reduce_memory, kLarge, 2, [&] { sum(from, to, kLarge); });
    }
    note(Number::yield, least_of(10, 20, [] { sched_yield(); }));
    single_copy(a, b);
    note(Number::handover, Pair(first_, first_).run(ping_pong<true, 10>, nullptr));
  }
  void sum(const std::byte* a, std::byte* b, std::size_t bytes) {
    options_.sum(reinterpret_cast<const float*>(a), reinterpret_cast<float*>(b), bytes);
  }
  // Out of our own memory: the system takes the same way.
  void single_copy(const std::byte* a, std::byte* b) {
    const pid_t self = getpid();
    bool works = true;
    const auto read = [&](std::size_t bytes) {
      return least_of(10, 1, [&] { works &= os::read_process(self, b, a, bytes) == static_cast<std::int64_t>(bytes); });
    };
    const double call = read(8), all = read(kSmall);
    if (!works) return;
    note(Number::single_copy_call, call);
    note(Number::single_copy, (all - call) / kSmall);
  }
  void together() {
    Buffers buffers{shared_.get(), {small_.get(), small_.get() + 2 * kSmall}};
    Nap nap;
    Pair apart(first_, second_);
    note(Number::line, apart.run(ping_pong<false, 20>, nullptr));
    note(Number::fetch, apart.run(fetch_written, &buffers));
    note(Number::shared_copy, apart.run(pass_through, &buffers));
    note(Number::wake, apart.run(wake_up, &nap));
  }
  // Rounded as in a file, so that a later run that reads it decides alike.
  MachineNumbers finished() const {
    MachineNumbers numbers;
    for (std::size_t i = 0; i < kNumbers; ++i) numbers.set(static_cast<Number>(i), best_[i]);
    Result<MachineNumbers> rounded = parse_numbers(numbers_text(numbers, ""), "");
    return rounded ? *rounded : numbers;
  }

  const MeasureOptions& options_;
  int first_, second_;
  Memory small_, shared_, large_;
  std::array<double, kNumbers> best_{};
};

}  // namespace

MachineNumbers measure_machine(const MeasureOptions& options) { return Measurement(options).run(); }

}  // namespace ompi_lite
