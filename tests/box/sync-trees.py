#!/usr/bin/env python3
"""sync-trees.py TINYBOX: directories that are new on the other side are one rename each, wherever they come to, whoever is killed. TAP."""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sync import ROOT, T, World, differences, manifest  # noqa: E402

USER = 65534


def new_tree(w):
    """Old and new: a changed file, a new directory with all kinds of things in it, some that cannot be written to, and another one."""
    src = w.fresh("src")
    w.write("src/top", "old")
    w.write("src/other/same", "1")
    old = manifest(src)
    w.write("src/top", "new")
    for i in range(20):
        w.write(f"src/new/d{i % 4}/f{i}", str(i), 0o444 if i % 3 else 0o755)
    w.write("src/new/file", "f")
    w.write("src/new/turns/in", "t")
    w.write("src/newer/x/y/z", "z")
    os.symlink("../nowhere", src + "/new/d1/link")
    os.makedirs(src + "/new/empty/in/it")
    for name, mode in (("new/d2", 0o555), ("new/empty/in/it", 0o500), ("newer", 0o555), ("newer/x", 0o511)):
        os.chmod(w.path("src/" + name), mode)
    return src, old, manifest(src)


def before(w, dst):
    """The old tree is there."""
    subprocess.run(["chmod", "-R", "u+rwX", dst], check=False, capture_output=True)
    w.fresh("dst")
    w.write("dst/top", "old")
    w.write("dst/other/same", "1")


