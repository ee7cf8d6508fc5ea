#!/bin/bash
# docker.sh TINYBOX: boxes behind docker, with an engine of our own that ends with the test: no bridge, no rules of a
# firewall, everything in one directory. TAP. Root only, as the engine is.
tinybox=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
. "$(dirname "$(realpath "$0")")/tap.sh"
for need in /usr/sbin/dockerd /bin/busybox /usr/sbin/sshd; do
	[ -x $need ] || { echo "1..0 # SKIP $need is not there (tools/install-needs all)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root can start an engine"; exit 0; }
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG TINYBOX_DOCKER
dir=$(mktemp -d /tmp/tbxdocker-XXXXXX)
chmod 755 "$dir"
cd "$dir" || exit 1
export TINYBOX_STATE_DIR=$dir/state
tb() { timeout 60 "$tinybox" "$@"; }
D() { timeout 60 docker "$@"; }
ended() { for _ in $(seq 200); do [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null || return 0; sleep .1; done; return 1; }

# ---- the engine ----
cleanup() {
	[ ! -x "$dir/podman" ] || CONTAINERS_CONF=$dir/podman.conf "$dir/podman" rm -f -a >/dev/null 2>&1
	[ ! -d "$dir/user/run" ] || R podman rm -f -a >/dev/null 2>&1
	[ ! -s "$dir/user/run/libpod/tmp/pause.pid" ] || kill "$(cat "$dir/user/run/libpod/tmp/pause.pid")" 2>/dev/null
	for s in "$dir"/state/ssh/*; do [ -S "$s" ] && ssh -o ControlPath="$s" -O exit x 2>/dev/null; done
	[ -s "$dir/sshd.pid" ] && kill "$(cat "$dir/sshd.pid")"
	if [ -n "$engine" ]; then
		kept=$(D ps -aq)
		# shellcheck disable=SC2086
		[ -z "$kept" ] || D rm -f $kept >/dev/null 2>&1
		kill "$engine" 2>/dev/null
		ended "$engine" || kill -9 "$engine"
	fi
	for m in $(awk -v d="$dir/" 'index($5, d) == 1 { print $5 }' /proc/self/mountinfo | sort -r); do umount "$m"; done
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' TERM INT
dockerd --host "unix://$dir/docker.sock" --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/dockerd.pid" \
	--bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false >"$dir/dockerd.log" 2>&1 </dev/null &
engine=$!
export DOCKER_HOST=unix://$dir/docker.sock
for _ in $(seq 300); do D version >/dev/null 2>&1 && break; sleep .1; done
D version >/dev/null 2>&1 || { echo "1..0 # SKIP the engine does not start here: $(tail -1 "$dir/dockerd.log")"; exit 0; }

# ---- images: one with busybox, one with nothing but a program of ours ----
mkdir -p root/{bin,dev,proc,sys,tmp,root,etc,usr/bin}
cp /bin/busybox root/bin/busybox
for a in $(busybox --list); do [ "$a" = busybox ] || ln -sf busybox "root/bin/$a"; done
for a in env echo; do ln -s ../../bin/busybox root/usr/bin/$a; done
printf '#!/bin/sh\nfor v; do eval "printf \\"%%s\\\\n\\" \\"\\$$v\\""; done\n' >root/bin/printenv
chmod 755 root/bin/printenv
echo root:x:0:0:root:/root:/bin/sh >root/etc/passwd
# under a sanitizer process 1 has libraries
libraries() {
	for l in $(ldd "$(dirname "$tinybox")/tinybox-init" 2>/dev/null | grep -o '/[^ ]*'); do mkdir -p "$1${l%/*}"; cp -L "$l" "$1$l"; done
}
libraries root
tar -C root -c . | D import - test/busybox:1 >/dev/null
box() { tb create --sandbox docker --image test/busybox:1 "$@"; }

kept() { D ps -aq; D images -q tinybox/image; }
word() { tr '\0' ' ' | sed 's/ *$//'; }
keeper() { python3 -c 'import fcntl, struct, sys, os
try: fd = os.open(sys.argv[1], os.O_RDWR)
except OSError: sys.exit()
print(struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0)))[4] or "")' "${2:-state}/boxes/$1/run/lock"; }

# ---- from the first to the last ----
box=$(box --env 'A=a b' --hostname hohoho)
is "created" "box-1 0" "$box $?"
is "its environment and its name" "a b|hohoho" "$(tb exec "$box" sh -c 'echo "$A|$(hostname)"')"
has "process 1 is ours" "/dev/tinybox/init" "$(tb exec "$box" cat /proc/1/cmdline | word)"
tb stop "$box" >/dev/null; tb start "$box" >/dev/null; tb stop "$box" >/dev/null; tb start "$box" >/dev/null
is "stopped and started at once" 0 $?
tb exec "$box" sh -c 'echo kept >f; sleep 1000 & echo $!' >/dev/null
tb stop "$box" >/dev/null
status=$?
for _ in $(seq 100); do [ -z "$(D ps -q)" ] && break; sleep .1; done
is "stopped" "0 exited" "$status $(D ps -a --format '{{.State}}')"
tb start "$box" >/dev/null
is "started again: files are there, processes are not" "kept 0" "$(tb exec "$box" sh -c 'echo $(cat f) $(ps | grep -c "[s]leep 1000")')"
tb pause "$box" >/dev/null && tb exec "$box" true 2>err
is "paused: no exec" 70 $?
tb resume "$box" >/dev/null && tb exec "$box" true
is "resumed" 0 $?
has "inspect" "isolation	kernel" "$(tb inspect "$box")"
has "... and what it was made of" "image	test/busybox:1" "$(tb inspect "$box")"
is "nothing that was asked for is unenforced" "" "$(tb inspect "$box" | grep 'NOT ENFORCED')"
D stop "$(D ps -q)" >/dev/null
is "docker stop ends it as an end" "lost" "$(tb ls | cut -f3)"
tb start "$box" >/dev/null
is "and it can be started" kept "$(tb exec "$box" cat f)"
tb rm "$box" >/dev/null
is "rm, and nothing is left" "0 " "$? $(kept)"
is "run" "ran 3" "$(tb run --sandbox docker --image test/busybox:1 sh -c 'echo ran; exit 3') $?"
is "... and nothing is left" "" "$(kept)"

# ---- images ----
mkdir only && cp /bin/busybox only/busybox && libraries only
tar -C only -c . | D import -c 'ENTRYPOINT ["/no/such"]' -c 'CMD ["--help"]' -c 'ENV FROM=image PATH=/nowhere GLIBC_TUNABLES=glibc.malloc.check=3' -c 'USER 77' -c 'VOLUME /v' \
	-c 'WORKDIR /elsewhere' - test/only:1 >/dev/null
box=$(tb create --sandbox docker --image test/only:1 --env B=2)
is "an image without sh, whose entrypoint is not there" "FROM=image 2 0" \
	"$(tb exec "$box" /busybox sh -c '/busybox env | /busybox grep FROM; echo $B; /busybox id -u' | xargs)"
tb rm "$box" >/dev/null
tar -C root -cf root.tar .
tar -C root -czf root.tar.gz .
D save -o saved.tar test/busybox:1
for image in ./root "$dir/root.tar" ./root.tar.gz ./saved.tar; do
	box=$(tb create --sandbox docker --image "$image")
	is "an image from $image" works "$(tb exec "$box" sh -c 'echo works')"
	tb rm "$box" >/dev/null
	is "... which goes with the box" "" "$(kept)"
done
D tag test/only:1 steal/nameit:1
D save -o steal.tar steal/nameit:1
D rmi steal/nameit:1 >/dev/null
LC_ALL=C sed -i 's#steal/nameit#test/busybox#g' steal.tar
kept_id=$(D images -q --no-trunc test/busybox:1)
box=$(tb create --sandbox docker --image ./steal.tar)
is "an archive's own names are not given" "image $kept_id" "$(tb exec "$box" /busybox sh -c 'echo $FROM') $(D images -q --no-trunc test/busybox:1)"
tb rm "$box" >/dev/null
is "... and it goes with the box" "" "$(kept)"
D load -q -i steal.tar >/dev/null
is "control: the engine would give them" yes "$([ "$(D images -q --no-trunc test/busybox:1)" = "$kept_id" ] || echo yes)"
D tag "$kept_id" test/busybox:1
LC_ALL=C sed 's#"RepoTags"#"repoTags"#' steal.tar >spelled.tar
gzip -k spelled.tar
mkdir oci && echo '{"imageLayoutVersion":"1.0.0"}' >oci/oci-layout && tar -C oci -cf none.tar .
"$here/docker-form.py" "$(command -v docker)" oci save test/busybox:1 >oci.tar
box=$(tb create --sandbox docker --image ./oci.tar)
is "an OCI layout" works "$(tb exec "$box" echo works)"
tb rm "$box" >/dev/null
for bad in spelled.tar spelled.tar.gz none.tar; do
	tb create --sandbox docker --image ./$bad 2>err
	has "an archive of a form that is not known is refused ($bad)" "give --image its name" "$(cat err)"
done
gzip -k saved.tar
box=$(tb create --sandbox docker --image ./saved.tar.gz)
is "one that is packed" works "$(tb exec "$box" echo works)"
tb rm "$box" >/dev/null
is "... and nothing of it is left" "$kept_id" "$(D images -q --no-trunc test/busybox:1)$(kept)"
is "... and takes none of the user's with it" 2 "$(D images -q | sort -u | wc -l)"
mkfifo fifo
for image in -v --privileged 'a b' '' /no/such ./docker.sock ./fifo 'x;touch y' nosuch/image:1; do
	tb create --sandbox docker "--image=$image" >out 2>err
	is "no image: '$image'" "no " "$([ $? = 0 ] || echo no) $(cat out)"
done
tb create --sandbox docker >out 2>err
has "no image at all is told by name" "--image REFERENCE" "$(cat err)"
tb create --sandbox namespace --read-only-root >out 2>err
is "... and what is docker's is docker's" 2 $?
is "nothing came of it" "" "$(kept)"

# ---- values are data ----
work='--privileged,"readonly
=x'
mkdir -p "$dir/$work" && chown 1234:1235 "$dir/$work"
box=$(box --dir "$dir/$work" --env 'A=$(x) `y` "z"
-v' --label 'k=--rm' --workspace '/w,s "p"')
is "a hostile directory, and a hostile place for it" "0 here" "$? $(tb exec "$box" sh -c 'touch file && echo here')"
is "its files are its owner's" "1234 1235" "$(stat -c '%u %g' "$dir/$work/file")"
is "values arrive" 'A=$(x) `y` "z" -v' "$(tb exec "$box" env | grep -A1 ^A= | xargs -d '\n')"
tb exec "$box" chmod u+s file 2>/dev/null
is "no file of somebody's becomes set-user-id" 644 "$(stat -c %a "$dir/$work/file")"
is "... and it has no capability" "0000000000000000" "$(tb exec "$box" grep CapEff /proc/self/status | cut -f2)"
tb rm "$box" >/dev/null
box=$(box --dir "$dir/$work" --read-only)
tb exec "$box" touch /workspace/other 2>/dev/null
is "a workspace that cannot be written" "1 file" "$? $(ls "$dir/$work")"
tb rm "$box" >/dev/null
mkdir "$(printf 'x\xff')"
tb create --sandbox docker --image test/busybox:1 --dir "$(printf 'x\xff')" 2>err
has "a name that the engine cannot say is refused by name" "70 UTF-8" "$? $(grep -o UTF-8 err)"
for no in "$dir" "$dir/state"; do
	box --dir "$no" >/dev/null 2>err
	has "not this workspace: ${no##*/}" "the workspace holds" "$(cat err)"
done
mkdir own; ln docker.sock own/ 2>/dev/null
DOCKER_HOST=unix://$dir/own/docker.sock box --dir "$dir/own" >/dev/null 2>err
has "nor one with the engine's socket" "engine's socket" "$(cat err)"
is "nothing came of it" "" "$(kept)"

# ---- the wall, each with its control ----
cat >eat.c <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int n, char **v)
{
	size_t size = (size_t)atol(v[n - 1]) << 20;
	char *p = malloc(size);

	memset(p, 1, size);
	return !printf("ate %d\n", p[size - 1]);
}
X
gcc -O0 -static -o eat eat.c
box=$(box --memory 64m --pids 24 --cpus 0.5 --open-files 100)
tb cp eat "$box:/tmp/eat"
is "8 MiB below a cap of 64 live" "ate 1" "$(tb exec "$box" /tmp/eat 8)"
tb exec --record rec "$box" /tmp/eat 100
is "100 MiB die of it" "137 oom memory" "$? $(python3 -c 'import json; r = json.load(open("rec")); print(r["reason"], r["limit"])')"
is "and the box lives" alive "$(tb exec "$box" echo alive)"
is "a few processes are fine" 10 "$(tb exec "$box" sh -c 'for i in $(seq 10); do echo & done; wait' | wc -l)"
is "open files" 100 "$(tb exec "$box" sh -c 'ulimit -n')"
is "all of it is told" 5 "$(tb inspect "$box" | grep -Ec '^control	(memory|pids|cpu|open-files|network)	.*enforced by')"
is "a loopback and nothing else" lo "$(tb exec "$box" sh -c 'sed 1,2d /proc/net/dev' | cut -d: -f1 | xargs)"
is "control: there is more outside" yes "$([ "$(sed 1,2d /proc/net/dev | wc -l)" -gt 1 ] && echo yes)"
tb exec "$box" cat "$dir/eat.c" >/dev/null 2>&1
is "the host's files are not there" 1 $?
is "nor its processes" yes "$([ "$(tb exec "$box" sh -c 'ls -d /proc/[0-9]*' | wc -l)" -lt 10 ] && echo yes)"
is "no new privileges, a filter (two, with ours)" "1 2 2" "$(tb exec "$box" sed -n 's/^\(NoNewPrivs\|Seccomp\|Seccomp_filters\):\t//p' /proc/self/status | xargs)"
is "capabilities: the few" 00000000000000fb "$(tb exec "$box" sed -n 's/^CapBnd:\t//p' /proc/self/status)"
for try in 'mount -t tmpfs none /tmp' 'unshare -U true' 'mknod /tmp/d b 254 0' 'kill -9 1' 'chroot / true' 'readlink /proc/1/exe' 'readlink /proc/1/fd/3' 'cat /proc/1/environ' 'hostname x' \
	'echo x >/dev/tinybox/init' 'echo c >/proc/sysrq-trigger' 'ip link add d type dummy'; do
	tb exec "$box" sh -c "$try" >out 2>&1; status=$?
	[ "$try" = 'kill -9 1' ] && { tb exec "$box" true; status=$((!$?)); }
	is "not allowed: $try" yes "$([ $status != 0 ] && echo yes)"
