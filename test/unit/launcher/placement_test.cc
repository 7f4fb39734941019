// SPDX-License-Identifier: BSD-3-Clause
// Placement of ranks on made-up machines.
#include "launcher/placement.h"

#include <catch2/catch.hpp>

namespace ompi_lite::launcher {
namespace {

using Lists = std::vector<std::vector<int>>;

// Two sockets of two cores with two hardware threads each, numbered as Linux does it: second threads last.
std::vector<Cpu> two_sockets() {
  std::vector<Cpu> cpus;
  for (int core = 0; core < 4; ++core) {
    for (int thread = 0; thread < 2; ++thread) cpus.push_back(Cpu{core + 4 * thread, core, core / 2, core / 2});
  }
  return cpus;
}

TEST_CASE("unbound ranks have no CPU list", "[launcher]") {
  const Placement placement = place_ranks(two_sockets(), 3, BindTo::none, MapBy::core);
  CHECK(placement.bound_to == BindTo::none);
  CHECK(placement.cpus_of_rank == Lists(3));
}

TEST_CASE("ranks are bound to whole cores, one after the other, and go round when there are more", "[launcher]") {
  CHECK(place_ranks(two_sockets(), 5, BindTo::core, MapBy::core).cpus_of_rank ==
        Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}});
}

TEST_CASE("mapping by socket goes round the sockets", "[launcher]") {
  CHECK(place_ranks(two_sockets(), 4, BindTo::core, MapBy::socket).cpus_of_rank == Lists{{0, 4}, {2, 6}, {1, 5}, {3, 7}});
}

TEST_CASE("hardware threads and sockets are places, too", "[launcher]") {
  CHECK(place_ranks(two_sockets(), 3, BindTo::hwthread, MapBy::core).cpus_of_rank == Lists{{0}, {4}, {1}});
  CHECK(place_ranks(two_sockets(), 2, BindTo::socket, MapBy::core).cpus_of_rank == Lists{{0, 4, 1, 5}, {2, 6, 3, 7}});
}

TEST_CASE("only allowed CPUs are used", "[launcher]") {
  const std::vector<Cpu> one{{6, 2, 1, 1}};
  CHECK(place_ranks(one, 2, BindTo::core, MapBy::core).cpus_of_rank == Lists{{6}, {6}});
  CHECK(place_ranks({}, 2, BindTo::core, MapBy::core).cpus_of_rank == Lists(2));
}

TEST_CASE("cores are counted once", "[launcher]") {
  CHECK(count_cores(two_sockets()) == 4);
  CHECK(count_cores({}) == 0);
}

TEST_CASE("binding on one's own is for jobs that fill the machine evenly", "[launcher]") {
  for (const int ranks : {5, 7, 8, 16, 32, 30}) CHECK(fills_evenly(ranks, 8));
  for (const int ranks : {1, 2, 4, 9, 11, 17}) CHECK_FALSE(fills_evenly(ranks, 8));
  CHECK(fills_evenly(2, 2));
  CHECK_FALSE(fills_evenly(3, 2));
  CHECK_FALSE(fills_evenly(1, 1));
  CHECK(fills_evenly(3, 1));
}

TEST_CASE("CPU lists are written as ranges", "[launcher]") {
  CHECK(cpu_list_text({3, 0, 1, 2, 8}) == "0-3,8");
  CHECK(cpu_list_text({5}) == "5");
  CHECK(cpu_list_text({}).empty());
}

TEST_CASE("hwloc and the scheduler agree on what this process may use", "[launcher]") {
  Machine machine;
  REQUIRE_FALSE(machine.discover());
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
  CHECK(machine.cpus().size() == static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const Cpu& cpu : machine.cpus()) CHECK(CPU_ISSET(static_cast<std::size_t>(cpu.os_index), &set));
}

}  // namespace
}  // namespace ompi_lite::launcher
