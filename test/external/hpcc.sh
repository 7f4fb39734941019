#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# HPCC from Debian's source package: 7 benchmarks, each checks its own result.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
start_runner "PREFIX WORKDIR   (RANKS=4, N=1000: size of the HPL problem; HOSTS=1: emulated hosts to spread them over; TIMEOUT=600)" "$@"
ranks=${RANKS:-4} hosts=${HOSTS:-1}
[ "$hosts" = 1 ] || mpirun=("$(dirname "$(realpath "${BASH_SOURCE[0]}")")/over_hosts.py" "$hosts" $(((ranks + hosts - 1) / hosts)) "${mpirun[@]}")

need_package libblas-dev '/usr/lib/*/libblas.so'
fetch_source hpcc
build=$workdir/hpcc.build
if [ ! -x "$build/hpcc" ]; then
  rm -rf "$build" && cp -a "$source" "$build"
  cat > "$build/hpl/Make.here" <<MAKE
SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir -p
RM = rm -f
TOUCH = touch
ARCH = here
TOPdir = ../../..
INCdir = \$(TOPdir)/include
BINdir = \$(TOPdir)/bin/here
LIBdir = \$(TOPdir)/lib/here
HPLlib = \$(LIBdir)/libhpl.a
LAlib = -lblas
F2CDEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle
HPL_INCLUDES = -I\$(INCdir) -I\$(INCdir)/here
HPL_LIBS = \$(HPLlib) \$(LAlib) -lm
HPL_DEFS = \$(F2CDEFS) -DHPL_CALL_CBLAS \$(HPL_INCLUDES)
CC = "$MPICC"
CCNOOPT = \$(HPL_DEFS) -w
CCFLAGS = \$(HPL_DEFS) -O2 -w
LINKER = "$MPICC"
LINKFLAGS =
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
MAKE
  mkdir -p "$build/hpl/lib/here"
  make -C "$build" arch=here -j"$jobs" > "$workdir/hpcc.build.log" 2>&1 ||
    { grep -m 10 -iE 'error|undefined' "$workdir/hpcc.build.log" >&2; die "does not build, see $workdir/hpcc.build.log"; }
fi

# The input that comes with HPCC, with our problem size and the squarest grid of the ranks.
p=$(awk -v n="$ranks" 'BEGIN { for (p = int(sqrt(n)); n % p; p--); print p }')
run=$workdir/hpcc.run
rm -rf "$run" && mkdir "$run" && cd "$run" || die "cannot make $run"
sed "s/^1000 \( *Ns\)/${N:-1000} \1/; s/^2 \( *Ps\)/$p \1/; s/^2 \( *Qs\)/$((ranks / p)) \1/" "$build/_hpccinf.txt" > hpccinf.txt
start=$SECONDS
timeout "${TIMEOUT:-600}" "${mpirun[@]}" -n "$ranks" "$build/hpcc" > output 2>&1 < /dev/null
status=$?
[ -s output ] && sed 's/^/  | /' output | tail -n 20
[ $status = 0 ] || { echo "hpcc: exit status $status"; exit 1; }

# Each benchmark's own word, then HPCC's.
awk -v seconds=$((SECONDS - start)) '
  function say(text) { said[section] = said[section] " " text }
  function judge(good, text) { say(text); if (!good) bad++ }
  /^Begin of Summary/ { summary = 1 }
  summary && /^Success=/ { success = $0 }
  summary && /^(HPL_Tflops|PTRANS_GBs|MPIRandomAccess_GUPs|MPIFFT_Gflops|StarSTREAM_Triad|MaxPingPongLatency_usec)=/ { numbers = numbers "  " $0 "\n" }
  summary { next }
  /^Begin of .* section/ { section = $3; order[++n] = section }
  section == "HPL" && /(PASSED|FAILED)$/ { judge($NF == "PASSED", $NF) }
  section == "PTRANS" && /tests completed and passed/ { judge($1 > 0, $1 " passed") }
  section == "PTRANS" && /tests completed and failed/ { judge($1 == 0, $1 " failed") }
  /^Found .* errors in .* locations/ { judge(/\(passed\)/, $2 " errors") }
  /^max\(\|x-x0\|\):/ { judge($2 < 1e-10, "largest difference " $2) }
  /^Node\(s\) with error/ { judge($NF == 0, $NF " nodes with error") }
  END {
    for (i = 1; i <= n; i++) printf "  %-22s %s\n", order[i], said[order[i]] == "" ? " ran" : said[order[i]]
    printf "%s%s\n", numbers, success == "" ? "no summary: HPCC did not reach its end" : success
    printf "hpcc: %d sections, %d failures, %d s\n", n, bad, seconds
    exit !(success == "Success=1" && bad == 0 && n >= 16)
  }' hpccoutf.txt
