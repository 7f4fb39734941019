// SPDX-License-Identifier: BSD-3-Clause
// The thread that waits for a test to take too long.
#include "test/support/watchdog.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ompi_lite::test {

namespace {

std::chrono::seconds limit_from_environment() {
  const char* text = std::getenv("OMPI_LITE_TEST_TIMEOUT");
  return std::chrono::seconds(text != nullptr ? std::atol(text) : 60);
}

}  // namespace

Watchdog::Watchdog() : limit_(limit_from_environment()) {
  if (limit_.count() > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> hold(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::arm(const char* test_name) {
  std::lock_guard<std::mutex> hold(mutex_);
  test_name_ = test_name;
  deadline_ = std::chrono::steady_clock::now() + limit_;
  changed_.notify_one();
}

void Watchdog::disarm() {
  std::lock_guard<std::mutex> hold(mutex_);
  test_name_.clear();
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> hold(mutex_);
  while (!stop_) {
    if (test_name_.empty()) {
      changed_.wait(hold);
      continue;
    }
    const auto deadline = deadline_;
    changed_.wait_until(hold, deadline);
    if (test_name_.empty() || deadline_ != deadline || std::chrono::steady_clock::now() < deadline) continue;
    std::fprintf(stderr, "\nwatchdog: test \"%s\" still runs after %ld s; the program ends here\n", test_name_.c_str(),
                 static_cast<long>(limit_.count()));
    std::fflush(stderr);
    _exit(99);
  }
}

}  // namespace ompi_lite::test
