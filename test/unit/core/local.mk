# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of core, one a line: test_unit_unit_SOURCES += test/unit/core/NAME_test.cc
test_unit_unit_SOURCES += test/unit/core/objects_test.cc
test_unit_unit_SOURCES += test/unit/core/datatype_test.cc test/unit/core/reference_type.cc
test_unit_unit_SOURCES += test/unit/core/grid_test.cc
test_unit_unit_SOURCES += test/unit/core/reorder_test.cc
test_unit_unit_SOURCES += test/unit/core/op_test.cc test/unit/core/op_kernels_test.cc test/unit/core/pack_speed_test.cc
