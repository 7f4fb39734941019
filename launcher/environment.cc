// SPDX-License-Identifier: BSD-3-Clause
// Builds the ranks' environment.
#include "launcher/environment.h"

#include <algorithm>
#include <array>

namespace ompi_lite::launcher {
namespace {

bool has_name(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

// Variables by which a launcher speaks to its ranks. If we were started by one, they are about us and wrong for ours.
bool speaks_of_outer_job(std::string_view entry) {
  constexpr std::array prefixes{std::string_view("PMIX_"),
                                std::string_view("PMI_"),
                                std::string_view("OMPI_COMM_WORLD_"),
                                std::string_view("MPI_LOCALRANKID="),
                                std::string_view("MPI_LOCALNRANKS="),
                                std::string_view("HYDI_CONTROL_FD="),
                                std::string_view("OMPI_UNIVERSE_SIZE="),
                                std::string_view("OMPI_LITE_RANK="),
                                std::string_view("OMPI_LITE_SIZE="),
                                std::string_view("OMPI_LITE_APP_SIZE="),
                                std::string_view("OMPI_LITE_LOCAL_"),
                                std::string_view("OMPI_LITE_NODE_FD="),
                                std::string_view("OMPI_LITE_APPNUM="),
                                std::string_view("OMPI_LITE_INITIAL_ERRHANDLER="),
                                std::string_view("OMPI_LITE_JOB_SECRET="),
                                std::string_view("OMPI_LITE_LAUNCHER_PID=")};
  if (entry.starts_with("PMIX_MCA_")) return false;  // the user's settings, not an identity
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return entry.starts_with(prefix); });
}

void apply(const Environment& inherited, const EnvPlan& plan, Environment& environment, std::vector<std::string>& missing) {
  const auto hand_over = [&](const std::string& name) {
    if (const char* value = inherited.get(name))
      environment.set(name, value);
    else
      missing.push_back(name);
  };
  if (plan.base != EnvBase::all) environment = Environment();
  for (const std::string& name : plan.listed) hand_over(name);
  for (const EnvChange& change : plan.changes) {
    if (change.value)
      environment.set(change.name, *change.value);
    else
      hand_over(change.name);
  }
}

}  // namespace

Environment Environment::without_outer_job(char* const* entries) {
  Environment result;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    if (!speaks_of_outer_job(*entries)) result.entries_.emplace_back(*entries);
  }
  return result;
}

std::vector<std::string>::iterator Environment::find(std::string_view name) {
  return std::ranges::find_if(entries_, [&](const std::string& entry) { return has_name(entry, name); });
}

void Environment::set(std::string_view name, std::string_view value) {
  std::string entry = std::string(name) + "=" + std::string(value);
  if (const auto known = find(name); known != entries_.end())
    *known = std::move(entry);
  else
    entries_.push_back(std::move(entry));
}

void Environment::unset(std::string_view name) {
  if (const auto known = find(name); known != entries_.end()) entries_.erase(known);
}

const char* Environment::get(std::string_view name) const {
  for (const std::string& entry : entries_) {
    if (has_name(entry, name)) return entry.c_str() + name.size() + 1;
  }
  return nullptr;
}

std::vector<char*> Environment::pointers() {
  std::vector<char*> result;
  result.reserve(entries_.size() + 1);
  for (std::string& entry : entries_) result.push_back(entry.data());
  result.push_back(nullptr);
  return result;
}

Environment plan_environment(const Environment& inherited, const EnvPlan& all_apps, const EnvPlan& app,
                             std::vector<std::string>& missing) {
  Environment environment = inherited;
  apply(inherited, all_apps, environment, missing);
  apply(inherited, app, environment, missing);
  return environment;
}

bool belongs_to_host(std::string_view name) {
  constexpr std::array names{std::string_view("HOSTNAME"),        std::string_view("HOST"),
                             std::string_view("SSH_CLIENT"),      std::string_view("SSH_CONNECTION"),
                             std::string_view("SSH_TTY"),         std::string_view("SSH_AUTH_SOCK"),
                             std::string_view("SSH_AGENT_PID"),   std::string_view("DBUS_SESSION_BUS_ADDRESS"),
                             std::string_view("XDG_RUNTIME_DIR"), std::string_view("XDG_SESSION_ID"),
                             std::string_view("WINDOWID"),        std::string_view("DISPLAY"),
                             std::string_view("XAUTHORITY")};
  return std::ranges::find(names, name) != names.end();
}

std::string knob_variable(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z')
      result += static_cast<char>(c - 'a' + 'A');
    else
      result += (c == '-' || c == '.' || c == ' ') ? '_' : c;
  }
  return result.starts_with("OMPI_LITE_") ? result : "OMPI_LITE_" + result;
}

void set_identity(const Identity& identity, Environment& environment) {
  const auto set = [&](int value, std::initializer_list<const char*> names) {
    for (const char* name : names) environment.set(name, std::to_string(value));
  };
  set(identity.rank, {"OMPI_LITE_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
  set(identity.size, {"OMPI_LITE_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  set(identity.local_rank,
      {"OMPI_LITE_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", "MPI_LOCALRANKID"});
  set(identity.local_size, {"OMPI_LITE_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
  set(identity.universe_size, {"OMPI_UNIVERSE_SIZE"});
  // Queues of libfabric's providers are made for so many peers, and overrun with more: 256 if nobody says anything.
  if (identity.size > 256 && identity.local_size != identity.size && environment.get("FI_UNIVERSE_SIZE") == nullptr)
    environment.set("FI_UNIVERSE_SIZE", std::to_string(identity.size));
}

}  // namespace ompi_lite::launcher
