// SPDX-License-Identifier: BSD-3-Clause
// Starts the PMIx server, describes the job to it, turns its call-backs into events.
#include "launcher/pmix_server.h"

#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "launcher/doorman.h"
#include "launcher/loopback.h"
#include "launcher/name_service.h"
#include "launcher/pmix_info.h"
#include "launcher/pmix_job.h"

namespace ompi_lite::launcher {
namespace {

PmixServer* the_server = nullptr;  // PMIx call-backs carry no context
NameService the_names;             // used on PMIx's thread only

int rank_of(const pmix_proc_t* process) { return static_cast<int>(process->rank); }

// Spawned worlds have the job's name with their number behind a point.
int world_of(const pmix_proc_t* process) {
  const std::string& job = the_server->job().name;
  const std::string_view name = process->nspace;
  return name.size() > job.size() && name.starts_with(job) ? std::atoi(process->nspace + job.size() + 1) : 0;
}

RankEvent event_of(const pmix_proc_t* process, RankNews news) { return {news, rank_of(process), 0, {}, world_of(process)}; }

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  the_server->post(event_of(process, RankNews::connected));
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  the_server->post(event_of(process, RankNews::finalized));
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char text[], pmix_proc_t*, size_t,
                       pmix_op_cbfunc_t, void*) {
  RankEvent event = event_of(process, RankNews::aborted);
  event.abort_code = status;
  event.abort_text = text == nullptr ? "" : text;
  the_server->post(std::move(event));
  return PMIX_OPERATION_SUCCEEDED;
}

// Which ranks take part, in an order that is the same on every host; empty: all.
std::vector<int> participants(const pmix_proc_t* processes, std::size_t count) {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < count; ++i) {
    if (processes[i].rank == PMIX_RANK_WILDCARD) return {};
    ranks.push_back(static_cast<int>(processes[i].rank));
  }
  std::ranges::sort(ranks);
  if (static_cast<int>(ranks.size()) == the_server->job().size()) return {};
  return ranks;
}

// Whether all of them are on this host: then what the library has collected is everything already.
bool all_here(const std::vector<int>& ranks) {
  const JobSpec& job = the_server->job();
  if (job.hosts.size() == 1) return true;  // and so are spawned worlds
  const auto here = [&](int rank) {
    return rank >= 0 && rank < job.size() && job.host_of_rank[static_cast<std::size_t>(rank)] == the_server->host();
  };
  if (!ranks.empty()) return std::ranges::all_of(ranks, here);
  return std::ranges::all_of(job.host_of_rank, [](int host) { return host == the_server->host(); });
}

// A call of the library that waits for other hosts.
struct Pending {
  pmix_modex_cbfunc_t with_data = nullptr;
  pmix_op_cbfunc_t without_data = nullptr;
  void* context = nullptr;
  pmix_spawn_cbfunc_t spawned = nullptr;

  void finish(pmix_status_t status, const std::string& data) const {
    if (without_data != nullptr) without_data(status, context);
    if (with_data == nullptr) return;
    auto* copy = static_cast<char*>(std::malloc(std::max<std::size_t>(data.size(), 1)));
    if (copy != nullptr) std::memcpy(copy, data.data(), data.size());
    with_data(copy == nullptr ? PMIX_ERR_NOMEM : status, copy, copy == nullptr ? 0 : data.size(), context, std::free, copy);
  }
};

// Filled on PMIx's thread, emptied on ours.
class PendingCalls {
 public:
  std::uint64_t add(const Pending& call) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(++last_, call);
    return last_;
  }
  std::optional<Pending> take(std::uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(ticket);
    if (found == calls_.end()) return std::nullopt;
    const Pending call = found->second;
    calls_.erase(found);
    return call;
  }

 private:
  std::mutex mutex_;
  std::uint64_t last_ = 0;                  // guarded by mutex_
  std::map<std::uint64_t, Pending> calls_;  // guarded by mutex_
};
PendingCalls* pending_calls = nullptr;

std::string fence_key(const char* kind, const std::vector<int>& ranks) {
  std::string key = kind;
  for (const int rank : ranks) key += ' ' + std::to_string(rank);
  return key;
}

pmix_status_t on_fence(const pmix_proc_t* processes, size_t count, const pmix_info_t*, size_t, char* data, size_t bytes,
                       pmix_modex_cbfunc_t done, void* context) {
  std::vector<int> ranks = participants(processes, count);
  if (all_here(ranks)) {
    if (done != nullptr) done(PMIX_SUCCESS, data, bytes, context, std::free, data);
    return PMIX_SUCCESS;
  }
  FenceCall call{fence_key("fence", ranks), ranks, data == nullptr ? std::string() : std::string(data, bytes), 0};
  std::free(data);
  call.ticket = pending_calls->add(Pending{done, nullptr, context});
  the_server->post(std::move(call));
  return PMIX_SUCCESS;
}

