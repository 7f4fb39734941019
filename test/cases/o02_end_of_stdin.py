# SPDX-License-Identifier: BSD-3-Clause
"""O02: the end of stdin reaches whoever reads it, and all end at once."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import pty
import select
import time

from launching import command, expect, mpirun

for options, copies in (([], 1), (["--stdin", "0"], 1), (["--stdin", "all"], 4), (["-s", "all"], 4), (["--stdin", 2], 1),
                        (["--stdin", "none"], 0)):
    ran = mpirun("-n", 4, *options, "cat", stdin=b"hello\n")
    expect(ran.code == 0 and ran.out == "hello\n" * copies, ran, f"{copies} times hello")
    expect(ran.seconds < 5, ran, "the end comes late")
ran = mpirun("-n", 4, "--stdin", 2, "--tag-output", "cat", stdin=b"hello\n")
expect(ran.out == "[2] hello\n", ran, "rank 2 reads")
# One of the readers goes away early.
ran = mpirun("-n", 3, "--stdin", "all", "sh", "-c", "[ $PMIX_RANK = 1 ] || exec cat", stdin=b"x" * 300000 + b"\n")
expect(ran.code == 0 and ran.out.count("x") == 600000, ran, "two of three readers")


def at_terminal(words, typed, until):
    """What a command shows on a terminal where the lines are typed, each after the text before it has appeared."""
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(words[0], [str(w) for w in words])
    seen, end = b"", time.monotonic() + 20
    for line, answer in zip(typed, until):
        os.write(master, line)
        while answer not in seen and time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                seen += os.read(master, 4096)
    code = None
    while code is None and time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
        time.sleep(0.02)
    os.close(master)
    return code, seen


code, seen = at_terminal([*command("MPIRUN"), "-n", "2", "cat"], [b"hello\n", b"\x04"], [b"hello\r\nhello\r\n", b""])
expect(code == 0, (code, seen), "a terminal's lines and its end")
code, seen = at_terminal([*command("MPIRUN"), "-n", "2", "--stdin", "all", "cat"], [b"hello\n", b"\x04"], [b"hello\r\n" * 3, b""])
expect(code == 0, (code, seen), "a terminal's lines to all ranks")
# In the background the terminal is not read, and nothing stops; in the foreground it is.
words = ["bash", "-c", 'set -m; "$@" & sleep 0.5; echo now; fg > /dev/null; echo code $?', "bash", *command("MPIRUN"), "-n", "2", "cat"]
code, seen = at_terminal(words, [b"", b"typed\n", b"\x04"], [b"now", b"typed\r\ntyped\r\n", b"code 0"])
expect(code == 0 and b"code 0" in seen, (code, seen), "a job that comes from the background")
