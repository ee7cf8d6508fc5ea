#!/usr/bin/env python3
"""Random option combinations and inputs, run on the real tools and on the sandbox: what differs?

    tests/fuzz/options.py BINARY [--seed N] [--runs N] [--only NAME,...] [--scratch DIR] [--show N]

options_table.py declares the options of each command, with generators for their arguments and operands. From a seed come a small
tree of input files and 100 command lines for it: options short, bundled, long, abbreviated, repeated, in conflict, with bad values.
One script runs them all; it goes to `tools/spec.py serve` (the real tools in a namespace; needs root) and to `BINARY --batch`.
Standard output, standard error, status, and the tree behind commands that write, must be the same byte for byte. What differs is made
smaller (arguments are left out while it still differs) and printed, the most frequent first. DIR must lie on a disk (ext4).
The same seed gives the same commands. Both see directories in the order of their names (sorted-readdir.c). Explained differences are counted by their reason: EXPLAINED in options_table.py.
"""
import argparse, base64, json, os, random, re, select, shutil, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, '..', '..', 'tools')]
import options_table as table
from spec import die_with_parent

PER_BATCH = 100
ENV = {
    'HOME': '/home/user',
    'USER': 'user',
    'LOGNAME': 'user',
    'SHELL': '/bin/bash',
    'TERM': 'xterm-256color',
    'LANG': 'C.UTF-8',
    'PATH': '/usr/local/bin:/usr/bin:/bin',
    'TZ': 'UTC'
}
LIMITS = {
    "wall_ms": 30000,
    'stdout_bytes': 1 << 26,
    'stderr_bytes': 1 << 26,
    'commands': 1000000,
    'fs_bytes': 1 << 32,
    'file_bytes': 1 << 31
}
STEP = r'''step() {
	[ $1 = - ] || { find "$1" -printf '%M %n %s %TY %p -> %l\n' | sort; find "$1" -type f -size -40k ! -name '*.tar*' -exec cksum {} + | sort; printf '\n\002\n'; }
	[ $2 = - ] || cp -a t $2
} 2>/dev/null'''
# options-step.c does the same; as many lines, for bash's messages
REAL_STEP = 'step() { /home/step "$@"; }' + '\n' * STEP.count('\n')


class Server:
    """A process that takes a JSON request a line and gives a JSON reply a line."""
    def __init__(self, command):
        self.command, self.process, self.rest = command, None, b''

    def ask(self, script, seconds=40):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
                preexec_fn=die_with_parent
            )
            self.rest = b''
        q = {'script': script, 'name': 'bash', 'cwd': '/home/user', 'env': ENV, 'limits': LIMITS}
        try:
            self.process.stdin.write(json.dumps(q).encode() + b'\n'); self.process.stdin.flush()
        except BrokenPipeError:
            return
        self.limit = seconds

    def answer(self):
        fd = self.process.stdout.fileno()
        parts = [self.rest]
        while b'\n' not in parts[-1]:      # only the new part: replies are large
            if not select.select([fd], [], [], self.limit)[0]:
                self.process.kill(); self.process.wait(); return None
            got = os.read(fd, 1 << 20)
            if not got:
                self.process.wait(); return None
            parts.append(got)
        line, self.rest = b''.join(parts).split(b'\n', 1)
        reply = json.loads(line)
        if reply is None or (reply.get('status') in (124, 125, 137) and 'serve' not in self.command): return None
        return [
            base64.b64decode(reply[n + '_b64']) if n + '_b64' in reply else reply.get(n, '').encode(
                'utf8', 'surrogateescape'
            ) for n in ('stdout', 'stderr')
        ]


def script_of(fixture, cases, step=STEP):
    out = ['exec </dev/null; export LC_ALL=; unset LC_ALL', step, 'mkdir t; cd t', fixture, 'cd ..']
    places = [f'w{i}' for i, c in enumerate(cases) if c.writes] + ['-']
    out.append(f'step - {places[0]}')
    for i, c in enumerate(cases):
        out.append(f'cd {places[0] if c.writes else "t"}; {c.line()}')
        out.append('st=$?; cd ~; printf "\\n\\001%d %d\\n" ' + f'{i} $st; printf "\\n\\001%d\\n" {i} >&2')
        if c.writes: out.append(f'step {places.pop(0)} {places[0]}')
    return '\n'.join(out) + '\n'


