#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes each wire format with libFuzzer under the address and undefined-behaviour sanitizers.
# usage: test/fuzz/run.sh WORKDIR [SECONDS each=60] [TARGET ...]      needs clang
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" && work=$(cd "$1" && pwd)
seconds=${2:-60}
shift $(($# > 2 ? 2 : $#))
targets=("${@:-pml_frames pml_copies tcp_stream addresses flight_record elf command_line knob_file host_file launcher_messages}")
cxx=${CXX:-clang++}
flags="-std=c++20 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all"

if [ ! -e "$work/build/config.status" ]; then
  [ -x "$top/configure" ] || (cd "$top" && autoreconf -i)
  mkdir -p "$work/build"
  (cd "$work/build" && "$top/configure" CXX="$cxx" CXXFLAGS="$flags -fsanitize=fuzzer-no-link,address,undefined" \
    LDFLAGS=-fsanitize=address,undefined > configure.log)
fi
make -C "$work/build" -j"$(nproc)" libompi_lite.la liblauncher.la > "$work/make.log" 2>&1 || { tail -n 20 "$work/make.log"; exit 1; }
# shellcheck disable=SC2086  # the flags are words
$cxx $flags -fsanitize=fuzzer,address,undefined -I"$top" -I"$work/build" -o "$work/fuzz" \
  "$top"/test/fuzz/{driver,pml_frames,tcp_stream,addresses,flight_record,elf,texts,host_file,launcher_messages}.cc "$top/test/support/world.cc" \
  "$work"/build/.libs/{liblauncher,libompi_lite}.a $(pkg-config --libs hwloc pmix) -ldl -lpthread

status=0
for target in ${targets[@]}; do
  mkdir -p "$work/corpus.$target"
  FUZZ_TARGET=$target "$work/fuzz" -max_total_time="$seconds" -max_len=1500 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/$target-" "$work/corpus.$target" > "$work/$target.log" 2>&1 && found=nothing || { found="a fault: see $work/$target.log"; status=1; }
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log") inputs in $seconds s, found $found"
done
exit $status