done
is "the door is closed" "init" "$(tb exec "$box" ls /dev/tinybox)"
has "many processes are not" "can't fork" "$(tb exec "$box" sh -c 'for i in $(seq 40); do sleep 100 & done' 2>&1)"
tb rm "$box" >/dev/null
box=$(box --read-only-root)
is "a root that cannot be written" "1 0 0" "$(tb exec "$box" sh -c 'for d in /etc /tmp /workspace; do touch $d/x 2>/dev/null; echo $?; done' | xargs)"
tb rm "$box" >/dev/null
box --disk 64m >out 2>err
if [ -s out ]; then
	tb rm "$(cat out)" >/dev/null
	skip "a disk's size" "the engine's storage can limit it here"
else
	has "a disk's size that nothing limits is refused" "the control disk" "$(cat err)"
	box=$(box --disk 64m --accept disk)
	has "... or accepted, and told" "NOT ENFORCED: the engine's storage" "$(tb inspect "$box" | grep disk)"
	tb rm "$box" >/dev/null
fi
box=$(box --network open)
has "open is the engine's own network" "as asked" "$(tb inspect "$box" | grep '^control	network')"
tb rm "$box" >/dev/null

# ---- limits of single execs, and a pause of all at once ----
below() { find /sys/fs/cgroup -path "*$1*" \( -name 'tinybox-*' -o -name 'p[0-9]*' \) 2>/dev/null | wc -l; }	# below ID: groups of ours
mkdir mine && chown 1234:1235 mine
for of in root owner; do
	options=(); [ $of = root ] || options=(--dir "$dir/mine")
	box=$(box "${options[@]}")
	id=$(D ps -q --no-trunc)
	tb cp eat "$box:/workspace/eat"
	has "$of: limits of one exec are told" "exec-limits	-	enforced by control groups below the container's: memory, pids, cpu" "$(tb inspect "$box")"
	is "$of: 8 MiB below an exec's cap of 32 live" "ate 1" "$(tb exec --memory 32m "$box" ./eat 8)"
	tb exec --memory 32m --record rec "$box" ./eat 64 2>/dev/null
	is "$of: 64 MiB die of it" "137 oom memory 33554432" "$? $(python3 -c 'import json; r = json.load(open("rec")); print(r["reason"], r["limit"], r["peak"])')"
	is "$of: ... and of no other's" "ate 1" "$(tb exec "$box" ./eat 64)"
	has "$of: an exec's processes" "can't fork" "$(tb exec --pids 5 "$box" sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 100 & done' 2>&1)"
	is "$of: its share of a processor" "20000" \
		"$(tb exec --cpus 0.2 "$box" sh -c 'cat /sys/fs/cgroup/cpu/p*/cpu.cfs_quota_us 2>/dev/null || cut -d" " -f1 /sys/fs/cgroup/tinybox-run/p*/cpu.max')"
	has "$of: a tree dies at once" "tree-kill	-	enforced by cgroup.kill" "$(tb inspect "$box")"
	p=$(tb spawn "$box" sh -c 'while :; do (echo >>n); done')
	for _ in $(seq 100); do tb exec "$box" test -s n && break; sleep .1; done
	tb pause "$box" >/dev/null
	is "$of: paused is frozen, and nobody was stopped" "frozen 1 0" \
		"$(grep -h frozen /sys/fs/cgroup/unified/docker/"$id"/tinybox-run/cgroup.events /sys/fs/cgroup/docker/"$id"/tinybox-run/cgroup.events 2>/dev/null) $(D top "$id" -o pid,stat | grep -c " T")"
	tb resume "$box" >/dev/null
	tb pause "$box" >/dev/null
	tb kill --tree "$box" "$p" >/dev/null; tb wait "$box" "$p"
	is "$of: what is frozen can be killed" 137 $?
	tb resume "$box" >/dev/null
	tb spawn "$box" sleep 1000 >/dev/null
	tb pause "$box" >/dev/null
	if [ $of = root ]; then
		D rm -f "$id" >/dev/null
		is "$of: a container that somebody removes, frozen, leaves no group" 0 "$(below "$id")"
	else
		kill -9 "$(keeper "$box")"
		for _ in $(seq 100); do [ -z "$(D ps -q)" ] && break; sleep .1; done
		is "$of: nor does a keeper that dies" 0 "$(below "$id")"
		tb start "$box" >/dev/null
		is "$of: ... and has them when it is started again" "ate 1" "$(tb exec --memory 32m "$box" ./eat 8)"
	fi
	tb rm -f "$box" >/dev/null
	is "$of: nor does rm" "0 $(kept)" "$(below "$id") "
