// SPDX-License-Identifier: BSD-3-Clause
// The node's segment: what ranks see of each other, memory taken and given back, and no SIGBUS when there is no room.
#include "ompi_lite/base/segment.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ompi_lite/base/locality.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite {
namespace {

Segment must(Result<Segment> segment) {
  if (!segment) FAIL(segment.error().sentence());
  return std::move(segment).value();
}

std::uint64_t must_take(Segment& segment, std::uint64_t bytes) {
  auto offset = segment.take(bytes);
  if (!offset) FAIL(offset.error().sentence());
  return *offset;
}

TEST_CASE("ranks of one segment see the same memory at the same offset", "[base]") {
  Segment a = must(Segment::create(0, 3));
  Segment b = must(Segment::attach_path(a.path(), 2, 3));
  CHECK(a.id() == b.id());
  CHECK(a.rank(2).state.load() == RankState::here);
  CHECK(a.rank(1).state.load() == RankState::absent);
  std::uint64_t offset = must_take(a, 10000);
  CHECK(offset % 4096 == 0);
  std::memset(a.at(offset), 7, 10000);
  CHECK(b.at(offset)[9999] == std::byte{7});
  b.pair_word(2, 0).store(99);
  CHECK(a.pair_word(2, 0).load() == 99);
  CHECK(a.pair_word(0, 2).load() == 0);
  CHECK(a.wait_for_all(1));  // rank 1 is missing
  Segment c = must(Segment::attach_path(a.path(), 1, 3));
  CHECK(!a.wait_for_all(1000));
}

TEST_CASE("two processes share a segment that one inherits", "[base]") {
  auto file = os::create_memory_file("segment_test", 0);
  REQUIRE(file);
  pid_t child = fork();
  if (child == 0) {
    auto mine = Segment::attach(std::move(file).value(), 1, 2);
    if (!mine || mine->wait_for_all(5000)) _exit(1);
    auto offset = mine->take(100);
    if (!offset) _exit(2);
    std::memcpy(mine->at(*offset), "hello", 6);
    mine->pair_word(1, 0).store(*offset);
    while (mine->pair_word(0, 1).load() == 0) usleep(100);
    _exit(0);
  }
  Segment mine = must(Segment::attach(std::move(file).value(), 0, 2));
  REQUIRE(!mine.wait_for_all(5000));
  CHECK(mine.rank(1).pid == child);
  while (mine.pair_word(1, 0).load() == 0) usleep(100);
  CHECK(std::string(reinterpret_cast<const char*>(mine.at(mine.pair_word(1, 0).load()))) == "hello");
  mine.pair_word(0, 1).store(1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a local rank can be taken once, and again when its holder has left", "[base]") {
  Segment a = must(Segment::create(0, 2));
  {
    Segment b = must(Segment::attach_path(a.path(), 1, 2));
    CHECK(!Segment::attach_path(a.path(), 1, 2));
    CHECK(!Segment::attach_path(a.path(), 1, 3));  // another idea of the size
  }
  CHECK(a.rank(1).state.load() == RankState::left);
  Segment again = must(Segment::attach_path(a.path(), 1, 2));
  CHECK(a.rank(1).state.load() == RankState::here);
}

TEST_CASE("memory given back is taken again, and reads as zeros", "[base]") {
  Segment segment = must(Segment::create(0, 1));
  for (std::uint64_t bytes : {1u, 4096u, 5000u, 100000u, 3u << 20}) {
    std::uint64_t first = must_take(segment, bytes);
    std::uint64_t second = must_take(segment, bytes);
    CHECK(second >= first + bytes);
    std::memset(segment.at(first), 0xff, bytes);
    std::memset(segment.at(second), 0xff, bytes);
    segment.give_back(first, bytes);
    segment.give_back(second, bytes);
    std::set<std::uint64_t> again{must_take(segment, bytes), must_take(segment, bytes)};
    CHECK(again == std::set<std::uint64_t>{first, second});
    CHECK(std::all_of(segment.at(first), segment.at(first) + bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST_CASE("threads take memory at the same time without overlap", "[base]") {
  Segment segment = must(Segment::create(0, 1));
  std::vector<std::uint64_t> offsets[4];
  std::vector<std::thread> threads;
  for (auto& mine : offsets) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        auto offset = segment.take(8192);
        if (offset) mine.push_back(*offset);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (auto& mine : offsets) all.insert(mine.begin(), mine.end());
  CHECK(all.size() == 200);
}

TEST_CASE("what can never fit is refused with both numbers", "[base]") {
  Segment segment = must(Segment::create(0, 1));
  auto much = segment.take(std::uint64_t{1} << 50);
  REQUIRE(!much);
  CHECK(much.error().error_class() == ErrorClass::no_mem);
  CHECK(std::string(much.error().sentence()).find("have") != std::string::npos);
}

TEST_CASE("a folder without room gives a message, not a signal", "[base]") {
  char folder[] = "/dev/shm/segment_test-XXXXXX";
  if (!mkdtemp(folder)) return;
  if (mount("none", folder, "tmpfs", 0, "size=1m") != 0) {
    rmdir(folder);
    WARN("no right to mount: not tested");
    return;
  }
  {
    Segment segment = must(Segment::create(0, 2, folder));
    std::uint64_t small = must_take(segment, 300000);
    std::memset(segment.at(small), 1, 300000);
    auto much = segment.take(2 << 20);
    REQUIRE(!much);
    std::string text = much.error().sentence();
    CHECK(text.find("have") != std::string::npos);
    CHECK(text.find("need 2097152") != std::string::npos);
    must_take(segment, 200000);  // what there is can still be used
  }
  umount(folder);
  rmdir(folder);
}

TEST_CASE("a file for shared memory leaves nothing behind", "[base]") {
  char folder[] = "/tmp/segment_test-XXXXXX";
  REQUIRE(mkdtemp(folder));
  { Segment segment = must(Segment::create(0, 1, folder)); }
  CHECK(rmdir(folder) == 0);
  CHECK(!Segment::create(0, 1, "/no/such/folder"));
}

TEST_CASE("a descriptor that is none is named", "[base]") {
  setenv("OMPI_LITE_NODE_FD", "987", 1);
  auto segment = Segment::open(0, 1);
  REQUIRE(!segment);
  CHECK(std::string(segment.error().sentence()).find("987") != std::string::npos);
  unsetenv("OMPI_LITE_NODE_FD");
  CHECK(Segment::open(0, 1));
}

TEST_CASE("a node is crowded when it has more ranks than processors", "[base]") {
  int cpus = os::affinity().count();
  Segment one = must(Segment::create(0, 1));
  CHECK(!one.crowded());
  Segment many = must(Segment::create(0, cpus + 1));
  CHECK(many.crowded());
}

TEST_CASE("the machine is described", "[base]") {
  auto locality = Locality::load();
  REQUIRE(locality);
  CHECK(locality->cores() >= 1);
  CHECK(usable_cpus() >= 1);
  CHECK(usable_cpus() <= os::affinity().count());
  os::CpuMask first;
  for (int i = 0; i < 1024 && first.count() == 0; ++i) {
    if (os::affinity().words[i / 64] >> (i % 64) & 1) first.words[i / 64] = std::uint64_t{1} << (i % 64);
  }
  CHECK(locality->distance(first, first) == Distance::same_core);
  CHECK(locality->distance(first, os::affinity()) <= Distance::same_node);
  CHECK(getenv("HWLOC_PLUGINS_PATH") == nullptr);
}

}  // namespace
}  // namespace ompi_lite
