#!/bin/bash
# The escape check-list: every attack first where there is no wall (the control: it must work), then behind
# the wall (it must fail). usage: wall.sh WALL-RUN ESCAPE; TAP. As root it runs all again as uid 1000.
# Attacks that the machine or the user cannot even try outside are skipped, by name.
set -u
wall=$(realpath "$1") escape=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/tap.sh"
dir=$(mktemp -d /tmp/tinybox-escape-XXXXXX)
census() {
	grep -c tinybox /proc/self/mountinfo
	find /sys/fs/cgroup -maxdepth 5 -type d -name "tinybox-$WALL_RUN_NAME-*" 2>/dev/null | sort
	losetup -a 2>/dev/null | grep -c tinybox
	ls -d "$dir"/tinybox-wall-* 2>/dev/null
}
export WALL_RUN_NAME=escape$$ TMPDIR=$dir
chmod 1777 "$dir"
before=$(census)

ok() { tap 0 "$1"; }
not_ok() { tap 1 "$1"; }

# attack TITLE [-OPTION of wall-run...] -- ATTACK... ; the inside may differ: INSIDE="..."
attack() {
	local title=$1 options=() control status
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	control=$(timeout 20 $as "$dir/escape" "$@" 2>&1); status=$?
	if [ $status = 2 ] || { [ $status = 1 ] && [ "${needs_root:-}" ] && [ "${who%%,*}" != root ]; }; then
		ok "$who: $title # SKIP no control here: $control"
		return
	fi
	if [ $status != 0 ]; then
		case " ${may_lack:-} " in
		*" $title "*) ok "$who: $title # SKIP this machine lacks it: $control"; return ;;
		esac
		not_ok "$who: $title: the control failed ($status): $control"
		return
	fi
	[ -z "${inside:-}" ] || set -- $inside
	control=$(timeout 20 $as "$wall" -w "$dir/work" "${options[@]}" -- /workspace/escape "$@" 2>&1)
	status=$?
	case $status in
	1 | 124 | 137) ok "$who: $title" ;;
	*) not_ok "$who: $title: status $status inside: $control" ;;
	esac
}

# inside TITLE EXPECTED [-OPTION...] -- COMMAND: what is printed inside
says() {
	local title=$1 want=$2 options=() got
	shift 2
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	got=$(timeout 20 $as "$wall" "${options[@]}" -- "$@" 2>&1)
	if [ "$got" = "$want" ]; then ok "$who: $title"; else not_ok "$who: $title: $got"; fi
}

