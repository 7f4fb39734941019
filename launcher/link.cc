// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes messages.
#include "launcher/link.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ompi_lite::launcher {
namespace {

constexpr std::size_t most_chatter = 4096;
constexpr int reads_a_turn = 16;

bool is_ready(const std::vector<pollfd>& ready, int fd) {
  return std::ranges::any_of(ready, [&](const pollfd& item) { return item.fd == fd && item.revents != 0; });
}

void make_nonblocking(int fd) { (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

Link::Link(int in_fd, int out_fd, bool awaits_greeting)
    : in_fd_(in_fd), out_fd_(out_fd), awaits_greeting_(awaits_greeting), heard_(Clock::now()), last_sent_(heard_) {
  make_nonblocking(in_fd);
  make_nonblocking(out_fd);
}

Link::~Link() {
  if (in_fd_ >= 0) close(in_fd_);
  close_output();
}

void Link::close_output() {
  if (out_fd_ >= 0) close(out_fd_);
  out_fd_ = -1;
}

void Link::send(const Message& message) {
  const MessageHead head{static_cast<std::uint32_t>(message.body.size()), message.kind, message.to, message.from};
  out_.append(reinterpret_cast<const char*>(&head), sizeof(head));
  out_.append(message.body);
  send_text("\n");
}

void Link::send_text(std::string_view text) {
  out_.append(text);
  last_sent_ = Clock::now();
  flush();
}

void Link::flush() {
  while (out_fd_ >= 0 && sent_ < out_.size()) {
    const ssize_t written = write(out_fd_, out_.data() + sent_, out_.size() - sent_);
    if (written > 0) {
      sent_ += static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EAGAIN) {
      break;
    } else if (written < 0 && errno != EINTR) {
      close_output();  // the end of the input will tell
    }
  }
  if (out_fd_ < 0 || sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  } else if (sent_ > 1024 * 1024) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
}

void Link::collect(std::vector<pollfd>& wanted) const {
  if (in_fd_ >= 0) wanted.push_back({in_fd_, POLLIN, 0});
  if (!flushed()) wanted.push_back({out_fd_, POLLOUT, 0});
}

void Link::handle(const std::vector<pollfd>& ready) {
  if (in_fd_ >= 0 && is_ready(ready, in_fd_)) read_some();
  if (!flushed()) flush();
}

void Link::read_some() {
  static std::array<char, 65536> block;
  for (int turn = 0; turn < reads_a_turn && in_fd_ >= 0; ++turn) {
    const ssize_t got = read(in_fd_, block.data(), block.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got <= 0) {
      close(in_fd_);
      in_fd_ = -1;
      break;
    }
    heard_ = Clock::now();
    in_.append(block.data(), static_cast<std::size_t>(got));
  }
  if (awaits_greeting_) find_greeting();
  if (awaits_greeting_ || !stranger_.empty()) return;
  std::size_t at = 0;
  while (in_.size() - at >= sizeof(MessageHead)) {
    MessageHead head;
    std::memcpy(&head, in_.data() + at, sizeof(head));
    if (head.bytes > kMostBodyBytes) {
      stranger_ = "a message that is none";
      break;
    }
    if (in_.size() - at - sizeof(head) < std::size_t{head.bytes} + 1) break;
    const std::size_t end = at + sizeof(head) + head.bytes;
    if (in_[end] != '\n') {
      stranger_ = "a message that is none";
      break;
    }
    arrived_.push_back(Message{head.kind, head.to, head.from, in_.substr(at + sizeof(head), head.bytes)});
    at = end + 1;
  }
  in_.erase(0, at);
}

void Link::find_greeting() {
  const std::size_t mark = in_.find(kGreetingMark);
  const std::size_t end = mark == std::string::npos ? mark : in_.find('\n', mark);
  if (end == std::string::npos) {
    if (mark == std::string::npos && in_.size() > most_chatter) in_.erase(0, in_.size() - most_chatter);
    chatter_ = in_.substr(0, mark);
    return;
  }
  chatter_ = in_.substr(0, mark);
  const std::string line = in_.substr(mark, end + 1 - mark);
  if (line != greeting()) stranger_ = line.substr(kGreetingMark.size(), line.size() - kGreetingMark.size() - 1);
  in_.erase(0, end + 1);
  awaits_greeting_ = false;
}

Message Link::take_first() {
  Message first = std::move(arrived_.front());
  arrived_.erase(arrived_.begin());
  return first;
}

std::vector<Message> Link::take() { return std::exchange(arrived_, {}); }

}  // namespace ompi_lite::launcher
