// SPDX-License-Identifier: BSD-3-Clause
// Pretended streams: a worker, and whoever waits, runs the work of all of them, in order within a stream and in a different
// order between streams each time, with delays, so that a missing synchronization gives a wrong result.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace fake {

// Thread-safe. The worker starts with the first work and never ends.
class Streams {
 public:
  using Id = std::size_t;

  Streams();
  // A blocking stream waits for what was put into the legacy stream before, and the legacy stream for all blocking ones.
  Id make(bool blocking);
  static constexpr Id kLegacy = 0;
  // `work` gives an error of the driver, which wait() then returns once.
  void put(Id stream, std::function<int()> work);
  int wait(Id stream, std::uint64_t mark = 0);  // 0: for all that is in it now
  int take_error(Id stream);
  int wait_for_all();
  bool idle(Id stream);
  // What was put into the stream up to now: a mark for reached(). Like the driver, a mark is after what the legacy stream
  // had before.
  std::uint64_t mark(Id stream);
  bool reached(Id stream, std::uint64_t mark);

 private:
  struct Work {
    std::function<int()> run;
    std::vector<std::pair<Id, std::uint64_t>> after;  // streams and how much of them must be done
  };
  struct Stream {
    bool blocking;
    std::deque<Work> work;
    std::uint64_t put = 0, done = 0;
    int error = 0;
    bool busy = false;  // its first work is being done
  };
  void work_for_ever();
  // Does some work that is ready; false: there is none. The lock is held, but not meanwhile.
  bool do_one(std::unique_lock<std::mutex>& guard);
  bool ready(const Stream& stream) const;

  std::mutex lock_;
  std::condition_variable more_, less_;
  std::deque<Stream> streams_;
  std::mt19937 random_;
  bool started_ = false;
};

}  // namespace fake