all() {
	echo secret >"$dir/secret"; mkdir -p "$dir/work" "$dir/host"
	cp "$escape" "$dir/escape"; cp "$escape" "$dir/work/escape"
	[ "${who%%,*}" = root ] || chown -R 1000:1000 "$dir"
	chmod 1777 "$dir"
	$as "$dir/victim" tinybox-victim & victim=$!
	python3 "$dir/servers.py" "$dir" >"$dir/port" & servers=$!
	while ! [ -s "$dir/port" ]; do sleep 0.1; done
	local port; port=$(cat "$dir/port")
	export TINYBOX_SECRET=1

	attack "a host process is seen" -- see tinybox-victim
	attack "process 1 is traced" -- trace $victim
	inside="trace 1" attack "process 1 is traced, by its number" -- trace $victim
	for f in environ exe fd maps mem root cwd; do
		inside="proc-file 1 $f" attack "/proc/1/$f" -- proc-file $victim $f
	done
	inside="peek 1" attack "the memory of process 1" -- peek $victim
	inside="steal 1" attack "a descriptor of process 1" -- steal $victim
	attack "a host file is read" -- read-file "$dir/secret"
	attack "a host file is made" -- make-file "$dir/host/new"
	needs_root=1 attack "the host's shadow is read" -- read-file /etc/shadow
	attack "the host's home" -- read-file "$home/tinybox-secret-$$"
	needs_root=1 attack "/usr is written" -- make-file /usr/tinybox-test-$$
	attack "the working directory leaks" -- read-file secret
	attack "the environment leaks" -- environment TINYBOX_SECRET
	attack "a descriptor leaks" -- leaked 9 secret
	attack "a kept descriptor leads out (Landlock)" -k 9 -- leaked 9 secret
	attack "an abstract socket" -- unix @tinybox-escape-$port
	attack "an abstract socket, on the host's network (Landlock)" -n open -- unix @tinybox-escape-$port
	attack "a unix socket by its path" -- unix "$dir/socket"
	attack "a TCP port of the host" -- tcp $port
	attack "a TCP port of the host, with egress" -n egress -- tcp $port
	attack "TIOCSTI" -- sti
	attack "TIOCLINUX" -- tioclinux
	attack "keyrings" -- keyring
	attack "user namespaces inside" -- userns
	attack "mounts" -- mounts
	needs_root=1 attack "chroot" -- chroot
	needs_root=1 attack "setns" -- setns
	needs_root=1 attack "setgroups" -- setgroups
	attack "capabilities" -- capabilities
	attack "new privileges" -- new-privileges
	may_lack="32-bit calls" attack "32-bit calls" -- calls32
	may_lack="x32 calls" attack "x32 calls" -- x32
	attack "io_uring" -- call 425
	may_lack="userfaultfd" needs_root=1 attack "userfaultfd" -- call 323
	may_lack="bpf" needs_root=1 attack "bpf" -- call 321
	may_lack="perf_event_open" needs_root=1 attack "perf_event_open" -- call 298
	may_lack="handles of files" needs_root=1 attack "handles of files" -- call 304
	may_lack="fanotify" needs_root=1 attack "fanotify" -- call 300
	may_lack="the new mount calls" needs_root=1 attack "the new mount calls" -- call 430
	may_lack="trees of mounts" attack "trees of mounts" -- call 428
	may_lack="accounting" needs_root=1 attack "accounting" -- call 163
	may_lack="modules" needs_root=1 attack "modules" -- call 175
	may_lack="the kernel's log" needs_root=1 attack "the kernel's log" -- call 103
	may_lack="statmount" attack "statmount" -- call 457
	may_lack="AF_ALG" attack "AF_ALG" -- family 38 0
	may_lack="AF_VSOCK" attack "AF_VSOCK" -- family 40 0
	needs_root=1 may_lack="AF_PACKET" attack "AF_PACKET" -- family 17 768
	attack "uevents of the kernel" -- family 16 15
	may_lack="netfilter by netlink" attack "netfilter by netlink" -- family 16 12
	may_lack="xfrm by netlink" attack "xfrm by netlink" -- family 16 6
	may_lack="AF_BLUETOOTH" attack "AF_BLUETOOTH" -- family 31 1
	may_lack="AF_TIPC" attack "AF_TIPC" -- family 30 0
	may_lack="binfmt_misc" needs_root=1 attack "binfmt_misc" -- write-file /proc/sys/fs/binfmt_misc/register
	may_lack="the program for modules" needs_root=1 attack "the program for modules" -- write-file /proc/sys/kernel/modprobe
	needs_root=1 attack "core_pattern" -- write-file /proc/sys/kernel/core_pattern
	needs_root=1 may_lack="sysrq-trigger" attack "sysrq-trigger" -- write-file /proc/sysrq-trigger
	needs_root=1 may_lack="kcore" attack "kcore" -- read-file /proc/kcore
	may_lack="the kernel's keys" attack "the kernel's keys" -- read-file /proc/keys
	agent=$(ls /sys/fs/cgroup/*/release_agent 2>/dev/null | head -1)
	[ -z "$agent" ] || needs_root=1 attack "release_agent" -- write-file "$agent"
	inside="set-uid /workspace" attack "set-user-id files" -- set-uid "$dir/work"
	needs_root=1 inside="device /workspace" attack "device nodes" -- device "$dir/work"
	echo x >"/dev/shm/tinybox-test-$$"; chmod 644 "/dev/shm/tinybox-test-$$"
	attack "shared memory of the host" -- read-file "/dev/shm/tinybox-test-$$"
	rm -f "/dev/shm/tinybox-test-$$"
	segment=$(ipcmk -M 4096 -p 0666 | grep -o '[0-9]*$')
	attack "shared memory of System V" -- sysv "$(ipcs -m | awk -v id="$segment" '$2 == id { print $1 }')"
	ipcrm -m "$segment"
	attack "all the terminals there are" -- terminals 600
	attack "a fork bomb" -p 32 -- fork-bomb 100
	[ "${who%%,*}" != root ] || attack "a memory eater" -m 67108864 -- eat 209715200
	inside="fill-disk /tmp" attack "a disk filler" -d 2000000 -- fill-disk "$dir"
	timeout 20 $as "$wall" -w "$dir/work" -- /workspace/escape kill-all
	if kill -0 $victim; then ok "$who: kill -1 stays inside"; else not_ok "$who: kill -1 stays inside"; fi
	if grep -q secret "$dir/secret"; then ok "$who: the secret is whole"; fi

	says "identity" "$(printf 'uid=0(root) gid=0(root) groups=0(root)')" -- id
	says "another identity" "uid=1234(user) gid=77(user) groups=77(user)" -u 1234 -g 77 -- id
	says "process 1 is the server" "1" -- sh -c 'ls -d /proc/1 | grep -c .'
	says "nothing of the host in /home, /root, /run, /var" "lock" -- sh -c 'ls /home /root /run /var/log | grep -vE ":$|^$"'
	says "programs of /etc/alternatives work" "3" -- awk 'BEGIN { print 1 + 2 }'
	says "a terminal of its own" "0" -- sh -c 'script -qec true /dev/null; echo $?'
	says "two processes and threads" "ok" -- python3 -c 'import threading, subprocess
t = threading.Thread(target=lambda: None); t.start(); t.join(); subprocess.check_call(["true"]); print("ok")'
	says "no control groups" "" -- sh -c 'ls -A /sys/fs 2>/dev/null; find / -xdev -name cgroup.procs 2>/dev/null'
	says "no descriptor but three" "0 1 2 3" -- sh -c 'echo $(ls /proc/self/fd)'
	says "the loopback is up" "ok" -- python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); print("ok")'
	says "a read-only workspace" "1" -o -w "$dir/work" -- sh -c 'touch /workspace/new 2>/dev/null; echo $?'
	rm -f "$dir/work/new"
	timeout 20 $as "$wall" -w "$dir/work" -u 1000 -g 1000 -- touch /workspace/new
	if [ "$(stat -c %u "$dir/work/new")" = "$(stat -c %u "$dir/work")" ]; then
		ok "$who: what is written in the workspace is its owner's"
	else
		not_ok "$who: what is written in the workspace is its owner's"
	fi

	# links where the wall mounts
	mkdir -p "$dir/state" "$dir/image/dev" "$dir/state2" "$dir/down"; chmod 700 "$dir/state" "$dir/state2"
	[ "${who%%,*}" = root ] || chown -R 1000:1000 "$dir"
	ln -sfn / "$dir/link"
	got=$(timeout 20 $as "$wall" -W "$dir/link" -- true 2>&1)
	case $got in *"symbolic link"*) ok "$who: a workspace that became a link" ;; *) not_ok "$who: a workspace that became a link: $got" ;; esac
	got=$(timeout 20 $as "$wall" -W "$dir/link$dir/work" -- true 2>&1)
	case $got in *"symbolic link"*) ok "$who: a parent of the workspace that became a link" ;; *) not_ok "$who: a parent of the workspace that became a link: $got" ;; esac
	timeout 20 $as "$wall" -s "$dir/state" -- sh -c 'ln -s /etc /workspace; rm -f /etc/passwd; ln -s /usr/bin /etc/pki; echo kept >/root/kept'
	got=$(timeout 20 $as "$wall" -s "$dir/state" -w "$dir/work" -- sh -c 'ls /workspace/escape; cat /root/kept; readlink /workspace' 2>&1)
	[ "$got" = "/workspace/escape
kept" ] && ok "$who: a target that became a link; writes are kept" || not_ok "$who: a target that became a link; writes are kept: $got"
	got=$(timeout 20 $as "$wall" -s "$dir/state" -- sh -c 'mount | grep -c "^none on / type overlay"' 2>&1)
	[ "$got" = 1 ] && ok "$who: a third start has the overlay" || not_ok "$who: a third start has the overlay: $got"
	cp "$escape" "$dir/image/escape"; rm -rf "$dir/image/dev"; ln -sfn "$dir/down" "$dir/image/dev"; ln -sfn "$dir/down" "$dir/image/proc"
	ln -sfn "$dir/down" "$dir/image/work"
	got=$(timeout 20 $as "$wall" -s "$dir/state2" -r "$dir/image" -w "$dir/work" -t /work -- /escape capabilities 2>&1)
	[ $? = 1 ] && [ -z "$(ls -A "$dir/down")" ] && ok "$who: an image whose /dev and /proc are links" || not_ok "$who: an image whose /dev and /proc are links: $got"
	got=$(timeout 20 $as "$wall" -s "$dir/state2" -r "$dir/image" -- /escape make-file /new 2>&1)
	[ $? = 0 ] && [ ! -e "$dir/image/new" ] && ok "$who: an image is written to above" || not_ok "$who: an image is written to above: $got"

	mkdir -m 700 -p "$dir/work/state"; [ "${who%%,*}" = root ] || chown 1000 "$dir/work/state"
	got=$(timeout 20 $as "$wall" -v -s "$dir/work/state" -w "$dir/work" -- true 2>&1 | grep ^filesystem)
	case $got in *"not: "*"state directory"*) ok "$who: a workspace that holds the state directory" ;; *) not_ok "$who: a workspace that holds the state directory: $got" ;; esac
	rm -rf "$dir/work/state"
	# a workspace's path that is turned into a link and back, as fast as it goes
	mkdir -p "$dir/swap/real/work"; cp "$escape" "$dir/swap/real/work/"; mkdir -p "$dir/swap/fake/work"; ln -sfn / "$dir/swap/fake/work/host"
	[ "${who%%,*}" = root ] || chown -R 1000:1000 "$dir/swap"
	mkdir "$dir/swap/at"; rmdir "$dir/swap/at"; ln -s "$dir/swap/fake" "$dir/swap/link"
	python3 - "$dir/swap" <<'PY' &
import os, sys, time
d = sys.argv[1]
end = time.time() + 60
while time.time() < end and not os.path.exists(d + "/stop"):
    os.rename(d + "/real", d + "/at"); os.rename(d + "/at", d + "/real")
    os.symlink(d + "/fake", d + "/at"); os.unlink(d + "/at")
PY
	swapper=$!
	seen=0 wrong=0
	for _ in $(seq 40); do
		got=$(timeout 20 $as "$wall" -W "$dir/swap/at/work" -- sh -c 'ls /workspace' 2>&1)
		case $got in
		escape) seen=$((seen + 1)) ;;
		*host*) wrong=$((wrong + 1)) ;;
		esac
	done
	touch "$dir/swap/stop"; wait $swapper
	[ $wrong = 0 ] && ok "$who: a path that is swapped ($seen of 40 were let in)" || not_ok "$who: a path that is swapped: $wrong"
	rm -rf "$dir/swap"

	# killed at any moment: nothing runs on, and the sweep leaves nothing
	bad_kills=0 long=31.$$
	mkdir -p "$dir/kills"; chmod 700 "$dir/kills"; [ "${who%%,*}" = root ] || chown 1000 "$dir/kills"
	for i in $(seq 25); do
		$as "$wall" -s "$dir/kills" -m 67108864 -p 50 -- sh -c "exec sleep $long" &
		pid=$!
		sleep "0.00$((i * 7 % 10))$((i * 3 % 10))"
		[ $((i % 5)) != 0 ] || sleep 0.1
		kill -KILL $pid; wait $pid 2>/dev/null
		for _ in $(seq 50); do
			pgrep -f "sleep $long" >/dev/null || break
			sleep 0.02
		done
		! pgrep -f "sleep $long" >/dev/null || bad_kills=$((bad_kills + 1))
		$as "$wall" -S $WALL_RUN_NAME-$pid || bad_kills=$((bad_kills + 100))
	done
	got=$(timeout 20 $as "$wall" -s "$dir/kills" -- echo again 2>&1)
	[ "$bad_kills$got" = 0again ] && ok "$who: killed at any moment" || not_ok "$who: killed at any moment: $bad_kills $got"
	rm -rf "$dir/kills"

	kill $victim $servers; wait $victim $servers 2>/dev/null
	rm -rf "$dir/work" "$dir/host" "$dir/state" "$dir/state2" "$dir/image" "$dir/socket" "$dir/port" "$dir/link"
	rm -f "$home/tinybox-secret-$$"
}

cat >"$dir/servers.py" <<'PY'
import socket, sys, time
d = sys.argv[1]
t = socket.create_server(("127.0.0.1", 0)); port = t.getsockname()[1]
a = socket.socket(socket.AF_UNIX); a.bind("\0tinybox-escape-%d" % port); a.listen(64)
u = socket.socket(socket.AF_UNIX); u.bind(d + "/socket"); u.listen(64)
import os; os.chmod(d + "/socket", 0o777)
t.listen(64)
print(port, flush=True)
time.sleep(300)
PY
cp "$(command -v sleep)" "$dir/victim"
cat >"$dir/victim" <<'SH'
#!/bin/sh
exec python3 -c 'import time; time.sleep(300)' "$@"
SH
chmod 755 "$dir/victim"; chmod 1777 "$dir"
cp "$wall" "$dir/wall-run"; wall=$dir/wall-run
cd "$dir" || exit 1
exec 9<"$dir"
who=root as='' home=/root
if [ "$(id -u)" = 0 ]; then
	echo x >/root/tinybox-secret-$$
	all
	as='setpriv --reuid 1000 --regid 1000 --clear-groups'
	mkdir "$dir/home"; chown 1000:1000 "$dir/home"
	home=$dir/home
	echo x >"$home/tinybox-secret-$$"
	who=user
	all
	# all again in boxes for one exec, whose root begins from what boxes share
	as='' home=/root WALL_RUN_CACHE=$dir/cache-root who='root, shared'
	export WALL_RUN_CACHE
	echo x >/root/tinybox-secret-$$
	all
	as='setpriv --reuid 1000 --regid 1000 --clear-groups' home=$dir/home
	WALL_RUN_CACHE=$dir/cache-user who='user, shared'
	echo x >"$home/tinybox-secret-$$"
	all
	unset WALL_RUN_CACHE
	for cache in cache-root cache-user; do
		ls "$dir/$cache" | tr -d '0-9a-f' >"$dir/made"
		[ "$(cat "$dir/made")" = root- ]; tap $? "one root is shared: $cache"
	done
	who=user
else
	who=user
	home=$HOME
	echo x >"$home/tinybox-secret-$$"
	all
fi
# a group that was delegated to an ordinary user
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
if [ "$(id -u)" = 0 ] && [ -n "$v2" ] && mkdir -p "$v2/tinybox-test-$$/leaf" 2>/dev/null; then
	group=$v2/tinybox-test-$$
	chown 1000:1000 "$group" "$group/cgroup.procs" "$group/leaf" "$group/leaf/cgroup.procs"
	got=$(echo $BASHPID >"$group/leaf/cgroup.procs"; $as "$wall" -v -- sh -c 'cat /proc/self/cgroup | grep ^0:' 2>&1)
	case $got in
	*"tree-kill : by cgroup.kill"*"0::/run/p1") ok "$who: a delegated group" ;;
	*) not_ok "$who: a delegated group: $got" ;;
	esac
	rmdir "$group/leaf" "$group"
fi
cd /
after=$(census)
if [ "$before" = "$after" ]; then ok "nothing is left"; else not_ok "nothing is left: $before / $after"; fi
rm -rf "$dir"
tap_end
