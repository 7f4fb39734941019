// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators.
#include "ompi_lite/mpi/attributes.h"

namespace ompi_lite::mpi {

Error comm_create_keyval(Callback copy, Callback remove, int& keyval, void* extra_state) {
  Result<int> created = create_keyval(ObjectKind::communicator, copy, remove, extra_state);
  if (!created) return created.error();
  keyval = *created;
  return {};
}

Error comm_free_keyval(int& keyval) { return free_keyval(ObjectKind::communicator, keyval); }

Error comm_set_attr(Communicator& comm, int keyval, void* value) { return comm.attributes.set(comm, keyval, value); }

Error comm_get_attr(Communicator& comm, int keyval, void* value, bool& flag) {
  void* stored = nullptr;
  if (Error error = comm.attributes.get(comm, keyval, stored, flag)) return error;
  if (flag) *static_cast<void**>(value) = stored;
  return {};
}

Error comm_delete_attr(Communicator& comm, int keyval) { return comm.attributes.remove(comm, keyval); }

Error keyval_create(Callback copy, Callback remove, int& keyval, void* extra_state) {
  return comm_create_keyval(copy, remove, keyval, extra_state);
}
Error keyval_free(int& keyval) { return comm_free_keyval(keyval); }
Error attr_put(Communicator& comm, int keyval, void* value) { return comm_set_attr(comm, keyval, value); }
Error attr_get(Communicator& comm, int keyval, void* value, bool& flag) { return comm_get_attr(comm, keyval, value, flag); }
Error attr_delete(Communicator& comm, int keyval) { return comm_delete_attr(comm, keyval); }

}  // namespace ompi_lite::mpi
