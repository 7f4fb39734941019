// SPDX-License-Identifier: BSD-3-Clause
// Line-wise forwarding, with pipes in place of ranks and terminal.
#include "launcher/io_forward.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

namespace ompi_lite::launcher {
namespace {

using Channel = OutputForwarder::Channel;

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  int read_end;
  int write_end;
};

// Two ranks whose stdout we write, and the combined output we read.
class Scene {
 public:
  explicit Scene(bool tags) : forwarder(tags, output_.write_end, output_.write_end) {
    (void)fcntl(output_.read_end, F_SETFL, O_NONBLOCK);
    for (int rank = 0; rank < 2; ++rank) {
      const Pipe pipe;
      forwarder.add_stream(rank, pipe.read_end, Channel::out);
      ranks_[rank] = pipe.write_end;
    }
  }
  ~Scene() {
    for (int rank = 0; rank < 2; ++rank) leave(rank);
    close(output_.read_end);
    close(output_.write_end);
  }
  void write(int rank, std::string_view text) {
    REQUIRE(::write(ranks_[rank], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    turn();
  }
  void leave(int rank) {
    if (ranks_[rank] >= 0) close(ranks_[rank]);
    ranks_[rank] = -1;
    turn();
  }
  void turn() {
    std::vector<pollfd> wanted;
    forwarder.collect(wanted);
    (void)poll(wanted.data(), wanted.size(), 0);
    forwarder.handle(wanted);
    forwarder.show_idle_pieces();
  }
  void wait() {
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    turn();
  }
  // What has come out since the last call.
  std::string shown() {
    char block[65536];
    const ssize_t got = read(output_.read_end, block, sizeof(block));
    return {block, got > 0 ? static_cast<std::size_t>(got) : 0};
  }

 private:
  Pipe output_;
  int ranks_[2];

 public:
  OutputForwarder forwarder;
};

TEST_CASE("a line is held until it is whole", "[launcher]") {
  Scene scene(false);
  scene.write(0, "one ");
  CHECK(scene.shown().empty());
  scene.write(1, "other\n");
  CHECK(scene.shown() == "other\n");
  scene.write(0, "line\nnext");
  CHECK(scene.shown() == "one line\n");
}

TEST_CASE("a piece that stays alone is shown as a prompt", "[launcher]") {
  Scene scene(false);
  scene.write(0, "name? ");
  CHECK(scene.shown().empty());
  scene.wait();
  CHECK(scene.shown() == "name? ");
}

TEST_CASE("a piece at the end of a full stdio buffer is the middle of a line and waits longer", "[launcher]") {
  Scene scene(false);
  scene.write(0, std::string(4096, 'x'));
  scene.wait();
  CHECK(scene.shown().empty());
  scene.write(0, "end\n");
  CHECK(scene.shown() == std::string(4096, 'x') + "end\n");
}

TEST_CASE("tags begin lines and nothing else", "[launcher]") {
  Scene scene(true);
  scene.write(0, "ABCD");
  scene.wait();
  CHECK(scene.shown() == "[0] ABCD");
  scene.write(0, "EF");
  scene.wait();
  CHECK(scene.shown() == "EF");
  scene.wait();
  scene.write(1, "x\ny\n");
  CHECK(scene.shown() == "\n[1] x\n[1] y\n");
  scene.write(0, "G\n");
  CHECK(scene.shown() == "[0] G\n");
}

TEST_CASE("while a rank goes on with a line it has begun to show, others wait", "[launcher]") {
  Scene scene(false);
  scene.write(0, "pr");
  scene.wait();
  scene.write(0, "ompt");  // the line stays open, and its owner is active
  scene.write(1, "other\n");
  CHECK(scene.shown() == "pr");
  scene.write(0, " end\n");
  scene.turn();
  CHECK(scene.shown() == "ompt end\nother\n");
}

TEST_CASE("the last piece of a rank that ends is shown, with its line end only when tagged", "[launcher]") {
  for (const bool tags : {false, true}) {
    Scene scene(tags);
    scene.write(0, "last");
    scene.leave(0);
    scene.write(1, "words\n");
    CHECK(scene.shown() == (tags ? "[0] last\n[1] words\n" : "lastwords\n"));
    scene.leave(1);
    CHECK(scene.forwarder.all_ended());
  }
}

TEST_CASE("draining a rank shows all it wrote, then comes our own line", "[launcher]") {
  Scene scene(false);
  scene.write(1, "half");
  scene.write(0, "boom");
  scene.forwarder.drain_rank(0);
  scene.forwarder.say("mpirun: rank 0 died");
  CHECK(scene.shown() == "boom\nmpirun: rank 0 died\n");
}

TEST_CASE("a reader that is slow loses nothing and blocks nobody", "[launcher]") {
  Scene scene(false);
  std::string sent;
  std::string seen;
  for (int i = 0; i < 3000; ++i) {
    const std::string line = "line " + std::to_string(i) + std::string(60, '.') + "\n";
    sent += line;
    scene.write(i % 2, line);
    if (i % 500 == 499) seen += scene.shown();
  }
  for (int i = 0; i < 100 && seen.size() < sent.size(); ++i) {
    scene.turn();
    seen += scene.shown();
  }
  CHECK(seen.size() == sent.size());
}

}  // namespace
}  // namespace ompi_lite::launcher