def traced(w, what, *argv, only=()):
    return subprocess.run(["strace", "-f", *only, "-o", w.path("trace"), "-e", f"trace={what.split(':')[0]}", "-e", f"inject={what}", w.tinybox, "sync", *argv],
                          env=w.env | {"ASAN_OPTIONS": "detect_leaks=0"},	# leaks cannot be looked for under strace
                          cwd=w.top, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def begun(w, src, dst):
    """All is staged, the journal is written, nothing else was done. False: strace did not kill."""
    before(w, dst)
    traced(w, "setsid:signal=KILL", "--dir", src, "--to", dst)
    return os.path.exists(dst + "/.tinybox-sync/journal") and not os.path.exists(dst + "/new/file")


def finish(w, dst):
    os.makedirs(w.path("empty"), exist_ok=True)
    return w.run("sync", "--dir", "empty", "--to", dst, "--dry-run")


def one_rename(w):
    src, _, want = new_tree(w)
    dst = w.path("dst")
    before(w, dst)
    traced(w, "renameat:delay_exit=0", "--dir", src, "--to", dst)
    with open(w.path("trace"), encoding="utf8", errors="replace") as f:
        renames = [line for line in f if ', "f' in line]
    T.equal(differences(manifest(dst), want), "", "new directories in an old tree, of which some cannot be written to")
    T.ok(len(renames) == 3, "... are one rename each, as the file that changed is", "".join(renames))
    _, doc = w.sync("--dir", src, "--to", dst)
    T.equal((doc.get("status"), doc.get("trips")), ("unchanged", 1), "... and unchanged then")
    copy = w.fresh("copy")
    w.write("copy/top", "old")
    done, _ = w.sync("--dir", "copy", "--from", dst, "--yes")
    T.ok(not done.returncode and manifest(copy) == want, "back too", (done, differences(manifest(copy), want)))


def killed(w):
    src, old, want = new_tree(w)
    dst = w.path("dst")
    seen = set()
    for call in ("renameat", "unlinkat", "mkdirat", "fchmodat2", "openat"):
        for when in (1, 2, 3, 4, 5, 9, 40):
            before(w, dst)
            traced(w, f"{call}:signal=KILL:when={when}", "--dir", src, "--to", dst)
            journal = os.path.exists(dst + "/.tinybox-sync/journal")
            there = manifest(dst)
            seen.add(journal)
            finish(w, dst)
            now = manifest(dst)
            if now not in (old, want) or (there == want and now != want) or (journal and now != want):
                T.ok(False, f"killed in {call} {when}: the old or the new tree", differences(now, want))
                return
            w.sync("--dir", src, "--to", dst)
            if manifest(dst) != want or os.path.lexists(dst + "/.tinybox-sync"):
                T.ok(False, f"killed in {call} {when}: the next one makes it right", differences(manifest(dst), want))
                return
    T.equal(seen, {True, False}, "killed before the journal and behind it: the old or the new tree, and the next one makes it right")


def came_meanwhile(w):
    """Somebody makes things where the new ones are to come."""
    src, _, want = new_tree(w)
    dst = w.path("dst")
    if not begun(w, src, dst):
        T.skip("something came meanwhile", "strace did not kill")
        return
    w.write("dst/new/mine", "mine")
    w.write("dst/new/file/mine", "a directory where a file comes")
    w.write("dst/new/turns", "a file where a directory comes")
    w.write("dst/new/d0/mine", "mine")
    w.write("dst/new/d2/f2", "theirs")
    os.chmod(dst + "/new/d2", 0o555)
    w.write("dst/newer", "a file where a directory comes")
    victim = w.fresh("victim")
    os.symlink(victim, dst + "/new/d1")
    finish(w, dst)
    there = manifest(dst)
    T.equal({k: v for k, v in there.items() if not k.endswith(b"mine")}, want, "what came meanwhile is in no new one's way")
    T.equal(sorted(k for k in there if k.endswith(b"mine")), [b"new/d0/mine", b"new/mine"], "... and what is in nobody's way stays")
    T.equal(os.listdir(victim), [], "... and nothing went through a link")
    w.sync("--dir", src, "--to", dst)
    T.equal(differences(manifest(dst), want), "", "... until the next one")


def other_mounts(w):
    """A mount in the place, or above it, of a new directory; of a new file."""
    src, _, want = new_tree(w)
    dst = w.path("dst")
    if not ROOT or not begun(w, src, dst):
        T.skip("mounts in the place of new directories", "not root, or strace did not kill")
        return
    mounted = []

    def mount(*argv):
        if not subprocess.run(["mount", *argv], check=False, capture_output=True).returncode:
            mounted.append(argv[-1])

    try:
        os.makedirs(dst + "/newer/x")
        os.makedirs(dst + "/new")
        mount("-t", "tmpfs", "-o", "mode=755", "tinybox-sync-test", dst + "/new")
        mount("-t", "tmpfs", "-o", "mode=755", "tinybox-sync-test", dst + "/newer/x")
        if len(mounted) < 2:
            T.skip("mounts in the place of new directories", "no mount")
            return
        w.write("dst/new/turns", "a file where a directory comes")
        w.write("dst/new/file/x", "a directory where a file comes")
        done = finish(w, dst)
        T.equal(differences(manifest(dst), want), "", "new directories into other mounts")
        for path in mounted[::-1]:
            subprocess.run(["umount", path], check=False)
        mounted.clear()
        if not begun(w, src, dst):
            return
        w.write("bound", "bound")
        w.write("dst/new/file", "")
        mount("--bind", w.path("bound"), dst + "/new/file")
        done = finish(w, dst)
        there = manifest(dst)
        want[b"new/file"] = there.get(b"new/file")
        T.ok(done.returncode and b"busy" in done.stderr and there == want and want[b"new/file"][2] == b"bound",
             "a mount in the place of a file: all others come, and it is said", (done, differences(there, want)))
    finally:
        for path in mounted[::-1]:
            subprocess.run(["umount", path], check=False)


def full(w):
    if not ROOT:
        T.skip("a full disk", "not root")
        return
    src, small = w.fresh("src"), w.fresh("small")
    w.write("src/a", "old")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tinybox-sync-test", small], check=False, capture_output=True).returncode:
        T.skip("a full disk", "no mount")
        return
    try:
        w.sync("--dir", src, "--to", small + "/t")
        old = manifest(small + "/t")
        for i in range(20):
            w.write(f"src/new/d/f{i}", bytes(100000))
        for name, want in (("t", old), ("missing", {})):
            done, _ = w.sync("--dir", src, "--to", f"{small}/{name}")
            T.ok(done.returncode == 70 and b"No space" in done.stderr and manifest(f"{small}/{name}") == want, f"full in the middle of a new directory: {name}", done)
        T.equal(sorted(os.listdir(small)), ["t"], "... and nothing of ours is left")
        T.equal(sorted(os.listdir(small + "/t")), ["a"], "... anywhere")
    finally:
        subprocess.run(["umount", small], check=False)


def missing(w):
    """What is not there is read while it is sent."""
    src, _, want = new_tree(w)
    w.write("src/big", os.urandom(300000))
    w.write("src/just", bytes(65536))
    w.write("src/nothing", "")
    want = manifest(src)
    for name in ("missing/in/this", "slash/", "dot/."):
        done, doc = w.sync("--dir", src, "--to", w.path(name))
        T.ok(manifest(w.path(name)) == want and doc.get("trips") == 2, f"a directory that is missing: {name}", (done, doc.get("trips")))
        _, again = w.sync("--dir", src, "--to", w.path(name))
        T.equal((again.get("status"), again.get("fingerprint")), ("unchanged", doc.get("fingerprint")), "... its fingerprint is what it is when all is read before")
    done = traced(w, "pread64:retval=0:when=2", "--dir", src, "--to", w.path("torn"), only=("-P", src + "/new/file"))
    T.ok(done.returncode == 70 and b"changed while" in done.stderr and not os.path.lexists(w.path("torn")), "a file that does not say the same twice", done)
    if not ROOT:
        w.write("src/zz", "secret", 0)
        done, _ = w.sync("--dir", src, "--to", w.path("none"))
        T.ok(done.returncode == 70 and b"src/zz" in done.stderr and not os.path.lexists(w.path("none")), "one that cannot be read: nothing is there then", done)
        os.unlink(src + "/zz")
    os.symlink("nowhere", w.path("dangling"))
    done, _ = w.sync("--dir", src, "--to", w.path("dangling"))
    T.ok(done.returncode == 70 and b"cannot make" in done.stderr and not os.path.exists(w.path("nowhere")), "a link that leads nowhere is no directory", done)


def many(w):
    """More directories than are named before they are asked for."""
    src, dst = w.fresh("src"), w.path("many")
    for i in range(1500):
        os.makedirs(f"{src}/a directory with a long name {i % 30}/another one with a long name {i}")
    w.write("src/f", "1")
    _, first = w.sync("--dir", src, "--to", dst)
    _, again = w.sync("--dir", src, "--to", dst)
    T.equal((first.get("directories"), again.get("status"), again.get("trips")), (1530, "unchanged", 1), "fifteen hundred directories, and unchanged in one round trip")
    w.write("many/a directory with a long name 7/another one with a long name 7/theirs", "1")
    w.write("src/f", "2")
    w.write("src/new/f", "2")
    _, doc = w.sync("--dir", src, "--to", dst)
    T.equal((manifest(dst) == manifest(src), len(doc.get("changes", []))), (True, 4), "... and what differs is found")


def as_user(tinybox):
    if not ROOT:
        return
    done = subprocess.run(["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", sys.executable, __file__, tinybox],
                          capture_output=True, text=True, check=False, cwd="/")
    T.ok(not done.returncode, "all of it as a user", done.stdout + done.stderr)


def main():
    if not shutil.which("strace"):
        print("1..0 # SKIP no strace")
        return 0
    w = World(sys.argv[1])
    try:
        for part in (one_rename, killed, came_meanwhile, other_mounts, full, missing, many):
            part(w)
            subprocess.run(["chmod", "-R", "u+rwX", w.top], check=False, capture_output=True)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", w.top], check=False, capture_output=True)
        shutil.rmtree(w.top, ignore_errors=True)
    as_user(w.tinybox)
    print(f"1..{T.number}")
    return 1 if T.failed else 0


if __name__ == "__main__":
    sys.exit(main())
