// SPDX-License-Identifier: BSD-3-Clause
// Info objects: setting, reading, counting, deleting, copying; and those that communicators carry.
// run: np=1,2 timeout=60
#include "../support/check.h"

static int keys_of(MPI_Info info) {
  int n = -1;
  MPI_Info_get_nkeys(info, &n);
  return n;
}

static void check_value(MPI_Info info, const char* key, const char* expected) {
  char value[MPI_MAX_INFO_VAL + 1] = "untouched";
  int flag = -1, length = -1;
  MPI_Info_get_valuelen(info, key, &length, &flag);
  CHECK(flag == (expected != NULL) && (!flag || length == (int)strlen(expected)), "key %s: flag %d length %d", key, flag,
        length);
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
  CHECK(flag == (expected != NULL), "key %s: flag %d", key, flag);
  CHECK(strcmp(value, expected ? expected : "untouched") == 0, "key %s: %s", key, value);
}

static void strings(MPI_Info info) {
#if MPI_VERSION >= 4
  char value[6] = "12345";
  int length = sizeof value, flag = -1;
  MPI_Info_get_string(info, "longer", &length, value, &flag);
  CHECK(flag && length == 11 && strcmp(value, "0123") != 0 && strlen(value) == 5, "length %d value %s", length, value);
  CHECK(strcmp(value, "01234") == 0, "value %s", value);
  length = 0;
  MPI_Info_get_string(info, "longer", &length, value, &flag);
  CHECK(flag && length == 11 && strcmp(value, "01234") == 0, "a length of 0 asks only: %d %s", length, value);
  MPI_Info_get_string(info, "absent", &length, value, &flag);
  CHECK(!flag, "absent key");
#else
  (void)info;
#endif
}

#if MPI_VERSION >= 5
// What MPI says of Fortran's optional types agrees with the types themselves (section 20.6).
static void fortran_facts(void) {
  const struct {
    const char* key;
    MPI_Datatype type;
  } types[] = {{"mpi_logical1_supported", MPI_LOGICAL1},   {"mpi_integer16_supported", MPI_INTEGER16},
               {"mpi_real2_supported", MPI_REAL2},         {"mpi_real16_supported", MPI_REAL16},
               {"mpi_complex32_supported", MPI_COMPLEX32}, {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX}};
  MPI_Info facts;
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  MPI_Abi_get_fortran_info(&facts);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    int size = 0;
    check_value(facts, types[i].key, MPI_Type_size(types[i].type, &size) == MPI_SUCCESS && size > 0 ? "true" : "false");
  }
  MPI_Info_free(&facts);
}
#else
static void fortran_facts(void) {}
#endif

int main(int argc, char** argv) {
  MPI_Info a, b;
  check_start(&argc, &argv);
  fortran_facts();
  MPI_Info_create(&a);
  CHECK(keys_of(a) == 0, "%d keys", keys_of(a));
  MPI_Info_set(a, "colour", "red");
  MPI_Info_set(a, "longer", "0123456789");
  MPI_Info_set(a, "a key with blanks", " kept as it is ");
  CHECK(keys_of(a) == 3, "%d keys", keys_of(a));
  check_value(a, "colour", "red");
  check_value(a, "Colour", NULL);
  check_value(a, "a key with blanks", " kept as it is ");
  strings(a);
  MPI_Info_set(a, "colour", "blue");
  CHECK(keys_of(a) == 3, "%d keys after replacing", keys_of(a));
  check_value(a, "colour", "blue");
  MPI_Info_dup(a, &b);
  MPI_Info_delete(a, "longer");
  CHECK(keys_of(a) == 2 && keys_of(b) == 3, "%d and %d keys", keys_of(a), keys_of(b));
  check_value(b, "longer", "0123456789");
  check_value(a, "longer", NULL);
  const char* order[] = {"colour", "longer", "a key with blanks"};
  for (int i = 0; i < 3; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    MPI_Info_get_nthkey(b, i, key);
    int known = 0;
    for (int k = 0; k < 3; k++) known |= strcmp(key, order[k]) == 0;
    CHECK(known, "key %d is %s", i, key);
  }
  MPI_Info_free(&a);
  CHECK(a == MPI_INFO_NULL, "the handle of a freed info");
  check_value(b, "colour", "blue");

  MPI_Comm dup;
  MPI_Info used;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_info(dup, b);
  MPI_Comm_get_info(dup, &used);
  CHECK(used != MPI_INFO_NULL, "no info");
  MPI_Info_free(&used);
  MPI_Comm_free(&dup);
  MPI_Info_free(&b);

  int flag = -1;
  char value[MPI_MAX_INFO_VAL + 1];
  MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL, value, &flag);
  CHECK(!flag || atoi(value) >= 1, "maxprocs %s", value);
  return check_finish();
}