done

# ---- the network: our proxy, our listeners ----
python3 - "$dir/http.said" >"$dir/http.port" <<'X' &
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
        said = self.headers.get("Token")
        if said: open(sys.argv[1], "w").write(said)
        self.wfile.write(b"%s from outside\n" % said.encode() if said else b"from outside\n")
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
X
web=$!
for _ in $(seq 100); do [ -s http.port ] && break; sleep .1; done
to=127.0.0.1:$(cat http.port)
box=$(box --network egress --allow "$to" -p 8099)
is "egress to what is allowed" "from outside" "$(tb exec "$box" wget -q -O - "http://$to/")"
tb exec "$box" wget -q -O - "http://127.0.0.1:1/" >out 2>&1
has "and nowhere else" "403" "$(cat out)"
secret=$(DOCKER_SECRET="the real value" box --network egress --allow "$to" --secret "TOKEN=env:DOCKER_SECRET@http://$to")
is "a secret: what the box sees" "*** **** ***** from outside" "$(tb exec "$secret" sh -c 'wget -q -O - --header "Token: $TOKEN" "http://$1/"' sh "$to" | sed 's/\*\*\*\**/*** **** *****/')"
is "... and the host" "the real value" "$(cat http.said)"
has "... inside is a placeholder" tbx_secret_ "$(tb exec "$secret" printenv TOKEN)"
is "... and the certificate of an authority" 1 "$(tb exec "$secret" grep -c BEGIN /dev/shm/.tinybox/ca.pem)"
is "... no value in the container" "" "$(D inspect $(D ps -q) | grep -F "the real value")"
tb rm "$secret" >/dev/null
mkdir mine1 && chown 1000:1000 mine1
for more in "--dir $dir/mine1" --read-only-root; do
	secret=$(DOCKER_SECRET="the real value" box --network egress --allow "$to" --secret "TOKEN=env:DOCKER_SECRET@http://$to" $more)
	is "... with ${more%% *}: the certificate" "/dev/shm/.tinybox/ca.pem 1" "$(tb exec "$secret" sh -c 'echo $NODE_EXTRA_CA_CERTS $(grep -c BEGIN $NODE_EXTRA_CA_CERTS)')"
	tb rm "$secret" >/dev/null
