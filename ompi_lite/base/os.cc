// SPDX-License-Identifier: BSD-3-Clause
// Linux behind the names of os.h.
#include "ompi_lite/base/os.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::os {

void Fd::reset() {
  if (fd_ >= 0) close(fd_);  // not repeated on EINTR: Linux has closed it by then
  fd_ = -1;
}

Mapping::~Mapping() {
  if (address_) munmap(address_, bytes_);
}

Result<Mapping> map_shared(int fd, std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (address == MAP_FAILED) {
    return make_error(ErrorClass::no_mem, "mapping %zu bytes of shared memory: %s", bytes, strerror(errno));
  }
  madvise(address, bytes, MADV_DONTDUMP);  // mostly holes; a core file must not be as large
  return Mapping(address, bytes);
}

Result<Mapping> map_anonymous(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    return make_error(ErrorClass::no_mem, "mapping %zu bytes: %s", bytes, strerror(errno));
  }
  return Mapping(address, bytes);
}

void* reserve_addresses(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address != MAP_FAILED ? address : nullptr;
}

bool make_usable(void* address, std::size_t bytes) { return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0; }

bool is_mapped(const void* address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1)), 1, &resident) == 0;
}

Error reserve_space(int fd, std::int64_t offset, std::int64_t bytes, const char* name) {
  int rc;
  do {
    rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, bytes);
  } while (rc < 0 && errno == EINTR);
  if (rc == 0) return {};
  int why = errno;
  struct statfs room {};
  if (why == ENOSPC && fstatfs(fd, &room) == 0 && room.f_blocks != 0) {
    return make_error(ErrorClass::no_mem, "%s: have %lld bytes, need %lld", name,
                      static_cast<long long>(room.f_bavail) * static_cast<long long>(room.f_bsize),
                      static_cast<long long>(bytes));
  }
  return make_error(ErrorClass::no_mem, "%s: reserving %lld bytes: %s", name, static_cast<long long>(bytes), strerror(why));
}

void release_space(int fd, std::int64_t offset, std::int64_t bytes) {
  if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes) != 0) {
    OL_LOG(debug, "giving back %lld bytes of shared memory: %s", static_cast<long long>(bytes), strerror(errno));
  }
}

Result<Fd> create_memory_file(const char* name, std::int64_t bytes) {
  Fd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd) return make_error(ErrorClass::no_mem, "creating a memory file: %s", strerror(errno));
  if (bytes > 0 && ftruncate(fd.get(), bytes) != 0) {
    return make_error(ErrorClass::no_mem, "sizing a memory file to %lld bytes: %s", static_cast<long long>(bytes),
                      strerror(errno));
  }
  return fd;
}

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t at_most_ns) {
  timespec t{at_most_ns / 1'000'000'000, static_cast<long>(at_most_ns % 1'000'000'000)};
  // Every way back (woken, word changed, time over, signal) sends the caller to look again: the result is of no use.
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &t, nullptr, 0);
}

void futex_wake_all(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool register_remote_fence() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0; }

void remote_fence() { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0); }

std::int64_t read_process(pid_t pid, void* to, const void* from, std::size_t bytes) {
  iovec local{to, bytes};
  iovec remote{const_cast<void*>(from), bytes};
  ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return n < 0 ? -errno : n;
}

std::int64_t write_process(pid_t pid, void* to, const void* from, std::size_t bytes) {
  iovec local{const_cast<void*>(from), bytes};
  iovec remote{to, bytes};
  ssize_t n = process_vm_writev(pid, &local, 1, &remote, 1, 0);
  return n < 0 ? -errno : n;
}

void allow_readers() { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

int CpuMask::count() const {
  int n = 0;
  for (std::uint64_t word : words) n += __builtin_popcountll(word);
  return n;
}

bool CpuMask::intersects(const CpuMask& other) const {
  for (int i = 0; i < 16; ++i) {
    if (words[i] & other.words[i]) return true;
  }
  return false;
}

void CpuMask::add(const CpuMask& other) {
  for (int i = 0; i < 16; ++i) words[i] |= other.words[i];
}

CpuMask affinity() {
  CpuMask mask;
  static_assert(sizeof(mask.words) == sizeof(cpu_set_t));
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    std::memcpy(mask.words, &set, sizeof set);
  } else {  // more than 1024 processors: none of our counts needs to know them apart
    std::memset(mask.words, 0xff, sizeof mask.words);
  }
  return mask;
}

namespace {

// First numbers of a small file; "max" reads as -1.
bool read_numbers(const char* path, double* numbers, int wanted) {
  FILE* file = fopen(path, "re");
  if (!file) return false;
  int got = 0;
  char word[64];
  while (got < wanted && fscanf(file, "%63s", word) == 1) numbers[got++] = std::strcmp(word, "max") == 0 ? -1 : atof(word);
  fclose(file);
  return got == wanted;
}

double group_quota(const char* root, const char* group, bool v2) {
  char path[1024];
  double numbers[2];
  if (v2) {
    snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
    return read_numbers(path, numbers, 2) && numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
  }
  snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", root, group);
  if (!read_numbers(path, &numbers[0], 1) || numbers[0] <= 0) return 0;
  snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group);
  return read_numbers(path, &numbers[1], 1) && numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
}

// The tightest limit from the group up to the root: each one on the way binds.
double tightest_quota(const char* root, char* group, bool v2) {
  double least = 0;
  for (;;) {
    double quota = group_quota(root, group, v2);
    if (quota > 0 && (least <= 0 || quota < least)) least = quota;
    char* slash = std::strrchr(group, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

}  // namespace

double cgroup_cpu_quota() {
  FILE* file = fopen("/proc/self/cgroup", "re");
  if (!file) return 0;
  double least = 0;
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    line[std::strcspn(line, "\n")] = '\0';
    char* controllers = std::strchr(line, ':');
    char* group = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!group) continue;
    *controllers++ = '\0';
    *group++ = '\0';
    double quota = 0;
    if (*controllers == '\0') {
      quota = tightest_quota("/sys/fs/cgroup", group, true);
    } else if (std::strcmp(controllers, "cpu") == 0 || std::strncmp(controllers, "cpu,", 4) == 0) {
      quota = tightest_quota("/sys/fs/cgroup/cpu", group, false);  // a link or mount whatever the other controllers are
    }
    if (quota > 0 && (least <= 0 || quota < least)) least = quota;
  }
  fclose(file);
  return least;
}

std::int64_t cache_bytes(int level) {
  long bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? bytes : 0;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name[0] ? name : "localhost";
}

Library::~Library() {
  if (handle_) dlclose(handle_);
}

Result<Library> Library::open(const char* file) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return make_error(ErrorClass::other, "%s", dlerror());
  return Library(handle);
}

void* Library::symbol(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

}  // namespace ompi_lite::os
