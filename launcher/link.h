// SPDX-License-Identifier: BSD-3-Clause
// One connection between mpirun or a daemon and a daemon: messages over two descriptors that never block us.
#pragma once

#include <poll.h>

#include <chrono>
#include <string>
#include <vector>

#include "launcher/io_forward.h"
#include "launcher/message.h"

namespace ompi_lite::launcher {

// Owns its descriptors. Used by one thread.
class Link {
 public:
  // `awaits_greeting`: bytes before the greeting are chatter and no messages.
  Link(int in_fd, int out_fd, bool awaits_greeting);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(const Message& message);
  void send_text(std::string_view text);  // before the first message: the greeting
  void collect(std::vector<pollfd>& wanted) const;
  // Reads and writes what it can.
  void handle(const std::vector<pollfd>& ready);
  std::vector<Message> take();
  bool holds_message() const { return !arrived_.empty(); }
  Message take_first();

  bool greeted() const { return !awaits_greeting_; }
  // What the other side has said of itself, where it is not as it must be; empty if it is.
  const std::string& stranger() const { return stranger_; }
  const std::string& chatter() const { return chatter_; }
  bool ended() const { return in_fd_ < 0; }
  bool flushed() const { return out_fd_ < 0 || sent_ == out_.size(); }
  void flush();
  void close_output();
  Clock::time_point heard() const { return heard_; }
  void forgive_silence() { heard_ = Clock::now(); }
  Clock::time_point sent() const { return last_sent_; }

 private:
  void read_some();
  void find_greeting();
  int in_fd_;
  int out_fd_;
  bool awaits_greeting_;
  std::string in_;
  std::string out_;
  std::size_t sent_ = 0;  // of out_
  std::string chatter_;
  std::string stranger_;
  std::vector<Message> arrived_;
  Clock::time_point heard_;
  Clock::time_point last_sent_;
};

}  // namespace ompi_lite::launcher
