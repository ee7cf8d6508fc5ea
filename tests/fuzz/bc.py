#!/usr/bin/env python3
"""Random programs for bc and dc, given to the real one and to the sandbox's: what differs?

    tests/fuzz/bc.py BINARY [--seed N] [--count N] [--what compile|run|math|dc] [--show N]

compile: programs, broken ones too, under -c (prints the code); run: programs with bounded loops;
math: the library's functions; dc: programs for dc. Output and messages are compared as one stream, and the status.
"""
import argparse, os, random, re, subprocess, tempfile

TOKENS = ('\n && || ! "s" "a\\nb\\q" a b x f g 1 0 2 3.50 007 .5 AB = += -= *= ^= == < >= != ++ -- define break quit '
          'length return for if while sqrt else scale ibase auto read random halt last continue print limits history '
          'void + - * / % ^ ( ) { } [ ] , ; & . # $ @ /*c*/ \\').split(' ')


class Gen:
    def __init__(self, r, running):
        self.r, self.running = r, running
        self.calls = ['f()', 'f(1)', 'g(2)', 'f(x,a[])', 'g(a[])', 'f(1,2)']

    def c(self, *options):
        return self.r.choice(options)

    def expr(self, depth):
        if depth <= 0 or self.r.random() < .3:
            return self.c(
                '1', '0', '2', '3.50', 'x', 'a', 'b', 'a[1]', 'x[2]', 'scale', 'ibase', 'last', '.5', '10', 'AB',
                'random()', *self.calls, *([] if self.running else ['read()'])
            )
        e = lambda: self.expr(depth - 1)
        return self.c(
            lambda: e() + self.c(*'+-*/%^') + e(), lambda: '(' + e() + ')', lambda: '-' + e(), lambda: '!' + e(),
            lambda: e() + self.c('<', '==', '!=', '>=', '&&', '||') + e(),
            lambda: self.c('x', 'a', 'a[1]', 'x[a]', 'last') + self.c('=', '+=', '^=', '=-', '%=') + e(),
            lambda: self.c('length', 'sqrt', 'scale') + '(' + e() + ')',
            lambda: self.c('++', '--') + self.c('x', 'a[1]', 'scale'),
            lambda: self.c('x', 'a[1]', 'scale') + self.c('++', '--'))()

    def loop(self, depth):
        if self.running:
            return 'for(i=0;i<3;++i) ' + self.stat(0)
        if self.c(0, 1):
            return 'while(' + self.expr(1) + ') ' + self.stat(depth - 1)
        return 'for(' + ';'.join(
            self.c('', self.expr(1)) for _ in range(3)
        ) + ')' + self.c(' ', '\n') + self.stat(depth - 1)

    def define(self):
        self.calls, calls = [], self.calls
        s = 'define ' + self.c('', 'void ') + self.c('f', 'g') + '(' + self.c('', 'x', 'x,y', 'x,a[]', '*a[]', 'x,x') + ')' + self.c('', '\n') + '{' + self.c('\n', '', '\n\n') + self.c('', 'auto a\n', 'auto b,c[];', 'auto x\n') + self.stat(1) + self.c('\n', ';') + self.c(
            'return(' + self.expr(1) + ')', self.stat(1)
        ) + self.c('', '\n') + '}'
        self.calls = calls
        return s

    def stat(self, depth):
        if depth <= 0 or self.r.random() < .4:
            return self.expr(2)
        return self.c(
            lambda: '"str"',
            lambda: 'print ' + self.c('"a",x', '1,2,"b\\n"', '"x"'),
            lambda: self.loop(depth),
            lambda: 'if(' + self.expr(1) + ')' + self.c(' ', '\n') + self.stat(depth - 1) + self.c(
                '', ' else ' + self.stat(depth - 1)
            ),
            lambda: '{' + self.c('', '\n') + self.stat(depth - 1) + self.c(
                ';', '\n', ';\n'
            ) + self.stat(depth - 1) + '}',
            lambda: self.c('break', 'continue', 'halt', 'return(x)', 'limits', 'return x+1'), self.define
        )()

    def broken(self, s):
        for _ in range(self.r.randint(0, 2)):
            at = self.r.randint(0, len(s))
            s = s[:at] + self.c('', ' ' + self.c(*TOKENS) + ' ', ')', '{', '\n') + s[at + self.c(0, 0, 1, 3):]
        return s

    def program(self):
        lines = [self.broken(self.c(self.define, lambda: self.stat(3), lambda: self.stat(2))())
                 if not self.running or self.r.random() < .05 else self.c(self.define, lambda: self.stat(2))()
                 for _ in range(self.r.randint(1, 6))]
        return '\n'.join(lines)

    def math(self):
        x = self.c(
            lambda: self.c('0', '1', '2', '.2', '.5', '10'),
            lambda: '%.*f' % (self.r.randint(0, 12), self.r.uniform(0, 3)),
            lambda: '%.*f' % (self.r.randint(0, 6), self.r.uniform(0, 100)),
            lambda: '.' + '0' * self.r.randint(0, 20) + str(self.r.randint(1, 999))
        )()
        call = self.c('e', 'l', 's', 'c', 'a', 'j') + '('
        call += self.c('0', '1', '2', '-1', '5') + ',' if call == 'j(' else ''
        return 'scale=%d;%s%s%s)' % (
            self.c(0, 1, 5, 20, 25, 40, 60, 70, self.r.randint(0, 100)), call,
            self.c('', '-'), x
        )


    def dc(self, depth=2):
        n = lambda: self.c(
            '0', '1', '2', '3', '10', '_1', '2.5', '.5', '100', '_3.75', 'FF', 'A.8', '12345678901234567890', '255'
        )
        return ''.join(
            self.c(
                n, n, n, lambda: ' ', lambda: ' ', lambda: '\n',
                lambda: self.c(*'+-*/%^~|v'),
                lambda: self.c(*'pnPfcdrR'),
                lambda: self.c(*'pfdr'),
                lambda: self.c(*'slSLsl') + self.c(*'ab'),
                lambda: self.c('2k', '0k', '5k', 'k'),
                lambda: self.c('16i', 'Ai', '2i', 'i', '16o', '10o', '2o', '100o', 'o', 'Ao'),
                lambda: self.c(*'IOKzZXa'), lambda: 'x',
                lambda: self.c('', '!') + self.c(*'<>=') + self.c(*'ab'),
                lambda: self.c(*':;') + self.c(*'ab'),
                lambda: '[' + self.dc(depth - 1) + ']' + self.c('', 'x', 'x', 'sa', 'sb') if depth else '1',
                lambda: self.c(
                    'q', '2Q', '1Q', '3Q', 'Q', '?', 'x', '# c\n', '@', 'y', '[', ']', '!=', 's', '"'
                ) if self.r.random() < .3 else n()
            )() for _ in range(self.r.randint(1, 10))
        )


