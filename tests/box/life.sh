#!/bin/bash
# life.sh TINYBOX: what happens to a box as a whole while it lives: hooks, the end of its time, pause, labels. TAP.
tinybox=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxlife-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { timeout 30 "$tinybox" "$@"; }
json() { python3 -c 'import json, sys
d = json.load(sys.stdin)
for k in sys.argv[1:]: d = d[int(k) if k.lstrip("-").isdigit() else k]
print(d)' "$@"; }

for wall in ${WALLS:-virtual namespace passthrough}; do
	make=(--sandbox $wall --accept cpu --accept memory --accept pids)

	# ---- hooks ----
	box=$(tb create "${make[@]}" --cwd /tmp --hook 'echo "$TINYBOX_START" >>/tmp/hook.'$$ --hook 'echo second; echo "$0" >&2' 2>err)
	is "$wall: a hook ran, and said why" create "$(tb exec "$box" cat /tmp/hook.$$)"
	is "$wall: both are told of" "0 0" "$(tb inspect --json "$box" | json hooks | python3 -c 'print(*[h["status"] for h in eval(input())])')"
	is "$wall: in its log" "second sh" "$(tb logs --label hook "$box" 2>&1 | sort | xargs)"
	has "$wall: in the events" '"event":"hook"' "$(tb events "$box")"
	tb stop "$box" >/dev/null
	tb start "$box" >/dev/null 2>err
	is "$wall: again at a start" "create start" "$(tb exec "$box" cat /tmp/hook.$$ | xargs)"
	[ $wall = passthrough ] && rm -f /tmp/hook.$$
	tb rm "$box" >/dev/null
	tb create "${make[@]}" --hook 'echo bad news >&2; exit 3' --hook 'touch never' >out 2>err
	is "$wall: a hook that fails" 70 $?
	has "$wall: ... is named" "bad news" "$(cat err)"
	has "$wall: ... with its status" "status 3" "$(cat err)"
	is "$wall: ... and nothing is left" "" "$(tb ls -q)"
	is "$wall: its code" hook "$(tb create "${make[@]}" --json --hook false 2>/dev/null | json error code)"
	tb create "${make[@]}" --hook 'sleep 60' --hook-timeout 100ms >out 2>err
	is "$wall: a hook that is too slow" 70 $?
	has "$wall: ... is told as that" timeout "$(cat err)"
	box=$(tb create "${make[@]}" --hook 'exit 4' --hook-warn --hook 'echo went on' 2>err)
	has "$wall: a warning only" "status 4" "$(cat err)"
	is "$wall: the next one ran" "went on" "$(tb logs --label hook "$box" 2>/dev/null)"
	tb rm "$box" >/dev/null
	# what fails at a start leaves the box stopped, with its files
	box=$(tb create "${make[@]}" --hook 'test ! -e flag' 2>err)
	tb exec "$box" touch flag
	tb stop "$box" >/dev/null
	tb start "$box" >/dev/null 2>err
	is "$wall: a failed start" 70 $?
	is "$wall: ... leaves it stopped" stopped "$(tb ls --json | json boxes 0 state)"
	tb rm "$box" >/dev/null
	is "$wall: in a run" "hooked cmd" "$(tb run "${make[@]}" --hook 'echo hooked >hooked' sh -c 'cat hooked; echo cmd' 2>err | xargs)"

	# ---- pause ----
	box=$(tb create "${make[@]}" 2>err)
	p=$(tb spawn --label count "$box" sh -c 'i=0; while :; do i=$((i+1)); echo $i >count; sleep 0.01; done')
	count() { tb cp "$box:count" "$1" 2>/dev/null || tb cp "$box:/workspace/count" "$1" 2>/dev/null; }
	for _ in $(seq 200); do count before && [ -s before ] && break; sleep 0.05; done
	tb pause "$box" >/dev/null
	is "$wall: paused" paused "$(tb inspect --json "$box" | json state)"
	tb exec "$box" true 2>err
	is "$wall: nothing new runs" 70 $?
	has "$wall: ... and it says why" "resume" "$(cat err)"
	count before
	sleep 0.2
	count after
	is "$wall: nothing moves" "$(cat before)" "$(cat after)"
	tb resume "$box" >/dev/null
	is "$wall: resumed" ready "$(tb inspect --json "$box" | json state)"
	for _ in $(seq 200); do count after; cmp -s before after || break; sleep 0.05; done
	is "$wall: it moves again" yes "$([ "$(cat before)" != "$(cat after)" ] && echo yes)"

	# ---- processes by their label ----
	tb kill --label count "$box"
	is "$wall: kill by label" 0 $?
	tb wait --label count "$box"
	is "$wall: wait by label" 143 $?
	tb kill --label count "$box" 2>err
	is "$wall: none of them runs" 70 $?
	has "$wall: ... is said" "no process of $box runs that has the label count" "$(cat err)"
	tb wait --label nobody "$box" 2>err
	is "$wall: nobody has it" 70 $?
	tb wait --label count "$box" p1 2>err
	is "$wall: both ways at once" 2 $?
	tb spawn --label out "$box" sh -c 'echo one' >/dev/null; tb wait --label out "$box"
	tb spawn --label out "$box" sh -c 'echo two' >/dev/null; tb wait --label out "$box"
	is "$wall: the latest of a label" two "$(tb logs --label out "$box")"
	for i in 1 2 3; do tb spawn --label many "$box" sleep 60 >/dev/null; done
	tb kill --tree --label many "$box"
	is "$wall: all of a label" "0" "$(tb ps "$box" | grep -c 'running.*sleep 60')"

	# ---- the end of its time ----
	before=$(tb inspect --json "$box" | json expires_at)
	tb ttl "$box" +1h >/dev/null
	is "$wall: an hour more" 3600000000000 "$(($(tb inspect --json "$box" | json expires_at) - before))"
	tb ttl "$box" 10m >/dev/null 2>err
	is "$wall: not shortened by accident" 70 $?
	has "$wall: ... and it says how" "--shorten" "$(cat err)"
	is "$wall: ... and nothing changed" 3600000000000 "$(($(tb inspect --json "$box" | json expires_at) - before))"
	tb ttl --shorten "$box" 10m >/dev/null
	has "$wall: shortened on purpose" "9m" "$(tb ttl "$box")"
	tb ttl "$box" never >/dev/null
	has "$wall: never" never "$(tb ttl "$box")"
	is "$wall: persistent" persistent "$(tb inspect --json "$box" | json spec lifecycle kind)"
	tb ttl "$box" +1h 2>err
	is "$wall: no end to move" 70 $?
	tb ttl --shorten "$box" 1ms >/dev/null
	sleep 0.01
	has "$wall: over" over "$(tb ttl "$box")"
	has "$wall: an event" '"event":"ttl"' "$(tb events "$box")"
	tb ttl "$box" +1h >/dev/null
	is "$wall: taken back in time" "" "$(tb reap)"
	tb ttl --shorten "$box" 1ms >/dev/null
	has "$wall: reaped" "$box" "$(sleep 0.01; tb reap)"
done
# ---- a store that somebody removed by hand ----
# The pid of a box's server, by the lock it holds.
server() {
	python3 -c 'import fcntl, struct, sys
f = open(sys.argv[1], "r+")
print(struct.unpack("hhqqi", fcntl.fcntl(f, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0))[:28])[4])' \
		"state/boxes/$1/run/lock"
}
gone_now() { [ -d "/proc/$1" ] && ! grep -qs 'State:.*Z' "/proc/$1/status" || echo gone; }
gone() {	# gone PID: within ten seconds
	for _ in $(seq 100); do
		[ -d "/proc/$1" ] && ! grep -qs 'State:.*Z' "/proc/$1/status" || { echo gone; return; }
		sleep 0.1
	done
}
for wall in ${WALLS:-virtual namespace passthrough}; do
	# killed in the middle of a start's hooks
	box=$(tb create --sandbox $wall --accept cpu --accept memory --accept pids --hook 'test $TINYBOX_START = create || sleep 60' 2>err)
	tb stop "$box" >/dev/null
	"$tinybox" start "$box" 2>err &
	starter=$!
	pid=0
	for _ in $(seq 200); do pid=$(server "$box" 2>/dev/null); [ "${pid:-0}" -gt 1 ] && break; sleep 0.05; done
	kill -9 $starter
	wait $starter 2>/dev/null
	for _ in $(seq 100); do tb stop "$box" >/dev/null; [ "$(gone_now "$pid")" ] && break; sleep 0.1; done
	is "$wall: a start that was killed can be stopped" gone "$(gone_now "$pid")"
	tb rm "$box" >/dev/null
	box=$(tb create --sandbox $wall --accept cpu --accept memory --accept pids 2>err)
	tb spawn "$box" sleep 61.$$ >/dev/null
	pid=$(server "$box")
	rm -rf "state/boxes/$box" 2>/dev/null
	is "$wall: its server ends when its directory is removed" gone "$(gone "$pid")"
	is "$wall: ... with what ran" "" "$(pgrep -f "sleep 61.$$")"
	tb reap >/dev/null
