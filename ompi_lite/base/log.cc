// SPDX-License-Identifier: BSD-3-Clause
// Writes log lines, each by one system call so that lines of several ranks do not mix.
#include "ompi_lite/base/log.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>

namespace ompi_lite {

constinit std::atomic<int> log_limit{static_cast<int>(LogLevel::warn)};

namespace {

constinit char prefix[96] = "ompi_lite";
constinit std::atomic<std::int64_t> errors{0};
constexpr const char* kLevelNames[] = {"error", "warning", "debug", "trace", "data"};

}  // namespace

void log_set_level(LogLevel level) { log_limit.store(static_cast<int>(level)); }

void log_identify(const char* host, int rank) {
  if (rank < 0) {
    snprintf(prefix, sizeof prefix, "%s", host);
  } else {
    snprintf(prefix, sizeof prefix, "%.64s rank %d", host, rank);
  }
}

std::int64_t log_error_count() { return errors.load(); }

void log_write(LogLevel level, const char* format, ...) {
  if (level == LogLevel::error) errors.fetch_add(1);
  char line[1024];
  int head = snprintf(line, sizeof line, "[%s] %s: ", prefix, kLevelNames[static_cast<int>(level)]);
  std::size_t used = head > 0 ? static_cast<std::size_t>(head) : 0;
  va_list arguments;
  va_start(arguments, format);
  int body = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
  va_end(arguments);
  if (body > 0) used += static_cast<std::size_t>(body);
  if (used > sizeof line - 2) used = sizeof line - 2;  // cut, but keep the end of line
  line[used++] = '\n';
  std::size_t done = 0;
  while (done < used) {
    ssize_t n = write(STDERR_FILENO, line + done, used - done);
    if (n <= 0) return;  // nobody listens: a log must not stop the program
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace ompi_lite
