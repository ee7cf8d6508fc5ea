#!/bin/bash
# daily.sh TINYBOX: what somebody new does on the first day, behind each wall. TAP.
tinybox=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tbxdaily-XXXXXX)
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
trap 'tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; rm -rf "$dir"' EXIT
tb() { timeout 30 "$tinybox" "$@"; }

walls=(passthrough)
tb run -- true 2>/dev/null && walls+=(virtual)
tb run --sandbox namespace -- true 2>/dev/null && walls+=(namespace)
[ -e /workspace ] && before=yes
mkdir -p tree/a
echo 1 >tree/a/1
for wall in "${walls[@]}"; do
	box=$(tb create --sandbox "$wall" 2>/dev/null)
	is "$wall: created without any other word" "box-" "${box%%[0-9]*}"
	is "$wall: it begins in an empty workspace" "" "$(tb exec "$box" ls -A)"
	[ "$wall" = passthrough ] || is "$wall: which is /workspace" /workspace "$(tb exec "$box" pwd)"
	is "$wall: where it can write" yes "$(tb exec "$box" sh -c 'echo yes >f && cat f')"
	tb cp tree "$box:."
	is "$wall: copied in" 1 "$(tb exec "$box" cat tree/a/1)"
	tb cp "$box:tree" "out-$wall"
	is "$wall: copied out" "" "$(diff -r tree "out-$wall" 2>&1)"
	tb cp tree/a/1 "$box:"
	is "$wall: BOX: is where it begins" 1 "$(tb exec "$box" cat 1)"
	is "$wall: as many arguments as the kernel takes" 100000 "$(seq 100000 | xargs -n 100000 -s 1000000 \
		timeout 30 "$tinybox" exec "$box" sh -c 'echo $#' sh)"
	tb exec "$box" sh -c 'mkdir far; cd far; for i in $(seq 500); do mkdir d && cd d || exit; done; echo x >x'
	tb cp "$box:far" "far-$wall"
	is "$wall: five hundred directories in one another, out" "0 501" "$? $(find "far-$wall" -type d | wc -l)"
	tb cp "far-$wall" "$box:again"
	is "$wall: ... and in" "0 502" "$? $(tb exec "$box" find again | wc -l)"
	python3 -c 'import os; os.mkdir("long"); os.chdir("long")
for i in range(18): os.mkdir("n" * 240); os.chdir("n" * 240)
open("x", "w")'
	tb cp long "$box:long" 2>err
	is "$wall: where no path leads is left out" 70 $?
	is "$wall: ... by name" 1 "$(grep -c 'its path is too long: not copied' err)"
	is "$wall: ... and the rest is there" yes "$(tb exec "$box" sh -c '[ $(find long | wc -l) -gt 15 ] && echo yes')"
	rm -rf long
	tb exec "$box" rm -r again long
	tb exec "$box" rm -r far
	tb exec "$box" no-such-command 2>err
	is "$wall: an unknown command is 127" 127 $?
	is "$wall: ... and the reason is told once" 0 "$(grep -c 'No such file' err)"
	tb stop "$box" >/dev/null
	tb start "$box" >/dev/null
	is "$wall: files are there after stop and start" yes "$(tb exec "$box" cat f)"
	tb rm "$box" >/dev/null