done

# ---- audit logs ----
for wall in ${WALLS:-virtual namespace passthrough}; do
	box=$(tb create --sandbox $wall --accept cpu --accept memory --accept pids 2>err)
	for i in $(seq 12); do tb exec "$box" sh -c "echo $i >f$i; cat f$i" >/dev/null & done
	for i in $(seq 8); do echo $i >file$i; tb cp file$i "$box:/tmp/$$-file$i" & done
	wait
	[ $wall = passthrough ] && rm -f /tmp/$$-file*
	tb exec "$box" printf '\377\n' >/dev/null
	is "$wall: its log is whole" 0 "$(tb audit --verify "$box" >out; echo $?)"
	has "$wall: ... and says so" whole "$(cat out)"
	has "$wall: what is no UTF-8 is there too" '"p13"' "$(tb events "$box" | tail -2)"
	tb stop "$box" >/dev/null; tb start "$box" >/dev/null 2>&1; tb exec "$box" true
	is "$wall: also over a stop and a start" 0 "$(tb audit --verify "$box" >/dev/null; echo $?)"
	log=state/boxes/$box/run/audit
	cp $log kept; cp $log.head kept.head
	tell() { tb audit --verify --json "$box" 2>&1 | json why 2>&1 | tail -1; cp kept $log; cp kept.head $log.head; }
	sed -i '3s/event/evenT/' $log
	has "$wall: a line that was changed" "changed" "$(tell)"
	sed -i 4d $log
	has "$wall: one that was left out" "left out" "$(tell)"
	sed -i '5{h;G}' $log
	has "$wall: one that was put in" "put in" "$(tell)"
	sed -i '$d' $log
	has "$wall: one that was cut off" "missing at its end" "$(tell)"
	: >$log
	has "$wall: all of them" "missing" "$(tell)"
	tail -n 1 $log >>$log
	has "$wall: one behind the last" "put in" "$(tell)"
	rm $log.head
	has "$wall: the head is gone" "head" "$(tell)"
	sed -i '2s/event/evenT/' $log
	tb audit --verify "$box" >out
	is "$wall: its status" 70 $?
	has "$wall: where" "behind line 2" "$(cat out)"
	cp kept $log
	tb stop "$box" >/dev/null
	# what a crash leaves: a line that the head does not know yet
	head -n -1 kept >$log; printf '%s' '{"torn":' >>$log
	python3 - $log $log.head <<'PY'
