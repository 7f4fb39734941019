// SPDX-License-Identifier: BSD-3-Clause
// Messages between mpirun and daemons: bodies, and the stream that they travel in.
#include "launcher/link.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "launcher/agent.h"
#include "launcher/job_message.h"

namespace ompi_lite::launcher {
namespace {

JobSpec some_job() {
  JobSpec spec;
  spec.name = "job";
  spec.secret = "0123";
  spec.hosts = {"n0", "n1"};
  AppSpec app{{"prog", "", "a b"}, "/tmp", {}, true, {"DISPLAY"}};
  app.environment.set("A", "1=2\n3");
  app.environment.set("HOSTNAME", "n0");
  app.environment.set("DISPLAY", ":1");
  spec.apps = {app};
  spec.app_of_rank = {0, 0, 0};
  spec.host_of_rank = {1, 0, 1};
  spec.agent = {"ssh", "-x"};
  spec.silent_seconds = 1.5;
  return spec;
}

TEST_CASE("a job arrives as it was sent, without what belongs to the host", "[launcher]") {
  JobSpec got;
  REQUIRE(decode_job(encode_job(some_job()), got));
  CHECK(got.hosts == some_job().hosts);
  CHECK(got.host_of_rank == some_job().host_of_rank);
  CHECK(got.agent == some_job().agent);
  CHECK(got.silent_seconds == 1.5);
  CHECK(got.apps[0].argv == some_job().apps[0].argv);
  CHECK(got.apps[0].environment.get("A") == std::string("1=2\n3"));
  CHECK(got.apps[0].environment.get("HOSTNAME") == nullptr);
  CHECK(got.apps[0].environment.get("DISPLAY") == std::string(":1"));
  Environment own;
  own.set("HOSTNAME", "n1");
  own.set("DISPLAY", ":2");
  own.set("B", "of the host");
  add_variables_of_host(own, got);
  CHECK(got.apps[0].environment.get("HOSTNAME") == std::string("n1"));
  CHECK(got.apps[0].environment.get("DISPLAY") == std::string(":1"));
  CHECK(got.apps[0].environment.get("B") == nullptr);
}

TEST_CASE("a job that was cut short is refused at every length", "[launcher]") {
  const std::string whole = encode_job(some_job());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    JobSpec got;
    CHECK_FALSE(decode_job(std::string_view(whole).substr(0, length), got));
  }
  JobSpec wrong = some_job();
  wrong.host_of_rank = {0, 1, 2};
  JobSpec got;
  CHECK_FALSE(decode_job(encode_job(wrong), got));
}

struct Pair {
  Pair() {
    REQUIRE(pipe(to) == 0);
    REQUIRE(pipe(from) == 0);
  }
  ~Pair() { close(from[0]); }
  int to[2];    // we write, the link reads
  int from[2];  // the link writes
};

void turn(Link& link) {
  std::vector<pollfd> wanted;
  link.collect(wanted);
  (void)poll(wanted.data(), wanted.size(), 1000);
  link.handle(wanted);
}

void write_all(int fd, const std::string& text) {
  REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

TEST_CASE("a message that does not end where it says is none", "[launcher]") {
  Pair pair;
  Link link(pair.to[0], pair.from[1], true);
  const MessageHead head{2, MessageKind::say, 0, 1};
  write_all(pair.to[1], greeting() + std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + "abc\n");
  turn(link);
  CHECK_FALSE(link.stranger().empty());
  CHECK(link.take().empty());
}

TEST_CASE("a greeting is found behind what a login shell prints, and messages behind that", "[launcher]") {
  Pair pair;
  Link link(pair.to[0], pair.from[1], true);
  write_all(pair.to[1], "Welcome!\nLast login: never\n" + greeting().substr(0, 8));
  turn(link);
  CHECK_FALSE(link.greeted());
  const MessageHead head{3, MessageKind::say, 0, 1};
  write_all(pair.to[1], greeting().substr(8) + std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + "abc\n");
  turn(link);
  CHECK(link.greeted());
  CHECK(link.stranger().empty());
  CHECK(link.chatter() == "Welcome!\nLast login: never\n");
  const std::vector<Message> messages = link.take();
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].kind == MessageKind::say);
  CHECK(messages[0].from == 1);
  CHECK(messages[0].body == "abc");
  close(pair.to[1]);
  turn(link);
  CHECK(link.ended());
}

TEST_CASE("a daemon of another version is a stranger, and so is who sends no message", "[launcher]") {
  Pair pair;
  Link link(pair.to[0], pair.from[1], true);
  write_all(pair.to[1], std::string(kGreetingMark) + "0.0.0 4321\n");
  turn(link);
  CHECK(link.stranger() == "0.0.0 4321");
  Pair other;
  Link noise(other.to[0], other.from[1], false);
  write_all(other.to[1], std::string(64, '\xff'));
  turn(noise);
  CHECK_FALSE(noise.stranger().empty());
  close(pair.to[1]);
  close(other.to[1]);
}

TEST_CASE("words for a remote shell keep what is in them", "[launcher]") {
  CHECK(shell_word("/usr/bin/x-1.0") == "/usr/bin/x-1.0");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
  Options options;
  options.prefix = "/opt/my mpi";
  CHECK(daemon_command(options) == "exec '/opt/my mpi/bin/ompi_lite_daemon'");
}

}  // namespace
}  // namespace ompi_lite::launcher
