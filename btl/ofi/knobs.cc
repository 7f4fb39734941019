// SPDX-License-Identifier: BSD-3-Clause
// What the user may say about libfabric, and whether to open it.
#include <dirent.h>

#include <algorithm>
#include <cctype>

#include "btl/ofi/ofi.h"
#include "btl/ofi/settings.h"

namespace ompi_lite::btl::ofi {

constinit Knob<const char*> wanted_providers{
    "ofi_providers", "", Unit::none,
    "providers of libfabric to use, the best first, with commas between (verbs,tcp;ofi_rxm); empty: any but those over "
    "sockets, unless the knob transports leaves tcp out"};
constinit Knob<const char*> unwanted_providers{"ofi_exclude_providers", "", Unit::none,
                                               "providers of libfabric not to use, in the same form"};
constinit Knob<const char*> wanted_domains{
    "ofi_domains", "", Unit::none,
    "devices to use, as libfabric calls its domains (mlx5_0,mlx5_1); the ranks of a host take them in turn. Empty: all. "
    "Over sockets tcp_interfaces says which interface is used"};
constinit Knob<double> connect_timeout{"ofi_connect_timeout", 30.0, Unit::seconds,
                                       "how long it is tried to reach a peer by libfabric before it counts as lost"};
constinit Knob<double> lost_time{"ofi_lost_time", 60.0, Unit::seconds,
                                 "how long a peer's machine may not answer, over sockets, until the peer counts as lost; 0: "
                                 "for ever. Fabrics notice it by themselves"};

namespace {

bool has_entries(const char* folder) {
  DIR* opened = ::opendir(folder);
  if (opened == nullptr) return false;
  bool any = false;
  while (const dirent* entry = ::readdir(opened)) any |= entry->d_name[0] != '.';
  ::closedir(opened);
  return any;
}

bool equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <class Visit>
void for_each_word(std::string_view list, char separator, Visit visit) {
  while (true) {
    const std::size_t end = list.find(separator);
    if (visit(list.substr(0, end)) || end == std::string_view::npos) return;
    list = list.substr(end + 1);
  }
}

}  // namespace

int place_in(std::string_view list, std::string_view provider) {
  int place = -1, at = 0;
  for_each_word(list, ',', [&](std::string_view name) {
    bool same = !name.empty() && equal(name, provider);
    for_each_word(provider, ';', [&](std::string_view layer) { return same |= !name.empty() && equal(name, layer); });
    if (same) place = at;
    ++at;
    return same;
  });
  return place;
}

Use use(bool tcp_is_there) {
  if (!tcp_is_there || *wanted_providers.value() != 0) return Use::as_asked;
  // InfiniBand, RoCE, EFA and Omni-Path show in the first folder, Slingshot in the second.
  return has_entries("/sys/class/infiniband") || has_entries("/sys/class/cxi") ? Use::if_better : Use::no;
}

KnobGroup knobs() {
  static constexpr KnobBase* kKnobs[] = {&wanted_providers, &unwanted_providers, &wanted_domains, &connect_timeout,
                                         &lost_time};
  return {"btl/ofi", kKnobs};
}

}  // namespace ompi_lite::btl::ofi
