#!/bin/bash
# The exec contract of a box's server, behind each kind, as root and as an ordinary user. Nothing here waits for
# time: events come through pipes that processes hold open.
#	exec.sh TINYBOX-INIT BOX-CLIENT [KIND]
I=$1 C=$2 KINDS=${3:-passthrough namespace}
here=$(dirname "$0")
. "$here/lib.sh"

# gate NAME: a FIFO in the box's world; closed NAME waits until nobody holds it open
shared() { case $KIND in namespace) echo /workspace ;; *) echo "$W" ;; esac; }
gate() { rm -f "$W/$1"; mkfifo -m 666 "$W/$1"; }
closed() { timeout 20 cat "$W/$1" >"$T/gate"; }

streams() {
	run arg=sh 'arg=-c' 'arg=exit 7'; is "$S $(field reason) $(field status)" "7 0 7" "exit status"
	sh_ 'kill -TERM $$'; is "$S $(field reason) $(field signal)" "143 1 15" "a signal is 128+n"
	sh_ 'echo out; echo err >&2'; is "$O|$E" "out|err" "streams are separate"
	is "$(field out-bytes) $(field err-bytes)" "4 4" "and counted"
	run arg=printf 'arg=<%s>' 'arg=a b' 'arg=$HOME;`x`' "arg='\"" arg= arg=$'l\n2' arg=-- arg=$'\xff'
	is "$O" $'<a b><$HOME;`x`><\'"><><l\n2><--><\xff>' "arguments are not a shell's"
	sh_ 'printf abc'; is "$O" abc "output without a newline"
	sh_ 'head -c 3000000 /dev/zero | tr "\\0" x; printf y >&2'
	is "$(stat -c %s "$T/out") $E $(field out-bytes)" "3000000 y 3000000" "much output"
	run arg=true; is "$S$O$E" "0" "nothing"
	is "$(field left) $(field core) $(field limit)" "0 0 " "an end record without left, core, limit"
	sh_ 'ls -l /proc/self/fd | grep -c "[0-9] ->"'; is "$O" 4 "no descriptor of the server is inherited"
	sh_ 'grep -E "^Sig(Blk|Ign)|^ShdPnd" /proc/self/status | tr -d "\\n\\t"; umask'
	has "$O" "SigBlk:0000000000000000SigIgn:0000000000000000" "no signal is blocked or ignored"
	has "$O" 0022 "umask"
	sh_ 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; sh -c "i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done"'
	[ "$(field user)" -gt 1000000 ] && [ "$(field wall)" -ge 1000000 ] && [ "$(field peak)" -gt 100000 ]
	ok $? "times and memory"
}

commands() {
	run arg=no-such-command; is "$S" 70 "no command"
	has "$R" "code=no-command" "its code"; is "$(field errno)" 2 "its errno"
	run arg=/no/such; is "$(field errno)" 2 "no file"
	: >"$W/plain"; chmod 644 "$W/plain"; run arg=$(shared)/plain; is "$(field errno)" 13 "not executable"
	printf 'no program' >"$W/junk"; chmod 755 "$W/junk"; run arg=$(shared)/junk; is "$(field errno)" 8 "not a program"
	printf '#!/no/such/interpreter\n' >"$W/bad"; chmod 755 "$W/bad"; run arg=$(shared)/bad
	has "$R" "interpreter is not there" "no interpreter"
	run arg=/usr; is "$(field errno)" 21 "a directory"
	run arg=; is "$(field errno)" 2 "an empty name"
	do_ exec; has "$R" "code=request" "no argument at all"
	mkdir -p "$W/bin1" "$W/bin2"; printf '#!/bin/sh\necho one' >"$W/bin1/prog"; printf '#!/bin/sh\necho two' >"$W/bin2/prog"
	chmod 644 "$W/bin1/prog"; chmod 755 "$W/bin2/prog"
	run arg=prog env=PATH=$(shared)/bin1:$(shared)/bin2; is "$O" two "PATH of the exec's environment; what may not be run is passed over"
	run arg=prog env=PATH=$(shared)/bin1; is "$(field errno)" 13 "only one that may not be run"
	run arg=./prog cwd=$(shared)/bin2; is "$O" two "a name with a slash is relative to the working directory"
	run arg=prog env=PATH= cwd=$(shared)/bin2; is "$O" two "an empty part of PATH is the working directory"
}

