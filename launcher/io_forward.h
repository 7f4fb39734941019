// SPDX-License-Identifier: BSD-3-Clause
// Moves the ranks' output to ours in whole lines, and our input to the ranks byte for byte.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ompi_lite::launcher {

using Clock = std::chrono::steady_clock;

// Where lines end up: our stdout or our stderr. Never blocks the loop, however slow the reader is. Two streams that lead to
// the same file or terminal share one Sink, so that their lines do not tear each other.
class Sink {
 public:
  explicit Sink(int fd);
  int fd() const { return fd_; }
  void write(std::string_view text);
  // Tries to get rid of what is queued; false when the reader is gone.
  bool flush_some();
  bool wants_poll() const { return !is_flushed(); }
  bool is_full() const { return queue_.size() - head_ > 256 * 1024; }
  bool is_broken() const { return problem_ != 0; }
  bool is_flushed() const { return queue_.empty() || is_broken(); }
  int problem() const { return problem_; }  // errno of the write that failed

 private:
  int fd_;
  bool never_blocks_;  // a regular file takes all at once
  int problem_ = 0;
  std::size_t head_ = 0;
  std::string queue_;
};

// The output of all ranks. Used by the main loop only; owns the descriptors of its streams.
class OutputForwarder {
 public:
  explicit OutputForwarder(bool tag_lines, int out_fd = 1, int err_fd = 2);
  ~OutputForwarder();
  OutputForwarder(const OutputForwarder&) = delete;
  OutputForwarder& operator=(const OutputForwarder&) = delete;

  enum class Channel { out, err };
  // `name`: for tags, in place of the rank.
  void add_stream(int rank, int fd, Channel channel, const std::string& name = {});
  // A stream of a rank on another host, whose bytes are brought by feed.
  void add_remote_stream(int rank, Channel channel);
  void feed(int rank, Channel channel, std::string_view bytes);
  void end_remote_stream(int rank, Channel channel);
  // What has been fed and shown since the last call, so that more may come; 0: nobody reads it any more.
  struct Credit {
    int rank;
    Channel channel;
    std::uint64_t bytes;
  };
  std::vector<Credit> take_credits();
  // A line of our own, on stderr, never in the middle of a rank's line.
  void say(std::string_view line);

  // One turn of the loop: which descriptors to wait for, then what to do about them.
  void collect(std::vector<pollfd>& wanted) const;
  void handle(const std::vector<pollfd>& ready);
  // When an unterminated piece will be shown if nothing more comes.
  bool next_deadline(Clock::time_point& deadline) const;
  void show_idle_pieces();

  // Reads and shows everything that a rank has written up to now, also an unterminated last piece.
  void drain_rank(int rank);
  bool all_ended() const;
  // Closes what is still open (somebody else holds the other end) and shows the last pieces.
  void finish();
  // Nothing is left that our reader has not taken.
  bool is_flushed() const;
  // Why output could not be written, empty if it could; a reader that has gone is no problem of ours.
  std::string write_problem() const;

 private:
  struct Stream {
    int rank;
    int fd;  // -1: ended, or remote
    Channel channel;
    bool open;
    bool remote;
    std::size_t sink = 0;
    std::string tag = {};
    std::string pending = {};  // read, not yet shown: the beginning of a line
    bool at_line_start = true;
    std::uint64_t bytes_read = 0;
    std::uint64_t untaken = 0;  // of a remote stream
    Clock::time_point last_read = {};
  };
  // What a stream does while it is in the middle of a line that it has begun to show.
  struct Line {
    std::size_t owner;
    bool open = false;
  };
  void add(Stream stream);
  Stream* remote_stream(int rank, Channel channel);
  void took(Stream& stream, std::string_view bytes);
  void close_stream(Stream& stream);
  bool read_some(Stream& stream);
  void end_stream(std::size_t index);
  // `at_once`: even if another stream is in the middle of a line.
  void show(std::size_t index, bool also_piece, bool at_once = false);
  void emit(Stream& stream, std::string_view text);
  bool may_show(std::size_t index) const;
  Clock::time_point patience_ends(const Stream& stream) const;
  void take_line(std::size_t index);

  bool tag_lines_;
  std::vector<Sink> sinks_;  // one or two
  std::vector<Line> lines_;  // one a sink
  std::vector<Stream> streams_;
  std::map<std::pair<int, Channel>, std::size_t> remote_;
};

// Our stdin to one rank or all. Not used when a rank can simply inherit it.
class InputForwarder {
 public:
  InputForwarder() = default;
  ~InputForwarder();
  InputForwarder(const InputForwarder&) = delete;
  InputForwarder& operator=(const InputForwarder&) = delete;

  // Takes over the write end of a rank's stdin pipe.
  void add_target(int fd);
  // A rank on another host: its pieces are fetched by take_pieces, and it says how much it has got.
  void add_remote_target(int rank);
  struct Piece {
    int rank;
    std::string bytes;  // none: the end
  };
  std::vector<Piece> take_pieces() { return std::exchange(pieces_, {}); }
  void remote_took(int rank, std::uint64_t bytes);  // 0: it reads no more
  void collect(std::vector<pollfd>& wanted);
  void handle(const std::vector<pollfd>& ready);
  // We are not the terminal's foreground job and must not read from it; that may change without a signal.
  bool is_held_back() const { return held_back_; }
  void look_again() { held_back_ = false; }

 private:
  struct Target {
    int fd;    // -1: closed or remote
    int rank;  // of a remote one, else -1
    bool open = true;
    std::size_t written = 0;
    std::uint64_t under_way = 0;  // to a remote one
    bool may_take() const { return rank < 0 || under_way < most_under_way; }
  };
  static constexpr std::uint64_t most_under_way = 256 * 1024;
  bool all_written() const;
  void read_block();
  void write_block(Target& target);
  void close_target(Target& target);
  void close_targets();
  std::vector<Target> targets_;
  std::vector<Piece> pieces_;
  std::string block_;
  bool ended_ = false;
  bool held_back_ = false;
};

}  // namespace ompi_lite::launcher
