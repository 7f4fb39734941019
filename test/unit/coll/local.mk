# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of coll, one a line: test_unit_unit_SOURCES += test/unit/coll/NAME_test.cc
test_unit_unit_SOURCES += test/unit/coll/neighbor_test.cc
test_unit_unit_SOURCES += test/unit/coll/patterns_test.cc
test_unit_unit_SOURCES += test/unit/coll/select_test.cc
test_unit_unit_SOURCES += test/unit/coll/choice_test.cc
test_unit_unit_SOURCES += test/unit/coll/simulate_test.cc
test_unit_unit_SOURCES += test/unit/coll/hosts_test.cc
test_unit_unit_SOURCES += test/unit/coll/walk_test.cc
# The model of Steps for tests and studies; the library does not need it.
test_unit_unit_SOURCES += coll/simulate.cc
