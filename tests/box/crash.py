#!/usr/bin/env python3
"""`tinybox` is killed (SIGKILL) at each of its system calls, then `reap` must leave nothing. TAP.

usage: crash.py [--step N] [--snap] [--wall WALL] TINYBOX
       crash.py --random N [--seed S] [--wall WALL] TINYBOX

strace kills it when it enters its Nth call of each kind: in create, run, rm, stop, reap and exec. After
each the store is reaped, and then no process, mount, control group, directory or name of it may be there; a box that
lived before must still answer.

--random: at N points, half of them a system call of all that it makes, half a moment of the time that it takes.

--snap: in snapshot, fork, snapshot rm, export, import and start instead. After each kill the store is reaped. Then no layer
may be there that no record names, no snapshot that is half made, the box must answer with all its files, and when
all is removed nothing may be left.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time


CALLS = ("openat", "mkdirat", "renameat", "unlinkat", "symlinkat", "readlinkat", "fsync", "flock", "socketpair",
         "sendto", "recvfrom", "poll", "wait4", "connect", "write", "close")

SNAP_CALLS = ("openat", "mkdirat", "renameat", "fsync", "sendto", "recvfrom", "poll", "unlinkat", "flock", "wait4")


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


class RandomCrash(Crash):
    """Points of a whole verb, by its calls and by its time."""

    def __init__(self, args):
        super().__init__(args)
        self.random = random.Random(args.seed)
        self.verbs = {"create": (None, ["create", "--name", "named"] + self.wall),
                      "run": (None, ["run"] + self.wall + ["--", "sh", "-c", "sleep 0.01; echo x"]),
                      "exec": (self.create, ["exec", "BOX", "--", "sleep", "0.01"]),
                      "rm": (self.create, ["rm", "BOX"]),
                      "stop": (self.create, ["stop", "BOX"]),
                      "reap": (self.create_old, ["reap"])}
        self.known = {}

    def prepare(self, verb):
        before, argv = self.verbs[verb]
        box = before() if before else "named"
        return box, [box if a == "BOX" else a for a in argv]

    def learn(self, verb):
        """What it calls, in turn, and how long it takes."""
        trace = self.dir + "/trace"
        box, argv = self.prepare(verb)
        subprocess.run(["strace", "-qq", "-o", trace, self.tinybox, *argv], env=self.env, capture_output=True, timeout=60,
                       stdin=subprocess.DEVNULL, check=False)
        self.run("rm", "-f", box)
        box, argv = self.prepare(verb)
        began = time.monotonic()
        self.run(*argv)
        took = time.monotonic() - began
        self.run("rm", "-f", box)
        calls, seen = [], {}
        with open(trace, encoding="utf-8", errors="replace") as f:
            for line in f:
                name = line.split("(", 1)[0]
                if name.isidentifier() and name not in ("execve", "exit_group", "resumed"):
                    seen[name] = seen.get(name, 0) + 1
                    calls.append((name, seen[name]))
        return calls, took

    def kill_after(self, delay, argv):
        with subprocess.Popen([self.tinybox, *argv], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            time.sleep(delay)
            p.kill()
            return p.wait() == -9

    def point(self):
        verb = self.random.choice(sorted(self.verbs))
        if verb not in self.known:
            self.known[verb] = self.learn(verb)
        calls, took = self.known[verb]
        box, argv = self.prepare(verb)
        if self.random.random() < 0.5:
            call, n = self.random.choice(calls)
            killed, where = self.killed_at(call, n, *argv), f"{call} {n}"
        else:
            delay = self.random.random() * took
            killed, where = self.kill_after(delay, argv), f"{delay * 1000:.1f} ms of {took * 1000:.0f}"
        self.run("reap")
        good = verb != "exec" or self.run("exec", box, "echo", "alive").stdout == "alive\n"
        self.run("rm", "-f", box)
        return killed, f"{verb}, killed at {where}", good

    def census_quietly(self, title):
        left = []
        for _ in range(20):
            self.run("reap")
            left = self.leftovers([self.live])
            if not left:
                return True
            time.sleep(0.1)
        self.tell(False, title, f"left: {left}")
        return False

    def points(self, count):
        points = bad = 0
        while points < count:
            killed, title, good = self.point()
            points += killed
            if not good:
                self.tell(False, title, "the box is lost")
            bad += not good or not self.census_quietly(title)
            if points % 20 == 0 and self.run("exec", self.live, "echo", "alive").stdout != "alive\n":
                self.tell(False, title, "the box that lived is lost")
                bad += 1
        self.tell(not bad, f"killed at {points} points, nothing left, none lost")
        return points


class SnapCrash(Crash):
    def records(self, kind):
        found = {}
        top = f"{self.dir}/state/{kind}"
        for name in os.listdir(top) if os.path.isdir(top) else []:
            try:
                with open(f"{top}/{name}/record.json", encoding="utf-8") as f:
                    found[name] = json.load(f)
            except FileNotFoundError:
                found[name] = None
        return found

    def wrong(self):
        """What reap should not have left."""
        boxes, snaps = self.records("boxes"), self.records("snapshots")
        left = [f"{name} without a record" for name, r in {**boxes, **snaps}.items() if r is None]
        left += [f"{name} is {r['state']}" for name, r in snaps.items() if r and r["state"] != "ready"]
        named = {p["name"] for r in {**boxes, **snaps}.values() if r for p in r.get("parts", [])}
        layers = f"{self.dir}/state/layers"
        there = set(os.listdir(layers)) if os.path.isdir(layers) else set()
        left += [f"{name} is no one's" for name in there - named]
        pending = {r.get("sealing") for r in boxes.values() if r}
        left += [f"{name} is not there" for name in named - there - pending]
        return left

    def box(self, *more):
        box = self.run("create", *self.wall).stdout.strip()
        self.run("exec", box, "sh", "-c", "echo base >f; echo x >x")
        for words in more:
            snaps = self.run("snapshot", "ls", "-q").stdout.split() if "SNAP" in words else []
            self.run(*[box if w == "BOX" else snaps[-1] if w == "SNAP" else w for w in words])
        return box

    def answers(self, box):
        self.run("start", box)
        done = self.run("exec", "--timeout", "20s", box, "cat", "f", "x")
        return done.stdout == "base\nx\n", done.stdout + done.stderr

    def all_gone(self):
        ids = self.run("ls", "--quick", "-q").stdout.split()
        self.run("rm", "-f", *ids)
        snaps = self.run("snapshot", "ls", "-q").stdout.split()
        if snaps:
            self.run("snapshot", "rm", *snaps)

    def try_at(self, call, n, title, argv, prepare):
        box = self.box(*prepare)
        snaps = self.run("snapshot", "ls", "-q").stdout.split()
        words = [box if a == "BOX" else snaps[-1] if a == "SNAP" else a for a in argv]
        killed = self.killed_at(call, n, *words)
        reap = self.run("reap")
        left = self.wrong()
        good, said = self.answers(box)
        self.all_gone()
        left += self.wrong()
        layers = f"{self.dir}/state/layers"
        left += os.listdir(layers) if os.path.isdir(layers) else []
        if killed and (left or not good):
            self.tell(False, f"{title}, killed at {call} {n}", f"{left} {said} {reap.stdout}{reap.stderr}")
        return killed, bool(left) or not good

    def verb(self, title, argv, step, *prepare):
        points = bad = 0
        for call in SNAP_CALLS:
            n, killed = 1 + points % step, True
            while killed:
                killed, wrong = self.try_at(call, n, title, argv, prepare)
                points += killed
                bad += wrong
                n += step
        self.tell(not bad, f"{title}: killed {points} times, all is well after reap")
        return points

    def sweep_all(self, step):
        file = self.dir + "/file"
        self.verb("snapshot", ["snapshot", "BOX"], step)
        self.verb("snapshot of a stopped box", ["snapshot", "BOX"], step, ["stop", "BOX"])
        self.verb("fork of a box", ["fork", "-n", "2", "BOX"], step)
        self.verb("fork of a snapshot", ["fork", "-n", "2", "SNAP"], step, ["snapshot", "BOX"])
        self.verb("snapshot rm", ["snapshot", "rm", "SNAP"], step, ["snapshot", "BOX"])
        self.verb("import", ["snapshot", "import", file], step, ["snapshot", "BOX"], ["snapshot", "export", "SNAP", file])
        self.verb("export", ["snapshot", "export", "SNAP", file + "2"], step, ["snapshot", "BOX"])


def sweep_boxes(c, args):
    c.live = c.create()
    if args.random:
        print(f"# seed {args.seed}")
        points = c.points(args.random)
    else:
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
    print(f"# killed {points} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=7)
    parser.add_argument("--snap", action="store_true")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    parser.add_argument("--wall", default="namespace")
    parser.add_argument("tinybox")
    args = parser.parse_args()
    if not shutil.which("strace"):
        print("1..0 # SKIP strace is needed")
        return 0
    c = (RandomCrash if args.random else SnapCrash if args.snap else Crash)(args)
    c.live = ""
    if args.snap:
        c.sweep_all(args.step)
    else:
        sweep_boxes(c, args)
    c.census([], "nothing is left")
    print(f"1..{c.number}")
    shutil.rmtree(c.dir, ignore_errors=True)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