environment() {
	run arg=env; is "$(printf '%s' "$O" | sed 's/HOME=.*/HOME/' | sort | paste -sd' ')" \
		"BOXED=start HOME LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "environment from empty, with the box's"
	run arg=env env=BOXED=exec env=LANG=de env=A=1 env=A=2; has "$O" "BOXED=exec" "the exec's wins"
	is "$(printf '%s\n' "$O" | grep -c '^A=')$(printf '%s\n' "$O" | grep '^A=')" "1A=2" "the last of a name"
	run arg=env env=bad; has "$R" "code=request" "a variable without ="
	run arg=env env=E=; has "$O" "E=" "an empty value"
	run arg=pwd; is "$O" "$(shared)" "the box's working directory"
	run arg=pwd cwd=/usr/bin; is "$O" /usr/bin "a working directory"
	run arg=pwd cwd=/no/such; is "$S $(field errno)" "70 2" "a missing one"; has "$R" "code=file" "is an error of files"
	has "$R" "working directory" "that says so"
	run arg=pwd cwd=/etc/passwd; is "$(field errno)" 20 "a file is none"
	ln -sfn /proc/self/fd/5 "$W/magic"; run arg=pwd cwd=$(shared)/magic; is "$S" 70 "no magic link as working directory"
}

stdin_() {
	run arg=cat; is "$S$O" 0 "stdin none is at its end"
	run arg=cat stdin=1 -- data=one data=two close; is "$O" onetwo "stdin stream and close"
	head -c 2000000 /dev/urandom >"$W/big"
	run arg=sha256sum stdin=1 -- file="$W/big" close; is "$O" "$(sha256sum <"$W/big")" "much stdin"
	sh_ 'cat; cat "$0"' stdin=1 -- data=x close; has "$O" x "read to the end"
	run arg=true stdin=1 -- file="$W/big" close; is "$S" 0 "a command that does not read"
	run arg=true stdin=1; is "$S" 0 "stdin never closed"
	echo content >"$W/file"; run arg=cat stdin=2 path=$(shared)/file; is "$O" content "stdin from a file"
	run arg=cat stdin=2 path=$(shared)/none; is "$S $(field errno)" "70 2" "a missing file"
	run arg=cat stdin=2 path=file; is "$O" content "a relative one"
	run arg=cat stdin=9; has "$R" "code=request" "no such kind of stdin"
	run arg=cat stdin=2; has "$R" "code=request" "stdin from no file"
	sh_ 'exec 0<&-; echo closed; sleep 0; cat' stdin=1 -- wait=closed file="$W/big" close; is "$S" 1 "stdin closed by the command"
}

terminal() {
	run arg=sh arg=-c 'arg=tty; stty size; echo $TERM; test -t 1 -a -t 2 && echo yes' terminal=1 rows=33 columns=77 term=vt100
	has "$O" "/dev/pts/" "a terminal"; has "$O" "33 77" "its size"; has "$O" "vt100" "TERM"; has "$O" "yes" "on all three"
	sh_ 'trap "stty size; exit 5" WINCH; echo up; while :; do read x; done' terminal=1 -- wait=up resize=11x22
	is "$S" 5 "resize signals"; has "$O" "11 22" "and sets"
	sh_ 'trap "echo int; exit 6" INT; echo up; while :; do read x; done' terminal=1 -- wait=up data=$'\x03'
	is "$S" 6 "control-C"
	sh_ 'echo up; cat; echo over' terminal=1 -- wait=up close; has "$O" over "close is end of file on a terminal"
	sh_ 'trap : USR1; echo up; sh -c "trap \"echo inner; exit 0\" USR1; echo in; while :; do read x; done"; echo outer $?' terminal=1 -- wait=in signal=10
	has "$O" "inner" "a signal goes to the foreground group"
	gate held; closed held & c=$!
	sh_ 'exec 9>held; echo up; (trap "" HUP; sleep 1000) & sleep 1000' terminal=1 -- wait=up quit
	wait $c; ok $? "a caller that is gone ends a terminal's tree"
	sh_ 'sleep 1000 & echo done' terminal=1; is "$S" 0 "a background child on a terminal does not hang"
	do_ kill proc=$(last) tree
	sh_ 'stty -echo raw; head -c 300000 /dev/zero' terminal=1; is "$(stat -c %s "$T/out")" 300000 "all of a terminal's output"
}

