#!/bin/bash
# lacks.sh TINYBOX WITHOUT: machines that lack something, by a filter that is loaded before the command: each says what to do, or works
# without it. As root and as a user. TAP.
if [ "${3:-}" != inside ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP not root, and so no mounts to be made"; exit 0; }
	dir=$(mktemp -d /tmp/tbxlacks-XXXXXX)
	unshare -m --propagation private "$0" "$1" "$2" inside "$dir"
	status=$?
	# the mounts were in that namespace alone: here there is nothing of the machine's below it
	rm -rf --one-file-system "$dir"
	exit $status
fi
tinybox=$(realpath -e "$1") && without=$(realpath -e "$2") && dir=$(realpath -e "$4") || exit 1
. "$(dirname "$(realpath "$0")")/tap.sh"
chmod 755 "$dir"
cd "$dir" || exit 1
trap rm_boxes EXIT
tb() { timeout 60 "${as[@]}" "${lack[@]}" "$tinybox" "$@"; }
lacking() { lack=("$without" "$@" --); }
rm_boxes() { for name in root user; do be $name; tb rm -f $(tb ls --quick -q) >/dev/null 2>&1; done; }
be() {	# be root|user: who runs what comes next
	who=$1 as=() lack=()
	mkdir -p "$1"
	export TINYBOX_STATE_DIR=$dir/$1/state
	[ "$1" = root ] || { chown 1000:1000 "$1"; as=(setpriv --reuid 1000 --regid 1000 --clear-groups env HOME="$dir/$1" GCOV_PREFIX="$dir/$1/lines"); }	# (a build that counts lines cannot write beside its objects)
}
report() { tb inspect --json "$1" | python3 -c 'import json, sys
print(next(r.get("by") or r["why"] for r in json.load(sys.stdin)["report"] if r["control"] == sys.argv[1]))' "$2"; }

# the numbers of x86-64
[ "$(uname -m)" = x86_64 ] || { echo "1..0 # SKIP the numbers of calls are x86-64's"; exit 0; }
openat2=437 mount=165 move_mount=429 open_tree=428 open_tree_attr=467 pivot_root=155 landlock=444 nosys=38 perm=1 acces=13 notsupp=95

is "control: the filter is there" "[Errno 38] Function not implemented" "$("$without" $openat2=$nosys -- python3 -c 'import ctypes, os
libc = ctypes.CDLL(None, use_errno=True); libc.syscall('$openat2', 0, 0, 0, 0); e = ctypes.get_errno(); print(f"[Errno {e}] {os.strerror(e)}")')"

for who in root user; do
	be $who
	mkdir -p $who/work/sub
	ln -s sub $who/work/link
	echo one >$who/work/sub/file
	[ $who = root ] || chown -R 1000:1000 $who/work

	# ---- openat2 ----
	for wall in virtual namespace passthrough; do
		for error in $nosys $perm; do
			# (with an old filter's EPERM one is enough)
			[ $error = $nosys ] || [ $wall = namespace ] || continue
			lacking $openat2=$error
			make=(--sandbox $wall --accept cpu --accept memory --accept pids)
			[ $wall = passthrough ] && make+=(--network open)
			box=$(tb create "${make[@]}" --dir $who/work 2>err)
			at=/workspace
			[ $wall = passthrough ] && at=$dir/$who/work
			is "$who, $wall, no openat2 ($error): a box reads its workspace" "one" "$(tb exec "$box" cat $at/link/file 2>&1)"
			mkdir -p $who/tree/a/b && echo two >$who/tree/a/b/c
			chmod -R a+rX $who/tree
			is "... a tree goes in, through a link" "two" "$(tb cp $who/tree "$box:$at/link/tree" >/dev/null && tb exec "$box" cat $at/sub/tree/a/b/c)"
			rm -rf $who/tree $who/work/sub/back
			[ $who = root ] || install -d -o 1000 $who/out
			mkdir -p $who/out
			is "... and out" "two" "$(tb cp "$box:$at/sub/tree" $who/out/tree >/dev/null && cat $who/out/tree/a/b/c)"
			is "... a working directory" "/work*/sub" "$(tb exec -w $at/sub "$box" pwd | sed 's,.*/work[a-z]*/,/work*/,')"
			tb exec "$box" ln -s /proc/self/fd/0 $at/magic
			tb cp "$box:$at/magic/" $who/out/magic >/dev/null 2>err
			is "... what leads out by /proc does not" "70 no" "$? $([ -e $who/out/magic ] && echo yes || echo no)"
			tb exec "$box" rm -rf $at/magic $at/sub/tree
			tb rm "$box" >/dev/null
			rm -rf $who/out
		done
	done

	# ---- a mount that is refused (ask 3) ----
	for error in $perm $acces; do
		lacking $mount=$error:3:$(((1 << 18) | (1 << 19)))
		is "$who: who may not make / private or slave: control" 1 "$("${as[@]}" "${lack[@]}" unshare -Urm true >/dev/null 2>&1; echo $?)"
		is "... is not asked for it" ok "$(tb run --sandbox namespace -- echo ok 2>&1)"
	done
	for call in $mount $move_mount $pivot_root "$open_tree=$nosys $open_tree_attr"; do
		lacking $call=$perm
		[ "${call#* }" = "$call" ] || lacking ${call% *} ${call#* }=$nosys
		tb run --sandbox namespace -- echo ok >out 2>err
		is "$who: call $call is refused" "70" "$?$(cat out)"
		has "... what failed and what to do" "docker run --security-opt seccomp=unconfined" "$(cat err)"
		has "... with another wall" "--sandbox virtual works as it is" "$(cat err)"
		is "... which is so" ok "$(tb run -- echo ok 2>&1)"
	done

	# ---- Landlock (ask 4) ----
	for error in $nosys $notsupp; do
		lacking $landlock=$error
		box=$(tb create --sandbox namespace 2>err)
		is "$who: no Landlock ($error)" "ok" "$(tb exec "$box" echo ok 2>&1)$(cat err)"
		is "... is told of files" "mount namespace alone: this kernel has no Landlock" "$(report "$box" filesystem)"
		is "... and of processes" "pid namespace alone: this kernel has no Landlock" "$(report "$box" processes)"
		tb rm "$box" >/dev/null
		box=$(tb create)
		is "... a virtual box" "ok process" "$(tb exec "$box" echo ok) $(tb inspect --json "$box" | python3 -c 'import json, sys; print(json.load(sys.stdin)["isolation"])')"
		tb rm "$box" >/dev/null
		has "... and doctor says so" "landlock	missing" "$(tb doctor)"
	done
	for abi in 1 5; do
		lacking landlock=$abi
		box=$(tb create --sandbox namespace 2>err)
		is "$who: Landlock of version $abi" "ok" "$(tb exec "$box" echo ok 2>&1)$(cat err)"
		is "... files are its" "mount namespace, Landlock" "$(report "$box" filesystem)"
		is "... processes are not" "pid namespace alone: this kernel's Landlock knows no signals" "$(report "$box" processes)"
		tb rm "$box" >/dev/null
		is "... a virtual box" ok "$(tb run -- echo ok 2>&1)"
		has "... and doctor says so" "landlock	limited	ABI $abi" "$(tb doctor)"
	done
	lack=()
	box=$(tb create --sandbox namespace)
	case $(tb doctor) in
	*"landlock	ok"*) has "control: with all of it" Landlock "$(report "$box" processes)" ;;
	*) skip "control: with all of it" "this kernel has less" ;;
	esac
	tb rm "$box" >/dev/null

	# ---- a root with mounts in it (ask 9) ----
	root=$dir/$who/root
	mkdir -p $root/{bin,"da ta",proc}
	cp /usr/bin/busybox $root/bin/sh 2>/dev/null || cp "$(dirname "$tinybox")/tinybox-init" $root/bin/sh
	mount -t tmpfs none "$root/da ta"
	echo below >"$root/da ta/file"
	tb create --sandbox namespace --image $root >out 2>err
	is "$who: a root with a mount in it" 2 $?
	has "... is refused by its name" "inside of it, $root/da ta:" "$(cat err)"
	umount "$root/da ta"
	box=$(tb create --sandbox namespace --image $root 2>err)
	is "... and is a root without it" "" "$(cat err)"
	[ "$box" ] && tb rm "$box" >/dev/null
	mount --bind /proc $root/proc
	tb run --sandbox namespace --image $root -- true >out 2>err
	[ $who = root ] && has "$who: what a box has its own of may be mounted there" "true" "$(cat err)" ||
		has "$who: not even what a box has its own of" "$root/proc:" "$(cat err)"
	umount $root/proc

	# ---- a workspace with a mount in it ----
	mkdir -p $who/work/m
	mount -t tmpfs -o mode=700,uid=$(stat -c %u $who/work) none $who/work/m
	echo in it >$who/work/m/file
	chown --reference=$who/work $who/work/m/file
	chmod 600 $who/work/m/file
	is "$who: a mount in the workspace is its owner's, as the rest" "in it" "$(tb run --sandbox namespace --dir $who/work -- sh -c 'cat m/file; echo new >m/new' 2>&1)"
	is "... what is written, too" "new $(stat -c %u $who/work)" "$(cat $who/work/m/new) $(stat -c %u $who/work/m/new)"
	umount $who/work/m

	# ---- devices of the host (ask 38) ----
	mount -t tmpfs none /dev/shm
	mkdir /dev/shm/a
	mknod -m 600 /dev/shm/a/zero c 1 5
	mknod -m 600 /dev/shm/a/other c 1 3
	mknod -m 666 /dev/shm/disk b 7 0
	touch /dev/shm/file
	[ $who = root ] || chown 1000 /dev/shm/a/zero
	is "$who: control: a device of the host's is not there" 1 "$(tb run --sandbox namespace -- test -e /dev/shm/a/zero; echo $?)"
	box=$(tb create --sandbox namespace --device /dev/shm/a/zero 2>err)
	is "... one that was given is, and works" "0000" "$(tb exec "$box" sh -c 'head -c2 /dev/shm/a/zero | od -An -tx1 | tr -d " \n"' 2>&1)"
	is "... and is told of" "a /dev of its own, with 1 of the host's" "$(report "$box" devices)"
	tb stop "$box" >/dev/null && tb start "$box" >/dev/null
	is "... after a stop, too; what was not given is not" "zero" "$(tb exec "$box" ls /dev/shm/a)"
	tb rm "$box" >/dev/null
	is "... the host's is as it was" "600 1:5" "$(stat -c '%a %t:%T' /dev/shm/a/zero)"
	for what in disk file missing; do
		is "... $what is none" "70 1" "$(tb run --sandbox namespace --device /dev/shm/$what -- true 2>err; echo $? $(grep -c "none of this machine's character devices" err))"
	done
	[ $who = root ] || is "... nor is what is not for the user" "70 1" \
		"$(tb run --sandbox namespace --device /dev/shm/a/other -- true 2>err; echo $? $(grep -c "is not for this user" err))"
	for wall in virtual microvm passthrough; do
		is "... $wall says no" "70 1" "$(tb create --sandbox $wall --device /dev/shm/a/zero 2>err; echo $? $(grep -c -e '--device: ' err))"
	done
	for path in /dev/../etc/passwd /etc/passwd /dev/ /dev/a:b /dev/x,y; do
		is "... $path is no device" 2 "$(tb create --sandbox namespace --device $path 2>err; echo $?)"
	done
	umount /dev/shm

	# ---- a disk that is full ----
	mkdir -p $who/full
	mount -t tmpfs -o mode=777,size=8m none $who/full
	export TINYBOX_STATE_DIR=$dir/$who/full/state
	for wall in virtual namespace; do
		box=$(tb create --sandbox $wall)
		tb pause "$box" >/dev/null
		dd if=/dev/zero of=$who/full/junk bs=1k 2>/dev/null
		is "$who, $wall: control: the disk is full" 1 "$(cp /etc/passwd $who/full/more 2>/dev/null; echo $?)"
		is "... a box goes on" "0 ready" "$(tb resume "$box" >/dev/null; echo $?) $(tb ls | grep "^$box" | cut -f3)"
		is "... and is stopped" "0 stopped" "$(tb stop "$box" >/dev/null; echo $?) $(tb ls | grep "^$box" | cut -f3)"
		rm $who/full/junk $who/full/more
		is "... and starts when there is room" "0 ready" "$(tb start "$box" >/dev/null; echo $?) $(tb ls | grep "^$box" | cut -f3)"
		is "... and stays what it is" "in ready" "$(tb exec "$box" echo in) $(tb ls --quick | grep "^$box" | cut -f3)"
		tb rm "$box" >/dev/null
	done
	umount $who/full 2>/dev/null || umount -l $who/full
done

# ---- a chroot ----
be root
jail=$dir/jail
mkdir -p "$jail"/{usr,proc,dev,tmp,programs}
for part in usr proc dev; do mount --rbind /$part "$jail/$part"; done
mount --bind "$(dirname "$tinybox")" "$jail/programs"
for part in usr programs; do mount -o remount,bind,ro "$jail/$part"; done
for link in bin lib lib64; do ln -s usr/$link "$jail/$link"; done
in_jail() { TINYBOX_STATE_DIR=/tmp/state timeout 60 chroot "$jail" /programs/tinybox "$@"; }
in_jail run --sandbox namespace -- true >out 2>err
is "a chroot" 70 $?
has "... is named" "this is a chroot" "$(cat err)"
has "... by doctor, too" "this is a chroot, where the kernel allows none	begin outside" "$(in_jail doctor)"
is "... a virtual box works there" ok "$(in_jail run -- echo ok 2>&1)"
tap_end