def results(output, count):
    found = re.findall(r'(.*?)== (\d+) (\d+)\n', output, re.S)
    by = {int(n): (text, status) for text, n, status in found}
    return [by.get(i, ('?', '?')) for i in range(count)]


def main():
    a = argparse.ArgumentParser()
    a.add_argument('binary')
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=300)
    a.add_argument('--what', default='run', choices=['compile', 'run', 'math', 'dc'])
    a.add_argument('--show', type=int, default=5)
    o = a.parse_args()
    gen = Gen(random.Random(o.seed), o.what == 'run')
    flags = {
        'compile': ['bc -c', 'bc -cw', 'bc -cs', 'bc -lc'],
        'run': ['bc', 'bc -l', 'bc -w', 'bc -s'],
        'math': ['bc -l'],
        'dc': ['dc', 'dc', 'dc -e 1p -', 'dc -e "$(cat)"']
    }
    make = {'math': gen.math, 'dc': lambda: gen.dc()}.get(o.what, gen.program)
    cases = [(gen.c(*flags[o.what]), make()) for _ in range(o.count)]
    script = ''.join(f"timeout 1 {command} 2>&1 <<'CASE{i}'\n{text}\nCASE{i}\necho \"== {i} $?\"\n"
                     for i, (command, text) in enumerate(cases))
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, 'script')
        open(path, 'w').write(script)
        real = subprocess.run(
            ['unshare', '-p', '--kill-child', 'bash', path], capture_output=True
        ).stdout.decode('latin1')
        ours = subprocess.run(
            [o.binary, '--limit=wall_ms=600000', f'--mount={path}:/tmp/script', '-c', '. /tmp/script'],
            capture_output=True
        ).stdout.decode('latin1')
    bad = skipped = 0
    for case, want, got in zip(cases, results(real, o.count), results(ours, o.count)):
        if want[1] in ('124', '137', '139', '134'):    # the real one hangs or crashes
            skipped += 1
        elif want != got:
            bad += 1
            if bad <= o.show:
                print(f'#### {case[0]}\n{case[1]}\n---- real {want[1]}\n{want[0]}---- ours {got[1]}\n{got[0]}')
    print(f'{o.count} programs, {skipped} left out, {bad} differ')


main()
