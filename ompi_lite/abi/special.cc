// SPDX-License-Identifier: BSD-3-Clause
// The entries that fit no scheme, and the meaning of the functions that need neither object nor communication.
#include "ompi_lite/abi/special.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "ompi_lite/abi/call.h"
#include "ompi_lite/base/clock.h"
#include "ompi_lite/config.h"
#include "ompi_lite/core/status.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/include/mpix.h"
#include "ompi_lite/mpi/comms.h"
#include "ompi_lite/mpi/errors.h"
#include "ompi_lite/mpi/ops.h"

namespace ompi_lite::abi {
namespace {

// What gfortran makes of the types whose size a Fortran compiler chooses; the types that the library knows are made for it.
struct FortranFact {
  const char* key;
  const char* value;
};
constexpr FortranFact kFortranFacts[] = {
    {"mpi_character_size", "1"},        {"mpi_logical_size", "4"}, {"mpi_integer_size", "4"},         {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"}, {"mpi_complex_size", "8"}, {"mpi_double_complex_size", "16"},
};
// Types that a compiler may lack: "mpi_integer16_supported" (section 20.6).
struct OptionalType {
  const char* name;
  std::uintptr_t handle;
};
constexpr OptionalType kOptionalTypes[] = {
    {"logical1", 0x2c0}, {"logical2", 0x2c8},  {"logical4", 0x2d0},  {"logical8", 0x2d8},       {"logical16", 0x2e0},
    {"integer1", 0x2c1}, {"integer2", 0x2c9},  {"integer4", 0x2d1},  {"integer8", 0x2d9},       {"integer16", 0x2e1},
    {"real2", 0x2ca},    {"real4", 0x2d2},     {"real8", 0x2da},     {"real16", 0x2e2},         {"complex4", 0x2d3},
    {"complex8", 0x2db}, {"complex16", 0x2e3}, {"complex32", 0x2eb}, {"double_complex", 0x21d},
};
constexpr FortranFact kAbiFacts[] = {{"mpi_aint_size", "8"}, {"mpi_count_size", "8"}, {"mpi_offset_size", "8"}};
static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8);

template <std::size_t n>
Info* info_of(const FortranFact (&facts)[n]) {
  auto* info = new Info;
  for (const FortranFact& fact : facts) info->set(fact.key, fact.value);
  return info;
}

bool is_logical_size(int size) { return size == 1 || size == 2 || size == 4 || size == 8 || size == 16; }

void store_logical(void* place, int size, char value) {
  std::memset(place, 0, static_cast<std::size_t>(size));
  std::memcpy(place, &value, 1);
}

// A callback that gets `context` as one more argument.
template <class F>
struct FunctionWithContext {
  F* value;
  const char* name;
  void* context;

  Error read(Site& site) const {
    return value == nullptr && site.checked ? null_pointer(ErrorClass::arg, name) : Error();
  }
  template <class P>
  P as() const {
    return P{reinterpret_cast<void (*)()>(value), context};
  }
  void store(bool) const {}
};
template <class F>
FunctionWithContext(F*, const char*, void*) -> FunctionWithContext<F>;

template <class H>
int to_int(H handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < kPredefinedHandles) return static_cast<int>(value);
  Object* object = nullptr;
  if (Error error = find(handle, "the handle", Null::refused, object)) return static_cast<int>(HandleTraits<H>::null);
  return handle_to_int(*object);
}

template <class H>
H from_int(int value) {
  if (value >= 0 && static_cast<std::uintptr_t>(value) < kPredefinedHandles) {
    return reinterpret_cast<H>(static_cast<std::uintptr_t>(value));
  }
  const Object* object = handle_from_int(value);
  return is_live(object, HandleTraits<H>::kind) ? reinterpret_cast<H>(object->abi_handle) : null_of<H>();
}

}  // namespace

Error get_version(int& version, int& subversion) {
  version = MPI_VERSION;
  subversion = MPI_SUBVERSION;
  return {};
}

Error get_library_version(char* version, int& length) {
  length = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s, MPI %d.%d, standard ABI %d.%d", PACKAGE_STRING,
                         MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  return {};
}

Error abi_get_version(int& major, int& minor) {
  major = MPI_ABI_VERSION;
  minor = MPI_ABI_SUBVERSION;
  return {};
}

Error abi_get_info(Info*& info) {
  info = info_of(kAbiFacts);
  return {};
}

Error abi_get_fortran_info(Info*& info) {
  info = info_of(kFortranFacts);
  make_predefined_objects();
  for (const OptionalType& type : kOptionalTypes) {
    const bool known = is_live(object_of(type.handle), ObjectKind::datatype);
    info->set(std::string("mpi_") + type.name + "_supported", known ? "true" : "false");
  }
  return {};
}

