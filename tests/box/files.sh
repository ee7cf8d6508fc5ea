#!/bin/bash
# Files, logs, ports, ways to a box, and what a start refuses: a box's server behind each kind, as root and as an
# ordinary user.
#	files.sh TINYBOX-INIT BOX-CLIENT [KIND]
I=$1 C=$2 KINDS=${3:-passthrough namespace}
here=$(dirname "$0")
. "$here/lib.sh"

reading() {
	printf 'content\n' >"$W/file"; chmod 640 "$W/file"; [ -n "$AS" ] && chown 1000:1000 "$W/file"
	do_ read path=file; is "$S $O" "0 content" "read"
	is "$(field hash)" "$(sha256sum <"$W/file" | cut -d' ' -f1)" "its hash"
	has "$R" "mode=33184 size=8" "its stat"
	do_ read path=file offset=3; is "$O" tent "from an offset"
	do_ read path=file offset=3 size=2; is "$O $(field hash)" "te $(printf te | sha256sum | cut -d' ' -f1)" "a part"
	do_ read path=file offset=99; is "$S$O" 0 "behind the end"
	do_ read path=none; is "$S $(field errno)" "70 2" "no file"
	do_ read path=.; has "$R" "it is a directory" "a directory"
	rm -f "$W/pipe"; mkfifo "$W/pipe"; chmod 666 "$W/pipe"; do_ read path=pipe; has "$R" "it is a pipe" "a pipe is not waited for"
	do_ read path=/dev/zero; has "$R" "it is a device" "a device"
	do_ read path=/proc/self/status; has "$O" "Name:" "a file of /proc tells no size"
	do_ read path=/proc/self/fd/3; is "$S" 70 "no magic link"
	ln -sfn /proc/1/root/etc/passwd "$W/link"; do_ read path=link; is "$S" 70 "nor by a link"
	ln -sfn loop "$W/loop"; do_ read path=loop; is "$(field errno)" 40 "a loop of links"
	do_ read; has "$R" "code=request" "no path"
	head -c 3000001 /dev/urandom >"$W/big"; chmod 644 "$W/big"; do_ read path=big; cmp -s "$T/out" "$W/big"; ok $? "a large one"
	do_ read path=/../../../../../etc/../etc/passwd; is "$S" 0 "dots stay inside"
}

writing() {
	printf 'new' >"$T/in"
	do_ write path=w -- file="$T/in" close; is "$(cat "$W/w") $(stat -c %a "$W/w")" "new 644" "write"
	is "$(field hash)" "$(sha256sum <"$T/in" | cut -d' ' -f1)" "its hash"
	do_ write path=w mode=448 mtime=1000000000123456789 -- close
	is "$(stat -c '%s %a %.9Y' "$W/w")" "0 700 1000000000.123456789" "empty, a mode and a time"
	do_ write path=w -- file="$T/in" close; is "$(stat -c %a "$W/w")" 700 "a mode that was is kept"
	do_ write path=w exclusive -- file="$T/in" close; is "$(field errno)" 17 "exclusive"
	do_ write path=x exclusive -- file="$T/in" close; is "$(cat "$W/x")" new "exclusive, and new"
	printf old >"$W/keep"; chmod 666 "$W/keep"; do_ write path=keep -- data=half half; is "$(cat "$W/keep")" old "a stream that breaks leaves what was"
	do_ write path=keep -- data=half raw=010000000b; has "$R" "code=protocol" "a frame that does not belong there"; is "$(cat "$W/keep")" old "nor"
	for i in $(seq 50); do ls -a "$W" | grep -q '^\.tinybox-' || break; sleep 0.1; done
	is "$(ls -a "$W" | grep -c '^\.tinybox-')" 0 "and nothing beside it"
	echo target >"$W/target"; ln -sfn target "$W/alias"; do_ write path=alias -- file="$T/in" close
	is "$(cat "$W/target") $(cat "$W/alias")" "target new" "a link is replaced"
	do_ write path=nodir/f -- close; is "$(field errno)" 2 "no directory"
	do_ write path=.. -- close; is "$S" 70 "no name"
	do_ write path=$'l\n\xff -' -- file="$T/in" close; is "$(cat "$W"/$'l\n\xff -')" new "a hostile name"
	do_ list path=.; has "$R" 'name=l\x0a\xff -' "is listed as it is"
	do_ write path=huge -- file="$W/big" close; cmp -s "$W/huge" "$W/big"; ok $? "a large one"
}

