#!/usr/bin/env python3
"""sync-journal.py TINYBOX: the server of a virtual box is killed in the renames of a sync into a directory of the host. TAP."""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sync import T, World, differences, manifest  # noqa: E402


def trees(w):
    """Two that differ in all ways: a file for a directory, a directory for a file, links, modes, what goes and what comes."""
    for k in range(2):
        w.fresh(f"tree{k}")
        for i in range(30):
            w.write(f"tree{k}/d{i % (3 + k)}/f{i}", f"{k} {i}" if i % 2 else "same", 0o600 if k and i % 5 == 0 else 0o644)
        w.write(f"tree{k}/only{k}/x/y", "here")
        os.symlink(f"d{k}", w.path(f"tree{k}/link"))
    w.write("tree0/turns", "a file")
    w.write("tree1/turns/in", "a directory")
    w.write("tree0/back/in", "a directory")
    w.write("tree1/back", "a file")
    return [manifest(w.path(f"tree{k}")) for k in range(2)]


def server(w, box):
    found = subprocess.run(["fuser", w.path(f"state/boxes/{box}/run/lock")], capture_output=True, text=True, check=False)
    return found.stdout.split()[:1]


def killed(w, box, tree, when):
    """Whether strace has killed the server in its `when`th rename."""
    pid = server(w, box)
    if not pid:
        return False
    p = subprocess.Popen(["strace", "-f", "-o", w.path("trace"), "-e", "trace=renameat2", "-e", f"inject=renameat2:signal=KILL:when={when}", "-p", pid[0]],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if "attached" not in p.stderr.readline():
        return False
    w.run("sync", "--dir", tree, "--to", f"{box}:/workspace/p")
    p.terminate()
    p.wait()
    return server(w, box) != pid


def main():
    w = World(sys.argv[1])
    try:
        there = trees(w)
        host = w.fresh("host")
        done = w.run("create", "--sandbox", "virtual", "--dir", host)
        box = done.stdout.decode().strip()
        if done.returncode or not shutil.which("fuser") or not shutil.which("strace"):
            print("1..0 # SKIP no box, no fuser or no strace")
            return 0
        w.run("sync", "--dir", "tree0", "--to", f"{box}:/workspace/p")
        T.equal(differences(manifest(host + "/p"), there[0]), "", "a sync into a directory of the host")
        now, mixed, deaths = 0, 0, 0
        for when in (1, 2, 12, 20, 24, 26, 30, 33, 36):
            done = killed(w, box, f"tree{1 - now}", when)
            if not done:
                T.skip(f"killed in rename {when}", "it was not")
            deaths += done
            mixed += done and manifest(host + "/p") not in there
            w.run("start", box)
            is_now = manifest(host + "/p")
            T.ok(is_now in there, f"killed in rename {when}: then the old or the new tree", differences(is_now, there[1 - now]))
            T.ok(not os.path.lexists(host + "/p/.tinybox-sync") or is_now == there[now], "... and nothing of ours is left")
            now = 1 - now if is_now == there[1 - now] else now
        T.ok(mixed or not deaths, "some were killed in the middle")
        # one that was made up
        w.write("host/p/.tinybox-sync/f0", "not asked for")
        w.write("host/p/.tinybox-sync/journal", b"+\0\0\0\0\0\0\0\0\1\0e" + bytes(32))
        w.run("sync", "--dir", f"tree{now}", "--to", f"{box}:/workspace/p", "--dry-run")
        T.ok(not os.path.exists(host + "/p/e"), "a journal that nobody signed is not obeyed")
        w.run("sync", "--dir", f"tree{now}", "--to", f"{box}:/workspace/p")
        T.equal(differences(manifest(host + "/p"), there[now]), "", "... and in nobody's way")
        w.run("rm", "-f", box)
    finally:
        shutil.rmtree(w.top, ignore_errors=True)
    print(f"1..{T.number}")
    return 1 if T.failed else 0


if __name__ == "__main__":
    sys.exit(main())
