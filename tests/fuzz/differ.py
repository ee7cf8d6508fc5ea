#!/usr/bin/env python3
"""Random scripts, run on bash and on the sandbox: what differs?

    tests/fuzz/differ.py BINARY [--seed N] [--count N] [--rounds N] [--wide] [--stderr] [--out DIR]

A small grammar makes scripts from a seed; tools/spec.py runs them on the real bash (in its namespaces, so this needs root) and then
on BINARY; cases that differ are printed and appended to DIR/differences.test. Loops are bounded, nothing sleeps, no output depends on
time or process numbers, so the same seed gives the same scripts.
"""
import argparse, os, random, re, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', '..', 'tools'))
from spec import die_with_parent
sys.path.insert(0, here)
from differ_more import More
from differ_wide import Wide
NAMES = ['x', 'y', 'e', 'n', 'u', 's', 'IFS_', 'a', 'b', 'm', 'r']
HEAD = r'''p() { printf '%d:' "$#"; printf '<%s>' "$@"; echo; }
x='a b  c' y=foo.bar.txt e= n=7 s='  lead  *  trail ' r=x; a=(one 'two 2' '' four) b=([3]=x [7]='y z'); declare -A m=([k]=v [a b]='c d' ['']=q)
unset u; set -- 'p 1' p2 '' '*'
: >f1.txt >f2.txt >.hid >'sp ace'; mkdir -p d/e; : >d/f3 >d/e/f4
'''


