// SPDX-License-Identifier: BSD-3-Clause
// Line-wise output, byte-wise input.
#include "launcher/io_forward.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ompi_lite::launcher {
namespace {

constexpr std::size_t longest_held_line = 64 * 1024;
// A piece without a line end that stays alone this long is shown: a prompt.
constexpr std::chrono::milliseconds prompt_patience{50};
// A piece that ends where a full stdio buffer ends is the middle of a line, and its writer merely has no CPU at the moment.
constexpr std::chrono::milliseconds full_buffer_patience{2000};
constexpr std::uint64_t stdio_buffer_unit = 1024;

bool same_file(int a, int b) {
  struct stat first;
  struct stat second;
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool is_ready(const std::vector<pollfd>& ready, int fd, short events) {
  return std::ranges::any_of(ready, [&](const pollfd& item) { return item.fd == fd && (item.revents & events) != 0; });
}

constexpr short readable = POLLIN | POLLHUP | POLLERR;
constexpr short writable = POLLOUT | POLLHUP | POLLERR;

}  // namespace

Sink::Sink(int fd) : fd_(fd), never_blocks_(false) {
  struct stat status;
  never_blocks_ = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

void Sink::write(std::string_view text) {
  if (!is_broken()) queue_.append(text);
}

bool Sink::flush_some() {
  while (head_ < queue_.size() && !is_broken()) {
    // Poll promises room for PIPE_BUF bytes; a larger write would wait for a slow reader.
    pollfd room{fd_, POLLOUT, 0};
    if (!never_blocks_ && (poll(&room, 1, 0) <= 0 || (room.revents & writable) == 0)) break;
    const std::size_t most = never_blocks_ ? queue_.size() : std::size_t{4096};
    const ssize_t written = ::write(fd_, queue_.data() + head_, std::min(queue_.size() - head_, most));
    if (written > 0)
      head_ += static_cast<std::size_t>(written);
    else if (written < 0 && errno == EAGAIN)
      break;
    else if (written < 0 && errno != EINTR)
      problem_ = errno;
  }
  if (is_broken() || head_ == queue_.size()) {
    queue_.clear();
    head_ = 0;
  } else if (head_ > 1024 * 1024) {
    queue_.erase(0, head_);
    head_ = 0;
  }
  return !is_broken();
}

OutputForwarder::OutputForwarder(bool tag_lines, int out_fd, int err_fd) : tag_lines_(tag_lines) {
  sinks_.emplace_back(out_fd);
  if (!same_file(out_fd, err_fd)) sinks_.emplace_back(err_fd);
  lines_.resize(sinks_.size());
}

OutputForwarder::~OutputForwarder() {
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
  }
}

void OutputForwarder::add_stream(int rank, int fd, Channel channel, const std::string& name) {
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);  // our end of a pipe: nobody else sees the flag
  Stream stream{.rank = rank, .fd = fd, .channel = channel, .open = true, .remote = false};
  stream.tag = name;
  add(std::move(stream));
}

void OutputForwarder::add_remote_stream(int rank, Channel channel) {
  remote_[{rank, channel}] = streams_.size();
  add(Stream{.rank = rank, .fd = -1, .channel = channel, .open = true, .remote = true});
}

void OutputForwarder::add(Stream stream) {
  stream.sink = stream.channel == Channel::err ? sinks_.size() - 1 : 0;
  const std::string name = stream.tag.empty() ? std::to_string(stream.rank) : stream.tag;
  if (tag_lines_) stream.tag = "[" + name + "] ";
  stream.last_read = Clock::now();
  // Worlds that are spawned one after the other take each other's places.
  for (std::size_t i = 0; i < streams_.size() && !stream.remote; ++i) {
    const Stream& old = streams_[i];
    const bool owns_line = std::ranges::any_of(lines_, [&](const Line& line) { return line.open && line.owner == i; });
    if (old.open || old.remote || old.fd >= 0 || !old.pending.empty() || owns_line) continue;
    streams_[i] = std::move(stream);
    return;
  }
  streams_.push_back(std::move(stream));
}

OutputForwarder::Stream* OutputForwarder::remote_stream(int rank, Channel channel) {
  const auto found = remote_.find({rank, channel});
  return found == remote_.end() ? nullptr : &streams_[found->second];
}

void OutputForwarder::took(Stream& stream, std::string_view bytes) {
  stream.pending.append(bytes);
  stream.bytes_read += bytes.size();
  stream.last_read = Clock::now();
}

void OutputForwarder::feed(int rank, Channel channel, std::string_view bytes) {
  Stream* stream = remote_stream(rank, channel);
  if (stream == nullptr || !stream->open) return;
  took(*stream, bytes);
  stream->untaken += bytes.size();
  show(static_cast<std::size_t>(stream - streams_.data()), false);
  (void)sinks_[stream->sink].flush_some();
}

void OutputForwarder::end_remote_stream(int rank, Channel channel) {
  Stream* stream = remote_stream(rank, channel);
  if (stream == nullptr || !stream->open) return;
  stream->open = false;
  end_stream(static_cast<std::size_t>(stream - streams_.data()));
  (void)sinks_[stream->sink].flush_some();
}

