# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of abi, one a line: test_unit_unit_SOURCES += test/unit/abi/NAME_test.cc
test_unit_unit_SOURCES += test/unit/abi/door_test.cc
