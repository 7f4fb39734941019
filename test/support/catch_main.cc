// SPDX-License-Identifier: BSD-3-Clause
// The main function of every Catch2 program, with a listener that arms the watchdog for each test case. Called with
// --list-with-tags alone it prints "name<TAB>tags" for each case, which Catch2's own list breaks into columns.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <string_view>

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

int list_with_tags() {
  for (const Catch::TestCase& test : Catch::getAllTestCasesSorted(Catch::Config())) {
    std::printf("%s\t%s\n", test.name.c_str(), test.tagsAsString().c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list-with-tags") return list_with_tags();
  return Catch::Session().run(argc, argv);
}
