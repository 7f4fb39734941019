// SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a program that was started by itself: a job of one process. Touches nothing outside of it.
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {
namespace {

class SingletonBootstrap final : public Bootstrap {
 public:
  SingletonBootstrap() { job_.name = "singleton-" + std::to_string(getpid()); }
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
  Error finish() override { return {}; }
  [[noreturn]] void abort(int code, const char*) override { _exit(code); }

 private:
  JobInfo job_;
  std::map<std::string, std::vector<std::byte>> values_;
};

}  // namespace

std::unique_ptr<Bootstrap> make_singleton_bootstrap() { return std::make_unique<SingletonBootstrap>(); }

}  // namespace ompi_lite