done
is "... with a loopback only" lo "$(tb exec "$box" sh -c 'sed 1,2d /proc/net/dev' | cut -d: -f1 | xargs)"
tb exec "$box" sh -c '(echo from inside | nc -lp 8099) >/dev/null 2>&1 & while ! grep -q :1FA3 /proc/net/tcp*; do usleep 10000; done'
port=$(tb inspect --json "$box" | python3 -c 'import json, sys; p = json.load(sys.stdin)["published"][0]; print(p["address"], p["host"])')
is "a port is on loopback" 127.0.0.1 "${port% *}"
is "and leads inside" "from inside" "$(python3 -c 'import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10); print(s.makefile().read().strip())' $port)"
tb exec "$box" sh -c '(echo not published | nc -lp 8098) >/dev/null 2>&1 & while ! grep -q :1FA2 /proc/net/tcp*; do usleep 10000; done'
timeout 60 "$tinybox" forward "$box" 8098 >forward.out 2>&1 &
forward=$!
for _ in $(seq 100); do [ -s forward.out ] && break; sleep .1; done
port=$(sed 's/^127.0.0.1:\([0-9]*\) .*/\1/' forward.out)
is "another is forwarded" "not published" "$(python3 -c 'import socket, sys; s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10); print(s.makefile().read().strip())' "$port")"
kill $forward
tb rm "$box" >/dev/null
box=$(box --network open -p 8099)
tb exec "$box" sh -c '(echo from inside | nc -lp 8099) >/dev/null 2>&1 & while ! grep -q :1FA3 /proc/net/tcp*; do usleep 10000; done'
port=$(tb inspect --json "$box" | python3 -c 'import json, sys; p = json.load(sys.stdin)["published"][0]; print(p["address"], p["host"])')
is "a port of a container in the engine's network" "from inside" "$(python3 -c 'import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10); print(s.makefile().read().strip())' $port)"
tb rm "$box" >/dev/null
kill $web

