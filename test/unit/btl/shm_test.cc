// SPDX-License-Identifier: BSD-3-Clause
// Shared memory between two processes, and where single copy is forbidden.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "btl/shm/transport.h"
#include "ompi_lite/base/wait.h"

namespace ompi_lite::btl::shm {
namespace {

constexpr PeerId kPeers[] = {0, 1};

struct Collector final : Receiver {
  void on_frame(PeerId, std::span<const std::byte> frame) override {
    bytes += frame.size();
    for (std::byte b : frame) wrong += b != static_cast<std::byte>(frames & 0xff);
    ++frames;
    last.assign(frame.begin(), frame.end());
  }
  void on_lost(PeerId, Error) override { ++wrong; }
  std::uint64_t frames = 0, bytes = 0, wrong = 0;
  std::vector<std::byte> last;
};

// One rank, in a process of its own.
struct Side {
  Side(os::Fd file, int me) : segment(join(std::move(file), me)), waiter(segment.self().bell) {
    Setup setup{.self = me, .segment = &segment, .local_peers = kPeers};
    transport = std::make_unique<ShmTransport>(setup);
    ShmAddress there{segment.id(), 1 - me, 0};
    auto endpoint = transport->connect(1 - me, std::as_bytes(std::span(&there, 1)));
    if (!endpoint) _exit(10);
    peer = std::move(endpoint).value();
    waiter.set_policy({segment.crowded()});
  }
  static Segment join(os::Fd file, int me) {
    auto segment = Segment::attach(std::move(file), me, 2);
    if (!segment || segment->wait_for_all(5000)) _exit(11);
    return std::move(segment).value();
  }
  void send(std::span<const std::byte> bytes) {
    while (peer->try_send(bytes, {}) != Sent::yes) {
      if (!transport->progress(collector)) waiter.relax();
    }
  }
  void wait_for_frames(std::uint64_t wanted) {
    waiter.until([&] { return collector.frames >= wanted; }, [&] { return transport->progress(collector); });
  }