last() { $AS "$C" "$D" ps 3>&1 | grep -o 'proc=p[0-9]*' | tail -1 | cut -d= -f2; }

deadline() {
	gate held; closed held & c=$!
	sh_ 'exec 9>held; trap "" TERM; setsid sleep 1000 & (sleep 1000 & sleep 1000 &) & (trap "" TERM HUP INT; exec sleep 1000) &
		sh -c "kill -STOP \$\$" & setsid sh -c "setsid sleep 1000 & sleep 1000" & echo up; wait; sleep 1000' deadline=3000000000
	is "$S $(field reason) $(field limit)" "137 2 deadline" "a deadline"
	wait $c; ok $? "kills the whole tree: setsid, double forks, the stopped, those who ignore TERM"
	sh_ 'trap "echo bye; exit 9" TERM; echo up; while :; do sleep 0.01; done' deadline=2000000000 grace=20000000000
	is "$S $(field reason)" "9 2" "grace: time to end"; has "$O" bye "and to say so"
	sh_ 'trap "" TERM; echo up; while :; do sleep 0.01; done' deadline=100000000 grace=100000000
	is "$S $(field reason)" "137 2" "grace ends too"
	gate held; closed held & c=$!
	sh_ 'exec 9>held; (trap "" TERM; sleep 1000) & trap "exit 3" TERM; echo up; while :; do sleep 0.01; done' deadline=2000000000 grace=200000000
	wait $c; ok $? "whoever outlives the grace is killed, though the command has ended"
	run arg=true deadline=30000000000; is "$S $(field reason)" "0 0" "a deadline that is not reached"
}

limits() {
	sh_ 'head -c 100000 /dev/zero; echo more >&2; exit 4' out-limit=1000
	is "$(stat -c %s "$T/out") $S $E" "1000 4 more" "an output limit drops, the command goes on"
	is "$(field out-bytes) $(field out-dropped) $(field err-dropped) $(field limit)" "100000 99000 0 output" "and it is told"
	sh_ 'echo abcdef >&2' err-limit=3; is "$E $(field err-dropped)" "abc 4" "the other stream"
	sh_ 'echo abc' out-limit=4; is "$O $(field out-dropped)" "abc 0" "exactly the limit"
}

background() {
	sh_ 'sleep 1000 & echo hi'; is "$S $O $(field left) $(field reason)" "0 hi 1 0" "a background child does not hang its exec"
	p=$(field proc)
	do_ kill proc=$p; is "$R" "ok gone=1" "the command itself is gone"
	do_ info; [ "$(field pids)" -ge 1 ]; ok $? "the child lives"
	do_ kill proc=$p tree; is "$R" "ok" "until its tree is killed"
	do_ info; is "$(field pids)" 0 "then nothing does"
	gate held; closed held & c=$!
	sh_ 'exec 9>held; (while echo x; do :; done; echo broken >&9) & echo hi'; is "$S" 0 "a child that floods"
	do_ kill proc=$(field proc) tree; wait $c
	is "$(cat "$T/gate")" "" "is not killed by its closed pipe"
	gate go; sh_ '(read x <go; echo late) & echo first'; p=$(field proc)
	is "$O" first "only what was written before the end"
	echo >"$W/go"; do_ wait proc=$p; is "$(field out-bytes)" 6 "and the record stays"
	sh_ '(sh -c "exit 0" &) ; (exec sh -c "exit 0") & wait; echo ok'
	for i in $(seq 100); do
		zombies=$(ps -o stat= --ppid "$SERVER" 2>/dev/null | grep -c Z)
		[ "$zombies" = 0 ] && break; sleep 0.1
	done
	is "$zombies" 0 "no zombies stay"
}

