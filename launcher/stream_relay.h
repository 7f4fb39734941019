// SPDX-License-Identifier: BSD-3-Clause
// A daemon's half of the ranks' streams: output on its way to mpirun, input that has come from there.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/io_forward.h"
#include "launcher/message.h"

namespace ompi_lite::launcher {

// Owns the descriptors of its streams. Sends no more than mpirun has room for, so that a rank that writes without end waits
// as it does on mpirun's own host.
class StreamRelay {
 public:
  using Send = std::function<void(MessageKind, std::string body)>;
  explicit StreamRelay(Send send) : send_(std::move(send)) {}
  ~StreamRelay();
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;

  void add_output(int rank, int fd, OutputForwarder::Channel channel);
  void add_input(int rank, int fd);
  void collect(std::vector<pollfd>& wanted) const;
  void handle(const std::vector<pollfd>& ready);
  // All that a rank has written up to now, whether mpirun has room or not.
  void drain(int rank);
  // Messages of mpirun.
  void output_taken(std::string_view body);
  void input(std::string_view body);
  void close_all();

 private:
  struct Output {
    int rank;
    int fd;  // -1: ended
    OutputForwarder::Channel channel;
    std::uint64_t under_way = 0;
  };
  struct Input {
    int rank;
    int fd;  // -1: closed
    std::string waiting;
    bool ended = false;
  };
  bool read_some(Output& output);
  void end(Output& output);
  void write_some(Input& input);
  void end(Input& input);
  Send send_;
  std::vector<Output> outputs_;
  std::vector<Input> inputs_;
};

}  // namespace ompi_lite::launcher
