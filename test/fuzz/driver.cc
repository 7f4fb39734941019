// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's entry point; the environment names the target.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/fuzz/targets.h"

namespace {

struct Target {
  const char* name;
  void (*play)(std::span<const std::byte>);
};
constexpr Target kTargets[] = {
    {"pml_frames", ompi_lite::test::fuzz_pml_frames},       {"pml_copies", ompi_lite::test::fuzz_pml_copies},
    {"tcp_stream", ompi_lite::test::fuzz_tcp_stream},       {"addresses", ompi_lite::test::fuzz_addresses},
    {"flight_record", ompi_lite::test::fuzz_flight_record}, {"elf", ompi_lite::test::fuzz_elf},
    {"command_line", ompi_lite::test::fuzz_command_line},   {"knob_file", ompi_lite::test::fuzz_knob_file},
    {"host_file", ompi_lite::test::fuzz_host_file},         {"launcher_messages", ompi_lite::test::fuzz_launcher_messages}};
const Target* chosen;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* wanted = std::getenv("FUZZ_TARGET");
  for (const Target& target : kTargets)
    if (wanted != nullptr && std::strcmp(target.name, wanted) == 0) chosen = &target;
  if (chosen != nullptr) return 0;
  std::fputs("FUZZ_TARGET must name one of:", stderr);
  for (const Target& target : kTargets) std::fprintf(stderr, " %s", target.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen->play({reinterpret_cast<const std::byte*>(bytes), size});
  return 0;
}
