#!/usr/bin/env python3
"""Terminals: programs of a virtual box, and tinysandbox's prompt, driven through a pseudo-terminal. TAP.

usage: terminal.py TINYBOX TINYSANDBOX CASES SCREENS PAGES
       terminal.py fill CASES       takes what the cases get from the real bash
       terminal.py screens SCREENS  the same for what is typed at a prompt (or to programs of PAGES)

A case is a line of JSON: "run" (for bash -c; "argv" for another program), "typed" ([pattern to wait
for, text to type], ...), "gets" (all that came), perhaps "rows", "columns", "differs" (why what we
give is not what the real one does; then "gets" is ours, written by hand).
A screen is a list of [keys, what the screen shows then], for bash at a prompt in the directory FILES;
perhaps with a first item: "columns", "rows", "argv" (another program, in the directory PAGES), "env", "styles" (colours
count, too).
Keys may be {"resize": [rows, columns]}.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from screen import Screen

LONG = 30
IUTF8 = 0x4000


class Pty:
    """A program on a terminal; what it writes, up to patterns, with a deadline."""

    def __init__(self, argv, env=None, rows=24, columns=80):
        self.seen, self.all = b"", b""
        go, start = os.pipe()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.close(start)
            os.read(go, 1)
            os.close(go)
            os.execvpe(argv[0], argv, env or os.environ)
        os.close(go)
        how = termios.tcgetattr(self.fd)
        how[0] |= IUTF8
        termios.tcsetattr(self.fd, termios.TCSANOW, how)
        self.resize(rows, columns)
        os.close(start)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        data = text.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(self.fd, data):]

    def more(self, until):
        left = until - time.monotonic()
        if left <= 0 or not select.select([self.fd], [], [], left)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        self.all += data
        return bool(data)

    def until(self, pattern, seconds=LONG):
        """All up to the end of the pattern; None: it did not come."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern.encode(), self.seen, re.S)
            if found:
                got, self.seen = self.seen[:found.end()], self.seen[found.end():]
                return got.decode("utf-8", "surrogateescape")
            if not self.more(end):
                return None

    def rest(self, seconds=LONG):
        end = time.monotonic() + seconds
        while self.more(end):
            pass
        got, self.seen = self.seen, b""
        return got.decode("utf-8", "surrogateescape")

    def close(self):
        """The status; the program has ended, or is ended now."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            select.select([], [], [], 0.01)
        os.kill(self.pid, 9)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


FILES = ("rm -rf /tmp/edit; mkdir -p /tmp/edit/sub/deep /tmp/edit/other; cd /tmp/edit;"
         "touch host.conf hostname hosts 'a b' abc abd long-file-name")
PAGES = ("rm -rf /tmp/pages; mkdir -p /tmp/pages/sub; cd /tmp/pages;"
         "seq 100 >nums; seq 3 >three; seq -f 'line number %g of many lines, which is a long one' 40 >wide;"
         "printf 'a\\001b\\033[31mred\\033[0m x\\tt\\015\\n_\\bu_\\bn B\\bBO\\bO h\\303\\251 \\351\\n\\n\\n\\nend\\n' >odd")


class Typist:
    """A shell at a prompt, and its screen."""

    def __init__(self, argv, env, how):
        rows, columns = how.get("rows", 24), how.get("columns", 80)
        self.p = Pty(argv, env, rows, columns)
        self.screen = Screen(rows, columns, how.get("styles", False))

    def type(self, keys):
        if isinstance(keys, str):
            return self.p.type(keys)
        self.screen.resize(*keys["resize"])
        self.p.resize(*keys["resize"])

    def look(self, end):
        more = self.p.more(end)
        self.screen.feed(self.p.seen.decode("utf-8", "replace"))
        self.p.seen = b""
        return more

    def sees(self, want, seconds=10):
        end = time.monotonic() + seconds
        while self.screen.shown() != want:
            if not self.look(end):
                return self.screen.shown() == want
        return True

    def settled(self):
        """For filling: what it shows when nothing comes any more."""
        while self.look(time.monotonic() + 0.8):
            pass
        return self.screen.shown()


SHELL = ["bash", "--norc"]


def screens(path):
    for line in open(path):
        steps = json.loads(line)
        yield steps, steps.pop(0) if isinstance(steps[0], dict) else {}


def fill_screens(path):
    out = []
    env = {"PATH": os.environ["PATH"], "HOME": "/home/user", "LANG": "C.UTF-8", "TERM": "xterm-256color",
           "PS1": "$ ", "HISTFILE": "/dev/null", "INPUTRC": "/dev/null"}
    os.system(FILES)
    os.system(PAGES)
    for steps, how in screens(path):
        os.chdir("/tmp/pages" if "argv" in how else "/tmp/edit")
        t = Typist(how.get("argv", SHELL), dict(env, **how.get("env", {})), how)
        t.settled()
        done = [how] if how else []
        for keys, *_ in steps:
            t.type(keys)
            done.append([keys, t.settled()])
        os.kill(t.p.pid, 9)
        t.p.close()
        out.append(json.dumps(done))
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


def type_all(t, steps):
    """None, or what is wrong where."""
    at, want = "", "$\n@0,2"
    if steps[0][0] == "" or t.sees(want):
        for at, want in steps:
            t.type(at)
            if not t.sees(want):
                break
        else:
            return None
    return ["at", at, "want", want, "got", t.screen.shown()]


def leave(t):
    """It ends by itself, so that what it counts is written."""
    t.p.type("\x03")
    t.look(time.monotonic() + 1)
    t.p.type("\x15exit\rexit\r")
    t.p.rest(3)
    t.p.close()


def typing(path, title, prepare, argv, end):
    """What is typed may overtake the program that it is for, on a slow machine: only what is wrong three times is."""
    for steps, how in screens(path):
        for _ in range(3):
            prepare()
            t = Typist(argv(how), None, how)
            wrong = type_all(t, steps)
            end(t)
            if not wrong:
                break
        ok(not wrong, title + repr(how.get("argv", "")) + repr([k for k, _ in steps]), *(wrong or []))


def typing_in_box(tinybox, path, files, where):
    def end(t):
        os.kill(t.p.pid, 9)
        t.p.close()

    def argv(how):
        env = dict({"PS1": "$ ", "HISTFILE": "/dev/null"}, **how.get("env", {}))
        return ([tinybox, "exec", "-it", "-w", where] + [w for e in env.items() for w in ("-e", "%s=%s" % e)] +
                ["web"] + how.get("argv", SHELL))

    def prepare():
        subprocess.run([tinybox, "exec", "web", "bash", "-c", files], stdin=subprocess.DEVNULL)

    typing(path, "typed: ", prepare, argv, end)


def typing_outside(tinysandbox, path):
    state = tempfile.mkdtemp(prefix="tinysandbox-edit-")
    files = FILES.replace("/tmp/edit", state + "/edit")
    typing(path, "typed at tinysandbox: ", lambda: os.system(files),
           lambda how: [tinysandbox, "--mount=%s/edit:/tmp/edit" % state, "--cwd=/tmp/edit", "--env=PS1=$ ",
            "--env=HISTFILE=/dev/null", "-i"], leave)
    shutil.rmtree(state)


def play(case, before, env=None):
    argv = case.get("argv") or ["bash", "--norc", "-c", case["run"]]
    p = Pty(before + argv, env, case.get("rows", 24), case.get("columns", 80))
    for pattern, text in case.get("typed", []):
        if p.until(pattern, 10) is None:
            p.all += b"<NEVER CAME: " + pattern.encode() + b">"
            break
        p.type(text)
    p.rest(10)
    p.close()
    return p.all.decode("utf-8", "surrogateescape")


def fill(path):
    out = []
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    for line in open(path):
        case = json.loads(line)
        if "differs" not in case:
            case["gets"] = play(case, [], env)
        out.append(json.dumps(case))
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


count = failed = 0


def ok(good, name, *more):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name.replace("\n", "\\n")), flush=True)
    for line in more if not good else ():
        print("# %r" % (line,))


def cases(tinybox, path):
    for line in open(path):
        case = json.loads(line)
        got = play(case, [tinybox, "exec", "-it", "web"])
        ok(got == case["gets"], case.get("run") or " ".join(case["argv"]), "want", case["gets"], "got", got)


def resizes(tinybox):
    p = Pty([tinybox, "exec", "-it", "web", "bash", "-c",
             "trap 'stty size' WINCH; echo go; while :; do read -t 60 x; [ \"$x\" = end ] && break; done; /bin/true;"
             "echo $LINES $COLUMNS"], rows=33, columns=77)
    p.until("go\r\n")
    p.resize(44, 88)
    ok(p.until("44 88\r\n") is not None, "a new size is a signal, and seen")
    p.type("end\r")
    ok(p.until("end\r\n44 88\r\n") is not None, "and LINES and COLUMNS follow")
    ok(p.close() == 0, "the end")


def tops(tinybox):
    """What top shows is another thing each time: only what does not change is waited for."""
    p = Pty([tinybox, "exec", "-it", "web", "top", "-d", "100"], rows=20, columns=80)
    ok(p.until(r"\x1b\[7m +PID USER .* COMMAND") is not None, "top: a screen")
    for key, pattern in (("x", "Unknown command"), ("M", "PID USER"), ("h", "go on"), (" ", "PID USER"), ("l", "HTasks:|H\x1b\\[KTasks:"),
                         ("k", "PID to signal/kill"), ("1\r", "Send pid 1 signal"), ("0\r", "PID USER"),
                         ("r", "renice"), ("z\r", "Unacceptable integer"), ("d", "Change delay from 100.0 to"), ("50\r", "PID USER"),
                         ("u", "Which user"), ("nobody-here\r", "Invalid user")):
        p.type(key)
        ok(p.until(pattern) is not None, "top: " + key)
    p.type("q")
    p.rest()
    ok(p.close() == 0, "top: the end")


def stops(tinybox):
    """Ctrl-Z where no shell is that could go on with what it stops: as on Linux, nothing is stopped."""
    for argv, ready, key, goes_on in (
            (["less", "/etc/hosts"], "localhost", "=", "byte"),
            (["sh", "-c", "echo ready; exec sleep 1000"], "ready", "\x03", None),
            (["sh", "-c", "echo ready; read a; echo got $a"], "ready", "word\r", "got word")):
        p = Pty([tinybox, "exec", "-it", "web"] + argv, rows=10, columns=60)
        ok(ready is None or p.until(ready) is not None, "stops: %s begins" % argv[0])
        p.type("\x1a")
        p.type(key)
        ok(goes_on is None or p.until(goes_on) is not None, "stops: Ctrl-Z does not stop %s" % argv[0])
        if argv[0] == "less":
            p.type("\rq")
        p.rest()
        ok(p.close() == (130 if key == "\x03" else 0), "stops: its end")
    p = Pty([tinybox, "exec", "-it", "web", "bash", "--norc"], rows=10, columns=60)
    p.type("sleep 1000\r")
    p.until("1000")
    # (it may not have begun yet)
    while p.until("Stopped", 1) is None:
        p.type("\x1a")
    ok(True, "stops: a shell's job is stopped (control)")
    p.type("\rkill %1; exit\r")
    p.rest()
    p.close()


def main():
    if sys.argv[1] == "fill":
        return fill(sys.argv[2])
    if sys.argv[1] == "screens":
        return fill_screens(os.path.abspath(sys.argv[2]))
    tinybox, tinysandbox, path, shown, pages = map(os.path.abspath, sys.argv[1:])
    state = tempfile.mkdtemp(prefix="tinybox-terminal-")
    os.environ["TINYBOX_STATE_DIR"] = state
    try:
        os.chdir(state)
        if os.system("%s create --name=web >/dev/null" % tinybox):
            raise SystemExit("no box")
        cases(tinybox, path)
        resizes(tinybox)
        tops(tinybox)
        stops(tinybox)
        typing_in_box(tinybox, shown, FILES, "/tmp/edit")
        typing_outside(tinysandbox, shown)
        typing_in_box(tinybox, pages, PAGES, "/tmp/pages")
    finally:
        os.system("%s rm --force web >/dev/null 2>&1" % tinybox)
        shutil.rmtree(state, ignore_errors=True)
    print("1..%d" % count)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
