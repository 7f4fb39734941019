# SPDX-License-Identifier: BSD-3-Clause
# A user's CMake project finds this installation with find_package(MPI), once by PATH and once by MPI_HOME.
# run: timeout=120
set -eu
command -v cmake > /dev/null || { echo "no cmake here"; exit 77; }
project=$(cd "$(dirname "$0")/../external/consumer" && pwd)

build_and_run() {  # NAME CMAKE-OPTIONS...
  name=$1; shift
  cmake -S "$project" -B "$TESTDIR/$name" "$@" > "$TESTDIR/$name.log" 2>&1 || { cat "$TESTDIR/$name.log"; exit 1; }
  cmake --build "$TESTDIR/$name" >> "$TESTDIR/$name.log" 2>&1 || { cat "$TESTDIR/$name.log"; exit 1; }
  grep 'MPI version' "$TESTDIR/$name.log"
  grep -q "launcher $PREFIX/bin/" "$TESTDIR/$name.log" || { echo "found another MPI"; exit 1; }
  (cd "$TESTDIR/$name" && ctest --output-on-failure) > "$TESTDIR/$name.ctest" 2>&1 || { cat "$TESTDIR/$name.ctest"; exit 1; }
}
PATH="$PREFIX/bin:$PATH" build_and_run by_path
build_and_run by_home -DMPI_HOME="$PREFIX"
