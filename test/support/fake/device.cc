// SPDX-License-Identifier: BSD-3-Clause
// Pretended device memory.
#include "test/support/fake/device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace fake {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t rounded(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage + (bytes == 0 ? kPage : 0); }

}  // namespace

const Allocation* Memory::holding(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto found = by_end_.upper_bound(at);
  if (found == by_end_.end() || at < reinterpret_cast<std::uintptr_t>(found->second.shown)) return nullptr;
  return &found->second;
}

char* Memory::allocate(Kind kind, std::size_t bytes, int device, void* context, bool pooled) {
  const std::lock_guard guard(lock_);
  if (kind != Kind::host && used_ + bytes > room) return nullptr;
  Allocation made;
  made.bytes = bytes;
  made.mapped = rounded(bytes);
  made.kind = kind;
  made.device = device;
  made.context = pooled ? nullptr : context;
  made.pooled = pooled;
  made.fd = memfd_create("fake device memory", MFD_CLOEXEC);
  if (made.fd < 0 || ftruncate(made.fd, static_cast<off_t>(made.mapped)) != 0) return nullptr;
  char* again = nullptr;
  if (const auto free_one = free_addresses_.find(made.mapped); free_one != free_addresses_.end()) {
    again = free_one->second;
    free_addresses_.erase(free_one);
  }
  const int access = kind == Kind::device ? PROT_NONE : PROT_READ | PROT_WRITE;
  made.shown =
      static_cast<char*>(mmap(again, made.mapped, access, MAP_SHARED | (again != nullptr ? MAP_FIXED : 0), made.fd, 0));
  made.inside = static_cast<char*>(mmap(nullptr, made.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, made.fd, 0));
  std::memset(made.inside, 0xa5, made.mapped);  // never zeros by luck
  made.id = next_id_++;
  if (kind != Kind::host) used_ += bytes;
  by_end_[reinterpret_cast<std::uintptr_t>(made.shown) + made.mapped] = made;
  return made.shown;
}

char* Memory::import(int fd, std::size_t bytes, int device, void* context) {
  const std::lock_guard guard(lock_);
  Allocation made;
  made.bytes = bytes;
  made.mapped = rounded(bytes);
  made.kind = Kind::imported;
  made.device = device;
  made.context = context;
  made.fd = fd;
  made.shown = static_cast<char*>(mmap(nullptr, made.mapped, PROT_NONE, MAP_SHARED, fd, 0));
  made.inside = static_cast<char*>(mmap(nullptr, made.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  made.id = next_id_++;
  by_end_[reinterpret_cast<std::uintptr_t>(made.shown) + made.mapped] = made;
  return made.shown;
}

bool Memory::add_registered(char* address, std::size_t bytes, void* context) {
  const std::lock_guard guard(lock_);
  if (holding(address) != nullptr || holding(address + bytes - 1) != nullptr) return false;
  Allocation made;
  made.shown = made.inside = address;
  made.bytes = made.mapped = bytes;
  made.context = context;
  made.registered = true;
  made.id = next_id_++;
  by_end_[reinterpret_cast<std::uintptr_t>(address) + bytes] = made;
  return true;
}

bool Memory::free(void* address, Kind kind, bool registered) {
  const std::lock_guard guard(lock_);
  const Allocation* found = holding(address);
  if (found == nullptr || found->shown != address || found->registered != registered) return false;
  const bool fits = found->kind == kind || (kind == Kind::device && found->kind == Kind::managed);
  if (!fits) return false;
  if (!registered) {
    munmap(found->inside, found->mapped);
    // Nobody else may map something here: the address waits for the next allocation of this size.
    mmap(found->shown, found->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    free_addresses_.emplace(found->mapped, found->shown);
    close(found->fd);
    if (found->kind == Kind::device || found->kind == Kind::managed) used_ -= found->bytes;
  }
  by_end_.erase(reinterpret_cast<std::uintptr_t>(found->shown) + found->mapped);
  return true;
}

bool Memory::find(const void* address, Allocation& found) const {
  const std::lock_guard guard(lock_);
  const Allocation* holder = holding(address);
  if (holder == nullptr) return false;
  found = *holder;
  return true;
}

char* Memory::reach(const void* address, std::size_t bytes) const {
  const std::lock_guard guard(lock_);
  auto* program = static_cast<char*>(const_cast<void*>(address));
  const Allocation* holder = holding(address);
  if (holder == nullptr) return program;
  const auto offset = static_cast<std::size_t>(program - holder->shown);
  const std::size_t end = holder->registered ? holder->mapped : holder->bytes;
  if (!holder->registered && (offset > end || bytes > end - offset)) return nullptr;
  return holder->inside + offset;
}

}  // namespace fake