// The facts are set from the start, and a second setting is an error (MPI 5.0, section 20.6).
Error abi_set_fortran_info(Info*) { return Error(ErrorClass::abi, "the sizes of Fortran's types are set already"); }

Error abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, bool& is_set) {
  if (!is_logical_size(logical_size))
    return make_error(ErrorClass::arg, "logical_size is %d, not 1, 2, 4, 8 or 16", logical_size);
  if (logical_true == nullptr || logical_false == nullptr)
    return Error(ErrorClass::arg, "a place for a logical is a null pointer");
  store_logical(logical_true, logical_size, 1);
  store_logical(logical_false, logical_size, 0);
  is_set = true;
  return {};
}

Error abi_set_fortran_booleans(int, void*, void*) {
  return Error(ErrorClass::abi, "the values of Fortran's logicals are set already");
}

Error get_address(const void* location, Count& address) {
  address = static_cast<Count>(reinterpret_cast<std::intptr_t>(location));
  return {};
}

Error status_get_source(const MPI_Status* status, int& source) {
  source = status->MPI_SOURCE;
  return {};
}
Error status_get_tag(const MPI_Status* status, int& tag) {
  tag = status->MPI_TAG;
  return {};
}
Error status_get_error(const MPI_Status* status, int& error) {
  error = status->MPI_ERROR;
  return {};
}
Error status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
  return {};
}
Error status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
  return {};
}
Error status_set_error(MPI_Status* status, int error) {
  status->MPI_ERROR = error;
  return {};
}
Error status_set_cancelled(MPI_Status* status, bool flag) {
  ompi_lite::set_status_cancelled(*status, flag);
  return {};
}
Error test_cancelled(const MPI_Status* status, bool& flag) {
  flag = ompi_lite::status_cancelled(*status);
  return {};
}

}  // namespace ompi_lite::abi

using namespace ompi_lite;
using namespace ompi_lite::abi;

OL_EXPORT double PMPI_Wtime(void) { return now_seconds(); }
OL_ALIAS(Wtime)
OL_EXPORT double PMPI_Wtick(void) { return 1e-9; }
OL_ALIAS(Wtick)

OL_EXPORT MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(disp));  // wraps, as addresses do
}
OL_ALIAS(Aint_add)
OL_EXPORT MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
OL_ALIAS(Aint_diff)

OL_EXPORT int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }  // for tools, which replace it
OL_ALIAS(Pcontrol)

// MPI_COMM_NULL has a name, and nothing else that one could ask for (section 7.8).
OL_EXPORT int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  if (comm == MPI_COMM_NULL && comm_name != nullptr && resultlen != nullptr && mpi_is_active()) {
    *resultlen = std::snprintf(comm_name, MPI_MAX_OBJECT_NAME, "MPI_COMM_NULL");
    return MPI_SUCCESS;
  }
  return call<mpi::comm_get_name>(on("MPI_Comm_get_name", comm), Handle{comm, "comm"}, Fill{comm_name, 1, "comm_name"},
                                  Out{resultlen, "resultlen"});
}
OL_ALIAS(Comm_get_name)

// Success means that the handler was called and came back (MPI 5.0, section 9.5).
OL_EXPORT int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  Site site = on("MPI_Comm_call_errhandler", comm);
  if (Error error = enter(site)) return raise(site, error);
  raise(site, Error(static_cast<ErrorClass>(errorcode), "called by the application"));
  return MPI_SUCCESS;
}
OL_ALIAS(Comm_call_errhandler)

OL_EXPORT int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  const Site site = on("MPI_Session_call_errhandler", session);
  if (site.session == nullptr) return raise(site, Error(ErrorClass::session, "session is not an open session"));
  raise(site, Error(static_cast<ErrorClass>(errorcode), "called by the application"));
  return MPI_SUCCESS;
}
OL_ALIAS(Session_call_errhandler)

