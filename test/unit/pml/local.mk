# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of pml, one a line: test_unit_unit_SOURCES += test/unit/pml/NAME_test.cc
test_unit_unit_SOURCES += test/unit/pml/way_test.cc
test_unit_unit_SOURCES += test/support/world.cc
test_unit_unit_SOURCES += test/unit/pml/sharing_test.cc
test_unit_unit_SOURCES += test/unit/pml/match_test.cc
test_unit_unit_SOURCES += test/unit/pml/protocol_test.cc
