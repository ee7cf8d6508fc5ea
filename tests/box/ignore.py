#!/usr/bin/env python3
"""ignore.py [--rounds N] [--seed N] TINYBOX: what .gitignore files leave out, with git as the judge, over random trees and patterns. TAP."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

PARTS = ["a", "b", "ab", "foo", "foo.o", "bar.c", "x y", "#h", "!n", "A", "d-e", "[z]", "a\\b", "tail ", "é", "q?"]
BITS = ["a", "b", "foo", "bar", "*", "?", "**", "*.o", "*.c", ".", "[ab]", "[!a]", "[^b]", "[a-c]", "[[:alpha:]]", "[[:upper:]]", "[]a]", "[a-]",
        "\\*", "\\a", "\\\\", "\\ ", " ", "\\!", "\\#", "[\\]]", "[a\\-c]", "é", "f*o", "x y", "[[:foo:]]", "[[:digit:]x]", "[!]]", "{a,b}", "**a",
        "a**", "[/]", "[--0]", "[b-a]", "\t", "***", "?*", "[[:space:]]", "[[:alnum:][:punct:]]"]


def pattern(rng):
    s = ""
    if rng.random() < 0.25:
        s += "!"
    if rng.random() < 0.25:
        s += "/"
    for i in range(rng.choice([1, 1, 1, 2, 2, 3])):
        if i:
            s += "/"
        s += "".join(rng.choice(BITS) for _ in range(rng.choice([1, 1, 2, 3])))
    if rng.random() < 0.25:
        s += "/"
    if rng.random() < 0.1:
        s += rng.choice([" ", "\t", "\\ ", "  ", "\r"])
    if rng.random() < 0.03:
        s = rng.choice(["", "#" + s, "/", "!", "//", "**/", "/**", "**/**", "!/", " ", "\\", "a\\"])
    return s


def make(rng, top, depth=0):
    for name in rng.sample(PARTS, rng.randrange(1, 5)):
        path = os.path.join(top, name)
        if depth < 3 and rng.random() < 0.45:
            os.mkdir(path)
            make(rng, path, depth + 1)
        else:
            with open(path, "w", encoding="ascii") as f:
                f.write("x")


def rules(rng, top):
    places = [base for base, dirs, _ in os.walk(top) if ".git" not in base.split("/")]
    for place in [top] + rng.sample(places, min(len(places), rng.randrange(3))):
        lines = [pattern(rng) for _ in range(rng.randrange(1, 6))]
        with open(os.path.join(place, ".gitignore"), "w", encoding="utf-8", newline="") as f:
            f.write(rng.choice(["", "", "", "\ufeff"]) + rng.choice(["\n", "\n", "\n", "\r\n"]).join(lines) + rng.choice(["\n", ""]))
    with open(os.path.join(top, ".git/info/exclude"), "w", encoding="utf-8") as f:
        f.write("\n".join(pattern(rng) for _ in range(rng.randrange(2))) + "\n")


def by_git(top, env):
    out = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=top, env=env, capture_output=True, check=True).stdout
    return sorted(p for p in out.split(b"\0") if p)


def by_tinybox(tinybox, top, env):
    done = subprocess.run([tinybox, "sync", "--dir", top, "--to", top + ".there", "--dry-run", "--json"], env=env, capture_output=True, check=False)
    if b"is no pattern" in done.stderr:
        return None, done.stderr
    doc = json.loads(done.stdout)
    paths = [c["path"] for c in doc.get("changes", []) if c["type"] != "directory"]
    return sorted(bytes.fromhex(p["hex"]) if isinstance(p, dict) else p.encode() for p in paths), done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tinybox")
    args = parser.parse_args()
    if not shutil.which("git"):
        print("1..0 # SKIP git is needed")
        return 0
    tinybox = os.path.abspath(args.tinybox)
    work = tempfile.mkdtemp(prefix="tbxignore-")
    env = dict(os.environ, TINYBOX_STATE_DIR=work + "/state", HOME=work, GIT_CONFIG_NOSYSTEM="1", XDG_CONFIG_HOME=work)
    bad = refused = compared = 0
    for i in range(args.rounds):
        rng = random.Random(args.seed * 100000 + i)
        top = f"{work}/t{i}"
        os.mkdir(top)
        subprocess.run(["git", "init", "-q", top], env=env, check=True)
        make(rng, top)
        rules(rng, top)
        want = by_git(top, env)
        got, said = by_tinybox(tinybox, top, env)
        if got is None:
            refused += 1
        else:
            compared += 1
            if got != want:
                bad += 1
                print(f"# seed {args.seed} round {i}: git alone {[p for p in want if p not in got][:5]} we alone {[p for p in got if p not in want][:5]}")
                for base, _, files in os.walk(top):
                    for f in files:
                        if f == ".gitignore" or base.endswith("/info"):
                            with open(os.path.join(base, f), "rb") as text:
                                print(f"#   {os.path.relpath(os.path.join(base, f), top)}: {text.read()!r}")
        shutil.rmtree(top)
    shutil.rmtree(work)
    print(f"{'not ok' if bad else 'ok'} 1 - {compared} trees with their rules as git has it")
    print(f"{'ok' if compared > args.rounds // 3 else 'not ok'} 2 - the others have a pattern that is none ({refused})")
    print("1..2")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
