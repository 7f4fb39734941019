// SPDX-License-Identifier: BSD-3-Clause
// Linux behind the names of os_addresses.h.
#include "ompi_lite/base/os_addresses.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

namespace ompi_lite::os {
namespace {

// The first object is the program itself. Gives the lowest address of its data.
int find_program(dl_phdr_info* info, std::size_t, void* result) {
  std::uintptr_t begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type == PT_LOAD) begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + part.p_vaddr);
  }
  *static_cast<std::uintptr_t*>(result) = begin;
  return 1;
}

// The file's name lies at the upper end of the stack; within the limit its lower end may not grow into other mappings.
OwnAddresses look_up() {
  constexpr std::uintptr_t kUsual = 8 << 20;
  OwnAddresses own;
  dl_iterate_phdr(find_program, &own.program_begin);
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const std::uintptr_t room = known ? std::min<std::uintptr_t>(limit.rlim_cur, kUsual) : kUsual;
  own.stack_end = getauxval(AT_EXECFN);
  own.stack_begin = own.stack_end > room ? own.stack_end - room : own.stack_end;
  return own;
}

}  // namespace

OwnAddresses own_addresses() {
  static const OwnAddresses fixed = look_up();
  OwnAddresses own = fixed;
  own.heap_end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  // So far apart there may be something in between.
  constexpr std::uintptr_t kFarthest = std::uintptr_t{1} << 36;
  if (own.heap_end - own.program_begin > kFarthest) own.program_begin = own.heap_end;
  return own;
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool is_readable(const void* address) {
  char byte;
  const iovec local{&byte, 1}, remote{const_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

bool exists(const char* path) { return access(path, F_OK) == 0; }

bool is_loaded(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

std::string folder_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

}  // namespace ompi_lite::os
