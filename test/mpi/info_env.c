// SPDX-License-Identifier: BSD-3-Clause
// MPI_Info_create_env tells the same before MPI_Init, while MPI works, after MPI_Finalize, and what MPI_INFO_ENV holds.
// run: np=1,3 timeout=60
#include <unistd.h>

#include "../support/check.h"

static MPI_Info made(int argc, char** argv) {
  MPI_Info info = MPI_INFO_NULL;
  CHECK(MPI_Info_create_env(argc, argv, &info) == MPI_SUCCESS && info != MPI_INFO_NULL, "no info");
  return info;
}

static void check_same(const char* when, MPI_Info a, MPI_Info b) {
  int keys = 0, keys_b = 0;
  MPI_Info_get_nkeys(a, &keys);
  MPI_Info_get_nkeys(b, &keys_b);
  CHECK(keys == keys_b && keys >= 4, "%s: %d and %d keys", when, keys, keys_b);
  for (int i = 0; i < keys; i++) {
    char key[MPI_MAX_INFO_KEY + 1], value_a[MPI_MAX_INFO_VAL], value_b[MPI_MAX_INFO_VAL];
    int flag = 0, size_a = sizeof value_a, size_b = sizeof value_b;
    MPI_Info_get_nthkey(a, i, key);
    MPI_Info_get_string(a, key, &size_a, value_a, &flag);
    CHECK(flag, "%s: no %s", when, key);
    MPI_Info_get_string(b, key, &size_b, value_b, &flag);
    CHECK(flag && strcmp(value_a, value_b) == 0, "%s: %s is %s and %s", when, key, value_a, flag ? value_b : "not there");
  }
}

static void check_value(MPI_Info info, const char* key, const char* wanted) {
  char value[MPI_MAX_INFO_VAL];
  int flag = 0, size = sizeof value;
  MPI_Info_get_string(info, key, &size, value, &flag);
  CHECK(flag && strcmp(value, wanted) == 0, "%s is %s, expected %s", key, flag ? value : "not there", wanted);
}

int main(int argc, char** argv) {
  MPI_Info before = made(argc, argv), again = made(0, NULL);
  check_same("two calls before MPI_Init", before, again);
  MPI_Info_free(&again);
  check_start(&argc, &argv);
  again = made(argc, argv);
  check_same("after MPI_Init", before, again);
  check_same("MPI_INFO_ENV", before, MPI_INFO_ENV);
  char folder[4096], size[16];
  CHECK(getcwd(folder, sizeof folder) != NULL, "no folder");
  snprintf(size, sizeof size, "%d", world_size);
  check_value(again, "wdir", folder);
  check_value(again, "maxprocs", size);
  check_value(again, "command", argv[0]);
  MPI_Info_set(again, "host", "elsewhere");  // a copy: the next one does not see it
  MPI_Finalize();
  MPI_Info after = made(argc, argv);
  check_same("after MPI_Finalize", before, after);
  MPI_Info_free(&before);
  MPI_Info_free(&again);
  MPI_Info_free(&after);
  if (world_rank == 0) puts("ok");
  return 0;
}
