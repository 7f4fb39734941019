# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of base, one a line: test_unit_unit_SOURCES += test/unit/base/NAME_test.cc
test_unit_unit_SOURCES += test/unit/base/containers_test.cc test/unit/base/object_space_test.cc
test_unit_unit_SOURCES += test/unit/base/knob_test.cc
test_unit_unit_SOURCES += test/unit/base/wait_test.cc test/unit/base/text_test.cc
test_unit_unit_SOURCES += test/unit/base/segment_test.cc
test_unit_unit_SOURCES += test/unit/base/machine_test.cc
test_unit_unit_SOURCES += test/unit/base/flight_recorder_test.cc