std::vector<OutputForwarder::Credit> OutputForwarder::take_credits() {
  std::vector<Credit> credits;
  for (const auto& [key, index] : remote_) {
    Stream& stream = streams_[index];
    if (!stream.open) continue;
    if (sinks_[stream.sink].is_broken()) {
      stream.open = false;
      credits.push_back({stream.rank, stream.channel, 0});
    } else if (stream.untaken > 0 && stream.pending.size() < longest_held_line && !sinks_[stream.sink].is_full()) {
      credits.push_back({stream.rank, stream.channel, stream.untaken});
      stream.untaken = 0;
    }
  }
  return credits;
}

void OutputForwarder::close_stream(Stream& stream) {
  if (stream.fd >= 0) close(stream.fd);
  stream.fd = -1;
  stream.open = false;
}

void OutputForwarder::say(std::string_view line) {
  const std::size_t index = sinks_.size() - 1;
  if (lines_[index].open) {
    sinks_[index].write("\n");
    streams_[lines_[index].owner].at_line_start = true;
    lines_[index].open = false;
  }
  sinks_[index].write(std::string(line) + "\n");
  (void)sinks_[index].flush_some();
}

void OutputForwarder::collect(std::vector<pollfd>& wanted) const {
  for (const Stream& stream : streams_) {
    const bool too_much = stream.pending.size() >= longest_held_line || sinks_[stream.sink].is_full();
    if (stream.fd >= 0 && !too_much) wanted.push_back({stream.fd, POLLIN, 0});
  }
  for (const Sink& sink : sinks_) {
    if (sink.wants_poll()) wanted.push_back({sink.fd(), POLLOUT, 0});
  }
}

bool OutputForwarder::read_some(Stream& stream) {
  static std::array<char, 65536> block;
  const ssize_t got = read(stream.fd, block.data(), block.size());
  if (got > 0) {
    took(stream, {block.data(), static_cast<std::size_t>(got)});
    return true;
  }
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) close_stream(stream);
  return false;
}

void OutputForwarder::handle(const std::vector<pollfd>& ready) {
  for (Sink& sink : sinks_) {
    if (sink.wants_poll()) (void)sink.flush_some();
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (stream.fd < 0 || !is_ready(ready, stream.fd, readable)) continue;
    (void)read_some(stream);
    if (!stream.open)
      end_stream(i);
    else
      show(i, false);
    // Whoever reads us has gone: let the rank find out the usual way.
    if (stream.open && sinks_[stream.sink].is_broken()) close_stream(stream);
  }
  for (Sink& sink : sinks_) {
    if (sink.wants_poll()) (void)sink.flush_some();
  }
}

Clock::time_point OutputForwarder::patience_ends(const Stream& stream) const {
  const bool full_buffer = stream.bytes_read % stdio_buffer_unit == 0;
  return stream.last_read + (full_buffer ? full_buffer_patience : prompt_patience);
}

// While another stream is in the middle of a line that it keeps writing, we wait.
bool OutputForwarder::may_show(std::size_t index) const {
  const Line& line = lines_[streams_[index].sink];
  if (!line.open || line.owner == index) return true;
  const Stream& owner = streams_[line.owner];
  return !owner.open || Clock::now() >= patience_ends(owner);
}

void OutputForwarder::take_line(std::size_t index) {
  Line& line = lines_[streams_[index].sink];
  if (line.open && line.owner != index) {
    // Without tags the bytes stay as they are; with tags every tag begins a line.
    if (tag_lines_) sinks_[streams_[index].sink].write("\n");
    streams_[line.owner].at_line_start = true;
  }
  line.owner = index;
}

void OutputForwarder::emit(Stream& stream, std::string_view text) {
  Sink& sink = sinks_[stream.sink];
  if (!tag_lines_) {
    sink.write(text);
    return;
  }
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    if (stream.at_line_start) sink.write(stream.tag);
    sink.write(line);
    stream.at_line_start = line.back() == '\n';
    text.remove_prefix(line.size());
  }
}

void OutputForwarder::show(std::size_t index, bool also_piece, bool at_once) {
  Stream& stream = streams_[index];
  if (stream.pending.empty() || !(at_once || may_show(index))) return;
  const std::size_t last_end = stream.pending.rfind('\n');
  std::size_t length = last_end == std::string::npos ? 0 : last_end + 1;
  if (also_piece || stream.pending.size() - length >= longest_held_line) length = stream.pending.size();
  if (length == 0) return;
  take_line(index);
  emit(stream, std::string_view(stream.pending).substr(0, length));
  lines_[stream.sink].open = stream.pending[length - 1] != '\n';
  stream.pending.erase(0, length);
}

void OutputForwarder::end_stream(std::size_t index) {
  Stream& stream = streams_[index];
  show(index, true);
  if (!stream.pending.empty()) return;  // another's line is open: shown when that one pauses
  Line& line = lines_[stream.sink];
  if (line.open && line.owner == index) {
    if (tag_lines_) sinks_[stream.sink].write("\n");
    line.open = false;
  }
}

