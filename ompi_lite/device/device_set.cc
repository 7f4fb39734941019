// SPDX-License-Identifier: BSD-3-Clause
// Finding the plugin, and asking it.
#include "ompi_lite/device/device_set.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/os_addresses.h"
#include "ompi_lite/device/peers.h"

namespace ompi_lite::device {

constinit Watch watch = Watch::none;
constinit DeviceCounters device_counters;
constinit HostRanges host_ranges;

constinit Knob<bool> use_kernels("device_kernels", true, Unit::none,
                                 "Reduce in device memory with kernels where there is one for the operation and the type. "
                                 "Off: in host memory.");

constinit Knob<bool> use_pipeline("device_pipeline", true, Unit::none,
                                  "Send and receive device buffers in pieces, of which one is copied while another is under "
                                  "way. Off: as a whole.");
constinit Knob<std::int64_t> piece_bytes("device_piece_bytes", 512 << 10, Unit::bytes,
                                         "Size of these pieces; also the pinned host memory for each.");
constinit Knob<std::int64_t> pieces("device_pieces", 3, Unit::none, "How many of them one message has at a time, 2 to 16.");

namespace {

constinit Knob<const char*> choice("device", "auto", Unit::none,
                                   "Which buffers in device memory are taken: auto (those of a driver that is here), cuda, "
                                   "none (they get an error).");
constinit Knob<const char*> plugin_file("device_plugin", "", Unit::none,
                                        "The device plugin; not set: libompi_lite_cuda.so beside the library.");

constinit KnobBase* const list[] = {&choice, &plugin_file, &use_kernels, &use_pipeline, &piece_bytes,
                                    &pieces, &use_peers,   &peers_from,  &most_imports};

// Where device memory was seen. An address in one of these ranges that the driver no longer knows was freed.
struct SeenRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};

// Set by open(), then guarded by the process lock.
struct State {
  bool opened = false;
  bool failed = false;  // what the user asked for cannot be had: `description` says why
  std::optional<os::Library> library;
  const OmpiLiteDeviceOps* ops = nullptr;
  std::array<char, 160> description{"none"};
  std::array<SeenRange, 16> seen;
  std::size_t next_seen = 0;
};

State& state() {
  static State& made = *new State;  // never destroyed: buffers are staged until the program ends
  return made;
}

void describe(const char* text) { std::snprintf(state().description.data(), state().description.size(), "%s", text); }

std::string plugin_path() {
  if (*plugin_file.value() != '\0') return plugin_file.value();
  return os::folder_of(reinterpret_cast<const void*>(&plugin_path)) + "/libompi_lite_cuda.so";
}

// A driver can be told from its device files; one that the program brought along, from its library.
bool driver_is_here() {
  constexpr std::array kNodes{"/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu", "/dev/nvhost-ctrl-gpu"};
  return os::is_loaded("libcuda.so.1") ||
         std::any_of(kNodes.begin(), kNodes.end(), [](const char* node) { return os::exists(node); });
}

Error load() {
  State& own = state();
  Result<os::Library> library = os::Library::open(plugin_path().c_str());
  if (!library) return library.error();
  const auto entry = reinterpret_cast<OmpiLiteDeviceEntry>(library->symbol(kOmpiLiteDeviceSymbol));
  const OmpiLiteDeviceOps* ops = entry == nullptr ? nullptr : entry(kOmpiLiteDeviceVersion);
  if (ops == nullptr || ops->version != kOmpiLiteDeviceVersion)
    return make_error(ErrorClass::other, "%s is no device plugin of this version of the library", plugin_path().c_str());
  std::array<char, 120> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  if (ops->open(&reason) != 0) return make_error(ErrorClass::other, "%s: %s", ops->name, text.data());
  own.library.emplace(std::move(library).value());
  own.ops = ops;
  std::array<char, 160> both{};
  std::snprintf(both.data(), both.size(), "%s, %s", ops->name, text.data());
  describe(both.data());
  return {};
}

void remember(const Location& location) {
  State& own = state();
  const auto begin = reinterpret_cast<std::uintptr_t>(location.facts.base);
  for (const SeenRange& each : own.seen)
    if (each.begin == begin && each.bytes == location.facts.bytes) return;
  own.seen[own.next_seen++ % own.seen.size()] = {begin, location.facts.bytes};
}

bool was_device(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto& seen = state().seen;
  return std::any_of(seen.begin(), seen.end(), [at](const SeenRange& each) { return at - each.begin < each.bytes; });
}

// The heap grows; its end is looked up only for addresses behind the one we know.
bool is_host(const void* address) {
  if (surely_host(address)) return true;
  const os::OwnAddresses own = os::own_addresses();
  host_ranges = {own.program_begin, own.heap_end, own.stack_begin, own.stack_end};
  return surely_host(address);
}

// Device memory can be there all the same, if the program brought a driver along.
void do_without(const char* why) {
  describe(why);
  if (os::is_loaded("libcuda.so.1")) watch = Watch::probe;
}

void look_for_plugin(std::string_view wanted) {
  State& own = state();
  if (wanted == "none") return do_without("none: forbidden by the knob device");
  own.failed = wanted != "auto" && wanted != "cuda";
  if (own.failed) return describe("the knob device must be auto, cuda or none");
  if (wanted == "auto" && !driver_is_here()) return describe("none: there is no driver");
  if (Error error = load()) {
    own.failed = wanted == "cuda";
    return do_without((std::string("none: ") + error.sentence()).c_str());
  }
  watch = Watch::plugin;
}

}  // namespace

Error open() {
  State& own = state();
  if (!std::exchange(own.opened, true)) look_for_plugin(choice.value());
  return own.failed ? Error(ErrorClass::other, description()) : Error();
}

const char* description() { return state().description.data(); }
const OmpiLiteDeviceOps* operations() { return state().ops; }
KnobGroup knobs() { return {"device", list}; }

Location locate(const void* address) {
  State& own = state();
  Location found;
  if (watch != Watch::plugin || is_host(address)) return found;
  device_counters.questions.add(1);
  own.ops->locate(address, &found.facts);
  if (found.out_of_reach()) remember(found);
  return found;
}

Error check_host(const void* address, const char* what) {
  const bool doubtful = watch == Watch::probe ? !is_host(address) : was_device(address);
  if (!doubtful || os::is_readable(address)) return {};
  if (watch == Watch::plugin)
    return make_error(ErrorClass::buffer, "%s %p was device memory and is none any more: was it freed?", what, address);
  return make_error(
      ErrorClass::buffer,
      "%s %p cannot be read by the host: is it a device pointer? MPI has no device support in this process (%s)", what,
      address, description());
}

Error copy(std::span<const OmpiLiteCopy> copies, const Location& near, bool pinned) {
  if (copies.empty()) return {};
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  const OmpiLiteCopies all{copies.data(), copies.size(), pinned};
  if (state().ops->copy(&all, &near.facts, &reason) == 0) return {};
  return make_error(ErrorClass::buffer, "a copy from or to device memory at %p failed: %s", near.facts.base, text.data());
}

}  // namespace ompi_lite::device
