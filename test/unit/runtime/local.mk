# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of runtime, one a line: test_unit_unit_SOURCES += test/unit/runtime/NAME_test.cc
test_unit_unit_SOURCES += test/unit/runtime/find_bootstrap_test.cc
test_unit_unit_SOURCES += test/unit/runtime/pmi1_wire_test.cc
