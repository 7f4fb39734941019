// SPDX-License-Identifier: BSD-3-Clause
// The tool interface: performance variables. Each handle counts for itself, so tools do not disturb each other.
#include <array>
#include <cstring>

#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/mpi/tool.h"
#include "ompi_lite/mpi/tool_state.h"
#include "pml/context.h"

namespace ompi_lite::mpi {

using namespace tool;

namespace tool {
namespace {

template <Counter Counters::*which>
std::uint64_t count() {
  return (counters.*which).value();
}

using device::DeviceCounters;
template <Counter DeviceCounters::*which>
std::uint64_t count_device() {
  return (device::device_counters.*which).value();
}

std::uint64_t unexpected_of(Communicator& comm) {
  return pml::context_of(comm).queues(Plane::point_to_point).unexpected.size();
}
std::uint64_t posted_of(Communicator& comm) { return pml::context_of(comm).queues(Plane::point_to_point).posted.size(); }

using Variable = PerformanceVariable;
constexpr int kCounter = MPI_T_PVAR_CLASS_COUNTER, kSum = MPI_T_PVAR_CLASS_AGGREGATE, kLevel = MPI_T_PVAR_CLASS_LEVEL;
constexpr std::array kVariables{
    Variable{"messages_sent", "pml", "messages that this process has begun to send, those of collectives included", kCounter,
             false, true, count<&Counters::messages_sent>, nullptr},
    Variable{"bytes_sent", "pml", "bytes of data in these messages", kSum, false, true, count<&Counters::bytes_sent>,
             nullptr},
    Variable{"rendezvous_sent", "pml", "messages sent for which the receiver is asked first; the others are eager", kCounter,
             false, true, count<&Counters::rendezvous_sent>, nullptr},
    Variable{"messages_received", "pml", "messages that met their receive", kCounter, false, true,
             count<&Counters::messages_received>, nullptr},
    Variable{"bytes_received", "pml", "bytes of data in these messages", kSum, false, true, count<&Counters::bytes_received>,
             nullptr},
    Variable{"rendezvous_received", "pml", "large messages received, read or asked for by the receiver", kCounter, false,
             true, count<&Counters::rendezvous_received>, nullptr},
    Variable{"unexpected_messages", "pml", "messages here that no receive has taken yet", kLevel, false, false,
             count<&Counters::unexpected_messages>, nullptr},
    Variable{"unexpected_bytes", "pml", "memory that these messages take, in bytes of their data", kLevel, false, false,
             count<&Counters::unexpected_bytes>, nullptr},
    Variable{"unexpected_most", "pml", "the most messages that waited for a receive at one time",
             MPI_T_PVAR_CLASS_HIGHWATERMARK, false, false, count<&Counters::unexpected_most>, nullptr},
    Variable{"comm_unexpected", "pml", "messages on this communicator that no receive has taken yet", kLevel, false, false,
             nullptr, unexpected_of},
    Variable{"comm_posted", "pml", "receives on this communicator that wait for a message", kLevel, false, false, nullptr,
             posted_of},
    Variable{"device_questions", "device", "questions to the driver where an address lies", kCounter, false, true,
             count_device<&DeviceCounters::questions>, nullptr},
    Variable{"device_staged_buffers", "device", "buffers in device memory that went through host memory", kCounter, false,
             true, count_device<&DeviceCounters::staged_buffers>, nullptr},
    Variable{"device_staged_bytes", "device", "bytes copied between device memory and host memory for them", kSum, false,
             true, count_device<&DeviceCounters::staged_bytes>, nullptr},
    Variable{"device_kernel_reductions", "device", "reductions by a kernel in device memory", kCounter, false, true,
             count_device<&DeviceCounters::kernel_reductions>, nullptr},
    Variable{"device_kernel_bytes", "device", "bytes of the results of these reductions", kSum, false, true,
             count_device<&DeviceCounters::kernel_bytes>, nullptr},
    Variable{"device_piped_messages", "device",
             "messages to or from device memory that passed through pinned memory in pieces", kCounter, false, true,
             count_device<&DeviceCounters::piped_messages>, nullptr},
    Variable{"device_piped_bytes", "device", "bytes of these messages", kSum, false, true,
             count_device<&DeviceCounters::piped_bytes>, nullptr},
    Variable{"device_peer_messages", "device", "messages received straight out of another process's device memory", kCounter,
             false, true, count_device<&DeviceCounters::peer_messages>, nullptr},
    Variable{"device_peer_bytes", "device", "bytes of these messages", kSum, false, true,
             count_device<&DeviceCounters::peer_bytes>, nullptr},
    Variable{"device_collectives", "device", "collective calls that were done in device memory", kCounter, false, true,
             count_device<&DeviceCounters::collectives>, nullptr},
    Variable{"device_peer_opened", "device", "mappings that were made of other processes' device memory", kCounter, false,
             true, count_device<&DeviceCounters::peer_opened>, nullptr},
    Variable{"device_peer_closed", "device", "mappings of it that were given up", kCounter, false, true,
             count_device<&DeviceCounters::peer_closed>, nullptr},
    Variable{"sleeps", "base", "how often this process slept because there was nothing to do", kCounter, false, true,
             count<&Counters::sleeps>, nullptr},
    Variable{"time_asleep", "base", "seconds that it slept in these waits", MPI_T_PVAR_CLASS_TIMER, true, true,
             count<&Counters::asleep_ns>, nullptr},
};

// Null: there is no such communicator, or no more.
Communicator* communicator_of(MPI_Comm handle) {
  Object* found = serving_world == nullptr ? nullptr : object_of(reinterpret_cast<std::uintptr_t>(handle));
  return is_live(found, ObjectKind::communicator) ? static_cast<Communicator*>(found) : nullptr;
}

std::uint64_t raw(const PerformanceHandle& handle) {
  const PerformanceVariable& variable = *handle.variable;
  return variable.read_of != nullptr ? variable.read_of(*communicator_of(handle.comm)) : variable.read();
}

std::uint64_t value_of(const PerformanceHandle& handle) {
  if (!handle.variable->counts) return raw(handle);
  return handle.counted + (handle.running ? raw(handle) - handle.began_at : 0);
}

void put(const PerformanceHandle& handle, void* buffer) {
  const std::uint64_t value = value_of(handle);
  const double seconds = static_cast<double>(value) * 1e-9;
  const unsigned long long number = value;
  if (handle.variable->seconds)
    std::memcpy(buffer, &seconds, sizeof seconds);
  else
    std::memcpy(buffer, &number, sizeof number);
}

void start_over(PerformanceHandle& handle, std::uint64_t from) {
  handle.counted = from;
  handle.began_at = raw(handle);
}

void stop(PerformanceHandle& handle) {
  handle.counted = value_of(handle);
  handle.running = false;
}

// The session of a call and, unless all are meant, its handle.
struct Place {
  PerformanceSession* session = nullptr;
  PerformanceHandle* handle = nullptr;
};

Error find_place(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Place& place) {
  place.session = find(state().sessions, session);
  if (place.session == nullptr) return fail(MPI_T_ERR_INVALID_SESSION, "the session names nothing");
  if (handle == MPI_T_PVAR_ALL_HANDLES) return {};
  place.handle = find(place.session->handles, handle);
  return place.handle == nullptr ? bad_handle() : Error();
}

Error find_one(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Place& place) {
  OL_TRY(find_place(session, handle, place));
  return place.handle == nullptr ? bad_handle() : Error();
}

Error no_write() { return fail(MPI_T_ERR_PVAR_NO_WRITE, "the variable cannot be changed"); }
Error no_start_stop() { return fail(MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable is always running"); }

}  // namespace

std::span<const PerformanceVariable> performance_variables() { return kVariables; }

}  // namespace tool

Error t_pvar_get_num(int* num) {
  const Use use;
  if (!use) return not_initialized();
  give(num, static_cast<int>(kVariables.size()));
  return {};
}

Error t_pvar_get_info(int index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                      MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                      int* atomic) {
  const Use use;
  if (!use) return not_initialized();
  if (!within(index, kVariables.size())) return bad_index();
  const PerformanceVariable& variable = kVariables[static_cast<std::size_t>(index)];
  give_text(name, name_len, variable.name);
  give_text(desc, desc_len, variable.help);
  give<int>(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  give(var_class, variable.variable_class);
  give(datatype, variable.seconds ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG);
  give(enumtype, MPI_T_ENUM_NULL);
  give<int>(bind, variable.read_of != nullptr ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
  give(readonly, variable.counts ? 0 : 1);
  give(continuous, variable.counts ? 0 : 1);
  give(atomic, variable.counts ? 1 : 0);
  return {};
}

Error t_pvar_get_index(const char* name, int var_class, int* index) {
  const Use use;
  if (!use) return not_initialized();
  if (name == nullptr || index == nullptr) return fail(MPI_T_ERR_INVALID, "a null pointer is given");
  for (std::size_t i = 0; i < kVariables.size(); ++i) {
    if (std::strcmp(kVariables[i].name, name) != 0 || kVariables[i].variable_class != var_class) continue;
    *index = static_cast<int>(i);
    return {};
  }
  return fail(MPI_T_ERR_INVALID_NAME, "no performance variable has that name and class");
}

Error t_pvar_session_create(MPI_T_pvar_session* session) {
  const Use use;
  if (!use) return not_initialized();
  if (session == nullptr) return fail(MPI_T_ERR_INVALID, "the place for the session is a null pointer");
  state().sessions.push_back(std::make_unique<PerformanceSession>());
  *session = reinterpret_cast<MPI_T_pvar_session>(state().sessions.back().get());
  return {};
}

Error t_pvar_session_free(MPI_T_pvar_session* session) {
  const Use use;
  if (!use) return not_initialized();
  PerformanceSession* found = session == nullptr ? nullptr : find(state().sessions, *session);
  if (found == nullptr) return fail(MPI_T_ERR_INVALID_SESSION, "the session names nothing");
  drop(state().sessions, found);
  *session = MPI_T_PVAR_SESSION_NULL;
  return {};
}

Error t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* object, MPI_T_pvar_handle* handle, int* count) {
  const Use use;
  if (!use) return not_initialized();
  PerformanceSession* found = find(state().sessions, session);
  if (found == nullptr) return fail(MPI_T_ERR_INVALID_SESSION, "the session names nothing");
  if (!within(index, kVariables.size())) return bad_index();
  if (handle == nullptr) return fail(MPI_T_ERR_INVALID, "the place for the handle is a null pointer");
  auto made = std::make_unique<PerformanceHandle>();
  made->variable = &kVariables[static_cast<std::size_t>(index)];
  if (made->variable->read_of != nullptr) {
    if (object != nullptr) made->comm = *static_cast<const MPI_Comm*>(object);
    if (communicator_of(made->comm) == nullptr)
      return fail(MPI_T_ERR_INVALID, "the variable is bound to a communicator, and none is given");
  }
  *handle = reinterpret_cast<MPI_T_pvar_handle>(made.get());
  found->handles.push_back(std::move(made));
  give(count, 1);
  return {};
}

Error t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_one(session, handle == nullptr ? MPI_T_PVAR_HANDLE_NULL : *handle, place));
  drop(place.session->handles, place.handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return {};
}

Error t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_place(session, handle, place));
  if (place.handle != nullptr && !place.handle->variable->counts) return no_start_stop();
  for (const auto& each : place.session->handles) {
    if ((place.handle != nullptr && each.get() != place.handle) || each->running || !each->variable->counts) continue;
    each->began_at = raw(*each);
    each->running = true;
  }
  return {};
}

Error t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_place(session, handle, place));
  if (place.handle != nullptr && !place.handle->variable->counts) return no_start_stop();
  for (const auto& each : place.session->handles)
    if ((place.handle == nullptr || each.get() == place.handle) && each->running) stop(*each);
  return {};
}

