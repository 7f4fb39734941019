// SPDX-License-Identifier: BSD-3-Clause
// Between pipes of ranks and messages.
#include "launcher/stream_relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ompi_lite::launcher {
namespace {

constexpr std::uint64_t most_under_way = 128 * 1024;
// A grandchild may go on writing; what was there when the rank ended fits into its pipe.
constexpr int most_drained_blocks = 32;

bool is_ready(const std::vector<pollfd>& ready, int fd) {
  return std::ranges::any_of(ready, [&](const pollfd& item) { return item.fd == fd && item.revents != 0; });
}

}  // namespace

StreamRelay::~StreamRelay() { close_all(); }

void StreamRelay::close_all() {
  for (Output& output : outputs_) {
    if (output.fd >= 0) close(output.fd);
    output.fd = -1;
  }
  for (Input& input : inputs_) {
    if (input.fd >= 0) close(input.fd);
    input.fd = -1;
  }
}

void StreamRelay::add_output(int rank, int fd, OutputForwarder::Channel channel) {
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  outputs_.push_back(Output{rank, fd, channel});
}

void StreamRelay::add_input(int rank, int fd) {
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  inputs_.push_back(Input{rank, fd, {}, false});
}

void StreamRelay::collect(std::vector<pollfd>& wanted) const {
  for (const Output& output : outputs_) {
    if (output.fd >= 0 && output.under_way < most_under_way) wanted.push_back({output.fd, POLLIN, 0});
  }
  for (const Input& input : inputs_) {
    // Without anything to write: an error tells that the rank reads no more.
    if (input.fd >= 0) wanted.push_back({input.fd, static_cast<short>(input.waiting.empty() ? 0 : POLLOUT), 0});
  }
}

void StreamRelay::handle(const std::vector<pollfd>& ready) {
  for (Output& output : outputs_) {
    if (output.fd >= 0 && is_ready(ready, output.fd)) (void)read_some(output);
  }
  for (Input& input : inputs_) {
    if (input.fd < 0 || !is_ready(ready, input.fd)) continue;
    if (input.waiting.empty())
      end(input);
    else
      write_some(input);
  }
}

bool StreamRelay::read_some(Output& output) {
  static std::array<char, 65536> block;
  const ssize_t got = read(output.fd, block.data(), block.size());
  if (got > 0) {
    Writer writer;
    writer.put(output.rank).put(output.channel);
    output.under_way += static_cast<std::uint64_t>(got);
    send_(MessageKind::output, writer.take().append(block.data(), static_cast<std::size_t>(got)));
    return true;
  }
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) end(output);
  return false;
}

void StreamRelay::end(Output& output) {
  close(output.fd);
  output.fd = -1;
  Writer writer;
  writer.put(output.rank).put(output.channel);
  send_(MessageKind::output_ended, writer.take());
}

void StreamRelay::drain(int rank) {
  for (Output& output : outputs_) {
    if (output.rank != rank) continue;
    for (int turn = 0; turn < most_drained_blocks && output.fd >= 0 && read_some(output); ++turn) {
    }
  }
}

void StreamRelay::output_taken(std::string_view body) {
  Reader reader(body);
  const auto rank = reader.next<int>();
  const auto channel = reader.next<OutputForwarder::Channel>();
  const auto bytes = reader.next<std::uint64_t>();
  for (Output& output : outputs_) {
    if (output.rank != rank || output.channel != channel || output.fd < 0) continue;
    output.under_way -= std::min(bytes, output.under_way);
    if (bytes == 0) end(output);  // nobody reads it: let the rank find out the usual way
  }
}

void StreamRelay::input(std::string_view body) {
  Reader reader(body);
  const auto rank = reader.next<int>();
  for (Input& input : inputs_) {
    if (input.rank != rank || input.fd < 0) continue;
    input.waiting.append(reader.rest());
    if (reader.rest().empty()) input.ended = true;
    write_some(input);
  }
}

void StreamRelay::write_some(Input& input) {
  std::uint64_t gone = 0;
  while (gone < input.waiting.size()) {
    const ssize_t written = write(input.fd, input.waiting.data() + gone, input.waiting.size() - gone);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) return end(input);
    if (written <= 0) break;
    gone += static_cast<std::uint64_t>(written);
  }
  input.waiting.erase(0, gone);
  if (gone > 0) {
    Writer writer;
    writer.put(input.rank).put(gone);
    send_(MessageKind::input_taken, writer.take());
  }
  if (input.ended && input.waiting.empty()) {
    close(input.fd);
    input.fd = -1;
  }
}

void StreamRelay::end(Input& input) {
  close(input.fd);
  input.fd = -1;
  Writer writer;
  writer.put(input.rank).put(std::uint64_t{0});
  send_(MessageKind::input_taken, writer.take());
}

}  // namespace ompi_lite::launcher
