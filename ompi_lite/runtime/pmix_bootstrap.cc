// SPDX-License-Identifier: BSD-3-Clause
// The bootstrap through a PMIx server: our own mpirun's, PRRTE's or Slurm's.
#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {
namespace {

Error pmix_error(const char* what, pmix_status_t status) {
  return make_error(ErrorClass::other, "%s: %s", what, PMIx_Error_string(status));
}

// A value that PMIx allocated.
class Value {
 public:
  explicit Value(pmix_value_t* value) : value_(value) {}
  Value(Value&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Value& operator=(Value&&) = delete;
  ~Value() {
    if (value_ != nullptr) PMIX_VALUE_RELEASE(value_);
  }
  const pmix_value_t& operator*() const { return *value_; }

  // Servers disagree on the width of numbers.
  std::optional<std::int64_t> number() const {
    switch (value_->type) {
      case PMIX_INT:
        return value_->data.integer;
      case PMIX_INT32:
        return value_->data.int32;
      case PMIX_INT64:
        return value_->data.int64;
      case PMIX_UINT:
        return value_->data.uint;
      case PMIX_UINT16:
        return value_->data.uint16;
      case PMIX_UINT32:
        return value_->data.uint32;
      case PMIX_UINT64:
        return static_cast<std::int64_t>(value_->data.uint64);
      case PMIX_SIZE:
        return static_cast<std::int64_t>(value_->data.size);
      case PMIX_PROC_RANK:
        return value_->data.rank;
      default:
        return {};
    }
  }
  const char* text() const { return value_->type == PMIX_STRING ? value_->data.string : nullptr; }

 private:
  pmix_value_t* value_;
};

// Keys of PMIx have PMIX_MAX_KEYLEN characters at most, and names of services may have more.
std::string name_key(const std::string& name) {
  constexpr std::size_t kMost = 200;
  const std::string key = "ompi_lite.name." + name;
  return key.size() <= kMost ? key : key.substr(0, kMost) + std::to_string(std::hash<std::string>()(name));
}

// What is to be spawned, as PMIx wants it. Owns all of it.
class Apps {
 public:
  explicit Apps(std::span<const SpawnedProgram> programs) : apps_(programs.size()) {
    for (std::size_t i = 0; i < programs.size(); i++) fill(apps_[i], programs[i]);
  }
  ~Apps() {
    for (pmix_app_t& app : apps_) PMIX_APP_DESTRUCT(&app);
  }
  Apps(const Apps&) = delete;
  Apps& operator=(const Apps&) = delete;
  pmix_app_t* data() { return apps_.data(); }
  std::size_t size() const { return apps_.size(); }

 private:
  static char** list_of(const std::string* first, std::span<const std::string> rest) {
    const std::size_t count = rest.size() + (first != nullptr ? 1 : 0);
    auto** list = static_cast<char**>(std::calloc(count + 1, sizeof(char*)));  // PMIx frees it
    if (list == nullptr) return nullptr;
    std::size_t at = 0;
    if (first != nullptr) list[at++] = strdup(first->c_str());
    for (const std::string& word : rest) list[at++] = strdup(word.c_str());
    return list;
  }
  static void fill(pmix_app_t& app, const SpawnedProgram& program) {
    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup(program.command.c_str());
    app.argv = list_of(&program.command, program.arguments);
    app.env = list_of(nullptr, program.environment);
    app.maxprocs = program.processes;
    if (!program.folder.empty()) app.cwd = strdup(program.folder.c_str());
    app.ninfo = (program.host.empty() ? 0u : 1u) + (program.search_path.empty() ? 0u : 1u);
    if (app.ninfo == 0) return;
    PMIX_INFO_CREATE(app.info, app.ninfo);
    std::size_t at = 0;
    if (!program.host.empty()) PMIX_INFO_LOAD(&app.info[at++], PMIX_HOST, program.host.c_str(), PMIX_STRING);
    if (!program.search_path.empty())
      PMIX_INFO_LOAD(&app.info[at++], "ompi_lite.path", program.search_path.c_str(), PMIX_STRING);
  }
  std::vector<pmix_app_t> apps_;
};

Error spawn_error(std::span<const SpawnedProgram> programs, pmix_status_t status) {
  std::string names;
  for (const SpawnedProgram& program : programs) names += (names.empty() ? "" : " or ") + program.command;
  const char* why = PMIx_Error_string(status);
  switch (status) {
    case PMIX_ERR_JOB_EXE_NOT_FOUND:
      why = "no such program";
      break;
    case PMIX_ERR_EXE_NOT_ACCESSIBLE:
      why = "it is not a program that can be run";
      break;
    case PMIX_ERR_JOB_WDIR_NOT_FOUND:
      why = "there is no such working folder";
      break;
    case PMIX_ERR_NOT_SUPPORTED:
      why = "the launcher of this job cannot start processes while it runs, or not where it has several hosts";
      break;
    case PMIX_ERR_NOT_FOUND:
      why = "the host that the info names is not part of this job";
      break;
    default:
      break;
  }
  return make_error(ErrorClass::spawn, "cannot start %s: %s", names.substr(0, 300).c_str(), why);
}

class PmixBootstrap final : public Bootstrap {
 public:
  // Without finish() something has gone wrong. No leave is taken then: the launcher shall see a process that ends in
  // disorder, and end those that wait for it.
  ~PmixBootstrap() override = default;

