// SPDX-License-Identifier: BSD-3-Clause
// What is known of addresses without any driver.
#include "ompi_lite/device/device_set.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "ompi_lite/base/os_addresses.h"

namespace ompi_lite::device {
namespace {

int in_data = 1;

TEST_CASE("the program's own data, heap and stack are found among its addresses", "[device]") {
  const void* on_stack = __builtin_frame_address(0);  // a sanitizer may put a variable elsewhere
  const auto* const on_heap = static_cast<const char*>(sbrk(16));  // allocators may use other memory
  const os::OwnAddresses own = os::own_addresses();
  const auto among = [](const void* address, std::uintptr_t begin, std::uintptr_t end) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at < end;
  };
  CHECK(among(&in_data, own.program_begin, own.heap_end));
  CHECK(among(on_heap, own.program_begin, own.heap_end));
  CHECK(among(on_stack, own.stack_begin, own.stack_end));
  void* elsewhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK_FALSE(among(elsewhere, own.program_begin, own.heap_end));
  CHECK_FALSE(among(elsewhere, own.stack_begin, own.stack_end));
  CHECK_FALSE(os::is_readable(elsewhere));
  CHECK(os::is_readable(&in_data));
  munmap(elsewhere, 4096);
}

TEST_CASE("without a plugin nobody watches and all is host memory", "[device]") {
  CHECK_FALSE(watching());
  CHECK(locate(&in_data).space() == MemorySpace::host);
  CHECK_FALSE(locate(&in_data).out_of_reach());
  CHECK(operations() == nullptr);
}

TEST_CASE("bounce memory is used again", "[device]") {
  std::byte* first = nullptr;
  {
    Bounce one = Bounce::take(100000, {});
    REQUIRE(one.data() != nullptr);
    std::memset(one.data(), 1, 100000);
    first = one.data();
  }
  Bounce again = Bounce::take(90000, {});
  CHECK(again.data() == first);
  const Bounce other = Bounce::take(90000, {});
  CHECK(other.data() != first);
}

TEST_CASE("of reserved bounce memory only what is named can be used", "[device]") {
  Bounce far = Bounce::reserve(std::size_t{1} << 40);
  REQUIRE(far.data() != nullptr);
  std::byte* there = far.data() + (std::size_t{1} << 39) + 5000;
  REQUIRE(far.make_usable(there, 6000));
  std::memset(there, 1, 6000);
  CHECK_FALSE(os::is_readable(far.data()));
}

}  // namespace
}  // namespace ompi_lite::device
