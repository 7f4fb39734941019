// SPDX-License-Identifier: BSD-3-Clause
// Which device memory of other processes is mapped here, and which of ours was shown to others.
#include "ompi_lite/device/peers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <map>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::device {

constinit Knob<bool> use_peers(
    "device_peers", true, Unit::none,
    "Copy messages between device buffers of processes of one machine straight out of the sender's "
    "device memory. Off: through host memory.");
constinit Knob<std::int64_t> peers_from("device_peers_from", 16 << 10, Unit::bytes,
                                        "Least size of such messages. Not measured on a device yet.");
constinit Knob<std::int64_t> most_imports(
    "device_peers_mapped", 64, Unit::none,
    "How many allocations of other processes stay mapped. 0: none longer than a message.");

namespace {

constexpr std::size_t kMostExports = 256;

struct Shown {
  std::uint64_t id = 0;
  bool possible = false;
  OmpiLiteExport handle{};
};

}  // namespace

struct Import::Entry {
  std::int32_t peer = 0;
  std::uint64_t id = 0, base = 0, bytes = 0;
  OmpiLiteExport handle{};
  OmpiLiteLocation near{};
  std::byte* mapped = nullptr;  // null: it cannot be mapped here
  int users = 0;
  std::uint64_t last_used = 0;
};

namespace {

// Guarded by the process lock.
struct Mapped {
  std::map<std::uint64_t, Shown> shown;  // ours, by address
  std::list<Import::Entry> imports;
  std::uint64_t uses = 0;
};
Mapped& mapped() {
  static Mapped& made = *new Mapped;  // never destroyed: the driver may be gone before
  return made;
}

void close(const Import::Entry& entry) {
  if (entry.mapped == nullptr) return;
  operations()->close_export(entry.mapped, &entry.near);
  device_counters.peer_closed.add(1);
}

template <class Wanted>
void close_unused(Wanted wanted) {
  std::erase_if(mapped().imports, [&](const Import::Entry& entry) {
    if (entry.users != 0 || !wanted(entry)) return false;
    close(entry);
    return true;
  });
}

void make_place() {
  std::list<Import::Entry>& all = mapped().imports;
  while (!all.empty() && static_cast<std::int64_t>(all.size()) >= most_imports.value()) {
    const auto oldest = std::ranges::min_element(
        all, {}, [](const Import::Entry& entry) { return std::pair(entry.users, entry.last_used); });
    if (oldest->users != 0) return;
    close(*oldest);
    all.erase(oldest);
  }
}

}  // namespace

bool export_memory(const Location& location, const void* data, Export& exported) {
  const OmpiLiteLocation& facts = location.facts;
  if (facts.bytes == 0) return false;
  std::map<std::uint64_t, Shown>& all = mapped().shown;
  if (all.size() >= kMostExports) all.clear();
  exported.id = facts.id;
  exported.base = reinterpret_cast<std::uintptr_t>(facts.base);
  exported.bytes = facts.bytes;
  exported.offset = reinterpret_cast<std::uintptr_t>(data) - exported.base;
  Shown& shown = all[exported.base];
  if (shown.id != facts.id) {
    std::array<char, 256> text{};
    OmpiLiteReason reason{text.data(), text.size()};
    shown = {facts.id, operations()->make_export(&facts, &shown.handle, &reason) == 0, shown.handle};
    if (!shown.possible) OL_LOG(debug, "device memory at %p cannot be shown to others: %s", facts.base, text.data());
  }
  exported.handle = shown.handle;
  return shown.possible;
}

Import Import::open(std::int32_t peer, const Export& exported, const Location& near) {
  std::list<Entry>& all = mapped().imports;
  Entry* found = nullptr;
  // The handle, too: another process may have come in the place of the peer.
  for (Entry& entry : all)
    if (entry.peer == peer && entry.id == exported.id && entry.base == exported.base &&
        entry.near.device == near.facts.device && std::memcmp(&entry.handle, &exported.handle, sizeof entry.handle) == 0)
      found = &entry;
  if (found == nullptr) {
    // Whatever overlaps it was freed by its owner.
    close_unused([&](const Entry& entry) {
      return entry.peer == peer && std::memcmp(&entry.handle, &exported.handle, sizeof entry.handle) != 0 &&
             entry.base < exported.base + exported.bytes && exported.base < entry.base + entry.bytes;
    });
    make_place();
    void* base = nullptr;
    std::array<char, 256> text{};
    OmpiLiteReason reason{text.data(), text.size()};
    if (operations()->open_export(&exported.handle, &near.facts, &base, &reason) != 0) {
      OL_LOG(debug, "peer %d: its device memory cannot be mapped: %s", peer, text.data());
      base = nullptr;
    } else {
      device_counters.peer_opened.add(1);
    }
    all.push_back(
        {peer, exported.id, exported.base, exported.bytes, exported.handle, near.facts, static_cast<std::byte*>(base)});
    found = &all.back();
  }
  found->last_used = ++mapped().uses;
  Import made;
  if (found->mapped == nullptr) return made;
  ++found->users;
  made.entry_ = found;
  return made;
}

Import::~Import() {
  if (entry_ == nullptr) return;
  --entry_->users;
  if (most_imports.value() <= 0) close_unused([this](const Entry& entry) { return &entry == entry_; });
}

const std::byte* Import::data(const Export& exported) const { return entry_->mapped + exported.offset; }

void close_imports() {
  close_unused([](const Import::Entry&) { return true; });
}

}  // namespace ompi_lite::device
