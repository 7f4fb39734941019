// SPDX-License-Identifier: BSD-3-Clause
// Writing and reading, field by field: one list of fields serves both.
#include "launcher/sight_message.h"

#include "launcher/message.h"

namespace ompi_lite::launcher {
namespace {

struct Putting {
  Writer& writer;
  template <class Value>
  void operator()(const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>)
      writer.put(std::string_view(value));
    else
      writer.put(value);
  }
};

struct Getting {
  Reader& reader;
  template <class Value>
  void operator()(Value& value) {
    reader.get(value);
  }
};

template <class Visit, class Call>
void visit_call(Visit& visit, Call& call) {
  visit(call.number);
  visit(call.phase);
  visit(call.began_ns);
  visit(call.left_ns);
  visit(call.polls);
  visit(call.context);
  visit(call.count);
  visit(call.type_bytes);
  visit(call.peer);
  visit(call.tag);
  visit(call.second);
  visit(call.sequence);
  visit(call.shape);
  visit(call.function);
  visit(call.type);
  visit(call.op);
}

template <class Visit, class Wait>
void visit_wait(Visit& visit, Wait& wait) {
  visit(wait.context);
  visit(wait.peer);
  visit(wait.tag);
  visit(wait.world);
  visit(wait.shape);
  visit(wait.word);
}

template <class Visit, class Communicator>
void visit_communicator(Visit& visit, Communicator& communicator) {
  visit(communicator.context);
  visit(communicator.size);
  visit(communicator.rank);
  visit(communicator.side);
  visit(communicator.name);
}

template <class Visit, class Seen>
void visit_rest(Visit& visit, Seen& seen) {
  visit(seen.idle_since_ns);
  visit(seen.moves);
  visit(seen.progress);
}

void put_record(const flight::Seen& seen, Writer& writer) {
  Putting put{writer};
  writer.put(static_cast<std::uint64_t>(seen.newest.size()));
  for (const flight::SeenCall& call : seen.newest) {
    visit_call(put, call);
    writer.put(call.waits.has_value());
    if (call.waits) visit_wait(put, *call.waits);
  }
  writer.put(static_cast<std::uint64_t>(seen.communicators.size()));
  for (const flight::SeenCommunicator& each : seen.communicators) visit_communicator(put, each);
  visit_rest(put, seen);
}

flight::Seen get_record(Reader& reader, std::int64_t later_ns) {
  flight::Seen seen;
  Getting get{reader};
  const auto shift = [&](std::int64_t& time) {
    if (time != 0 && __builtin_add_overflow(time, later_ns, &time)) time = 0;  // a damaged message: no time
  };
  for (auto left = reader.next<std::uint64_t>(); left > 0 && reader.good(); --left) {
    flight::SeenCall call;
    visit_call(get, call);
    shift(call.began_ns);
    shift(call.left_ns);
    if (reader.next<bool>()) visit_wait(get, call.waits.emplace());
    seen.newest.push_back(std::move(call));
  }
  for (auto left = reader.next<std::uint64_t>(); left > 0 && reader.good(); --left) {
    visit_communicator(get, seen.communicators.emplace_back());
  }
  visit_rest(get, seen);
  shift(seen.idle_since_ns);
  return seen;
}

}  // namespace

std::string encode_sights(const std::vector<int>& ranks, const std::vector<RankSight>& sights, std::int64_t now_ns) {
  Writer writer;
  writer.put(now_ns).put(ranks);
  for (const RankSight& sight : sights) {
    writer.put(sight.stage).put(sight.record.has_value());
    if (sight.record) put_record(*sight.record, writer);
  }
  return writer.take();
}

bool decode_sights(std::string_view body, std::int64_t now_ns, std::vector<int>& ranks, std::vector<RankSight>& sights) {
  Reader reader(body);
  std::int64_t later_ns = 0;  // by which our clock is ahead
  if (__builtin_sub_overflow(now_ns, reader.next<std::int64_t>(), &later_ns)) return false;
  reader.get(ranks);
  sights.clear();
  for (std::size_t i = 0; i < ranks.size() && reader.good(); ++i) {
    RankSight sight;
    reader.get(sight.stage);
    if (reader.next<bool>()) sight.record = get_record(reader, later_ns);
    sights.push_back(std::move(sight));
  }
  return reader.good();
}

}  // namespace ompi_lite::launcher
