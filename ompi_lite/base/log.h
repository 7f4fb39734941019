// SPDX-License-Identifier: BSD-3-Clause
// The log: whole lines on standard error, prefixed with host and rank. Levels by volume: errors and warnings are for users,
// debug speaks once per object, trace once per event, data once per frame. Any thread may write.
#pragma once

#include <atomic>
#include <cstdint>

namespace ompi_lite {

enum class LogLevel : int { error = 0, warn, debug, trace, data };

extern constinit std::atomic<int> log_limit;  // the most talkative level that is printed

inline bool log_wanted(LogLevel level) {
  // relaxed: a level set by another thread may take a moment, no data hangs on it
  return static_cast<int>(level) <= log_limit.load(std::memory_order_relaxed);
}

[[gnu::format(printf, 2, 3), gnu::cold]] void log_write(LogLevel level, const char* format, ...);

void log_set_level(LogLevel level);

// The prefix of every later line. A process that has no rank (launcher, tool) gives its name only.
void log_identify(const char* host, int rank);

// Lines written at level error so far: a test that logged an error has failed.
std::int64_t log_error_count();

}  // namespace ompi_lite
