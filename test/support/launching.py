# SPDX-License-Identifier: BSD-3-Clause
"""What the launcher's cases share: run mpirun, compile a few lines of C, look for survivors and litter."""

import os
import pathlib
import shlex
import subprocess
import sys
import time
import uuid

MPIRUN = os.environ["MPIRUN"]
TESTDIR = pathlib.Path(os.environ["TESTDIR"])


def command(name):
    """MPIRUN, MPICC ... as a list of words; a path with blanks is one word."""
    text = os.environ[name]
    return [text] if os.path.exists(text) else shlex.split(text)


class Ran:
    """How a command ended."""

    def __init__(self, words, code, out, err, seconds):
        self.words, self.code, self.out, self.err, self.seconds = words, code, out, err, seconds

    def __str__(self):
        return f"{self.words}\nexit {self.code} after {self.seconds:.2f} s\nstdout: {self.out[-2000:]!r}\nstderr: {self.err[-2000:]!r}"


def run(words, stdin=b"", timeout=60, env=None, cwd=None, text=True, **more):
    """Runs a command to its end. `env` adds to the environment; a value of None takes the name away."""
    environment = dict(os.environ)
    for name, value in (env or {}).items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    start = time.monotonic()
    done = subprocess.run([str(w) for w in words], input=stdin, capture_output=True, timeout=timeout, env=environment,
                          cwd=cwd or TESTDIR, **more)
    seconds = time.monotonic() - start
    out, err = (done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")) if text else (done.stdout, done.stderr)
    return Ran(words, done.returncode, out, err, seconds)


def mpirun(*arguments, **more):
    return run([*command("MPIRUN"), *arguments], **more)


def start_mpirun(*arguments, **more):
    """mpirun as a running process with pipes."""
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    more.setdefault("cwd", TESTDIR)
    return subprocess.Popen([*command("MPIRUN"), *[str(a) for a in arguments]], **more)


def expect(condition, ran, what):
    if not condition:
        print(f"{what}\n{ran}")
        sys.exit(1)


def build_c(name, text):
    """Compiles a C program with mpicc; returns its path."""
    source, program = TESTDIR / f"{name}.c", TESTDIR / name
    source.write_text(text)
    done = run([*command("MPICC"), "-O1", "-g", "-o", program, source, "-lm"])
    expect(done.code == 0, done, f"{name}.c does not compile")
    return program


def script(name, text):
    """Writes an executable file; returns its path."""
    path = TESTDIR / name
    path.write_text(text)
    path.chmod(0o755)
    return path


class Mark:
    """Finds the processes of one job, whatever they have become, by a word in their environment."""

    def __init__(self):
        self.word = "mark" + uuid.uuid4().hex
        self.env = {"LAUNCHING_MARK": self.word}

    def alive(self):
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.word.encode() in (folder / "environ").read_bytes():
                    stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                    if stat[0] != "Z":
                        found.append(f"{folder.name} {(folder / 'comm').read_text().strip()}")
            except OSError:
                pass
        return found

    def gone_within(self, seconds):
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.05)
        return not self.alive()


def wait_for_file(path, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if pathlib.Path(path).exists():
            return True
        time.sleep(0.02)
    return False


def wait_for_files(paths, seconds=20):
    return all(wait_for_file(path, seconds) for path in paths)


def shared_objects():
    """What a job could leave behind outside of its own folder: names in /dev/shm, System V objects."""
    names = {f"/dev/shm/{n}" for n in os.listdir("/dev/shm")}
    for kind in ("shm", "sem", "msg"):
        lines = pathlib.Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        names |= {f"sysv {kind} {line.split()[1]}" for line in lines}
    return names


def skip(reason):
    print(reason)
    sys.exit(77)
