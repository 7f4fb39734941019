// SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a program that was started by itself: a job of one process. Touches nothing outside of it.
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/runtime/bootstrap.h"
#include "ompi_lite/runtime/own_launcher.h"

namespace ompi_lite {
namespace {

class SingletonBootstrap final : public Bootstrap {
 public:
  SingletonBootstrap() {  // The same on no other machine, and never again: processes of other worlds know this one by the
                          // name of its job.
    job_.name = "singleton-" + os::host_name() + "-" + std::to_string(getpid()) + "-" + std::to_string(now_ns());
  }
  const JobInfo& job() const override { return job_; }
  Error put(std::string_view key, std::span<const std::byte> value) override {
    values_[std::string(key)].assign(value.begin(), value.end());
    return {};
  }
  Error fence() override { return {}; }
  Error begin_fence(std::atomic<bool>& over, Doorbell&) override {
    over.store(true, std::memory_order_relaxed);  // read by this thread
    return {};
  }
  Result<std::vector<std::byte>> get(int rank, std::string_view key) override {
    const auto found = values_.find(std::string(key));
    if (rank != 0 || found == values_.end())
      return make_error(ErrorClass::intern, "nothing is published as %.*s", static_cast<int>(key.size()), key.data());
    return found->second;
  }
  Error spawn(std::span<const SpawnedProgram> programs, Blocking&) override { return launchers_.start(programs); }
  Error trouble_of_spawned() override { return launchers_.trouble(); }
  Error publish(const std::string& name, const std::string& port) override {
    if (!names_.emplace(name, port).second) return make_error(ErrorClass::service, "%s is published already", name.c_str());
    return {};
  }
  Error unpublish(const std::string& name) override {
    if (names_.erase(name) == 0) return make_error(ErrorClass::service, "%s is not published", name.c_str());
    return {};
  }
  // There is no launcher that other programs could have told a name.
  Result<std::string> look_up(const std::string& name) override {
    const auto found = names_.find(name);
    if (found == names_.end()) return make_error(ErrorClass::name, "nothing is published as %s", name.c_str());
    return found->second;
  }
  Error finish() override { return {}; }
  [[noreturn]] void abort(int code, const char*) override { _exit(code); }

 private:
  JobInfo job_;
  std::map<std::string, std::vector<std::byte>> values_;
  std::map<std::string, std::string> names_;
  OwnLaunchers launchers_;
};

}  // namespace

std::unique_ptr<Bootstrap> make_singleton_bootstrap() { return std::make_unique<SingletonBootstrap>(); }

}  // namespace ompi_lite
