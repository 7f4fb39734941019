// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, chapter 15: the tool information interface. Usable before MPI_Init and after MPI_Finalize, from any thread. Its
// errors are return codes (MPI_T_ERR_*) and reach no error handler. Any place for a result may be a null pointer.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {

Error t_init_thread(int required, int* provided);
Error t_finalize();

// Strings are written into a buffer of *length bytes and cut to fit; *length becomes the bytes that the whole needs.
Error t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len);
Error t_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len);

// Control variables are the knobs.
Error t_cvar_get_num(int* num);
Error t_cvar_get_info(int index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype, MPI_T_enum* enumtype,
                      char* desc, int* desc_len, int* bind, int* scope);
Error t_cvar_get_index(const char* name, int* index);
Error t_cvar_handle_alloc(int index, void* object, MPI_T_cvar_handle* handle, int* count);
Error t_cvar_handle_free(MPI_T_cvar_handle* handle);
Error t_cvar_read(MPI_T_cvar_handle handle, void* buffer);
Error t_cvar_write(MPI_T_cvar_handle handle, const void* buffer);

// Performance variables are the counters, and the queues of each communicator.
Error t_pvar_get_num(int* num);
Error t_pvar_get_info(int index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                      MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                      int* atomic);
Error t_pvar_get_index(const char* name, int var_class, int* index);
Error t_pvar_session_create(MPI_T_pvar_session* session);
Error t_pvar_session_free(MPI_T_pvar_session* session);
Error t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* object, MPI_T_pvar_handle* handle, int* count);
Error t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle);
Error t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer);
Error t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buffer);
Error t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
Error t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer);

// Categories are the components that have knobs or counters.
Error t_category_get_num(int* num);
Error t_category_get_info(int index, char* name, int* name_len, char* desc, int* desc_len, int* cvars, int* pvars,
                          int* categories);
Error t_category_get_index(const char* name, int* index);
Error t_category_get_num_events(int index, int* num);
Error t_category_get_cvars(int index, int length, int* indices);
Error t_category_get_pvars(int index, int length, int* indices);
Error t_category_get_events(int index, int length, int* indices);
Error t_category_get_categories(int index, int length, int* indices);
Error t_category_changed(int* update_number);

// There are no events, so no index, name or handle of one is ever right; and no sources of them.
Error t_source_get_num(int* num);
Error t_source_get_info(int index, char* name, int* name_len, char* desc, int* desc_len, MPI_T_source_order* ordering,
                        MPI_Count* ticks_per_second, MPI_Count* max_ticks, MPI_Info* info);
Error t_source_get_timestamp(int index, MPI_Count* timestamp);
Error t_event_get_num(int* num);
Error t_event_get_info(int index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatypes,
                       MPI_Aint* displacements, int* elements, MPI_T_enum* enumtype, MPI_Info* info, char* desc,
                       int* desc_len, int* bind);
Error t_event_get_index(const char* name, int* index);
Error t_event_handle_alloc(int index, void* object, MPI_Info info, MPI_T_event_registration* registration);
Error t_event_handle_set_info(MPI_T_event_registration registration, MPI_Info info);
Error t_event_handle_get_info(MPI_T_event_registration registration, MPI_Info* info);
Error t_event_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info,
                                void* user_data, MPI_T_event_cb_function* function);
Error t_event_callback_set_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info);
Error t_event_callback_get_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info* info);
Error t_event_handle_free(MPI_T_event_registration registration, void* user_data, MPI_T_event_free_cb_function* function);
Error t_event_set_dropped_handler(MPI_T_event_registration registration, MPI_T_event_dropped_cb_function* function);
Error t_event_read(MPI_T_event_instance instance, int element, void* buffer);
Error t_event_copy(MPI_T_event_instance instance, void* buffer);
Error t_event_get_timestamp(MPI_T_event_instance instance, MPI_Count* timestamp);
Error t_event_get_source(MPI_T_event_instance instance, int* index);

}  // namespace ompi_lite::mpi
