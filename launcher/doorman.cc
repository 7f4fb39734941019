// SPDX-License-Identifier: BSD-3-Clause
// Examines connections to the PMIx server.
#include "launcher/doorman.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ompi_lite::launcher {
namespace {

using Clock = std::chrono::steady_clock;

// A client of ours sends its first message in one piece right after it has connected.
constexpr std::chrono::seconds patience{5};
constexpr std::size_t most_visitors = 256;
// PMIx's header: two numbers of 32 bits and the length of what follows, all as the sender's machine writes them.
constexpr std::size_t header_bytes = 16;
constexpr std::size_t most_first_bytes = 8192;

std::atomic<const char*> admitted_job{nullptr};

struct Visitor {
  int fd;
  Clock::time_point since;
};

enum class Judgement { wait, admit, refuse };

// Only PMIx's listening thread gets here.
std::vector<Visitor> visitors;

Judgement examine(const Visitor& visitor, std::string_view job) {
  std::array<char, most_first_bytes> bytes;
  const ssize_t got = recv(visitor.fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Judgement::wait;
  if (got <= 0) return Judgement::refuse;  // it has left again
  const auto here = static_cast<std::size_t>(got);
  if (here < header_bytes) return Judgement::wait;
  std::uint64_t following = 0;
  std::memcpy(&following, bytes.data() + 8, sizeof(following));
  if (following > most_first_bytes - header_bytes) return Judgement::refuse;
  const std::size_t whole = header_bytes + static_cast<std::size_t>(following);
  if (here < whole) {
    const int wanted = static_cast<int>(whole);  // poll wakes us when all is there
    (void)setsockopt(visitor.fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof(wanted));
    return Judgement::wait;
  }
  const bool ours = std::string_view(bytes.data(), whole).find(job) != std::string_view::npos;
  return ours ? Judgement::admit : Judgement::refuse;
}

void take_in(int listener) {
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) {
    // Out of descriptors: PMIx would stop listening for good, so this is not told; strangers free theirs in time.
    if (errno == EMFILE || errno == ENFILE) (void)usleep(10000);
    return;
  }
  const int wanted = static_cast<int>(header_bytes);
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof(wanted));
  if (visitors.size() >= most_visitors) {
    close(visitors.front().fd);
    visitors.erase(visitors.begin());
  }
  visitors.push_back(Visitor{fd, Clock::now()});
}

// PMIx calls accept() once for each time that the port is readable. While others wait here, a call on our own port makes it
// so.
void knock(int listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    (void)connect(fd, reinterpret_cast<sockaddr*>(&address), length);
  }
  close(fd);
}

// A visitor that may enter, or -1; those that may not are sent away.
int judge_visitors(std::string_view job) {
  const Clock::time_point now = Clock::now();
  for (auto visitor = visitors.begin(); visitor != visitors.end();) {
    const Judgement judgement = examine(*visitor, job);
    if (judgement == Judgement::wait && now - visitor->since < patience) {
      ++visitor;
      continue;
    }
    const int fd = visitor->fd;
    visitor = visitors.erase(visitor);
    if (judgement == Judgement::admit) return fd;
    close(fd);
  }
  return -1;
}

int next_client(int listener, std::string_view job) {
  while (true) {
    std::vector<pollfd> wanted{{listener, POLLIN, 0}};
    for (const Visitor& visitor : visitors) wanted.push_back({visitor.fd, POLLIN, 0});
    // The oldest visitor's patience ends first; without visitors PMIx waits for the port itself.
    int timeout_ms = 0;
    if (!visitors.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(visitors.front().since + patience - Clock::now());
      timeout_ms = static_cast<int>(std::max<long>(left.count(), 0));
    }
    (void)poll(wanted.data(), wanted.size(), timeout_ms);
    if ((wanted[0].revents & POLLIN) != 0) take_in(listener);
    const int client = judge_visitors(job);
    if (client >= 0) {
      const int all = 1;
      (void)setsockopt(client, SOL_SOCKET, SO_RCVLOWAT, &all, sizeof(all));
      if (!visitors.empty()) knock(listener);
      return client;
    }
    if (visitors.empty()) {
      errno = EAGAIN;
      return -1;
    }
  }
}

}  // namespace

void admit_clients_of(std::string_view job) {
  admitted_job.store(job.data(), std::memory_order_release);  // partner: the load in accept
}

}  // namespace ompi_lite::launcher

extern "C" [[gnu::visibility("default")]] int accept(int listener, sockaddr* address, socklen_t* length) {
  const char* job = ompi_lite::launcher::admitted_job.load(std::memory_order_acquire);  // partner: admit_clients_of
  if (job == nullptr) return accept4(listener, address, length, 0);
  const int fd = ompi_lite::launcher::next_client(listener, job);
  if (fd >= 0 && address != nullptr) (void)getpeername(fd, address, length);
  return fd;
}