bool OutputForwarder::next_deadline(Clock::time_point& deadline) const {
  bool found = false;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    if (stream.pending.empty()) continue;
    const Line& line = lines_[stream.sink];
    const bool waits_for_other = line.open && line.owner != i;
    Clock::time_point when = !stream.open ? Clock::now() : patience_ends(stream);
    if (waits_for_other) {
      const Clock::time_point other = patience_ends(streams_[line.owner]);
      when = stream.pending.find('\n') != std::string::npos ? other : std::max(when, other);
    }
    if (!found || when < deadline) deadline = when;
    found = true;
  }
  return found;
}

void OutputForwarder::show_idle_pieces() {
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (stream.pending.empty()) continue;
    if (!stream.open)
      end_stream(i);
    else
      show(i, now >= patience_ends(stream));
  }
  for (Sink& sink : sinks_) {
    if (sink.wants_poll()) (void)sink.flush_some();
  }
}

void OutputForwarder::drain_rank(int rank) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (stream.rank != rank) continue;
    // A grandchild may go on writing; what was there when the rank ended fits into its pipe.
    for (int turn = 0; turn < 32 && stream.fd >= 0 && read_some(stream); ++turn) {
    }
    show(i, true, true);
    if (!stream.open) end_stream(i);
  }
}

bool OutputForwarder::all_ended() const {
  return std::ranges::all_of(streams_, [](const Stream& stream) { return !stream.open && stream.pending.empty(); });
}

void OutputForwarder::finish() {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    close_stream(streams_[i]);
  }
  // Every owner of an open line has ended now, so nobody waits for anybody.
  for (std::size_t i = 0; i < streams_.size(); ++i) end_stream(i);
}

bool OutputForwarder::is_flushed() const {
  return std::ranges::all_of(sinks_, [](const Sink& sink) { return sink.is_flushed(); });
}

std::string OutputForwarder::write_problem() const {
  for (const Sink& sink : sinks_) {
    if (sink.problem() != 0 && sink.problem() != EPIPE) return std::strerror(sink.problem());
  }
  return {};
}

InputForwarder::~InputForwarder() { close_targets(); }

void InputForwarder::add_target(int fd) {
  (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  targets_.push_back(Target{.fd = fd, .rank = -1});
}

void InputForwarder::add_remote_target(int rank) { targets_.push_back(Target{.fd = -1, .rank = rank}); }

void InputForwarder::remote_took(int rank, std::uint64_t bytes) {
  for (Target& target : targets_) {
    if (target.rank != rank) continue;
    target.under_way -= std::min(bytes, target.under_way);
    if (bytes == 0) target.open = false;
    if (target.open && target.written < block_.size()) write_block(target);
  }
  if (ended_ && all_written()) close_targets();
}

bool InputForwarder::all_written() const {
  return std::ranges::all_of(targets_,
                             [&](const Target& target) { return !target.open || target.written == block_.size(); });
}

void InputForwarder::collect(std::vector<pollfd>& wanted) {
  const bool anybody = std::ranges::any_of(targets_, [](const Target& target) { return target.open; });
  if (!anybody) return;
  if (all_written()) {
    if (!ended_ && !held_back_) wanted.push_back({STDIN_FILENO, POLLIN, 0});
  } else {
    for (const Target& target : targets_) {
      if (target.fd >= 0 && target.written < block_.size()) wanted.push_back({target.fd, POLLOUT, 0});
    }
  }
}

void InputForwarder::handle(const std::vector<pollfd>& ready) {
  if (!ended_ && all_written() && is_ready(ready, STDIN_FILENO, readable | POLLNVAL)) read_block();
  for (Target& target : targets_) {
    if (target.open && target.written < block_.size() && target.may_take()) write_block(target);
  }
  if (ended_ && all_written()) close_targets();
}

void InputForwarder::read_block() {
  // In the background a read would stop us (or fail, as SIGTTIN is blocked): wait until we are in front.
  if (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp()) {
    held_back_ = true;
    return;
  }
  block_.resize(65536);
  const ssize_t got = read(STDIN_FILENO, block_.data(), block_.size());
  block_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  for (Target& target : targets_) target.written = 0;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) ended_ = true;
}

void InputForwarder::write_block(Target& target) {
  if (target.rank >= 0) {
    pieces_.push_back(Piece{target.rank, block_.substr(target.written)});
    target.under_way += block_.size() - target.written;
    target.written = block_.size();
    return;
  }
  const ssize_t written = write(target.fd, block_.data() + target.written, block_.size() - target.written);
  if (written >= 0) {
    target.written += static_cast<std::size_t>(written);
  } else if (errno != EAGAIN && errno != EINTR) {
    close_target(target);  // this rank reads no more
  }
}

void InputForwarder::close_target(Target& target) {
  if (target.open && target.rank >= 0) pieces_.push_back(Piece{target.rank, {}});
  if (target.fd >= 0) close(target.fd);
  target.fd = -1;
  target.open = false;
}

void InputForwarder::close_targets() {
  for (Target& target : targets_) close_target(target);
}

}  // namespace ompi_lite::launcher
