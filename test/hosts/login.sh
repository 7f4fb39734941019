#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stands in for ssh on the emulated hosts of test/support/hosts.py: login.sh [-options] [user@]HOST COMMAND...
# The words of the command go to a shell on HOST with a fresh environment; 255 where there is no such host. Everything is one
# exec after the other, so that this process becomes the command.
while case "$1" in -*) true ;; *) false ;; esac; do shift; done
host=${1#*@}
shift
if ! pid=$(cat "$HOSTS_DIR/$host" 2>/dev/null); then
  echo "login: no host has the name $host" >&2
  exit 255
fi
exec nsenter --target "$pid" --net --uts --ipc --mount --wd=/ env -i HOME=/root USER=root SHELL=/bin/sh \
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOSTS_DIR="$HOSTS_DIR" \
  OMPI_LITE_TEST_MARK="$OMPI_LITE_TEST_MARK" LAUNCHING_MARK="$LAUNCHING_MARK" ${LOGIN_CHATTER:+LOGIN_CHATTER="$LOGIN_CHATTER"} \
  sh -c "$*"
