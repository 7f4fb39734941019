// SPDX-License-Identifier: BSD-3-Clause
// Rank files of Open MPI's dialect.
#include "launcher/rank_file.h"

#include <catch2/catch.hpp>
#include <string>

namespace ompi_lite::launcher {
namespace {

// "a/0-1 +n1/ b/p2" by rank, or what is wrong.
std::string parsed(std::string_view text) {
  RankFile file;
  if (const MaybeFailure failure = parse_rank_file("f", text, file)) return failure->text;
  std::string result;
  for (const RankLine& line : file.ranks)
    result += (result.empty() ? "" : " ") + (line.host.empty() ? "+n" + std::to_string(line.relative) : line.host) + "/" +
              line.slots;
  return result;
}

// 2 sockets of 2 cores of 2 hardware threads, numbered as Linux does: 0-3 and again 4-7.
std::string cpus_of(std::string_view slots) {
  std::vector<Cpu> cpus;
  for (int core = 0; core < 4; ++core)
    for (int thread = 0; thread < 2; ++thread) cpus.push_back(Cpu{core + 4 * thread, core, core / 2, core / 2});
  std::vector<int> found;
  if (const std::string problem = find_cpus(slots, cpus, found); !problem.empty()) return problem;
  return cpu_list_text(found);
}

TEST_CASE("rank files are read", "[launcher]") {
  CHECK(parsed("# comment\n\nrank 1=b slot=p2\r\nrank 0=a slot=0-1 # two\nrank 2 = +n1 slot = 1:*\n") ==
        "a/0-1 b/p2 +n1/1:*");
  CHECK(parsed("rank 0=a") == "a/");
  CHECK(parsed("rank 0=10.0.0.1 slots=0,2") == "10.0.0.1/0,2");
}

TEST_CASE("what is wrong with a rank file is named with file, line and word", "[launcher]") {
  const auto wrong = [](std::string_view text, std::string_view where) {
    INFO(text);
    const std::string got = parsed(text);
    INFO(got);
    CHECK(got.find(where) == 0);
  };
  wrong("rank 0=a slot=0\nrnk 1=b slot=0", "rank file f, line 2: \"rnk\"");
  wrong("rank x=a slot=0", "rank file f, line 1: \"x\": not the number of a rank");
  wrong("rank 0 a slot=0", "rank file f, line 1: \"a slot=0\"");
  wrong("rank 0=a:2 slot=0", "rank file f, line 1: \"a:2\": not a host name");
  wrong("rank 0=+nx", "rank file f, line 1: \"+nx\"");
  wrong("rank 0=a slt=0", "rank file f, line 1: \"slt\"");
  wrong("\nrank 0=a slot=", "rank file f, line 2: ");
  for (const char* slots : {"x", "1-", "2-1", "1:", ":1", "0,,1", "p0:1", "-1", "0:1:2"})
    wrong("rank 0=a slot=" + std::string(slots), "rank file f, line 1: \"" + std::string(slots) + "\": not cores");
  wrong("rank 0=a slot=0 more", "rank file f, line 1: \"more\": nothing may follow");
  wrong("rank 0=a\nrank 0=b", "rank file f, line 2: \"0\": line 1 has this rank already");
  wrong("rank 0=a\nrank 2=b", "rank file f: there is no rank 1, but a rank 2 (line 2)");
  wrong("# nothing", "rank file f names no rank");
}

TEST_CASE("hosts of a rank file", "[launcher]") {
  RankFile file;
  REQUIRE_FALSE(parse_rank_file("f", "rank 0=a\nrank 1=b\nrank 2=a\nrank 3=+n1\n", file));
  const std::vector<Host> hosts = hosts_of(file);
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "a");
  CHECK(hosts[0].slots == 2);
  std::vector<std::string> names;
  REQUIRE_FALSE(names_of_hosts(file, hosts, names));
  CHECK(names == std::vector<std::string>{"a", "b", "a", "b"});
  names.clear();
  const std::vector<Host> other{Host{"a", 1, 0}};
  const MaybeFailure failure = names_of_hosts(file, other, names);
  REQUIRE(failure);
  CHECK(failure->text == "rank file f, line 2: \"b\": this host is not among those of the job");
}

TEST_CASE("slots are cores, cores of a socket, or hardware threads of the OS", "[launcher]") {
  CHECK(cpus_of("0") == "0,4");
  CHECK(cpus_of("1-2") == "1-2,5-6");
  CHECK(cpus_of("0,3") == "0,3-4,7");
  CHECK(cpus_of("1:0") == "2,6");
  CHECK(cpus_of("1:*") == "2-3,6-7");
  CHECK(cpus_of("0:0,1") == "0-1,4-5");
  CHECK(cpus_of("0:1;1:0") == "1-2,5-6");
  CHECK(cpus_of("*") == "0-7");
  CHECK(cpus_of("p5") == "5");
  CHECK(cpus_of("p0-1,6") == "0-1,6");
  CHECK(cpus_of("4") == "slot=4: there is no core 4; there are 4, counted from 0");
  CHECK(cpus_of("1:2") == "slot=1:2: there is no core 2 in socket 1; there are 2, counted from 0");
  CHECK(cpus_of("2:0") == "slot=2:0: there is no socket 2");
  CHECK(cpus_of("p8") == "slot=p8: there is no hardware thread 8");
}

}  // namespace
}  // namespace ompi_lite::launcher
