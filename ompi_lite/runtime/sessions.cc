// SPDX-License-Identifier: BSD-3-Clause
// Sessions. The first one brings the process up if MPI_Init has not; the process stays until the program ends, so that sessions may
// come and go.
#include "ompi_lite/runtime/sessions.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/runtime/life.h"
#include "ompi_lite/runtime/process.h"
#include "ompi_lite/runtime/thread_level.h"

namespace ompi_lite {

void destroy(Session* session) {
  forget_int(*session);
  delete session;
}

namespace runtime {
namespace {

constexpr std::array<const char*, 2> kSets{"mpi://WORLD", "mpi://SELF"};

// Names of process sets do not depend on case (section 11.3.2).
Error find_set(const char* name, std::size_t& place) {
  if (name == nullptr) return Error(ErrorClass::arg, "pset_name is a null pointer");
  for (place = 0; place < kSets.size(); place++)
    if (strcasecmp(name, kSets[place]) == 0) return {};
  return make_error(ErrorClass::arg, "there is no process set \"%s\"; there are mpi://WORLD and mpi://SELF", name);
}

}  // namespace

Error check_errhandler(const Errhandler& errhandler, ObjectKind kind) {
  if (errhandler.handler_kind != ErrhandlerKind::user || errhandler.object_kind == kind) return {};
  return Error(ErrorClass::arg, "errhandler was created for another kind of object");
}

Error session_init(Info* info, Errhandler& errhandler, Session*& session) {
  OL_TRY(check_errhandler(errhandler, ObjectKind::session));
  const std::string* level = info == nullptr ? nullptr : info->find("thread_level");
  OL_TRY(open_session(level == nullptr || *level != "MPI_THREAD_SINGLE"));
  session = new Session(errhandler);
  session->pml_state = pml::new_session_state();
  session->hints.set("thread_level", level == nullptr ? "MPI_THREAD_MULTIPLE" : *level);
  session->hints.set("mpi_size", std::to_string(current()->job().size));
  return {};
}

// The session's buffer is detached, so its messages leave first: the application may do what it wants with the buffer then.
Error session_finalize(Session*& session) {
  pml::Pml& pml = current()->pml();
  void* buffer = nullptr;
  Count bytes = 0;
  OL_TRY(pml.detach_bsend_buffer(pml.bsend_buffer(*session->pml_state), buffer, bytes));
  release(std::exchange(session, nullptr));
  close_session();
  return {};
}

Error session_get_info(Session& session, Info*& info) {
  info = new Info;
  info->entries = session.hints.entries;
  info->set("mpi_memory_alloc_kinds", device::memory_alloc_kinds());
  return {};
}

Error session_set_errhandler(Session& session, Errhandler& errhandler) {
  OL_TRY(check_errhandler(errhandler, ObjectKind::session));
  session.errhandler = Ref<Errhandler>::share(&errhandler);
  return {};
}

Error session_get_errhandler(Session& session, Errhandler*& errhandler) {
  errhandler = retain(session.errhandler.get());
  return {};
}

Error session_get_num_psets(Session&, Info*, int& count) {
  count = static_cast<int>(kSets.size());
  return {};
}

Error session_get_nth_pset(Session&, Info*, int n, int& length, char* name) {
  if (n < 0 || static_cast<std::size_t>(n) >= kSets.size()) return make_error(ErrorClass::arg, "n is %d, but there are %zu process sets", n, kSets.size());
  const std::string_view text = kSets[static_cast<std::size_t>(n)];
  if (length > 0) {
    if (name == nullptr) return Error(ErrorClass::arg, "pset_name is a null pointer");
    const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, text.data(), bytes);
    name[bytes] = '\0';
  }
  length = static_cast<int>(text.size()) + 1;
  return {};
}

Error session_get_pset_info(Session&, const char* name, Info*& info) {
  std::size_t place = 0;
  OL_TRY(find_set(name, place));
  info = new Info;
  info->set("mpi_size", std::to_string(place == 0 ? current()->job().size : 1));
  return {};
}

Error group_from_session_pset(Session& session, const char* name, Group*& newgroup) {
  std::size_t place = 0;
  OL_TRY(find_set(name, place));
  const JobInfo& job = current()->job();
  newgroup = place == 0 ? new Group(0, job.size, job.rank) : new Group(job.rank, 1, job.rank);
  newgroup->set_session(session.pml_state);
  return {};
}

}  // namespace runtime

}  // namespace ompi_lite
