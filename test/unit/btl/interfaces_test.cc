// SPDX-License-Identifier: BSD-3-Clause
// Which interfaces and ports are used.
#include "btl/tcp/interfaces.h"

#include <arpa/inet.h>

#include <catch2/catch.hpp>

#include "btl/tcp/socket.h"

namespace ompi_lite::btl::tcp {
namespace {

Interface interface(const char* name, const char* address, bool loopback = false) {
  Interface made{name, {}, {}, loopback};
  made.address.family = inet_pton(AF_INET, address, made.address.bytes) == 1 ? 4 : 6;
  if (made.address.family == 6) inet_pton(AF_INET6, address, made.address.bytes);
  return made;
}

const std::vector<Interface> some = {interface("lo", "127.0.0.1", true), interface("eth0", "10.1.2.3"),
                                     interface("eth1", "10.2.0.1"), interface("eth1", "fd00::5"),
                                     interface("docker0", "172.17.0.1")};

std::string chosen(const char* wanted, const char* unwanted = "") {
  auto result = chosen_interfaces(some, wanted, unwanted);
  if (!result) return result.error().sentence();
  std::string text;
  for (const Interface& each : *result) text += (text.empty() ? "" : " ") + text_of(each.address);
  return text;
}

TEST_CASE("interfaces are chosen by names and networks", "[tcp]") {
  CHECK(chosen("") == "127.0.0.1 10.1.2.3 10.2.0.1 fd00::5 172.17.0.1");
  CHECK(chosen("eth1") == "10.2.0.1 fd00::5");
  CHECK(chosen("eno1,eth0") == "10.1.2.3");
  CHECK(chosen("10.0.0.0/8") == "10.1.2.3 10.2.0.1");
  CHECK(chosen("10.1.2.3/16,fd00::/8") == "10.1.2.3 fd00::5");
  CHECK(chosen("172.17.0.1") == "172.17.0.1");
  CHECK(chosen("", "docker0,lo") == "10.1.2.3 10.2.0.1 fd00::5");
  CHECK(chosen("10.0.0.0/8", "10.2.0.0/16") == "10.1.2.3");
  CHECK(chosen("0.0.0.0/0") == "127.0.0.1 10.1.2.3 10.2.0.1 172.17.0.1");
}

TEST_CASE("words that fit nothing are an error that tells what there is", "[tcp]") {
  for (const char* wrong : {"eno1", "192.168.0.0/16", "eno1,,ib0"}) {
    const std::string text = chosen(wrong);
    CHECK(text.find(wrong) != std::string::npos);
    CHECK(text.find("eth0 (10.1.2.3)") != std::string::npos);
  }
  for (const char* wrong : {"10.0.0.0/33", "10.0/8", "fd00::/129", "eth0/8", "10.0.0.0/"}) {
    CHECK(chosen(wrong).find("neither the name of an interface nor a network") != std::string::npos);
  }
  CHECK(chosen("eth0", "10.0.0.0/8").find("leave none of") != std::string::npos);
}

TEST_CASE("a range of ports is two numbers with a dash", "[tcp]") {
  CHECK(parse_ports("50000-50030")->first == 50000);
  CHECK(parse_ports("50000-50030")->last == 50030);
  CHECK(parse_ports("7")->last == 7);
  CHECK(parse_ports("")->first == 0);
  for (const char* wrong : {"50000:50030", "50030-50000", "0-5", "1-65536", "-", "5-", "-5", "a-b", "1-2-3", " 1"}) {
    CHECK_FALSE(parse_ports(wrong));
  }
}

TEST_CASE("each rank gets a port of its own out of the range, until there is none", "[tcp]") {
  auto any = listen_anywhere({}, 3);
  REQUIRE(any);
  CHECK(any->port != 0);
  // A range that is most likely free: three numbers beside one that was.
  const auto base = static_cast<std::uint16_t>(any->port > 60000 ? any->port - 10 : any->port + 5);
  const PortRange range{base, static_cast<std::uint16_t>(base + 2)};
  std::vector<Listener> held;
  for (int self = 0; self < 8; ++self) {
    auto made = listen_anywhere(range, self);
    if (!made) {
      CHECK(std::string(made.error().sentence()).find("knob ports") != std::string::npos);
      break;
    }
    CHECK(made->port >= range.first);
    CHECK(made->port <= range.last);
    held.push_back(std::move(made).value());
  }
  CHECK(held.size() <= 3);
}

}  // namespace
}  // namespace ompi_lite::btl::tcp
