#!/usr/bin/env python3
"""sync.py [--rounds N] TINYBOX: trees that are kept equal: rules, properties over random trees, kills, hostile sides, ssh. TAP."""

import argparse
import fcntl
import json
import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.geteuid() == 0


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def ok(self, good, title, why=""):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {title}", flush=True)
        if not good and why != "":
            for line in str(why)[:2000].split("\n"):
                print("#", line.encode("utf-8", "backslashreplace").decode())

    def equal(self, got, want, title):
        self.ok(got == want, title, f"want {want!r}\ngot  {got!r}")

    def skip(self, title, why):
        self.number += 1
        print(f"ok {self.number} - {title} # SKIP {why}")


T = Tap()


def manifest(top):
    """Everything of a tree but what a sync does not promise: times, owners, the root's own mode."""
    out = {}
    top = os.fsencode(top)
    for base, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(base, name)
            st = os.lstat(path)
            rel = os.path.relpath(path, top)
            if rel.split(b"/")[0] == b".tinybox-sync":
                continue
            if stat.S_ISLNK(st.st_mode):
                out[rel] = ("l", os.readlink(path))
            elif stat.S_ISDIR(st.st_mode):
                out[rel] = ("d", st.st_mode & 0o777)
            elif stat.S_ISREG(st.st_mode):
                with open(path, "rb") as f:
                    out[rel] = ("f", st.st_mode & 0o777, f.read())
            else:
                out[rel] = ("o",)
    return out


