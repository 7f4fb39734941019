# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of btl, one a line: test_unit_unit_SOURCES += test/unit/btl/NAME_test.cc
test_unit_unit_SOURCES += test/unit/btl/ofi_test.cc
test_unit_unit_SOURCES += test/unit/btl/tcp_test.cc
test_unit_unit_SOURCES += test/unit/btl/shm_test.cc
test_unit_unit_SOURCES += test/unit/btl/interfaces_test.cc