class Result:
    def __init__(self, status, out, err, tree):
        self.status, self.out, self.err, self.tree = status, out, err, tree

    def key(self):
        return (self.status, self.out, self.err, self.tree)


def split(cases, reply):
    """The results of a batch; None for those that did not come."""
    out, err = reply
    results = []
    head = err.find(b'\n\x01')
    for i, c in enumerate(cases):
        m = re.search(b'\n\x01' + str(i).encode() + rb' (\d+)\n', out)
        mark = b'\n\x01' + str(i).encode() + b'\n'
        at = err.find(mark)
        if not m or at < 0: results.append(None); continue
        r = Result(int(m.group(1)), out[:m.start()], err[:at], b'')
        out, err = out[m.end():], err[at + len(mark):]
        if c.writes:
            end = out.find(b'\n\x02\n')
            if end < 0: results.append(None); continue
            r.tree, out = out[:end], out[end + 3:]
        place = f'w{i}'.encode()
        if c.writes:
            r.tree = re.sub(rb'\b' + place + rb'\b', b'w', r.tree); r.out = r.out.replace(
                b'/home/user/' + place, b'/home/user/w'
            ); r.err = r.err.replace(b'/home/user/' + place, b'/home/user/w')
        results.append(r)
    return results


class Pair:
    def __init__(self, binary, scratch):
        os.makedirs(scratch, exist_ok=True)
        self.scratch = scratch = tempfile.mkdtemp(dir=scratch)
        os.chmod(scratch, 0o755)
        shim = os.path.join(scratch, 'sorted-readdir.so')
        subprocess.run(
            ['gcc', '-O1', '-shared', '-fPIC', '-o', shim, os.path.join(here, 'sorted-readdir.c')], check=True
        )
        subprocess.run(
            ['gcc', '-O1', '-static', '-o', os.path.join(scratch, 'step'), os.path.join(here, 'options-step.c')],
            check=True
        )
        os.environ['SPEC_PRELOAD'] = '/home/sorted-readdir.so'
        self.real = Server([os.path.join(here, '..', '..', 'tools', 'spec.py'), 'serve', scratch])
        self.ours = Server([binary, '--batch'])
        self.runs = self.hung = 0

    def end(self):
        for s in (self.real, self.ours):
            if s.process and s.process.poll() is None: s.process.stdin.close(); s.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def both(self, fixture, cases, patient=True):
        """A list of (real, ours); either may be None: no end within the time (or of some other of them, if not patient)."""
        script = script_of(fixture, cases)
        if len(script) > 120000 and len(cases) > 1:
            half = len(cases) // 2
            return self.both(fixture, cases[:half]) + self.both(fixture, cases[half:])
        self.real.ask(script_of(fixture, cases, REAL_STEP)); self.ours.ask(script)
        a, b = self.real.answer(), self.ours.answer()
        if (a is None or b is None) and len(cases) > 1 and patient:
            half = len(cases) // 2
            return self.both(fixture, cases[:half]) + self.both(fixture, cases[half:])
        if len(cases) == 1 and (a is None or b is None):
            print(f'# no end ({"real" if a is None else "ours"}): {cases[0].line()}', file=sys.stderr, flush=True)
        none = [None] * len(cases)
        return list(zip(split(cases, a) if a else none, split(cases, b) if b else none))


def differs(case, real, ours):
    """None, or 'why' when explained, or True."""
    if real is None: return None        # the real tool did not end: nothing to compare with
    if ours is None: return True
    a, b = real, ours
    if a.key() == b.key(): return None
    if table.normal(case, a) == table.normal(case, b): return None
    for why, test in table.EXPLAINED:
        if test(case, a, b): return why
    return True


def smaller(case):
    """The cases with one thing less."""
    for i, u in enumerate(case.units):
        if u in case.keep: continue
        yield case.without(i)
    for i, u in enumerate(case.units):
        m = re.match(r'-([A-Za-z0-9]{2,})$', u)
        if m and u not in case.keep:
            for j in range(len(m.group(1))):
                yield case.with_unit(i, '-' + m.group(1)[:j] + m.group(1)[j + 1:])
    if case.env: yield case.change(env='')
    if case.to: yield case.change(to='')
    if case.stdin not in ('', '</dev/null'): yield case.change(stdin='')


def which(real, ours):
    """What of the two differs."""
    return ours and [x == y for x, y in zip(real.key(), ours.key())]


