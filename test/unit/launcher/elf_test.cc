// SPDX-License-Identifier: BSD-3-Clause
// What is read out of executables, whole and damaged.
#include "launcher/elf.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace ompi_lite::launcher {
namespace {

std::string own_bytes() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("an executable names its loader and its libraries", "[launcher]") {
  const ElfFile self = read_elf("/proc/self/exe");
  CHECK(access(self.loader.c_str(), X_OK) == 0);
  CHECK(std::ranges::any_of(self.needed, [](const std::string& name) { return name.starts_with("libc.so."); }));
  CHECK(other_mpi(self).empty());
  CHECK(read_elf("/etc/passwd").needed.empty());
  CHECK(read_elf("/not/there").needed.empty());
}

TEST_CASE("another MPI is known by its library, unless ours is there too", "[launcher]") {
  CHECK(other_mpi({"", {"libc.so.6", "libmpi.so.40"}}) == "libmpi.so.40 (Open MPI)");
  CHECK(other_mpi({"", {"libmpich.so.12"}}) == "libmpich.so.12 (MPICH or one of its kin)");
  CHECK(other_mpi({"", {"libmpi.so.12", "libm.so.6"}}) == "libmpi.so.12 (MPICH or one of its kin)");
  CHECK(other_mpi({"", {"libmpi_abi.so.1", "libmpi.so.40"}}).empty());
  CHECK(other_mpi({"", {"libmpi_abi.so.1"}}).empty());
  CHECK(other_mpi({"", {"libmpip.so"}}).empty());
}

TEST_CASE("damaged executables are read as far as they go", "[launcher]") {
  const std::string whole = own_bytes();
  char name[] = "/tmp/elf_test.XXXXXX";
  const int fd = mkstemp(name);
  REQUIRE(fd >= 0);
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole.substr(0, 65536);
    for (int k = 0; k < 6; ++k) bytes[random() % (i % 2 == 0 ? 1024 : bytes.size())] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    REQUIRE(ftruncate(fd, 0) == 0);
    REQUIRE(pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    const ElfFile found = read_elf(name);
    REQUIRE(found.needed.size() <= 4096);
  }
  close(fd);
  unlink(name);
}

}  // namespace ompi_lite::launcher
