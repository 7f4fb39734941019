// SPDX-License-Identifier: BSD-3-Clause
// Reads program headers and the dynamic section of an ELF file (System V ABI, chapter 5).
#include "launcher/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "ompi_lite/base/os.h"

namespace ompi_lite::launcher {
namespace {

constexpr std::size_t kMostParts = 256;
constexpr std::size_t kMostEntries = 4096;  // of the dynamic section
constexpr std::size_t kLongestName = 4096;

class Reader {
 public:
  explicit Reader(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  // As many as there are, and no more than asked for.
  template <class T>
  std::vector<T> array(std::uint64_t at, std::size_t count) const {
    std::vector<T> items(count);
    items.resize(bytes(at, items.data(), count * sizeof(T)) / sizeof(T));
    return items;
  }

  // Up to the zero that ends it; empty if none comes.
  std::string text(std::uint64_t at, std::size_t most) const {
    std::string found(std::min(most, kLongestName), '\0');
    found.resize(bytes(at, found.data(), found.size()));
    const std::size_t end = found.find('\0');
    return end == std::string::npos ? std::string() : found.substr(0, end);
  }

 private:
  std::size_t bytes(std::uint64_t at, void* to, std::size_t most) const {
    if (!fd_ || at > static_cast<std::uint64_t>(INT64_MAX)) return 0;
    const ssize_t got = pread(fd_.get(), to, most, static_cast<off_t>(at));
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  os::Fd fd_;
};

// Where in the file an address of the loaded program lies.
std::optional<std::uint64_t> place_of(std::uint64_t address, const std::vector<Elf64_Phdr>& parts) {
  for (const Elf64_Phdr& part : parts)
    if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
      return part.p_offset + (address - part.p_vaddr);
  return std::nullopt;
}

std::vector<std::string> needed_libraries(const Reader& file, const std::vector<Elf64_Phdr>& parts, const Elf64_Phdr& part) {
  std::uint64_t names = 0, names_bytes = 0;
  std::vector<std::uint64_t> needed;
  for (const Elf64_Dyn& entry :
       file.array<Elf64_Dyn>(part.p_offset, std::min<std::size_t>(part.p_filesz / sizeof(Elf64_Dyn), kMostEntries))) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) names_bytes = entry.d_un.d_val;
  }
  std::vector<std::string> libraries;
  const std::optional<std::uint64_t> table = place_of(names, parts);
  if (!table) return libraries;
  for (const std::uint64_t at : needed)
    if (at < names_bytes) libraries.push_back(file.text(*table + at, names_bytes - at));
  return libraries;
}

}  // namespace

ElfFile read_elf(const std::string& path) {
  const Reader file(path);
  ElfFile found;
  const std::vector<Elf64_Ehdr> headers = file.array<Elf64_Ehdr>(0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_phentsize != sizeof(Elf64_Phdr)) {
    return found;
  }
  const std::vector<Elf64_Phdr> parts =
      file.array<Elf64_Phdr>(headers[0].e_phoff, std::min<std::size_t>(headers[0].e_phnum, kMostParts));
  for (const Elf64_Phdr& part : parts) {
    if (part.p_type == PT_INTERP) found.loader = file.text(part.p_offset, part.p_filesz);
    if (part.p_type == PT_DYNAMIC) found.needed = needed_libraries(file, parts, part);
  }
  return found;
}

std::string other_mpi(const ElfFile& file) {
  std::string found;
  for (const std::string_view library : file.needed) {
    if (library.starts_with("libmpi_abi.so.")) return {};  // ours, or at run time ours
    const char* owner = nullptr;
    if (library.starts_with("libmpich.so.") || library == "libmpi.so.12")
      owner = "MPICH or one of its kin";
    else if (library.starts_with("libmpi.so."))
      owner = "Open MPI";
    if (owner != nullptr && found.empty()) found = std::string(library) + " (" + owner + ")";
  }
  return found;
}

}  // namespace ompi_lite::launcher
