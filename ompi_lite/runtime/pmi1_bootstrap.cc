// SPDX-License-Identifier: BSD-3-Clause
// The bootstrap through version 1 of PMI's wire protocol: lines of text to Hydra (mpiexec of MPICH and of Intel MPI) or to
// Slurm's plugin pmi2. As MPICH's public documentation of PMI gives it, and as these servers were found to answer.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/text.h"
#include "ompi_lite/runtime/bootstrap.h"
#include "ompi_lite/runtime/pmi1_wire.h"

namespace ompi_lite {
namespace {

using pmi1::field;
using pmi1::number;

constexpr std::size_t kPieceBytes =
    256;  // of a value in one line, as twice as many digits: servers take 1024 letters or less

// Two processes on one host have the same.
std::string host_identity() {
  char boot[64] = "";
  os::Fd fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!fd || ::read(fd.get(), boot, sizeof boot - 1) <= 0) boot[0] = '\0';
  return boot + os::host_name();
}

class Pmi1Bootstrap final : public Bootstrap {
 public:
  // Without finish() something has gone wrong, and the launcher shall see a process that ends in disorder.
  ~Pmi1Bootstrap() override {
    if (waiting_.joinable()) waiting_.detach();
  }

  Error start() {
    OL_TRY(std::getenv("PMI_FD") != nullptr ? take_descriptor() : connect());
    if (job_.size < 1 || job_.rank < 0 || job_.rank >= job_.size)
      return make_error(ErrorClass::other, "the launcher says that this process is rank %d of %d", job_.rank, job_.size);
    std::string answer;
    OL_TRY(ask("init pmi_version=1 pmi_subversion=1", "response_to_init", answer));
    OL_TRY(ask("get_my_kvsname", "my_kvsname", answer));
    job_.name = space_ = field(answer, "kvsname");
    OL_TRY(ask("get_universe_size", "universe_size", answer));
    job_.universe_size = std::max(number(field(answer, "size"), 0), 0);
    OL_TRY(ask("get_appnum", "appnum", answer));
    job_.app_number = number(field(answer, "appnum"), -1);
    job_.app_known = job_.app_number >= 0;
    return find_neighbours();
  }

  const JobInfo& job() const override { return job_; }

  Error put(std::string_view key, std::span<const std::byte> value) override {
    std::string answer;
    for (std::size_t piece = 0, from = 0; piece == 0 || from < value.size(); ++piece, from += kPieceBytes) {
      const auto bytes = value.subspan(from, std::min(kPieceBytes, value.size() - from));
      const std::string text = (from + bytes.size() < value.size() ? "+" : ".") + hex_of(bytes);  // whether another follows
      OL_TRY(ask("put kvsname=" + space_ + " key=" + piece_name(key, job_.rank, piece) + " value=" + text, "put_result",
                 answer));
    }
    return {};
  }

  Error fence() override {
    std::string answer;
    return ask("barrier_in", "barrier_out", answer);
  }

  Error begin_fence(std::atomic<bool>& over, Doorbell& bell) override {
    OL_TRY(lines_.say("cmd=barrier_in"));
    waiting_ = std::thread([this, &over, &bell] {
      (void)lines_.hear();                          // what went wrong is told as the end too: nobody is left to wait for
      over.store(true, std::memory_order_release);  // partner: whoever waits for it
      bell.ring_if_sleeping(true);
    });
    return {};
  }

  Result<std::vector<std::byte>> get(int rank, std::string_view key) override {
    std::vector<std::byte> value;
    for (std::size_t piece = 0;; ++piece) {
      std::string answer;
      OL_TRY(ask("get kvsname=" + space_ + " key=" + piece_name(key, rank, piece), "get_result", answer));
      const std::string text = field(answer, "value");
      if (const auto bytes = bytes_of_hex(std::string_view(text).substr(std::min<std::size_t>(1, text.size()))))
        value.insert(value.end(), bytes->begin(), bytes->end());
      if (text.empty() || text[0] != '+') return value;
    }
  }

  Error finish() override {
    if (waiting_.joinable()) waiting_.join();
    std::string answer;
    return ask("finalize", "finalize_ack", answer);
  }