trees() {
	do_ mkdir path=a/b/c; is "$(field errno)" 2 "mkdir without its parents"
	do_ mkdir path=a/b/c parents mode=448; is "$R $(stat -c %a "$W/a/b/c")" "ok 700" "with them"
	do_ mkdir path=a/b/c parents; is "$S" 0 "twice"
	do_ mkdir path=a; is "$(field errno)" 17 "but not without parents"
	do_ mkdir path=file/x parents; is "$S" 70 "a file in the way"
	do_ symlink path=a/l link=/nowhere; is "$(readlink "$W/a/l")" /nowhere "symlink"
	do_ stat path=a/l; has "$R" "link=/nowhere" "stat of a link"
	do_ stat path=a/l follow; is "$(field errno)" 2 "followed"
	do_ symlink path=a/l link=x; is "$(field errno)" 17 "not twice"
	do_ list path=a; has "$R" "name=b " "list"; has "$R" "name=l " "with links"
	do_ list path=file; is "$(field errno)" 20 "not of a file"
	do_ list path=/; has "$R" "name=usr" "of the root"
	do_ remove path=a; is "$(field errno)" 39 "remove: not empty"
	do_ remove path=a/l; is "$S" 0 "a link"
	echo outside >"$W/outside"; ln -s ../outside "$W/a/b/out"; ln -s / "$W/a/root"
	do_ remove path=a parents; is "$S" 0 "with all below"; [ ! -e "$W/a" ] && [ -e "$W/outside" ]; ok $? "links are not followed"
	do_ remove path=a parents; is "$(field errno)" 2 "twice"
	$AS /usr/bin/python3 - "$W" <<'P'
import os, sys
os.chdir(sys.argv[1]); os.mkdir("deep"); os.chdir("deep")
for i in range(1000):
    open("f", "w"); os.mkdir("d"); os.chdir("d")
P
	do_ remove path=deep parents; is "$S" 0 "a thousand levels"; [ ! -e "$W/deep" ]; ok $? "are gone"
	$AS sh -c 'mkdir -p "$1/locked/in"; touch "$1/locked/in/f"; chmod 0 "$1/locked/in" "$1/locked"' sh "$W"
	if [ "$KIND$WHO" != namespaceroot ]; then do_ remove path=locked parents; is "$S" 0 "directories without rights"; fi
	if [ $KIND = namespace ]; then
		do_ remove path=/usr/share/zoneinfo parents; is "$S" 70 "what is mounted read-only stays"
	fi
	mkdir "$W/many"; (cd "$W/many" && seq 5000 | xargs touch); chmod 777 "$W/many"
	do_ list path=many; is "$(printf '%s' "$R" | grep -o 'name=' | wc -l)" 5000 "a long list"; has "$R" "more=1" "in parts"
	rm -rf "$W/many"
}

logs() {
	sh_ 'head -c 20000000 /dev/zero | tr "\\0" a; echo end' detach=1; p=$(field proc); do_ wait proc=$p
	do_ logs proc=$p; n=$(stat -c %s "$T/out"); [ $n -gt 7000000 ] && [ $n -le 17000000 ]; ok $? "a log is bounded"
	has "$(tail -c 10 "$T/out")" end "and has the latest"; is "$(field offset) $((n + $(field out-dropped)))" "20000004 20000004" "and says what is gone"
	do_ logs proc=$p offset=20000000; is "$O" end "from an offset"
	rm -f "$W/go"; mkfifo -m 666 "$W/go"
	sh_ 'echo one; read x <go; i=0; while [ $i -lt 300 ]; do head -c 65536 /dev/zero; i=$((i+1)); done; echo last' detach=1; p=$(field proc)
	do_ logs proc=$p follow -- wait=one quit; (do_ logs proc=$p follow; stat -c %s "$T/out" >"$T/size"; tail -c 5 "$T/out" >"$T/last") & l=$!
	echo >"$W/go"; wait $l
	do_ wait proc=$p; is "$S" 0 "a log that turns is followed"
}

