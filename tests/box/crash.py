#!/usr/bin/env python3
"""`tinybox` is killed (SIGKILL) at each of its system calls, then `reap` must leave nothing. TAP.

usage: crash.py [--step N] [--wall WALL] TINYBOX

strace kills it when it enters its Nth call of each kind: in create, run, rm, stop, reap and exec. After
each the store is reaped, and then no process, mount, control group, directory or name of it may be there; a box that
lived before must still answer.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time


CALLS = ("openat", "mkdirat", "renameat", "unlinkat", "symlinkat", "readlinkat", "fsync", "flock", "socketpair",
         "sendto", "recvfrom", "poll", "wait4", "connect", "write", "close")


class Crash:
    def __init__(self, args):
        self.tinybox = os.path.abspath(args.tinybox)
        self.dir = tempfile.mkdtemp(prefix="tbxcrash-")
        self.env = dict(os.environ, TINYBOX_STATE_DIR=self.dir + "/state")
        self.wall = ["--sandbox", args.wall] + (["--network", "open"] if args.wall == "passthrough" else [])
        self.number = self.failed = 0

    def run(self, *argv):
        return subprocess.run([self.tinybox, *argv], env=self.env, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, text=True, check=False)

    def killed_at(self, call, n, *argv):
        """False: it ended before its Nth call of that kind."""
        done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={n}",
                               self.tinybox, *argv], env=self.env, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, check=False)
        return done.returncode in (-9, 137)

    def tell(self, good, title, more=""):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {title}", flush=True)
        if not good:
            print("# " + more.replace("\n", "\n# "))

    def processes(self):
        """Those that have something of the store open."""
        found = []
        for path in glob.glob("/proc/[0-9]*/fd/*"):
            try:
                if os.readlink(path).startswith(self.dir):
                    found.append(path.split("/")[2])
            except OSError:
                pass
        return sorted(set(found))

    def leftovers(self, keep):
        with open(self.dir + "/state/tag", encoding="ascii") as f:
            tag = f.read()
        left = [name for name in os.listdir(self.dir + "/state/boxes") if name not in keep]
        left += os.listdir(self.dir + "/state/names")
        with open("/proc/mounts", encoding="utf-8", errors="replace") as f:
            left += [line.split()[1] for line in f if self.dir in line and "/state/boxes/" in line and
                     not any(f"/{k}/" in line for k in keep)]
        for root in glob.glob("/sys/fs/cgroup/**/tinybox-*" + tag + "*", recursive=True):
            if not any(f"tinybox-{k}-{tag}" in root for k in keep):
                left.append(root)
        return left

    def census(self, keep, title):
        left, procs = [], []
        for _ in range(20):
            done = self.run("reap")
            left = self.leftovers(keep)
            procs = [] if keep else self.processes()
            if not left and not procs:
                break
            time.sleep(0.1)
        self.tell(not left and not procs, title, f"left: {left} processes: {procs} reap: {done.stdout}{done.stderr}")
        return not left and not procs

    def sweep(self, title, argv, before, step):
        return sum(self.sweep_call(title, argv, before, step, call) for call in CALLS)

    def sweep_call(self, title, argv, before, step, call):
        n, points, killed = 1, 0, True
        while killed:
            box = before() if before else "named"
            killed = self.killed_at(call, n, *[box if a == "BOX" else a for a in argv])
            self.run("reap")  # mends what is half done; then what is whole goes
            self.run("rm", "-f", box)
            if killed and not self.census([self.live], f"{title}, killed at {call} {n}"):
                break
            points += killed
            n += step
        return points

    def create(self):
        return self.run("create", *self.wall).stdout.strip()

    def create_old(self):
        return self.run("create", "--ttl", "1ms", *self.wall).stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=7)
    parser.add_argument("--wall", default="namespace")
    parser.add_argument("tinybox")
    args = parser.parse_args()
    if not shutil.which("strace"):
        print("1..0 # SKIP strace is needed")
        return 0
    c = Crash(args)
    c.live = ""
    c.live = c.create()
    points = c.sweep("create", ["create", "--name", "named"] + c.wall, None, args.step)
    points += c.sweep("run", ["run"] + c.wall + ["--", "sh", "-c", "sleep 0.01; echo x"], None, args.step)
    points += c.sweep("rm", ["rm", "BOX"], c.create, args.step)
    points += c.sweep("stop", ["stop", "BOX"], c.create, args.step)
    points += c.sweep("reap", ["reap"], c.create_old, args.step)
    points += c.sweep("exec", ["exec", "BOX", "--", "sleep", "0.01"], c.create, args.step)
    done = c.run("exec", c.live, "echo", "alive")
    c.tell(done.stdout == "alive\n", "the box that lived lives", done.stderr)
    c.run("rm", c.live)
    c.live = ""
    c.census([], "nothing is left")
    print(f"# killed {points} times")
    print(f"1..{c.number}")
    shutil.rmtree(c.dir, ignore_errors=True)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
