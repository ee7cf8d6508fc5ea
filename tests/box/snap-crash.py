#!/usr/bin/env python3
"""`tinybox` is killed (SIGKILL) at its system calls in snapshot, fork, snapshot rm, export, import and start. TAP.

usage: snap-crash.py [--step N] [--wall WALL] TINYBOX

After each kill the store is reaped. Then no layer may be there that no record names, no snapshot that is half made, the box must
answer with all its files, and when all is removed nothing may be left.
"""
import argparse
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from crash import Crash  # noqa: E402

CALLS = ("openat", "mkdirat", "renameat", "fsync", "sendto", "recvfrom", "poll", "unlinkat", "flock", "wait4")


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
        for call in CALLS:
            n, killed = 1 + points % step, True
            while killed:
                killed, wrong = self.try_at(call, n, title, argv, prepare)
                points += killed
                bad += wrong
                n += step
        self.tell(not bad, f"{title}: killed {points} times, all is well after reap")
        return points


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=9)
    parser.add_argument("--wall", default="namespace")
    parser.add_argument("tinybox")
    args = parser.parse_args()
    if not shutil.which("strace"):
        print("1..0 # SKIP strace is needed")
        return 0
    c = SnapCrash(args)
    file = c.dir + "/file"
    c.verb("snapshot", ["snapshot", "BOX"], args.step)
    c.verb("snapshot of a stopped box", ["snapshot", "BOX"], args.step, ["stop", "BOX"])
    c.verb("fork of a box", ["fork", "-n", "2", "BOX"], args.step)
    c.verb("fork of a snapshot", ["fork", "-n", "2", "SNAP"], args.step, ["snapshot", "BOX"])
    c.verb("snapshot rm", ["snapshot", "rm", "SNAP"], args.step, ["snapshot", "BOX"])
    c.verb("import", ["snapshot", "import", file], args.step, ["snapshot", "BOX"], ["snapshot", "export", "SNAP", file])
    c.verb("export", ["snapshot", "export", "SNAP", file + "2"], args.step, ["snapshot", "BOX"])
    c.census([], "nothing is left")
    print(f"1..{c.number}")
    shutil.rmtree(c.dir, ignore_errors=True)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
