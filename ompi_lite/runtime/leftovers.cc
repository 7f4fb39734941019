// SPDX-License-Identifier: BSD-3-Clause
#include "ompi_lite/runtime/leftovers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/object_space.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/group.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::runtime {

constinit Knob<bool> report_leaks(
    "report_leaks", false, Unit::none,
    "MPI_Finalize warns of every kind of object that the program did not free, and of operations "
    "that it did not complete.");

namespace {

constexpr std::size_t kHeader = 64;  // objects begin at multiples of it
constexpr int kExamples = 3;

std::string with_name(const Communicator& comm) { return comm.name.empty() ? "a communicator without name" : comm.name; }

std::string one_or_any(const char* what, int number, int any) {
  return number == any ? std::string("any ") + what : std::string(what) + ' ' + std::to_string(number);
}

std::string describe(const Request& request) {
  const std::string persistent = request.persistent ? "a persistent " : "a ";
  const std::string on = request.comm != nullptr ? " on " + with_name(*request.comm) : "";
  const flight::WaitFacts facts = request.ops->facts != nullptr ? request.ops->facts(request) : flight::WaitFacts{};
  switch (request.request_kind) {
    case RequestKind::send:
      return persistent + "send" + on +
             (facts.world >= 0 ? " to rank " + std::to_string(facts.world) + " of the world" : "") + " with tag " +
             std::to_string(facts.tag);
    case RequestKind::receive:
      return persistent + "receive" + on + " from " + one_or_any("rank", facts.peer, MPI_ANY_SOURCE) + " with " +
             one_or_any("tag", facts.tag, MPI_ANY_TAG);
    case RequestKind::collective:
      return (facts.word != nullptr ? facts.word : persistent + "collective") + on;
    case RequestKind::generalized:
      return "a generalized request";
    case RequestKind::partitioned:
      return "a partitioned message" + on;
  }
  return {};
}

std::string describe(const Object& object) {
  switch (object.kind) {
    case ObjectKind::communicator:
      return with_name(static_cast<const Communicator&>(object));
    case ObjectKind::datatype: {
      const auto& type = static_cast<const Datatype&>(object);
      return type.name.empty() ? type.how_made() : type.name;
    }
    case ObjectKind::group:
      return std::to_string(static_cast<const Group&>(object).size()) + " members";
    case ObjectKind::request:
      return describe(static_cast<const Request&>(object));
    default:
      return {};
  }
}

struct Kind {
  ObjectKind kind;
  const char *one, *several;
};
constexpr std::array kKinds{Kind{ObjectKind::communicator, "communicator", "communicators"},
                            Kind{ObjectKind::group, "group", "groups"},
                            Kind{ObjectKind::datatype, "datatype", "datatypes"},
                            Kind{ObjectKind::op, "operation", "operations"},
                            Kind{ObjectKind::request, "request", "requests"},
                            Kind{ObjectKind::info, "info object", "info objects"},
                            Kind{ObjectKind::errhandler, "error handler", "error handlers"},
                            Kind{ObjectKind::message, "matched message", "matched messages"},
                            Kind{ObjectKind::session, "session", "sessions"}};

struct Found {
  int number = 0;
  std::string examples;

  void add(const Object& object) {
    if (++number > kExamples + 1) return;
    const std::string text = number > kExamples ? "..." : describe(object);
    if (!text.empty()) examples += (examples.empty() ? "" : ", ") + text;
  }
};

bool is_pending(const Object& object) {
  if (object.kind != ObjectKind::request) return false;
  const auto& request = static_cast<const Request&>(object);
  return request.active && !request.done() && request.request_kind != RequestKind::generalized;
}

// An object that the application has a handle of says its own address in its first word.
const Object* held_object(const std::byte* place) {
  const auto* object = reinterpret_cast<const Object*>(place);
  const bool is_object = object->abi_handle == reinterpret_cast<std::uintptr_t>(place) && object->magic == kLiveMagic;
  return is_object && object->handles > 0 ? object : nullptr;
}

}  // namespace

Error look_for_leftovers(bool& lost) {
  Found pending;
  std::array<Found, kKinds.size()> leaked;
  lost = false;
  const std::span<const std::byte> space = ObjectSpace::used();
  for (std::size_t at = 0; at + kHeader <= space.size(); at += kHeader) {
    const Object* object = held_object(space.data() + at);
    if (object == nullptr) continue;
    if (is_pending(*object)) {
      pending.add(*object);
      lost |= static_cast<const Request*>(object)->request_kind != RequestKind::receive;
      continue;
    }
    for (std::size_t k = 0; k < kKinds.size(); ++k)
      if (kKinds[k].kind == object->kind) leaked[k].add(*object);
  }
  if (report_leaks.value()) {
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      const Found& found = leaked[k];
      if (found.number == 0) continue;
      OL_LOG(warn, "MPI_Finalize: %d %s not freed%s%s", found.number, found.number == 1 ? kKinds[k].one : kKinds[k].several,
             found.examples.empty() ? "" : ": ", found.examples.c_str());
    }
  }
  if (pending.number == 0) return {};
  Error error = make_error(ErrorClass::pending, "%d operation%s not complete: %s", pending.number,
                           pending.number == 1 ? " is" : "s are", pending.examples.c_str());
  if (report_leaks.value() || lost) OL_LOG(warn, "MPI_Finalize: %s", error.sentence());
  return error;
}

}  // namespace ompi_lite::runtime
