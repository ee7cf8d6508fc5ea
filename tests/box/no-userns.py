#!/usr/bin/env python3
"""A place where only bubblewrap may make namespaces.

usage: no-userns.py [--without] COMMAND [ARGUMENT...]

COMMAND runs as root of a user namespace that has all ids and below which none may be made (EUSERS or ENOSPC, as where
they are switched off); /usr/bin/bwrap is set-user-id there or, with --without, not there.
"""
import ctypes
import os
import shutil
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
BWRAP = "/usr/bin/bwrap"
libc = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(source, target, kind=None, flags=0):
    must(libc.mount(source.encode(), target.encode(), kind and kind.encode(), ctypes.c_ulong(flags), None))


def put_bwrap(there):
    """On a tmpfs of this namespace, which no mount option outside of it keeps from being set-user-id."""
    copy = "/mnt/bwrap"
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("bwrap", "/mnt", "tmpfs")
    if there:
        shutil.copyfile(BWRAP, copy)
    else:
        open(copy, "w").close()
    os.chmod(copy, 0o4755 if there else 0o644)
    mount(copy, BWRAP, None, MS_BIND)


def child(command, there, ready, go):
    must(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
    os.write(ready, b"x")
    os.read(go, 1)
    os.setgid(0)
    os.setuid(0)
    with open("/proc/sys/user/max_user_namespaces", "w") as f:
        f.write("0")
    put_bwrap(there)
    os.execvp(command[0], command)


def main():
    words = sys.argv[1:]
    there = words[0] != "--without"
    ready, go = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        child(words[not there:], there, ready[1], go[0])
    os.close(ready[1])
    if os.read(ready[0], 1):
        for name in "uid_map", "gid_map":
            with open(f"/proc/{pid}/{name}", "w") as f:
                f.write("0 0 65536")
    os.write(go[1], b"x")
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)


main()
