#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# NetPIPE from Debian's source package: ping-pong over all sizes to 8 MB, once for the time and once to check every byte.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start_runner "PREFIX WORKDIR   (TIMEOUT=300; REPEATS=n: a fixed number of repeats, for a busy machine)" "$@"
largest=8388608

fetch_source netpipe
build=$workdir/netpipe.build
if [ ! -x "$build/NPmpi" ]; then
  rm -rf "$build" && cp -a "$source" "$build"
  make -C "$build" mpi MPICC="\"$MPICC\"" CFLAGS="-O2 -w" > "$workdir/netpipe.build.log" 2>&1 ||
    { grep -m 10 -iE 'error|undefined' "$workdir/netpipe.build.log" >&2; die "does not build, see $workdir/netpipe.build.log"; }
fi

run=$workdir/netpipe.run failed=0
rm -rf "$run" && mkdir "$run" && cd "$run" || die "cannot make $run"
netpipe() {  # NAME OPTIONS...
  local name=$1; shift
  timeout "${TIMEOUT:-300}" "${mpirun[@]}" -n 2 "$build/NPmpi" -o "$name.out" "$@" > "$name.log" 2>&1 < /dev/null
  local status=$?
  if [ $status != 0 ]; then echo "netpipe $name: exit status $status"; tail -n 5 "$name.log"; failed=1; fi
}
netpipe timed -u $largest ${REPEATS:+-n $REPEATS}
netpipe checked -i -u $((largest + 4))  # its sizes are one more than the round ones
awk '{ bytes = $1; mbps = $2; seconds = $3; if (bytes == 8 || bytes == 1024 || bytes == 65536 || bytes == 1048576) printf "  %9d bytes %12.2f us %10.1f MB/s\n", bytes, seconds * 1e6, mbps / 8 * 1.048576 }
     END { printf "  %9d bytes %12.2f us %10.1f MB/s (the largest)\n", bytes, seconds * 1e6, mbps / 8 * 1.048576 }' timed.out
grep -iE 'integrity check (failed|error)|integrity.*fail' checked.log && failed=1
reached() { awk -v wanted="$largest" '$3 == "bytes" && $2 >= wanted { found = 1 } END { exit !found }' "$1.log"; }
for name in timed checked; do
  reached "$name" || { echo "netpipe $name: did not reach $largest bytes"; failed=1; }
done
[ $failed = 0 ] && echo "netpipe: ran to $largest bytes, timed and checked"
exit $failed