  Error start() {
    const pmix_status_t status = PMIx_Init(&self_, nullptr, 0);
    if (status != PMIX_SUCCESS) return pmix_error("connecting to the PMIx server that the environment names", status);
    job_.name = self_.nspace;
    job_.rank = static_cast<int>(self_.rank);
    const auto size = job_number(PMIX_JOB_SIZE);
    if (!size || *size <= job_.rank) return Error(ErrorClass::other, "the PMIx server does not say how large the job is");
    job_.size = static_cast<int>(*size);
    job_.universe_size = static_cast<int>(job_number(PMIX_UNIV_SIZE).value_or(0));
    if (const auto app = number(job_.rank, PMIX_APPNUM, true)) {
      job_.app_number = static_cast<int>(*app);
      job_.app_known = true;
    }
    return find_neighbours();
  }

  const JobInfo& job() const override { return job_; }

  Error put(std::string_view key, std::span<const std::byte> value) override {
    pmix_value_t published;
    published.type = PMIX_BYTE_OBJECT;
    published.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(value.data()));
    published.data.bo.size = value.size();
    const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, std::string(key).c_str(), &published);
    if (status != PMIX_SUCCESS) return pmix_error("publishing an address", status);
    uncommitted_ = true;
    return {};
  }

  Error fence() override {
    if (uncommitted_) {
      if (const pmix_status_t status = PMIx_Commit(); status != PMIX_SUCCESS)
        return pmix_error("publishing addresses", status);
      uncommitted_ = false;
    }
    pmix_info_t collect;
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    const pmix_status_t status = PMIx_Fence(nullptr, 0, &collect, 1);
    return status == PMIX_SUCCESS ? Error() : pmix_error("waiting for the other processes", status);
  }

  Error begin_fence(std::atomic<bool>& over, Doorbell& bell) override {
    pending_ = {&over, &bell};
    // What went wrong is told as the end too: nobody is left to wait for.
    auto done = [](pmix_status_t, void* pending) {
      static_cast<Pending*>(pending)->over->store(true, std::memory_order_release);  // partner: whoever waits for it
      static_cast<Pending*>(pending)->bell->ring_if_sleeping(true);
    };
    const pmix_status_t status = PMIx_Fence_nb(nullptr, 0, nullptr, 0, done, &pending_);
    if (status == PMIX_OPERATION_SUCCEEDED) done(status, &pending_);
    return status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED
               ? Error()
               : pmix_error("waiting for the other processes", status);
  }

  Result<std::vector<std::byte>> get(int rank, std::string_view key) override {
    const auto value = find(rank, std::string(key).c_str(), false);
    if (!value || (**value).type != PMIX_BYTE_OBJECT)
      return make_error(ErrorClass::other, "rank %d has not published %.*s", rank, static_cast<int>(key.size()), key.data());
    const pmix_byte_object_t& object = (**value).data.bo;
    const auto* bytes = reinterpret_cast<const std::byte*>(object.bytes);
    return std::vector<std::byte>(bytes, bytes + object.size);
  }

  Error spawn(std::span<const SpawnedProgram> programs, Blocking& blocking) override {
    Apps apps(programs);
    struct Answer {
      std::atomic<bool> there{false};
      pmix_status_t status = PMIX_SUCCESS;
      Doorbell* bell;
    } answer;
    answer.bell = &blocking.waiter().bell();
    const auto done = [](pmix_status_t status, char*, void* context) {
      auto& to = *static_cast<Answer*>(context);
      Doorbell& bell = *to.bell;
      to.status = status;
      to.there.store(true, std::memory_order_release);  // partner: the load below, after which `to` is gone
      bell.ring_if_sleeping(true);
    };
    pmix_status_t status = PMIx_Spawn_nb(nullptr, 0, apps.data(), apps.size(), done, &answer);
    if (status == PMIX_SUCCESS) {
      blocking.until([&] { return answer.there.load(std::memory_order_acquire); });  // partner: the store above
      status = answer.status;
    }
    return status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED ? Error() : spawn_error(programs, status);
  }

  Error publish(const std::string& name, const std::string& port) override {
    pmix_info_t item;
    PMIX_INFO_LOAD(&item, name_key(name).c_str(), port.c_str(), PMIX_STRING);
    const pmix_status_t status = PMIx_Publish(&item, 1);
    PMIX_INFO_DESTRUCT(&item);
    if (status == PMIX_SUCCESS) return {};
    if (status == PMIX_ERR_DUPLICATE_KEY) return make_error(ErrorClass::service, "%s is published already", name.c_str());
    return make_error(ErrorClass::service, "%s cannot be published: %s", name.c_str(), PMIx_Error_string(status));
  }

