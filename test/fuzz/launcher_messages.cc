// SPDX-License-Identifier: BSD-3-Clause
// What mpirun and its daemons say to each other.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "launcher/job_message.h"
#include "launcher/link.h"
#include "launcher/sight_message.h"
#include "ompi_lite/base/macros.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

// What can be read can be written and read again, the same.
void job(std::string_view body) {
  launcher::JobSpec spec, again;
  if (!launcher::decode_job(body, spec)) return;
  OL_CHECK(launcher::decode_job(launcher::encode_job(spec), again));
  OL_CHECK(again.name == spec.name && again.app_of_rank == spec.app_of_rank && again.hosts == spec.hosts);
}

// A sound message of which bytes are changed: each two of the input are a place and a value.
void damaged_job(std::string_view changes) {
  launcher::JobSpec spec;
  spec.name = "job";
  spec.hosts = {"a", "b"};
  spec.app_of_rank = spec.host_of_rank = {0, 0};
  spec.apps.resize(1);
  spec.apps[0].argv = {"program", "word"};
  spec.apps[0].environment.set("NAME", "value");
  spec.fan_out = 2;
  std::string body = launcher::encode_job(spec);
  for (std::size_t i = 0; i + 1 < changes.size(); i += 2) {
    body[static_cast<unsigned char>(changes[i]) % std::min<std::size_t>(body.size(), 256)] = changes[i + 1];
  }
  job(changes.size() % 2 == 1 ? std::string_view(body).substr(0, body.size() / 2) : std::string_view(body));
}

void event(std::string_view body) {
  launcher::RankEvent event;
  pid_t pid = 0;
  if (!launcher::decode_event(body, event, pid)) return;
  OL_CHECK(launcher::encode_event(event, pid).size() <= body.size());
}

void end(std::string_view body) {
  launcher::RankEnd end;
  bool aborted = false;
  if (!launcher::decode_end(body, end, aborted)) return;
  OL_CHECK(launcher::encode_end(end, aborted).size() <= body.size());
}

void sights(std::string_view body) {
  std::vector<int> ranks;
  std::vector<launcher::RankSight> sights;
  if (!launcher::decode_sights(body, 5'000'000'000, ranks, sights)) return;
  OL_CHECK(ranks.size() == sights.size(), ranks.size(), sights.size());
}

// A connection: the bytes come in two pieces.
void connection(std::string_view bytes) {
  int ends[2];
  OL_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const int other = dup(ends[1]);
  {
    launcher::Link link(ends[0], dup(ends[0]), !bytes.empty() && bytes[0] % 2 == 1);
    std::size_t said = 0;
    for (const std::string_view piece : {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)}) {
      if (!piece.empty()) OL_CHECK(write(other, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size()));
      std::vector<pollfd> wanted;
      link.collect(wanted);
      if (!wanted.empty() && poll(wanted.data(), wanted.size(), 0) > 0) link.handle(wanted);
      for (const launcher::Message& message : link.take()) said += message.body.size() + sizeof(launcher::MessageHead);
    }
    OL_CHECK(said <= bytes.size(), said, bytes.size());
  }
  close(other);
  close(ends[1]);
}

}  // namespace

void fuzz_launcher_messages(std::span<const std::byte> input) {
  if (input.empty()) return;
  const std::string_view rest(reinterpret_cast<const char*>(input.data()) + 1, input.size() - 1);
  constexpr void (*readers[])(std::string_view) = {job, damaged_job, event, end, sights, connection};
  readers[static_cast<std::size_t>(input[0]) % std::size(readers)](rest);
}

}  // namespace ompi_lite::test
