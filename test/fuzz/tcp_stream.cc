// SPDX-License-Identifier: BSD-3-Clause
// A listening transport against someone who connects and sends what he likes: before, within and after the handshake.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "btl/tcp/handshake.h"
#include "btl/tcp/transport.h"
#include "ompi_lite/base/macros.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

using namespace btl;

struct Reader final : Receiver {
  std::size_t bytes = 0;
  unsigned sum = 0;  // every byte is read, so that a frame outside of its memory shows
  void on_frame(PeerId, std::span<const std::byte> frame) override {
    bytes += frame.size();
    for (const std::byte byte : frame) sum += std::to_integer<unsigned>(byte);
  }
  void on_lost(PeerId, Error) override {}
};

constexpr std::byte kSecretByte{7};

class Play {
 public:
  Play() {
    Setup setup;
    setup.job_secret.fill(kSecretByte);
    auto made = tcp::TcpTransport::make(setup);
    OL_CHECK(made, made.error().sentence());
    transport_ = std::move(made).value();
  }

  ~Play() {
    if (socket_ >= 0) close(socket_);
  }

  bool connect() {
    std::uint16_t port;
    std::memcpy(&port, transport_->address().data() + 8, sizeof port);
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    const timeval second{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }

  void turn(int times) {
    for (int i = 0; i < times; ++i) {
      transport_->descriptors()->poll_ns(0, -1);
      transport_->progress(reader_);
    }
  }

  // All of it, in pieces of that size.
  void send(std::span<const std::byte> bytes, std::size_t piece) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), std::min(piece, bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
      turn(2);
      if (sent < 0 && errno != EAGAIN) return;  // he was sent away
      if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  // As a rank of the job does it. False: sent away.
  bool shake_hands() {
    Secret secret;
    secret.fill(kSecretByte);
    const tcp::Hello hello{tcp::kMagic, {0, 1, 0}, {0, 0, 0}, 0, tcp::fresh_nonce()};
    send(std::as_bytes(std::span(&hello, 1)), sizeof hello);
    tcp::Challenge challenge;
    if (recv(socket_, &challenge, sizeof challenge, MSG_WAITALL) != sizeof challenge) return false;
    const tcp::Answer answer{tcp::proof_of(tcp::Side::connector, secret, hello, challenge.nonce)};
    send(std::as_bytes(std::span(&answer, 1)), sizeof answer);
    tcp::Verdict verdict;
    return recv(socket_, &verdict, sizeof verdict, MSG_WAITALL) == sizeof verdict && verdict == tcp::Verdict::welcome;
  }

  std::size_t heard() const { return reader_.bytes; }

 private:
  std::unique_ptr<Transport> transport_;
  Reader reader_;
  int socket_ = -1;
};

}  // namespace

void fuzz_tcp_stream(std::span<const std::byte> input) {
  if (input.size() < 2) return;
  const bool known = (input[0] & std::byte{1}) == std::byte{};
  const std::size_t piece = 1 + std::to_integer<std::size_t>(input[1]) * 5;
  Play play;
  OL_CHECK(play.connect(), errno);
  if (known) OL_CHECK(play.shake_hands(), errno);
  play.send(input.subspan(2), piece);
  play.turn(4);
  OL_CHECK(play.heard() <= input.size(), play.heard(), input.size());
  OL_CHECK(known || play.heard() == 0, play.heard());  // a stranger gets no frame through
}

}  // namespace ompi_lite::test