class Gen(More, Wide):
    rare_share = .5     # of the commands of a script
    wide_share = 0      # of the scripts: they are one such thing

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = self.loops = 0

    def c(self, *options):
        return self.r.choice(options)

    def maybe(self, p, text):
        return text if self.r.random() < p else ''

    def some(self, f, low, high, sep=' '):
        return sep.join(f() for _ in range(self.r.randint(low, high)))

    # ---- arithmetic ----
    def num(self):
        return self.c('0', '1', '2', '3', '7', '10', '-1', '08'[1:], '0x1f', '2#101', '36#z', '077', '9223372036854775807', '64#_', '100')

    def arith(self, d=0):
        r = self.r.random()
        if d > 3 or r < .25:
            return self.c(self.num(), self.num(), 'n', 'x1', 'e', 'a[1]', 'b[3+4]', '$n', '${#x}', '${#a[@]}', 'u', 'm[k]', '${n}', '$((n+1))', '"3"', 'i', 'j')
        if r < .65:
            op = self.c('+', '-', '*', '/', '%', '<<', '>>', '<', '>', '<=', '>=', '==', '!=', '&', '|', '^', '&&', '||', '**', ',')
            right = self.arith(d + 1)
            if op == '**': right = self.c('0', '1', '2', '5')
            if op in ('<<', '>>'): right = self.c('0', '1', '4', '63')
            return self.arith(d + 1) + self.c('', ' ') + op + ' ' + right
        if r < .75:
            return '(' + self.arith(d + 1) + ')'
        if r < .82:
            return self.c('!', '~', '-', '+', '- ', '! ') + self.arith(d + 1)
        if r < .88:
            return self.arith(d + 1) + ' ? ' + self.arith(d + 1) + ' : ' + self.arith(d + 1)
        if r < .94:
            return self.c('i', 'j', 'a[2]', 'n') + self.c(' = ', ' += ', ' -= ', ' *= ', ' |= ', ' <<= ', ' ^= ') + self.c('1', '3', 'n', '(2+3)')
        return self.c('i++', '++i', 'j--', '--j', 'n++', 'a[0]++', '--m[z]')

    # ---- words ----
    def lit(self):
        return self.c('a', 'foo', 'bar', 'b c'[0], '1', '-n', '.', ',', 'x=y', 'é', '%', ':', '@', '^', 'A', 'Bc', '+', '/', 'f', 'o')

    def pattern(self):
        return self.some(lambda: self.c('*', '?', 'a', 'o', 'f', '.', '[a-c]', '[!a]', '[[:alpha:]]', 'b', '\\*', '"*"', "'?'", '[^ ]', ' ' if 0 else '\\ ', '$y', 'o*', '.*'), 1, 3, '')

    def extpattern(self):
        return self.c('', self.lit(), '*') + self.c('@', '?', '*', '+', '!') + '(' + self.some(self.pattern, 1, 3, '|') + ')' + self.c('', '*', self.lit())

    def name(self):
        return self.c('x', 'y', 'e', 'n', 'u', 's', 'x', 'y', 's', '1', '2', '3', '4', '9', '@', '*', '#', 'a', 'a[0]', 'a[1]', 'a[@]', 'a[*]', 'b[@]', 'b[*]', 'b[-1]',
                      'm[k]', 'm[@]', 'm[a b]', 'a[n-5]', 'a[$n-6]', 'b[9]')

    def op(self, q):
        w = lambda: self.operand(q)
        return self.c(lambda: self.c('-', ':-', '+', ':+', '-', ':-', '+', ':+') + w(), lambda: self.c('#', '##', '%', '%%') + self.pattern(),
                      lambda: self.c('/', '//', '/#', '/%') + self.pattern() + '/' + w(), lambda: self.c('/', '//') + self.pattern(),
                      lambda: ':' + self.c('0', '1', '2', ' -1', ' -2', ' -3', 'n-5', '(-4)', '9', '') + self.c('', ':' + self.c('0', '1', '2', '3', '-1', '-2', 'n', '20')),
                      lambda: self.c('^', '^^', ',', ',,', '~', '~~') + self.c('', '?', '[a-f]', 'o', '*'), lambda: '@' + self.c('Q', 'U', 'u', 'L', 'E', 'A', 'a', 'K', 'k', 'P'))()

    def operand(self, q):
        self.depth += 1
        t = self.some(lambda: self.word(True) if not q else self.c(self.lit(), '$x', ' ', "'", '\\}', '"in $y"', '${u-d}', '$*', 'a b'), 0, 2, self.c('', ' '))
        self.depth -= 1
        return t if self.depth < 3 else self.lit()

    def param(self, q=False):
        r = self.r.random()
        if r < .2:
            return self.c('$x', '$y', '$n', '$s', '$e', '$u', '$1', '$2', '$3', '$#', '$?', '$@', '$*', '${a[@]}', '${a[*]}', '${#a[@]}', '${!a[@]}', '${!m[@]}', '${#x}', '${#1}', '${!r}',
                          '${b[@]}', '${!b[*]}', '${#b[3]}', '${#m[@]}', '${@:2}', '${*:1:2}', '${@:0:0}', '${a[@]:1}', '${b[@]:3:1}', '${!x*}' if 0 else '${#@}')
        return '${' + self.name() + self.op(q) + '}'

    def dq(self):
        return '"' + self.some(lambda: self.c(self.lit(), ' ', self.param(True), self.param(True), '\\$', "'", '\\\\', '*', '$((' + self.arith(2) + '))', '$(' + self.simple_out() + ')', '\\n'), 0, 3, '') + '"'

    def word(self, inner=False):
        r = self.r.random()
        if self.depth > 3 or r < .2: return self.lit()
        self.depth += 1
        try:
            if r < .45: return self.param()
            if r < .6: return self.dq()
            if r < .65: return "'" + self.c('a b', '*', '$x', '', '\\') + "'"
            if r < .68: return "$'" + self.c('a\\tb', '\\x41', 'q\\'+"'", '\\u00e9', '\\101', '\\n', '\\e') + "'"
            if r < .72 and not inner: return self.c('*', '*.txt', 'd/*', '.*', '?1*', '[fd]*', 'nomatch*', '"*"', '\\*', 'd/*/*', 'sp*')
            if r < .78: return '$((' + self.arith(1) + '))'
            if r < .84: return '$(' + self.simple_out() + ')'
            if r < .9 and not inner: return self.c('{a,b}', '{1..3}', 'x{,y}z', '{a..c}$n', '{1..10..4}', '{03..1}', '{a,{b,c}}', '"{a,b}"', '{$x,b}', '{x', 'a}', '{}', '{e..a..2}')
            if r < .92 and not inner: return self.c('~', '~/x', 'a=~', '"~"', '~nobody' if 0 else '~+')
            return self.word(inner) + self.word(inner)
        finally:
            self.depth -= 1

    def simple_out(self):
        return self.c(lambda: 'echo ' + self.lit(), lambda: 'printf "%s\\n" ' + self.some(lambda: self.c(self.lit(), '"$x"', '$x', '$1'), 1, 2), lambda: 'echo "$n"', lambda: 'echo a; echo b',
                      lambda: 'echo "$1"; exit 3', lambda: 'p "$@"', lambda: 'echo $s', lambda: 'echo -n', lambda: 'false')()

    # ---- commands ----
    def cond(self, d=0):
        r = self.r.random()
        if d < 2 and r < .15: return self.cond(d + 1) + self.c(' && ', ' || ') + self.cond(d + 1)
        if d < 2 and r < .2: return '! ' + self.cond(d + 1)
        if d < 2 and r < .25: return '( ' + self.cond(d + 1) + ' )'
        w = lambda: self.c(self.param(), self.dq(), self.lit())
        return self.c(lambda: self.c('-n ', '-z ', '') + w(), lambda: self.c('-v ') + self.c('x', 'u', 'a[1]', 'm[k]', 'b[1]', 'e', '1'), lambda: w() + self.c(' == ', ' = ', ' != ') + self.pattern(),
                      lambda: w() + self.c(' < ', ' > ') + w(), lambda: self.c('n', '3', '$n', 'n+1', '${#x}') + self.c(' -eq ', ' -lt ', ' -ge ', ' -ne ') + self.c('7', 'n', '3+4', '0x7'),
                      lambda: w() + ' =~ ' + self.c('^a', '(o+)', '[a-z]*', '^(.)(.*)$', '$y', '"."', 'o{2}', 'b|c', '^$'), lambda: self.c('-e ', '-f ', '-d ', '-s ') + self.c('f1.txt', 'd', 'no'))()

    def test(self):
        w = lambda: self.c('"$x"', '$e', '"$e"', 'a', '""', '$n', '"$u"', '-n', '!', '(', ')', '=', '-a', '3')
        return self.c('test ', '[ ') and (lambda t: self.c('test ' + t, '[ ' + t + ' ]'))(self.c(lambda: self.some(w, 0, 4), lambda: w() + self.c(' = ', ' != ', ' -eq ', ' -lt ', ' \\< ') + w(),
                      lambda: self.c('-n ', '-z ', '-e ', '-d ', '-v ') + w(), lambda: w() + self.c(' -a ', ' -o ') + w())())

    def assign(self):
        w = self.word
        return self.c(lambda: self.c('x', 'y', 'z', 'e', 'n') + self.c('=', '=', '+=') + w(), lambda: 'a' + self.c('=', '+=') + '(' + self.some(w, 0, 3) + ')',
                      lambda: self.c('a', 'b') + '[' + self.c('0', '1', '-1', '5', 'n', '$n-6') + ']' + self.c('=', '+=') + w(), lambda: 'm[' + self.c('k', 'new', 'a b', '$x', '"q]"' if 0 else 'z') + ']' + self.c('=', '+=') + w(),
                      lambda: 'IFS=' + self.c("' '", ':', "''", 'o', "$' \\t\\n'", "' :'", '.'), lambda: 'unset ' + self.c('x', 'u', 'a[1]', "'a[0]'", 'b[3]', "'m[k]'", 'y', 'IFS', 'a', '-v n'),
                      lambda: 'set -- ' + self.some(w, 0, 3), lambda: 'shift' + self.c('', ' 1', ' 2', ' 9'))()

    def declare(self):
        return self.c(lambda: 'declare ' + self.c('-i', '-u', '-l', '-x', '-a', '-A', '-r', '-n', '-c', '', '-ai', '-xi', '+x', '+i') + ' ' + self.c('x', 'y', 'z1', 'n', 'a', 'm', 'q=5+5', 'z2=$x', 'z3=(1 2)', 'z4=abC', 'a[2]=9', 'r=x'),
                      lambda: 'declare -p ' + self.c('x', 'y', 'a', 'b', 'm', 'n', 'u', 'z1', 'r', 'q'), lambda: 'local q=1', lambda: 'readonly ' + self.c('zz=1', 'y', 'zz'), lambda: 'export ' + self.c('x', 'ex=1', '-n x', 'u'))()

    def builtin(self):
        w = self.word
        return self.c(lambda: 'read ' + self.c('', '-r ') + self.c('v1 v2', 'v1', '-a va', 'v1 v2 v3', "-d : v1", '-n 2 v1') + ' <<<' + self.c(self.dq(), '"$s"', "' a  b\\ c '", '$x', '":a:b:"') + '; p "$v1" "$v2" "$v3" "${va[@]}"',
                      lambda: 'printf ' + self.c("'%s|'", "'%d\\n'", "'%5s|%-5s|\\n'", "'%x %o\\n'", "'%q\\n'", "'%b\\n'", "'%c%c\\n'", "'%.2f\\n'", "'%05d|%+d\\n'", "'%*d\\n'", "'%.1s\\n'", "'%%%s\\n'", "'%i %u\\n'") + ' ' + self.some(lambda: self.c('1', '-5', 'abc', '"a b"', "'\\\\n'", '010', "\\'a", '"$x"', '3.7', '""', '0x1F'), 0, 4),
                      lambda: 'let ' + self.some(lambda: "'" + self.arith(1).replace("'", '') + "'", 1, 2), lambda: 'eval ' + self.c("'p $x'", '"p \\$1"', "p '$y'", '\'echo "$s"\'', 'x=1'), lambda: 'printf -v v1 %s ' + w() + '; p "$v1"',
                      lambda: 'mapfile ' + self.c('', '-t ', '-n 1 ', '-s 1 -t ') + 'va <<<' + self.c('"$x"', "$'a\\nb\\nc'") + '; p "${va[@]}"', lambda: self.test(), lambda: self.c(':', 'true', 'false') + ' ' + w(),
                      lambda: 'echo ' + self.c('', '-n ', '-e ', '-E ') + self.some(w, 0, 3), lambda: 'type -t ' + self.c('p', 'echo', 'if', 'nosuch', 'cat'), lambda: 'getopts ' + self.c('ab:', ':ab:') + ' o ' + self.some(lambda: self.c('-a', '-b', '-bx', '-ab', '-c', '--', 'z'), 0, 3) + '; p "$o" "$OPTARG" "$OPTIND"',
                      lambda: 'return ' + self.c('', '3'), lambda: self.c('break', 'continue') + self.c('', ' 2'), lambda: 'command ' + self.c('echo ', '-v ', '-V ') + self.c('p', 'echo', 'a'), lambda: 'pushd d >/dev/null; dirs; popd', lambda: 'caller; caller 0',
                      lambda: 'cat <<' + self.c('X', "'X'", '-X') + '\n' + self.some(lambda: self.c('\t', '') + self.c(self.lit(), self.param(True), '\\$x', '$((' + self.arith(2) + '))', '$(echo h)', '"q"', '\\'), 0, 3, ' ') + '\nX')()

    def redir(self):
        return self.c('', '', '', '', ' >o', ' >>o', ' 2>&1', ' </dev/null', ' <f1.txt', ' <no', ' >/dev/null', ' 2>/dev/null', ' >&2', ' <<<' + self.c('$x', '"$x"'), ' >d', ' 3>&1 >&3')

    def counted(self, text):
        """A loop whose counter K is nobody else's."""
        self.loops += 1
        return re.sub(r'\bK\b', f'k{self.loops}', text)

    def simple(self):
        r = self.r.random()
        if r < .4: return 'p ' + self.some(self.word, 0, 3)
        if r < .58: return self.assign()
        if r < .66: return self.declare()
        if r < .86: return self.builtin()
        if r < .9: return self.c('x', 'y', 'IFS', 'e') + '=' + self.word() + ' ' + self.c('p "$x" $s', 'eval \'p "$x"\'', 'f 1', 'printenv x', 'p $x')
        if r < .93: return self.c('nosuch ' + self.lit(), '$e', '$u ' + self.c('', 'echo hi'), '"$e"', './f1.txt', 'd')
        if r < .97: return self.c('set -', 'set +') + self.c('u', 'f', 'e', 'o pipefail', 'B', 'C', 'k' if 0 else 'a')
        return 'shopt -' + self.c('s ', 'u ') + self.c('nullglob', 'extglob', 'dotglob', 'failglob', 'nocasematch', 'nocaseglob', 'lastpipe', 'globstar', 'patsub_replacement', 'inherit_errexit')

    def command(self, d=0):
        r = self.r.random()
        if d > 2 or r < .62:
            t = self.simple()
            return t if '\n' in t else t + self.redir()
        b = lambda: self.body(d + 1)
        return self.c(lambda: 'if ' + self.command(d + 1) + '\nthen ' + b() + self.c('\nfi', '\nelse ' + b() + '\nfi', '\nelif ' + self.command(d + 1) + '\nthen ' + b() + '\nfi'),
                      lambda: 'for v in ' + self.some(self.word, 0, 3) + '\ndo ' + self.c('p "$v"', b()) + '\ndone' + self.redir(), lambda: 'for v\ndo ' + b() + '\ndone',
                      lambda: self.counted('for ((K=0; K<3; K++))\ndo ' + b() + '\ndone'), lambda: self.counted('K=0\n' + self.c('while ((K++ < 3))', 'until ((K++ > 2))') + '\ndo ' + b() + '\ndone'),
                      lambda: 'case ' + self.word() + ' in\n' + self.some(lambda: self.c('(', '') + self.some(self.pattern, 1, 2, '|') + ') ' + self.command(d + 1) + '\n' + self.c(';;', ';&', ';;&'), 0, 3, '\n') + '\nesac',
                      lambda: '{ ' + b() + '\n}' + self.redir(), lambda: '( ' + b() + '\n)' + self.redir(), lambda: '[[ ' + self.cond() + ' ]]' + self.c('', '; echo "$? ${BASH_REMATCH[@]}"'), lambda: '(( ' + self.arith() + ' ))',
                      lambda: 'f() {\n' + self.maybe(.5, 'local x=' + self.word() + ' ' + self.c('', '-a a', 'n') + '\n') + b() + '\n}' + self.redir() + '\nf ' + self.some(self.word, 0, 2), lambda: self.one(d) + self.c(' && ', ' || ') + self.one(d),
                      lambda: self.one(d) + ' | ' + self.c('cat', 'while read -r l; do p "$l"; done', self.one(d), 'read v1; p "$v1"'), lambda: '! ' + self.one(d), lambda: 'shopt -s extglob\ncase ' + self.word() + ' in\n' + self.extpattern() + ') echo ext;;\n*) echo no;;\nesac',
                      lambda: 'trap \'' + self.c('echo trap $?', 'p t "$x"') + '\' ' + self.c('EXIT', 'ERR', 'RETURN', 'EXIT'), lambda: 'p ' + self.c('<(echo a)', '') [:0] + '"$(cat <<X\n' + self.param(True) + '\nX\n)"',
                      lambda: 'select v in ' + self.some(self.word, 0, 2) + '\ndo p "$v" "$REPLY"; break; done <<<' + self.c('1', '9', '""', '2') + ' 2>&1')()

    def one(self, d):
        t = self.command(d + 1)
        return t if '\n' not in t else '{ ' + t + '\n}'

    def body(self, d):
        return self.some(lambda: self.command(d), 1, 2, '\n')

    def script(self):
        if self.r.random() < self.wide_share:
            return HEAD + self.wide() + '\necho "status $?"'
        lines = self.some(lambda: self.rare() if self.r.random() < self.rare_share else self.command(), 1, 4, '\n')
        return HEAD + lines + '\necho "status $?"; declare -p x a 2>&1'


