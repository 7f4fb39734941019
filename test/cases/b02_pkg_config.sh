# SPDX-License-Identifier: BSD-3-Clause
# What pkg-config says is enough to compile, link and run a program, under both names of the library.
# run: timeout=60
set -eu
command -v pkg-config > /dev/null || { echo "no pkg-config here"; exit 77; }
source=$(cd "$(dirname "$0")/../external/consumer" && pwd)/consumer.c
export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"

for name in ompi-lite mpi_abi; do
  # The tree under test may stand below a DESTDIR: then its files lie deeper than they say.
  said=$(pkg-config --variable=prefix $name)
  case $PREFIX in *"$said") root=${PREFIX%"$said"} ;; *) echo "$name.pc speaks of $said, not of $PREFIX"; exit 1 ;; esac
  flags=$(pkg-config --define-variable=prefix="$root$said" --cflags --libs $name)
  eval "cc -o '$TESTDIR/$name' '$source' $flags"
  ldd "$TESTDIR/$name" | grep -F libmpi_abi.so.1 | grep -qF "$PREFIX/lib" || { ldd "$TESTDIR/$name"; exit 1; }
  "$MPIRUN" -n 3 "$TESTDIR/$name"
done
