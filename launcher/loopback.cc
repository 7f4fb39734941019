// SPDX-License-Identifier: BSD-3-Clause
// Looks at the interfaces; makes a network with lo alone where there is none.
#include "launcher/loopback.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace ompi_lite::launcher {
namespace {

struct Interfaces {
  bool loopback_up = false;
  bool other_up = false;
};

Interfaces look_at_interfaces() {
  Interfaces seen;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return Interfaces{true, true};  // then let PMIx find out
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if ((entry->ifa_flags & IFF_UP) == 0) continue;
    ((entry->ifa_flags & IFF_LOOPBACK) != 0 ? seen.loopback_up : seen.other_up) = true;
  }
  freeifaddrs(list);
  return seen;
}

bool raise_loopback() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool good = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return good;
}

}  // namespace

MaybeFailure ensure_loopback() {
  const Interfaces seen = look_at_interfaces();
  if (seen.loopback_up) return std::nullopt;
  if (!seen.other_up && unshare(CLONE_NEWNET) == 0 && raise_loopback()) return std::nullopt;
  return Failure{"the loopback interface is down, and PMIx needs it (as root: ip link set lo up)", ExitCode::failure};
}

}  // namespace ompi_lite::launcher
