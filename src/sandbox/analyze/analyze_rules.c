/*
 * How risky a command is: by its name, its subcommand, its options. The tables
 * know the commands of this library and those agents type on Linux in general.
 */
#include "sandbox/analyze/analysis.h"

#include <string.h>


struct rule {
	const char *name, *what;
	enum tsb_risk risk;
	const char *reason;
};

static const struct rule rules[] = {
#define RULE(name, what, risk, reason) { name, what, TSB_RISK_##risk, reason },
#include "sandbox/analyze/rules.def"
#undef RULE
};

/* Names that are always of one risk. */
static const struct {
	enum tsb_risk risk;
	const char *reason, *names;
} kinds[] = {
	{ TSB_RISK_READ, "reads",
	  " [ apt-cache arch ag b2sum base32 base64 basename basenc bc bzcat bzgrep bzless bzmore cal cat cksum clear cmp"
	  " column comm cut dc df diff diff3 dir envsubst ts dircolors dirname dpkg-query du echo egrep env expand expr factor false"
	  " fd fgrep file fmt fold free getconf getent getfacl getopt grep groups hd head hexdump hostid hostname iconv id"
	  " join jq last less locale locate logname look ls lsattr lsb_release lsblk lscpu lsof lzcat lzgrep man md5sum more"
	  " mountpoint ncal netstat nl nm nproc numfmt objdump od paste pathchk pgrep pidof pidwait pr printenv printf ps"
	  " pstree ptx pwd readelf readlink realpath rev rg rpm sdiff seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum shuf"
	  " size sleep ss stat strings sum tac tail test time timeout top tput tr tree true tsort tty uname unexpand uniq"
	  " uptime users uuidgen vdir vmstat w watch wc which who whoami xxd xzcat xzgrep yes yq zcat zdiff zegrep zfgrep"
	  " zgrep zip zipinfo zstdcat zstdgrep nice nohup stdbuf setsid xargs parallel command builtin exec ionice chrt"
	  " flock strace taskset busybox run-parts expand help history test reset zcmp lzcmp fc bzcmp bzdiff xzcmp xzdiff"
	  " lzdiff zless xzless lzless zstdless zmore xzmore lzmore zipgrep rgrep bzegrep bzfgrep xzegrep xzfgrep lzegrep"
	  " lzfgrep ifne pee chronic mispipe combine stty whereis namei colrm mcookie"
	  " col colcrt ul isutf8 errno zrun prlimit pwdx pmap gettext ngettext funzip " },
	{ TSB_RISK_WRITE, "makes or changes files",
	  " bunzip2 bzip2 chgrp chmod chown chattr cp csplit dos2unix gunzip gzip install ld ar link ln lz4 lzma mac2unix"
	  " mkdir mkfifo mknod mktemp mv patch rename rename.ul rmdir setfacl split sponge tee touch unix2dos unix2mac unlzma unxz"
	  " unzip uncompress tempfile savelog zipnote zipsplit cpio hardlink fallocate unzstd xz zforce zstd zstdmt 7z as cc c++ gcc g++ clang clang++ cmake ninja meson javac rustc tsc ranlib strip"
	  " objcopy protoc ffmpeg convert pandoc sync ex ed red vi vim nano emacs sqlite3 tox pytest jest mvn gradle" },
	{ TSB_RISK_WRITE, "changes settings of the machine",
	  " mount umount nmcli ip ifconfig route iptables hwclock timedatectl useradd usermod groupadd passwd chsh service"
	  " update-alternatives ldconfig modprobe insmod swapon loginctl hostnamectl localectl renice at batch " },
	{ TSB_RISK_WRITE, "sends signals", " kill " },
	{ TSB_RISK_WRITE, "runs a program in another language",
	  " python python2 python3 node nodejs js deno bun perl ruby php lua Rscript java dotnet ghc runghc tclsh expect"
	  " osascript pwsh ts-node " },
	{ TSB_RISK_WRITE, "runs a shell", " sh bash rbash dash zsh ksh fish csh tcsh " },
	{ TSB_RISK_NETWORK, "talks to other machines",
	  " curl wget ssh scp sftp ftp nc ncat netcat socat telnet ping ping6 dig host nslookup traceroute tracepath mtr"
	  " nmap whois aria2c rclone gh glab aws gcloud az heroku vercel netlify fly mail sendmail mutt psql mysql mongo"
	  " mongosh redis-cli ab wrk http https httpie xh lynx w3m links svn hg ssh-copy-id ansible ansible-playbook helm " },
	{ TSB_RISK_INSTALL, "installs software",
	  " aptitude brew apk yum dnf pacman zypper snap flatpak conda mamba pipx poetry uv gem bundle composer npx bunx nvm"
	  " rustup easy_install cpan cpanm luarocks opam nix nix-env guix " },
	{ TSB_RISK_INSTALL, "runs with more rights", " sudo doas su pkexec chroot unshare nsenter runuser " },
	{ TSB_RISK_INSTALL, "runs containers", " podman docker-compose lxc systemd-nspawn vagrant qemu-system-x86_64 " },
	{ TSB_RISK_DESTRUCTIVE, "removes files", " rm unlink shred truncate srm wipe trash " },
	{ TSB_RISK_DESTRUCTIVE, "overwrites a device",
	  " mkfs mkfs.ext4 mkfs.xfs mkfs.vfat mke2fs mkswap wipefs fdisk sfdisk gdisk parted blkdiscard cryptsetup lvremove"
	  " vgremove pvremove badblocks " },
	{ TSB_RISK_DESTRUCTIVE, "ends processes", " pkill killall fuser " },
	{ TSB_RISK_DESTRUCTIVE, "ends the machine's work", " shutdown reboot halt poweroff init telinit " },
	{ TSB_RISK_DESTRUCTIVE, "removes accounts or data", " userdel groupdel deluser delgroup dropdb dropuser " },
};