# ---- snapshots, forks, templates ----
box=$(box --env A=1 --memory 64m)
tb exec "$box" sh -c 'echo parent >/root/x; rm /etc/passwd; echo w >f'
is "snapshot" "snap-1 0" "$(tb snapshot "$box") $?"
tb exec "$box" sh -c 'echo later >/root/x'
new=$(tb create --snapshot snap-1)
is "a box of it: files, what was removed, environment, limits" "parent w 1 gone 67108864" "$(tb exec "$new" sh -c 'cat /root/x f; echo $A; test -e /etc/passwd || echo gone' | xargs) \
$(tb inspect --json "$new" | python3 -c 'import json, sys; print(json.load(sys.stdin)["spec"]["resources"]["memory"])')"
tb exec "$new" sh -c 'echo child >/root/x'
is "writes do not cross" "later" "$(tb exec "$box" cat /root/x)"
is "what a snapshot changes" "deleted /etc/passwd added /root/x added /workspace/f" "$(tb snapshot diff snap-1 | xargs)"
is "export" 0 "$(tb snapshot export snap-1 snap.file >/dev/null 2>err; echo $?)"
import=$(tb snapshot import snap.file)
hash() { tb snapshot inspect "$1" | grep -o '"hash":"[0-9a-f]*"' | head -1; }
is "import, the same image" "$(hash snap-1)" "$(hash "$import")"
far=$(tb create --snapshot "$import")
is "... a box of it" "parent w gone" "$(tb exec "$far" sh -c 'cat /root/x f; test -e /etc/passwd || echo gone' | xargs)"
tb snapshot diff "$import" 2>err
has "... what its image began from is not known" "came from a file" "$(cat err)"
tb rm "$far" >/dev/null; tb snapshot rm "$import" >/dev/null
# engines that write archives in other forms, of this one's
as_form() {	# as_form FORM TINYBOX-WORD...
	printf '#!/bin/sh\nexec %q %q %q "$@"\n' "$here/docker-form.py" "$(command -v docker)" "$1" >"$dir/form"
	chmod 755 "$dir/form"
	shift
	TINYBOX_DOCKER=$dir/form tb "$@"
}
for form in 25 podman; do
	as_form $form snapshot export snap-1 $form.file >/dev/null 2>err
	is "export as by $form" 0 $?
	import=$(tb snapshot import $form.file)
	is "... the same image" "$(hash snap-1)" "$(hash "$import")"
	far=$(tb create --snapshot "$import")
	is "... a box of it" "parent w gone" "$(tb exec "$far" sh -c 'cat /root/x f; test -e /etc/passwd || echo gone' | xargs)"
	tb rm "$far" >/dev/null; tb snapshot rm "$import" >/dev/null
done
for form in config missing path; do
	as_form $form snapshot export snap-1 $form.file >/dev/null 2>err
	is "export of an archive that is not what it says ($form)" "70 no" "$? $([ -e $form.file ] || echo no)"
	has "... is refused" "in a way that is not known" "$(cat err)"
done
is "... and nothing is left of it" 0 "$(ls state/layers | wc -l)"
cp snap.file bad.file; printf X | dd of=bad.file bs=1 seek=300000 conv=notrunc status=none
tb snapshot import bad.file 2>err
has "a damaged file is refused" "damaged" "$(cat err)"
id=$(hash snap-1 | grep -o '[0-9a-f]\{64\}')
forge() {	# forge TITLE OLD NEW
	"$here/docker-forge.py" snap.file forged.file "$2" "$3" || bad=1
	tb snapshot import forged.file 2>err
	has "an archive with $1 is not given to the engine" "not of one image" "$(cat err)"
}
forge "a name" '"RepoTags":null' '"RepoTags":[""]'
forge "another spelling" '"RepoTags":null' '"repotags":[""]'
forge "another image" "{\"Config\":\"${id:0:8}" "{\"Config\":\"00000000"
is "... and nothing is left of them" "1 0" "$(D images -q tinybox/snapshot | wc -l) $(ls state/layers | wc -l)"
forks=$(tb fork -n 2 "$new")
is "forks" "child child" "$(for b in $forks; do tb exec "$b" cat /root/x; done | xargs)"
tb template save base --from "$box" >/dev/null
new=$(tb create --template base --sandbox docker)
is "a template" later "$(tb exec "$new" cat /root/x)"
D image prune -f >/dev/null
is "images are spared by prune" 3 "$(D images -q tinybox/snapshot | wc -l)"
tb create --snapshot snap-1 --sandbox docker --image test/busybox:1 2>/dev/null
is "an image beside a snapshot is refused" 2 $?
D rmi -f "$(D images --format '{{.Repository}}:{{.Tag}}' tinybox/snapshot | grep image-1-)" >/dev/null 2>&1
D tag test/only:1 "tinybox/snapshot:image-1-$(cat state/tag)"
tb create --snapshot snap-1 2>err
has "one that was changed is refused" "damaged" "$(cat err)"
tb rm $(tb ls -q) >/dev/null
tb snapshot rm snap-1 >/dev/null
tb template rm base >/dev/null
tb snapshot rm $(tb snapshot ls | cut -f1) >/dev/null
is "no image is left of them" "" "$(D images -q tinybox/snapshot)$(kept)"
D tag test/only:1 "tinybox/snapshot:image-9-$(cat state/tag)"
D tag test/only:1 "tinybox/snapshot:image-9-another1"
box=$(box)
tb reap >/dev/null
is "reap takes what nobody names, and of this store alone" "image-9-another1" "$(D images --format '{{.Tag}}' tinybox/snapshot)"
D rmi tinybox/snapshot:image-9-another1 >/dev/null
tb rm "$box" >/dev/null

