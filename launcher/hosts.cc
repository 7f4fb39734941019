// SPDX-License-Identifier: BSD-3-Clause
// Reads host words and host files; knows which names mean this machine without asking a resolver.
#include "launcher/hosts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "ompi_lite/base/text.h"

namespace ompi_lite::launcher {
namespace {

// More slots than any host has, and few enough to be added up.
constexpr int kMostSlots = 1'000'000;
constexpr const char* kNoNumber = "the number of slots must be a whole number from 1 to 1000000";

std::optional<int> slots_of(std::string_view text) {
  const std::optional<int> value = whole_number(text);
  return value && *value >= 1 && *value <= kMostSlots ? value : std::nullopt;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' ||
         c == '@';
}

bool is_host_name(std::string_view name) {
  return !name.empty() && name[0] != '-' && std::ranges::all_of(name, is_name_char);
}

bool is_v6_address(std::string_view text) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

// Splits "name:3"; an IPv6 address needs brackets to carry a number. The sentence says what is wrong, empty if nothing.
std::string split_host(std::string_view word, std::string_view& name, std::string_view& number) {
  number = {};
  if (word.starts_with('[')) {
    const std::size_t close = word.find(']');
    if (close == std::string_view::npos) return "a ] is missing";
    name = word.substr(1, close - 1);
    if (!is_v6_address(name)) return "not an IPv6 address";
    const std::string_view rest = word.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') return "only :number may follow the ]";
    if (!rest.empty()) number = rest.substr(1);
    return rest == ":" ? "a number must follow the colon" : "";
  }
  name = word;
  if (is_v6_address(word)) return "";
  const std::size_t colon = word.find(':');
  name = word.substr(0, colon);
  if (!is_host_name(name)) return "not a host name";
  if (colon != std::string_view::npos) {
    number = word.substr(colon + 1);
    if (number.empty()) return "a number must follow the colon";
  }
  return "";
}

std::string parse_host(std::string_view word, Host& host) {
  std::string_view name;
  std::string_view number;
  if (std::string problem = split_host(word, name, number); !problem.empty()) return problem;
  host.name = name;
  if (number.empty() || number == "*") return "";
  const std::optional<int> slots = slots_of(number);
  if (!slots) return kNoNumber;
  host.slots = *slots;
  return "";
}

// A host that is named again gets the sum: three lines "localhost" are three slots.
void add_host(const Host& host, std::vector<Host>& hosts) {
  const auto known = std::ranges::find(hosts, host.name, &Host::name);
  if (known == hosts.end()) {
    hosts.push_back(host);
    return;
  }
  known->slots = std::min(std::max(known->slots, 1) + std::max(host.slots, 1), kMostSlots);
  known->max_slots = std::min(known->max_slots + host.max_slots, kMostSlots);
}

// "slots=2", "max_slots=4", "cpu=2": what follows the name on a line. The words that only other launchers use are skipped.
std::string parse_attribute(std::string_view word, Host& host) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return "expected slots=N";
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (key == "slots" || key == "cpu" || key == "count") {
    const std::optional<int> slots = slots_of(value);
    if (!slots) return kNoNumber;
    host.slots = *slots;
    return "";
  }
  if (key == "max_slots" || key == "max-slots") {
    const std::optional<int> slots = slots_of(value);
    if (!slots) return kNoNumber;
    host.max_slots = *slots;
    return "";
  }
  if (key == "user" || key == "username" || key == "port" || key == "ifhn" || key == "binding" || key == "user-binding")
    return "";
  return "unknown word; a line is \"name\", \"name slots=N\" or \"name:N\"";
}

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

Failure line_error(std::string_view file, int line, std::string_view word, std::string_view problem) {
  return usage_error("host file " + std::string(file) + ", line " + std::to_string(line) + ": \"" + std::string(word) +
                     "\": " + std::string(problem));
}

bool is_own_interface_address(std::string_view name) {
  std::array<unsigned char, sizeof(in6_addr)> wanted{};
  const std::string text(name);
  const int family = inet_pton(AF_INET, text.c_str(), wanted.data()) == 1    ? AF_INET
                     : inet_pton(AF_INET6, text.c_str(), wanted.data()) == 1 ? AF_INET6
                                                                             : AF_UNSPEC;
  if (family == AF_UNSPEC) return false;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool found = false;
  for (const ifaddrs* entry = list; entry != nullptr && !found; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) continue;
    const void* own = family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(entry->ifa_addr)->sin_addr)
                          : &reinterpret_cast<sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
    found = std::memcmp(own, wanted.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr)) == 0;
  }
  freeifaddrs(list);
  return found;
}

}  // namespace

MaybeFailure parse_host_word(std::string_view word, std::vector<Host>& hosts) {
  Host host;
  const std::string problem = parse_host(word, host);
  if (!problem.empty()) return usage_error("option --host: \"" + std::string(word) + "\": " + problem);
  add_host(host, hosts);
  return std::nullopt;
}

MaybeFailure parse_host_file(std::string_view file, std::string_view text, std::vector<Host>& hosts) {
  std::vector<Host> result = hosts;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    const std::string_view name = next_word(line);
    if (name.empty()) continue;
    Host host;
    if (const std::string problem = parse_host(name, host); !problem.empty()) {
      return line_error(file, line_number, name, problem);
    }
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const std::string problem = parse_attribute(word, host);
      if (!problem.empty()) return line_error(file, line_number, word, problem);
    }
    add_host(host, result);
  }
  if (result.empty()) return usage_error("host file " + std::string(file) + " names no host");
  hosts = std::move(result);
  return std::nullopt;
}

MaybeFailure read_host_file(const std::string& path, std::vector<Host>& hosts) {
  const auto cannot = [&] { return usage_error("host file " + path + " cannot be read: " + std::strerror(errno)); };
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file) return cannot();
  std::string text;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) text.append(block.data(), got);
  if (std::ferror(file.get()) != 0) return cannot();
  return parse_host_file(path, text, hosts);
}

std::string own_host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

bool is_this_machine(std::string_view name) {
  if (name == "localhost" || name.starts_with("localhost.") || name == "localhost4" || name == "localhost6" ||
      name == "ip6-localhost" || name == "::1") {
    return true;
  }
  in_addr address;
  if (inet_pton(AF_INET, std::string(name).c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127) return true;
  const std::string own = own_host_name();
  const auto short_form = [](std::string_view text) { return text.substr(0, text.find('.')); };
  if (name == own) return true;
  // "node7" and "node7.cluster.example" are one machine when only one of the two is written out.
  const bool one_is_short = name.find('.') == std::string_view::npos || own.find('.') == std::string::npos;
  if (one_is_short && short_form(name) == short_form(own)) return true;
  return is_own_interface_address(name);
}

int total_slots(std::span<const Host> hosts) {
  int total = 0;
  for (const Host& host : hosts) total = std::min(total + std::max(host.slots, 1), kMostSlots);
  return total;
}

}  // namespace ompi_lite::launcher
