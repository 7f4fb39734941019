// SPDX-License-Identifier: BSD-3-Clause
// The tool interface: events, of which there are none.
#include "ompi_lite/mpi/tool.h"
#include "ompi_lite/mpi/tool_state.h"

namespace ompi_lite::mpi {

using namespace tool;

namespace {

// What a call gives that names an event, a registration or an instance.
Error no_such(Error error) {
  const Use use;
  return use ? error : not_initialized();
}

Error none(int* num) {
  const Use use;
  if (!use) return not_initialized();
  give(num, 0);
  return {};
}

}  // namespace

Error t_source_get_num(int* num) { return none(num); }
Error t_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  return no_such(bad_index());
}
Error t_source_get_timestamp(int, MPI_Count*) { return no_such(bad_index()); }

Error t_event_get_num(int* num) { return none(num); }
Error t_event_get_info(int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*, MPI_T_enum*, MPI_Info*, char*, int*, int*) {
  return no_such(bad_index());
}
Error t_event_get_index(const char* name, int*) {
  return no_such(name == nullptr ? fail(MPI_T_ERR_INVALID, "the name is a null pointer")
                                 : fail(MPI_T_ERR_INVALID_NAME, "no event type has that name"));
}
Error t_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) { return no_such(bad_index()); }
Error t_event_handle_set_info(MPI_T_event_registration, MPI_Info) { return no_such(bad_handle()); }
Error t_event_handle_get_info(MPI_T_event_registration, MPI_Info*) { return no_such(bad_handle()); }
Error t_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function*) {
  return no_such(bad_handle());
}
Error t_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) { return no_such(bad_handle()); }
Error t_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) { return no_such(bad_handle()); }
Error t_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function*) { return no_such(bad_handle()); }
Error t_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function*) {
  return no_such(bad_handle());
}
Error t_event_read(MPI_T_event_instance, int, void*) { return no_such(bad_handle()); }
Error t_event_copy(MPI_T_event_instance, void*) { return no_such(bad_handle()); }
Error t_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { return no_such(bad_handle()); }
Error t_event_get_source(MPI_T_event_instance, int*) { return no_such(bad_handle()); }

}  // namespace ompi_lite::mpi
