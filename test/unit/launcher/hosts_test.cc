// SPDX-License-Identifier: BSD-3-Clause
// Host words, host files and the names of this machine.
#include "launcher/hosts.h"

#include <catch2/catch.hpp>

namespace ompi_lite::launcher {
namespace {

std::vector<Host> good_file(std::string_view text) {
  std::vector<Host> hosts;
  const MaybeFailure failure = parse_host_file("f", text, hosts);
  INFO((failure ? failure->text : ""));
  REQUIRE_FALSE(failure);
  return hosts;
}

std::string bad_file(std::string_view text) {
  std::vector<Host> hosts;
  const MaybeFailure failure = parse_host_file("the file", text, hosts);
  CHECK(hosts.empty());
  return failure ? failure->text : "";
}

TEST_CASE("absurd numbers of slots are refused, and sums of large ones do not overflow", "[launcher]") {
  CHECK(bad_file("a:2022233225").find("from 1 to 1000000") != std::string::npos);
  CHECK(bad_file("a slots=1000001").find("from 1 to 1000000") != std::string::npos);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "a slots=1000000 max_slots=1000000\n";
  const std::vector<Host> hosts = good_file(text);
  CHECK(hosts.size() == 1);
  CHECK(total_slots(hosts) == 1000000);
}

TEST_CASE("host files of both dialects give the same slots", "[launcher]") {
  const std::vector<Host> hosts =
      good_file("# head\r\n\r\na:2\n  b slots=3 # tail\r\nc\nd cpu=2 max_slots=4\n\te  user=me slots=1");
  REQUIRE(hosts.size() == 5);
  CHECK(hosts[0].name == "a");
  CHECK(hosts[0].slots == 2);
  CHECK(hosts[1].slots == 3);
  CHECK(hosts[2].slots == 0);
  CHECK(hosts[3].max_slots == 4);
  CHECK(hosts[4].name == "e");
  CHECK(total_slots(hosts) == 9);
}

TEST_CASE("a host that is named again adds up", "[launcher]") {
  CHECK(total_slots(good_file("localhost\nlocalhost\nlocalhost\n")) == 3);
  CHECK(total_slots(good_file("a slots=2\nb\na:3\n")) == 6);
}

TEST_CASE("garbage in a host file is told with file, line and word", "[launcher]") {
  CHECK(bad_file("a\nb slots=2 junk\n").find("the file, line 2: \"junk\"") != std::string::npos);
  CHECK(bad_file("a slots=0\n").find("line 1: \"slots=0\"") != std::string::npos);
  CHECK(bad_file("\n\na:zwei\n").find("line 3: \"a:zwei\"") != std::string::npos);
  CHECK(bad_file("a:\n").find("\"a:\"") != std::string::npos);
  CHECK(bad_file("a slots 2\n").find("\"slots\"") != std::string::npos);
  CHECK(bad_file("-n 2\n").find("\"-n\"") != std::string::npos);
  CHECK(bad_file("a slots=2 slots=\n").find("\"slots=\"") != std::string::npos);
  CHECK(bad_file("# only words\n\n").find("names no host") != std::string::npos);
}

TEST_CASE("words of --host", "[launcher]") {
  std::vector<Host> hosts;
  for (const char* word : {"a", "b:2", "10.0.0.1:3", "[fe80::1]:4", "::1", "c.example.org:*"})
    REQUIRE_FALSE(parse_host_word(word, hosts));
  REQUIRE(hosts.size() == 6);
  CHECK(hosts[3].name == "fe80::1");
  CHECK(hosts[3].slots == 4);
  CHECK(hosts[4].name == "::1");
  CHECK(total_slots(hosts) == 12);
  for (const char* word : {"a:0", "a:-1", "a:b", "a b", ":2", "[fe80::1", "[fe80::1]x", "[nonsense]:2", "a/b"}) {
    INFO(word);
    CHECK(parse_host_word(word, hosts));
  }
  CHECK(hosts.size() == 6);
}

TEST_CASE("this machine is known by its names and loopback addresses", "[launcher]") {
  for (const char* name : {"localhost", "localhost.localdomain", "127.0.0.1", "127.1.2.3", "::1"})
    CHECK(is_this_machine(name));
  const std::string own = own_host_name();
  CHECK(is_this_machine(own));
  CHECK(is_this_machine(own.substr(0, own.find('.'))));
  CHECK_FALSE(is_this_machine("no-such-host.invalid"));
  CHECK_FALSE(is_this_machine("192.0.2.1"));
  CHECK_FALSE(is_this_machine(""));
}

}  // namespace
}  // namespace ompi_lite::launcher
