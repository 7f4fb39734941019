// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages between device memory and pinned memory.
#include "ompi_lite/core/device_data.h"

#include <algorithm>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite {
namespace {

// Walks a layout. Positions are packed bytes, counted from the beginning of the item or list that is walked.
class Runs {
 public:
  Runs(std::vector<OmpiLiteCopy>& list, std::byte* packed, bool out) : list_(list), packed_(packed), out_(out) {}

  // [first, end) of the copies of an item.
  void add(const LayoutItem& item, std::byte* base, Count first, Count end) {
    if (first >= end) return;
    std::byte* at = base + item.offset;
    Count copy = first / item.bytes;
    const Count last = end / item.bytes;  // the copies up to here are wanted to their ends
    if (copy == last) return add_part(item, at + copy * item.stride, first - copy * item.bytes, end - copy * item.bytes);
    if (copy * item.bytes != first) {
      add_part(item, at + copy * item.stride, first - copy * item.bytes, item.bytes);
      ++copy;
    }
    add_whole(item, at + copy * item.stride, last - copy);
    if (last * item.bytes != end) add_part(item, at + last * item.stride, 0, end - last * item.bytes);
  }

 private:
  void add_part(const LayoutItem& item, std::byte* at, Count first, Count end) {
    if (item.body == nullptr) return emit({at + first, end - first, 1, 0, end - first}, true);
    for (const LayoutItem& inner : item.body->items())
      add(inner, at, std::max<Count>(0, first - inner.before), std::min(inner.data_bytes(), end - inner.before));
  }

  // `count` whole copies, the first one at `at`.
  void add_whole(const LayoutItem& item, std::byte* at, Count count) {
    if (count == 0) return;
    if (item.body == nullptr) return emit({at, item.bytes, count, item.stride, item.bytes}, true);
    const auto& inner = item.body->items();
    const bool loops_inside =
        std::ranges::any_of(inner, [count](const LayoutItem& each) { return each.body != nullptr || each.count > count; });
    if (loops_inside) {
      for (Count i = 0; i < count; ++i) add_part(item, at + i * item.stride, 0, item.bytes);
      return;
    }
    // As few and as long rows of copies as can be: the same block of all copies at once.
    for (const LayoutItem& each : inner) {
      for (Count i = 0; i < each.count; ++i) {
        packed_ += each.before + i * each.bytes;
        emit({at + each.offset + i * each.stride, each.bytes, count, item.stride, item.bytes}, false);
        packed_ -= each.before + i * each.bytes;
      }
    }
    packed_ += count * item.bytes;
  }

  struct Run {
    std::byte* at;
    Count bytes, count, stride, packed_stride;
  };
  // `advance`: the packed bytes are those that come next.
  void emit(const Run& run, bool advance) {
    if (run.count > 1 && run.stride < run.bytes) {  // overlapping, or backwards: one after the other
      for (Count i = 0; i < run.count; ++i)
        put({run.at + i * run.stride, run.bytes, 1, run.bytes, run.bytes}, packed_ + i * run.packed_stride);
    } else {
      put(run, packed_);
    }
    if (advance) packed_ += run.count * run.bytes;
  }
  void put(const Run& run, std::byte* packed) {
    if (run.bytes == 0) return;
    const auto pitch = static_cast<std::size_t>(run.stride), packed_pitch = static_cast<std::size_t>(run.packed_stride);
    list_.push_back({out_ ? packed : run.at, out_ ? run.at : packed, static_cast<std::size_t>(run.bytes),
                     static_cast<std::size_t>(run.count), out_ ? packed_pitch : pitch, out_ ? pitch : packed_pitch});
  }

  std::vector<OmpiLiteCopy>& list_;
  std::byte* packed_;
  bool out_;
};

Count piece_size() { return std::clamp<Count>(device::piece_bytes.value(), DeviceData::kLeastPiece, 64 << 20); }
std::size_t piece_count() { return static_cast<std::size_t>(std::clamp<std::int64_t>(device::pieces.value(), 2, 16)); }

}  // namespace

