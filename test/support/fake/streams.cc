// SPDX-License-Identifier: BSD-3-Clause
// Pretended streams.
#include "test/support/fake/streams.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace fake {

Streams::Streams() : random_(static_cast<unsigned>(getpid())) { streams_.push_back({true, {}}); }

Streams::Id Streams::make(bool blocking) {
  const std::lock_guard guard(lock_);
  streams_.push_back({blocking, {}});
  return streams_.size() - 1;
}

void Streams::put(Id id, std::function<int()> run) {
  const std::lock_guard guard(lock_);
  if (!std::exchange(started_, true)) std::thread([this] { work_for_ever(); }).detach();
  Stream& stream = streams_[id];
  Work work{std::move(run), {}};
  if (id == kLegacy) {
    for (Id other = 1; other < streams_.size(); ++other)
      if (streams_[other].blocking) work.after.emplace_back(other, streams_[other].put);
  } else if (stream.blocking) {
    work.after.emplace_back(kLegacy, streams_[kLegacy].put);
  }
  stream.work.push_back(std::move(work));
  ++stream.put;
  more_.notify_one();
}

bool Streams::ready(const Stream& stream) const {
  if (stream.work.empty() || stream.busy) return false;
  const auto& after = stream.work.front().after;
  return std::all_of(after.begin(), after.end(),
                     [this](const auto& each) { return streams_[each.first].done >= each.second; });
}

bool Streams::do_one(std::unique_lock<std::mutex>& guard) {
  std::vector<Id> candidates;
  for (Id id = 0; id < streams_.size(); ++id)
    if (ready(streams_[id])) candidates.push_back(id);
  if (candidates.empty()) return false;
  Stream& stream = streams_[candidates[random_() % candidates.size()]];
  stream.busy = true;
  const auto delay_us = static_cast<unsigned>(random_() % 40);
  const std::function<int()> run = std::move(stream.work.front().run);
  guard.unlock();
  if (delay_us > 35) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  const int error = run();
  guard.lock();
  stream.work.pop_front();
  stream.busy = false;
  ++stream.done;
  if (error != 0) stream.error = error;
  less_.notify_all();
  return true;
}

// Slow on purpose: work that nobody waits for is done late.
void Streams::work_for_ever() {
  std::unique_lock guard(lock_);
  for (;;) {
    more_.wait_for(guard, std::chrono::milliseconds(1));  // what is put while it works rings no bell
    guard.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    guard.lock();
    while (do_one(guard)) {
    }
  }
}

int Streams::take_error(Id id) {
  const std::lock_guard guard(lock_);
  return std::exchange(streams_[id].error, 0);
}

int Streams::wait(Id id, std::uint64_t mark) {
  std::unique_lock guard(lock_);
  Stream& stream = streams_[id];
  const std::uint64_t all = mark != 0 ? mark : stream.put;
  while (stream.done < all)
    if (!do_one(guard)) less_.wait_for(guard, std::chrono::microseconds(500));
  return std::exchange(stream.error, 0);
}

int Streams::wait_for_all() {
  int error = 0;
  for (Id id = 0;; ++id) {
    {
      const std::lock_guard guard(lock_);
      if (id >= streams_.size()) return error;
    }
    const int of_one = wait(id);
    if (of_one != 0) error = of_one;
  }
}

std::uint64_t Streams::mark(Id id) {
  put(id, [] { return 0; });
  const std::lock_guard guard(lock_);
  return streams_[id].put;
}

bool Streams::reached(Id id, std::uint64_t mark) {
  const std::lock_guard guard(lock_);
  return streams_[id].done >= mark;
}

bool Streams::idle(Id id) {
  const std::lock_guard guard(lock_);
  return streams_[id].work.empty();
}

}  // namespace fake
