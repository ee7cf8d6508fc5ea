"""More of differ.py's grammar: scripts as people write them, of several lines, whose messages tell the line. Methods of Gen, which inherits from Wide."""


class Wide:
    def failing(self):
        return self.c('nosuch', 'cat nofile', 'ls nofile', 'cd nodir', 'nosuch --opt', './f1.txt', 'false', 'grep -q x f1.txt', 'test -f no', '[[ -f no ]]', '((0))', 'source nofile', 'read -t 0 v1 <no', 'x=1 nosuch', 'echo $((1/0))', ': ${u:?unset}', 'local z=1', 'kill -9 999999', 'shift 5', 'exec 9<&8', 'unset -f nofn', 'printf %d abc', 'let "1 +"', '$(exit 3)', 'return 4', 'rmdir nodir', 'mkdir d', 'wait 99999', 'type nosuch', 'command nosuch', 'builtin nosuch', 'declare 1x=2', 'export 2y', 'readonly ro=1; ro=2', 'test 1 -eq x', '[ a b', 'cd a b', 'echo ${x!}', 'echo "${a[}"' if 0 else 'echo ${x:1:-9}', 'umask 99', 'set -o nosuch', 'trap x NOSIG', 'getopts', 'exit x y' if 0 else 'hash nosuch', 'alias nosuch', 'printf -v 1x a', 'mapfile -n x', 'ulimit -Z', 'bg', 'fg %9', 'pushd', 'popd', 'eval "if"', 'eval "echo )"')

    def line(self):
        return self.c(lambda: self.failing(), lambda: self.failing(), lambda: 'echo $LINENO', lambda: self.simple(), lambda: 'echo "${BASH_LINENO[*]} ${FUNCNAME[*]}"', lambda: 'p "$(' + self.failing() + ')"', lambda: 'x=$(' + self.failing() + '); echo $?', lambda: '((d_++ < 5)) && f ' + self.lit(), lambda: '((d_++ < 5)) && h')()

    def nl(self):
        return self.c('\n', '\n', '\n', '\n\n', '; ', ' \\\n && ', ' ||\n', ' # note\n', ' &&\n')

    def lines(self, low=1, high=3):
        text = self.line()
        for _ in range(self.r.randint(low, high) - 1):
            text += self.nl() + self.line()
        return text

    def block(self, d=0):
        if d > 2:
            return self.lines()
        b = lambda: self.block(d + 1)
        return self.c(self.lines, self.lines, lambda: 'if ' + self.line() + '; then\n' + b() + '\nelse\n' + b() + '\nfi', lambda: 'for v in 1 2; do\n' + b() + '\ndone', lambda: 'case $x in\na*)\n' + b() + '\n;;\n*) ' + b() + ' ;;\nesac', lambda: 'x=$(\n' + b() + '\n)', lambda: 'echo "got: $(' + b() + '\n)"', lambda: '(\n' + b() + '\n)',
                      lambda: '{\n' + b() + '\n} 2>&1', lambda: 'while read -r l; do\necho "$l"\n' + b() + '\ndone < <(\n' + b() + '\n)', lambda: 'while read -r l; do\n' + b() + '\ndone <<E\n1\n$(' + self.line() + ')\nE', lambda: 'cat <<E\ntext $(' + b() + '\n)\n${x:-d}\nE', lambda: self.line() + ' | cat', lambda: 'x=`' + self.failing() + '\n' + self.failing() + '`',
                      lambda: 'a+=($(' + self.line() + ')\n"$(' + self.line() + ')")', lambda: '[[ -n $x &&\n$(' + b() + ') == y ]]', lambda: 'g() {\n' + b() + '\n}\ng 1', lambda: 'local_() { local x=$(\n' + b() + '\n) y\necho "$x $?"\n}\nlocal_', lambda: 'eval "\n' + self.failing().replace('"', '').replace('$', '\\$') + '\n"', lambda: '! ' + self.line(), lambda: 'until\n' + self.c('true', '((n++ > 8))') + '\ndo\n' + b() + '\ndone')()

    def staged(self):
        """Functions, options and traps around such blocks."""
        head = self.c('', '', 'set -e\n', 'set -u\n', 'set -eu -o pipefail\n', 'set -E\ntrap \'echo "ERR $LINENO $? $BASH_COMMAND"\' ERR\n', 'trap \'echo "EXIT $? $LINENO"\' EXIT\n', 'set -eE; trap \'echo "ERR $LINENO"\' ERR EXIT\n', 'set -T; trap \'echo "D $LINENO $BASH_COMMAND"\' DEBUG\n', 'trap \'echo "RET $LINENO"\' RETURN; set -T\n', 'shopt -s inherit_errexit; set -e\n', 'set -o posix\n', 'PS4=\'+$LINENO:${FUNCNAME[0]}: \'; set -x\n' if self.r.random() < .3 else '')
        return head + 'f() {\n  ' + self.lines(1, 2) + '\n}\nh() {\n  f in "$@" ' + self.c('|| return 7', '', '; return $?') + '\n}\n' + self.some(self.block, 1, 3, '\n')

    def matched(self):
        text = self.c('foo-12.txt', 'key = value', '2024-01-02T03:04', 'a.b.c', 'user@host:22', '  lead', 'a\\b', 'x[1]', 'AbC', 'aaa', '"q"', '', 'line1\nline2')
        rx = self.c('^([a-z]+)-([0-9]+)\\.txt$', '^([^ =]+) *= *(.*)$', '([0-9]{4})-([0-9]{2})', '(.)\\.(.)', '^(.*)@(.*):([0-9]+)$', '^[[:space:]]*(.*)', '(a|b)*', '\\\\', '\\[([0-9])\\]', '^$', 'a{2}', '(x)?(a)', '[[:upper:]]', '"b"', "'.'", '.*', '($y)', '$y', '"$y"', '[a-c]+', '^(([a-z])+)$', '()', 'b\\.c', '[.]b', '(l)(i)*', '*', '(', '[', 'a**', 'é')
        return 't=' + "$'" + text.replace('\\', '\\\\').replace('\n', '\\n').replace("'", "\\'") + "'\n" + self.c('', '', 'shopt -s nocasematch\n', 'y="[0-9]"\n', 'r=\'' + rx.replace("'", '') + "'\n") + '[[ $t =~ ' + self.c(rx, rx, '$r') + ' ]]; echo $?; declare -p BASH_REMATCH'

    def globbed(self):
        made = self.some(lambda: self.c('a.txt', 'b.TXT', '.hid', 'sub/c.txt', 'sub/.d', 'sub/deep/e.txt', 'A', 'a', 'B', 'b1', '"x y"', "'[z]'", 'é', '-n', '_u', '10', '9'), 3, 8)
        opts = self.some(lambda: self.c('nullglob', 'dotglob', 'globstar', 'failglob', 'nocaseglob', 'extglob', 'globasciiranges', 'globskipdots'), 0, 3)
        pats = self.some(lambda: self.c('*', '.*', '**', '**/', '*/', '*.txt', '[a-c]*', '[!a]*', '[[:upper:]]*', '**/*.txt', 'sub/*', './*', '?', '[[]z]', 'no*', '*/.*', '.[!.]*', '@(a|b)*', '!(a*)', '+([0-9])', '?(.)h*', 'sub/**', '*b*', '{a,B}*', '"*"', '\\*', 'sub/../*', '[]a]*', '[a-', '[^a-z]*', '*(.)*', '$PWD/a*' if 0 else '~/a*', '[é]'), 1, 4)
        return 'mkdir -p g/sub/deep; cd g\nfor q in ' + made + '; do : >"./$q"; done\nshopt -s extglob ' + opts + '\n' + self.c('', '', '', "GLOBIGNORE='*.txt'\n", "GLOBIGNORE='.*:a'\n", "GLOBIGNORE='sub/*'\n", 'GLOBIGNORE=x; unset GLOBIGNORE\n', 'set -f\n', 'LC_ALL=C\n') + 'p ' + pats + self.c('', '', '\nfor q in *; do echo "$q"; done', '\nz=(*); echo ${#z[@]}', '\nz=*; echo $z', '\ncase a.txt in ' + self.c('[a-c]*', '@(a|b).*', '!(b)*') + ') echo in;; esac', '\necho "${PWD/*g/G}"', '\n[[ a.txt == *.TXT ]]; echo $?')

    def attributed(self):
        flags = lambda: self.c('-i', '-u', '-l', '-c', '-x', '-r', '-a', '-A', '-n', '-iu', '-il', '-ai', '-Au', '-rx', '+i', '+u', '+x', '-t', '-g', '-I')
        use = lambda: self.c(lambda: 'w=' + self.c('3+4', 'aBc', 'x', 'w', '(1 2 3+1)', '([k]=vV)', '$(echo Ab)', '"a b"'), lambda: 'w+=' + self.c('1', 'Zz', '(q)', '([k]=W)'), lambda: 'w[' + self.c('1', 'k', '-1', '$n') + ']' + self.c('=', '+=') + self.c('5', 'Ab', '1+1'), lambda: 'declare ' + flags() + ' w', lambda: 'declare ' + flags() + ' w=' + self.c('2*3', 'Qq', '(1 aB)', '([z]=Y)', 'x'), lambda: 'echo "${w@' + self.c('A', 'a', 'Q', 'K', 'U', 'L', 'u') + '}" "${w[@]@' + self.c('A', 'a', 'Q', 'K', 'k') + '}"', lambda: 'read w <<<aB+1', lambda: 'printf -v w %s 2+2', lambda: 'for w in 1+1 aB; do echo $w; done', lambda: ': ${w:=' + self.c('7+1', 'dE') + '}', lambda: '((w+=2))', lambda: 'unset w', lambda: 'unset "w[1]"', lambda: 'fn() { local w' + self.c('', '=1', '=(a)') + '; ' + self.c('local -', 'declare -p w', 'w=9', 'declare -g w=7', 'unset w; declare -p w', 'local -n q=w; q=4') + '; declare -p w; }; fn', lambda: 'mapfile -t w <<<"1+1"', lambda: 'echo ${w[@]:1} ${#w} ${!w[@]}', lambda: 'export w; printenv w', lambda: 'w=1 printenv w', lambda: 'readonly w')()
        return 'declare ' + flags() + ' w' + self.c('', '=5', '=aBc', '=(1 2)', '=([k]=v)') + '\n' + self.some(use, 2, 6, '\n') + '\ndeclare -p w'

    def invoked(self):
        """bash with options, the script in a file, a string or standard input."""
        body = self.c(self.block, self.lines, lambda: self.broken(self.block()))().replace('EOS', 'eos')
        flags = self.some(lambda: self.c('-e', '-u', '-v', '-x', '-n', '-r', '-f', '-B', '+B', '-o posix', '-o pipefail', '-O nullglob', '+O sourcepath', '--norc', '-a', '-k', '-t', '-h', '-C', '-E', '-T', '-p', '--posix', '-b', '-H'), 0, 2)
        run = self.c('bash ' + flags + ' s', 'bash ' + flags + ' s 1 "2 3"', 'bash ' + flags + ' <s', 'bash ' + flags + ' -s 1 2 <s', 'bash ' + flags + ' -c "$(cat s)"', 'bash ' + flags + ' -c "$(cat s)" name 1', 'bash ' + flags + ' -c ". ./s"', 'chmod +x s; ./s 1', 'cat s | bash ' + flags)
        return "cat >s <<'EOS'\n" + self.c('', '#!/bin/bash\n') + HEAD_WIDE + body + '\nEOS\n' + run + '; echo "rc $?"'

    def signalled(self):
        return self.c('bash -c \'kill -' + self.c('TERM', 'INT', 'KILL', 'HUP', 'USR1', 'PIPE', 'ABRT', 'QUIT') + ' $$\'; echo $?', 'bash -c \'trap "echo got; exit 5" TERM; kill -TERM $$; echo after\'; echo $?', '(kill -TERM $BASHPID; echo no); echo $?', 'bash -c \'trap "" TERM; kill -TERM $$; echo after\'; echo $?', 'bash -c \'trap "echo x" EXIT; kill -TERM $$; echo after\'; echo $?', 'x=$(kill -TERM $BASHPID); echo $?', 'bash -c "kill -TERM \\$\\$" | cat; echo ${PIPESTATUS[@]}', 'trap "echo usr1" USR1; kill -USR1 $$; echo end', '(trap "echo t; exit 9" USR1; kill -USR1 $BASHPID); echo $?', 'f() { trap "echo in f" USR1; kill -USR1 $$; }; f; trap -p', 'set -e; bash -c \'kill -TERM $$\' || echo $?', 'sleep 5 & kill %1; wait %1; echo $?', 'sleep 5 & p=$!; kill -KILL $p; wait $p; echo $?', 'kill -l ' + self.c('1', '15', '143', 'TERM', 'SIGINT', '0', '99', 'EXIT', '64'), 'trap "echo $LINENO" DEBUG; echo a\necho b', 'bash -c "exit ' + self.c('256', '-1', '300', '0', '77') + '"; echo $?', 'yes | head -1; echo ${PIPESTATUS[@]}')

    def splitted(self):
        ifs = self.c("''", "' '", "$' \\t\\n'", ':', "': '", ",", "$'\\n'", "'\\'", "'a'", "'é'", "' :,'", "$'\\001'", "'*'", "$'\\t'")
        val = self.c("' a  b '", "'a:b::c:'", "'::a'", "' : a : '", "$'a\\nb\\n\\n'", "'aXbXc'", "'xéyéz'", "'a\\ b'", "'a*b'", "''", "'   '", "$'\\001a\\001'", "'a,b, c ,d'", "$'a\\tb\\t\\tc'")
        return 'IFS=' + ifs + '; t=' + val + '\np $t\np "$t" x$t"y"\nset -- $t z; p "$*" "$@" $* $@\nread -r a1 b1 c1 <<<"$t"; p "$a1" "$b1" "$c1"\nread -ra z <<<$t; p "${z[@]}"\nz=($t "$t"); p "${z[*]}" ${z[*]} "${#z[@]}"\np ${t//a/ } ${t:+$t}' + self.c('', '\nfor q in $t; do p "$q"; done', '\np ${*%b} "${*/a/q}"', '\nv=$*; p "$v"; v=$@; p "$v"; v="${z[*]}"; p "$v"', '\np $(echo "$t") "$(echo "$t")"', '\ncase $t in a*) p in;; esac; [[ $t == $t ]]; echo $?', '\np "${z[*]@Q}" ${z[@]@Q}', '\np ${t@Q} ${t@E}')

    def agents(self):
        """What scripts do all day, with something wrong in it."""
        log = self.c('log() { echo "[$1] ${*:2}" >&2; }\n', 'log() { printf "%s:%d: %s\\n" "${FUNCNAME[1]}" "${BASH_LINENO[0]}" "$*" >&2; }\n', 'die() { echo "die: $*" >&2; exit "${2:-1}"; }\nlog() { :; }\n')
        trap = self.c('', 'trap \'rc=$?; echo "exit $rc at $LINENO"; rm -rf tmp.$$\' EXIT\n', 'trap \'echo "err $? line $LINENO: $BASH_COMMAND"; exit 9\' ERR\n', 'cleanup() { local rc=$?; echo "clean $rc"; return 3; }\ntrap cleanup EXIT\n', 'on_err() { echo "in ${FUNCNAME[1]:-main} at ${BASH_LINENO[0]}: $1"; }\ntrap \'on_err "$BASH_COMMAND"\' ERR\n', 'trap \'echo int; exit 130\' INT TERM\n')
        w = lambda: self.c('"$x"', '$x', '"${a[@]}"', '"$(' + self.failing() + ')"', 'nofile', '*.txt', '"$1"', '${u:-dflt}', '$((n + 1))')
        step = lambda d=0: self.c(lambda: 'log info ' + w(), lambda: self.failing(), lambda: 'mkdir -p out/' + self.lit() + ' && cd out && pwd && cd ..', lambda: 'while IFS=' + self.c('', ',', ':', "$'\\t'") + ' read -r k v' + self.c('', ' rest', ' || [[ -n $k ]]') + '; do\n  echo "$k=>$v"\n' + (step(d + 1) if d < 2 else ':') + "\ndone <<'T'\na,b:c\n\n  x y\tz\nlast" + '\nT',
            lambda: 'for q in ' + w() + ' ' + w() + '; do\n  ' + self.c('[[ -e $q ]] || continue', '[ -f "$q" ] || { log warn "$q"; continue; }', '((i_++ > 3)) && break', ':') + '\n  ' + (step(d + 1) if d < 2 else ':') + '\ndone', lambda: 'out=$(' + (step(d + 1) if d < 2 else 'echo') + self.c('', ' 2>&1', '\n') + ')' + self.c('', ' || echo "failed $?"', ' || return 5', ' || true', '\nrc=$?; echo $rc'), lambda: 'local v_=' + w() + '\necho "$v_"', lambda: 'arr+=(' + w() + ' ' + w() + ')\necho "${#arr[@]} ${arr[-1]}"', lambda: 'declare -A map=([a]=1 [b]=' + w() + ')\nfor k in "${!map[@]}"; do echo "$k ${map[$k]}"; done',
            lambda: 'if ! ' + self.failing() + '; then\n  ' + (step(d + 1) if d < 2 else 'echo no') + '\nfi', lambda: 'printf "%-5s|%05d|%s\\n" ' + w() + ' ' + self.c('3', 'x', '08', '""', '$n') + ' ' + w(), lambda: 'cat > conf <<EOF\nname=${x}\nv=$(echo $n)\npath=\\$HOME\nEOF\ngrep -n ' + self.c('name', "'^v'", '-c =', 'zzz') + ' conf', lambda: 'cat conf | while read -r l; do echo "${l%%=*}"; done | sort ' + self.c('', '-r', '| head -1', '>o; cat o'), lambda: 'sed -i ' + self.c("'s/name/NAME/'", "'1d'", "'$ d'", "'s/x'") + ' conf', lambda: 'mapfile -t ls_ < <(' + self.c('ls', 'cat conf', 'printf "a\\nb\\n"', self.failing()) + ')\necho "${#ls_[@]} ${ls_[0]:-none}"',
            lambda: 'case "${1:-}" in\n  -h|--help) echo usage; return 0 ;;\n  --*=*) echo "${1#*=}" ;;\n  in) ' + (step(d + 1) if d < 2 else ':') + ' ;;\n  "") ;;\n  *) echo "other $1" ;;\nesac', lambda: 'while getopts ":ab:" o; do\n  case $o in\n    a) echo a ;;\n    b) echo "b $OPTARG" ;;\n    :) echo "need $OPTARG" ;;\n    \\?) echo "bad $OPTARG" ;;\n  esac\ndone\nshift $((OPTIND - 1))\necho "rest $*"', lambda: '{ ' + self.failing() + '; echo done; } > log.txt 2>&1\ncat log.txt', lambda: '( cd ' + self.c('d', 'nodir') + ' && ' + self.failing() + ' ) || echo "sub $?"', lambda: self.failing() + ' | tee o | wc -l\necho "${PIPESTATUS[*]}"', lambda: '[[ $x =~ ^(.)(.*)$ ]] && echo "${BASH_REMATCH[1]}|${BASH_REMATCH[2]}"', lambda: 'x=${x/' + self.c('a', ' ', '#', '%', '*') + '/' + self.c('', 'Z', '&&') + '}\necho "${x^^} ${#x} ${x: -2}"',
            lambda: 'local -n ref=' + self.c('x', 'a', 'nn') + '\nref' + self.c('=1', '+=(2)', '+=z') + '\ndeclare -p ref', lambda: 'sleep 0 &\nwait $!' + self.c('', '; echo $?', ' || echo w'), lambda: 'exec 3>log3\necho to3 >&3\nexec 3>&-\ncat log3' + self.c('', '\necho again >&3'), lambda: 'read -r first _ <<<' + w() + '\necho "$first"', lambda: 'set -- ' + w() + ' ' + w() + '\necho "$# $*"\nshift', lambda: 'test_() { [[ $1 -gt ' + self.c('1', 'abc', '"1 2"') + ' ]]; }\ntest_ ' + self.c('5', 'x', '""'), lambda: 'diff <(echo a) <(' + self.c('echo a', 'echo b', self.failing()) + ')' + self.c('', ' >/dev/null', ' || echo differ'), lambda: 'unset x_; echo "${x_:?must be set}"', lambda: 'until ((t_++ >= 2)); do echo "try $t_"; ' + self.failing() + ' && break; done', lambda: 'eval "v_$n=\\"' + self.c('a b', '\\$x', '`echo q`') + '\\""; name=v_$n; echo "${!name}"', lambda: 'export V_=1; bash -c ' + self.c("'echo $V_; nosuch; exit 4'", "'f() { return 2; }; f'", '"echo $V_ $x"') + ('; echo $?' if self.r.random() < .5 else ''))()
        body = lambda low, high: '\n'.join(step() for _ in range(self.r.randint(low, high)))
        indent = lambda t: t
        main = self.c('main "$@"', 'main in', 'main --k=v x', 'main -a -b', 'main || echo "main $?"', 'if main a; then echo ok; fi', '(main)', 'main | cat', 'out=$(main); echo "<$out>"', 'main -b 2>&1 | sed "s/^/> /"')
        script = self.c('set -e\n', 'set -euo pipefail\n', 'set -u\n', '', 'set -Eeuo pipefail\n', 'set -e; shopt -s nullglob\n', 'shopt -s lastpipe\n') + log + trap + 'x="a b"; n=7; a=(one "t w o")\nhelper() {\n' + body(1, 2) + '\n}\nmain() {\n' + body(1, 4) + '\nhelper "$@"\n' + self.c('return 6', '', 'echo end') + '\n}\n' + body(0, 1) + '\n' + main
        if self.r.random() < .5:
            return script
        return "cat >s.sh <<'EOS_'\n#!/usr/bin/env bash\n" + script + '\nEOS_\n' + self.c('bash s.sh', 'bash s.sh -a -b 1 x', 'chmod +x s.sh; ./s.sh', 'bash -x s.sh 2>&1 | grep -v sort' if 'sort' not in script and '|' not in script else 'bash s.sh a', 'bash <s.sh', 'source s.sh') + '; echo "rc $?"'

    def wide(self):
        return self.c(self.agents, self.agents, self.agents, self.agents, self.staged, self.staged, self.matched, self.globbed, self.attributed, self.attributed, self.invoked, self.invoked, self.signalled, self.splitted)()


HEAD_WIDE = 'x=\'a b\'; n=5; a=(1 "2 3"); f() { echo f "$@"; }\nh() { f "$@"; }; p() { printf "<%s>" "$@"; echo; }\n'