# ---- calls of the engine's command, each of which costs more than all of ours ----
printf '#!/bin/sh\necho "$1" >>%q/calls\nexec %q "$@"\n' "$dir" "$(command -v docker)" >counted
chmod 755 counted
calls() { : >calls; TINYBOX_DOCKER=$dir/counted tb "$@" >out; xargs <calls; }
is "create is one" run "$(calls create --sandbox docker --image test/busybox:1)"
box=$(cat out)
is "exec none" "" "$(calls exec "$box" true)"
is "a snapshot none: it is the engine's own commit" "" "$(calls snapshot "$box")"
snap=$(cat out)
is "... whose size is told" "$(D images -q --no-trunc tinybox/snapshot) $(D image inspect --format '{{.Size}}' "$(D images -q tinybox/snapshot)")" \
	"$(tb snapshot inspect "$snap" | python3 -c 'import json, sys; d = json.load(sys.stdin); print("sha256:" + d["parts"][0]["hash"], d["size"])')"
is "a box of it one" run "$(calls create --snapshot "$snap")"
is "rm one" rm "$(calls rm "$(cat out)")"
tb snapshot rm "$snap" >/dev/null
python3 -c 'import sys; f = sys.argv[1]; d = open(f, "rb").read().split(b"\0"); open(f, "wb").write(b"\0".join(d[:4]) + b"\0")' "state/boxes/$box/run/engine"
is "a note without the container's id, as older ones are" "ps rm ps ps" "$(calls rm "$box")"
mkdir conf
DOCKER_CONFIG=$dir/conf D context create other --docker "host=$DOCKER_HOST" >/dev/null 2>&1
DOCKER_CONFIG=$dir/conf DOCKER_HOST='' D context use other >/dev/null 2>&1
box=$(DOCKER_CONFIG=$dir/conf DOCKER_HOST='' box)
is "the context of the user's settings" works "$(tb exec "$box" echo works)"
tb rm "$box" >/dev/null
is "nothing is left" "" "$(kept)"

