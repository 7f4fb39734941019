# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of mpi, one a line: test_unit_unit_SOURCES += test/unit/mpi/NAME_test.cc
test_unit_unit_SOURCES += test/unit/mpi/types_test.cc
