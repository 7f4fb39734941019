// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators and types: predefined ones, callbacks of copying and deleting, and the order of deletion.
// run: np=1,2,3 timeout=60
#include "../support/check.h"

static int copies, deletions, last_deleted, refuse;

static int copy_next(MPI_Comm old, int key, void* extra, void* in, void* out, int* flag) {
  (void)old, (void)key;
  CHECK(extra == &copies, "extra state of a copy");
  copies++;
  *(void**)out = (char*)in + 1;
  *flag = !refuse;
  return MPI_SUCCESS;
}

static int note_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key;
  CHECK(extra == &copies, "extra state of a deletion");
  deletions++;
  last_deleted = (int)(intptr_t)value;
  return MPI_SUCCESS;
}

static int fail_to_delete_once(MPI_Comm comm, int key, void* value, void* extra) {
  static int failures;
  (void)comm, (void)key, (void)value, (void)extra;
  return failures++ == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void predefined(void) {
  const int keys[] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL};
  int* value = NULL;
  int flag = 0;
  for (int i = 0; i < 4; i++) {
    MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag);
    CHECK(flag && value != NULL, "predefined attribute %d", i);
  }
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(*value >= 32767, "MPI_TAG_UB %d", *value);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
  CHECK(!flag || *value == 0, "MPI_APPNUM %d", *value);
}

static void on_communicators(void) {
  MPI_Comm a, b;
  void* value = NULL;
  int key = MPI_KEYVAL_INVALID, flag = -1;
  copies = deletions = refuse = 0;
  MPI_Comm_create_keyval(copy_next, note_deletion, &key, &copies);
  CHECK(key != MPI_KEYVAL_INVALID, "no key");
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_get_attr(a, key, &value, &flag);
  CHECK(!flag, "an attribute that was never set");
  MPI_Comm_set_attr(a, key, (void*)10);
  MPI_Comm_dup(a, &b);
  MPI_Comm_get_attr(b, key, &value, &flag);
  CHECK(flag && (intptr_t)value == 11 && copies == 1, "copied value %ld, %d copies", (long)(intptr_t)value, copies);
  MPI_Comm_set_attr(a, key, (void*)20);  // replacing deletes the old one
  CHECK(deletions == 1 && last_deleted == 10, "%d deletions, the last of %d", deletions, last_deleted);
  MPI_Comm_delete_attr(a, key);
  CHECK(deletions == 2 && last_deleted == 20, "%d deletions, the last of %d", deletions, last_deleted);
  MPI_Comm_get_attr(a, key, &value, &flag);
  CHECK(!flag, "a deleted attribute");
  refuse = 1;
  MPI_Comm_free(&a);
  MPI_Comm_dup(b, &a);
  MPI_Comm_get_attr(a, key, &value, &flag);
  CHECK(!flag && copies == 2, "a copy that was refused is there");
  MPI_Comm_free(&a);
  int held = key;
  MPI_Comm_free_keyval(&key);  // the key lives as long as something holds an attribute of it
  CHECK(key == MPI_KEYVAL_INVALID, "the freed key");
  MPI_Comm_get_attr(b, held, &value, &flag);
  MPI_Comm_free(&b);
  CHECK(deletions == 3 && last_deleted == 11, "%d deletions, the last of %d", deletions, last_deleted);
}

static void predefined_callbacks(void) {
  MPI_Comm a;
  void* value = NULL;
  int copied = -1, dropped = -1, flag = -1;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &copied, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &dropped, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, copied, (void*)5);
  MPI_Comm_set_attr(MPI_COMM_WORLD, dropped, (void*)6);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_get_attr(a, copied, &value, &flag);
  CHECK(flag && (intptr_t)value == 5, "MPI_COMM_DUP_FN");
  MPI_Comm_get_attr(a, dropped, &value, &flag);
  CHECK(!flag, "MPI_COMM_NULL_COPY_FN");
  MPI_Comm_free(&a);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, copied);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, dropped);
  MPI_Comm_free_keyval(&copied);
  MPI_Comm_free_keyval(&dropped);
}

static void failing_deletion(void) {
  MPI_Comm a;
  int key = -1;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fail_to_delete_once, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  errors_return(a);
  MPI_Comm_set_attr(a, key, NULL);
  CHECK(MPI_Comm_delete_attr(a, key) != MPI_SUCCESS, "a callback's error was lost");
  MPI_Comm_free(&a);
  MPI_Comm_free_keyval(&key);
}

static int type_copies, type_deletions;

static int copy_type(MPI_Datatype old, int key, void* extra, void* in, void* out, int* flag) {
  (void)old, (void)key, (void)extra;
  type_copies++;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  type_deletions++;
  return MPI_SUCCESS;
}

static void on_types(void) {
  MPI_Datatype a, b;
  void* value = NULL;
  int key = -1, flag = -1;
  MPI_Type_create_keyval(copy_type, delete_type, &key, NULL);
  MPI_Type_contiguous(2, MPI_INT, &a);
  MPI_Type_set_attr(a, key, (void*)33);
  MPI_Type_dup(a, &b);
  MPI_Type_get_attr(b, key, &value, &flag);
  CHECK(flag && (intptr_t)value == 33 && type_copies == 1, "value %ld", (long)(intptr_t)value);
  MPI_Type_free(&a);
  MPI_Type_delete_attr(b, key);
  MPI_Type_free(&b);
  CHECK(type_deletions == 2, "%d deletions", type_deletions);
  MPI_Type_free_keyval(&key);
}

static int order[3], deleted_so_far;

static int note_order(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  order[deleted_so_far++] = (int)(intptr_t)value;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key[3];
  check_start(&argc, &argv);
  predefined();
  on_communicators();
  predefined_callbacks();
  failing_deletion();
  on_types();
  // MPI_Finalize deletes those of MPI_COMM_SELF first, the youngest first (MPI 4.0, 11.2.4).
  for (int i = 0; i < 3; i++) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_order, &key[i], NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key[i], (void*)(intptr_t)(i + 1));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  CHECK(deleted_so_far == 3 && order[0] == 3 && order[1] == 2 && order[2] == 1, "%d deleted: %d %d %d", deleted_so_far,
        order[0], order[1], order[2]);
  if (world_rank == 0) puts("ok");
  return 0;
}