# ---- replies that were lost ----
box=$(box)
D rm -f "$(D ps -q)" >/dev/null
is "a container that somebody removed" lost "$(tb ls | cut -f3)"
tb start "$box" >/dev/null 2>err
has "... is not there any more" "its container is not there" "$(cat err)"
tb rm "$box" >/dev/null
is "... and can be removed" 0 $?
box=$(box)
rm -rf "state/boxes/$box"
for _ in $(seq 100); do [ -z "$(kept)" ] && break; sleep .1; done
is "a box whose directory is gone is gone with its container" "" "$(kept)"
box=$(box)
id=$(D ps -q)
kill -9 "$(keeper "$box")"
for _ in $(seq 100); do [ -z "$(D ps -q)" ] && break; sleep .1; done
is "a keeper that dies takes process 1 with it" "$id " "$(D ps -aq) $(D ps -q)"
rm -rf "state/boxes/$box"
has "reap finds the container by the store's tag" "container $id" "$(tb reap)"
is "and nothing is left" "" "$(kept)"
left=0
for ms in 60 200 350 600; do
	for who in caller both; do
		before=$(cat state/counter)
		setsid timeout 60 "$tinybox" create --sandbox docker --image ./root >/dev/null 2>&1 &
		caller=$!
		sleep "$(printf '0.%03d' $ms)"
		box=box-$((before + 1))
		pid=$(keeper "$box")
		[ $who = caller ] || [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
		[ $who = keeper ] || kill -9 -- "-$caller" 2>/dev/null
		wait $caller 2>/dev/null
		tb reap >/dev/null
		tb rm -f "$box" >/dev/null 2>&1
		# (an engine goes on with what it was asked)
		for _ in $(seq 30); do tb reap >/dev/null; [ -z "$(kept)" ] && break; sleep .1; done
		[ -z "$(kept)" ] || { left=$((left + 1)); echo "# after $ms ms, $who: $(D ps -a --format '{{.Names}} {{.State}}') $(D images tinybox/image)"; }
	done
done
is "kill -9 at many moments, then reap: no container and no image" 0 $left
is "no other directory either" "" "$(ls state/boxes)"

# ---- others at the same engine ----
box=$(box)
id=$(D ps -q --no-trunc)
tb stop "$box" >/dev/null
D rename "$id" another; tb start "$box" >/dev/null
is "a container that somebody renamed is started again" "alive" "$(tb exec "$box" echo alive)"
D rename "$id" "tinybox-$box-$(cat state/tag)"
D commit "$id" theirs/of:1 >/dev/null
D run -d --network none --name theirs --entrypoint /bin/sleep theirs/of:1 1000 >/dev/null
D pause "$id" >/dev/null
has "a container that somebody paused holds up nobody, and is told" "somebody may have paused its container" "$(tb ls --json)"
tb rm "$box" >/dev/null
is "... and can be removed" "0 theirs" "$? $(D ps -a --format '{{.Names}}')"
box=$(box)
tb reap >/dev/null
tb rm "$box" >/dev/null
is "what somebody made of a box is his, labels or not" theirs "$(D ps -a --format '{{.Names}}')"
D rm -f theirs >/dev/null; D rmi theirs/of:1 >/dev/null
is "nothing of ours is left" "" "$(kept)"

# ---- which engine ----
DOCKER_HOST=tcp://127.0.0.1:1 box >/dev/null 2>err
has "an engine on another machine is refused by name" "tcp://127.0.0.1:1 is on another machine" "$(cat err)"
DOCKER_HOST=unix://$dir/nothing box >/dev/null 2>err
has "one that does not answer" "the container engine does not answer" "$(cat err)"
TINYBOX_DOCKER=docker box >/dev/null 2>err
has "a program by a name that is not whole" "TINYBOX_DOCKER" "$(cat err)"
box=$(box)
is "commands later do not need the environment" 0 "$(env -u DOCKER_HOST timeout 60 "$tinybox" rm "$box" >/dev/null; echo $?)"
if [ -d root/lib ]; then skip "doctor does it" "process 1 has libraries here"
else is "doctor does it" "docker	ok" "$(tb doctor | grep '^docker' | cut -f1,2)"; fi
is "... and leaves nothing" "" "$(kept)"
is "the store forgets engines" no "$(tb reap; [ -e state/engines ] && echo yes || echo no)"

# ---- an ordinary user who may use the engine ----
mkdir user && cp "$tinybox" "$(dirname "$tinybox")/tinybox-init" "$(dirname "$tinybox")/tinybox-engine" user/ && mkdir user/work && chown -R 1000:1000 user
chgrp 4242 docker.sock && chmod 660 docker.sock
U() { setpriv --reuid 1000 --regid 1000 --groups 4242 env HOME="$dir/user" TINYBOX_STATE_DIR="$dir/user/state" timeout 60 "$dir/user/tinybox" "$@"; }
box=$(U create --sandbox docker --image test/busybox:1 --dir "$dir/user/work" --memory 64m)
is "a user makes a box" "1000" "$(U exec "$box" sh -c 'touch f; id -u')"
U exec --memory 32m "$box" true 2>err
is "... in which no exec has limits of its own: refused by name" "70 no control group" "$? $(grep -o 'no control group' err)"
has "... and told" "exec-limits	-	enforced by refusal: only root can" "$(U inspect "$box")"
is "... whose files are his" 1000 "$(stat -c %u user/work/f)"
U rm "$box" >/dev/null
is "... and removes it" "0 " "$? $(kept)"

# ---- podman, where it is ----
podman() {
	printf '%s\n' '[containers]' 'netns="none"' 'default_ulimits=["nofile=20000:20000","nproc=20000:20000"]' '[engine]' 'runtime="runc"' \
		'cgroup_manager="cgroupfs"' 'events_logger="file"' >podman.conf
	printf '#!/bin/sh\nexec /usr/bin/podman --root "%s/pod/root" --runroot "%s/pod/run" --tmpdir "%s/pod/tmp" "$@"\n' "$dir" "$dir" "$dir" >podman
	chmod 755 podman
	export CONTAINERS_CONF=$dir/podman.conf TINYBOX_DOCKER=$dir/podman
	tar -C root -c . | ./podman import - localhost/test/busybox:1 >/dev/null 2>podman.err
}
if [ ! -x /usr/bin/podman ]; then
	skip "podman" "it is not installed"
elif ! podman; then
	skip "podman" "it does not work here: $(tail -1 podman.err)"
else
	box=$(tb create --sandbox docker --image localhost/test/busybox:1 --memory 64m --pids 30 --cpus 0.5)
	is "podman makes a box" "works lo" "$(tb exec "$box" sh -c 'echo works; sed 1,2d /proc/net/dev' | cut -d: -f1 | xargs)"
	is "podman: nothing that was asked for is unenforced" "" "$(tb inspect "$box" | grep 'NOT ENFORCED')"
	is "podman: capabilities and privileges" "00000000000000fb 1 2" \
		"$(tb exec "$box" sed -n 's/^\(CapBnd\|NoNewPrivs\|Seccomp\):\t//p' /proc/self/status | xargs)"
	tb cp eat "$box:/tmp/eat"
	tb exec --record rec "$box" /tmp/eat 100 2>/dev/null
	is "podman: a cap of memory" "137 oom" "$? $(python3 -c 'import json; print(json.load(open("rec"))["reason"])')"
	tb exec "$box" sh -c 'echo kept >f'
	tb stop "$box" >/dev/null
	tb start "$box" >/dev/null
	is "podman: stop and start" kept "$(tb exec "$box" cat f)"
	tb rm "$box" >/dev/null
	box=$(tb create --sandbox docker --image ./root --dir "$dir/$work" --workspace '/w,s "p"')
	is "podman: a directory as the image, a hostile workspace" "1234 file" "$(tb exec "$box" sh -c 'id -u; ls' | xargs)"
	kill -9 "$(keeper "$box")"
	rm -rf "state/boxes/$box"
	for _ in $(seq 100); do [ -z "$(./podman ps -q)" ] && break; sleep .1; done
	is "podman: reap finds a container, and the image" "2" "$(tb reap | grep -c '^reaped	\(container\|image\) ')"
	is "podman: nothing is left" "" "$(./podman ps -aq; ./podman images -q localhost/tinybox/image)"
	[ -d root/lib ] || is "podman: doctor" "docker	ok	podman" "$(tb doctor | grep '^docker' | cut -d' ' -f1)"
fi
unset CONTAINERS_CONF TINYBOX_DOCKER

# ---- podman of an ordinary user, without a daemon: one user in it, as nobody has given him more ----
R() {
	setpriv --reuid 1000 --regid 1000 --clear-groups env -i PATH="$PATH" HOME="$dir/user" XDG_RUNTIME_DIR="$dir/user/run" CONTAINERS_CONF="$dir/podman.conf" \
		CONTAINERS_STORAGE_CONF="$dir/user/storage.conf" TINYBOX_DOCKER=/usr/bin/podman TINYBOX_STATE_DIR="$dir/user/pod" timeout 120 "$@"
}
rootless() {
	[ -x /usr/bin/podman ] && [ -s podman.conf ] || { echo "podman does not work here" >podman.err; return 1; }
	getent passwd 1000 >/dev/null || { echo "there is no user 1000" >podman.err; return 1; }
	printf '%s\n' '[storage]' 'driver = "vfs"' "runroot = \"$dir/user/run/containers\"" "graphroot = \"$dir/user/graph\"" '[storage.options.vfs]' \
		'ignore_chown_errors = "true"' >user/storage.conf
	mkdir -m 700 user/run && chown 1000:1000 user/run user/storage.conf
	tar -C root -c . | R podman import - localhost/test/busybox:1 >/dev/null 2>podman.err
}
if ! rootless; then
	skip "podman of a user" "$(tail -1 podman.err)"
else
	B() { R "$dir/user/tinybox" "$@"; }
	box=$(B create --sandbox docker --image localhost/test/busybox:1 --dir "$dir/user/work")
	is "podman of a user: its root is he" "0 1000" "$(B exec "$box" sh -c 'touch g; id -u') $(stat -c %u user/work/g)"
	is "... with a filter, and no new privileges" "1 2" "$(B exec "$box" sed -n 's/^\(NoNewPrivs\|Seccomp\):\t//p' /proc/self/status | xargs)"
	is "... and a loopback" lo "$(B exec "$box" sh -c 'sed 1,2d /proc/net/dev' | cut -d: -f1 | xargs)"
	has "... no limits of single execs" "exec-limits	-	enforced by refusal" "$(B inspect "$box")"
	B exec "$box" sh -c 'echo kept >/kept'
	B stop "$box" >/dev/null; B start "$box" >/dev/null
	is "... stop and start" kept "$(B exec "$box" cat /kept)"
	snap=$(B snapshot "$box" 2>/dev/null)
	new=$(B create --snapshot "$snap")
	is "... a snapshot" kept "$(B exec "$new" cat /kept)"
	B rm -f "$new" >/dev/null; B snapshot rm "$snap" >/dev/null
	kill -9 "$(keeper "$box" user/pod)"
	for _ in $(seq 100); do [ -z "$(R podman ps -q)" ] && break; sleep .1; done
	is "... a keeper that dies takes it with it" lost "$(B ls | cut -f3)"
	B rm "$box" >/dev/null
	is "... and nothing is left" "" "$(R podman ps -aq; R podman images -q localhost/tinybox/image)"
	new=$(B create --sandbox docker --image localhost/test/busybox:1 --memory 64m 2>err)
	[ -n "$new" ] || has "... a limit that nothing keeps is refused" "the control memory" "$(cat err)"
	[ -z "$new" ] || has "... memory is limited" "memory	67108864	enforced" "$(B inspect "$new")"
	[ -d root/lib ] || is "... doctor says so" "docker	$([ -n "$new" ] && echo ok || echo limited)	podman" "$(B doctor | grep '^docker' | cut -d' ' -f1)"
	[ -z "$new" ] || B rm "$new" >/dev/null
	R python3 "$here/contract.py" --create "--image localhost/test/busybox:1" "$dir/user/tinybox" local:docker >contract.tap 2>&1
	is "the contract on podman of a user" "" "$(grep -A2 '^not ok' contract.tap)"
	has "... all of it" 1.. "$(tail -1 contract.tap)"
	kill "$(cat user/run/libpod/tmp/pause.pid)" 2>/dev/null
fi

# ---- trees kept equal ----
"$here/sync.py" --only boxes --rounds 2 --create "--sandbox docker --image test/busybox:1" "$tinybox" >sync.tap 2>&1
is "sync with a container" "" "$(grep -A2 '^not ok' sync.tap)"
is "... all of it" 1..4 "$(tail -1 sync.tap)"

# ---- the exec contract ----
contract() {	# contract WHERE OPTIONS
	"$here/contract.py" --create "--image test/busybox:1 $2" "$tinybox" "$1" >contract.tap 2>&1
	is "the contract on $1" "" "$(grep -A2 '^not ok' contract.tap)"
	has "... all of it" 1.. "$(tail -1 contract.tap)"
}
contract local:docker ""
port=$((20000 + $$ % 20000))
ssh-keygen -q -t ed25519 -N '' -f hk
ssh-keygen -q -t ed25519 -N '' -f ck
install -m644 ck.pub ak
mkdir -p /run/sshd
printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $dir/hk" "PidFile $dir/sshd.pid" "AuthorizedKeysFile $dir/ak" \
	"StrictModes no" "UsePAM no" "UseDNS no" "PasswordAuthentication no" "KbdInteractiveAuthentication no" \
	"PermitRootLogin prohibit-password" "MaxSessions 100" "MaxStartups 100" "SetEnv SHLVL=1 DOCKER_HOST=$DOCKER_HOST XDG_CACHE_HOME=$dir/cache" >cfg
if /usr/sbin/sshd -f "$dir/cfg" -E "$dir/sshd.log"; then
	echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 hk.pub)" >known
	env -u DOCKER_HOST "$here/contract.py" --create "--image test/busybox:1 --ssh-port $port --ssh-identity $dir/ck --ssh-known-hosts $dir/known" \
		"$tinybox" "ssh:root@127.0.0.1:docker" >contract.tap 2>&1
	is "the contract on ssh x docker" "" "$(grep -A2 '^not ok' contract.tap)"
	has "... all of it" 1.. "$(tail -1 contract.tap)"
	is "... and nothing is left" "" "$(kept)"
else
	skip "the contract on ssh x docker" "sshd does not start here"
fi

[ -z "$CPU" ] || grep -h . /proc/$engine/stat /proc/$(pgrep -P "$engine" containerd)/stat | awk '{ print "# engine", $2, ($14 + $15 + $16 + $17) / 100 }'
tap_end
