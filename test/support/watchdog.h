// SPDX-License-Identifier: BSD-3-Clause
// Ends a test program whose current test does not, and says which test that was.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ompi_lite::test {

// One per test program; owned by main's file. arm() and disarm() are called by the thread that runs the tests. The limit for
// one test is OMPI_LITE_TEST_TIMEOUT seconds, 60 by default; 0 (for a debugger) switches the watchdog off.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void arm(const char* test_name);
  void disarm();

 private:
  void watch();

  std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string test_name_;  // empty while no test runs
  std::chrono::steady_clock::time_point deadline_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ompi_lite::test
