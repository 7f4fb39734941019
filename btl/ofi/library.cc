// SPDX-License-Identifier: BSD-3-Clause
// Opening libfabric.
#include "btl/ofi/library.h"

#include <dlfcn.h>

#include <iterator>
#include <type_traits>

namespace ompi_lite::btl::ofi {

namespace {

constexpr char kFile[] = "libfabric.so.1";

}  // namespace

SignalsAsTheyWere::SignalsAsTheyWere() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
}

SignalsAsTheyWere::~SignalsAsTheyWere() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

Result<Library> Library::open() {
  const SignalsAsTheyWere guard;
  void* file = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);  // stays: its providers have threads and cannot be unloaded safely
  if (file == nullptr) return make_error(ErrorClass::other, "libfabric cannot be opened: %s", dlerror());
  Library all{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
    return function != nullptr;
  };
  if (!find(all.getinfo, "fi_getinfo") || !find(all.freeinfo, "fi_freeinfo") || !find(all.dupinfo, "fi_dupinfo") ||
      !find(all.fabric, "fi_fabric") || !find(all.strerror, "fi_strerror") || !find(all.version, "fi_version"))
    return make_error(ErrorClass::other, "%s is no libfabric: %s", kFile, dlerror());
  // Newer ones only add to the ends of their structures, which they make themselves.
  const std::uint32_t there = all.version();
  if (FI_VERSION_LT(there, FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION)))
    return make_error(ErrorClass::other, "libfabric %u.%u is older than %d.%d, for which ompi-lite was built",
                      FI_MAJOR(there), FI_MINOR(there), FI_MAJOR_VERSION, FI_MINOR_VERSION);
  return all;
}

}  // namespace ompi_lite::btl::ofi