import hashlib, sys
lines = [l for l in open(sys.argv[1], "rb").read().split(b"\n")][:-1]
open(sys.argv[2], "w").write("%020d %020d %s\n" % (len(lines), sum(len(l) + 1 for l in lines), hashlib.sha256(lines[-1]).hexdigest()))
PY
	tb start "$box" >/dev/null 2>&1
	tb exec "$box" true
	is "$wall: half a line of a crash goes" 0 "$(tb audit --verify "$box" >/dev/null; echo $?)"
	tb rm "$box" >/dev/null
done
is "the store's own log" 0 "$(tb audit --verify >out; echo $?)"
sed -i 1d state/events
is "... that lost a line" 70 "$(tb audit --verify >out; echo $?)"

# ---- what the host obeys in its own directory ----
for wall in ${WALLS:-virtual namespace passthrough}; do
	rm -rf tree; mkdir -p tree/sub/.vscode tree/src; git -C tree init -q
	echo 'echo hi' >tree/.envrc; echo '{}' >tree/sub/.vscode/settings.json; echo x >tree/src/main.c
	make=(--sandbox $wall --accept cpu --accept memory --accept pids --dir tree)
	tb run "${make[@]}" sh -c 'echo y >src/main.c; echo z >new; cat .envrc' >out 2>err
	is "$wall: ordinary work is not told of" "" "$(grep obey err)"
	tb run "${make[@]}" sh -c 'echo evil >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
		echo more >>.envrc; mkdir -p .claude; echo {} >.claude/settings.json; echo "{ }" >sub/.vscode/settings.json' >out 2>err
	for what in ".git/hooks/post-checkout (new)" ".envrc (changed)" ".claude/settings.json (new)" "sub/.vscode/settings.json (changed)"; do
		has "$wall: run tells of $what" "$what" "$(cat err)"
	done
	is "$wall: on one line" 1 "$(grep -c obey err)"
	box=$(tb create "${make[@]}" 2>err)
	tb exec "$box" sh -c 'chmod 777 .envrc; ln -s /etc .idea; echo core.pager >>.git/config'
	tb rm "$box" >out 2>err
	has "$wall: rm tells of a mode" ".envrc (changed)" "$(cat err)"
	has "$wall: ... of a link" ".idea (new)" "$(cat err)"
	has "$wall: ... of git's configuration" ".git/config (changed)" "$(cat err)"
	has "$wall: ... and so do events" '"event":"trusted"' "$(tb events "$box")"
	: >err; [ $wall = passthrough ] || tb run "${make[@]}" --read-only true 2>err
	is "$wall: nothing of one that cannot be written" "" "$(grep obey err)"
	box=$(tb create "${make[@]}" 2>err)
	tb exec "$box" sh -c 'mkfifo .gdbinit; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo x >.git/hooks/h$i; done' 2>/dev/null
	tb rm "$box" >out 2>err
	has "$wall: many are counted" "and 3 more" "$(cat err)"
