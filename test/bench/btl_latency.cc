// SPDX-License-Identifier: BSD-3-Clause
// What btl/shm alone reaches between two processes, with nothing of MPI above it: latency by frame size, and messages cut
// into frames that both cores copy at the same time, beside one copy by reading the peer's memory.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "btl/btl.h"
#include "btl/shm/transport.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/segment.h"

namespace {

using namespace ompi_lite;

constexpr std::size_t kHeader = 24;
constexpr std::size_t kMost = 64 << 20;
constexpr int kRepeats = 41;  // the best of many short ones: whoever disturbs a round can only make it longer

struct Header {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t message;
};
static_assert(sizeof(Header) == kHeader);

// Copies what comes into a buffer, as a matching engine would.
class Sink final : public btl::Receiver {
 public:
  explicit Sink(std::byte* buffer) : buffer_(buffer) {}
  void on_frame(btl::PeerId, std::span<const std::byte> frame) override {
    Header header;
    std::memcpy(&header, frame.data(), sizeof header);
    copy_bytes(buffer_ + header.offset, frame.data() + kHeader, frame.size() - kHeader);
    received += frame.size() - kHeader;
  }
  void on_lost(btl::PeerId, Error why) override {
    fprintf(stderr, "lost: %s\n", why.sentence());
    exit(1);
  }
  std::uint64_t received = 0;

 private:
  std::byte* buffer_;
};

struct Rank {
  int me;
  btl::Transport* transport;
  btl::Endpoint* peer;
  Sink* sink;
  Waiter* waiter;
  std::byte* out;
  std::byte* in;
  std::uint64_t expected = 0;

  void turn_until_sent(const Header& header, const std::byte* data, std::size_t bytes) {
    btl::Piece piece{data, bytes};
    auto bytes_of_header = std::as_bytes(std::span(&header, 1));
    while (peer->try_send(bytes_of_header, {&piece, 1}) != btl::Sent::yes) transport->progress(*sink);
  }

  void send(std::size_t bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes || bytes == 0; at += piece) {
      turn_until_sent(Header{at, bytes, 0}, out + at, std::min(piece, bytes - at));
      if (bytes == 0) break;
    }
  }

  void receive(std::size_t bytes) {
    expected += bytes;
    waiter->until([&] { return sink->received >= expected; }, [&] { return transport->progress(*sink); });
  }

  double one_way_us(std::size_t bytes, std::size_t piece) {
    auto rounds = static_cast<int>(std::clamp<std::size_t>((4u << 20) / std::max<std::size_t>(bytes, 2048), 2, 1000));
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      double start = now_seconds();
      for (int i = 0; i < rounds; ++i) {
        if (me == 0) send(bytes, piece);
        receive(bytes);
        if (me == 1) send(bytes, piece);
      }
      times.push_back((now_seconds() - start) / rounds / 2 * 1e6);
    }
    return *std::min_element(times.begin(), times.end());
  }
};

struct Regions {
  std::uint64_t address;
};

double get_us(Rank& rank, std::uint64_t address, std::size_t bytes) {
  struct Done : btl::Completion {
    Error result;
  } done{};
  done.done = [](btl::Completion& self, Error result) { static_cast<Done&>(self).result = result; };
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    double start = now_seconds();
    if (Error refused = rank.peer->get({address, bytes, 0}, {rank.in, bytes}, done)) return -1;
    times.push_back((now_seconds() - start) * 1e6);
  }
  return *std::min_element(times.begin(), times.end());
}

void pin(int me) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int seen = 0;
  for (int c = 0; c < CPU_SETSIZE; ++c) {
    if (!CPU_ISSET(c, &all) || seen++ != me) continue;
    CPU_ZERO(&one);
    CPU_SET(c, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
}

}  // namespace

int main() {
  auto file = os::create_memory_file("btl_latency", 0);
  if (!file) return fprintf(stderr, "%s\n", file.error().sentence()), 1;
  int me = fork() == 0 ? 1 : 0;
  pin(me);
  auto segment = Segment::attach(std::move(file).value(), me, 2);
  if (!segment) return fprintf(stderr, "%s\n", segment.error().sentence()), 1;
  if (Error late = segment->wait_for_all(5000)) return fprintf(stderr, "%s\n", late.sentence()), 1;
  const btl::PeerId peers[] = {0, 1};
  btl::Setup setup{.self = me, .segment = &*segment, .local_peers = peers};
  btl::shm::ShmTransport transport(setup);
  btl::shm::ShmAddress there{segment->id(), 1 - me, 0};
  auto peer = transport.connect(1 - me, std::as_bytes(std::span(&there, 1)));
  if (!peer) return fprintf(stderr, "%s\n", peer.error().sentence()), 1;
  Waiter waiter(segment->self().bell, {segment->crowded()});
  auto* in = static_cast<std::byte*>(malloc(kMost));
  auto* out = static_cast<std::byte*>(malloc(kMost));
  std::memset(in, 0, kMost);
  std::memset(out, me + 1, kMost);
  Sink sink(in);
  Rank rank{me, &transport, peer->get(), &sink, &waiter, out, in};

  for (std::size_t bytes : {8u, 32u, 96u, 256u, 1024u, 2048u, 4096u, 8192u}) {
    double us = rank.one_way_us(bytes, std::max<std::size_t>(bytes, 1));
    if (!me) printf("frame   %9zu B one way %9.3f us\n", bytes, us);
  }
  for (std::size_t bytes = 16 << 10; bytes <= kMost / 4; bytes *= 4) {
    for (std::size_t piece : {4096u, 8192u, 16384u, 32768u}) {
      double us = rank.one_way_us(bytes, piece - kHeader);
      if (!me)
        printf("message %9zu B one way %9.3f us %6.1f GB/s in frames of %zu\n", bytes, us,
               static_cast<double>(bytes) / us / 1e3, piece);
    }
  }
  for (std::size_t i = 0; i < kMost / 4; ++i) {
    if (in[i] == std::byte(2 - me)) continue;
    fprintf(stderr, "rank %d: wrong data at %zu\n", me, i);
    break;
  }
  Regions mine{reinterpret_cast<std::uint64_t>(out)};
  rank.turn_until_sent(Header{kMost / 2, 0, 0}, reinterpret_cast<std::byte*>(&mine), sizeof mine);
  rank.receive(sizeof mine);
  Regions theirs;
  std::memcpy(&theirs, in + kMost / 2, sizeof theirs);
  if (me == 0) {
    for (std::size_t bytes = 4096; bytes <= kMost; bytes *= 4) {
      double us = get_us(rank, theirs.address, bytes);
      printf("get     %9zu B         %9.3f us %6.1f GB/s\n", bytes, us, static_cast<double>(bytes) / us / 1e3);
    }
    rank.send(1, 1);
    wait(nullptr);
  } else {
    rank.receive(1);
  }
  return 0;
}