  Error unpublish(const std::string& name) override {
    const std::string key = name_key(name);
    std::array<char*, 2> keys{const_cast<char*>(key.c_str()), nullptr};
    const pmix_status_t status = PMIx_Unpublish(keys.data(), nullptr, 0);
    if (status == PMIX_SUCCESS) return {};
    return make_error(ErrorClass::service, "%s is not published by this process", name.c_str());
  }

  Result<std::string> look_up(const std::string& name) override {
    pmix_pdata_t item;
    std::memset(&item, 0, sizeof item);
    PMIX_LOAD_KEY(item.key, name_key(name).c_str());
    const pmix_status_t status = PMIx_Lookup(&item, 1, nullptr, 0);
    if (status != PMIX_SUCCESS || item.value.type != PMIX_STRING || item.value.data.string == nullptr)
      return make_error(ErrorClass::name, "nothing is published as %s", name.c_str());
    std::string port = item.value.data.string;
    PMIX_VALUE_DESTRUCT(&item.value);
    return port;
  }

  Error finish() override {
    const pmix_status_t status = PMIx_Finalize(nullptr, 0);
    return status == PMIX_SUCCESS ? Error() : pmix_error("taking leave of the PMIx server", status);
  }

  [[noreturn]] void abort(int code, const char* why) override {
    PMIx_Abort(code, why, nullptr, 0);
    _exit(code);
  }

 private:
  // `optional`: what the server has sent already; never waits for another process.
  std::optional<Value> find(int rank, const char* key, bool optional) const {
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, self_.nspace, rank < 0 ? PMIX_RANK_WILDCARD : static_cast<pmix_rank_t>(rank));
    pmix_info_t hint;
    bool yes = true;
    PMIX_INFO_LOAD(&hint, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    if (PMIx_Get(&proc, key, &hint, optional ? 1 : 0, &value) != PMIX_SUCCESS || value == nullptr) return {};
    return Value(value);
  }
  std::optional<std::int64_t> number(int rank, const char* key, bool optional) const {
    const auto value = find(rank, key, optional);
    return value ? value->number() : std::nullopt;
  }
  std::optional<std::int64_t> job_number(const char* key) const { return number(-1, key, false); }

  // Who shares our node. Only what every server offers is used: PMIX_LOCAL_PEERS, a list that need not be sorted, and the
  // name of each rank's host.
  Error find_neighbours() {
    job_.local_ranks = {job_.rank};
    const auto peers = find(-1, PMIX_LOCAL_PEERS, false);
    if (peers && peers->text() != nullptr) {
      job_.local_ranks.clear();
      for (const char* at = peers->text(); *at != '\0';) {
        char* end = nullptr;
        const long rank = std::strtol(at, &end, 10);
        if (end == at) break;
        job_.local_ranks.push_back(static_cast<int>(rank));
        at = *end == ',' ? end + 1 : end;
      }
      std::sort(job_.local_ranks.begin(), job_.local_ranks.end());
    }
    const bool includes_self = std::binary_search(job_.local_ranks.begin(), job_.local_ranks.end(), job_.rank);
    if (!includes_self || job_.local_ranks.back() >= job_.size)
      return make_error(ErrorClass::other, "the PMIx server's list of the ranks on this node does not hold rank %d",
                        job_.rank);
    if (static_cast<int>(job_.local_ranks.size()) == job_.size) return {};
    find_nodes();
    return {};
  }

  // Servers know the host's name of every rank, but the number of the host not always for ranks of other hosts. Where a name
  // is missing each rank counts as alone: all ranks must come to the same map.
  void find_nodes() {
    std::map<std::string, int> number_of_name;
    for (int rank = 0; rank < job_.size; ++rank) {
      const auto name = find(rank, PMIX_HOSTNAME, true);
      if (!name || name->text() == nullptr) break;
      const auto next = static_cast<int>(number_of_name.size());
      job_.node_of_rank.push_back(number_of_name.try_emplace(name->text(), next).first->second);
    }
    if (static_cast<int>(job_.node_of_rank.size()) == job_.size) return;
    job_.node_of_rank.resize(static_cast<std::size_t>(job_.size));
    std::iota(job_.node_of_rank.begin(), job_.node_of_rank.end(), 0);
  }

  pmix_proc_t self_{};
  struct Pending {
    std::atomic<bool>* over = nullptr;
    Doorbell* bell = nullptr;
  };
  Pending pending_;  // the fence that was begun
  JobInfo job_;
  bool uncommitted_ = false;
};

}  // namespace

Result<std::unique_ptr<Bootstrap>> make_pmix_bootstrap() {
  auto made = std::make_unique<PmixBootstrap>();
  OL_TRY(made->start());
  return std::unique_ptr<Bootstrap>(std::move(made));
}

}  // namespace ompi_lite
