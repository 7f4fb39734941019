// SPDX-License-Identifier: BSD-3-Clause
// What batch systems say about hosts.
#include "launcher/allocation.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ompi_lite::launcher {
namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<int>;

// "Slurm n0:2 n1:1", or what is wrong.
std::string found(const Names& entries) {
  std::vector<std::string> copies = entries;
  std::vector<char*> pointers;
  for (std::string& each : copies) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  Allocation allocation;
  if (const MaybeFailure failure = find_allocation(Environment::without_outer_job(pointers.data()), allocation))
    return failure->text;
  std::string text = allocation.system;
  for (const Host& host : allocation.hosts) text += " " + host.name + ":" + std::to_string(host.slots);
  return text;
}

TEST_CASE("Slurm's lists of nodes", "[launcher]") {
  CHECK(expand_node_list("n0") == Names{"n0"});
  CHECK(expand_node_list("n[0-2,5]") == Names{"n0", "n1", "n2", "n5"});
  CHECK(expand_node_list("n[08-10],login,m[3]") == Names{"n08", "n09", "n10", "login", "m3"});
  CHECK(expand_node_list("rack[0-1]n[1-2]-ib") == Names{"rack0n1-ib", "rack0n2-ib", "rack1n1-ib", "rack1n2-ib"});
  for (const char* bad : {"", ",", "n[", "n]", "n[]", "n[1-]", "n[2-1]", "n[a]", "n[0-99999999]", "n[1,2", "n0,,n1"}) {
    INFO(bad);
    CHECK(expand_node_list(bad).empty());
  }
}

TEST_CASE("Slurm's lists of counts", "[launcher]") {
  CHECK(expand_counts("3") == Counts{3});
  CHECK(expand_counts("2(x2),1") == Counts{2, 2, 1});
  CHECK(expand_counts("4(x1),1(x3)") == Counts{4, 1, 1, 1});
  for (const char* bad : {"", "x", "2(x", "2(x0)", "0", "2(x2", "2()", "1,,2", "1(x99999999)"}) {
    INFO(bad);
    CHECK(expand_counts(bad).empty());
  }
}

TEST_CASE("allocations of Slurm, PBS and LSF", "[launcher]") {
  CHECK(found({"PATH=/bin"}).empty());
  CHECK(found({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[90-91]", "SLURM_TASKS_PER_NODE=2,1"}) == "Slurm n90:2 n91:1");
  CHECK(found({"SLURM_JOBID=7", "SLURM_NODELIST=n[90-92]", "SLURM_JOB_CPUS_PER_NODE=4(x3)"}) == "Slurm n90:4 n91:4 n92:4");
  CHECK(found({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n90"}) == "Slurm n90:1");
  CHECK(found({"SLURM_JOB_NODELIST=n90"}).empty());
  CHECK(found({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n9,n8", "SLURMD_NODENAME=n8"}) ==
        "Slurm n9:1 " + own_host_name() + ":1");
  CHECK(found({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[9"}).find("SLURM_JOB_NODELIST is \"n[9\"") == 0);
  CHECK(found({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[0-1]", "SLURM_TASKS_PER_NODE=2(x3)"}).find("2 nodes") !=
        std::string::npos);
  CHECK(found({"LSB_JOBID=7", "LSB_MCPU_HOSTS=a 2 b 4 "}) == "LSF a:2 b:4");
  CHECK(found({"LSB_JOBID=7", "LSB_MCPU_HOSTS=a 2 b"}).find("LSB_MCPU_HOSTS is") == 0);
  char name[] = "/tmp/allocation.XXXXXX";
  const int made = mkstemp(name);
  REQUIRE(made >= 0);
  close(made);
  const std::string path = name;
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs("a\na\nb\n", file);
  std::fclose(file);
  CHECK(found({"PBS_JOBID=7", "PBS_NODEFILE=" + path}) == "PBS a:2 b:1");
  CHECK(found({"LSB_JOBID=7", "LSB_DJOB_HOSTFILE=" + path}) == "LSF a:2 b:1");
  std::remove(path.c_str());
  CHECK(found({"PBS_JOBID=7", "PBS_NODEFILE=" + path}).find("PBS_NODEFILE: host file " + path) == 0);
}

}  // namespace
}  // namespace ompi_lite::launcher
