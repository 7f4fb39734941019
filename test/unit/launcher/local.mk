# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of launcher, one a line: test_unit_unit_SOURCES += test/unit/launcher/NAME_test.cc
