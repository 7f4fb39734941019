// SPDX-License-Identifier: BSD-3-Clause
#include "ompi_lite/runtime/pmi1_wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace ompi_lite;
using Nodes = std::vector<int>;

TEST_CASE("PMI-1: the map of processes to nodes is read in all its forms", "[pmi1]") {
  const auto nodes = [](const char* text, int size) { return pmi1::nodes_of_mapping(text, size); };
  CHECK(nodes("(vector,(0,2,2))", 4) == Nodes{0, 0, 1, 1});
  CHECK(nodes("(vector,(0,2,1))", 5) == Nodes{0, 1, 0, 1, 0});  // begins again
  CHECK(nodes("(vector,(0,1,2),1)", 3) == Nodes{0, 0, 1});
  CHECK(nodes("(vector,(0,1,3),(1,2,1))", 5) == Nodes{0, 0, 0, 1, 2});
  CHECK(nodes("(vector,[(0,1,2),1]x2,5)", 7) == Nodes{0, 0, 1, 0, 0, 1, 5});
  CHECK(nodes("(vector,(0,4,8))", 3) == Nodes{0, 0, 0});
  CHECK(nodes("(vector,(0,2000000000,2000000000))", 2) == Nodes{0, 0});
  for (const char* bad :
       {"", "(vector", "(vector)", "(vector,)", "(vector,(0,1))", "(vector,(0,1,2)", "(vector,x)", "(matrix,(0,1,1))",
        "(vector,-1)", "(vector,[0]x)", "(vector,[0)", "(vector,(0,0,0))", "(vector,(0,1,1))x", "(vector,99999999999)"}) {
    INFO(bad);
    CHECK(nodes(bad, 4).empty());
  }
}

TEST_CASE("PMI-1: fields of a line", "[pmi1]") {
  const std::string line = "cmd=get_result rc=0 value=(vector,(0,2,2)) msg=success";
  CHECK(pmi1::field(line, "cmd") == "get_result");
  CHECK(pmi1::field(line, "rc") == "0");
  CHECK(pmi1::field(line, "value") == "(vector,(0,2,2))");
  CHECK(pmi1::field(line, "alue").empty());
  CHECK(pmi1::number("-1", 7) == -1);
  CHECK(pmi1::number("", 7) == 7);
  CHECK(pmi1::number("3x", 7) == 7);
}

TEST_CASE("PMI-1: lines come in pieces, and the end of the server is an error", "[pmi1]") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pmi1::Lines lines;
  REQUIRE_FALSE(lines.take(ends[0]));
  const std::string answers = "cmd=barrier_out\ncmd=finalize_ack rc=0\ncmd=cut";
  REQUIRE(write(ends[1], answers.data(), answers.size()) == static_cast<ssize_t>(answers.size()));
  auto first = lines.ask("cmd=barrier_in");
  REQUIRE(first);
  CHECK(*first == "cmd=barrier_out");
  auto second = lines.hear();
  REQUIRE(second);
  CHECK(*second == "cmd=finalize_ack rc=0");
  char heard[64] = "";
  CHECK(read(ends[1], heard, sizeof heard) == 15);
  CHECK(std::string(heard) == "cmd=barrier_in\n");
  close(ends[1]);
  CHECK_FALSE(lines.hear());
  CHECK(lines.say("cmd=finalize"));
  CHECK(pmi1::Lines().take(-1));
}
