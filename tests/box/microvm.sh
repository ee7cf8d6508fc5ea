#!/bin/bash
# microvm.sh TINYBOX BUILD contract|uid|ssh|sync|attacks|DOCKER-V2: boxes in machines, emulated, as CI has no KVM. TAP. The kernel comes from the
# distribution once for a build directory (tools/microvm-kernel); where that or QEMU cannot be had all is skipped, and says so.
here=$(dirname "$(realpath "$0")")
tinybox=$(realpath "$1") build=$(realpath "$2") what=$3
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -x /usr/bin/qemu-system-x86_64 ] || skip "qemu-system-x86 is not installed"
kernel=$build/microvm-kernel
exec 9>"$build/microvm-kernel.lock"
flock 9
if [ ! -e "$kernel/.done" ]; then
	timeout 250 "$here/../../tools/microvm-kernel" "$kernel" >"$build/microvm-kernel.log" 2>&1 9>&- ||
		skip "no kernel: $(tail -n 1 "$build/microvm-kernel.log")"
	touch "$kernel/.done"
fi
exec 9>&-
# an ordinary user may not come to the build's place
copy=$(mktemp -d /tmp/tinybox-kernel-XXXXXX)
trap '[ -s "$copy/sshd.pid" ] && kill "$(cat "$copy/sshd.pid")"; rm -rf "$copy"' EXIT
chmod 755 "$copy"
cp --sparse=always "$kernel"/* "$copy"
create="--kernel $copy --accel tcg"
case $what in
contract) python3 "$here/contract.py" --create "$create" "$tinybox" local:microvm ;;
uid)
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	python3 "$here/contract.py" --uid 1000 --only status --create "$create" "$tinybox" local:microvm ;;
ssh)
	[ "$(id -u)" = 0 ] && [ -x /usr/sbin/sshd ] || skip "root and openssh-server are needed"
	port=$((20000 + $$ % 20000))
	ssh-keygen -q -t ed25519 -N '' -f "$copy/hk"
	ssh-keygen -q -t ed25519 -N '' -f "$copy/ck"
	install -m644 "$copy/ck.pub" "$copy/ak"
	mkdir -p /run/sshd
	printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $copy/hk" "PidFile $copy/sshd.pid" "AuthorizedKeysFile $copy/ak" \
		"StrictModes no" "UsePAM no" "UseDNS no" "PasswordAuthentication no" "KbdInteractiveAuthentication no" \
		"PermitRootLogin prohibit-password" "MaxSessions 100" "SetEnv SHLVL=1 XDG_CACHE_HOME=$copy/cache" >"$copy/cfg"
	/usr/sbin/sshd -f "$copy/cfg" -E "$copy/sshd.log" || skip "sshd does not start here"
	echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$copy/hk.pub")" >"$copy/known"
	python3 "$here/contract.py" --create "$create --ssh-port $port --ssh-identity $copy/ck --ssh-known-hosts $copy/known" "$tinybox" \
		ssh:root@127.0.0.1:microvm ;;
*/docker-v2) "$here/docker-v2.sh" "$kernel" "$what" ;;
sync) python3 "$here/sync.py" --only boxes --rounds 2 --create "--sandbox microvm $create" "$tinybox" ;;
*) python3 "$here/microvm.py" "$tinybox" "$copy" ;;
esac
