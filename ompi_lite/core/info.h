// SPDX-License-Identifier: BSD-3-Clause
// MPI_Info: ordered pairs of strings.
#pragma once

#include <string>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

// Owned by the application; what it is given to copies it.
class Info : public Object {
 public:
  struct Entry {
    std::string key, value;
  };
  Info() : Object(ObjectKind::info) {}
  explicit Info(std::uintptr_t predefined_handle) : Object(ObjectKind::info, predefined_handle) {}

  void set(std::string_view key, std::string_view value);
  bool erase(std::string_view key);
  const std::string* find(std::string_view key) const;
  std::vector<Entry> entries;  // in the order in which keys were first set
};

void destroy(Info* info);
// MPI_INFO_ENV, filled at the first call. Any thread, at any time.
Info& environment_info();

}  // namespace ompi_lite