done
is "nothing was made on the host" "$before" "$([ -e /workspace ] && echo yes)"
if [[ " ${walls[*]} " == *" namespace "* ]]; then
	home=$(tb run --sandbox namespace --dir tree -- sh -c 'cd && touch here && pwd')
	is "namespace: home is not the workspace" "/root a" "$home $(ls tree)"
	is "namespace: process 1 tells nothing about the host" "tinybox-init" \
		"$(tb run --sandbox namespace -- cat /proc/1/cmdline | tr '\0' ' ' | sed 's/ *$//')"
	if tb run --sandbox namespace --memory 64m -- true 2>/dev/null; then
		is "namespace: the box's memory at its end is told" "oom memory" "$(
			tb run --sandbox namespace --memory 64m --record r -- \
				sh -c 'exec tail /dev/zero' >/dev/null 2>&1
			python3 -c 'import json; r = json.load(open("r")); print(r["reason"], r.get("limit"))')"
	else
		skip "namespace: the box's memory at its end is told" "no control group"
	fi
	if tb run --sandbox namespace --pids 20 -- true 2>/dev/null; then
		is "namespace: so are its processes" "pids pids" "$(
			tb run --sandbox namespace --pids 20 --record r -- \
				sh -c 'for i in $(seq 40); do sleep 5 & done' >/dev/null 2>&1
			python3 -c 'import json; r = json.load(open("r")); print(r["reason"], r.get("limit"))')"
	else
		skip "namespace: so are its processes" "no control group"
	fi

	# ---- where the machine is less than a whole one: it works, or says in time what is missing ----
	if unshare -U --map-root-user true 2>/dev/null; then
		is "namespace: root of a user namespace with one id" "uid=0(root)" "$(mkdir -m 700 own
			TINYBOX_STATE_DIR=$dir/own/s timeout 60 unshare -U --map-root-user "$tinybox" run --sandbox namespace -- id 2>&1 | cut -d' ' -f1)"
	else
		skip "namespace: root of a user namespace with one id" "no user namespaces"
	fi
	lacking="env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null -e inject=clone3:error=ENOSYS"
	if $lacking true 2>/dev/null; then
		for wall in "namespace" "passthrough --network open"; do
			timeout 60 $lacking "$tinybox" run --sandbox $wall -- echo in >out 2>err
			case $?$(cat out) in
			0in) answer=yes ;;
			70) answer=$(grep -c 'clone3 is missing' err) ;;
			*) answer=no ;;
			esac
			[ "$(id -u)" = 0 ] && want='[1y]*' || want=yes
			case $answer in $want) is "clone3 is missing: ${wall%% *}" 0 0 ;; *) is "clone3 is missing: ${wall%% *}" yes "$answer $(cat err)" ;; esac
		done
	fi
	box=$(tb create --sandbox namespace --dir "$(dirname "$tinybox")" --read-only)
	tb exec --timeout 60s -e TINYBOX_STATE_DIR=/tmp/s "$box" -- ./tinybox run --sandbox namespace -- true >out 2>err
	is "namespace: a box in a box is refused, with a reason" "70 1" "$? $(grep -c 'user namespaces are forbidden here' err)"
	is "namespace: ... but a virtual one" in "$(tb exec -e TINYBOX_STATE_DIR=/tmp/s "$box" -- ./tinybox run -- echo in 2>/dev/null)"
	tb rm "$box" >/dev/null

	# ---- a directory that becomes a link, and back, while it is copied ----
	mkdir -p race/dir victim
	echo inside >race/dir/file
	echo outside >victim/file
	cp -rL race/dir control && ln -s "$dir/victim" race/link && cp -rL race/link control2
	is "control: who follows the link reads what is outside" outside "$(cat control2/file)"
	box=$(tb create --sandbox namespace --dir race)
	tb spawn "$box" -- sh -c 'while :; do mv dir real; mv link dir; mv dir link; mv real dir; done' >/dev/null
	got='' made=''
	for round in $(seq 25); do
		rm -rf raced
		tb cp "$box:dir" raced 2>/dev/null
		[ -d raced ] && [ ! -L raced ] && got+=$(cat raced/file 2>/dev/null | grep outside)
		tb cp tree/a/1 "$box:dir/made" 2>/dev/null
	done
	made=$(ls victim)
	is "namespace: a copy out never reads outside" "" "$got"
	is "namespace: a copy in never writes outside" file "$made"
	tb rm "$box" >/dev/null

	# ---- an image whose directories are links to elsewhere ----
	mkdir -p image/bin
	cp "$(dirname "$tinybox")/tinybox-init" image/bin/init
	for name in dev proc etc tmp workspace run; do
		ln -s "$dir/victim" "image/$name"
	done
	# (with sanitizers the program is not static and no program for an image)
	ldd image/bin/init >/dev/null 2>&1 || is "namespace: an image of links is a box, or refused" yes "$(
		tb run --sandbox namespace --image image -- /bin/init version >out 2>err
		case $? in 0) grep -c 'protocol 1' out >/dev/null && echo yes ;; 70) [ -s err ] && echo yes ;; esac)"
	is "namespace: ... and nothing is made where they lead" file "$(ls -A victim)"
	for network in none open; do
		box=$(tb create --sandbox namespace --network $network -p 0:8000)
		is "namespace: a published port that was chosen for us is told ($network)" 1 \
			"$(tb inspect "$box" | grep -cE '^published.127.0.0.1:[1-9][0-9]* -> 8000$')"
		is "namespace: and who enforces it ($network)" 1 "$(tb inspect "$box" | grep -c '^control.ports.8000.enforced')"
		tb rm "$box" >/dev/null
	done
	# a server on a port below 1024, as a programs' own root would be
	box=$(tb create --sandbox namespace -p 0:80)
	port=$(tb inspect "$box" | sed -n 's/^published.127.0.0.1:\([0-9]*\) -> 80$/\1/p')
	proc=$(tb spawn "$box" -- python3 -c 'import socket
s = socket.create_server(("0.0.0.0", 80)); open("/tmp/on", "w"); s.accept()[0].sendall(b"port 80")')
	while ! tb exec "$box" test -e /tmp/on && [ "$(tb ps --json "$box" | grep -c '"running"')" = 1 ]; do :; done
	is "namespace: a published port below 1024 can be listened at inside" "port 80" "$(timeout 20 python3 -c 'import socket, sys
print(socket.create_connection(("127.0.0.1", int(sys.argv[1]))).recv(100).decode())' "$port" 2>&1)"
	is "namespace: ... and nothing else of /proc/sys can be written" 1 \
		"$(tb exec "$box" sh -c 'echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start' 2>/dev/null; [ $? != 0 ] && echo 1)"
	tb create --sandbox namespace -p "$port:81" >/dev/null 2>err
	is "namespace: a port that is taken is named" 1 "$(grep -c "cannot listen at 127.0.0.1, port $port: Address already in use" err)"
	tb rm "$box" >/dev/null
fi

# ---- the store ----
mkdir -m 777 open
tb --store open ls 2>err
is "a state directory that others can write is refused" 70 $?
is "... with a reason" 1 "$(grep -c 'written by others' err)"
if [ "$(id -u)" = 0 ]; then
	mkdir other && chown 1000 other
	tb --store other run -- true 2>err
	is "one of another user is refused, by root too" 70 $?
	is "... with a reason" 1 "$(grep -c 'another user' err)"
fi
tb ls >/dev/null
echo 99999999999999999999 >state/counter
box=$(tb create --sandbox passthrough 2>/dev/null)
is "a damaged counter" yes "$([[ $box == box-[1-9]* && ${#box} -lt 12 ]] && echo yes)"
sed -i 's/"version": *[0-9]*/"version": 99/' "state/boxes/$box/record.json"
tb ls 2>err >/dev/null
is "a record of a newer version is named" 1 "$(grep -c "$box was made by a newer" err)"
tb exec "$box" true 2>/dev/null
is "... its box is not used" 70 $?
tb reap >/dev/null
is "... and left alone" yes "$([ -e "state/boxes/$box/record.json" ] && echo yes)"
mkfifo "state/boxes/$box/fifo" && mv "state/boxes/$box/fifo" state/boxes/$box/record.json
tb ls >/dev/null 2>err
is "a pipe as a record does not hang" 1 "$(grep -c "$box" err)"
tb reap >/dev/null

# ---- ls, inspect, rm ----
pass=(--sandbox passthrough)
box=$(tb create "${pass[@]}" --label com.example.x=1 --label y= 2>/dev/null)
tb create "${pass[@]}" >/dev/null 2>&1
is "ls: a time is a date in a pipe" 2 "$(tb ls "$box" 2>/dev/null; tb ls -l y | tr '\t' '\n' | grep -cE '^20[0-9-]+T[0-9:]+Z$')"
is "ls: labels may have dots" "$box" "$(tb ls -q -l com.example.x=1)"
is "ls: json of those alone" 1 "$(tb ls --json -l com.example.x=1 | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["boxes"]))')"
is "ls: none" "" "$(tb ls -q -l com.example.x=2)"
is "inspect: the date, and what is left" 1 "$(tb inspect "$box" | grep -cE '^ends.20[0-9-]+T[0-9:]+Z \(in [0-9]+m\)$')"
tb rm -f $(tb ls -q) >/dev/null
tb rm -f $(tb ls -q)
is "rm -f of none" 0 $?
tb rm 2>/dev/null
is "rm of none" 2 $?
tap_end
