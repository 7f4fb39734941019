// SPDX-License-Identifier: BSD-3-Clause
// The main function of every Catch2 program, with a listener that arms the watchdog for each test case.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "test/support/watchdog.h"

namespace {

using ompi_lite::test::Watchdog;

Watchdog& watchdog() {
  static Watchdog instance;
  return instance;
}

class NamesTheRunningTest final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override { watchdog().arm(info.name.c_str()); }
  void testCaseEnded(const Catch::TestCaseStats&) override { watchdog().disarm(); }
};

CATCH_REGISTER_LISTENER(NamesTheRunningTest)

}  // namespace

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
