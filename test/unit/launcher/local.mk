# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of launcher, one a line: test_unit_unit_SOURCES += test/unit/launcher/NAME_test.cc
test_unit_unit_LDADD += liblauncher.la
test_unit_unit_SOURCES += test/unit/launcher/elf_test.cc
test_unit_unit_SOURCES += test/unit/launcher/environment_test.cc
test_unit_unit_SOURCES += test/unit/launcher/hosts_test.cc
test_unit_unit_SOURCES += test/unit/launcher/io_forward_test.cc
test_unit_unit_SOURCES += test/unit/launcher/options_test.cc
test_unit_unit_SOURCES += test/unit/launcher/placement_test.cc
test_unit_unit_SOURCES += test/unit/launcher/verdict_test.cc
test_unit_unit_SOURCES += test/unit/launcher/hang_report_test.cc
test_unit_unit_SOURCES += test/unit/launcher/link_test.cc
test_unit_unit_SOURCES += test/unit/launcher/mapping_test.cc
test_unit_unit_SOURCES += test/unit/launcher/allocation_test.cc
test_unit_unit_SOURCES += test/unit/launcher/rank_file_test.cc
