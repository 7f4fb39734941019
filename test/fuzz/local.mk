# SPDX-License-Identifier: BSD-3-Clause
# The fuzzed functions run in the unit tests too, with a few inputs; run.sh gives them to libFuzzer.
test_unit_unit_SOURCES += test/fuzz/fuzz_test.cc test/fuzz/pml_frames.cc test/fuzz/tcp_stream.cc test/fuzz/addresses.cc \
  test/fuzz/flight_record.cc test/fuzz/elf.cc test/fuzz/texts.cc test/fuzz/host_file.cc test/fuzz/launcher_messages.cc
