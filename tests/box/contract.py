#!/usr/bin/env python3
"""The exec contract: the same cases on every host and behind every wall. TAP.

usage: contract.py [--uid N] [--file CASES] [--only TEXT] [--create OPTIONS] TINYBOX HOST:WALL...
       contract.py --truth [--file CASES]

HOST is local, or ssh:NAME (with --create giving the options of ssh). WALL is virtual, namespace or
passthrough. --uid: as that user, with a state directory of its own. --truth runs what can be run
without a box on this machine, and compares that with the same expectations.

A case is "#### TITLE" and lines "KEY: VALUE"; values of out, err, stdin and wait have C's escapes.

	exec	options, then the command's words, as a shell would split them
	stdin	bytes for standard input; "repeat N TEXT" is TEXT N times
	out err	expected bytes; "size N": so many; "has TEXT": among others; "any"
	status	expected exit status
	end.X	expected member of the end record
	signal	NAME: sent to tinybox once "ready" was printed
	gone	the caller is killed (SIGKILL) once "ready" was printed; then the process must be
		"ended" or "running" (and is killed)
	walls	only behind these; why says why
	box	"yes": it cannot be run without a box (--truth leaves it out)
"""
import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = 40


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("#### "):
                cases.append({"title": line[5:], "line": number, "end": {}})
            elif line and not line.startswith("#"):
                key, _, value = line.partition(": ")
                if key.startswith("end."):
                    cases[-1]["end"][key[4:]] = json.loads(value)
                else:
                    cases[-1][key.rstrip(":")] = value
    return cases


def unescape(text):
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1")


def stdin_of(case):
    text = case.get("stdin")
    if text is None:
        return None
    if text.startswith("repeat "):
        _, count, what = text.split(" ", 2)
        return unescape(what) * int(count)
    return unescape(text)


def differs(want, got):
    if want is None or want == "any":
        return False
    if want.startswith("size "):
        return len(got) != int(want[5:])
    if want.startswith("has "):
        return unescape(want[4:]) not in got
    return got != unescape(want)


class Boxes:
    """One box on one host behind one wall."""

    def __init__(self, args, where):
        self.tinybox = os.path.abspath(args.tinybox)
        host, _, self.wall = where.rpartition(":")
        self.dir = tempfile.mkdtemp(prefix="tinybox-contract-")
        self.uid = args.uid
        if self.uid:
            os.chown(self.dir, self.uid, self.uid)
            # the build may lie where an ordinary user does not come
            for name in ("tinybox-init", "tinybox-engine", "tinybox"):
                shutil.copy(os.path.join(os.path.dirname(self.tinybox), name), self.dir)
            self.tinybox = os.path.join(self.dir, "tinybox")
        self.env = dict(os.environ, TINYBOX_STATE_DIR=self.dir + "/state", TINYBOX_LEAK="leaked")
        if self.uid:    # where the build counts lines, an ordinary user cannot write beside the objects
            self.env["GCOV_PREFIX"] = self.dir + "/lines"
        create = ["create", "--host", host, "--sandbox", self.wall] + shlex.split(args.create)
        if self.wall == "passthrough":
            create += ["--network", "open"]
        done = self.run(create)
        self.box = done.stdout.decode().strip()
        if done.returncode:
            print("# " + done.stderr.decode().replace("\n", "\n# "))

    def popen(self, argv, **more):
        ids = {"user": self.uid, "group": self.uid, "extra_groups": []} if self.uid else {}
        return subprocess.Popen([self.tinybox] + argv, env=self.env, cwd=self.dir, **ids, **more)

    def run(self, argv, data=b""):
        p = self.popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = p.communicate(data, timeout=LONG)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            err += b"\n(hung: the runner gave up)"
        return subprocess.CompletedProcess(argv, p.returncode, out, err)

    def close(self):
        self.run(["rm", "--force", self.box])
        if self.wall != "keep":
            shutil.rmtree(self.dir, ignore_errors=True)


def wait_ready(p):
    seen = b""
    while b"ready" not in seen:
        more = os.read(p.stdout.fileno(), 4096)
        if not more:
            break
        seen += more
    return seen


def exec_words(case, box, record):
    words = shlex.split(case["exec"])
    cut = words.index("--")
    options = words[:cut]
    if "stdin" in case and "-i" not in options:
        options.append("-i")
    return ["exec", "--record", record] + options + [box, "--"] + words[cut + 1:]