std::vector<OmpiLiteCopy> copies_of(const Buffer& buffer, Count first, Count bytes, std::byte* packed, bool out) {
  std::vector<OmpiLiteCopy> list;
  const LayoutItem loop = loop_over(buffer.type->layout(), buffer.count, buffer.type->extent());
  Runs(list, packed, out).add(loop, buffer.data, first, first + bytes);
  return list;
}

// From the first byte of data to behind the last one; both are 0 for a buffer without data.
struct DataSpan {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};
static DataSpan span_of(const Buffer& buffer) {
  if (pack_size(buffer) == 0) return {};
  const Datatype& type = *buffer.type;
  const Count last = (buffer.count - 1) * type.extent();
  const Count low = type.true_lb() + std::min<Count>(0, last);
  const Count high = type.true_lb() + type.true_extent() + std::max<Count>(0, last);
  // Integers: MPI_BOTTOM is null.
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(buffer.data) + static_cast<std::uintptr_t>(low);
  return {reinterpret_cast<const std::byte*>(begin), static_cast<std::size_t>(high - low)};
}

bool DeviceData::fits(const Buffer& buffer, const device::Location& location) {
  const DataSpan span = span_of(buffer);
  return span.bytes != 0 && location.out_of_reach() && location.holds(span.begin, span.bytes);
}

DeviceData::DeviceData(const Buffer& buffer) : buffer_(buffer), total_(pack_size(buffer)) {}

Error DeviceData::start() {
  next_ = 0;
  filling_ = 0;
  failed_ = ErrorClass::success;
  location_ = device::locate(span_of(buffer_).begin);
  refused_ = true;
  if (!fits(buffer_, location_))
    return make_error(ErrorClass::buffer, "%p was device memory and is none any more: was it freed?",
                      static_cast<const void*>(buffer_.data));
  OL_TRY(device::settle(location_));
  refused_ = false;
  return {};
}

void DeviceData::end() {
  pieces_.clear();
  offered_ = false;
  if (fetching_.under_way()) static_cast<void>(fetching_.wait());
  import_ = {};
}

Error DeviceData::make_pieces() {
  if (!pieces_.empty()) return {};
  const Count size = std::min(piece_size(), total_), needed = (total_ + size - 1) / size;
  pieces_.resize(std::min(static_cast<std::size_t>(needed), piece_count()));
  for (Piece& piece : pieces_) {
    piece.memory = device::Bounce::take(static_cast<std::size_t>(size), location_);
    if (piece.memory.data() != nullptr) continue;
    pieces_.clear();
    return make_error(ErrorClass::no_mem, "there is no host memory for pieces of %lld bytes of a message in device memory",
                      static_cast<long long>(size));
  }
  device::device_counters.piped_messages.add(1);
  return {};
}

Error DeviceData::move(Piece& piece, bool out) {
  const std::vector<OmpiLiteCopy> copies = copies_of(buffer_, piece.begin, piece.bytes, piece.memory.data(), out);
  device::device_counters.piped_bytes.add(static_cast<std::uint64_t>(piece.bytes));
  return piece.work.begin(copies, location_, piece.memory.pinned());
}

Error DeviceData::read_ahead(Count position, Count limit) {
  OL_TRY(make_pieces());
  const Count size = std::min(piece_size(), total_);
  for (Piece& piece : pieces_) {
    OL_TRY(piece.work.poll());
    if (piece.bytes != 0 && piece.begin + piece.bytes <= position) piece.bytes = 0;
  }
  for (Piece& piece : pieces_) {
    if (piece.bytes != 0 || next_ >= limit) continue;
    piece.begin = next_;
    piece.bytes = std::min(size, limit - next_);
    next_ += piece.bytes;
    OL_TRY(move(piece, true));
  }
  return {};
}

Result<std::span<const std::byte>> DeviceData::read(Count position, Count most, Count limit) {
  OL_TRY(read_ahead(position, limit));
  for (const Piece& piece : pieces_) {
    if (piece.bytes == 0 || position < piece.begin || position >= piece.begin + piece.bytes) continue;
    if (piece.work.under_way()) break;
    const Count offset = position - piece.begin;
    return std::span<const std::byte>(piece.memory.data() + offset,
                                      static_cast<std::size_t>(std::min(most, piece.bytes - offset)));
  }
  return std::span<const std::byte>();
}