// Asked for ranks of other hosts.
pmix_status_t on_direct_modex(const pmix_proc_t* process, const pmix_info_t*, size_t, pmix_modex_cbfunc_t done,
                              void* context) {
  const int rank = rank_of(process);
  if (world_of(process) != 0 || rank < 0 || rank >= the_server->job().size() || all_here({rank})) {
    if (done != nullptr) done(PMIX_ERR_NOT_FOUND, nullptr, 0, context, nullptr, nullptr);
    return PMIX_SUCCESS;
  }
  the_server->post(FetchCall{rank, pending_calls->add(Pending{done, nullptr, context})});
  return PMIX_SUCCESS;
}

// The library calls these when all participants of this host have called.
pmix_status_t meet(const char* kind, const pmix_proc_t* processes, size_t count, pmix_op_cbfunc_t done, void* context) {
  const std::vector<int> ranks = participants(processes, count);
  if (all_here(ranks)) {
    if (done != nullptr) done(PMIX_SUCCESS, context);
    return PMIX_SUCCESS;
  }
  the_server->post(FenceCall{fence_key(kind, ranks), ranks, {}, pending_calls->add(Pending{nullptr, done, context})});
  return PMIX_SUCCESS;
}

pmix_status_t on_connect(const pmix_proc_t* processes, size_t count, const pmix_info_t*, size_t, pmix_op_cbfunc_t done,
                         void* context) {
  return meet("connect", processes, count, done, context);
}

pmix_status_t on_disconnect(const pmix_proc_t* processes, size_t count, const pmix_info_t*, size_t, pmix_op_cbfunc_t done,
                            void* context) {
  return meet("disconnect", processes, count, done, context);
}

// Names are known on one host alone, so a job on several has none.
bool has_names() { return all_here({}); }