Error t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_one(session, handle, place));
  if (buffer == nullptr) return fail(MPI_T_ERR_INVALID, "the buffer is a null pointer");
  if (place.handle->variable->read_of != nullptr && communicator_of(place.handle->comm) == nullptr)
    return fail(MPI_T_ERR_NOT_ACCESSIBLE, "the communicator of the variable is gone");
  put(*place.handle, buffer);
  return {};
}

Error t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buffer) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_one(session, handle, place));
  if (buffer == nullptr) return fail(MPI_T_ERR_INVALID, "the buffer is a null pointer");
  if (!place.handle->variable->counts) return no_write();
  unsigned long long number = 0;
  double seconds = 0;
  if (place.handle->variable->seconds) {
    std::memcpy(&seconds, buffer, sizeof seconds);
    number = static_cast<unsigned long long>(seconds * 1e9);
  } else {
    std::memcpy(&number, buffer, sizeof number);
  }
  start_over(*place.handle, number);
  return {};
}

Error t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_place(session, handle, place));
  if (place.handle != nullptr && !place.handle->variable->counts) return no_write();
  for (const auto& each : place.session->handles)
    if ((place.handle == nullptr || each.get() == place.handle) && each->variable->counts) start_over(*each, 0);
  return {};
}

Error t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  const Use use;
  if (!use) return not_initialized();
  Place place;
  OL_TRY(find_one(session, handle, place));
  if (buffer == nullptr) return fail(MPI_T_ERR_INVALID, "the buffer is a null pointer");
  if (!place.handle->variable->counts)
    return fail(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable cannot be read and reset at once");
  put(*place.handle, buffer);
  start_over(*place.handle, 0);
  return {};
}

}  // namespace ompi_lite::mpi
