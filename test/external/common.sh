# SPDX-License-Identifier: BSD-3-Clause
# What the runners in this folder share; they source it. bash.
#
# Each runner is called as   RUNNER PREFIX WORKDIR   and tests the MPI installed in PREFIX. MPICC, MPICXX and MPIRUN in the
# environment name other commands than PREFIX/bin/mpicc ..., e.g. to run the same suite with another MPI beside ours.
# Exit status: 0 all right, 1 something failed, 77 skipped (the reason is printed), 2 did not run.

die() { echo "$(basename "$0" .sh): $*" >&2; exit 2; }
skip() { echo "$(basename "$0" .sh): skipped: $*"; exit 77; }

# start_runner USAGE "$@": sets prefix, workdir, jobs, MPICC, MPICXX and the array mpirun (MPIRUN is a command line, a prefix may have
# blanks; MPIRUN_EXTRA holds more options).
start_runner() {
  local usage=$1; shift
  case ${1:-} in -h|--help) echo "usage: $(basename "$0") $usage"; exit 0 ;; esac
  [ $# -ge 2 ] || { echo "usage: $(basename "$0") $usage" >&2; exit 2; }
  prefix=$(cd "$1" 2> /dev/null && pwd) || die "no folder $1"
  mkdir -p "$2" && workdir=$(cd "$2" && pwd) || die "cannot make $2"
  : "${MPICC:=$prefix/bin/mpicc}" "${MPICXX:=$prefix/bin/mpicxx}"
  if [ -n "${MPIRUN:-}" ]; then read -ra mpirun <<< "$MPIRUN"; else mpirun=("$prefix/bin/mpirun"); fi
  mpirun+=(${MPIRUN_EXTRA:-})
  command -v "$MPICC" > /dev/null || die "no $MPICC"
  jobs=$(nproc)
}

# fetch_source PACKAGE: unpacks Debian's source package, unpatched by us, into $workdir/src/PACKAGE-VERSION; sets source.
fetch_source() {
  local package=$1 apt=$workdir/apt list
  source=$(find "$workdir/src" -maxdepth 1 -type d -name "$package-*" 2> /dev/null | head -n 1)
  [ -n "$source" ] && return 0
  command -v apt-get > /dev/null || skip "no apt-get here to fetch the source package $package"
  echo "fetching Debian's source package $package" >&2
  mkdir -p "$workdir/src" "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
  # The system's own list of the main archive, read as sources; the system's files stay as they are.
  for list in /etc/apt/sources.list.d/*.sources; do
    if grep -qs '/debian$' "$list"; then sed 's/^Types:.*/Types: deb-src/' "$list" > "$apt/parts/main.sources"; break; fi
  done
  [ -s "$apt/parts/main.sources" ] || cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null |
    sed -n 's/^deb \(.*debian[/ ].*\)/deb-src \1/p' > "$apt/parts/main.list"
  local options=(-q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/parts" -o "Dir::State::Lists=$apt/lists"
                 -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  # A mirror may have the original tarball alone: then it is used without Debian's patches.
  { apt-get "${options[@]}" update && cd "$workdir/src" && { apt-get "${options[@]}" source --download-only "$package" ||
      apt-get "${options[@]}" source --download-only --tar-only "$package"; }; } \
    > "$workdir/fetch.log" 2>&1 || die "could not fetch $package, see $workdir/fetch.log"
  cd "$workdir/src" && unpack_source "$package" >> "$workdir/fetch.log" 2>&1 || die "could not unpack $package, see $workdir/fetch.log"
  source=$(find "$workdir/src" -maxdepth 1 -type d -name "$package-*" | head -n 1)
  [ -n "$source" ] || die "no folder $package-* in $workdir/src"
}

# unpack_source PACKAGE: the original tarball and Debian's own patches, with tar and patch alone (dpkg-dev may be absent).
unpack_source() {
  local package=$1 orig debian folder name
  orig=$(ls "$package"_*.orig.tar.* | grep -v '\.asc$' | head -n 1)
  debian=$(ls "$package"_*.debian.tar.* 2> /dev/null | head -n 1)
  folder=$package-$(sed "s/^${package}_\(.*\)\.orig\.tar\..*/\1/" <<< "$orig")
  rm -rf unpacking && mkdir unpacking
  tar --no-same-owner -C unpacking --strip-components=1 -xf "$orig" || return 1
  [ -z "$debian" ] || tar --no-same-owner -C unpacking -xf "$debian" || return 1
  if [ -f unpacking/debian/patches/series ]; then
    while read -r name _; do
      case $name in ''|\#*) continue ;; esac
      patch -d unpacking -p1 -i "debian/patches/$name" || return 1
    done < unpacking/debian/patches/series
  fi
  mv unpacking "$folder"
}

# need_package NAME FILE: Debian package NAME provides FILE (a shell pattern); installs it where it may, else skips.
need_package() {
  compgen -G "$2" > /dev/null && return 0
  local as_root=
  [ "$(id -u)" = 0 ] || as_root="sudo -n"
  if command -v apt-get > /dev/null && { [ -z "$as_root" ] || $as_root true 2> /dev/null; }; then
    DEBIAN_FRONTEND=noninteractive $as_root apt-get -q -y --no-install-recommends install "$1" > "$workdir/install.$1.log" 2>&1
  fi
  compgen -G "$2" > /dev/null || skip "needs the package $1"
}
