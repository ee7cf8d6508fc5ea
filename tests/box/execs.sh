#!/bin/bash
# execs.sh [--uid N] TINYBOX WALL: two execs of one box, which see and signal each other's processes and share FIFOs and locks,
# while what ends one leaves the other: the same behind every wall. Nothing waits for time; an exec that
# is to have come so far says so into a FIFO. TAP.
uid=
[ "$1" = --uid ] && { uid=$2; shift 2; }
tinybox=$(realpath "$1") wall=$2
. "$(dirname "$0")/tap.sh"
TINYBOX_STATE_DIR=$(mktemp -d /tmp/tbxexecs-XXXXXX)
export TINYBOX_STATE_DIR
as=()
if [ -n "$uid" ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root can be another user"; exit 0; }
	# the build may lie where an ordinary user does not come, and counts lines where he cannot write
	cp "${tinybox%/*}"/tinybox{,-init,-engine} "$TINYBOX_STATE_DIR" && tinybox=$TINYBOX_STATE_DIR/tinybox
	chmod 755 "$TINYBOX_STATE_DIR"
	TINYBOX_STATE_DIR+=/state
	mkdir "$TINYBOX_STATE_DIR" && chown "$uid" "$TINYBOX_STATE_DIR"
	export GCOV_PREFIX=$TINYBOX_STATE_DIR/lines HOME=$TINYBOX_STATE_DIR
	as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups)
fi
top=${tinybox%/*}
[ -n "$uid" ] || top=$TINYBOX_STATE_DIR
D=/tmp/execs.$$
trap 'tb rm -f "$box" >/dev/null 2>&1; cd /; rm -rf "$top" "$D"' EXIT
cd "$TINYBOX_STATE_DIR" || exit 1
tb() { "${as[@]}" timeout 60 "$tinybox" "$@"; }
make=(--sandbox "$wall" --accept memory --accept pids --accept cpu)
box=$(tb create "${make[@]}") || { echo "Bail out! no box"; exit 1; }
run() { tb exec -e "D=$D" "$box" -- bash -c "$1"; }
spawn() { tb spawn -e "D=$D" "$box" -- bash -c "$1"; }
said() { run 'cat $D/said'; }		# waits for whoever says something

run 'mkdir $D && mkfifo $D/said $D/go $D/data $D/back'

a=$(spawn 'echo $$ >$D/pid; echo ready >$D/said; exec sleep 43210')
said >/dev/null
is "ps sees the other's" "1" "$(run 'ps -e -o args | grep -c "^sleep 4321[0]"')"
is "so does /proc" "sleep 43210 " "$(run 'tr "\0" " " <"/proc/$(cat $D/pid)/cmdline"')"
is "and pgrep" "yes" "$(run '[ "$(pgrep -f "^sleep 4321[0]")" = "$(cat $D/pid)" ] && echo yes')"
is "it can be signalled, and is no child" "0
127" "$(run 'kill -0 "$(cat $D/pid)"; echo $?; wait "$(cat $D/pid)" 2>/dev/null; echo $?')"
run 'kill -TERM "$(cat $D/pid)"'
tb wait "$box" "$a"
is "a kill reaches it" 143 $?

a=$(spawn 'trap "echo caught >\$D/said; exit 3" USR1; echo $$ >$D/pid; echo ready >$D/said; while :; do sleep 0.01; done')
said >/dev/null
run 'kill -USR1 "$(cat $D/pid)"'
is "a trap runs" caught "$(said)"
tb wait "$box" "$a"
is "and ends it" 3 $?

a=$(spawn 'md5sum <$D/data >$D/back')
run 'seq 200000 >$D/data' &
is "FIFOs between three" "$(seq 200000 | md5sum)" "$(run 'cat $D/back')"
wait
tb wait "$box" "$a"
is "the middle one ends" 0 $?

a=$(spawn 'exec 9>$D/lock; flock 9; echo locked >$D/said; read x <$D/go')
said >/dev/null
is "a lock excludes" 1 "$(run 'flock -n $D/lock true; echo $?')"
b=$(spawn 'echo waits >$D/said; flock $D/lock echo mine >$D/back')
said >/dev/null
tb kill --tree "$box" "$a" >/dev/null
is "and goes with its holder" mine "$(run 'cat $D/back')"
tb wait "$box" "$b"
is "whose death leaves who waited" 0 $?

a=$(spawn 'exec 3<$D/data; read x <$D/go')
b=$(spawn 'exec 3>$D/data; echo open >$D/said; read x <$D/back; while :; do echo more >&3; done')
said >/dev/null
tb kill --tree "$box" "$a" >/dev/null
tb wait "$box" "$a"
run 'echo >$D/back'
tb wait "$box" "$b"
is "the reader is killed: SIGPIPE" 141 $?

a=$(spawn 'sleep 43211 & sleep 43211 & echo up >$D/said; while :; do :; done')
said >/dev/null
b=$(spawn 'echo $$ >$D/pid; echo up >$D/said; read x <$D/go; echo $x >$D/back')
said >/dev/null
is "an endless loop starves nobody" "ok" "$(run 'seq 3 | grep -c . >/dev/null && echo ok')"
is "what has a deadline ends" 137 "$(tb exec --timeout 20ms "$box" -- bash -c 'while :; do :; done' 2>/dev/null; echo $?)"
tb kill --tree "$box" "$a" >/dev/null
tb wait "$box" "$a"
is "killed with its tree" "137 0" "$? $(run 'ps -e -o args | grep -c "^sleep 4321[1]"')"
is "the other lives" alive "$(run 'kill -0 "$(cat $D/pid)" && echo alive >$D/go; cat $D/back')"
tb wait "$box" "$b"
is "to its end" 0 $?

spawn 'sleep 43212 & echo $! >$D/pid; echo up >$D/said' >/dev/null
said >/dev/null
is "what an exec left behind is there for the next" "0" "$(run 'kill -TERM "$(cat $D/pid)"; echo $?')"
tb rm -f "$box" >/dev/null
is "the box goes" 0 $?
tap_end
