// SPDX-License-Identifier: BSD-3-Clause
// What tcp does when the world is not kind: strangers, wrong secrets, deaths, two who connect at once.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "btl/tcp/handshake.h"
#include "btl/tcp/transport.h"
#include "ompi_lite/base/clock.h"

namespace ompi_lite::btl::tcp {
namespace {

struct Counter final : Receiver {
  void on_frame(PeerId from, std::span<const std::byte> frame) override {
    ++frames;
    last_from = from;
    last.assign(frame.begin(), frame.end());
  }
  void on_lost(PeerId peer, Error why) override {
    ++lost;
    last_from = peer;
    reason = why.sentence();
  }
  int frames = 0, lost = 0;
  PeerId last_from = -1;
  std::vector<std::byte> last;
  std::string reason;
};

std::unique_ptr<Transport> make(PeerId self, int secret = 7) {
  Setup setup{.self = self};
  setup.job_secret.fill(static_cast<std::byte>(secret));
  auto made = TcpTransport::make(setup);
  REQUIRE(made);
  return std::move(made).value();
}

std::unique_ptr<Endpoint> connect(Transport& from, PeerId peer, const std::vector<std::byte>& address) {
  auto endpoint = from.connect(peer, address);
  REQUIRE(endpoint);
  return std::move(endpoint).value();
}

Sent send_text(Endpoint& to, const char* text) { return to.try_send(std::as_bytes(std::span(text, std::strlen(text))), {}); }

std::string text_of_last(const Counter& counter) {
  return std::string(reinterpret_cast<const char*>(counter.last.data()), counter.last.size());
}

std::uint16_t port_of(const Transport& transport) {
  std::uint16_t port;
  auto address = transport.address();
  std::memcpy(&port, address.data() + 8, sizeof port);
  return port;
}

int stranger(std::uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

template <class Done>
bool turn_until(std::initializer_list<std::pair<Transport*, Counter*>> ends, Done done, int ms = 10000) {
  Deadline deadline = Deadline::in_ms(ms);
  while (!done()) {
    for (auto [transport, counter] : ends) transport->progress(*counter);
    if (deadline.passed()) return false;
  }
  return true;
}

TEST_CASE("strangers on the port do no harm", "[btl]") {
  auto a = make(0), b = make(1);
  Counter at_a, at_b;
  std::vector<int> silent, noisy;
  for (int i = 0; i < 100; ++i) silent.push_back(stranger(port_of(*b)));
  for (int i = 0; i < 20; ++i) {
    noisy.push_back(stranger(port_of(*b)));
    std::string noise(1000, static_cast<char>('a' + i));
    (void)!write(noisy.back(), noise.data(), noise.size());
    b->progress(at_b);
  }
  auto to_b = connect(*a, 1, b->address());
  REQUIRE(send_text(*to_b, "friend") == Sent::yes);
  CHECK(turn_until({{a.get(), &at_a}, {b.get(), &at_b}}, [&] { return at_b.frames == 1; }));
  CHECK(text_of_last(at_b) == "friend");
  CHECK(at_b.last_from == 0);
  CHECK(at_b.lost == 0);
  for (int fd : silent) close(fd);
  for (int fd : noisy) close(fd);
}

TEST_CASE("who does not know the secret gets no frame through and is told so", "[btl]") {
  setenv("OMPI_LITE_TCP_CONNECT_TIMEOUT", "300ms", 1);
  const KnobGroup groups[] = {knobs()};
  REQUIRE(!load_knobs(groups));
  auto a = make(0, 7), b = make(1, 8);
  Counter at_a, at_b;
  auto to_b = connect(*a, 1, b->address());
  REQUIRE(send_text(*to_b, "spy") == Sent::yes);
  CHECK(turn_until({{a.get(), &at_a}, {b.get(), &at_b}}, [&] { return at_a.lost == 1; }));
  CHECK(at_b.frames == 0);
  CHECK(at_a.reason.find("secret") != std::string::npos);
  CHECK(send_text(*to_b, "spy") == Sent::dead);
  unsetenv("OMPI_LITE_TCP_CONNECT_TIMEOUT");
  for (KnobBase* knob : knobs().knobs) knob->reset();
}

TEST_CASE("another process on the peer's port is not taken for the peer", "[btl]") {
  auto a = make(0), b = make(1), c = make(2);
  Counter at_a, at_b, at_c;
  auto to_b = connect(*a, 1, c->address());  // as when an address is used on two hosts
  REQUIRE(send_text(*to_b, "lost") == Sent::yes);
  turn_until(
      {{a.get(), &at_a}, {c.get(), &at_c}}, [&] { return at_c.frames > 0; }, 400);
  CHECK(at_c.frames == 0);
}

TEST_CASE("two who connect at the same time end with one connection", "[btl]") {
  for (int round = 0; round < 20; ++round) {
    auto a = make(0), b = make(1);
    Counter at_a, at_b;
    auto to_b = connect(*a, 1, b->address());
    auto to_a = connect(*b, 0, a->address());
    REQUIRE(send_text(*to_b, "ab1") == Sent::yes);
    REQUIRE(send_text(*to_a, "ba1") == Sent::yes);
    for (int i = 0; i < round; ++i) (i % 3 ? a : b)->progress(i % 3 ? at_a : at_b);
    REQUIRE(send_text(*to_b, "ab2") == Sent::yes);
    REQUIRE(send_text(*to_a, "ba2") == Sent::yes);
    CHECK(turn_until({{a.get(), &at_a}, {b.get(), &at_b}}, [&] { return at_a.frames == 2 && at_b.frames == 2; }));
    CHECK(text_of_last(at_a) == "ba2");
    CHECK(text_of_last(at_b) == "ab2");
    CHECK(at_a.lost + at_b.lost == 0);
  }
}

TEST_CASE("a peer that dies without goodbye is lost, after all that it sent", "[btl]") {
  auto a = make(0);
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  auto address = a->address();
  pid_t child = fork();
  if (child == 0) {
    auto b = make(1);
    Counter at_b;
    auto to_a = connect(*b, 0, address);
    for (int i = 0; i < 100; ++i) send_text(*to_a, "still alive");
    while (!b->drained()) b->progress(at_b);
    (void)!write(pipe_ends[1], "x", 1);
    pause();
  }
  Counter at_a;
  CHECK(turn_until({{a.get(), &at_a}}, [&] { return at_a.frames >= 1; }));
  char done;
  CHECK(read(pipe_ends[0], &done, 1) == 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(turn_until({{a.get(), &at_a}}, [&] { return at_a.lost == 1; }));
  CHECK(at_a.frames == 100);
  CHECK(at_a.last_from == 1);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_CASE("a peer that does not look for long is not given up", "[btl]") {
  setenv("OMPI_LITE_TCP_CONNECT_TIMEOUT", "100ms", 1);
  const KnobGroup groups[] = {knobs()};
  REQUIRE(!load_knobs(groups));
  auto a = make(0), b = make(1);
  Counter at_a, at_b;
  auto to_b = connect(*a, 1, b->address());
  REQUIRE(send_text(*to_b, "patience") == Sent::yes);
  CHECK(!turn_until(
      {{a.get(), &at_a}}, [&] { return at_a.lost > 0; }, 1000));  // b computes
  turn_until(
      {{b.get(), &at_b}}, [&] { return at_b.frames + at_b.lost > 0; }, 1000);  // a computes
  CHECK(turn_until({{a.get(), &at_a}, {b.get(), &at_b}}, [&] { return at_b.frames == 1; }));
  CHECK(at_a.lost + at_b.lost == 0);
  unsetenv("OMPI_LITE_TCP_CONNECT_TIMEOUT");
  for (KnobBase* knob : knobs().knobs) knob->reset();
}

TEST_CASE("nobody listening means lost within the time allowed", "[btl]") {
  setenv("OMPI_LITE_TCP_CONNECT_TIMEOUT", "0.3", 1);
  const KnobGroup groups[] = {knobs()};
  REQUIRE(!load_knobs(groups));
  auto a = make(0);
  std::vector<std::byte> address;
  {
    auto b = make(1);
    address = b->address();
  }
  Counter at_a;
  auto to_b = connect(*a, 1, address);
  REQUIRE(send_text(*to_b, "anybody?") == Sent::yes);
  CHECK(turn_until(
      {{a.get(), &at_a}}, [&] { return at_a.lost == 1; }, 5000));
  CHECK(at_a.reason.find("refused") != std::string::npos);
  unsetenv("OMPI_LITE_TCP_CONNECT_TIMEOUT");
  for (KnobBase* knob : knobs().knobs) knob->reset();
}

TEST_CASE("a thread may sleep on the connections while another makes and drops some", "[btl]") {
  auto a = make(0), b = make(1);
  Counter at_a, at_b;
  std::atomic<bool> over{false};
  std::atomic<int> polls{0};
  std::thread sleeper([&] {  // as in Waiter::fall_asleep: without the process lock
    PollSet& descriptors = *b->descriptors();
    while (!over.load()) {
      if (descriptors.live()) descriptors.poll_ns(100'000, -1);
      polls.fetch_add(1);
    }
  });
  auto to_b = connect(*a, 1, b->address());
  for (int i = 1; i <= 20; ++i) {
    const int fd = stranger(port_of(*b));
    REQUIRE(send_text(*to_b, "friend") == Sent::yes);
    CHECK(turn_until({{a.get(), &at_a}, {b.get(), &at_b}}, [&] { return at_b.frames == i && polls.load() > i; }));
    close(fd);
  }
  over.store(true);
  sleeper.join();
  CHECK(b->descriptors()->live());
  CHECK(at_b.lost == 0);
}

TEST_CASE("a damaged address is refused", "[btl]") {
  auto a = make(0), b = make(1);
  auto address = b->address();
  CHECK(!a->connect(1, Address(address).subspan(1)));
  CHECK(!a->connect(1, {}));
  CHECK(!a->connect(0, address));
}

TEST_CASE("the keyed hash has the values its authors published", "[btl]") {
  Secret key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  std::byte text[15];
  for (std::size_t i = 0; i < sizeof text; ++i) text[i] = static_cast<std::byte>(i);
  CHECK(keyed_hash(key, text) == 0xa129ca6149be45e5);
}

}  // namespace
}  // namespace ompi_lite::btl::tcp