done

# ---- snapshots at an interval ----
for wall in ${WALLS:-virtual namespace}; do
	[ $wall = passthrough ] && continue
	box=$(tb create --sandbox $wall --accept cpu --accept memory --accept pids --autosnapshot 1s --autosnapshot-keep 2 2>err)
	tb exec "$box" sh -c 'echo 1 >/tmp/n'
	mine=$(tb snapshot "$box" 2>/dev/null)
	tb reap --watch --interval 100ms >out 2>err &
	loop=$!
	for _ in $(seq 150); do [ "$(grep -c "	removed	$box" out)" -ge 2 ] && break; sleep 0.1; done
	kill "$(pgrep -P $loop)"
	wait $loop
	has "$wall: autosnapshot" "	snapshot	$box	snap-" "$(cat out)"
	has "$wall: ... old ones go" "	removed	$box	snap-" "$(cat out)"
	is "$wall: ... two of them stay, and mine" 3 "$(tb snapshot ls --json | json snapshots | python3 -c 'print(len(eval(input())))')"
	has "$wall: ... mine is there" "$mine" "$(tb snapshot ls)"
	last=$(grep "	snapshot	$box" out | tail -1 | cut -f4)
	is "$wall: ... a box begins from one" 1 "$(tb run --sandbox $wall --accept cpu --accept memory --accept pids --snapshot "$last" cat /tmp/n 2>&1)"
	tb ttl "$box" +1h >/dev/null
	is "$wall: ... a new end does not end them" 1000000000 "$(tb inspect --json "$box" | json spec lifecycle autosnapshot)"
	tb rm "$box" >/dev/null
	tb snapshot rm $(tb snapshot ls -q 2>/dev/null || tb snapshot ls | cut -f1) >/dev/null
done
tb create --sandbox passthrough --network open --autosnapshot 1m >out 2>err
is "autosnapshot of what cannot be kept" 70 $?
has "... is said" "passthrough" "$(cat err)"