def write(path, seeds):
    with open(path, 'w') as f:
        for seed in seeds:
            f.write(f'#### seed {seed}\n' + Gen(seed).script() + '\n\n')


def failures(text):
    """The cases of a run's TAP that failed: title -> its comments."""
    out, title = {}, None
    for line in text.split('\n'):
        if line.startswith('not ok'):
            title = line.split(': ', 1)[1]; out[title] = []
        elif line.startswith('#') and title: out[title].append(line)
        elif line.startswith('ok'): title = None
    return out


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument('binary'); a.add_argument('--seed', type=int, default=1); a.add_argument('--count', type=int, default=200)
    a.add_argument('--rounds', type=int, default=1); a.add_argument('--out', default='build'); a.add_argument('--show', type=int, default=20)
    a.add_argument('--wide', action='store_true', help='only scripts of differ_wide.py')
    a.add_argument('--stderr', action='store_true', help='standard error counts too')
    a = a.parse_args()
    Gen.wide_share = a.wide
    spec = os.path.join(here, '..', '..', 'tools', 'spec.py')
    bad = total = 0
    for i in range(a.rounds):
        first = a.seed + i * a.count
        path = os.path.join(a.out, f'differ-{first}.test')
        write(path, range(first, first + a.count))
        fill = subprocess.run([spec, 'fill', path], stderr=subprocess.PIPE, text=True, env={**os.environ, 'SPEC_HUNG': 'skip'}, preexec_fn=die_with_parent)
        if fill.returncode: sys.exit(fill.stderr)
        text = open(path, errors='surrogateescape').read()
        cases = [c for c in re.split(r'(?m)^(?=#### )', text) if '\n## differs: the real' not in c]
        text = ''.join(cases)
        open(path, 'w', errors='surrogateescape').write(text)
        if not a.stderr:
            text = re.sub(r'(?m)^#### .*', lambda m: m.group(0) + '\n## stderr: any', text)
            open(path, 'w', errors='surrogateescape').write(text)
        run = subprocess.run([spec, 'run', a.binary, path], capture_output=True, errors='surrogateescape')
        found = failures(run.stdout)
        total += len(cases)
        cases = re.split(r'(?m)^#### ', text)[1:]
        with open(os.path.join(a.out, 'differences.test'), 'a', errors='surrogateescape') as f:
            for case in cases:
                title = case.split('\n', 1)[0]
                if title not in found: continue
                bad += 1
                f.write('#### ' + case)
                if bad <= a.show:
                    script = case.split('\n## STDOUT', 1)[0].split('\n', 5)[-1]
                    print('--- ' + title + '\n' + script + '\n' + '\n'.join(found[title]), flush=True)
        if not found: os.unlink(path)
    print(f'{total} scripts, {bad} differ', flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