callers() {
	gate held; closed held & c=$!
	sh_ 'exec 9>held; setsid sleep 1000 & echo up; sleep 1000' -- wait=up quit
	wait $c; ok $? "a caller that is gone: the tree is killed"
	p=$(last); do_ wait proc=$p; is "$(field reason) $(field status)" "8 137" "and the record says so"
	[ "$(field left)" -ge 1 ]; ok $? "and how many went with it"
	gate go; sh_ 'echo up; read x <go; echo after; exit 3' keep=1 -- wait=up quit
	p=$(last); echo >"$W/go"; do_ wait proc=$p; is "$S $(field reason)" "3 0" "keep: the command goes on"
	do_ logs proc=$p; is "$O" after "and its output goes to the log"
	gate go; sh_ 'echo up; head -c 5000000 /dev/zero; read x <go' keep=1 out-limit=0 -- wait=up quit
	p=$(last); echo >"$W/go"; do_ wait proc=$p; is "$(field out-bytes)" 5000003 "keep: a full pipe goes on too"
	gate go; sh_ 'read x; echo got $x; read y; echo and $y' stdin=1 keep=1 -- data=$'1\n' wait=got quit
	p=$(last); do_ attach proc=$p -- data=$'2\n' close; is "$S $O" "0 and 2" "attach goes on with stdin and output"
	do_ attach proc=$p; is "$S" 0 "attach after the end: the end record"
	gate go; sh_ 'echo hi; read x <go' detach=1; p=$(field proc); has "$R" started "detach answers at once"
	do_ wait proc=$p deadline=1; has "$R" "code=timeout" "wait has a deadline"
	do_ ps; has "$R" "proc=$p" "ps names it"; has "$R" "state=0" "as running"
	sh_ 'read x <go' detach=1; p2=$(field proc); do_ kill proc=$p2 signal=15; do_ wait proc=$p2
	is "$(field reason) $(field signal)" "1 15" "kill with a signal"
	echo >"$W/go"; do_ wait proc=$p; is "$S" 0 "wait"
	do_ logs proc=$p; is "$O" hi "its log"
	do_ wait proc=p99999; has "$R" "code=no-process" "an unknown process"
	do_ kill proc=p99999; has "$R" "code=no-process" "cannot be killed"
	do_ logs proc=../records; has "$R" "code=no-process" "a name that is a path"
	run arg=true; do_ logs proc=$(field proc); has "$R" "code=state" "no log"
	sh_ 'echo 1; echo 2 >&2; sleep 0.05; echo 3; sleep 0.05; echo 4 >&2' log=1; do_ logs proc=$(field proc)
	is "$O $E" $'1\n3 2\n4' "a log of an exec that was attended"
	do_ logs proc=$(field proc) offset=2
	sh_ 'trap "echo usr; exit 0" USR1; echo up; while :; do sleep 0.01; done' -- wait=up signal=10
	is "$O" $'up\nusr' "a signal from the caller"
	run arg=sleep arg=1000 -- started signal=99; has "$R" "code=protocol" "a signal that is none"
}

hostile() {
	gate held; closed held & c=$!
	sh_ 'exec 9>held; trap "" TERM; setsid sleep 1000 & echo up; kill -9 $PPID; sleep 1000'
	is "$S $(field reason)" "137 6" "a killed nurse: lost"; wait $c; ok $? "and its orphans are killed"
	sh_ 'kill -STOP $PPID; echo up; exit 3'; is "$S $(field reason)" "3 0" "a stopped nurse is woken"
	run arg=true; is "$S" 0 "the server goes on"
	sh_ 'for i in 1 2 3 4 5 6 7 8 9 10; do (exec 1>&- 2>&-; kill -TERM 1 2>/dev/null) ; done; echo ok'; is "$O" ok "signals to process 1"
	do_ raw -- raw=00000000; has "$R" "code=protocol" "an empty frame"
	do_ raw -- raw=ffffffff01; has "$R" "code=protocol" "a frame that is too long"
	do_ raw -- raw=050000000a0900 half; is "$S" 71 "half a frame and the end"
	do_ raw -- raw=01000000c8; has "$R" "code=unsupported" "an unknown request"
	do_ raw -- raw=060000000a0102030405; has "$R" "code=request" "a damaged request"
	run arg=cat stdin=1 -- started raw=0100000009; has "$R" "code=protocol" "a frame that does not belong there"
	sh_ 'yes' -- wait=y quit; run arg=true; is "$S" 0 "a caller that leaves a flood"
	mkfifo "$T/slow" 2>/dev/null
	sh_ 'trap "" PIPE; ulimit -c 0; kill -ABRT $$'; is "$S $(field signal)" "134 6" "abort"
}

