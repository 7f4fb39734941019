// SPDX-License-Identifier: BSD-3-Clause
// Hosts and their slots, from --host and from host files of both common dialects.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/failure.h"

namespace ompi_lite::launcher {

struct Host {
  std::string name;
  int slots = 0;      // 0: not given; the same host named again adds to it
  int max_slots = 0;  // 0: none
};

// One word of --host: "name", "name:3", "[v6-address]:3", "name:*".
MaybeFailure parse_host_word(std::string_view word, std::vector<Host>& hosts);

// The text of a host file; `file` names it in messages.
MaybeFailure parse_host_file(std::string_view file, std::string_view text, std::vector<Host>& hosts);

// Reads and parses a host file.
MaybeFailure read_host_file(const std::string& path, std::vector<Host>& hosts);

// Whether the name is this machine: localhost names, 127.x and ::1, the own host name (short or long) and the addresses of
// the own interfaces. Never asks a resolver.
bool is_this_machine(std::string_view name);

// The own host name.
std::string own_host_name();

// All slots of the list; a host without a number counts 1 a mention.
int total_slots(std::span<const Host> hosts);

}  // namespace ompi_lite::launcher
