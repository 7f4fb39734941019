# SPDX-License-Identifier: BSD-3-Clause
# The benchmark is built and run by its own script; nothing of it runs in `make check`.
# What btl/shm alone reaches; `make test/bench/btl_latency` builds it.
EXTRA_PROGRAMS = test/bench/btl_latency
test_bench_btl_latency_SOURCES = test/bench/btl_latency.cc
test_bench_btl_latency_LDADD = libompi_lite.la $(HWLOC_LIBS) $(PMIX_LIBS)
