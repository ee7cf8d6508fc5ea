#!/bin/bash
# ssh.sh TINYBOX: boxes by ssh, against an sshd of our own on loopback, for login shells of every kind. TAP. Root only,
# as it makes users for the time of the test. With "contract WAY...": the exec contract instead; a way is root-user, user-user or root-root.
tinybox=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
. "$(dirname "$(realpath "$0")")/tap.sh"
[ "$(id -u)" = 0 ] && [ -x /usr/sbin/sshd ] || { echo "1..0 # SKIP root and openssh-server are needed"; exit 0; }
dir=$(mktemp -d /tmp/tbxssh-XXXXXX)
chmod 755 "$dir"
cd "$dir" || exit 1
user=tbxs$$
export TINYBOX_STATE_DIR=$dir/state
cleanup() {
	for s in "$dir"/state/ssh/*; do [ -S "$s" ] && ssh -o ControlPath="$s" -O exit x 2>/dev/null; done
	[ -s "$dir/pid" ] && kill "$(cat "$dir/pid")"
	userdel -rf "$user" 2>/dev/null
	grep -q "^${user}r:" /etc/passwd && userdel -f "${user}r" 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
tb() { timeout 60 "$tinybox" "$@"; }

port=$((20000 + $$ % 20000))
ssh-keygen -q -t ed25519 -N '' -f hk
ssh-keygen -q -t ed25519 -N '' -f hk2
ssh-keygen -q -t ed25519 -N '' -f ck
install -m644 ck.pub ak
mkdir -p /run/sshd
printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $dir/hk" "PidFile $dir/pid" "AuthorizedKeysFile $dir/ak" \
	"StrictModes no" "UsePAM no" "UseDNS no" "PasswordAuthentication no" "KbdInteractiveAuthentication no" \
	"PermitRootLogin prohibit-password" "MaxSessions 100" "MaxStartups 100" >cfg
/usr/sbin/sshd -f "$dir/cfg" -E "$dir/log" || exit 1
echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 hk.pub)" >known
echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 hk2.pub)" >wrong
: >empty
useradd -m -s /bin/sh "$user" && usermod -p '*' "$user"
home=$(getent passwd "$user" | cut -d: -f6)
to=(--host "ssh:$user@127.0.0.1" --ssh-port "$port" --ssh-identity "$dir/ck")
wall=(--sandbox passthrough --network open)

# ---- the exec contract, over there: from root or an ordinary user here to one of them there ----
if [ "${2:-}" = contract ]; then
	uid=$(id -u "$user")
	install -m600 -o "$user" ck uk
	# root by another name has another home
	useradd -o -u 0 -M -d "$dir/root" -s /bin/bash "${user}r" && usermod -p '*' "${user}r" && mkdir -m700 root
	for wall in passthrough namespace virtual; do
		for way in "${@:3}"; do
			from=0 key=ck to=$user
			[ "${way%-*}" = root ] || from=$uid key=uk
			[ "${way#*-}" = user ] || to=${user}r
			timeout 250 "$here/contract.py" --uid "$from" --create "--ssh-port $port --ssh-known-hosts $dir/known --ssh-identity $dir/$key" \
				"$tinybox" "ssh:$to@127.0.0.1:$wall" >contract.tap 2>&1
			is "the contract over ssh, ${way%-*} to ${way#*-}, behind $wall" "" "$(grep -A2 '^not ok' contract.tap)"
			has "... all of it" 1.. "$(tail -1 contract.tap)"
		done
	done
	tap_end
fi

# ---- who is on the other side ----
out=$(tb create "${to[@]}" --ssh-known-hosts "$dir/empty" "${wall[@]}" 2>&1)
is "a host that is not known is refused" 70 $?
has "and it is said why" "Host key verification failed" "$out"
is "nothing of the box is left" "" "$(tb ls -q)"
out=$(tb create "${to[@]}" --ssh-known-hosts "$dir/wrong" --accept-new-host-key "${wall[@]}" 2>&1)
is "a changed key is refused, whatever is asked" 70 $?
tb create "${to[@]}" --ssh-known-hosts "$dir/empty" --accept-new-host-key "${wall[@]}" >id 2>/dev/null
is "a new key is taken when it is asked for" 0 $?
is "and recorded" 1 "$(wc -l <empty)"
for dest in -oProxyCommand=touch\ x 'ssh:-oProxyCommand=x' "ssh:$user@-x" 'ssh:[-x]' 'ssh:a b' 'ssh:a;b' 'ssh:' 'ssh:$(id)'; do
	tb create --host "$dest" "${wall[@]}" >/dev/null 2>&1
	is "no destination: $dest" 2 $?
done
tb create --host "ssh:$user@127.0.0.1" --ssh-port 1 --ssh-known-hosts "$dir/known" "${wall[@]}" >/dev/null 2>err
is "nobody listens" 70 $?
is "one line says so" 1 "$(grep -vc UNSAFE err)"

# ---- the whole target is with the box ----
box=$(cat id)
has "a new key is new once" '"accept_new_key":false' "$(tb inspect --json "$box")"
is "exec needs no option of ssh" hello "$(tb exec "$box" echo hello)"
is "it is there, not here" "$user" "$(tb exec "$box" id -un)"
has "inspect tells the port" "\"port\":$port" "$(tb inspect --json "$box")"
is "a box that is removed" "$box" "$(tb rm "$box")"
is "is removed there" "" "$(ls "$home/.local/state/tinybox/far")"

# ---- through a proxy that cuts what is quiet ----
"$here/cutting-proxy.py" "$port" 14 >cut &
proxy=$!
for _ in $(seq 100); do [ -s cut ] && break; sleep .1; done
cut=$(cat cut)
echo "[127.0.0.1]:$cut $(cut -d' ' -f1,2 hk.pub)" >>known
# the control and each wall, all at the same time
ssh -F none -o BatchMode=yes -o UserKnownHostsFile="$dir/known" -i "$dir/ck" -p "$cut" "$user@127.0.0.1" 'sleep 17; echo done' >quiet.ssh 2>/dev/null &
asked=$!
for wall_ in passthrough namespace virtual; do
	tb run "${to[@]}" --ssh-port "$cut" --ssh-known-hosts "$dir/known" --sandbox $wall_ --accept network -- sh -c 'sleep 17; echo done' >quiet.$wall_ 2>quiet.err.$wall_ &
	asked="$asked $!"
done
wait $asked
is "a long quiet command: the control, plain ssh, is cut" "" "$(cat quiet.ssh)"
for wall_ in passthrough namespace virtual; do
	is "$wall_: a long quiet command is not cut" done "$(cat quiet.$wall_)"
done
kill $proxy

# ---- a secret goes there over the conversation, and into no file, argument or environment ----
python3 - said >web <<'X' &
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open(sys.argv[1], "w").write(str(self.headers.get("Token")))
        self.send_response(200); self.end_headers()
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
X
server=$!
for _ in $(seq 100); do [ -s web ] && break; sleep .1; done
web=127.0.0.1:$(cat web)
export SSH_TOKEN="the real value"
box=$(tb create "${to[@]}" --ssh-known-hosts "$dir/known" --sandbox namespace --network egress --allow "$web" --secret "TOKEN=env:SSH_TOKEN@http://$web")
ask='exec 3<>/dev/tcp/127.0.0.1/3128; printf "GET http://$1/ HTTP/1.1\r\nToken: $TOKEN\r\n\r\n" >&3; head -1 <&3'
has "a secret: the request" "200 OK" "$(tb exec "$box" bash -c "$ask" x "$web")"
is "... has the value" "the real value" "$(cat said)"
has "... and the box has not" tbx_secret_ "$(tb exec "$box" printenv TOKEN)"
is "its keeper is there" 1 "$(pgrep -u "$user" -c tinybox-egress)"
is "no file there has the value" "" "$(grep -rl "the real value" "$home")"
is "no argument, no environment" "" "$(for p in $(pgrep -u "$user"); do tr '\0' '\n' <"/proc/$p/environ"; tr '\0' '\n' <"/proc/$p/cmdline"; done 2>/dev/null | grep "the real value")"
tb stop "$box" >/dev/null
SSH_TOKEN="another value" tb start "$box" >/dev/null
tb exec "$box" bash -c "$ask" x "$web" >/dev/null
is "started again with another" "another value" "$(cat said)"
tb rm "$box" >/dev/null
for _ in $(seq 100); do pgrep -u "$user" tinybox-egress >/dev/null || break; sleep .05; done
is "removed: nothing keeps it" 0 "$(pgrep -u "$user" -c tinybox-egress)"
unset SSH_TOKEN
kill $server

# ---- login shells ----
words=("a b" "\$HOME" "\`id\`" "*" "~" "!x" "'" '"' "\\" ";" "#" "é" "%s" "{a,b}" "(x)" "<" "&")
want=$(printf '<%s>' "${words[@]}")
for shell in /bin/sh /bin/bash /usr/bin/zsh /usr/bin/fish /bin/tcsh /bin/csh /bin/dash; do
	[ -x "$shell" ] || continue
	usermod -s "$shell" "$user" >/dev/null 2>&1
	rm -rf "$home/.cache" "$TINYBOX_STATE_DIR"
	mkdir -p "$home/.config/fish"
	# A shell that talks at its start, on both streams.
	for rc in .bashrc .zshenv .cshrc .tcshrc .config/fish/config.fish .profile; do
		printf 'echo noise of the login shell\necho tinybox\n' >"$home/$rc"
	done
	chown -R "$user:" "$home"
	box=$(tb create "${to[@]}" --ssh-known-hosts "$dir/known" "${wall[@]}" 2>err)
	is "$shell: create" 0 $?
	is "$shell: words arrive" "$want" "$(tb exec "$box" printf '<%s>' "${words[@]}")"
	is "$shell: bytes both ways" "$(head -c 300000 hk.pub "$tinybox" 2>/dev/null | sha256sum)" \
		"$(head -c 300000 hk.pub "$tinybox" 2>/dev/null | tb exec -i "$box" cat | sha256sum)"
	tb exec "$box" sh -c 'exit 42'
	is "$shell: status" 42 $?
	tb rm "$box" >/dev/null
done

# ---- a machine that hangs ----
box=$(tb create "${to[@]}" --ssh-known-hosts "$dir/known" "${wall[@]}" 2>/dev/null)
echo 'sleep 100' >"$home/.bashrc"
rm -rf "$home/.cache"
tb exec "$box" true
is "a connection that is there is used" 0 $?
rm -f "$home/.bashrc"
tb rm "$box" >/dev/null

# ---- copies ----
usermod -s /bin/sh "$user" >/dev/null 2>&1
box=$(tb create "${to[@]}" --ssh-known-hosts "$dir/known" "${wall[@]}" 2>/dev/null)
mkdir -p tree/sub
head -c 200000 /dev/urandom >tree/sub/data
ln -s ../nowhere tree/link
chmod 750 tree/sub
tb cp tree "$box:$home/"
is "a tree goes there" 0 $?
tb cp "$box:$home/tree" back
is "and comes back" "" "$(diff -r tree back 2>&1 | grep -v 'No such file')"
is "a link is a link" ../nowhere "$(readlink back/link)"
is "modes too" 750 "$(stat -c %a back/sub)"
tb exec "$box" true
before=$(grep -c Accepted log)
for i in 1 2 3; do tb exec "$box" true; done
is "one connection is kept" "$before" "$(grep -c Accepted log)"
has "events come from there" '"event":"exec"' "$(tb events "$box")"
tb rm "$box" >/dev/null
is "rm" 0 $?
# ---- what is kept lives there ----
for wall in namespace virtual; do
	box=$(tb create "${to[@]}" --ssh-known-hosts "$dir/known" --sandbox "$wall" 2>err) || { is "$wall over ssh" "" "$(cat err)"; continue; }
	tb exec "$box" sh -c 'echo one >f; mkdir d; echo x >d/x'
	snap=$(tb snapshot "$box")
	is "$wall: a snapshot there" 1 "$(ls -d "$home"/.local/state/tinybox/far/layers-*/layer-* | wc -l)"
	tb exec "$box" sh -c 'echo two >f'
	fork=$(tb fork "$snap")
	is "$wall: a fork there" "one x" "$(tb exec "$fork" sh -c 'echo $(cat f d/x)')"
	is "$wall: its parent" two "$(tb exec "$box" cat f)"
	has "$wall: diff" "changed	/workspace/f" "$(tb snapshot diff "$snap" "$(tb snapshot "$box")")"
	tb snapshot export "$snap" "far-$wall.snap" >/dev/null
	here_=$(tb snapshot import "far-$wall.snap")
	is "$wall: brought here" "one x" "$(tb exec "$(tb create --snapshot "$here_")" sh -c 'echo $(cat f d/x)')"
	tb create --snapshot "$snap" --host local 2>err >/dev/null
	is "$wall: a box elsewhere is refused" 2 $?
	back=$(tb snapshot import "${to[@]}" --ssh-known-hosts "$dir/known" "far-$wall.snap")
	is "$wall: and sent back" "one x" "$(tb exec "$(tb create --snapshot "$back")" sh -c 'echo $(cat f d/x)')"
	tb rm $(tb ls -q) >/dev/null
	tb snapshot rm $(tb snapshot ls -q) >/dev/null
	is "$wall: nothing is left there" 0 "$(ls -d "$home"/.local/state/tinybox/far/layers-*/layer-* 2>/dev/null | wc -l)"
	is "$wall: for reap either" "" "$(tb reap)"
done
tap_end
