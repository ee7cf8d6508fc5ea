#!/usr/bin/env python3
"""A micro-VM under emulation against bare QEMU with the same kernel and a static init. CPU time counts (user and system, of the
machine and of ours), as wall time on a busy machine says little; both are printed. Bars: start to first output within 1.3 times;
20 execs in one guest, each under 50 ms.

usage: bench/box/microvm.py TINYBOX KERNEL [ROUNDS]
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TINYBOX, KERNEL = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
T = tempfile.mkdtemp(prefix="tinybox-bench-vm-")
ENV = dict(os.environ, TINYBOX_STATE_DIR=T + "/state")
TICK = os.sysconf("SC_CLK_TCK")
INIT = r"""
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>
int main(void)
{
	int fd;

	mount("dev", "/dev", "devtmpfs", 0, 0);
	fd = open("/dev/console", O_RDWR);
	write(fd, "first output\n", 13);
	reboot(RB_POWER_OFF);
	return 0;
}
"""


def children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def stat_cpu(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
        rest = f.read().rsplit(")", 1)[1].split()
    return (int(rest[11]) + int(rest[12]) + int(rest[13]) + int(rest[14])) / TICK, int(rest[1]), rest


def machine_of(keeper):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="latin-1") as f:
                name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if name.startswith("qemu-system") and int(rest.split()[1]) == keeper:
            return int(path.split("/")[2])
    return 0


def bare_initrd():
    os.makedirs(T + "/root/dev")
    with open(T + "/init.c", "w", encoding="utf-8") as f:
        f.write(INIT)
    subprocess.run(["gcc", "-static", "-Os", "-w", "-o", T + "/root/init", T + "/init.c"], check=True)
    subprocess.run("find . | cpio -o -H newc --quiet >../initrd", shell=True, cwd=T + "/root", check=True)


def khz():
    with open("/proc/cpuinfo", encoding="latin-1") as f:
        return int(float(next(line for line in f if line.startswith("cpu MHz")).split(":")[1]) * 1000)


def bare():
    line = ("console=ttyS0 quiet panic=-1 reboot=t nokaslr mitigations=off random.trust_cpu=on cryptomgr.notests=1 audit=0 no_timer_check "
            f"initcall_blacklist=ima_init,init_evm,load_system_certificate_list tsc=reliable tsc_early_khz={khz()}")
    before, began = children(), time.monotonic()
    subprocess.run(["/usr/bin/qemu-system-x86_64", "-M", "microvm,acpi=on,rtc=on", "-nodefaults", "-no-user-config", "-display", "none",
                    "-no-reboot", "-accel", "tcg,tb-size=128", "-cpu", "qemu64", "-m", "256M", "-serial", "file:" + T + "/console",
                    "-kernel", KERNEL + "/vmlinux", "-initrd", T + "/initrd", "-append", line], check=True, timeout=200)
    wall = time.monotonic() - began
    with open(T + "/console", encoding="latin-1") as f:
        assert "first output" in f.read()
    return wall, children() - before


def ours(execs):
    before, began = children(), time.monotonic()
    subprocess.run([TINYBOX, "create", "--sandbox", "microvm", "--kernel", KERNEL, "--accel", "tcg", "--name", "b"], env=ENV, check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    subprocess.run([TINYBOX, "exec", "b", "--", "echo", "first output"], env=ENV, check=True, stdout=subprocess.DEVNULL, timeout=60)
    wall = time.monotonic() - began
    keeper = json.loads(subprocess.run([TINYBOX, "inspect", "--json", "b"], env=ENV, check=True, capture_output=True).stdout)["pid"]
    pid = machine_of(keeper)
    cpu = children() - before + stat_cpu(pid)[0] + stat_cpu(keeper)[0]
    for _ in range(execs):
        start, used = time.monotonic(), stat_cpu(pid)[0]
        subprocess.run([TINYBOX, "exec", "b", "--", "true"], env=ENV, check=True, timeout=60)
        EXEC_WALL.append((time.monotonic() - start) * 1000)
        EXEC_CPU.append((stat_cpu(pid)[0] - used) * 1000)
    subprocess.run([TINYBOX, "rm", "--force", "b"], env=ENV, check=True, stdout=subprocess.DEVNULL)
    return wall, cpu


def warm(rounds):
    """A box that begins with the memory of one that stands: nothing boots."""
    subprocess.run([TINYBOX, "create", "--sandbox", "microvm", "--kernel", KERNEL, "--accel", "tcg", "--name", "w"], env=ENV, check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    subprocess.run([TINYBOX, "exec", "w", "--", "true"], env=ENV, check=True, timeout=60)
    began = time.monotonic()
    name = subprocess.run([TINYBOX, "snapshot", "--memory", "w"], env=ENV, check=True, capture_output=True, text=True, timeout=300).stdout.strip()
    kept, found = time.monotonic() - began, []
    for i in range(rounds):
        before, began = children(), time.monotonic()
        subprocess.run([TINYBOX, "fork", "--name", f"w{i}", name], env=ENV, check=True, stdout=subprocess.DEVNULL, timeout=300)
        subprocess.run([TINYBOX, "exec", f"w{i}", "--", "echo", "first output"], env=ENV, check=True, stdout=subprocess.DEVNULL, timeout=60)
        wall = time.monotonic() - began
        keeper = json.loads(subprocess.run([TINYBOX, "inspect", "--json", f"w{i}"], env=ENV, check=True, capture_output=True).stdout)["pid"]
        found.append((wall, children() - before + stat_cpu(machine_of(keeper))[0] + stat_cpu(keeper)[0]))
        subprocess.run([TINYBOX, "rm", "--force", f"w{i}"], env=ENV, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([TINYBOX, "rm", "--force", "w"], env=ENV, check=True, stdout=subprocess.DEVNULL)
    return kept, statistics.median(f[0] for f in found), statistics.median(f[1] for f in found)


EXEC_WALL, EXEC_CPU = [], []
bare_initrd()
runs = [(bare(), ours(20 if i == 0 else 0)) for i in range(ROUNDS)]
for name, at in (("wall", 0), ("cpu", 1)):
    b, o = (statistics.median(r[side][at] for r in runs) for side in (0, 1))
    print(f"microvm start to first output, {name}: bare {b:.2f} s, ours {o:.2f} s, {o / b:.2f} times (bar: 1.3)")
print("microvm begun with a memory: snapshot {:.2f} s, then fork to first output {:.2f} s, {:.2f} s of CPU".format(*warm(ROUNDS)))
print(f"microvm exec of true, 20 in one guest: median {statistics.median(EXEC_WALL):.0f} ms, most {max(EXEC_WALL):.0f} ms wall, "
      f"median {statistics.median(EXEC_CPU):.0f} ms of the machine's CPU (bar: 50)")
