#!/bin/bash
# docker-v2.sh KERNEL PROGRAM: the program (docker-v2.c) alone in a machine whose kernel has control groups of version 2 only, as those
# that the tests run on do not. Its TAP comes by the serial line, between what the kernel says.
kernel=$1 program=$2
dir=$(mktemp -d /tmp/tbxv2-XXXXXX)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' TERM INT
mkdir -p "$dir/root/dev"
cp "$program" "$dir/root/init"
mknod "$dir/root/dev/console" c 5 1 || { echo "1..0 # SKIP only root makes devices"; exit 0; }
(cd "$dir/root" && find . | cpio -o -H newc --quiet) >"$dir/root.cpio"
timeout 120 qemu-system-x86_64 -M microvm,acpi=off,pic=on,pit=on,rtc=on -accel tcg -cpu qemu64 -m 384 -nodefaults -no-user-config -display none -no-reboot \
	-chardev "file,id=con,path=$dir/out" -serial chardev:con -kernel "$kernel/vmlinux" -initrd "$dir/root.cpio" \
	-append "console=ttyS0 quiet panic=-1 reboot=t nokaslr mitigations=off no_timer_check random.trust_cpu=on cryptomgr.notests=1 audit=0 cgroup_no_v1=all" </dev/null
tr -d '\r' <"$dir/out" | grep -a '^\(ok\|not ok\|#\|1\.\.\|Bail out!\)'
grep -aq '^1\.\.' "$dir/out" || { tr -d '\r' <"$dir/out" | tail -20 | sed 's/^/# /'; echo "Bail out! the machine did not come to its end"; exit 1; }
! grep -aq '^not ok' "$dir/out"