/* ---- Names ---- */

static bool in_list(const char *list, const char *name, size_t n)
{
	for (const char *p = list; (p = strchr(p, ' ')) && p[1]; p++)
		if (!strncmp(p + 1, name, n) && (p[1 + n] == ' ' || !p[1 + n]))
			return true;
	return false;
}

/* /usr/bin/rm is rm; ./rm is not. */
static const char *base_name(const char *name)
{
	static const char *const places[] = { "/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		size_t n = strlen(places[i]);

		if (!strncmp(name, places[i], n) && !strchr(name + n, '/'))
			return name + n;
	}
	return name;
}

/* ---- Rules ---- */

static bool has_letter(struct words w, char letter)
{
	for (size_t i = 1; i < w.n; i++) {
		const char *s = w.at[i].text;

		if (!strcmp(s, "--"))
			return false;
		if (s[0] == '-' && s[1] && s[1] != '-' && strchr(s + 1, letter))
			return true;
	}
	return false;
}

static bool has_start(struct words w, const char *start, bool option)
{
	size_t n = strlen(start);

	for (size_t i = 1; i < w.n; i++) {
		const char *s = w.at[i].text;

		if (!strncmp(s, start, n) && (!option || !s[n] || s[n] == '='))
			return true;
	}
	return false;
}

static bool option_matches(struct words w, const char *what)
{
	if (what[0] == '=')
		return has_start(w, what + 1, false);
	return what[1] == '-' ? has_start(w, what, true) : has_letter(w, what[1]);
}

static const char *subcommand(struct words w)
{
	for (size_t i = 1; i < w.n; i++)
		if (w.at[i].text[0] != '-')
			return w.at[i].literal ? w.at[i].text : NULL;
	return NULL;
}

static void apply_rules(struct words w, const struct rule *r, struct verdict *v)
{
	const char *name = r->name, *sub = subcommand(w);
	const struct rule *end = rules + sizeof(rules) / sizeof(*rules);

	v->risk = r->risk;
	v->reason = r->reason;
	for (const struct rule *s = r + 1; s < end && !strcmp(s->name, name); s++)
		if (sub && !strchr("-=", s->what[0]) && !strcmp(sub, s->what)) {
			v->risk = s->risk;
			v->reason = s->reason;
		}
	for (const struct rule *s = r + 1; s < end && !strcmp(s->name, name); s++)
		if (strchr("-=", s->what[0]) && s->risk > v->risk && option_matches(w, s->what)) {
			v->risk = s->risk;
			v->reason = s->reason;
		}
}

