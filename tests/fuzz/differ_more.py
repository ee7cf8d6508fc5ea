"""More of differ.py's grammar: what is rarer than words and compound commands. Methods of Gen, which inherits from More."""
import re


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class More:
    def key(self):
        return self.c('k', 'new', 'a b', 'z', '$x', '"$y"', "'q]'", '1', 'é', '@', '\\*', 'K9', 'foo', 'bar', 'x.y', '$n')

    def nameref(self):
        target = self.c('x', 'y', 'a', 'a[1]', 'm[k]', 'u', 'm', 'a[0]', 'n', 'new1', 'r2', '1x', '', 'r1')
        use = lambda: self.c(lambda: 'p "$r1"', lambda: 'r1' + self.c('=', '+=') + self.word(), lambda: 'p "${!r1}" "${r1[@]}"', lambda: 'unset ' + self.c('', '-n ') + 'r1', lambda: 'r1[1]=q', lambda: 'r1=(1 2)', lambda: 'declare -p r1 ' + self.c('x', 'a', ''),
                             lambda: 'declare -n r1=' + self.c('y', 'a', 'e'), lambda: 'p "${#r1}" "${r1' + self.op(True) + '}"', lambda: 'declare ' + self.c('-i', '-u', '-x', '-a', '+n', '-r') + ' r1', lambda: 'for r1 in x y; do p "$r1"; done', lambda: '[[ -R r1 ]]; echo $?',
                             lambda: '(( r1++ ))', lambda: 'read r1 <<<7', lambda: 'printf -v r1 %s z', lambda: '[[ -v r1 ]]; echo $?', lambda: 'local -n r1=x', lambda: 'g() { local -n q=$1; q=' + self.word() + '; declare -p q; }; g ' + self.c('x', 'a', 'q', 'm[k]', 'nn'),
                             lambda: 'mapfile -t r1 <<<"$x"', lambda: 'export r1', lambda: 'p "${!r1@}" "${r1@A}" "${r1@a}"')()
        return self.c('declare -n ', 'declare -n ', 'local -n ', 'typeset -n ') + 'r1' + self.c('=' + target, '=' + target, '=' + target, '') + '\n' + self.some(use, 1, 4, '\n')

    def sparse(self):
        return self.c(lambda: 'declare -A m2=(' + self.some(lambda: '[' + self.key() + ']=' + self.word(), 0, 6) + '); declare -p m2; p "${!m2[@]}" "${m2[@]}"', lambda: 'b' + self.c('=', '+=') + '(' + self.some(lambda: self.c(self.word(), '[' + self.c('2', '5', 'n', '-1', '$n-3', '9') + ']' + self.c('=', '+=') + self.lit()), 0, 4) + '); declare -p b',
                      lambda: 'p "${' + self.c('a', 'b', 'm') + self.c('[@]', '[*]') + self.op(True) + '}"', lambda: 'p ${' + self.c('a', 'b', 'm') + self.c('[@]', '[*]') + self.op(False) + '}', lambda: 'unset "' + self.c('a[1]', 'b[-1]', 'b[3]', 'm[k]', 'a[-9]', 'm[@]', 'a[*]', 'a[x y]', 'n[0]', 'n[1]') + '"; declare -p a b m n',
                      lambda: 'declare -p ' + self.some(lambda: self.c('a', 'b', 'm', 'x', 'u', 'n', '-a', '-A', '-i'), 1, 2) + ' | grep -v BASH', lambda: 'm+=(' + self.some(lambda: self.c('[' + self.key() + ']=' + self.lit(), self.lit()), 0, 4) + '); declare -p m', lambda: 'declare -' + self.c('i', 'u', 'l', 'c', 'r', 'x') + self.c('a', 'A') + ' q' + str(self.r.randint(1, 3)) + self.c('', '=(1 b [3]=c)', '=([x]=y)', '[2]=5', '=5') + '; declare -p q1 q2 q3')()

    def traps(self):
        act = self.c('echo "D $BASH_COMMAND"', 'echo "T $? $LINENO"', 'p "${FUNCNAME[@]}"', 'x=t', 'false', 'trap - ERR', 'echo t; exit 4', 'return 3')
        sig = self.c('DEBUG', 'ERR', 'RETURN', 'EXIT', 'USR1', '0', 'SIGTERM', 'int', 'debug', 'ERR RETURN', '12')
        return self.c(lambda: self.c('', 'set -T\n', 'set -E\n', 'set -TE\n', 'shopt -s extdebug\n') + 'trap ' + quoted(act) + ' ' + sig + '\n' + self.body(2) + '\n' + self.c('trap - ' + sig, 'trap -p', 'trap -p ' + sig, 'f', '(f; trap -p)'), lambda: 'trap "echo U" USR1; kill -USR1 $$; ' + self.simple(),
                      lambda: '(trap ' + quoted(act) + ' ' + sig + '; ' + self.c('exit 3', 'false', 'f') + '); echo $?', lambda: "trap '' " + sig + '; trap; (trap)', lambda: 'trap ' + self.c('nosuch', '-l >/dev/null', '-p XX', 'x y', '-', '- XX', '--', "'' 99", '3', 'EXIT', '-x') + '; echo $?')()

    def options(self):
        spec = self.c('ab:c', ':ab:c', 'a', ':', '', 'a:b:', 'x?')
        return 'OPTIND=1; ' + self.c('', 'OPTERR=0; ') + 'while getopts ' + quoted(spec) + ' o ' + self.some(lambda: self.c('-a', '-b', '-bx', '-ab', '-c', '--', 'z', '-', '-?', '-abc', '-:', "''", '"-b y"'), 0, 4) + '; do p "$o" "$OPTARG" "$OPTIND"; ((kg++ > 6)) && break; done; p "$o" "${OPTARG-unset}" "$OPTIND" $?'

    def reads(self):
        text = self.c(r"$'a b\\nc d\nsecond'", r"'a\ b\'", '"$s"', "' :a::b: '", r"$'\x01a\tb '", "'éàü'", "''", r"$'l1\\\nl2\nl3'", "'a,b,,c,'", r"' \ lead'")
        flags = self.some(lambda: self.c('-r', '-d :', "-d ''", '-n 3', '-N 3', '-n 0', '-a va', '-t 1', '-s', '-u 0', '-p pr', '-e', '-i x', '-n x', '-N', '-u 9', '-z', '-t -1', '-n -1', '-d é'), 0, 2)
        return self.c('', 'IFS=: ', "IFS= ", "IFS=', ' ", 'IFS=$"\\\\" ') + 'read ' + flags + ' ' + self.c('', 'v1', 'v1 v2', 'v1 v2 v3', 'a', '1x', 'm[k]', 'b[1+1] v2', 'UID', 'n') + ' <<<' + text + '; p "$?" "$REPLY" "$v1" "$v2" "$v3" "${va[@]}"; declare -p a b m'

    def maps(self):
        return self.c('mapfile', 'readarray') + ' ' + self.some(lambda: self.c('-t', '-n 2', '-s 1', '-O 2', '-d :', "-d ''", '-u 0', '-c 1 -C "echo cb"', '-C p', '-n x', '-O -1', '-c 0', '-u x', '-z', '-O 10'), 0, 3) + ' ' + self.c('', 'va', 'a', 'b', 'm', '1x', 'x') + self.c(" <<<$'1\\n2:3\\n\\n4'", ' <f1.txt', ' < <(printf "a\\nb")') + '; echo $?; declare -p MAPFILE va a b'

    def prints(self):
        form = self.some(lambda: '%' + self.c('', '-', '0', '+', ' ', '#', '-0', "'") + self.c('', '5', '*', '1') + self.c('', '.2', '.*', '.', '.0') + self.c('s', 'd', 'i', 'o', 'u', 'x', 'X', 'e', 'f', 'g', 'G', 'c', 'b', 'q', 'a', 'ld', '(%Y)T', '%', 'z', '') + self.c('', '|', ' ', '\\n', '\\x41', '\\e', '\\c', '\\101', '\\u00e9', '\\"', "\\'"), 1, 3, '')
        return 'TZ=UTC printf ' + self.c('', '', '', '-v v1 ', '-v b[3] ', '-v m[k] ', '-v 1x ', '-- ', '-z ') + quoted(form) + ' ' + self.some(lambda: self.c('1', '-5', 'abc', '"a b"', "'\\\\n\\c'", '010', "\\'a", '\\"é', '"$x"', '3.7', '""', '0x1F', '1e3', '9223372036854775808', '08', '2x', '-1', 'éa', '" 3"', '"3 "', '+4', '$\'\\n\'', "'~'", "'a\\tb'"), 0, 4) + '; echo "[$?]"; p "$v1"; declare -p b m'

    def jobs(self):
        return self.c('(exit 3) & wait -n; echo $?', ': & wait $!; echo $?', '{ echo in; exit 4; } & wait; echo $?', 'wait; echo $?', 'wait 1x; echo $?', 'wait %9; echo $?', 'wait -n; echo $?', '(exit 5) & v1=$!; wait -n -p v2 $v1; echo $? $((v1 == v2))', 'kill -0 $$; echo $?', 'kill -l 9 TERM 130; kill -l XX',
                      'kill -XX $$; kill; kill x; kill -9', 'coproc { read -r l; echo "<$l>"; }; echo hi >&${COPROC[1]}; read -r v1 <&${COPROC[0]}; p "$v1"; wait; echo $?', 'coproc CP (exit 3); wait $CP_PID; echo $? ${CP[@]}', 'fg; bg; jobs; disown', 'cat <(echo a) <(echo b)', 'while read -r v1; do p "$v1"; done < <(p $x)', 'echo q > >(cat >o); wait $!; cat o',
                      'p <(:) >/dev/null; [[ -e <(:) ]]; echo $?', '(kill -TERM $BASHPID); echo $?', '(sleep 9 & kill $!; wait $!; echo $?)', 'disown %1; disown -z; bg %x; fg -z', 'suspend; suspend -z; times -z; logout')

    def heres(self):
        body = lambda: self.some(lambda: self.c('\t', '') + self.c(self.lit(), self.param(True), '\\$x', '\\\\', '\\`', '"q"', "'s'", '$(echo "h")', '`echo b`', '${u:-"q"}', "${u:-'q'}", '${u:-\\"}', '$\'a\'', '\\', '$((n+1))', '"${a[@]}"', '${x//"a"/b}'), 0, 3, self.c(' ', '\n'))
        tail = lambda t: ('\n' + body() + '\n' + t)
        return self.c(lambda: 'cat <<X <<Y' + tail('X') + tail('Y'), lambda: 'cat <<X; cat <<\'Y\'' + tail('X') + tail('Y'), lambda: 'if cat <<X; then echo y; fi' + tail('X'), lambda: 'f() { cat <<X\n' + body() + '\nX\n}; f; declare -f f', lambda: 'cat <<"X Y"' + tail('X Y'), lambda: 'cat <<-X' + tail('\tX'), lambda: 'v1=$(cat <<X' + tail('X') + '\n); p "$v1"',
                      lambda: 'cat <<X | cat' + tail('X'), lambda: 'while read -r v1; do p "$v1"; done <<X' + tail('X'), lambda: 'cat 3<<X <&3' + tail('X'), lambda: 'eval \'cat <<X\n$x\nX\'', lambda: 'cat <<X' + '\n' + self.lit())()

    def prettys(self):
        """The text of a function as bash prints it."""
        return 'f() {\n' + self.body(1) + '\n}' + self.redir() + '\n' + self.c('declare -f f', 'type f', 'declare -f f; f', 'eval "$(declare -f f)"; f', 'export -f f; bash -c "type f"')

    def traced(self):
        text = self.body(1)
        while ' | ' in text: text = self.body(1)    # whose stage traces first, nobody knows
        return 'set -x\n' + text + self.c('', '\nPS4="+ $LINENO "', "\nPS4='<$LINENO>'\n" + self.simple(), '\n{ set +x; } 2>/dev/null', '\nset +x') + '\n{ set +x; } 2>/dev/null'

    def shells(self):
        run = self.c('bash s', 'bash -e s 1 2', 'bash --posix s', 'bash -n s', 'bash -x s', '. ./s', 'source ./s 8 9', 'bash -u s', 'bash --posix s', 'bash <s', 'bash --posix -c "$(cat s)" n 1', 'bash -c "$(cat s)"', 'eval "$(cat s)"', 'bash -v s', 'bash -O extglob s', 'bash +B s', '(. ./s)', 'bash -o pipefail -f s', 'bash -euo pipefail s', 'bash -T s', 'bash -a s')
        return "cat >s <<'EOS'\n" + HEAD_SMALL + self.broken(self.body(1)) + '\nEOS\n' + run + '; echo $?'

    def broken(self, text):
        """Half of the time one token is missing, doubled or another."""
        if self.r.random() < .6: return text
        tokens = re.findall(r'\s+|\w+|.', text)
        i = self.r.randrange(len(tokens) or 1)
        new = self.c('', '', ')', '(', ';', '"', "'", '`', '}', '{', 'done', 'fi', '&&', '|', '<', '$(', '${', ';;', 'then', 'do', '\n', '((', '[[', ']]', '&', 'esac', '!', 'in', '<<X')
        return ''.join(tokens[:i] + [new] + tokens[i + self.c(0, 1):])

    def scopes(self):
        inner = lambda: self.c(lambda: 'local ' + self.c('', '-i ', '-a ', '-A ', '-x ', '-r ', '-u ', '-n ', '-I ', '-p', '- ') + self.c('', 'x', 'y=1', 'a', 'x=$x', 'n=n+1', 'e=(1 2)', 'm'), lambda: 'unset x', lambda: 'x=in', lambda: 'declare ' + self.c('-g ', '', '-gi ', '-gA ') + self.c('x=g', 'new2=1', 'a[4]=v', 'y'), lambda: 'p "${x-u}" "${y-u}" "${a[@]}"',
                               lambda: 'g', lambda: 'declare -p x y a n', lambda: 'set -' + self.c('u', 'e', 'f'), lambda: 'return ' + self.c('', '2'), lambda: 'p "${FUNCNAME[@]}" "${BASH_LINENO[@]}"', lambda: 'caller; caller 1', lambda: 'x=tmp g', lambda: 'shopt -s localvar_' + self.c('unset', 'inherit'), lambda: 'export x', lambda: 'readonly y', self.simple)()
        return 'g() { ' + self.some(inner, 1, 3, '; ').replace('g;', ':;') .replace('; g', '; :') + '\n}\nf() {\n' + self.some(inner, 1, 5, '\n') + '\n}\n' + self.c('', 'x=pre ', 'y=1 x=2 ', 'a=q ') + 'f ' + self.some(self.word, 0, 2) + '; echo $?\ndeclare -p x y a'

    def errexit(self):
        bad = lambda: self.c('false', '(exit 3)', '! true', 'false || :', 'false && :', 'x=$(false)', 'local q=$(false)', 'declare q=$(false)', 'f', '(( 0 ))', '[[ a == b ]]', 'if false; then :; fi', 'false | true', 'true | false', '{ false; }', '(false; echo no)', 'test 1 = 2', 'eval false', 'for v in 1; do false; done', 'until true; do :; done', 'echo $(false; echo y)', 'nosuch', ': <no', '. ./no', 'let 0', 'while false; do :; done', 'case a in a) false;; esac', 'return 4', 'command false', 'time false', 'shift 9', 'read v1 </dev/null', 'unset -z')
        return self.c('set -e', 'set -eE; trap "echo E" ERR', 'set -e -o pipefail', 'trap "echo ERR \\$?" ERR', 'set -e; shopt -s inherit_errexit', 'set -e; trap "echo X \\$?" EXIT') + '\nf() { echo in; ' + bad() + '; echo out; }\n' + self.some(lambda: bad() + self.c('', '', ' || echo or', ' && echo and', '\necho next'), 1, 4, '\n')

    def descriptors(self):
        return self.c('exec 3>o; echo x >&3; exec 3>&-; cat o; echo y >&3', 'exec {fd}>o; echo z >&$fd; exec {fd}>&-; cat o', '{ echo a; echo b >&2; } &>o; cat o', 'set -C; echo a >o; echo b >o; echo c >|o; cat o; set +C', 'echo a >&9', 'cat <&8', 'exec 4<f1.txt; read -u 4 v1; echo $?; exec 4<&-', 'echo a <>o; cat o', 'echo x 2>&1 >o; cat o', 'nosuch 2>&1 | cat', 'echo a >"$x"; ls', 'echo a > $x', 'echo a >*.txt', 'echo a >nomatch*; ls', ': >$u', 'cat <<<$x', 'cat <<<"${a[@]}"',
                      'exec 5>&1; echo q >&5; exec 5>&1-', 'echo a >&$u', 'echo a >&-', 'exec 3<no; echo $?', 'exec <no; echo $?', '>o', 'f() { echo i; } >o; f; cat o', 'echo a >/dev/null/x', '>d', ': >>d; echo $?', '{v1}>o :; echo $v1', 'echo h >&x; cat x', 'echo a >& 1', 'while :; do break; done >o 2>&1; cat o', 'read v1 <o', 'echo {a,b} >o{1,2}', '((1)) >no/x; echo $?', '[[ a ]] <no; echo $?', 'for v in 1; do echo $v; done >no/x; echo $?')

    def misuse(self):
        name = self.c('cd', 'declare', 'export', 'readonly', 'local', 'unset', 'set', 'shopt', 'trap', 'type', 'hash', 'alias', 'unalias', 'umask', 'ulimit', 'let', 'eval', 'exec', 'exit', 'return', 'shift', 'break', 'continue', 'getopts', 'read', 'mapfile', 'printf', 'echo', 'test', 'builtin', 'command', 'enable', 'kill', 'wait', 'jobs', 'pushd', 'popd', 'dirs', 'source', 'caller', 'compgen', 'complete', 'compopt', 'history', 'times', 'pwd', 'true', ':')
        word = lambda: self.c('-z', '-x', '-p', '-a', '-f', '-n', '-i', '-r', '-l', '-t', '-s', '-u', '-v', '-o', '-A', '-c', '-d', '--', '-', '1', '1x', 'x', 'a', 'a[1]', 'm[k]', 'p', 'f', 'nosuch', '""', 'x=1', '1=2', 'x+=1', '+x', '+o', '99', '-1', '+1', 'a b'[0], '"x y"', '*', 'UID', '--help'[0:1], '-zz', 'a[', 'a[]', 'm', 'e', 'echo', 'if')
        return '( ' + name + ' ' + self.some(word, 0, 3) + ' ) </dev/null 2>&1 | ' + 'sed -n 1,4p' + ' | cut -c1-90; echo ${PIPESTATUS[0]}'

    def alias(self):
        return 'shopt -s expand_aliases\nalias ' + self.c("l='p a'", "l='p a '", "l='if true; then'", "l='p $x'", 'l=', "l='{ p'", "l='p #'", "l='!'", "l='x=1'", "l='for v in'", "l='l2 z' l2='p y'", "l=l") + '\n' + self.c('l b', 'l l', 'l ; p', 'l x; fi', 'alias l; alias; l', 'unalias l; l', '\\l', "'l'", 'l; }', 'type l; command -v l', 'f() { l q; }; f; declare -f f', 'alias p2=p; p2 1', 'eval l', '$x l', '(l)', 'l true', 'l 1 2; do p $v; done')

    def calc(self):
        """Arithmetic with errors in it."""
        bad = self.c('08', '1+', '1 +* 2', '2**-1', '1/0', '5%0', '++3', '(1', '1)', '0x', '3#9', '1.5', 'a b', '1 2', '65#1', '1?2', '1?2:', 'x y', '7=3', 'n=', '++', '--n--', 'n++ ++', '#', '$', '"1"', "'1'", '1,', ',', 'a[', 'a[]', 'a[1', 'b[-1]', 'a[-9]', '@', '2#2', '1##2', '\\1', '$u', '${u}+1', '1 <> 2', '99999999999999999999', '0b1', 'x', 'y', 's', '~', '!', '1&&', '1||', '1||1/0', '0&&1/0', '1?n:1/0', '`echo 1`', '$(echo 2)+', '-', 'e', 'a[e]', 'm[a b]', 'm[nokey]', '[', '{', '1=1', 'n+=', 'n=+', '16#fF', '36#Zz', '37#Zz', '1_0', '10#', '10#-5', '-9223372036854775808', '9223372036854775807+1', '-9223372036854775808/-1', '1<<64', '1<<-1', '1>>64', 'n ? : 3', '3 , 4')
        bad = self.c(bad, bad + self.c('+', ' - ', '*', ' , ', ' && ', '?') + self.arith(2), self.arith(2) + self.c('+', ' - ', '*', ' , ', ' || ') + bad)
        return self.c('echo $((' + bad + '))', '(( ' + bad + ' ))', 'let ' + quoted(bad), 'p "${x:' + bad + '}"', 'a[' + bad + ']=q', 'p "${a[' + bad + ']}"', '[[ ' + quoted(bad) + ' -gt 1 ]]', 'declare -i i1=' + quoted(bad), 'for ((i=0; ' + bad + '; i++)); do ((i > 2)) && break; done', 'test ' + quoted(bad) + ' -eq 1', 'eval ' + quoted('echo $((' + bad + '))'), 'p ${x:0:' + bad + '}', 'unset "a[' + bad.replace('"', '') + ']"', 'printf "%d\\n" ' + quoted(bad), 'declare -a "a[' + bad.replace('"', '') + ']=1"', 'shift ' + quoted(bad), 'exit ' + quoted(bad), 'let "n = ' + bad.replace('"', '') + '"') + '; echo "$? $n"'

    def special(self):
        return self.c('p $LINENO "$BASH_COMMAND"', 'p "${BASH_SOURCE[@]}" "${FUNCNAME[0]-none}"', 'p "$-" "$SHELLOPTS"', 'p "$BASHOPTS"', 'set -o | head -20', 'shopt | head -40', 'shopt -p ' + self.c('extglob nullglob', '-o errexit', 'nosuch', '-q'), 'shopt -' + self.c('q', 's', 'u', 'o', 'p', 'so', 'qo') + ' ' + self.c('extglob', 'errexit', '', 'vi', 'lastpipe'), 'set +o | head -12', 'set -o nosuch', 'set -' + self.c('Z', 'o posix', '-o', 'x -- 1', 'e +e', 'h', 'P') + '; p "$@"',
                      'p "${x@' + self.c('Q', 'A', 'a', 'K', 'k', 'P', 'E', 'u', 'U', 'L', 'Z', '') + '}" "${a[@]@' + self.c('Q', 'A', 'a', 'K', 'k') + '}"', 'p "${!x@}" "${!BASH_V@}" "${!a*}"', 'p "$_"', ': 1 2; p "$_"', 'BASH_ARGV0=zz; p "$0"', 'p "${PIPESTATUS[@]}"', 'false | true | (exit 3); p "${PIPESTATUS[@]}" $?', 'p "$IFS"', 'unset IFS; p $x $s', 'p "${BASH_VERSINFO[@]:0:3}" "$BASH_SUBSHELL" ; (p "$BASH_SUBSHELL")', 'GLOBIGNORE=' + self.c('f*', '*.txt:d', '.*') + '; p *', 'p "${DIRSTACK[@]}"; pushd d >/dev/null; p "${DIRSTACK[@]}"; dirs -v; popd', 'cd d; pwd; cd -; cd no; cd; cd ' + self.c('x y', '-P d', '-L', '""', '--', '-e', 'f1.txt'),
                      'umask ' + self.c('', '-S', '022', 'u=rwx,g=,o=', 'x', '999', '-p', 'a+x', 'g-w,o=u') + '; umask', 'hash -r; hash; hash nosuch; hash -t cat', 'command -' + self.c('v', 'V', 'p', 'pv', 'x') + ' ' + self.c('cat', 'p', 'if', 'nosuch', 'echo', ''), 'type ' + self.c('-a', '-p', '-P', '-f', '-t', '-at', '-z', '') + ' ' + self.c('cat', 'p', 'if', 'nosuch', 'echo', 'cd', '"{"', '[['), 'enable -n echo; type echo; enable -p | head -3; enable -n', 'builtin ' + self.c('echo a', 'nosuch', 'p', 'cat', '', 'cd d'), 'history; fc -l; caller', 'help -s ' + self.c('cd', 'nosuch', 'if', 'read', 'ret'), 'p {a..e..' + self.c('2', '0', '-1', 'x') + '} {' + self.c('1..5..2', '5..1', '-2..2', '01..3', 'a..Z', '1..a', '9..7..1') + '}')

    def rare(self):
        return self.c(self.nameref, self.sparse, self.traps, self.options, self.reads, self.maps, self.prints, self.jobs, self.heres, self.prettys, self.traced, self.shells, self.shells, self.scopes, self.errexit, self.descriptors, self.misuse, self.misuse, self.alias, self.calc, self.calc, self.special,
                      lambda: 'shopt -s extglob\n' + self.c(lambda: 'p ' + self.extpattern(), lambda: '[[ ' + self.word() + ' == ' + self.extpattern() + ' ]]; echo $?', lambda: 'p "${' + self.name() + self.c('#', '##', '%', '%%', '/', '//', '/#', '/%') + self.extpattern() + self.c('', '/R') + '}"', lambda: 'case $y in ' + self.extpattern() + ') echo 1;;& *) echo 2;; esac')())()


HEAD_SMALL = 'x=\'a b\'; n=5; a=(1 "2 3"); f() { echo f "$@"; }; p() { printf "<%s>" "$@"; echo; }\n'
