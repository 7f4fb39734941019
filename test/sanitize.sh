#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds with a sanitizer and runs the tests that find most under it: unit (ranks as threads over btl/loopback), transport, and
# under our own mpirun multirank, mpi (test/mpi) and cases (those of test/cases that are programs of one file; with `thread`
# only those whose ranks have threads).
# usage: test/sanitize.sh WORKDIR address|thread [unit|transport|multirank|mpi|cases|FILE of test/mpi or test/cases ...]
# LEAKS=0 leaves leaks out, JOBS=n compiles n files at once. Exit status 1: something was found, or a test failed.
set -eu
[ $# -ge 2 ] || { sed -n 's/^# usage: //p' "$0"; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" && work=$(cd "$1" && pwd)
kind=$2
shift 2
case $kind in
  address) sanitize=address,undefined runtime="-lasan -lubsan" cases=("$top"/test/cases/[chpt]*.c) ;;
  thread) sanitize=thread runtime=-ltsan cases=("$top"/test/cases/t*.c) ;;
  *) echo "sanitize.sh: '$kind' is neither address nor thread" >&2; exit 2 ;;
esac
parts=()
for part in "$@"; do [ -f "$part" ] && part=$(realpath "$part"); parts+=("$part"); done
[ $# -gt 0 ] || parts=(unit transport multirank mpi cases)
flags="-O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=$sanitize"
export ASAN_OPTIONS=detect_leaks=${LEAKS:-1}:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$top/test/support/leaks.supp:print_suppressions=0
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$top/test/support/races.supp"

if [ ! -e "$work/build/config.status" ]; then
  [ -x "$top/configure" ] || (cd "$top" && autoreconf -i)
  mkdir -p "$work/build"
  (cd "$work/build" && "$top/configure" --prefix="$work/prefix" CC="${CC:-gcc}" CXX="${CXX:-g++}" CFLAGS="$flags" \
    CXXFLAGS="$flags" LDFLAGS="-fsanitize=$sanitize" LIBS="$runtime" > configure.log 2>&1) || { tail -n 20 "$work/build/configure.log"; exit 1; }
fi
cd "$work/build"
make -j"${JOBS:-$(nproc)}" check TESTS= > make.log 2>&1 || { grep -n -m 20 -E 'error|\*\*\*' make.log; exit 1; }
export OMPI_LITE_TEST_TIMEOUT=600 TOP_SRCDIR=$top TOP_BUILDDIR=$PWD PREFIX=$PWD/stage$work/prefix
status=0
run() { echo "$kind: $*"; "$@" || status=1; }
# Programs are built with the sanitizer too.
run_cases() { run python3 "$top/test/run_cases.py" --scale-timeouts 10 --mpicc "$PREFIX/bin/mpicc -fsanitize=$sanitize" "$@"; }
for part in "${parts[@]}"; do
  case $part in
    unit | transport) run "test/$part/$part" "~[speed]" ;;  # sanitizers slow down some code more than other
    multirank) run python3 "$top/test/multirank/run_multirank.py" --scale-timeouts 10 ;;
    mpi)  # stray_handles gives memory out of scope for a message, which is looked at on purpose
      suited=()
      for each in "$top"/test/mpi/*.c; do [[ $each == */stray_handles.c ]] || suited+=("$each"); done
      run_cases "${suited[@]}"
      ;;
    cases)  # without those whose point is how fast they are, or how much memory they take (T06 counts it over many rounds)
      suited=()
      for each in "${cases[@]}"; do
        [[ $each == *speed* || $each == *million* || $each == *for_ever* || $each == */t06_* ]] || grep -q '^// run:.* mem=' "$each" || suited+=("$each")
      done
      run_cases "${suited[@]}"
      ;;
    *) run_cases "$part" ;;
  esac
done
exit $status
