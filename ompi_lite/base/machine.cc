// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the machine as text and as a file.
#include "ompi_lite/base/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/text.h"
#include "ompi_lite/config.h"

namespace ompi_lite {

constinit Knob<const char*> machine_file{
    "machine_file", "", Unit::none,
    "file that keeps the measured numbers of the machine (ompi_lite_info --machine); empty: "
    "machine-KEY in the folder ompi_lite of $XDG_CACHE_HOME or ~/.cache; none: no file"};

namespace {

constexpr char kFirstLine[] = "ompi-lite machine numbers 1";
constexpr std::size_t kMostBytes = 16 << 10;
constexpr double kLeast = 1e-13, kMost = 1;  // seconds: what no machine is below, and none above

constexpr NumberInfo kInfos[kNumbers] = {
    {"step", "ns", 1.5e-9, false, false, "a load that waits for the one before it, first cache"},
    {"line", "ns", 80e-9, true, false, "a cache line from one core to another, one way"},
    {"copy_cached", "GB/s", 0.03e-9, false, false, "copy by one core, in its caches"},
    {"copy_memory", "GB/s", 0.12e-9, false, false, "copy by one core, larger than its caches"},
    {"fetch", "GB/s", 0.1e-9, true, false, "copy of what another core has just written"},
    {"shared_copy", "GB/s", 0.1e-9, true, false, "through shared memory, one core copies in, another out"},
    {"reduce_cached", "GB/s", 0.03e-9, false, false, "sum of floats by one core, bytes of one input, in its caches"},
    {"reduce_memory", "GB/s", 0.15e-9, false, false, "the same, larger than its caches"},
    {"yield", "ns", 0.5e-6, false, false, "sched_yield with nobody to yield to"},
    {"handover", "ns", 1e-6, false, false, "from thread to thread on one core, by sched_yield"},
    {"wake", "ns", 10e-6, true, false, "until a sleeping thread runs on another core"},
    {"single_copy_call", "ns", 1e-6, false, false, "process_vm_readv, apart from its bytes"},
    {"single_copy", "GB/s", 0.12e-9, false, false, "bytes moved by process_vm_readv"},
    {"host_hop", "ns", 15e-6, false, true, "a small message from host to host, all the way"},
    {"host_message", "ns", 1e-6, false, true, "what it costs the sender, and the receiver"},
    {"host_byte", "GB/s", 0.5e-9, false, true, "from host to host"},
};

bool is_rate(const NumberInfo& info) { return info.unit[0] == 'G'; }
double shown(const NumberInfo& info, double value) { return is_rate(info) ? 1e-9 / value : value * 1e9; }
double kept(const NumberInfo& info, double shown) { return is_rate(info) ? 1e-9 / shown : shown * 1e-9; }

std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::string hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

// The first bytes of a file of the system; empty if it cannot be read.
std::string head_of(const char* path) {
  char text[4096];
  os::Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t got = fd ? read(fd.get(), text, sizeof text) : 0;
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : std::string();
}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

std::span<const NumberInfo, kNumbers> number_infos() { return kInfos; }

MachineNumbers::MachineNumbers() {
  for (std::size_t i = 0; i < kNumbers; ++i) values[i] = kInfos[i].preset;
}

void MachineNumbers::set(Number number, double value) {
  if (!(value >= kLeast && value <= kMost)) return;
  values[static_cast<std::size_t>(number)] = value;
  measured |= 1u << static_cast<unsigned>(number);
}

bool MachineNumbers::complete(int processors) const {
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (kInfos[i].hosts || (kInfos[i].two_cores && processors < 2)) continue;
    if (!has(static_cast<Number>(i))) return false;
  }
  return true;
}

std::string machine_key() {
  // Not /proc/cpuinfo: to write that the system asks each processor for its clock rate, which takes milliseconds.
  const std::string cpu = "/sys/devices/system/cpu/";
  const std::string model = one_line(head_of((cpu + "modalias").c_str()));  // vendor, family, model, then the features
  const std::size_t features = std::min(model.find(":feature"), model.size());
  std::string key = std::string(PACKAGE_VERSION) + "; " + model.substr(0, features) + " " + hex(hash(model));
  key += " " + one_line(head_of((cpu + "cpu0/regs/identification/midr_el1").c_str()));  // where the former tells little
  key += "; processors " + one_line(head_of((cpu + "online").c_str()));
  key += "; memories " + one_line(head_of("/sys/devices/system/node/online"));
  key += "; siblings " + one_line(head_of((cpu + "cpu0/topology/thread_siblings_list").c_str()));
  for (const char* cache : {"2", "3"}) {
    const std::string folder = cpu + "cpu0/cache/index" + cache + "/";
    key += std::string("; cache ") + cache + " " + one_line(head_of((folder + "size").c_str())) + " of " +
           one_line(head_of((folder + "shared_cpu_list").c_str()));
  }
  return key;
}

std::string numbers_text(const MachineNumbers& numbers, std::string_view key) {
  std::string text = std::string(kFirstLine) + "\nmachine " + std::string(key) + "\n";
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (!numbers.has(static_cast<Number>(i))) continue;
    char line[80];
    std::snprintf(line, sizeof line, "%s %.4g %s\n", kInfos[i].name, shown(kInfos[i], numbers.values[i]), kInfos[i].unit);
    text += line;
  }
  return text + "sum " + hex(hash(text)) + "\n";
}