Result<std::span<const std::byte>> DeviceData::read_first(Count bytes) {
  OL_TRY(read_ahead(0, bytes));
  OL_TRY(pieces_.front().work.wait());
  return read(0, bytes, bytes);
}

Error DeviceData::pack(std::byte* to) const {
  return device::copy(copies_of(buffer_, 0, total_, to, true), location_, false);
}

bool DeviceData::offer(bool near) {
  if (!near || !device::use_peers.value() || total_ < device::peers_from.value()) return false;
  const std::byte* start = contiguous_start(buffer_);
  offered_ = start != nullptr && device::export_memory(location_, start, exported_);
  return offered_;
}

std::span<const std::byte> DeviceData::exported() const {
  return offered_ ? std::as_bytes(std::span(&exported_, 1)) : std::span<const std::byte>();
}

bool DeviceData::fetch(const device::Export& place, std::int32_t peer, Count bytes) {
  constexpr std::size_t kMostRuns = 1 << 16;  // one launch takes 84 of them
  if (!device::use_peers.value() || place.bytes < place.offset ||
      place.bytes - place.offset < static_cast<std::uint64_t>(bytes))
    return false;
  const std::byte* from = nullptr;
  if (peer == kOwnMemory) {
    from = reinterpret_cast<const std::byte*>(place.base + place.offset);
  } else {
    import_ = device::Import::open(peer, place, location_);
    if (!import_) return false;
    from = import_.data(place);
  }
  const std::vector<OmpiLiteCopy> copies = copies_of(buffer_, 0, bytes, const_cast<std::byte*>(from), false);
  Error refused;
  if (copies.size() <= kMostRuns) refused = fetching_.begin(copies, location_, true);
  if (!fetching_.under_way()) {
    if (refused) OL_LOG(debug, "%s", refused.sentence());
    import_ = {};
    return false;
  }
  device::device_counters.peer_messages.add(1);
  device::device_counters.peer_bytes.add(static_cast<std::uint64_t>(bytes));
  return true;
}

Error DeviceData::fetched(bool& done) {
  const Error error = fetching_.poll();
  done = !fetching_.under_way();
  return error;
}

// The sentence may lie in a buffer that the next error overwrites.
void DeviceData::fail(const Error& error) {
  if (failed_ != ErrorClass::success) return;
  failed_ = error.error_class();
  why_failed_ = error.sentence();
}

Error DeviceData::write_piece(std::span<const std::byte>& bytes) {
  OL_TRY(make_pieces());
  const auto size = static_cast<std::size_t>(std::min(piece_size(), total_));
  Piece& piece = pieces_[filling_];
  OL_TRY(piece.work.wait());
  if (piece.bytes == 0) piece.begin = next_;
  const std::size_t some = std::min(bytes.size(), size - static_cast<std::size_t>(piece.bytes));
  copy_bytes(piece.memory.data() + piece.bytes, bytes.data(), some);
  bytes = bytes.subspan(some);
  piece.bytes += static_cast<Count>(some);
  next_ += static_cast<Count>(some);
  if (static_cast<std::size_t>(piece.bytes) < size) return {};
  OL_TRY(move(piece, false));
  piece.bytes = 0;
  filling_ = (filling_ + 1) % pieces_.size();
  return {};
}

void DeviceData::write(std::span<const std::byte> bytes) {
  while (!bytes.empty() && failed_ == ErrorClass::success)
    if (Error error = write_piece(bytes)) fail(error);
}

Error DeviceData::flush() {
  if (!pieces_.empty() && pieces_[filling_].bytes != 0 && failed_ == ErrorClass::success) {
    if (Error error = move(pieces_[filling_], false)) fail(error);
    pieces_[filling_].bytes = 0;
  }
  for (Piece& piece : pieces_)
    if (Error error = piece.work.wait()) fail(error);
  return failed_ == ErrorClass::success ? Error() : make_error(failed_, "%s", why_failed_.c_str());
}

}  // namespace ompi_lite
