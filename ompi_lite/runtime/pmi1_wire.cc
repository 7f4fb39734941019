// SPDX-License-Identifier: BSD-3-Clause
#include "ompi_lite/runtime/pmi1_wire.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/text.h"

namespace ompi_lite::pmi1 {

namespace {

Error no_server(const char* what) { return make_error(ErrorClass::other, "the launcher's PMI server: %s", what); }

}  // namespace

Error Lines::take(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
    return no_server(std::strerror(errno));
  fd_ = os::Fd(descriptor);
  return {};
}

Error Lines::connect(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return make_error(ErrorClass::other, "PMI_PORT is \"%s\", not HOST:PORT", address.c_str());
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(address.substr(0, colon).c_str(), address.c_str() + colon + 1, &hints, &found);
  if (failed != 0) return make_error(ErrorClass::other, "PMI_PORT is \"%s\": %s", address.c_str(), gai_strerror(failed));
  int error = 0;
  for (const addrinfo* each = found; each != nullptr && !fd_; each = each->ai_next) {
    os::Fd fd(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, 0));
    if (fd && ::connect(fd.get(), each->ai_addr, each->ai_addrlen) == 0)
      fd_ = std::move(fd);
    else
      error = errno;
  }
  freeaddrinfo(found);
  if (fd_) return {};
  return make_error(ErrorClass::other, "connecting to the launcher at PMI_PORT=%s: %s", address.c_str(),
                    std::strerror(error));
}

Error Lines::say(std::string line) {
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::send(fd_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return no_server(std::strerror(errno));
    sent += static_cast<std::size_t>(n);
  }
  return {};
}

Result<std::string> Lines::hear() {
  std::size_t end;
  while ((end = unread_.find('\n')) == std::string::npos) {
    char block[1024];
    const ssize_t n = ::recv(fd_.get(), block, sizeof block, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return no_server(n == 0 ? "it has closed the connection" : std::strerror(errno));
    unread_.append(block, static_cast<std::size_t>(n));
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

Result<std::string> Lines::ask(const std::string& command) {
  OL_TRY(say(command));
  return hear();
}

std::string field(const std::string& line, const std::string& name) {
  const std::size_t at = (" " + line).find(" " + name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 1;
  return line.substr(begin, std::min(line.find(' ', begin), line.size()) - begin);
}

int number(const std::string& text, int otherwise) { return parse_number<int>(text).value_or(otherwise); }

namespace {

// Reads PMI_process_mapping from left to right.
class MappingReader {
 public:
  MappingReader(std::string_view text, std::size_t size) : text_(text), size_(size) {}

  std::vector<int> read() {
    if (!skip("(vector")) return {};
    while (skip(",") && !failed_) skip("[") ? list() : block();
    if (failed_ || text_ != ")" || nodes_.empty()) return {};
    for (std::size_t i = 0; nodes_.size() < size_; ++i) nodes_.push_back(nodes_[i]);
    return std::move(nodes_);
  }

 private:
  bool skip(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  int whole() {
    int value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) failed_ = true;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  void add(int node) {
    if (nodes_.size() < size_) nodes_.push_back(node);
  }
  void block() {
    if (!skip("(")) return add(whole());
    const int first = whole();
    failed_ |= !skip(",");
    const int count = whole();
    failed_ |= !skip(",");
    const int each = whole();
    failed_ |= !skip(")");
    const std::int64_t room = static_cast<std::int64_t>(size_) - static_cast<std::int64_t>(nodes_.size());
    const std::int64_t wanted = failed_ ? 0 : std::min(room, std::int64_t{count} * each);
    for (std::int64_t i = 0; i < wanted; ++i) nodes_.push_back(static_cast<int>(first + i / each));
  }
  void list() {
    const std::size_t from = nodes_.size();
    do block();
    while (skip(",") && !failed_);
    failed_ |= !skip("]x");
    const int times = whole();
    if (times < 1) failed_ = true;
    const std::size_t to = nodes_.size();
    for (int time = 1; !failed_ && time < times && nodes_.size() < size_; ++time)
      for (std::size_t i = from; i < to; ++i) add(nodes_[i]);
  }

  std::string_view text_;
  std::size_t size_;
  std::vector<int> nodes_;
  bool failed_ = false;
};

}  // namespace

std::vector<int> nodes_of_mapping(std::string_view text, int size) {
  return MappingReader(text, static_cast<std::size_t>(size)).read();
}

}  // namespace ompi_lite::pmi1