def differences(a, b):
    keys = [k for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
    return "\n".join(f"{k!r}: {str(a.get(k))[:60]} / {str(b.get(k))[:60]}" for k in keys[:10])


class World:
    def __init__(self, tinybox):
        self.tinybox = os.path.abspath(tinybox)
        self.top = tempfile.mkdtemp(prefix="tbxsync-")
        os.chmod(self.top, 0o755)
        self.env = dict(os.environ, TINYBOX_STATE_DIR=self.top + "/state")

    def run(self, *argv, **more):
        return subprocess.run([self.tinybox, *argv], capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
                              cwd=self.top, env=self.env, **more)

    def path(self, name):
        return os.path.join(self.top, name)

    def sync(self, *argv):
        done = self.run("sync", "--json", *argv)
        try:
            return done, json.loads(done.stdout.decode().split("\n")[0])
        except ValueError:
            return done, {}

    def write(self, name, text, mode=None):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        if mode is not None:
            os.chmod(path, mode)

    def fresh(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)


# ---- random trees ----

NAMES = [b"a", b"b", b"c", b"A", b"long" * 60, b"new\nline", b"\xff\xfe", b" space ", b"-rf", b"*", b"$(x)", "\u00e9".encode(), b"..."]


def random_bytes(rng):
    return rng.randbytes(rng.choice([0, 1, 100, 5000, 70000]))


def random_entry(rng, path, depth):
    kind = rng.random()
    if kind < 0.3 and depth < 4:
        os.mkdir(path)
        for name in rng.sample(NAMES, rng.randrange(4)):
            random_entry(rng, os.path.join(path, name), depth + 1)
        os.chmod(path, rng.choice([0o755, 0o700, 0o775]))
    elif kind < 0.45:
        os.symlink(rng.choice([b"a", b"../b", b"/etc/passwd", b"nowhere/at all", b"."]), path)
    else:
        with open(path, "wb") as f:
            f.write(random_bytes(rng))
        os.chmod(path, rng.choice([0o644, 0o755, 0o600, 0o444]))


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def random_tree(rng, top):
    for name in rng.sample(NAMES, rng.randrange(2, 8)):
        random_entry(rng, os.path.join(os.fsencode(top), name), 1)


def random_edit(rng, top):
    places = [os.fsencode(top)]
    for base, dirs, _ in os.walk(os.fsencode(top)):
        places += [os.path.join(base, d) for d in dirs if not os.path.islink(os.path.join(base, d))]
    for _ in range(rng.randrange(1, 6)):
        place = rng.choice(places)
        if not os.path.isdir(place):
            continue
        path = os.path.join(place, rng.choice(NAMES))
        if rng.random() < 0.3 and os.path.lexists(path) and not os.path.islink(path):
            os.chmod(path, rng.choice([0o755, 0o700]))
            continue
        remove(path)
        if rng.random() < 0.7:
            random_entry(rng, path, 3)


# ---- what is left out ----

def rules(w):
    src, dst = w.fresh("src"), w.path("dst")
    w.write("src/keep", "1")
    w.write("src/x.o", "o")
    w.write("src/sub/y.o", "o")
    w.write("src/sub/z.tmp", "t")
    w.write("src/sub/deep/w.tmp", "t")
    w.write("src/build/out", "b")
    w.write("src/.git/HEAD", "h")
    w.write("src/.git/info/exclude", "/secret\n")
    w.write("src/secret", "s")
    w.write("src/.gitignore", "*.o\nbuild/\n")
    w.write("src/sub/.gitignore", "*.tmp\n!w.tmp\n")
    w.write("src/.boxignore", "!x.o\n")
    done, doc = w.sync("--dir", "src", "--to", dst)
    T.equal(sorted(p for p in manifest(dst) if manifest(dst)[p][0] == "f"),
            [b".boxignore", b".gitignore", b"keep", b"sub/.gitignore", b"sub/deep/w.tmp", b"x.o"], "ignore files of each kind")
    T.equal(doc.get("git"), True, "that .git is left out is told")
    w.write("dst/build/cache", "k")
    w.write("dst/new.o", "n")
    w.write("dst/extra", "e")
    w.write("dst/made/q.o", "n")
    w.write("dst/made/q", "n")
    done, doc = w.sync("--dir", "src", "--to", dst)
    T.equal(sorted(c["path"] for c in doc["changes"]), ["extra", "made/q"], "what is left out is not deleted there")
    T.ok(os.path.exists(dst + "/build/cache") and os.path.exists(dst + "/new.o") and os.path.exists(dst + "/made/q.o"), "... and is there")
    done, doc = w.sync("--dir", "src", "--to", dst)
    T.equal(doc.get("status"), "unchanged", "and the next one says that nothing differs")
    done, doc = w.sync("--dir", "src", "--to", w.path("dst2"), "--git", "--no-ignore")
    T.equal(differences(manifest(src), manifest(w.path("dst2"))), "", "--git --no-ignore is everything")
    for name, text in ((".boxignore", "ok\n[z-\n"), ("sub/.boxignore", "a\\"), (".gitignore", "x[")):
        w.write("src/" + name, text)
        done, doc = w.sync("--dir", "src", "--to", dst)
        T.ok(done.returncode == 2 and name.encode() in done.stderr and b"is no pattern" in done.stderr,
             f"a pattern that is none is an error: {name}", done.stderr)
        os.unlink(w.path("src/" + name))
    done, _ = w.sync("--dir", "src", "--to", dst, "--no-ignore")
    T.equal(done.returncode, 0, "unless no pattern is asked for")


def plain(w):
    done = w.run("sync", "--dir", w.fresh("src"), "--to", w.path("p1"))
    words = done.stdout.decode().split()
    T.ok(words[0] == "sent" and len(words[1]) == 64, "an empty tree makes a directory", done)
    done = w.run("sync", "--dir", w.path("src"), "--to", w.path("p1"))
    T.equal(done.stdout.decode(), f"unchanged {words[1]}\n", "unchanged FINGERPRINT")
    w.write("src/f", "x")
    done = w.run("sync", "--dir", w.path("src"), "--to", w.path("p1"), "--dry-run")
    T.ok(done.stdout.endswith(b"\n") and b"added" in done.stdout and not os.path.exists(w.path("p1/f")), "--dry-run changes nothing", done)
    w.run("sync", "--dir", w.path("src"), "--to", w.path("p1"))
    with open(w.path("p1/f"), "r+") as f:
        st = os.stat(w.path("p1/f"))
        f.write("y")
    os.utime(w.path("p1/f"), ns=(st.st_atime_ns, st.st_mtime_ns))
    _, doc = w.sync("--dir", w.path("src"), "--to", w.path("p1"))
    T.equal([c["path"] for c in doc["changes"]], ["f"], "tampering is seen, whatever size and time say")
    for argv, status in (((), 2), (("--to", "a", "--from", "b"), 2), (("--to", ""), 2), (("--dir", "/no/such", "--to", "x"), 70),
                         (("--dir", "src/f", "--to", "x"), 70), (("--to", "nobox:x"), 70), (("--dir", "p1", "--to", "src/f"), 70),
                         (("--from", "/no/such"), 70), (("--host", "ssh:x", "--to", "box-1:y"), 2)):
        done = w.run("sync", *argv)
        T.ok(done.returncode == status and done.stderr, f"refused: sync {' '.join(argv)}", done)
    for argv in (("--to", "/"), ("--to", "/../."), ("--dir", "src", "--to", "src/sub"), ("--dir", "src", "--to", "."), ("--dir", "src", "--to", "src"),
                 ("--dir", "p1", "--from", "."), ("--host", "ssh:nobody@127.0.0.1", "--to", ".")):
        done = w.run("sync", *argv)
        T.ok(done.returncode == 2 and done.stderr, f"what nobody means: sync {' '.join(argv)}", done)
    os.mkfifo(w.path("src/pipe"))
    done, doc = w.sync("--dir", "src", "--to", w.path("p1"))
    T.ok(done.returncode == 0 and doc["skipped"][0]["path"] == "pipe", "a pipe is left out, and said", done)
    os.mkfifo(w.path("p1/there"))
    _, doc = w.sync("--dir", "src", "--to", w.path("p1"))
    T.ok(not os.path.lexists(w.path("p1/there")), "one that is there goes")
    os.makedirs(w.path("p1/new"))
    for name in ("p1/new/there", "p1/new/a\x1b[2Jb"):
        os.mkfifo(w.path(name))
    done, doc = w.sync("--dir", w.fresh("src2"), "--from", w.path("p1"))
    T.ok([s["path"] for s in doc["skipped"]] == ["new/a\x1b[2Jb", "new/there"] and b"\\033[2Jb" in done.stderr and b"\x1b" not in done.stderr,
         "back, those that are there are named in the review, as plain text", done)


def deep(w):
    src = w.fresh("src")
    for levels, good in ((199, True), (202, False)):
        shutil.rmtree(w.path("src"))
        os.mkdir(src)
        subprocess.run(["sh", "-c", f"i=0; while [ $i -lt {levels} ]; do mkdir d && cd d || exit; i=$((i+1)); done; echo x >x"], cwd=src,
                       check=True)
        done = w.run("sync", "--dir", src, "--to", w.path("deep"))
        T.ok((done.returncode == 0) == good and (good or b"too deep" in done.stderr), f"{levels} directories in one another", done)
    subprocess.run(["rm", "-rf", src, w.path("deep")], check=True)
    os.mkdir(w.path("deep"))
    os.mkdir(src)
    subprocess.run([sys.executable, "-c", "import os\nfor i in range(3000):\n    os.mkdir('d'); os.chdir('d')"], cwd=w.path("deep"), check=True)
    done, doc = w.sync("--dir", src, "--to", w.path("deep"))
    T.ok(done.returncode == 70 or not os.path.exists(w.path("deep/d")), "three thousand there: gone, or refused", done)
    subprocess.run(["rm", "-rf", src, w.path("deep")], check=True)


# ---- back ----

def review(w):
    src = w.fresh("src")
    w.write("src/a", "1")
    w.write("src/gone", "1")
    w.sync("--dir", "src", "--to", w.path("far"))
    os.unlink(w.path("far/gone"))
    for name in (".git/hooks/post-checkout", ".envrc", ".vscode/tasks.json", "Makefile", "sub/package.json", ".git/config", "plain"):
        w.write("far/" + name, "x")
    w.write("far/tool", "x", 0o755)
    os.symlink("/etc", w.path("far/out"))
    os.symlink("sub/package.json", w.path("far/in"))
    before = manifest(src)
    done = w.run("sync", "--dir", "src", "--from", w.path("far"))
    T.ok(done.returncode == 1 and b"--yes" in done.stderr and manifest(src) == before, "without a terminal and --yes nothing is taken", done)
    T.ok(b"tasks.json" in done.stderr and done.stderr.index(b"tasks.json") < done.stderr.index(b"plain"), "what the host runs is first")
    _, doc = w.sync("--dir", "src", "--from", w.path("far"), "--git", "--dry-run")
    runs = {c["path"]: bool(c.get("runs")) for c in doc["changes"]}
    want = {".git/hooks/post-checkout": True, ".envrc": True, ".vscode/tasks.json": True, "Makefile": True, "sub/package.json": True,
            ".git/config": True, "plain": False, "tool": True, "out": True, "in": False, "gone": False}
    T.equal({k: runs.get(k) for k in want}, want, "what it runs is named")
    done, doc = w.sync("--dir", "src", "--from", w.path("far"), "--yes")
    T.ok(doc.get("status") == "received" and not os.path.exists(w.path("src/.git")), "--yes takes them, .git not", done)
    far = {k: v for k, v in manifest(w.path("far")).items() if not k.startswith(b".git")}
    T.equal(differences(manifest(src), far), "", "both are equal then")
    done, doc = w.sync("--dir", "src", "--from", w.path("far"), "--yes")
    T.equal(doc.get("status"), "unchanged", "and unchanged again")
    T.equal(stat.S_IMODE(os.stat(w.path("src/tool")).st_mode), 0o755, "with its mode")
    # what is left out here is not touched from there
    w.write("src/.gitignore", "local\n")
    w.sync("--dir", "src", "--to", w.path("far"))
    w.write("src/local", "mine")
    w.write("far/local", "theirs")
    w.sync("--dir", "src", "--from", w.path("far"), "--yes")
    with open(w.path("src/local"), encoding="ascii") as f:
        T.equal(f.read(), "mine", "what is left out comes neither")


def planted(w):
    """A journal that somebody made up is not done; nor is anything done through a link in its place."""
    w.fresh("src")
    w.write("src/a", "1")
    os.makedirs(w.path("src/.tinybox-sync"), 0o700)
    w.write("src/.tinybox-sync/f0", "evil")
    w.write("src/.tinybox-sync/journal", b"P\0\0\0\0\0\0\x05\0.hook" + b"\0" * 32)
    done, _ = w.sync("--dir", "src", "--to", w.path("dst9"))
    T.ok(done.returncode == 0 and not os.path.exists(w.path("src/.hook")) and not os.path.exists(w.path("src/.tinybox-sync")),
         "a journal without our key is taken away", done)
    w.fresh("victim")
    w.write("victim/journal", "x")
    os.symlink(w.path("victim"), w.path("dst9/.tinybox-sync"))
    w.write("src/b", "2")
    done, _ = w.sync("--dir", "src", "--to", w.path("dst9"))
    T.ok(done.returncode == 0 and os.listdir(w.path("victim")) == ["journal"] and os.path.exists(w.path("dst9/b")), "a link in the stage's place", done)


# ---- properties ----

def properties(w, place, rounds, seed, back):
    """place(name) -> (argument of --to, function that gives the manifest there)"""
    rng = random.Random(seed)
    src = w.fresh("src")
    to, look = place()
    random_tree(rng, src)
    bad = ""
    for i in range(rounds):
        done, doc = w.sync("--dir", src, "--no-ignore", "--to", to)
        here, there = manifest(src), look()
        if done.returncode or here != there:
            bad = f"round {i}, seed {seed}: {done.stderr}\n{differences(here, there)}"
            break
        done, doc = w.sync("--dir", src, "--no-ignore", "--to", to)
        if doc.get("status") != "unchanged" or doc.get("trips") != 1:
            bad = f"round {i}, seed {seed}: not unchanged in one round trip: {doc}"
            break
        if back:
            copy = w.fresh("copy")
            shutil.rmtree(copy)
            shutil.copytree(src, copy, symlinks=True)
            random_edit(rng, copy)
            done, doc = w.sync("--dir", copy, "--no-ignore", "--from", to, "--yes")
            if done.returncode or manifest(copy) != here:
                bad = f"round {i}, seed {seed}, back: {done.stderr}\n{differences(here, manifest(copy))}"
                break
        random_edit(rng, src)
    T.ok(not bad, f"random trees and edits: {to.split(':')[0] if ':' in to else 'a path'}", bad)


# ---- kills ----

def is_free(path):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def kills(w, rounds, everything):
    """The client, or all that it started, is killed at any moment: the tree is the old or the new one."""
    rng = random.Random(7)
    trees = []
    for k in range(2):
        top = w.fresh(f"tree{k}")
        for d in range(20):
            for f in range(20):
                w.write(f"tree{k}/d{d}/f{f}", f"{k} {d} {f}" if f % 2 else "same", 0o755 if (d + f + k) % 5 == 0 else 0o644)
        w.write(f"tree{k}/only{k}/x", "x")
        os.symlink(f"to{k}", w.path(f"tree{k}/link"))
        trees.append((top, manifest(top)))
    dst = w.path("killed")
    w.sync("--dir", trees[0][0], "--to", dst)
    now, mixed, seen = 0, "", set()
    span = 0.25
    for i in range(rounds):
        want = 1 - now
        began = time.monotonic()
        p = subprocess.Popen([w.tinybox, "sync", "--dir", trees[want][0], "--to", dst], env=w.env, cwd=w.top, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(rng.random() * span)
        if p.poll() is None:
            victims = [p.pid] + (children(p.pid) if everything else [])
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            p.wait()
        else:
            span = max(0.02, min(span, time.monotonic() - began))
        for _ in range(2000):
            if is_free(dst):
                break
            time.sleep(0.01)
        there = manifest(dst)
        if there == trees[want][1]:
            now = want
        elif there != trees[now][1]:
            mixed = f"round {i}: neither: {differences(there, trees[want][1])}"
            break
        seen.add(there == trees[want][1])
    T.ok(not mixed, f"killed at any moment ({'all of it' if everything else 'the client'}): the old or the new tree", mixed)
    done, doc = w.sync("--dir", trees[0][0], "--to", dst)
    T.ok(manifest(dst) == trees[0][1] and not os.path.lexists(dst + "/.tinybox-sync"), "and the next one makes it right", done)


def unfinished(w):
    """One that was killed in the middle of its renames is finished by the next, whoever looks."""
    src = w.fresh("src")
    for i in range(50):
        w.write(f"src/n{i}", str(i))
    dst = w.path("unf")
    w.sync("--dir", src, "--to", dst)
    for i in range(50):
        w.write(f"src/n{i}", "new" + str(i))
    want = manifest(src)
    p = subprocess.Popen(["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat", "-e", "inject=renameat:signal=KILL:when=20",
                          w.tinybox, "sync", "--dir", src, "--to", dst], env=w.env, cwd=w.top, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    p.wait()
    if not os.path.exists(dst + "/.tinybox-sync/journal"):
        T.skip("a sync killed in its renames", "strace did not")
        return
    T.ok(manifest(dst) != want, "a sync killed in its renames is unfinished")
    # the tree here is another one by now: who only looks finishes what was begun all the same
    shutil.rmtree(src)
    os.mkdir(src)
    done, doc = w.sync("--dir", src, "--to", dst, "--dry-run")
    T.equal(differences(manifest(dst), want), "", "and whoever looks finishes it")


def two(w):
    src = w.fresh("src")
    w.write("src/a", "1")
    dst = w.fresh("both")
    fd = os.open(dst, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    done, doc = w.sync("--dir", src, "--to", dst)
    T.ok(done.returncode == 70 and doc["error"]["code"] == "busy" and not os.listdir(dst), "two at once: the second is told", done)
    os.close(fd)
    many = [subprocess.Popen([w.tinybox, "sync", "--dir", src, "--to", dst], env=w.env, cwd=w.top, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE) for _ in range(6)]
    for p in many:
        p.communicate()
    T.ok(all(p.returncode in (0, 70) for p in many) and manifest(dst) == manifest(src), "six at once: whole")


def full_disk(w):
    if not ROOT:
        T.skip("a full disk", "not root")
        return
    small = w.fresh("small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tinybox-sync-test", small], check=False, capture_output=True).returncode:
        T.skip("a full disk", "no mount")
        return
    try:
        src = w.fresh("src")
        w.write("src/a", "old")
        w.sync("--dir", src, "--to", small + "/t")
        old = manifest(small + "/t")
        w.write("src/a", "new")
        w.write("src/big", b"x" * 3000000)
        done, _ = w.sync("--dir", src, "--to", small + "/t")
        T.ok(done.returncode == 70 and b"No space" in done.stderr and manifest(small + "/t") == old and
             not os.path.exists(small + "/t/.tinybox-sync"), "a full disk leaves the old tree", done)
    finally:
        subprocess.run(["umount", small], check=False)


def mounts(w):
    """A mount in the tree, where no rename reaches."""
    if not ROOT:
        T.skip("a mount in the tree", "not root")
        return
    src, dst = w.fresh("src"), w.fresh("mounted")
    os.mkdir(dst + "/sub")
    w.write("src/sub/d/f", "1", 0o755)
    w.write("src/sub/f", "1")
    w.write("src/y", "1")
    os.symlink("nowhere", src + "/sub/link")
    if subprocess.run(["mount", "-t", "tmpfs", "tinybox-sync-test", dst + "/sub"], check=False, capture_output=True).returncode:
        T.skip("a mount in the tree", "no mount")
        return
    try:
        os.mkdir(dst + "/sub/gone")
        w.write("mounted/sub/gone/x", "x")
        os.chmod(dst + "/sub", 0o755)
        done, _ = w.sync("--dir", src, "--to", dst)
        T.ok(done.returncode == 0 and manifest(dst) == manifest(src), "a mount in the tree is changed too", (done, differences(manifest(src), manifest(dst))))
        os.unlink(src + "/sub/link")
        w.write("src/sub/link/x", "2")
        w.write("src/sub/f", "2")
        done, _ = w.sync("--dir", src, "--to", dst)
        T.ok(done.returncode == 0 and manifest(dst) == manifest(src), "and again", (done, differences(manifest(src), manifest(dst))))
        shutil.rmtree(src + "/sub")
        done, _ = w.sync("--dir", src, "--to", dst)
        T.ok(done.returncode == 70 and b"busy" in done.stderr, "the mount itself cannot be taken away, and that is said", done)
        os.mkdir(src + "/sub")
        done, _ = w.sync("--dir", src, "--to", dst)
        T.ok(done.returncode == 0 and manifest(dst) == manifest(src), "which is in nobody's way", done)
    finally:
        subprocess.run(["umount", dst + "/sub"], check=False)


# ---- hostile sides ----

def races(w):
    """Somebody swaps directories for links on both sides; nothing outside is read or written."""
    src, dst, victim = w.fresh("src"), w.fresh("raced"), w.fresh("victim")
    w.write("victim/secret", "secret")
    w.write("src/d/f", "inside")
    w.write("src/e/f", "inside")
    stop = threading.Event()

    def swap(top):
        while not stop.is_set():
            for a, b in (("d", "real"), ("trap", "d")):
                try:
                    os.rename(f"{top}/{a}", f"{top}/{b}")
                except OSError:
                    pass
            try:
                os.rename(f"{top}/d", f"{top}/trap")
                os.rename(f"{top}/real", f"{top}/d")
            except OSError:
                pass

    threads = [threading.Thread(target=swap, args=(top,), daemon=True) for top in (src, dst)]
    for top in (src, dst):
        os.symlink(victim, top + "/trap")
    for thread in threads:
        thread.start()
    leaked = ""
    for i in range(15):
        w.write("src/e/f", str(i))
        w.run("sync", "--dir", src, "--to", dst)
        # By descriptors: what is looked at here must not be led astray by the same links.
        for base, dirs, files, at in os.fwalk(dst, onerror=lambda error: None):
            for f in files:
                try:
                    fd = os.open(f, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
                except OSError:
                    continue
                if stat.S_ISREG(os.fstat(fd).st_mode) and os.read(fd, 100) == b"secret":
                    leaked = os.path.join(base, f)
                os.close(fd)
    stop.set()
    for thread in threads:
        thread.join()
    T.equal(leaked, "", "links that come and go: nothing outside is read")
    T.equal(os.listdir(victim), ["secret"], "... or written")


# ---- boxes ----

def boxes(w, rounds, create):
    options = {"virtual": ("--sandbox", "virtual"), "namespace": ("--sandbox", "namespace"),
               "passthrough": ("--sandbox", "passthrough", "--network", "open")}
    if create:
        options = {create[create.index("--sandbox") + 1]: create}
    for wall, words in options.items():
        done = w.run("create", *words)
        box = done.stdout.decode().strip()
        if done.returncode:
            T.skip(f"sync with {wall}", done.stderr.decode().strip()[-100:])
            continue
        where = w.path("pass") if wall == "passthrough" else "/workspace/p"

        def place(box=box, where=where):
            def look():
                out = w.path("look")
                shutil.rmtree(out, ignore_errors=True)
                done = w.run("cp", f"{box}:{where}", out)
                return manifest(out) if not done.returncode else {b"cp": done.stderr}
            return f"{box}:{where}", look

        properties(w, place, rounds, 11, True)
        w.write("src/f", "1")
        w.sync("--dir", "src", "--to", f"{box}:{where}")
        w.run("exec", box, "sh", "-c", f"cd {where} && echo t >>f && mkdir -p nd && echo 1 >nd/1 && mkfifo pp; chmod 700 .")
        done, doc = w.sync("--dir", "src", "--to", f"{box}:{where}")
        changed = sorted(c["path"] for c in doc.get("changes", []))
        T.ok(done.returncode == 0 and {"f", "nd", "pp"} <= set(changed), f"{wall}: what was done inside is seen and undone", (done, doc))
        w.run("stop", box)
        w.run("start", box)
        done, doc = w.sync("--dir", "src", "--to", f"{box}:{where}")
        T.equal(doc.get("status"), "unchanged", f"{wall}: it is there after stop and start")
        done = w.run("exec", box, "sh", "-c", f"ls -A {where} | grep tinybox")
        T.equal(done.stdout, b"", f"{wall}: nothing of ours is left")
        w.run("rm", box)


def servers(w, rounds):
    """The box's server and all in the box are killed at any moment: after a start the tree is the old or the new one."""
    for wall in ("virtual", "namespace"):
        done = w.run("create", "--sandbox", wall)
        box = done.stdout.decode().strip()
        if done.returncode or not shutil.which("fuser"):
            T.skip(f"{wall}: its server is killed", "no box, or no fuser")
            continue
        trees = []
        for k in range(2):
            w.fresh(f"tree{k}")
            for i in range(300):
                w.write(f"tree{k}/d{i % 10}/f{i}", f"{k} {i}" if i % 2 else "same")
            trees.append(manifest(w.path(f"tree{k}")))
        w.run("sync", "--dir", "tree0", "--to", f"{box}:/workspace/p")
        rng, now, mixed = random.Random(3), 0, ""
        for i in range(rounds):
            p = subprocess.Popen([w.tinybox, "sync", "--dir", f"tree{1 - now}", "--to", f"{box}:/workspace/p"], env=w.env, cwd=w.top,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * 0.15)
            found = subprocess.run(["fuser", w.path(f"state/boxes/{box}/run/lock")], capture_output=True, text=True, check=False)
            for pid in found.stdout.split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except OSError:
                    pass
            p.wait()
            w.run("start", box)
            shutil.rmtree(w.path("look"), ignore_errors=True)
            w.run("cp", f"{box}:/workspace/p", "look")
            there = manifest(w.path("look"))
            if there == trees[1 - now]:
                now = 1 - now
            elif there != trees[now]:
                mixed = f"round {i}: {differences(there, trees[now])}"
                break
        T.ok(not mixed, f"{wall}: its server is killed at any moment: after a start the old or the new tree", mixed)
        w.run("rm", box)


# ---- ssh ----

def ssh(w, rounds):
    if not ROOT or not os.path.exists("/usr/sbin/sshd"):
        T.skip("sync and forward by ssh", "root and openssh-server are needed")
        return
    user, port, top = f"tbxy{os.getpid()}", 20000 + os.getpid() % 20000, w.top
    subprocess.run(["sh", "-c", f"""ssh-keygen -q -t ed25519 -N '' -f hk; ssh-keygen -q -t ed25519 -N '' -f ck; install -m644 ck.pub ak
        mkdir -p /run/sshd; useradd -m -s /bin/sh {user} && usermod -p '*' {user}
        printf '%s\\n' 'Port {port}' 'ListenAddress 127.0.0.1' 'HostKey {top}/hk' 'PidFile {top}/pid' 'AuthorizedKeysFile {top}/ak' \
            'StrictModes no' 'UsePAM no' 'UseDNS no' 'PasswordAuthentication no' 'MaxSessions 100' 'MaxStartups 100' >cfg
        /usr/sbin/sshd -f {top}/cfg -E {top}/log; echo "[127.0.0.1]:{port} $(cut -d' ' -f1,2 hk.pub)" >known"""], cwd=top, check=False)
    home = subprocess.run(["getent", "passwd", user], capture_output=True, text=True, check=False).stdout.split(":")[5]
    options = ["--host", f"ssh:{user}@127.0.0.1", "--ssh-port", str(port), "--ssh-identity", top + "/ck", "--ssh-known-hosts", top + "/known"]
    plain_sync = w.sync
    try:
        w.sync = lambda *argv: plain_sync(*options, *argv)
        properties(w, lambda: ("tree", lambda: manifest(home + "/tree")), rounds, 23, True)
        w.write("src/own", b"z" * 1000)
        w.sync("--dir", "src", "--to", "tree")
        w.write("src/own", b"y" * 1234)
        _, doc = w.sync("--dir", "src", "--to", "tree")
        T.equal((doc.get("bytes"), doc.get("trips")), (1234, 2), "ssh: one changed file costs its own size, and two round trips")
        w.sync = plain_sync
        done = w.run("create", *options, "--sandbox", "passthrough", "--network", "open")
        box = done.stdout.decode().strip()
        _, doc = w.sync("--dir", "src", "--to", f"{box}:{home}/box")
        T.equal(differences(manifest(w.path("src")), manifest(home + "/box")), "", "ssh: into a box there")
        forward(w, box, "ssh")
        w.run("rm", box)
    finally:
        w.sync = plain_sync
        for name in os.listdir(top + "/state/ssh") if os.path.isdir(top + "/state/ssh") else []:
            subprocess.run(["ssh", "-o", f"ControlPath={top}/state/ssh/{name}", "-O", "exit", "x"], capture_output=True, check=False)
        try:
            with open(top + "/pid", encoding="ascii") as f:
                os.kill(int(f.read()), signal.SIGTERM)
        except OSError:
            pass
        subprocess.run(["userdel", "-rf", user], capture_output=True, check=False)


# ---- forward ----

ECHO = """
import socket, threading
def one(c):
    n = 0
    while True:
        d = c.recv(65536)
        if not d: break
        n += len(d); c.sendall(d)
    c.sendall(b"end" + str(n).encode()); c.close()
s = socket.socket(socket.AF_INET%s); s.bind(("%s", 0)); s.listen(200); print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept(); threading.Thread(target=one, args=(c,), daemon=True).start()
"""


def talk(address, port, n):
    s = socket.create_connection((address, port), timeout=60)
    data = os.urandom(n)

    def send():
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    got = b""
    while True:
        more = s.recv(65536)
        if not more:
            return got == data + b"end" + str(n).encode()
        got += more


def forward(w, box, name):
    ports = []
    for six, address in (("", "127.0.0.1"), ("6", "::1")):
        proc = w.run("spawn", box, "--", "python3", "-c", ECHO % (six, address)).stdout.decode().strip()
        for _ in range(200):
            out = w.run("logs", box, proc).stdout.decode().strip()
            if out:
                break
            time.sleep(0.05)
        ports.append(out)
    p = subprocess.Popen([w.tinybox, "forward", box, *ports, "1"], env=w.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    here = [int(p.stdout.readline().split(" ")[0].rsplit(":", 1)[1]) for _ in range(3)]
    for port, what in zip(here, ("IPv4", "IPv6")):
        good = []
        threads = [threading.Thread(target=lambda: good.append(talk("127.0.0.1", port, 100000))) for _ in range(10 if name == "ssh" else 80)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(120)
        T.ok(len(good) == len(threads) and all(good), f"{name}: {len(threads)} connections to {what} inside, each with two ends")
    T.ok(talk("127.0.0.1", here[0], 8000000), f"{name}: eight megabytes both ways at once")
    try:
        nobody = socket.create_connection(("127.0.0.1", here[2]), timeout=60).recv(10) == b""
    except OSError:
        nobody = True
    T.ok(nobody, f"{name}: nobody listens inside")
    p.terminate()
    T.ok("nothing listens" in p.communicate()[1], f"{name}: and it is said")


def ports(w):
    done = w.run("create", "--sandbox", "namespace", "-p", "0:80", "-p", "[::1]:0:80", "-p", "90", "--json")
    if done.returncode:
        T.skip("ports", done.stderr.decode()[-100:])
        return
    doc = json.loads(done.stdout)
    box, there = doc["id"], doc["published"]
    T.ok([(p["guest"], p["address"]) for p in there] == [(80, "127.0.0.1"), (80, "::1"), (90, "127.0.0.1")] and
         len({p["host"] for p in there}) == 3 and all(p["host"] for p in there), "each published port is found", there)
    text = w.run("inspect", box).stdout.decode()
    T.ok(f"[::1]:{there[1]['host']} -> 80" in text, "an address of IPv6 in brackets", text)
    forward(w, box, "namespace")
    w.run("rm", box)
    box = w.run("create").stdout.decode().strip()
    done = w.run("forward", box, "80")
    T.ok(done.returncode == 70 and b"no network" in done.stderr, "a virtual box has none", done)
    for argv in (("0",), ("x",), ("1:2:3",), ("70000",), ("80:70000",), ("",)):
        done = w.run("forward", box, *argv)
        T.ok(done.returncode == 2 and b"GUEST" in done.stderr, f"no port: {argv[0]!r}", done)
    w.run("rm", box)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--only")
    parser.add_argument("--create", help="options of the one box of `boxes`")
    parser.add_argument("tinybox")
    args = parser.parse_args()
    w = World(args.tinybox)
    parts = {"plain": lambda: plain(w), "rules": lambda: rules(w), "deep": lambda: deep(w), "review": lambda: review(w),
             "planted": lambda: planted(w), "two": lambda: two(w), "full": lambda: full_disk(w), "mounts": lambda: mounts(w), "races": lambda: races(w),
             "properties": lambda: properties(w, lambda: (w.path("prop"), lambda: manifest(w.path("prop"))), 2 * args.rounds, 5, True),
             "kills": lambda: (kills(w, 4 * args.rounds, False), kills(w, 4 * args.rounds, True)), "unfinished": lambda: unfinished(w),
             "boxes": lambda: boxes(w, args.rounds, (args.create or "").split()), "servers": lambda: servers(w, args.rounds), "ports": lambda: ports(w), "ssh": lambda: ssh(w, args.rounds)}
    try:
        for name, part in parts.items():
            if not args.only or name in args.only.split(","):
                part()
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", w.top], check=False)
        shutil.rmtree(w.top, ignore_errors=True)
    print(f"1..{T.number}")
    return 1 if T.failed else 0


if __name__ == "__main__":
    sys.exit(main())
