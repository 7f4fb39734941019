# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of device, one a line: test_unit_unit_SOURCES += test/unit/device/NAME_test.cc
test_unit_unit_SOURCES += test/unit/device/device_set_test.cc