Result<MachineNumbers> parse_numbers(std::string_view text, std::string_view key) {
  const Error damaged(ErrorClass::other, "damaged");
  const std::size_t sum = text.rfind("sum ");
  if (text.size() > kMostBytes || sum == std::string_view::npos || sum == 0 || text[sum - 1] != '\n') return damaged;
  if (text.substr(sum) != "sum " + hex(hash(text.substr(0, sum))) + "\n") return damaged;
  text = text.substr(0, sum);
  MachineNumbers numbers;
  for (int number = 0; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return damaged;
    const std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (number == 0 && line != kFirstLine) return Error(ErrorClass::other, "of another version");
    if (number == 1 && line != "machine " + std::string(key))
      return Error(ErrorClass::other, "of another machine or version");
    if (number < 2) continue;
    const std::size_t space = line.find(' '), behind = line.rfind(' ');
    if (space == std::string::npos || behind == space) return damaged;
    const auto value = parse_number<double>(std::string_view(line).substr(space + 1, behind - space - 1));
    if (!value || !std::isfinite(*value) || *value <= 0) return damaged;
    for (std::size_t i = 0; i < kNumbers; ++i) {
      if (line.compare(0, space, kInfos[i].name) != 0) continue;
      if (line.compare(behind + 1, std::string::npos, kInfos[i].unit) != 0) return damaged;
      numbers.set(static_cast<Number>(i), kept(kInfos[i], *value));
    }
  }
  return numbers;
}

std::string numbers_table(const MachineNumbers& numbers) {
  std::string text;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    char line[160];
    std::snprintf(line, sizeof line, "%-17s %10.4g %-5s %s%s\n", kInfos[i].name, shown(kInfos[i], numbers.values[i]),
                  kInfos[i].unit, kInfos[i].help, numbers.has(static_cast<Number>(i)) ? "" : " (not measured: preset)");
    text += line;
  }
  return text;
}

std::string machine_file_path(std::string_view key) {
  const std::string wanted = machine_file.value();
  if (wanted == "none") return {};
  if (!wanted.empty()) return wanted;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && cache[0] == '/') {
    folder = cache;
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.cache";
  } else {
    return {};
  }
  return folder + "/ompi_lite/machine-" + hex(hash(key));
}

Result<MachineNumbers> load_numbers() {
  const std::string key = machine_key(), path = machine_file_path(key);
  if (path.empty()) return Error(ErrorClass::no_such_file, "no file is named");
  os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe of that name must not stop us
  if (!fd) return make_error(ErrorClass::no_such_file, "%s: %s", path.c_str(), std::strerror(errno));
  struct stat status {};
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || (status.st_uid != geteuid() && status.st_uid != 0)) {
    OL_LOG(debug, "%s is ignored: it is no file of this user", path.c_str());
    return make_error(ErrorClass::access, "%s is no file of this user", path.c_str());
  }
  std::string text(kMostBytes + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got != 0 && size < text.size();) {
    got = read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  Result<MachineNumbers> numbers = parse_numbers(std::string_view(text.data(), size), key);
  if (numbers) return numbers;
  OL_LOG(debug, "%s is ignored: it is %s", path.c_str(), numbers.error().sentence());
  return make_error(ErrorClass::other, "%s is %s", path.c_str(), numbers.error().sentence());
}

MachineNumbers loaded_or_presets() {
  Result<MachineNumbers> numbers = load_numbers();
  return numbers ? *numbers : MachineNumbers();
}

MachineNumbers numbers_of_board(NumbersBoard& board, MachineNumbers (*load)()) {
  constexpr std::uint32_t kEmpty = 0, kWriting = 1, kFull = 2;
  std::uint32_t state = kEmpty;
  MachineNumbers numbers;
  if (board.state.compare_exchange_strong(state, kWriting)) {
    numbers = load();
    board.measured = numbers.measured;
    std::ranges::copy(numbers.values, board.values);
    board.state.store(kFull, std::memory_order_release);  // partner: the load below
    return numbers;
  }
  while (board.state.load(std::memory_order_acquire) != kFull) sched_yield();  // partner: the store above
  numbers.measured = static_cast<std::uint32_t>(board.measured);
  std::ranges::copy(board.values, numbers.values.begin());
  return numbers;
}

Error store_numbers(const MachineNumbers& numbers) {
  const std::string key = machine_key(), path = machine_file_path(key);
  if (path.empty())
    return Error(ErrorClass::no_such_file, "there is no place to keep them: no HOME, or machine_file is none");
  if (*machine_file.value() == '\0') {  // our own folder, and the one above
    const std::string folder = path.substr(0, path.rfind('/'));
    ::mkdir(folder.substr(0, folder.rfind('/')).c_str(), 0700);
    ::mkdir(folder.c_str(), 0700);
  }
  const std::string draft = path + "." + std::to_string(getpid()) + "-" + std::to_string(now_ns());
  os::Fd fd(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return make_error(ErrorClass::no_such_file, "%s: %s", draft.c_str(), std::strerror(errno));
  const std::string text = numbers_text(numbers, key);
  const bool written = write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (written && std::rename(draft.c_str(), path.c_str()) == 0) return {};
  const int why = errno;
  ::unlink(draft.c_str());
  return make_error(ErrorClass::no_such_file, "%s: %s", path.c_str(), std::strerror(why));
}

}  // namespace ompi_lite