  Segment segment;
  Waiter waiter;
  std::unique_ptr<ShmTransport> transport;
  std::unique_ptr<Endpoint> peer;
  Collector collector;
};

// Runs one function in each of two processes; true if the child's answers true.
template <class First, class Second>
bool in_two_processes(First first, Second second) {
  auto file = os::create_memory_file("shm_test", 0);
  REQUIRE(file);
  pid_t child = fork();
  if (child == 0) {
    bool good;
    {
      Side side(std::move(file).value(), 1);
      good = second(side);
    }
    _exit(good ? 0 : 1);
  }
  {
    Side side(std::move(file).value(), 0);
    CHECK(first(side));
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_CASE("two processes exchange frames of all sizes, and sleep meanwhile", "[btl]") {
  auto exchange = [](Side& side) {
    std::vector<std::byte> data(side.transport->info().max_frame);
    std::uint64_t sent = 0;
    for (std::size_t bytes = 1; bytes <= data.size(); bytes = bytes * 3 / 2 + 1) {
      for (int i = 0; i < 40; ++i, ++sent) {
        std::fill_n(data.begin(), bytes, static_cast<std::byte>(sent & 0xff));
        side.send({data.data(), bytes});
      }
      if (side.segment.local_rank() == 0 && bytes % 5 == 0) usleep(3000);  // the other falls asleep
      side.wait_for_frames(sent);
    }
    return side.collector.frames == sent && side.collector.wrong == 0;
  };
  CHECK(in_two_processes(exchange, exchange));
}

struct Done : Completion {
  Done()
      : Completion{[](Completion& self, Error outcome) {
          static_cast<Done&>(self).result = outcome, ++static_cast<Done&>(self).calls;
        }} {}
  Error result;
  int calls = 0;
};

std::uint64_t address_from(const Collector& collector) {
  std::uint64_t address;
  std::memcpy(&address, collector.last.data(), sizeof address);
  return address;
}

bool send_address_and_wait(Side& side, const std::vector<std::byte>& data) {
  auto address = reinterpret_cast<std::uint64_t>(data.data());
  side.send(std::as_bytes(std::span(&address, 1)));
  side.wait_for_frames(1);
  return true;
}

TEST_CASE("get reads the other process", "[btl]") {
  auto reader = [](Side& side) {
    side.wait_for_frames(1);
    std::vector<std::byte> here(5 << 20);
    Done done;
    Error refused = side.peer->get({address_from(side.collector), here.size(), 0}, {here.data(), here.size()}, done);
    if (refused) WARN("get is refused on this machine");
    bool right = refused ? done.calls == 0
                         : done.calls == 1 && !done.result &&
                               std::all_of(here.begin(), here.end(), [](std::byte b) { return b == std::byte{9}; });
    std::byte end{};
    side.send({&end, 1});
    return right;
  };
  auto owner = [](Side& side) {
    std::vector<std::byte> data(5 << 20, std::byte{9});
    return send_address_and_wait(side, data);
  };
  CHECK(in_two_processes(reader, owner));
}

// From here on process_vm_readv answers with the error in this process.
bool forbid_reading(unsigned error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("where reading is forbidden get says so, again and again, and nothing else breaks", "[btl]") {
  unsigned error = GENERATE(static_cast<unsigned>(EPERM), static_cast<unsigned>(ENOSYS));
  auto owner = [](Side& side) {
    std::vector<std::byte> data(100000, std::byte{9});
    return send_address_and_wait(side, data);
  };
  auto reader = [error](Side& side) {
    if (!forbid_reading(error)) _exit(0);  // nothing to test with
    side.wait_for_frames(1);
    std::vector<std::byte> here(100000);
    Done done;
    bool right = true;
    for (int i = 0; i < 3; ++i) {
      Error refused = side.peer->get({address_from(side.collector), here.size(), 0}, {here.data(), here.size()}, done);
      right &= refused.error_class() == ErrorClass::unsupported_operation;
    }
    std::byte end{};
    side.send({&end, 1});
    return right && done.calls == 0;
  };
  CHECK(in_two_processes(owner, reader));
}

TEST_CASE("the memory of a node is bounded whatever its ranks do", "[btl]") {
  for (int ranks : {1, 2, 4, 8, 32, 64, 128, 512}) {
    Sizes sizes = sizes_for(ranks);
    auto pairs = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(std::max(1, ranks - 1));
    CHECK(sizes.bulk * pairs <= 256u << 20);
    CHECK(sizes.hot >= 16384);
    if (ranks <= 8) CHECK(sizes.bulk >= 1 << 20);
  }
}

TEST_CASE("an area of bytes never hands out what is still in use", "[btl]") {
  ByteArea area{.offset = 4096, .size = 1024};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_use;  // place and head behind it
  std::vector<std::uint64_t> lengths;
  std::uint32_t random = 1;
  int refused = 0, overlaps = 0, outside = 0;
  for (int i = 0; i < 20000; ++i) {
    random = random * 1664525 + 1013904223;
    std::uint64_t bytes = ((random >> 16) % 8 + 1) * 128;
    std::uint64_t at = 0;
    if (!area.place(bytes, at)) {
      ++refused;
      REQUIRE(!in_use.empty());  // an empty area takes anything that fits
      area.tail = in_use.front().second;
      in_use.erase(in_use.begin());
      lengths.erase(lengths.begin());
      continue;
    }
    outside += at < 4096 || at + bytes > 4096 + 1024;
    for (std::size_t k = 0; k < in_use.size(); ++k)
      overlaps += at < in_use[k].first + lengths[k] && in_use[k].first < at + bytes;
    in_use.emplace_back(at, area.head);
    lengths.push_back(bytes);
  }
  CHECK(refused > 100);
  CHECK(overlaps == 0);
  CHECK(outside == 0);
}

}  // namespace
}  // namespace ompi_lite::btl::shm