tools() {
	do_ info; has "$R" "kind=$KIND" "info"
	do_ pause; is "$R" ok "pause"
	run arg=true; has "$R" "code=state" "nothing is started in a paused box"
	do_ resume; run arg=true; is "$S" 0 "resume"
	gate go; sh_ 'exec 8<>go; echo up; read x <&8; echo on' detach=1; p=$(field proc)
	do_ logs proc=$p follow -- wait=up quit; do_ pause; echo >"$W/go"; do_ wait proc=$p deadline=100000000
	has "$R" "code=timeout" "a paused process does not go on"
	do_ resume; do_ wait proc=$p; is "$S" 0 "until it is resumed"
}

life() {
	p=$(last)
	gate held; closed held & c=$!
	sh_ 'exec 9>held; trap "" TERM; setsid sleep 1000 & echo up; sleep 1000' detach=1
	q=$(field proc)
	do_ logs proc=$q follow -- wait=up quit
	do_ stop grace=50000000; is "$R" ok "stop"; wait $c; ok $? "ends all"
	gone
	box_start "$D" "${START[@]}"; is $? 0 "the box starts again"; keeper_pid
	do_ wait proc=$q; is "$S $(field reason)" "137 8" "its record outlives the server"
	do_ logs proc=$q; is "$O" up "and its log"
	run arg=true; [ "$(field proc | tr -d p)" -gt "$(echo $q | tr -d p)" ]; ok $? "names are never used again"
	gate held; closed held & c=$!
	sh_ 'exec 9>held; trap "" TERM; setsid sleep 1000 & (setsid sleep 1000 &); echo up; sleep 1000' detach=1; q=$(field proc)
	do_ logs proc=$q follow -- wait=up quit
	kill -9 "$KEEPER"; wait $c; ok $? "a server that is killed leaves nothing running"
	gone
	box_start "$D" "${START[@]}"; is $? 0 "and the box starts again"; keeper_pid
	do_ wait proc=$q; is "$(field reason)" 6 "what ran then is lost"
	box_start "$D" "${START[@]}"; is $? 70 "a second server is refused"; has "$(cat "$T/start")" "code=state" "by the lock"
	$AS tail -n 400 "$D/audit" | python3 -c 'import json,sys
for l in sys.stdin: json.loads(l)'; ok $? "the audit log is JSON"
	has "$($AS cat "$D/audit")" '"reason":"cancel"' "and has ends"
	host host-boxes dir="$B"; has "$(cat "$T/record")" "box=d" "host finds it"; has "$(cat "$T/record")" "state=0" "as running"
	host host-remove dir="$D"; is "$(cat "$T/record")" ok "host removes it"; [ ! -e "$D" ]; ok $? "with its directory"
	host host-remove dir="$D"; is "$(cat "$T/record")" ok "twice"
	[ -z "$(find /sys/fs/cgroup -maxdepth 3 -name "tinybox-t$$" 2>/dev/null)" ]; ok $? "no control group is left"
}

# until the keeper and all nurses are gone: the lock file's bytes are free
gone() {
	$AS timeout 20 /usr/bin/python3 - "$D/lock" <<'P'
import fcntl, sys
f = open(sys.argv[1], "r+")
fcntl.lockf(f, fcntl.LOCK_EX, 2, 0)
P
}
keeper_pid() { KEEPER=$(sed -n 's/^ok pid=\([0-9]*\).*/\1/p' "$T/start"); SERVER=$(pgrep -P "$KEEPER" | head -1); }

contract() {
	B=$T/$KIND$WHO; $AS mkdir -p "$B" 2>/dev/null || { mkdir "$B"; chown 1000:1000 "$B"; }
	D=$B/d W=$B/w; $AS mkdir -m 777 "$W"; chmod 777 "$W"
	START=(env=BOXED=start workspace="$W" accept=network)
	(trap '' HUP; export SECRET=1; box_start "$D" "${START[@]}"); ok $? "start"
	[ -s "$T/start.err" ] && sed 's/^/# /' "$T/start.err" "$T/start"
	keeper_pid
	for part in ${PARTS:-streams commands environment stdin_ terminal deadline limits background callers hostile tools life}; do $part; done
	[ -d "$D" ] && host host-remove dir="$D"
}

for KIND in $KINDS; do
	AS= WHO=$(id -un)
	contract
	if [ "$(id -u)" = 0 ]; then
		AS="setpriv --reuid 1000 --regid 1000 --clear-groups" WHO=user
		contract
	fi
done
finish
