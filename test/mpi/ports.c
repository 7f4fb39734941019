// SPDX-License-Identifier: BSD-3-Clause
// Ports, published names and sockets (MPI 5.0, sections 11.9 and 11.10), and the errors around them.
// run: np=2,3,5 timeout=60
// run: np=3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"


static void greet(MPI_Comm inter, int here, int there) {
  int size, remote, sum = 0, one = 1;
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(size == here && remote == there, "%d and %d processes, expected %d and %d", size, remote, here, there);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);  // what the others give
  CHECK(sum == there, "sum %d, expected %d", sum, there);
}

// Both halves of the world meet; the last root of each leads.
static void halves(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, inter;
  const int first = world_size / 2, server = world_rank < first;
  const int here = server ? first : world_size - first;
  MPI_Comm_split(MPI_COMM_WORLD, server, world_rank, &half);
  if (world_rank == first - 1) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name("halves", MPI_INFO_NULL, port);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < 5; round++) {
    if (server) {
      MPI_Comm_accept(port, MPI_INFO_NULL, here - 1, half, &inter);
    } else {
      char found[MPI_MAX_PORT_NAME] = "";
      if (world_rank == world_size - 1) MPI_Lookup_name("halves", MPI_INFO_NULL, found);
      MPI_Comm_connect(found, MPI_INFO_NULL, here - 1, half, &inter);
    }
    greet(inter, here, world_size - here);
    MPI_Comm_disconnect(&inter);
  }
  if (world_rank == first - 1) {
    MPI_Unpublish_name("halves", MPI_INFO_NULL, port);
    MPI_Close_port(port);
  }
  MPI_Comm_free(&half);
}

static void mistakes(void) {
  char port[MPI_MAX_PORT_NAME], closed[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
  char name[32];
  MPI_Comm inter = MPI_COMM_SELF;
  snprintf(name, sizeof name, "mistakes of rank %d", world_rank);
  errors_return(MPI_COMM_SELF);
  errors_return(MPI_COMM_WORLD);
  MPI_Open_port(MPI_INFO_NULL, port);
  CHECK(strlen(port) < MPI_MAX_PORT_NAME, "%zu characters", strlen(port));
  MPI_Open_port(MPI_INFO_NULL, closed);
  CHECK(strcmp(port, closed) != 0, "two ports have the same name");
  MPI_Close_port(closed);
  CHECK_CLASS(MPI_Close_port(closed), MPI_ERR_PORT);
  CHECK_CLASS(MPI_Close_port("no port"), MPI_ERR_PORT);
  CHECK_CLASS(MPI_Comm_accept(closed, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
  CHECK(inter == MPI_COMM_NULL, "there is an intercommunicator");
  CHECK_CLASS(MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
  CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);  // one's own
  CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_ERR_NAME);
  CHECK_CLASS(MPI_Unpublish_name(name, MPI_INFO_NULL, port), MPI_ERR_SERVICE);
  MPI_Publish_name(name, MPI_INFO_NULL, port);
  CHECK_CLASS(MPI_Publish_name(name, MPI_INFO_NULL, port), MPI_ERR_SERVICE);
  MPI_Lookup_name(name, MPI_INFO_NULL, found);
  CHECK(strcmp(found, port) == 0, "found %s", found);
  MPI_Unpublish_name(name, MPI_INFO_NULL, port);
  CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_ERR_NAME);
  MPI_Close_port(port);
  CHECK_CLASS(MPI_Comm_join(-1, &inter), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Comm_join(0, &inter), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  halves();
  mistakes();
  halves();
  return check_finish();
}
