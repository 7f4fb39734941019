// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_join: two processes that share a socket.
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/runtime/calls.h"
#include "ompi_lite/runtime/spawning.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite::runtime {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr int kLookMs = 1;  // between two turns of progress

// Moves exactly these bytes, whatever mode the socket is in, and turns progress meanwhile: the other may need us for that.
template <class Move>
Error move_all(int fd, short event, std::size_t bytes, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    pollfd ready{fd, event, 0};
    (void)poll(&ready, 1, kLookMs);
    current()->blocking().look();
    if (ready.revents == 0) continue;
    const ssize_t n = move(done);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n == 0) return Error(ErrorClass::other, "the other end of fd has been closed");
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      return make_error(ErrorClass::other, "fd cannot be used as a connected socket: %s", strerror(errno));
  }
  return {};
}

Error send_all(int fd, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  return move_all(fd, POLLOUT, bytes,
                  [&](std::size_t done) { return send(fd, at + done, bytes - done, MSG_NOSIGNAL | MSG_DONTWAIT); });
}

Error receive_all(int fd, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  return move_all(fd, POLLIN, bytes, [&](std::size_t done) { return recv(fd, at + done, bytes - done, MSG_DONTWAIT); });
}

// In turns, so that neither has to take in more than it has asked for.
Error exchange_over(int fd, bool low, const coll::Bytes& ours, coll::Bytes& theirs) {
  const auto give = [&]() -> Error {
    const std::uint64_t bytes = ours.size();
    OL_TRY(send_all(fd, &bytes, sizeof bytes));
    return send_all(fd, ours.data(), ours.size());
  };
  const auto take = [&]() -> Error {
    std::uint64_t bytes = 0;
    OL_TRY(receive_all(fd, &bytes, sizeof bytes));
    if (bytes > kMostBytes) return Error(ErrorClass::other, "the other end of fd is not in MPI_Comm_join");
    theirs.resize(bytes);
    return receive_all(fd, theirs.data(), bytes);
  };
  OL_TRY(low ? give() : take());
  return low ? take() : give();
}

}  // namespace

Error comm_join(int fd, Communicator*& intercomm) {
  Process& process = *current();
  sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return make_error(ErrorClass::arg, "fd is %d, which is no connected socket: %s", fd, strerror(errno));
  struct {
    std::uint64_t magic = 0x6e696f6a2d6c6f31;
    std::uint64_t number = 0;
    Secret secret{};
  } ours, theirs;
  if (getrandom(&ours.number, sizeof ours.number, 0) < 0 || getrandom(ours.secret.data(), ours.secret.size(), 0) < 0)
    return Error(ErrorClass::other, "the system gives no random numbers");
  OL_TRY(send_all(fd, &ours, sizeof ours));
  OL_TRY(receive_all(fd, &theirs, sizeof theirs));
  if (theirs.magic != ours.magic || theirs.number == ours.number)
    return Error(ErrorClass::other, "the other end of fd is not in MPI_Comm_join");
  Secret shared;
  for (std::size_t i = 0; i < shared.size(); i++) shared[i] = ours.secret[i] ^ theirs.secret[i];
  const bool low = ours.number < theirs.number;
  return meet_over(
      process, process.self(), 0,
      [&](const coll::Bytes& mine, coll::Bytes& received) { return exchange_over(fd, low, mine, received); }, shared, low,
      intercomm);
}

}  // namespace ompi_lite::runtime
