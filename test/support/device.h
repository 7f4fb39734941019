/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of every kind for C tests, by the driver that is here: a real one or the double of test/support/fake. Needs no toolkit. */
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum space { in_host, in_pinned, in_managed, in_device, in_pool, spaces };
static const char *const space_names[] = {"host", "pinned", "managed", "device", "pool"};

typedef unsigned long long device_address;

static struct {
  void *library, *context;
  int (*init)(unsigned), (*get)(int *, int), (*count)(int *), (*retain)(void **, int), (*current)(void *);
  int (*alloc)(device_address *, size_t), (*managed)(device_address *, size_t, unsigned), (*pinned)(void **, size_t, unsigned);
  int (*pool)(device_address *, size_t, void *), (*pool_free)(device_address, void *);
  int (*release)(device_address), (*release_pinned)(void *);
  int (*copy)(device_address, device_address, size_t), (*synchronize)(void);
} device_driver;

static inline __attribute__((unused)) void *device_function(const char *name) {
  void *found = dlsym(device_driver.library, name);
  if (!found) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

/* 0: there is no driver or no device. The context of device `ordinal` (modulo their number) becomes current. */
static inline __attribute__((unused)) int device_begin(int ordinal) {
  int device = 0, number = 0;
  device_driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!device_driver.library) return 0;
  *(void **)&device_driver.init = device_function("cuInit");
  *(void **)&device_driver.get = device_function("cuDeviceGet");
  *(void **)&device_driver.count = device_function("cuDeviceGetCount");
  *(void **)&device_driver.retain = device_function("cuDevicePrimaryCtxRetain");
  *(void **)&device_driver.current = device_function("cuCtxSetCurrent");
  *(void **)&device_driver.alloc = device_function("cuMemAlloc_v2");
  *(void **)&device_driver.managed = device_function("cuMemAllocManaged");
  *(void **)&device_driver.pinned = device_function("cuMemHostAlloc");
  *(void **)&device_driver.pool = device_function("cuMemAllocAsync");
  *(void **)&device_driver.pool_free = device_function("cuMemFreeAsync");
  *(void **)&device_driver.release = device_function("cuMemFree_v2");
  *(void **)&device_driver.release_pinned = device_function("cuMemFreeHost");
  *(void **)&device_driver.copy = device_function("cuMemcpy");
  *(void **)&device_driver.synchronize = device_function("cuCtxSynchronize");
  if (device_driver.init(0) != 0 || device_driver.count(&number) != 0 || number == 0) return 0;
  if (device_driver.get(&device, ordinal % number) != 0 || device_driver.retain(&device_driver.context, device) != 0) return 0;
  return device_driver.current(device_driver.context) == 0;
}

static inline __attribute__((unused)) void device_check(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "the driver: %s gives error %d\n", what, result);
  exit(1);
}

static inline __attribute__((unused)) void *space_alloc(enum space space, size_t bytes) {
  device_address made = 0;
  void *host = NULL;
  if (bytes == 0) bytes = 1;
  switch (space) {
    case in_pinned: device_check(device_driver.pinned(&host, bytes, 0), "cuMemHostAlloc"); return host;
    case in_managed: device_check(device_driver.managed(&made, bytes, 1), "cuMemAllocManaged"); break;
    case in_device: device_check(device_driver.alloc(&made, bytes), "cuMemAlloc"); break;
    case in_pool:
      device_check(device_driver.pool(&made, bytes, NULL), "cuMemAllocAsync");
      device_check(device_driver.synchronize(), "cuCtxSynchronize");
      break;
    default: return malloc(bytes);
  }
  return (void *)(size_t)made;
}

static inline __attribute__((unused)) void space_free(enum space space, void *address) {
  switch (space) {
    case in_pinned: device_check(device_driver.release_pinned(address), "cuMemFreeHost"); break;
    case in_pool: device_check(device_driver.pool_free((device_address)(size_t)address, NULL), "cuMemFreeAsync"); break;
    case in_managed:
    case in_device: device_check(device_driver.release((device_address)(size_t)address), "cuMemFree"); break;
    default: free(address);
  }
}

/* Between any two kinds of memory; done on return. */
static inline __attribute__((unused)) void space_copy(void *to, const void *from, size_t bytes) {
  device_check(device_driver.copy((device_address)(size_t)to, (device_address)(size_t)from, bytes), "cuMemcpy");
}

