#!/bin/bash
# shared.sh WALL-RUN: what the roots of all boxes begin from, made once in a cache directory: the same root as without
# it; several at once; a cache that is not ours alone; what nobody uses goes, what is used stays. TAP.
set -u
. "$(dirname "$(realpath "$0")")/tap.sh"
wall=$(realpath "$1")
dir=$(mktemp -d /tmp/tinybox-shared-XXXXXX)
export TMPDIR=$dir
trap 'rm -rf "$dir"' EXIT
chmod 1777 "$dir"
cp "$wall" "$dir/wall-run"; wall=$dir/wall-run

box() { timeout 60 $as "$wall" "$@"; }
shared() { WALL_RUN_CACHE=$cache box "$@"; }
roots() { ls -A "$cache" 2>/dev/null | tr -d '0-9a-f' | sort | tr '\n' ' '; }
# all of the root with modes, owners, links and contents; no times
tree='cd /; find . -xdev \( -path ./tmp -o -path ./dev -o -path ./proc \) -prune -o -printf "%y %m %U:%G %p %l\n" | sort; find . -xdev \( -path ./dev -o -path ./proc \) -prune -o -type f -exec md5sum {} + | sort; ls -ln /dev | sed "s/ [A-Z][a-z][a-z] .*:.. / /"'

all() {
	cache=$dir/cache-$who
	box -- bash -c "$tree" >"$dir/plain"
	shared -- bash -c "$tree" >"$dir/first"
	shared -- bash -c "$tree" >"$dir/second"
	[ -s "$dir/plain" ]; tap $? "a root"
	for one in first second; do
		is "the same with what is shared ($one)" "" "$(diff <(grep -v '/etc/host' "$dir/plain") \
			<(grep -v '/etc/host' "$dir/$one") | head -20)"
	done
	is "made once" "root- " "$(roots)"
	# older ones cannot have it below a layer in memory
	if printf '6.6\n%s\n' "$(uname -r)" | sort -V | head -1 | grep -qx 6.6; then
		is "it is used" overlayfs "$(shared -- stat -f -c %T /)"
	fi
	is "written over, not through" "no-1" "$(shared -- sh -c 'echo no >/etc/services; printf "$(cat /etc/services)-1"')"
	is "the next box does not see it" 1 "$(shared -- sh -c 'grep -c "^ssh[[:space:]]" /etc/services')"
	is "a removed directory is removed" gone "$(shared -- sh -c 'rm -r /srv /opt && mkdir /opt && ls -A /opt; [ -e /srv ] || echo gone')"
	is "its places in /dev cannot be written" 1 "$(shared -- sh -c '(echo >/dev/x) 2>/dev/null; echo $?' | sed 's/[1-9].*/1/')"
	is "its devices work, and are not the box's" "8 0 65534 65534 1" "$(shared -- sh -c 'head -c 4 /dev/zero >/dev/null; head -c 8 /dev/urandom | wc -c
		echo x >/dev/full 2>/dev/null || echo 0; stat -c "%u %g" /dev/null; chmod 0 /dev/null 2>/dev/null || echo 1; [ -c /dev/null ]' | tr '\n' ' ' | sed 's/ $//')"
	mkdir -p "$dir/work"; chmod 777 "$dir/work"
	for target in /workspace /home/me/x /tmp/x /etc/x /a/; do
		is "a workspace at $target" "1777 $(stat -c %a "$dir/work")" \
			"$(shared -w "$dir/work" -t $target -- sh -c "stat -c %a /tmp; stat -c %a $target" | tr '\n' ' ' | sed 's/ $//')"
	done
	rm -rf "$cache"
	for i in 1 2 3 4 5 6 7 8; do
		shared -- cat /etc/hostname >"$dir/out.$i" 2>&1 &
	done
	wait
	is "eight at once" "8 1" "$(grep -l "^$WALL_RUN_NAME" "$dir"/out.* | wc -l) $(ls -A "$cache" | wc -l)"
	rm "$dir"/out.*
	# half made, and of another time
	$as mkdir "$cache/.new" "$cache/root-0123456789abcdef"
	$as touch "$cache/.new/x" "$cache/root-0123456789abcdef/x"
	mkfifo "$dir/go.$who" "$dir/ready.$who"; chmod 666 "$dir/go.$who" "$dir/ready.$who"
	shared -- sh -c 'echo >&2; read x; grep -c "^ssh[[:space:]]" /etc/services' <"$dir/go.$who" 2>"$dir/ready.$who" >"$dir/held" &
	exec 7>"$dir/go.$who"; read -r _ <"$dir/ready.$who"
	shared -u 5 -- true
	is "what nobody uses is removed, what is used stays" "root- root- " "$(roots)"
	echo go >&7; exec 7>&-
	wait
	is "and is whole" 1 "$(cat "$dir/held")"
	shared -u 6 -- true
	is "then it goes as well" "root- " "$(roots)"
	# what only root may read on the host: the keeper is root, the box is nobody
	if [ "$who" = root ]; then
		mkdir -p "$dir/etc/ssl"
		cp /etc/services /etc/protocols /etc/ld.so.cache "$dir/etc"; cp /etc/ssl/openssl.cnf "$dir/etc/ssl"
		for set in "chmod 600 $dir/etc/services" "chmod 644 $dir/etc/services; chmod 700 $dir/etc/ssl"; do
			eval "$set"
			got=$(unshare -m bash -c 'mount --make-rprivate /; mount --bind "$1" /etc; shift; exec "$@"' - "$dir/etc" \
				env WALL_RUN_CACHE="$cache" timeout 60 "$wall" -- sh -c 'ls /etc/services /etc/protocols /etc/ssl/openssl.cnf 2>/dev/null')
			case $set in
			*600*) want=$(printf '/etc/protocols\n/etc/ssl/openssl.cnf') ;;
			*) want=$(printf '/etc/protocols\n/etc/services') ;;
			esac
			is "only what all may read is shared" "$want" "$got"
		done
	fi
	# not ours alone
	rm -rf "$cache"; mkdir "$cache"; chmod 777 "$cache"
	is "a cache that others can write to is not used" "ok " "$(shared -- echo ok) $(roots)"
	rmdir "$cache"; mkdir "$dir/other"; chmod 777 "$dir/other"; ln -s "$dir/other" "$cache"
	is "nor one behind a link" "ok " "$(shared -- echo ok) $(ls -A "$dir/other")"
	rm -rf "$cache" "$dir/other"
	echo x >"$cache"
	is "nor a file" ok "$(shared -- echo ok)"
	rm "$cache"
	# where devices do not work, the host's are mounted over those that are shared
	if [ "$who" = root ]; then
		got=$(unshare -m bash -c 'mount --make-rprivate /; mkdir "$1"; mount -t tmpfs -o mode=700 none "$1"; WALL_RUN_CACHE=$1 "$2" -- true
			mount -o remount,nodev "$1"; WALL_RUN_CACHE=$1 timeout 60 "$2" -- sh -c "echo x >/dev/null && echo works"' - "$cache" "$wall")
		is "devices where the cache has none" works "$got"
		rmdir "$cache"
	fi
}

export WALL_RUN_NAME=shared$$
who=$(id -un) as= PREFIX="$who: "
all
if [ "$(id -u)" = 0 ]; then
	who=user as='setpriv --reuid 1000 --regid 1000 --clear-groups' PREFIX="user: "
	rm -rf "$dir/work"
	all
fi
tap_end
