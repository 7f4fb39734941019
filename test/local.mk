# SPDX-License-Identifier: BSD-3-Clause
# `make check`: what the tests need is built first (check_PROGRAMS, stage), then each entry of TESTS runs.
TEST_EXTENSIONS = .py .sh
PY_LOG_COMPILER = $(PYTHON)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
  TOP_SRCDIR='$(abs_top_srcdir)'; export TOP_SRCDIR; \
  TOP_BUILDDIR='$(abs_top_builddir)'; export TOP_BUILDDIR; \
  PREFIX='$(stage_prefix)'; export PREFIX; \
  PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE;

test_support = test/support/catch_main.cc test/support/watchdog.cc
catch_ldadd = libompi_lite.la $(HWLOC_LIBS) $(PMIX_LIBS)
if HAVE_CATCH2
check_PROGRAMS += test/unit/unit test/transport/transport test/multirank/multirank
TESTS += test/unit/unit test/transport/transport test/multirank/run_multirank.py
endif
# All in one process; with the entry points, for the tests of the door.
test_unit_unit_SOURCES = $(test_support)
test_unit_unit_LDADD = libompi_lite_abi.la $(catch_ldadd)
# One conformance body for each transport.
test_transport_transport_SOURCES = $(test_support)
test_transport_transport_LDADD = $(catch_ldadd)
# Under our own mpirun; links the entry points statically, so that cases may look below them.
test_multirank_multirank_SOURCES = $(test_support)
test_multirank_multirank_LDADD = libompi_lite_abi.la $(catch_ldadd)

include test/support/fake/local.mk
include test/unit/base/local.mk
include test/unit/device/local.mk
include test/unit/core/local.mk
include test/unit/btl/local.mk
include test/unit/pml/local.mk
include test/unit/coll/local.mk
include test/unit/mpi/local.mk
include test/unit/runtime/local.mk
include test/unit/abi/local.mk
include test/unit/launcher/local.mk
include test/fuzz/local.mk
include test/transport/local.mk
include test/multirank/local.mk
include test/abi/local.mk
include test/launcher/local.mk
include test/layering/local.mk
include test/bench/local.mk
include test/cuda/local.mk
TESTS += test/run_mpi.sh test/run_all_cases.sh
