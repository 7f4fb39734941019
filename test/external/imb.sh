#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The Intel MPI Benchmarks from a source folder that the caller names in IMB_SRC: IMB-MPI1 with its own checks switched on.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start_runner "PREFIX WORKDIR   (IMB_SRC: folder of the sources; RANKS=4; TIMEOUT=1200)" "$@"
[ -n "${IMB_SRC:-}" ] || skip "IMB_SRC names no source folder of the Intel MPI Benchmarks"
[ -f "$IMB_SRC/src_cpp/Makefile" ] || skip "no src_cpp/Makefile in IMB_SRC ($IMB_SRC)"
ranks=${RANKS:-4}

build=$workdir/imb.build
if [ ! -x "$build/IMB-MPI1" ]; then
  rm -rf "$build" && cp -a "$IMB_SRC" "$build" && chmod -R u+w "$build"
  # CHECK makes the benchmarks compare every received buffer.
  make -C "$build/src_cpp" -f Makefile TARGET=MPI1 CC="$MPICC" CXX="$MPICXX" CPPFLAGS="-DCHECK" -j"$jobs" > "$workdir/imb.build.log" 2>&1 ||
    { grep -m 10 -iE 'error|undefined' "$workdir/imb.build.log" >&2; die "does not build, see $workdir/imb.build.log"; }
  [ -x "$build/IMB-MPI1" ] || cp "$build/src_cpp/IMB-MPI1" "$build/" || die "no IMB-MPI1 was built"
fi

cd "$workdir" || die "cannot enter $workdir"
timeout "${TIMEOUT:-1200}" "${mpirun[@]}" -n "$ranks" "$build/IMB-MPI1" -time 20 -msglog 0:20 -iter 20 -iter_policy off > imb.out 2>&1 < /dev/null
status=$?
ran=$(grep -c '^# Benchmarking' imb.out)
bad=$(grep -ciE '^[^#]*(error|defect[^s])|: *Error' imb.out)
defects=$(awk '/defects/ { seen = 1; next } /^#/ { seen = 0 } seen && NF > 1 && $NF + 0 > 0 { n++ } END { print n + 0 }' imb.out)
late=$(grep -c 'time-out' imb.out)
checked=$(grep -c 'defects' imb.out)
echo "imb: $ran benchmarks on $ranks ranks, exit status $status, $bad error lines, $checked tables with results checked, $defects lines with defects, $late sizes out of time; output in $workdir/imb.out"
[ $status = 0 ] && [ "$ran" -ge 15 ] && [ "$bad" = 0 ] && [ "$defects" = 0 ] && [ "$late" = 0 ] && [ "$checked" -ge 15 ] && grep -q 'All processes entering MPI_Finalize' imb.out
