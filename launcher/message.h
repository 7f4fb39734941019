// SPDX-License-Identifier: BSD-3-Clause
// Every byte between mpirun and its daemons.
//
// A daemon's stdin and stdout are its connection: the agent (ssh) has proven who is at both ends and encrypts what passes.
// The daemon begins with a line (greeting) that is found behind whatever a login shell prints; then both sides send
// messages. Numbers are as the machine writes them, which the greeting checks. A line feed ends each message, because srun
// hands on whole lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ompi_lite::launcher {

// Hosts go by number (JobSpec), 0 is mpirun.
inline constexpr std::uint32_t kEveryHost = ~std::uint32_t{0};

enum class MessageKind : std::uint32_t {
  // Down from mpirun.
  job = 1,       // the JobSpec
  start,         // the ranks
  signal,        // hand a signal to the ranks: number
  end,           // end the ranks: signal to begin with
  hurry,         // end them at once
  stacks,        // say the ranks' stacks
  sights,        // tell where the ranks are
  output_taken,  // rank, channel, bytes: may be sent again
  input,         // rank, bytes; none: the end of the input
  pause,         // mpirun will be stopped: no sign of life is expected
  leave,         // the job is over
  // Up to mpirun.
  ready,         // all is prepared for `start`
  failed,        // code, sentence: this host cannot do its part
  started,       // rank, pid
  rank_news,     // RankEvent, pid
  rank_ended,    // RankEnd, aborted
  output,        // rank, channel, bytes
  output_ended,  // rank, channel
  input_taken,   // rank, bytes; 0: it reads no more
  quiet,         // after `end`: nothing of the ranks is left
  say,           // a line for the user
  sighted,       // where the ranks are
  standing,      // whether they get on
  // Between neighbours and hosts.
  alive,       // nothing to say, but there
  fence_part,  // to the host above: key, data of the hosts below
  fence_done,  // to hosts below: key, data of all
  fetch,       // to the host of a rank: ticket, rank
  fetched,     // back: ticket, whether, data
};

struct Message {
  MessageKind kind{};
  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::string body;
};

// Stands before the body of each message.
struct MessageHead {
  std::uint32_t bytes;
  MessageKind kind;
  std::uint32_t to;
  std::uint32_t from;
};
static_assert(sizeof(MessageHead) == 16);

inline constexpr std::uint32_t kMostBodyBytes = 1u << 30;
inline constexpr std::string_view kGreetingMark = "\x01ompi-lite-daemon ";
// The mark, then version and byte order, then a line end.
std::string greeting();

// Builds a body.
class Writer {
 public:
  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) Writer& put(Number number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof(number));
    return *this;
  }
  Writer& put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    text_.append(text);
    return *this;
  }
  Writer& put(const std::vector<int>& numbers);
  Writer& put(const std::vector<std::string>& texts);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads one back. What is cut short reads as zeros and makes good() false.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}
  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void get(Number& number) {
    number = Number{};
    const std::string_view bytes = take(sizeof(number));
    if (bytes.size() == sizeof(number)) bytes.copy(reinterpret_cast<char*>(&number), sizeof(number));
  }
  void get(bool& truth);
  void get(std::string& text);
  void get(std::vector<int>& numbers);
  void get(std::vector<std::string>& texts);
  template <class Value>
  Value next() {
    Value value{};
    get(value);
    return value;
  }
  std::string_view rest() const { return rest_; }
  bool good() const { return good_; }

 private:
  std::string_view take(std::uint64_t bytes);
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace ompi_lite::launcher
