// SPDX-License-Identifier: BSD-3-Clause
// MPI_Info: ordered pairs of strings. Linear search: infos have a handful of keys.
#include "ompi_lite/core/info.h"

#include <algorithm>

#include "ompi_lite/core/handle.h"

namespace ompi_lite {

void Info::set(std::string_view key, std::string_view value) {
  for (Entry& entry : entries) {
    if (entry.key != key) continue;
    entry.value = value;
    return;
  }
  entries.push_back({std::string(key), std::string(value)});
}

bool Info::erase(std::string_view key) {
  return std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; }) > 0;
}

const std::string* Info::find(std::string_view key) const {
  auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

void destroy(Info* info) {
  forget_int(*info);
  delete info;
}

}  // namespace ompi_lite
