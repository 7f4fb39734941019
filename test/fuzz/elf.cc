// SPDX-License-Identifier: BSD-3-Clause
// The programs that mpirun looks into before it starts them.
#include "launcher/elf.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

// An executable with all that the reader looks for, in as few bytes as go.
struct Small {
  Elf64_Ehdr head;
  Elf64_Phdr parts[3];
  Elf64_Dyn entries[4];
  char names[32];
};

Small small_program() {
  constexpr std::uint64_t kLoaded = 0x400000;
  Small made{};
  std::memcpy(made.head.e_ident, ELFMAG, SELFMAG);
  made.head.e_ident[EI_CLASS] = ELFCLASS64;
  made.head.e_phentsize = sizeof(Elf64_Phdr);
  made.head.e_phnum = 3;
  made.head.e_phoff = offsetof(Small, parts);
  made.parts[0] = {PT_LOAD, 0, 0, kLoaded, 0, sizeof(Small), sizeof(Small), 0};
  made.parts[1] = {PT_INTERP, 0, offsetof(Small, names), 0, 0, 7, 7, 0};
  made.parts[2] = {PT_DYNAMIC, 0, offsetof(Small, entries), 0, 0, sizeof made.entries, sizeof made.entries, 0};
  made.entries[0] = {DT_STRTAB, {kLoaded + offsetof(Small, names)}};
  made.entries[1] = {DT_STRSZ, {sizeof made.names}};
  made.entries[2] = {DT_NEEDED, {7}};
  std::memcpy(made.names, "/ld.so\0libmpi.so.40", 20);
  return made;
}

}  // namespace

// The first byte says whether the rest is the whole file or changes a good one, in groups of a place and a value.
void fuzz_elf(std::span<const std::byte> input) {
  if (input.empty()) return;
  const bool whole = input[0] == std::byte{0};
  input = input.subspan(1);
  Small made = small_program();
  std::span<const std::byte> bytes = std::as_bytes(std::span(&made, 1));
  if (whole) {
    bytes = input;
  } else {
    for (; input.size() >= 3; input = input.subspan(3)) {
      const std::size_t at = std::to_integer<std::size_t>(input[0]) << 8 | std::to_integer<std::size_t>(input[1]);
      reinterpret_cast<std::byte*>(&made)[at % sizeof made] = input[2];
    }
  }
  const os::Fd file(memfd_create("program", MFD_CLOEXEC));
  OL_CHECK(file, errno);
  OL_CHECK(write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), errno);
  const launcher::ElfFile found = launcher::read_elf("/proc/self/fd/" + std::to_string(file.get()));
  OL_CHECK(found.loader.find('\0') == std::string::npos, found.loader.size());
  static_cast<void>(launcher::other_mpi(found));
}

}  // namespace ompi_lite::test