OL_EXPORT int PMPI_Comm_toint(MPI_Comm comm) { return to_int(comm); }
OL_ALIAS(Comm_toint)
OL_EXPORT MPI_Comm PMPI_Comm_fromint(int comm) { return from_int<MPI_Comm>(comm); }
OL_ALIAS(Comm_fromint)
OL_EXPORT int PMPI_Errhandler_toint(MPI_Errhandler errhandler) { return to_int(errhandler); }
OL_ALIAS(Errhandler_toint)
OL_EXPORT MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) { return from_int<MPI_Errhandler>(errhandler); }
OL_ALIAS(Errhandler_fromint)
OL_EXPORT int PMPI_File_toint(MPI_File file) { return to_int(file); }
OL_ALIAS(File_toint)
OL_EXPORT MPI_File PMPI_File_fromint(int file) { return from_int<MPI_File>(file); }
OL_ALIAS(File_fromint)
OL_EXPORT int PMPI_Group_toint(MPI_Group group) { return to_int(group); }
OL_ALIAS(Group_toint)
OL_EXPORT MPI_Group PMPI_Group_fromint(int group) { return from_int<MPI_Group>(group); }
OL_ALIAS(Group_fromint)
OL_EXPORT int PMPI_Info_toint(MPI_Info info) { return to_int(info); }
OL_ALIAS(Info_toint)
OL_EXPORT MPI_Info PMPI_Info_fromint(int info) { return from_int<MPI_Info>(info); }
OL_ALIAS(Info_fromint)
OL_EXPORT int PMPI_Message_toint(MPI_Message message) { return to_int(message); }
OL_ALIAS(Message_toint)
OL_EXPORT MPI_Message PMPI_Message_fromint(int message) { return from_int<MPI_Message>(message); }
OL_ALIAS(Message_fromint)
OL_EXPORT int PMPI_Op_toint(MPI_Op op) { return to_int(op); }
OL_ALIAS(Op_toint)
OL_EXPORT MPI_Op PMPI_Op_fromint(int op) { return from_int<MPI_Op>(op); }
OL_ALIAS(Op_fromint)
OL_EXPORT int PMPI_Request_toint(MPI_Request request) { return to_int(request); }
OL_ALIAS(Request_toint)
OL_EXPORT MPI_Request PMPI_Request_fromint(int request) { return from_int<MPI_Request>(request); }
OL_ALIAS(Request_fromint)
OL_EXPORT int PMPI_Session_toint(MPI_Session session) { return to_int(session); }
OL_ALIAS(Session_toint)
OL_EXPORT MPI_Session PMPI_Session_fromint(int session) { return from_int<MPI_Session>(session); }
OL_ALIAS(Session_fromint)
OL_EXPORT int PMPI_Type_toint(MPI_Datatype datatype) { return to_int(datatype); }
OL_ALIAS(Type_toint)
OL_EXPORT MPI_Datatype PMPI_Type_fromint(int datatype) { return from_int<MPI_Datatype>(datatype); }
OL_ALIAS(Type_fromint)
OL_EXPORT int PMPI_Win_toint(MPI_Win win) { return to_int(win); }
OL_ALIAS(Win_toint)
OL_EXPORT MPI_Win PMPI_Win_fromint(int win) { return from_int<MPI_Win>(win); }
OL_ALIAS(Win_fromint)

// Callbacks with a context, for the bindings of other languages.
OL_EXPORT int MPIX_Op_create_x(MPIX_User_function_x* user_fn, void* context, int commute, MPI_Op* op) {
  return call<mpi::op_create>(on("MPI_Op_create"), FunctionWithContext{user_fn, "user_fn", context}, Value{commute},
                              NewHandle{op, "op"});
}
OL_EXPORT int MPIX_Op_create_c_x(MPIX_User_function_c_x* user_fn, void* context, int commute, MPI_Op* op) {
  return call<mpi::op_create_c>(on("MPI_Op_create_c"), FunctionWithContext{user_fn, "user_fn", context}, Value{commute},
                                NewHandle{op, "op"});
}
OL_EXPORT int MPIX_Comm_create_errhandler_x(MPIX_Comm_errhandler_function_x* function, void* context,
                                            MPI_Errhandler* errhandler) {
  return call<mpi::comm_create_errhandler>(on("MPI_Comm_create_errhandler", When::any_time),
                                           FunctionWithContext{function, "comm_errhandler_fn", context},
                                           NewHandle{errhandler, "errhandler"});
}
OL_EXPORT int MPIX_Win_create_errhandler_x(MPIX_Win_errhandler_function_x* function, void* context,
                                           MPI_Errhandler* errhandler) {
  return call<mpi::win_create_errhandler>(on("MPI_Win_create_errhandler", When::any_time),
                                          FunctionWithContext{function, "win_errhandler_fn", context},
                                          NewHandle{errhandler, "errhandler"});
}
OL_EXPORT int MPIX_File_create_errhandler_x(MPIX_File_errhandler_function_x* function, void* context,
                                            MPI_Errhandler* errhandler) {
  return call<mpi::file_create_errhandler>(on("MPI_File_create_errhandler", When::any_time),
                                           FunctionWithContext{function, "file_errhandler_fn", context},
                                           NewHandle{errhandler, "errhandler"});
}
OL_EXPORT int MPIX_Session_create_errhandler_x(MPIX_Session_errhandler_function_x* function, void* context,
                                               MPI_Errhandler* errhandler) {
  return call<mpi::session_create_errhandler>(on("MPI_Session_create_errhandler", When::any_time),
                                              FunctionWithContext{function, "session_errhandler_fn", context},
                                              NewHandle{errhandler, "errhandler"});
}

// Before MPI_Init too: the plugin is looked for at the first question.
OL_EXPORT int MPIX_Query_cuda_support(void) {
  if (read_knobs(all_knobs()) || device::open()) return 0;
  return device::watch == device::Watch::plugin ? 1 : 0;
}
