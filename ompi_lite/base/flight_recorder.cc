// SPDX-License-Identifier: BSD-3-Clause
// Writing the flight record.
#include "ompi_lite/base/flight_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace ompi_lite::flight {
namespace {

// Cut at the end; a zero follows where there is room.
template <std::size_t bytes>
void store_text(std::atomic<char> (&to)[bytes], const char* from) {
  std::size_t i = 0;
  for (; i + 1 < bytes && from[i] != '\0'; ++i)
    to[i].store(from[i], std::memory_order_relaxed);  // partner: the reader's text()
  to[i].store('\0', std::memory_order_relaxed);       // as above
}

template <std::size_t n>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, n>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view each) { return name.starts_with(each); });
}

using Names = std::string_view;
constexpr std::array kOperations{Names("barrier"),   Names("bcast"),    Names("gather"),   Names("scatter"),
                                 Names("allgather"), Names("alltoall"), Names("reduce"),   Names("allreduce"),
                                 Names("scan"),      Names("exscan"),   Names("neighbor_")};
constexpr std::array kMakers{Names("Cart_create"),       Names("Cart_sub"),        Names("Graph_create"),
                             Names("Dist_graph_create"), Names("Intercomm_merge"), Names("Comm_dup"),
                             Names("Comm_idup"),         Names("Comm_split"),      Names("Comm_disconnect")};
constexpr std::array kPolls{Names("MPI_Test"), Names("MPI_Iprobe"), Names("MPI_Improbe"), Names("MPI_Request_get_status")};

// MPI 5.0, chapters 6 to 8: what all ranks of a communicator must call in the same order.
bool is_collective(std::string_view name) {
  if (!name.starts_with("MPI_")) return false;
  name.remove_prefix(4);
  if (name.starts_with("Reduce_local")) return false;
  if (begins_with_one_of(name, kMakers) || name == "Comm_create" || name == "Comm_free") return true;
  std::string small(name);
  small[0] = static_cast<char>(small[0] | 0x20);  // to a small letter
  if (begins_with_one_of(small, kOperations)) return true;
  return small.starts_with('i') && begins_with_one_of(small.substr(1), kOperations);
}

bool is_poll(std::string_view name) { return begins_with_one_of(name, kPolls) && name != "MPI_Test_cancelled"; }

bool is_poll(const Word& word) {
  char name[kWordBytes];
  for (std::size_t i = 0; i < sizeof name; ++i) name[i] = word.text[i].load(std::memory_order_relaxed);  // our own writing
  return is_poll(std::string_view(name, strnlen(name, sizeof name)));
}

}  // namespace

Recorder::Recorder(void* memory, int calls_per_lane, const std::atomic<std::int64_t>* clock_ns)
    : record_(*static_cast<Record*>(memory)),
      clock_ns_(clock_ns),
      mask_(static_cast<std::uint64_t>(calls_per_lane) - 1),
      calls_(reinterpret_cast<Call*>(&record_ + 1)) {
  record_.calls_per_lane.set(calls_per_lane);
  record_.words.set(1);                                    // 0 is "none"
  record_.magic.store(kMagic, std::memory_order_release);  // partner: the reader, who then finds the fields above
}

Recorder::Ticket Recorder::enter_slowly(CallFacts facts, const Known& function) {
  const int lane = std::countr_one(open_);
  if (lane >= kLanes) return {};
  open_ |= 1u << lane;
  current_ = lane;
  const auto index = static_cast<std::size_t>(lane);
  if (in_vain_[index] && function.polls) return {lane, true};
  in_vain_[index] = false;
  write(facts, function, lane);
  return {lane, false};
}

void Recorder::leave_slowly(Ticket ticket, bool nothing) {
  if (ticket.lane < 0) return;
  const auto index = static_cast<std::size_t>(ticket.lane);
  open_ &= ~(1u << ticket.lane);
  current_ = ticket.lane > 0 ? ticket.lane - 1 : 0;  // the call around this one, if it is a call within a call
  Lane& lane = record_.lanes[index];
  const std::uint64_t number = numbers_[index];
  const Call& call = record_.calls(ticket.lane)[number & mask_];
  in_vain_[index] = nothing && is_poll(record_.word_list[call.words.get() & 0xffff]);
  if (!in_vain_[index]) {
    lane.left_ns.set(clock());
    lane.state.set(state_of(number, Phase::outside));
  } else if (ticket.again) {
    lane.polls.set(lane.polls.get() + 1);
  } else {
    lane.polls.set(1);
    lane.state.set(state_of(number, Phase::polling));
  }
}

void Recorder::waits_for(const WaitFacts& facts) {
  Lane& lane = record_.lanes[static_cast<std::size_t>(current_)];
  lane.waits_call.set(0);
  std::atomic_thread_fence(std::memory_order_release);  // partner: the acquire fence of the reader
  lane.waits_context.set(facts.context);
  lane.waits_peer.set(facts.peer);
  lane.waits_tag.set(facts.tag);
  lane.waits_world.set(facts.world);
  lane.waits_shape.set(facts.shape);
  lane.waits_word.set(word_of(facts.word));
  std::atomic_thread_fence(std::memory_order_release);  // as above
  lane.waits_call.set(numbers_[static_cast<std::size_t>(current_)]);
}

// Open addressing; a text that finds no room any more stays without a word.
const Recorder::Known& Recorder::find_word(const char* text) {
  std::size_t at = slot(text);
  while (known_[at].text != nullptr && known_[at].text != text) at = (at + 1) % kKnown;
  if (known_[at].text == text) return known_[at];
  const std::uint32_t made = record_.words.get();
  if (made >= kWords) return overflow_;
  store_text(record_.word_list[made].text, text);
  record_.words.set(made + 1);
  known_[at] = {text, static_cast<std::uint16_t>(made), is_collective(text), is_poll(text)};
  return known_[at];
}

Communicator* Recorder::find_communicator(std::uint64_t context) {
  for (Communicator& each : record_.communicators)
    if (each.context.load(std::memory_order_relaxed) == context) return &each;  // only this rank writes it
  return nullptr;
}

void Recorder::communicator_opened(std::uint64_t context, int size, int rank, int side, const char* name) {
  Communicator* free = find_communicator(0);
  if (free == nullptr) return;
  free->size.set(size);
  free->rank.set(rank);
  free->side.set(side);
  store_text(free->name, name);
  free->context.store(context, std::memory_order_release);  // partner: the reader
}

void Recorder::communicator_closed(std::uint64_t context) {
  if (context == 0) return;
  if (Communicator* found = find_communicator(context))
    found->context.store(0, std::memory_order_release);  // partner: the reader
}

void Recorder::communicator_named(std::uint64_t context, const char* name) {
  if (Communicator* found = find_communicator(context)) store_text(found->name, name);
}

}  // namespace ompi_lite::flight