/* Only asks: rm --help, git --version. */
static bool only_asks(struct words w)
{
	return w.n == 2 && (!strcmp(w.at[1].text, "--help") || !strcmp(w.at[1].text, "--version"));
}

/* By name alone: who analyses (a module of boxes) has no shell inside. */
static bool is_builtin(const char *name, size_t n)
{
	static const char *const names[] = {
#define BUILTIN(name, function, flags, synopsis, summary) name,
#include "shell/builtin/builtins.def"
#undef BUILTIN
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

struct verdict rules_judge(struct words w)
{
	const char *name = base_name(w.at[0].text);
	bool b = is_builtin(w.at[0].text, w.at[0].size);
	struct verdict v = { b ? TSB_COMMAND_BUILTIN : TSB_COMMAND_PROGRAM, TSB_RISK_READ, "reads" };

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!strcmp(rules[i].name, name)) {
			if (!only_asks(w))
				apply_rules(w, &rules[i], &v);
			return v;
		}
	}
	for (size_t i = sizeof(kinds) / sizeof(*kinds); i-- > 0;) {
		if (!in_list(kinds[i].names, name, strlen(name)))
			continue;
		if (!only_asks(w)) {
			v.risk = kinds[i].risk;
			v.reason = kinds[i].reason;
		}
		return v;
	}
	if (b)
		return (struct verdict){ TSB_COMMAND_BUILTIN, TSB_RISK_READ, "is the shell's own" };
	return (struct verdict){ TSB_COMMAND_UNKNOWN, TSB_RISK_WRITE, "is not known here" };
}

/* ---- Commands that run a command ---- */

static const struct wrapper {
	const char *name;
	const char *with_argument;	/* letters of options that take one */
	unsigned operands;		/* before the command */
	bool assignments;		/* NAME=VALUE before it */
} wrappers[] = {
	{ "sudo", "CDghpRrTtUu", 0, true }, { "doas", "Cu", 0, false }, { "env", "CuS", 0, true },
	{ "nohup", "", 0, false }, { "nice", "n", 0, false }, { "ionice", "cnp", 0, false },
	{ "chrt", "TPD", 1, false }, { "timeout", "ks", 1, false }, { "stdbuf", "eio", 0, false },
	{ "setsid", "", 0, false }, { "time", "fo", 0, false }, { "xargs", "adEILnPs", 0, false },
	{ "command", "", 0, false }, { "builtin", "", 0, false }, { "exec", "a", 0, false },
	{ "watch", "n", 0, false }, { "chroot", "", 1, false }, { "strace", "abeEIoOpPsSuX", 0, false },
	{ "busybox", "", 0, false }, { "taskset", "p", 1, false }, { "parallel", "jNnLP", 0, false },
	{ "flock", "Ew", 1, false }, { "unshare", "", 0, false },
};

static bool is_assignment(const char *s)
{
	const char *equals = strchr(s, '=');

	return equals && parse_is_name(s, (size_t)(equals - s));
}

/* Behind the options from i on. */
static size_t after_options(struct words w, const char *with_argument)
{
	size_t i = 1;

	while (i < w.n && w.at[i].text[0] == '-' && w.at[i].text[1]) {
		const char *s = w.at[i++].text;

		if (!strcmp(s, "--"))
			break;
		/* -n 5: the last letter of a cluster takes the next word. */
		if (s[1] != '-' && strchr(with_argument, s[strlen(s) - 1]) && s[strlen(s) - 1])
			i++;
	}
	return i;
}

size_t rules_wrapped(struct words w)
{
	const char *name = base_name(w.at[0].text);
	const struct wrapper *r = NULL;
	size_t i;

	for (i = 0; i < sizeof(wrappers) / sizeof(*wrappers) && !r; i++)
		if (!strcmp(wrappers[i].name, name))
			r = &wrappers[i];
	if (!r || (!strcmp(name, "command") && (has_letter(w, 'v') || has_letter(w, 'V'))))
		return 0;
	i = after_options(w, r->with_argument);
	while (r->assignments && i < w.n && is_assignment(w.at[i].text))
		i++;
	i += r->operands;
	return i < w.n ? i : 0;
}
