# SPDX-License-Identifier: BSD-3-Clause
# Sources of the test program, one a line: test_multirank_multirank_SOURCES += test/multirank/NAME_test.cc
test_multirank_multirank_SOURCES += test/multirank/mpi_session.cc
test_multirank_multirank_SOURCES += test/multirank/comms_test.cc
test_multirank_multirank_SOURCES += test/multirank/reproducible_test.cc
test_multirank_multirank_SOURCES += test/multirank/coll_test.cc test/support/collective_checks.cc \
  test/support/collective_uneven_checks.cc
