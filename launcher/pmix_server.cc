// SPDX-License-Identifier: BSD-3-Clause
// Starts the PMIx server, describes the job to it, turns its call-backs into events.
#include "launcher/pmix_server.h"

#include <hwloc.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "launcher/doorman.h"
#include "launcher/loopback.h"
#include "launcher/name_service.h"
#include "launcher/pmix_info.h"

namespace ompi_lite::launcher {
namespace {

PmixServer* the_server = nullptr;  // PMIx call-backs carry no context
NameService the_names;             // used on PMIx's thread only

int rank_of(const pmix_proc_t* process) { return static_cast<int>(process->rank); }

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  the_server->post({RankNews::connected, rank_of(process), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  the_server->post({RankNews::finalized, rank_of(process), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char text[], pmix_proc_t*, size_t,
                       pmix_op_cbfunc_t, void*) {
  the_server->post({RankNews::aborted, rank_of(process), status, text == nullptr ? "" : text});
  return PMIX_OPERATION_SUCCEEDED;
}

// All ranks are ours, so what the library collected is already everything.
pmix_status_t on_fence(const pmix_proc_t*, size_t, const pmix_info_t*, size_t, char* data, size_t bytes,
                       pmix_modex_cbfunc_t done, void* context) {
  if (done != nullptr)
    done(
        PMIX_SUCCESS, data, bytes, context, [](void* memory) { std::free(memory); }, data);
  return PMIX_SUCCESS;
}

// Asked only for ranks that the library does not know: there are none.
pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t*, size_t, pmix_modex_cbfunc_t done, void* context) {
  if (done != nullptr) done(PMIX_ERR_NOT_FOUND, nullptr, 0, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

// The library calls these when all participants have called; on one host nothing is left to do.
pmix_status_t on_connect(const pmix_proc_t*, size_t, const pmix_info_t*, size_t, pmix_op_cbfunc_t done, void* context) {
  if (done != nullptr) done(PMIX_SUCCESS, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_publish(const pmix_proc_t* owner, const pmix_info_t* items, size_t count, pmix_op_cbfunc_t done,
                         void* context) {
  const pmix_status_t status = the_names.publish(*owner, {items, count});
  if (done != nullptr) done(status, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_lookup(const pmix_proc_t*, char** keys, const pmix_info_t* directives, size_t count,
                        pmix_lookup_cbfunc_t done, void* context) {
  the_names.lookup(keys, {directives, count}, done, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_unpublish(const pmix_proc_t* owner, char** keys, const pmix_info_t*, size_t, pmix_op_cbfunc_t done,
                           void* context) {
  const pmix_status_t status = the_names.unpublish(*owner, keys);
  if (done != nullptr) done(status, context);
  return PMIX_SUCCESS;
}

pmix_server_module_t make_module() {
  pmix_server_module_t module{};
  module.client_connected2 = on_connected;
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.direct_modex = on_direct_modex;
  module.connect = on_connect;
  module.disconnect = on_connect;
  module.publish = on_publish;
  module.lookup = on_lookup;
  module.unpublish = on_unpublish;
  return module;
}

// A one-shot flag for the calls of PMIx that answer later. eventfd: no lock to hold while PMIx's thread calls back.
class Answer {
 public:
  Answer() : fd_(eventfd(0, EFD_CLOEXEC)) {}
  ~Answer() { close(fd_); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  static void arrived(pmix_status_t status, void* context) {
    auto* answer = static_cast<Answer*>(context);
    answer->status_ = status;
    (void)eventfd_write(answer->fd_, 1);
  }
  // Waits if the call said that the answer will come.
  pmix_status_t wait(pmix_status_t called) {
    if (called == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
    if (called != PMIX_SUCCESS) return called;
    eventfd_t value = 0;
    (void)eventfd_read(fd_, &value);
    return status_;
  }

 private:
  int fd_;
  pmix_status_t status_ = PMIX_SUCCESS;
};

Failure pmix_failure(const char* what, pmix_status_t status) {
  return Failure{std::string("the PMIx server cannot start: ") + what + ": " + PMIx_Error_string(status), ExitCode::failure};
}

std::string number_list(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(i);
  return text;
}

// The job's name must differ from that of every other job on the machine, also after pids have wrapped.
std::string unique_job_name() {
  std::uint64_t random = 0;
  (void)getrandom(&random, sizeof(random), 0);
  std::array<char, 64> name{};
  (void)std::snprintf(name.data(), name.size(), "ompi-lite-%d-%08llx", static_cast<int>(getpid()),
                      static_cast<unsigned long long>(random & 0xffffffffu));
  return name.data();
}

void describe_binding(const std::vector<int>& cpus, InfoList& rank_info) {
  if (cpus.empty()) return;
  pmix_cpuset_t set;
  set.source = const_cast<char*>("hwloc");
  const hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
  for (const int cpu : cpus) hwloc_bitmap_set(bitmap, static_cast<unsigned>(cpu));
  set.bitmap = bitmap;
  char* text = nullptr;
  if (PMIx_server_generate_cpuset_string(&set, &text) == PMIX_SUCCESS && text != nullptr) rank_info.add(PMIX_CPUSET, text);
  std::free(text);
  text = nullptr;
  if (PMIx_server_generate_locality_string(&set, &text) == PMIX_SUCCESS && text != nullptr) {
    rank_info.add(PMIX_LOCALITY_STRING, text);
  }
  std::free(text);
  hwloc_bitmap_free(bitmap);
}

InfoList describe_rank(const JobDescription& job, std::size_t rank, std::uint32_t rank_in_app) {
  InfoList info;
  const auto number = static_cast<std::uint32_t>(rank);
  info.add_rank(PMIX_RANK, number);
  info.add_rank(PMIX_GLOBAL_RANK, number);
  info.add_rank(PMIX_APP_RANK, rank_in_app);
  info.add(PMIX_APPNUM, static_cast<std::uint32_t>(job.app_of_rank[rank]));
  info.add(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
  info.add(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
  info.add(PMIX_NODEID, std::uint32_t{0});
  info.add(PMIX_HOSTNAME, job.host_name.c_str());
  describe_binding(job.cpus_of_rank[rank], info);
  return info;
}

}  // namespace

PmixServer::~PmixServer() { stop(); }

MaybeFailure PmixServer::start(const JobDescription& job, hwloc_topology* topology) {
  if (MaybeFailure failure = ensure_loopback()) return failure;
  event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  the_server = this;
  // The ranks' data are handed over in messages: no files of 4 MiB, no folder that may be full, read-only or too deep.
  setenv("PMIX_MCA_gds", "hash", 1);
  static pmix_server_module_t module = make_module();
  static pmix_topology_t shared_topology;
  shared_topology.source = const_cast<char*>("hwloc");
  shared_topology.topology = topology;
  InfoList info;
  info.add(PMIX_SERVER_TMPDIR, "/");
  info.add(PMIX_SYSTEM_TMPDIR, "/");
  info.add_topology(PMIX_TOPOLOGY2, &shared_topology);
  const pmix_status_t status = PMIx_server_init(&module, info.data(), info.size());
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_init", status);
  running_ = true;
  return register_job(job);
}

MaybeFailure PmixServer::register_job(const JobDescription& job) {
  const std::size_t size = job.app_of_rank.size();
  const auto size32 = static_cast<std::uint32_t>(size);
  const std::string all_ranks = number_list(size);
  job_name_ = unique_job_name();
  admit_clients_of(job_name_);
  InfoList info;
  info.add(PMIX_JOBID, job_name_.c_str());
  info.add(PMIX_JOB_SIZE, size32);
  info.add(PMIX_MAX_PROCS, size32);
  info.add(PMIX_UNIV_SIZE, static_cast<std::uint32_t>(job.universe_size));
  info.add(PMIX_LOCAL_SIZE, size32);
  info.add(PMIX_NODE_SIZE, size32);
  info.add(PMIX_LOCAL_PEERS, all_ranks.c_str());
  info.add_rank(PMIX_LOCALLDR, 0);
  info.add(PMIX_NUM_NODES, std::uint32_t{1});
  info.add(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.commands.size()));
  char* text = nullptr;
  if (PMIx_generate_regex(job.host_name.c_str(), &text) == PMIX_SUCCESS) info.add_regex(PMIX_NODE_MAP, text);
  std::free(text);
  text = nullptr;
  if (PMIx_generate_ppn(all_ranks.c_str(), &text) == PMIX_SUCCESS) info.add_regex(PMIX_PROC_MAP, text);
  std::free(text);
  std::vector<std::uint32_t> app_sizes(job.commands.size());
  std::vector<InfoList> rank_infos;
  std::vector<std::uint32_t> app_leaders(job.commands.size());
  for (std::size_t rank = 0; rank < size; ++rank) {
    const auto app = static_cast<std::size_t>(job.app_of_rank[rank]);
    if (app_sizes[app] == 0) app_leaders[app] = static_cast<std::uint32_t>(rank);
    rank_infos.push_back(describe_rank(job, rank, app_sizes[app]++));
  }
  for (std::size_t app = 0; app < job.commands.size(); ++app) {
    InfoList app_info;
    app_info.add(PMIX_APPNUM, static_cast<std::uint32_t>(app));
    app_info.add(PMIX_APP_SIZE, app_sizes[app]);
    app_info.add_rank(PMIX_APPLDR, app_leaders[app]);
    app_info.add(PMIX_APP_ARGV, job.commands[app].c_str());
    info.add_array(PMIX_APP_INFO_ARRAY, app_info);
  }
  for (InfoList& rank_info : rank_infos) info.add_array(PMIX_PROC_INFO_ARRAY, rank_info);
  Answer answer;
  const pmix_status_t status = answer.wait(PMIx_server_register_nspace(job_name_.c_str(), static_cast<int>(size),
                                                                       info.data(), info.size(), Answer::arrived, &answer));
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_register_nspace", status);
  return std::nullopt;
}

MaybeFailure PmixServer::add_to_environment(int rank, Environment& environment) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job_name_.c_str(), static_cast<pmix_rank_t>(rank));
  Answer answer;
  pmix_status_t status =
      answer.wait(PMIx_server_register_client(&process, getuid(), getgid(), nullptr, Answer::arrived, &answer));
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_register_client", status);
  char** variables = nullptr;
  status = PMIx_server_setup_fork(&process, &variables);
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_setup_fork", status);
  for (char** variable = variables; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view entry = *variable;
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos) environment.set(entry.substr(0, equals), entry.substr(equals + 1));
    std::free(*variable);
  }
  std::free(variables);
  return std::nullopt;
}

void PmixServer::post(RankEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  (void)eventfd_write(event_fd_, 1);
}

std::vector<RankEvent> PmixServer::take_events() {
  eventfd_t value = 0;
  (void)eventfd_read(event_fd_, &value);
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void PmixServer::stop() {
  if (!running_) return;
  running_ = false;
  (void)PMIx_server_finalize();
}

}  // namespace ompi_lite::launcher
