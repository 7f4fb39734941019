// SPDX-License-Identifier: BSD-3-Clause
// Case S02: where process_vm_readv and process_vm_writev are forbidden, on all ranks or on some, data arrives by copying.
// run: np=2 timeout=60 args=eperm
// run: np=2 timeout=60 args=enosys
// run: np=4 timeout=60 args="eperm half"
// run: np=2 timeout=60 args="eperm all write"
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../support/check.h"

// The program may not have been started yet when it decides: half of the ranks are told apart by what the launcher says.
static int rank_by_environment(void) {
  const char* names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  for (int i = 0; i < 3; i++)
    if (getenv(names[i])) return atoi(getenv(names[i]));
  return 0;
}

static void forbid(int error, int read_too) {
  const struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, read_too ? SYS_process_vm_readv : SYS_process_vm_writev, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof program / sizeof program[0], (struct sock_filter*)program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("seccomp");
    exit(1);
  }
}

int main(int argc, char** argv) {
  const int error = argc > 1 && strcmp(argv[1], "enosys") == 0 ? ENOSYS : EPERM;
  const int half = argc > 2 && strcmp(argv[2], "half") == 0;
  const int read_too = argc <= 3 || strcmp(argv[3], "write") != 0;  // else writing alone is forbidden
  if (!half || rank_by_environment() % 2 == 1) {
    char a = 0, b = 1;
    struct iovec from = {&a, 1}, to = {&b, 1};
    forbid(error, read_too);
    if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) != -1 || errno != error) return 1;
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (read_too ? -1 : 1)) return 1;
  }
  check_start(&argc, &argv);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  const size_t largest = 8 << 20;
  char *out = must_alloc(largest), *in = must_alloc(largest);
  for (size_t bytes = 1; bytes <= largest; bytes = bytes < 8 ? bytes + 1 : bytes * 2) {
    fill_pattern(out, bytes, bytes + (size_t)world_rank);
    memset(in, 0, bytes);
    MPI_Sendrecv(out, (int)bytes, MPI_BYTE, right, 1, in, (int)bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_PATTERN(in, bytes, bytes + (size_t)left);
    MPI_Bcast(in, (int)bytes, MPI_BYTE, world_size - 1, MPI_COMM_WORLD);
    CHECK_PATTERN(in, bytes, bytes + (size_t)((world_size + world_size - 2) % world_size));
  }
  free(out);
  free(in);
  return check_finish();
}