def minimise(pair, fixture, found):
    """Makes each [case, real, ours] of the list smaller, all of them at once: a batch costs more than a case."""
    kinds = [which(real, ours) for _, real, ours in found]
    active = [i for i, f in enumerate(found) if f[2] is not None]
    for _ in range(25):
        tries = [(i, t) for i in active for t in smaller(found[i][0])]
        active = []
        for at in range(0, len(tries), 2 * PER_BATCH):
            part = tries[at:at + 2 * PER_BATCH]
            for (i, t), (real, ours) in zip(part, pair.both(fixture, [t for _, t in part], False)):
                if i not in active and differs(t, real, ours) is True and which(real, ours) == kinds[i]:
                    found[i] = (t, real, ours)
                    active.append(i)
        if not active: break


def show(case, seed, real, ours):
    print(f'--- {case.line()}      (seed {seed})')
    if ours is None:
        print('    ours: died or did not end'); return
    for name in ('status', 'out', 'err', 'tree'):
        a, b = getattr(real, name), getattr(ours, name)
        if a == b: continue
        if name != 'status':
            x, y = a.split(b'\n'), b.split(b'\n')
            n = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            if n > 1: x, y = [b'(%d same)' % (n - 1)] + x[n - 1:], [b'(%d same)' % (n - 1)] + y[n - 1:]
            a, b = b'\n'.join(x), b'\n'.join(y)
            at = next((i for i, (p, q) in enumerate(zip(a, b)) if p != q), min(len(a), len(b)))
            a, b = (
                re.sub(
                    rb'\x00{4,}', b'[NUL...]',
                    (b'[...]' if at > 120 else b'') + t[max(0, at - 120):at + 250]
                ) for t in (a, b)
            )
        print(f'    {name}: real {a!r}\n    {" " * len(name)}  ours {b!r}')


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument('binary'); a.add_argument('--seed', type=int, default=1); a.add_argument(
        '--runs', type=int, default=5000
    )
    a.add_argument('--only', default=''); a.add_argument(
        '--scratch', default='build/options-home'
    ); a.add_argument('--show', type=int, default=3)
    a.add_argument(
        '--minimise', type=int, default=25, help='so many of each batch'
    ); a.add_argument('--script', action='store_true', help='print the scripts')
    a = a.parse_args()
    names = a.only.split(',') if a.only else list(table.COMMANDS)
    pair = Pair(a.binary, os.path.abspath(a.scratch))
    total, bad, explained, groups, unfinished, by_name = 0, 0, {}, {}, 0, {}
    seed = a.seed
    while total < a.runs:
        name = names[seed % len(names)]
        r = random.Random(f'{seed} {name}')
        fixture = table.fixture(r, name)
        cases = [table.make(r, name) for _ in range(min(PER_BATCH, a.runs - total))]
        if a.script: print(script_of(fixture, cases))
        total += len(cases)
        todo = []
        for c, (real, ours) in zip(cases, pair.both(fixture, cases)):
            if real is None: unfinished += 1
            d = differs(c, real, ours)
            if d is True: todo.append((c, real, ours))
            elif d: explained[d] = explained.get(d, 0) + 1
        bad += len(todo)
        runs, differing = by_name.get(name, (0, 0))
        by_name[name] = (runs + len(cases), differing + len(todo))
        todo = todo[:a.minimise]
        minimise(pair, fixture, todo)
        for c, real, ours in todo:
            key = c.kind()
            seen = groups.setdefault(key, [0])
            seen[0] += 1
            if c.line() not in seen and len(seen) <= 2 * a.show:
                seen.append(c.line()); seen.append((c, seed, real, ours))
        seed += 1
        if seed % 50 == 0: print(f'# {total} runs, {bad} differ', file=sys.stderr, flush=True)
    pair.end()
    for key, seen in sorted(groups.items(), key=lambda g: -g[1][0]):
        print(f'== {key}: {seen[0]}')
        for one in seen[2::2]: show(*one)
    for why, n in explained.items(): print(f'explained: {n}: {why}')
    print('by command (runs, differ):', ', '.join(f'{n} {runs} {d}' for n, (runs, d) in by_name.items()))
    print(
        f'{total} runs, seeds {a.seed} to {seed - 1}: {bad} differ; {sum(explained.values())} explained; {unfinished} without end in the real tool'
    )
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
