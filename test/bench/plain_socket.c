// SPDX-License-Identifier: BSD-3-Clause
// What a plain TCP socket reaches, without any MPI: the yardstick of compare_hosts.py and of test/cases/n12_large_messages.py. The same
// two patterns as in pt2pt.c, and the same lines of output.
//
//   plain_socket ADDRESS PORT SIZE[,SIZE...] listen     first, on one host
//   plain_socket ADDRESS PORT SIZE[,SIZE...]            then on the other: prints
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { batches = 21, in_flight = 8 << 20, most_window = 16 };

static int stream;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char* what) {
  perror(what);
  exit(1);
}

static void put(const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(stream, data, bytes);
    if (n <= 0) die("write");
    data += n, bytes -= (size_t)n;
  }
}

static void get(char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = read(stream, data, bytes);
    if (n <= 0) die("read");
    data += n, bytes -= (size_t)n;
  }
}

static void meet(const char* address, int port, int listens) {
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  const int yes = 1;
  if (inet_pton(AF_INET, address, &where.sin_addr) != 1) die(address);
  if (listens) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr*)&where, sizeof where) || listen(fd, 1)) die("listen");
    stream = accept(fd, NULL, NULL);
    close(fd);
  } else {
    for (int tries = 0;; tries++) {
      stream = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(stream, (struct sockaddr*)&where, sizeof where) == 0) break;
      if (tries == 500) die("connect");
      close(stream);
      usleep(20000);
    }
  }
  if (stream < 0) die("accept");
  setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// `messages` there, then as many back; or, one way, a byte back.
static void batch(char* data, size_t bytes, int messages, int one_way, int first) {
  char answer = 0;
  if (!one_way) {
    for (int i = 0; i < messages; i++)
      if (first)
        put(data, bytes), get(data, bytes);
      else
        get(data, bytes), put(data, bytes);
  } else if (first) {
    for (int i = 0; i < messages; i++) put(data, bytes);
    get(&answer, 1);
  } else {
    for (int i = 0; i < messages; i++) get(data, bytes);
    put(&answer, 1);
  }
}

static void measure(size_t bytes, int one_way, int first) {
  char* data = malloc(bytes);
  double times[batches];
  int window = most_window;
  if (data == NULL) die("malloc");
  memset(data, 1, bytes);
  while (window > 2 && bytes * (size_t)window > in_flight) window /= 2;
  const int calls = bytes >= 1 << 20 ? 1 : bytes >= 1 << 16 ? 8 : 64, messages = one_way ? window * calls : calls;
  for (int b = -1; b < batches; b++) {
    const double start = now_s();
    batch(data, bytes, messages, one_way, first);
    if (b >= 0) times[b] = (now_s() - start) / messages / (one_way ? 1 : 2) * 1e6;
  }
  qsort(times, batches, sizeof(double), by_value);
  if (first)
    printf("%s\tplain\t%zu\t2\treused\t%.3f\t%.3f\t0\t%.0f\t%dx%d\n", one_way ? "bandwidth" : "latency", bytes,
           times[batches / 2], times[0], (double)bytes / times[0], batches, calls);
  free(data);
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int listens = argc > 4;
  meet(argv[1], atoi(argv[2]), listens);
  for (int one_way = 0; one_way < 2; one_way++)
    for (char* at = argv[3]; *at; at += *at == ',') measure(strtoull(at, &at, 10), one_way, !listens);
  return 0;
}
