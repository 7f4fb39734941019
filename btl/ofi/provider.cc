// SPDX-License-Identifier: BSD-3-Clause
// Choosing a provider: what libfabric offers for our needs, less what the user does not want.
#include "btl/ofi/provider.h"

#include <netinet/in.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "btl/ofi/settings.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {
extern constinit Knob<const char*> wanted_interfaces, unwanted_interfaces;
}

namespace ompi_lite::btl::ofi {

namespace {

// Not between hosts, or never the best way there: only who names them gets them.
constexpr std::string_view kOnlyByName = "shm,sm2,udp,ofi_rxd,sockets,net,lnx,ofi_hook_noop";
constexpr std::string_view kSockets = "tcp,sockets,net,udp";

std::string_view provider_of(const fi_info& info) { return info.fabric_attr->prov_name; }
std::string_view domain_of(const fi_info& info) { return info.domain_attr->name; }
bool over_sockets(const fi_info& info) { return place_in(kSockets, provider_of(info)) >= 0; }

std::string names_of(const fi_info* all) {
  std::string text;
  std::vector<std::string_view> seen;
  for (const fi_info* each = all; each != nullptr; each = each->next) {
    if (std::ranges::find(seen, provider_of(*each)) != seen.end()) continue;
    seen.push_back(provider_of(*each));
    text += (text.empty() ? "" : ", ") + std::string(seen.back());
  }
  return text.empty() ? "none" : text;
}

Info our_needs(const Library& library) {
  Info hints(library.dupinfo(nullptr), FreeInfo{library.freeinfo});
  if (!hints) return hints;
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_SAFE;  // whoever is about to sleep asks for the descriptor without our lock
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  return hints;
}

// Which of the interfaces that the user wants an info is about; -1: none of them.
int place_among(const std::vector<tcp::Interface>& interfaces, const fi_info& info) {
  const SocketAddress address =
      socket_address({static_cast<const std::byte*>(info.src_addr), info.src_addr == nullptr ? 0 : info.src_addrlen});
  for (std::size_t i = 0; i < interfaces.size(); ++i)
    if (interfaces[i].address == address.host) return static_cast<int>(i);
  return -1;
}

// The interface that btl/tcp would publish first; loopback only where there is nothing else.
Result<const fi_info*> choose_interface(std::span<const fi_info* const> offered) {
  const std::vector<tcp::Interface> own = tcp::usable_interfaces();
  auto interfaces = tcp::chosen_interfaces(own, tcp::wanted_interfaces.value(), tcp::unwanted_interfaces.value());
  if (!interfaces) return interfaces.error();
  std::stable_partition(interfaces->begin(), interfaces->end(), [](const tcp::Interface& each) { return !each.loopback; });
  const fi_info* best = nullptr;
  int best_place = -1;
  for (const fi_info* each : offered) {
    const int place = place_among(*interfaces, *each);
    if (place < 0 || (best != nullptr && place >= best_place)) continue;
    best = each;
    best_place = place;
  }
  if (best == nullptr)
    return make_error(ErrorClass::other, "the provider %s of libfabric has none of the network interfaces that may be used",
                      offered.front()->fabric_attr->prov_name);
  return best;
}

Result<const fi_info*> choose_device(std::span<const fi_info* const> offered, std::size_t turn) {
  std::vector<const fi_info*> devices;
  std::string names;
  for (const fi_info* each : offered) {
    const bool known =
        std::ranges::any_of(devices, [&](const fi_info* other) { return domain_of(*other) == domain_of(*each); });
    if (names.find(domain_of(*each)) == std::string::npos)
      names += (names.empty() ? "" : ", ") + std::string(domain_of(*each));
    if (known) continue;
    if (*wanted_domains.value() == 0 || place_in(wanted_domains.value(), domain_of(*each)) >= 0) devices.push_back(each);
  }
  if (devices.empty())
    return make_error(ErrorClass::other, "the knob ofi_domains (%s) names no device of the provider %s, which has: %s",
                      wanted_domains.value(), offered.front()->fabric_attr->prov_name, names.c_str());
  return devices[turn % devices.size()];
}

// The provider to use; empty: none will do.
std::string_view best_provider(const fi_info* all, Use use_it) {
  const std::string_view wanted = wanted_providers.value(), unwanted = unwanted_providers.value();
  const fi_info* best = nullptr;
  int best_place = 0;
  for (const fi_info* each = all; each != nullptr; each = each->next) {
    if (place_in(unwanted, provider_of(*each)) >= 0) continue;
    if (wanted.empty()) {
      if (place_in(kOnlyByName, provider_of(*each)) >= 0) continue;
      if (use_it == Use::if_better && over_sockets(*each)) continue;
      return provider_of(*each);  // libfabric's own order: the fastest first
    }
    const int place = place_in(wanted, provider_of(*each));
    if (place < 0 || (best != nullptr && place >= best_place)) continue;
    best = each;
    best_place = place;
  }
  return best == nullptr ? std::string_view{} : provider_of(*best);
}

}  // namespace

Result<Choice> choose_provider(const Library& library, Use use_it, std::size_t turn) {
  const Info hints = our_needs(library);
  if (!hints) return Error(ErrorClass::no_mem, "no memory for what is asked of libfabric");
  fi_info* offered = nullptr;
  int rc;
  {
    const SignalsAsTheyWere guard;
    rc = library.getinfo(FI_VERSION(1, 11), nullptr, nullptr, 0, hints.get(), &offered);
  }
  if (rc != 0) return make_error(ErrorClass::other, "libfabric has no provider for messages: %s", library.text(rc).c_str());
  const Info all(offered, FreeInfo{library.freeinfo});
  const std::string_view name = best_provider(all.get(), use_it);
  if (name.empty())
    return make_error(ErrorClass::other,
                      "libfabric has no provider of those that may be used (knobs ofi_providers \"%s\", "
                      "ofi_exclude_providers \"%s\"); it has: %s",
                      wanted_providers.value(), unwanted_providers.value(), names_of(all.get()).c_str());
  std::vector<const fi_info*> its;
  for (const fi_info* each = all.get(); each != nullptr; each = each->next)
    if (provider_of(*each) == name) its.push_back(each);
  const bool sockets = over_sockets(*its.front());
  Result<const fi_info*> best = sockets ? choose_interface(its) : choose_device(its, turn);
  if (!best) return best.error();
  Choice choice{Info(library.dupinfo(*best), FreeInfo{library.freeinfo}), sockets};
  if (!choice.info) return Error(ErrorClass::no_mem, "no memory for the choice of a provider");
  return choice;
}

bool SocketAddress::is_loopback() const {
  constexpr std::uint8_t kSix[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return (host.family == 4 && host.bytes[0] == 127) || (host.family == 6 && std::memcmp(host.bytes, kSix, sizeof kSix) == 0);
}

SocketAddress socket_address(std::span<const std::byte> bytes) {
  SocketAddress found;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (bytes.size() >= sizeof four) std::memcpy(&four, bytes.data(), sizeof four);
  if (bytes.size() >= sizeof six) std::memcpy(&six, bytes.data(), sizeof six);
  if (four.sin_family == AF_INET) {
    found.host.family = 4;
    std::memcpy(found.host.bytes, &four.sin_addr, 4);
    found.port = ntohs(four.sin_port);
  } else if (six.sin6_family == AF_INET6) {
    found.host.family = 6;
    std::memcpy(found.host.bytes, &six.sin6_addr, 16);
    found.port = ntohs(six.sin6_port);
  }
  return found;
}

void set_port(fi_info& info, std::uint16_t port) {
  if (info.src_addr == nullptr) return;
  auto* any = static_cast<sockaddr*>(info.src_addr);
  if (any->sa_family == AF_INET) reinterpret_cast<sockaddr_in*>(any)->sin_port = htons(port);
  if (any->sa_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(any)->sin6_port = htons(port);
}

}  // namespace ompi_lite::btl::ofi