pmix_status_t on_publish(const pmix_proc_t* owner, const pmix_info_t* items, size_t count, pmix_op_cbfunc_t done,
                         void* context) {
  if (!has_names()) return PMIX_ERR_NOT_SUPPORTED;
  const pmix_status_t status = the_names.publish(*owner, {items, count});
  if (done != nullptr) done(status, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_lookup(const pmix_proc_t*, char** keys, const pmix_info_t* directives, size_t count,
                        pmix_lookup_cbfunc_t done, void* context) {
  if (!has_names()) return PMIX_ERR_NOT_SUPPORTED;
  the_names.lookup(keys, {directives, count}, done, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_unpublish(const pmix_proc_t* owner, char** keys, const pmix_info_t*, size_t, pmix_op_cbfunc_t done,
                           void* context) {
  if (!has_names()) return PMIX_ERR_NOT_SUPPORTED;
  const pmix_status_t status = the_names.unpublish(*owner, keys);
  if (done != nullptr) done(status, context);
  return PMIX_SUCCESS;
}

SpawnedApp app_of(const pmix_app_t& app) {
  const auto list = [](char** words) {
    std::vector<std::string> result;
    for (; words != nullptr && *words != nullptr; ++words) result.emplace_back(*words);
    return result;
  };
  SpawnedApp result{list(app.argv), list(app.env), app.cwd == nullptr ? "" : app.cwd, {}, {}, app.maxprocs};
  if (result.argv.empty() && app.cmd != nullptr) result.argv.emplace_back(app.cmd);
  for (std::size_t i = 0; i < app.ninfo; ++i) {
    const pmix_info_t& item = app.info[i];
    if (item.value.type != PMIX_STRING || item.value.data.string == nullptr) continue;
    const std::string_view key = item.key;
    if (key == PMIX_HOST) result.hosts = item.value.data.string;
    if (key == PMIX_WDIR && result.folder.empty()) result.folder = item.value.data.string;
    if (key == "ompi_lite.path") result.search_path = item.value.data.string;
  }
  return result;
}

// Only where all is on one host: the daemons of others know of one world.
pmix_status_t on_spawn(const pmix_proc_t* process, const pmix_info_t*, size_t, const pmix_app_t* apps, size_t count,
                       pmix_spawn_cbfunc_t done, void* context) {
  if (the_server->job().hosts.size() > 1) return PMIX_ERR_NOT_SUPPORTED;
  SpawnCall call{world_of(process), rank_of(process), {}, 0};
  for (std::size_t i = 0; i < count; ++i) {
    call.apps.push_back(app_of(apps[i]));
    if (call.apps.back().argv.empty()) return PMIX_ERR_BAD_PARAM;
  }
  call.ticket = pending_calls->add(Pending{nullptr, nullptr, context, done});
  the_server->post(std::move(call));
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
  module.disconnect = on_disconnect;
  module.publish = on_publish;
  module.lookup = on_lookup;
  module.unpublish = on_unpublish;
  module.spawn = on_spawn;
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

// What dmodex answers, on PMIx's thread.
void on_fetched(pmix_status_t status, char* data, size_t bytes, void* context) {
  const std::unique_ptr<std::uint64_t> ticket(static_cast<std::uint64_t*>(context));
  const bool good = status == PMIX_SUCCESS && data != nullptr;
  the_server->post(Fetched{*ticket, good, good ? std::string(data, bytes) : std::string()});
}

}  // namespace

PmixServer::~PmixServer() { stop(); }

MaybeFailure PmixServer::start(const JobSpec& job, int host, const Placement& placement, hwloc_topology* topology) {
  job_ = &job;
  host_ = host;
  if (MaybeFailure failure = ensure_loopback()) return failure;
  event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  the_server = this;
  static PendingCalls calls;
  pending_calls = &calls;
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
  if (job.hosts.size() > 1) {
    info.add(PMIX_SERVER_NSPACE, (job.name + "-servers").c_str());
    info.add_rank(PMIX_SERVER_RANK, static_cast<std::uint32_t>(host));
    info.add(PMIX_HOSTNAME, job.hosts[static_cast<std::size_t>(host)].c_str());
  }
  const pmix_status_t status = PMIx_server_init(&module, info.data(), info.size());
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_init", status);
  running_ = true;
  admit_clients_of(job.name);
  return register_job(job, host, placement);
}

MaybeFailure PmixServer::register_job(const JobSpec& job, int host, const Placement& placement) {
  InfoList info = describe_job(job, host, placement);
  const auto here = static_cast<int>(job.ranks_of(host).size());
  Answer answer;
  const pmix_status_t status =
      answer.wait(PMIx_server_register_nspace(job.name.c_str(), here, info.data(), info.size(), Answer::arrived, &answer));
  if (status != PMIX_SUCCESS) return pmix_failure("PMIx_server_register_nspace", status);
  return std::nullopt;
}

MaybeFailure PmixServer::add_world(const JobSpec& world, const Placement& placement) {
  return register_job(world, 0, placement);
}

void PmixServer::remove_world(const std::string& name) {
  Answer answer;
  PMIx_server_deregister_nspace(name.c_str(), Answer::arrived, &answer);
  (void)answer.wait(PMIX_SUCCESS);
}

void PmixServer::finish_spawn(std::uint64_t ticket, int status) {
  // The client's library keeps an account of every job that is named here, and never closes one (50 KiB each). Our ranks do
  // not ask how the new job is called, so it gets the name of one that it knows.
  pmix_nspace_t nspace{};
  PMIX_LOAD_NSPACE(nspace, job_->name.c_str());
  if (const auto call = pending_calls->take(ticket)) call->spawned(status, nspace, call->context);
}

MaybeFailure PmixServer::add_to_environment(const std::string& job, int rank, Environment& environment) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.c_str(), static_cast<pmix_rank_t>(rank));
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

void PmixServer::finish_fence(std::uint64_t ticket, bool good, const std::string& data) {
  if (const auto call = pending_calls->take(ticket)) call->finish(good ? PMIX_SUCCESS : PMIX_ERROR, data);
}

void PmixServer::finish_fetch(std::uint64_t ticket, bool good, const std::string& data) {
  if (const auto call = pending_calls->take(ticket)) call->finish(good ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, data);
}

void PmixServer::fetch(int rank, std::uint64_t ticket) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job_->name.c_str(), static_cast<pmix_rank_t>(rank));
  auto context = std::make_unique<std::uint64_t>(ticket);
  if (PMIx_server_dmodex_request(&process, on_fetched, context.get()) == PMIX_SUCCESS) {
    (void)context.release();
  } else {
    post(Fetched{ticket, false, {}});
  }
}

void PmixServer::post(ServerEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  (void)eventfd_write(event_fd_, 1);
}

std::vector<ServerEvent> PmixServer::take_events() {
  if (event_fd_ < 0) return {};
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