# ---- a limit of the disk: what was written is there after a stop, even where nothing fits any more ----
box=$(tb create --sandbox namespace --accept disk --disk 64m 2>err)
case $(tb inspect "$box" | grep "control.*disk") in
*ext4*)
	tb exec "$box" sh -c 'echo kept >/root/f; rm -r /srv; head -c 100m /dev/zero >/tmp/x' 2>err
	has "disk: no more fits" "No space left" "$(cat err)"
	is "disk: it is a file" yes "$([ -f "state/boxes/$box/run/disk" ] && echo yes)"
	for i in 1 2; do
		tb stop "$box" >/dev/null; tb start "$box" >/dev/null
		is "disk: kept, full ($i)" "kept gone" "$(tb exec "$box" sh -c 'cat /root/f; [ -e /srv ] || echo gone' | xargs)"
	done
	kill -9 "$(tb inspect --json "$box" | json pid)"; tb start "$box" >/dev/null
	is "disk: kept, its keeper killed" kept "$(tb exec "$box" cat /root/f)"
	is "disk: mounted once" 1 "$(losetup -a | grep -c "$dir")"
	tb exec "$box" rm /tmp/x
	is "disk: room again" y "$(tb exec "$box" sh -c 'echo y >/tmp/y && cat /tmp/y')"
	tb snapshot "$box" 2>err
	is "disk: no layer" 70 $?
	tb rm "$box" >/dev/null
	for _ in $(seq 50); do losetup -a | grep -q "$dir" || break; sleep 0.1; done
	is "disk: its loop device is gone" "" "$(losetup -a | grep "$dir")" ;;
*tmpfs*)
	skip "disk: a file system in a file" "no root, mke2fs or loop devices"
	has "disk: that it ends with a stop is told" "gone at a stop" "$(tb inspect "$box")"
	tb rm "$box" >/dev/null ;;
*)
	is "disk: a limit" "" "$(cat err)" ;;
esac

# ---- the loop ----
line() {	# line PATTERN: in out, within ten seconds
	for _ in $(seq 100); do grep -q "$1" out && { echo yes; return; }; sleep 0.1; done
}
tb reap --watch --interval 50ms >out 2>err &
loop=$!
box=$(tb create --ttl 1ms)
is "reap --watch: what is over goes" yes "$(line "reaped	$box	its time is over")"
is "... one line each" 1 "$(grep -c "$box" out)"
is "... five tabs at most, and a date" "" "$(grep -vE '^20[0-9-]+T[0-9:]+Z	' out)"
kill "$(pgrep -P $loop)"
wait $loop
is "... until SIGTERM" 0 $?
slow="strace -qq -o /dev/null -e trace=openat -e inject=openat:delay_enter=20000"
ASAN_OPTIONS=detect_leaks=0 timeout -k 20 1 $slow "$tinybox" reap --watch --interval 10ms >out 2>err
is "... also when each pass takes longer than the interval" 124 $?
# a pass in the middle of a move would make the store anew: passes are at our word
"$tinybox" reap --watch --json --interval 1h >out 2>err &
loop=$!
until grep -q '^SigBlk:.*[13579bdf]$' /proc/$loop/status || ! kill -0 $loop; do sleep 0.1; done
box=$(tb create --ttl 1ms)
kill -HUP $loop
is "... SIGHUP: at once" yes "$(line "$box")"
is "... as JSON" reaped "$(head -1 out | json event)"
sleep 0.2
mv state away; echo >state
kill -HUP $loop
is "... survives that its store is gone" yes "$(line failed)"
kill -HUP $loop; sleep 0.2; kill -HUP $loop; sleep 0.2
is "... and says so once" 1 "$(grep -c failed out)"
rm state; mv away state
box=$(tb create --ttl 1ms)
kill -HUP $loop
is "... and goes on" yes "$(line "$box")"
kill $loop
wait $loop
is "... ends" 0 $?

while IFS= read -r words; do
	eval "tb $words" >out 2>err </dev/null
	is "usage: $words" 2 $?
	is "... says one thing" 1 "$(grep -c '^tinybox: ' err)"
done <<'END2'
ttl
ttl box-1 soon
audit --x
reap --interval 1m
reap --watch --interval 0
reap --watch --interval soon
ttl box-1 0
ttl box-1 +
ttl box-1 -1h
ttl box-1 1h 2h
create --hook ''
create --hook-timeout 1m
create --autosnapshot 0
create --autosnapshot soon
create --autosnapshot 10ms
create --autosnapshot-keep 2
create --autosnapshot 1m --autosnapshot-keep 0
create --hook-warn
create --hook true --hook-timeout 0
create --hook true --hook-timeout x
kill box-1
logs box-1
wait --label x box-1 p1
END2
for words in "ttl box-1" "ttl box-1 1h" "kill --label x box-1"; do
	tb $words >/dev/null 2>err
	is "no such box: $words" 70 $?
done
tap_end
