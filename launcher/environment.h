// SPDX-License-Identifier: BSD-3-Clause
// The environment that ranks get: ours without the leftovers of an outer job, plus the user's changes, plus what tells a
// rank who it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/options.h"

namespace ompi_lite::launcher {

// An environment as a list of NAME=VALUE that execve understands. Names are unique.
class Environment {
 public:
  Environment() = default;
  // Copies an environ array, leaving out what an outer launcher told *us* (PMIX_*, PMI_*, OMPI_COMM_WORLD_* ...).
  static Environment without_outer_job(char* const* entries);

  void set(std::string_view name, std::string_view value);
  void unset(std::string_view name);
  void add(std::string entry) { entries_.push_back(std::move(entry)); }  // NAME=VALUE with a name that is not here yet
  // The value, or nullptr.
  const char* get(std::string_view name) const;
  const std::vector<std::string>& entries() const { return entries_; }
  // A NULL-terminated array that points into this object.
  std::vector<char*> pointers();

 private:
  std::vector<std::string>::iterator find(std::string_view name);
  std::vector<std::string> entries_;
};

// Applies the plan that holds for all apps and then the app's own. `inherited` is the launcher's environment; names that are
// to be handed over but do not exist end up in `missing`.
Environment plan_environment(const Environment& inherited, const EnvPlan& all_apps, const EnvPlan& app,
                             std::vector<std::string>& missing);

// Whether a variable speaks of the machine or the login that it was set in, and so must not travel to another host.
bool belongs_to_host(std::string_view name);

// "shm ring-bytes" in any of the spellings shm_ring_bytes, SHM_RING_BYTES, OMPI_LITE_SHM_RING_BYTES -> the last one.
std::string knob_variable(std::string_view name);

// Who a rank is, under all names that scripts and libraries read.
struct Identity {
  int rank;
  int size;
  int local_rank;
  int local_size;
  int universe_size;
};
void set_identity(const Identity& identity, Environment& environment);

}  // namespace ompi_lite::launcher
