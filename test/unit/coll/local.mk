# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of coll, one a line: test_unit_unit_SOURCES += test/unit/coll/NAME_test.cc