  [[noreturn]] void abort(int code, const char*) override {
    (void)lines_.say("cmd=abort exitcode=" + std::to_string(code));
    _exit(code);
  }

 private:
  static std::string piece_name(std::string_view key, int rank, std::size_t piece) {
    return std::string(key) + '.' + std::to_string(rank) + '.' + std::to_string(piece);
  }

  Error ask(const std::string& command, const char* wanted, std::string& answer) {
    Result<std::string> line = lines_.ask("cmd=" + command);
    if (!line) return line.error();
    answer = std::move(line).value();
    if (field(answer, "cmd") == wanted && number(field(answer, "rc"), 0) == 0) return {};
    return make_error(ErrorClass::other, "the launcher's PMI server answered \"%s\" to \"%s\"", answer.c_str(),
                      command.c_str());
  }

  Error take_descriptor() {
    const char* rank = std::getenv("PMI_RANK");
    const char* size = std::getenv("PMI_SIZE");
    const char* text = std::getenv("PMI_FD");
    const int fd = number(text, -1);
    if (rank == nullptr || size == nullptr || fd < 0 || lines_.take(fd))
      return make_error(
          ErrorClass::other,
          "PMI_FD is \"%s\", PMI_RANK \"%s\", PMI_SIZE \"%s\": that is no connection to a launcher; unset PMI_FD to "
          "run alone",
          text, rank != nullptr ? rank : "", size != nullptr ? size : "");
    job_.rank = number(rank, -1);
    job_.size = number(size, -1);
    return {};
  }

  Error connect() {
    const char* id = std::getenv("PMI_ID");
    if (id == nullptr) return Error(ErrorClass::other, "PMI_PORT is set, but PMI_ID is not; unset PMI_PORT to run alone");
    OL_TRY(lines_.connect(std::getenv("PMI_PORT")));
    std::string answer;
    OL_TRY(ask(std::string("initack pmiid=") + id, "initack", answer));
    job_.size = job_.rank = -1;
    for (int i = 0; i < 3; ++i) {  // size, rank, debug, in whatever order
      Result<std::string> line = lines_.hear();
      if (!line) return line.error();
      job_.size = number(field(*line, "size"), job_.size);
      job_.rank = number(field(*line, "rank"), job_.rank);
    }
    return {};
  }

  // Who shares our node: the servers tell it in short form, unless that would still be too long for them.
  Error find_neighbours() {
    Result<std::string> answer = lines_.ask("cmd=get kvsname=" + space_ + " key=PMI_process_mapping");
    if (!answer) return answer.error();
    job_.node_of_rank = pmi1::nodes_of_mapping(field(*answer, "value"), job_.size);
    if (job_.node_of_rank.empty()) OL_TRY(compare_hosts());
    job_.local_ranks.clear();
    const int node = job_.node_of_rank[static_cast<std::size_t>(job_.rank)];
    for (int rank = 0; rank < job_.size; ++rank)
      if (job_.node_of_rank[static_cast<std::size_t>(rank)] == node) job_.local_ranks.push_back(rank);
    if (static_cast<int>(job_.local_ranks.size()) == job_.size) job_.node_of_rank.clear();
    return {};
  }

  // The node of a rank is the first rank with the same host.
  Error compare_hosts() {
    const std::string own = host_identity();
    OL_TRY(put("ompi_lite.host", std::as_bytes(std::span(own))));
    OL_TRY(fence());
    std::map<std::vector<std::byte>, int> first_of_host;
    for (int rank = 0; rank < job_.size; ++rank) {
      Result<std::vector<std::byte>> host = get(rank, "ompi_lite.host");
      if (!host) return host.error();
      job_.node_of_rank.push_back(first_of_host.try_emplace(*host, rank).first->second);
    }
    return {};
  }

  pmi1::Lines lines_;  // of the waiting thread while there is one
  std::thread waiting_;
  std::string space_;  // the name under which the server keeps the job's values
  JobInfo job_;
};

}  // namespace

Result<std::unique_ptr<Bootstrap>> make_pmi1_bootstrap() {
  auto made = std::make_unique<Pmi1Bootstrap>();
  OL_TRY(made->start());
  return std::unique_ptr<Bootstrap>(std::move(made));
}

}  // namespace ompi_lite
