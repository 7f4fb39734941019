# SPDX-License-Identifier: BSD-3-Clause
"""L22: an agent that fails, a daemon that is not there, an agent that never returns: bounded time, one message with the host and the
agent's own words, and what had been started elsewhere is ended. L11: so is a program that is missing on one host only."""
# run: timeout=180
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import LOGIN, RELAY_LOGIN, Hosts
from launching import Mark, TESTDIR, command, expect, mpirun, script

refused = script("refused", "#!/bin/sh\necho 'Host key verification failed.' >&2\nexit 255\n")
ran = mpirun("--host", "somewhere", "--rsh-agent", refused, "-n", 2, "hostname")
expect(ran.code == 1 and ran.seconds < 10, ran, "an agent that is refused")
for part in ("host somewhere", str(refused), "255", "Host key verification failed."):
    expect(part in ran.err, ran, f"the message has no {part}")
expect(ran.err.count("mpirun:") == 1, ran, "one message")
ran = mpirun("--host", "somewhere", "--rsh-agent", "no-such-agent", "hostname")
expect(ran.code == 127 and "no-such-agent" in ran.err, ran, "an agent that does not exist")
silent = script("silent", "#!/bin/sh\nexec sleep 1000\n")
mark = Mark()
ran = mpirun("--host", "somewhere", "--rsh-agent", silent, "--set", "launch_timeout=1s", "hostname", env=mark.env)
expect(ran.code == 1 and ran.seconds < 15 and "host somewhere" in ran.err and "launch_timeout" in ran.err, ran, "an agent that never returns")
expect(mark.gone_within(5), mark.alive(), "the silent agent stays")
# D09: the job's own limit holds while a host is starting.
ran = mpirun("--host", "somewhere", "--rsh-agent", silent, "--timeout", 1, "hostname", env=mark.env)
expect(ran.code == 124 and ran.seconds < 15, ran, "a time limit while a host starts")
expect(mark.gone_within(5), mark.alive(), "the silent agent stays")
noisy = script("noisy", "#!/bin/sh\nyes 'not a daemon' | head -c 200000\n")
ran = mpirun("--host", "somewhere", "--rsh-agent", noisy, "hostname")
expect(ran.code == 1 and "not a daemon" in ran.err, ran, "an agent that starts something else")

hosts = Hosts(3)
for login in (LOGIN, RELAY_LOGIN):
    ran = hosts.mpirun("--host", "n0,n1,n2", "--launch-agent", "no-such-daemon", "hostname", login=login, env=mark.env)
    expect(ran.code == 1 and ran.err.count("mpirun:") == 1 and "127" in ran.err and "not found" in ran.err, ran, "no daemon there")
    for fan_out in (1, 32):
        ran = hosts.mpirun("--host", "n1,n2,nowhere", "--set", f"launch_fan_out={fan_out}", "-n", 3, "sleep", 100, login=login, env=mark.env)
        expect(ran.code == 1 and ran.err.count("mpirun:") == 1 and "host nowhere" in ran.err and "no host has the name" in ran.err, ran,
               "one host of three")
    expect(mark.gone_within(10), mark.alive(), "what had been started elsewhere stays")
# Missing on one host, or wrong there: the true cause, once, and nobody has begun.
hosts.sh("n2", f"mkdir {TESTDIR}/only; mount -t tmpfs none {TESTDIR}/only")
for name, text, mode, code, cause in (("nope", None, 0, 127, "No such file"), ("script", "#!/no/such/interpreter\n", 0o755, 127, "/no/such/interpreter"),
                                      ("plain", "text", 0o644, 126, "x bit")):
    path = TESTDIR / "only" / name
    path.write_text("#!/bin/sh\necho begun\nsleep 100\n")
    path.chmod(0o755)
    if text is not None:
        hosts.sh("n2", f"printf '{text}' > {path}; chmod {mode:o} {path}")
    ran = hosts.mpirun("--host", "n0,n1,n2", path, env=mark.env)
    expect(ran.code == code and ran.out == "" and ran.err.count("\n") == 1, ran, f"{name} on the third host")
    expect("host n2" in ran.err and cause in ran.err and str(path) in ran.err, ran, f"{name} on the third host")
    expect(mark.gone_within(10), mark.alive(), "daemons stay")
hosts.close()
