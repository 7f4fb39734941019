#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds with a sanitizer and runs the tests that find most under it: unit (ranks as threads over btl/loopback), transport,
# and with `address` the multi-rank cases under our own mpirun.
# usage: test/sanitize.sh WORKDIR address|thread [CATCH2 ARGUMENTS for unit ...]
set -eu
[ $# -ge 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" && work=$(cd "$1" && pwd)
kind=$2
shift 2
case $kind in
  address) sanitize=address,undefined ;;
  thread) sanitize=thread ;;
  *) echo "sanitize.sh: '$kind' is neither address nor thread" >&2; exit 2 ;;
esac
flags="-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=$sanitize"
# Third parties (PMIx, hwloc) keep what they allocate until the process ends.
export ASAN_OPTIONS=detect_leaks=${LEAKS:-0}:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1"

if [ ! -e "$work/build/config.status" ]; then
  [ -x "$top/configure" ] || (cd "$top" && autoreconf -i)
  mkdir -p "$work/build"
  (cd "$work/build" && "$top/configure" --prefix="$work/prefix" CC="${CC:-gcc}" CXX="${CXX:-g++}" CFLAGS="$flags" \
    CXXFLAGS="$flags" LDFLAGS="-fsanitize=$sanitize" > configure.log 2>&1) || { tail -n 20 "$work/build/configure.log"; exit 1; }
fi
cd "$work/build"
make -j"${JOBS:-$(nproc)}" check TESTS= > make.log 2>&1 || { grep -n -m 20 -E 'error|\*\*\*' make.log; exit 1; }
export OMPI_LITE_TEST_TIMEOUT=600 TOP_SRCDIR=$top TOP_BUILDDIR=$PWD PREFIX=$PWD/stage$work/prefix
status=0
run() { echo "$kind: $*"; "$@" || status=1; }
run test/unit/unit "$@"
run test/transport/transport
[ "$kind" = address ] && run python3 "$top/test/multirank/run_multirank.py"
exit $status