ports() {
	cat >"$W/port.py" <<'P'
import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True)
c, a = s.accept()
n = 0
while True:
    d = c.recv(65536)
    if not d: break
    n += len(d)
c.sendall(b"x" * n + b"end")
c.close()
P
	run arg=python3 arg=port.py detach=1; p=$(field proc)
	do_ logs proc=$p follow -- wait=$'\n' quit; port=$(tr -d '\n' <"$T/out")
	do_ connect port=$port -- file="$W/big" close; is "$(stat -c %s "$T/out") $(tail -c 3 "$T/out")" "3000004 end" "a port, both ways, with its ends"
	do_ connect port=$port; has "$R" "code=system" "nobody listens any more"
	do_ connect port=0; has "$R" "code=request" "no port"
}

ways() {
	rm -f "$T/to" "$T/from"; mkfifo -m 666 "$T/to" "$T/from"
	$AS timeout 20 "$I" connect "$D" <"$T/to" >"$T/from" &
	piped record exec arg=sh arg=-c arg='sha256sum; cat big' stdin=1 -- file="$W/big" close; is $? 0 "connect"
	(sha256sum <"$W/big"; cat "$W/big") | cmp -s - "$T/out"; ok $? "carries much both ways"
	$AS "$I" connect "$T" </dev/null 2>"$T/err"; is "$? $(grep -c "server is not there" "$T/err")" "1 1" "connect to nothing"
	host host-open dir="$D"; has "$(cat "$T/record")$?" "0" "host-open"
	host host-boxes dir=/nowhere; is "$(cat "$T/record")" ok "no boxes"
	host host-remove dir="$W"; has "$(cat "$T/record")" "code=policy" "only a state directory is removed"; [ -d "$W" ]; ok $? "and nothing else"
	host host-remove dir=relative; has "$(cat "$T/record")" "code=request" "an absolute one"
	long=$B/$(printf 'l%.0s' $(seq 200)); (D=$long; box_start "$D" accept=network; is $? 0 "a directory with a name that is longer than a socket's"
	run arg=echo arg=long; is "$O" long "is reached"; host host-remove dir="$D"; is "$(cat "$T/record")" ok "and removed"; echo $tap_n >"$T/count"); tap_n=$(cat "$T/count")
}

refusals() {
	box_start "$B/n" env=bad; has "$(cat "$T/start")" "code=request" "a variable without ="
	(KIND=moon; box_start "$B/n"); has "$(cat "$T/start")" "none of passthrough, namespace" "an unknown kind"
	box_start "$B/n" cwd=relative; has "$(cat "$T/start")" "not an absolute path" "a relative directory"
	box_start "$B/n" network=moon; has "$(cat "$T/start")" "network" "an unknown network"
	$AS mkdir -m 755 "$B/open"; box_start "$B/open" accept=network; has "$(cat "$T/start")" "code=policy" "a state directory that others may read"
	if [ $KIND = passthrough ]; then
		box_start "$B/n" network=none; has "$(cat "$T/start")" "code=policy" "what no wall enforces is refused"
		box_start "$B/n" disk=1000000 accept=network; has "$(cat "$T/start")" "control disk" "each by its name"
	fi
	is "$(ls "$B/n")" "$(ls "$B/n" | grep -vE '^socket$')" "no socket is left of them"
}

one() {
	B=$T/$KIND$WHO; $AS mkdir -p "$B" 2>/dev/null || { mkdir "$B"; chown 1000:1000 "$B"; }
	D=$B/d W=$B/w; $AS mkdir -m 777 "$W"; chmod 777 "$W"
	box_start "$D" workspace="$W" accept=network; ok $? "start"
	for part in ${PARTS:-reading writing trees logs ports ways refusals}; do $part; done
	host host-remove dir="$D"; is "$(cat "$T/record")" ok "removed"
}

for KIND in $KINDS; do
	AS= WHO=$(id -un)
	one
	if [ "$(id -u)" = 0 ]; then
		AS="setpriv --reuid 1000 --regid 1000 --clear-groups" WHO=user
		one
	fi
done
finish