def check(case, done, record):
    wrong = []
    for key, got in (("out", done.stdout), ("err", done.stderr)):
        if differs(case.get(key), got):
            wrong.append(f"{key}: {got[:300]!r}, not {case[key][:300]}")
    if "status" in case and done.returncode != int(case["status"]):
        wrong.append(f"status: {done.returncode}, not {case['status']}; {done.stderr[-300:]!r}")
    for key, want in case["end"].items():
        got = record.get(key) if record else None
        if isinstance(want, str) and want.startswith(">"):
            if not isinstance(got, int) or got <= int(want[1:]):
                wrong.append(f"end.{key}: {got}, not {want}")
        elif got != want:
            wrong.append(f"end.{key}: {got!r}, not {want!r}")
    return wrong


def process_state(boxes, count):
    done = boxes.run(["ps", "--json", boxes.box])
    listed = json.loads(done.stdout or b"{}").get("processes", [])
    return listed[-1] if len(listed) >= count else {}


def run_gone(case, boxes, words):
    """The caller dies; what becomes of the command?"""
    p = boxes.popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_ready(p)
    p.kill()
    p.wait()
    p.stdout.close()
    want, state = case["gone"], {}
    for _ in range(100):
        state = process_state(boxes, 1)
        if state.get("state") == want == "ended":
            break
        if want == "running":
            time.sleep(0.5)
            state = process_state(boxes, 1)
            break
        time.sleep(0.1)
    if state.get("state") == "running":
        boxes.run(["kill", "--tree", boxes.box, state["proc"]])
    return [] if state.get("state") == want else [f"the process is {state.get('state')}, not {want}"]


def run_case(case, boxes):
    record = os.path.join(boxes.dir, "record")
    if os.path.exists(record):
        os.unlink(record)
    words = exec_words(case, boxes.box, record)
    if "gone" in case:
        return run_gone(case, boxes, words)
    if "signal" in case:
        p = boxes.popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seen = wait_ready(p)
        p.send_signal(getattr(signal, "SIG" + case["signal"]))
        out, err = p.communicate(timeout=LONG)
        done = subprocess.CompletedProcess(words, p.returncode, seen + out, err)
    else:
        done = boxes.run(words, stdin_of(case) or b"")
    end = None
    if os.path.exists(record):
        with open(record, encoding="utf-8") as f:
            end = json.load(f)
    return check(case, done, end)


def truth(case):
    words = shlex.split(case["exec"])
    if words[0] != "--" or case.get("box") or "signal" in case or "gone" in case:
        return None
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    try:
        p = subprocess.Popen(words[1:], stdin=subprocess.PIPE, stdout=out, stderr=err, cwd="/tmp",
                             start_new_session=True, env={"PATH": "/usr/bin:/bin", "HOME": "/"})
    except OSError:
        return None
    try:
        p.stdin.write(stdin_of(case) or b"")
        p.stdin.close()
    except BrokenPipeError:
        pass
    status = p.wait(LONG)
    out.seek(0)
    err.seek(0)
    done = subprocess.CompletedProcess(words, status if status >= 0 else 128 - status, out.read(), err.read())
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return check(dict(case, end={}), done, None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--uid", type=int, default=0)
    parser.add_argument("--file", default=os.path.join(HERE, "contract.cases"))
    parser.add_argument("--only", default="")
    parser.add_argument("--create", default="")
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("tinybox", nargs="?")
    parser.add_argument("where", nargs="*")
    args = parser.parse_args()
    if args.uid and os.geteuid():
        print("1..0 # SKIP only root can be another user")
        return 0
    cases = [c for c in read_cases(args.file) if args.only in c["title"]]
    number = failed = 0

    def tell(where, case, wrong):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {where} {case['title']}", flush=True)
        for line in wrong or []:
            print(f"# line {case['line']}: {line}")

    if args.truth:
        for case in cases:
            wrong = truth(case)
            if wrong is not None:
                tell("truth", case, wrong)
    for where in args.where:
        boxes = Boxes(args, where)
        for case in cases:
            if boxes.wall in case.get("walls", boxes.wall).split():
                tell(where, case, run_case(case, boxes) if boxes.box else ["there is no box"])
        boxes.close()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
