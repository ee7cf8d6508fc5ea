/*
 * Commands that are a few lines of shell, as they are on a real machine: each is run by bash
 * with its own name as $0. Here they are ours, in our words.
 */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/pack/pack.h"
#include "cmd/util.h"

/* Which first words a script answers with its help or version. */
enum script_asks { ASKS_NONE, ASKS_WHOLE, ASKS_LETTER };

static void script_answer(struct tsb_proc *p, const struct tsb_command *cmd, enum script_asks asks,
			  const char *arg)
{
	if (asks == ASKS_LETTER)
		pack_answer_letter(p, cmd, arg);
	if (asks == ASKS_WHOLE)
		pack_answer_word(p, cmd, arg);
}

static int script_run(struct tsb_proc *p, int argc, char **argv, const char *name, const char *text)
{
	const char **words = tsb_alloc(p, ((size_t)argc + 5) * sizeof(*words));
	struct tsb_spawn how = { .size = sizeof(how), .argv = words };
	size_t n = 0;
	int err;

	words[n++] = "/bin/bash";
	words[n++] = "-c";
	words[n++] = text;
	words[n++] = tsb_format(p, "/usr/bin/%s", name);
	for (int i = 0; i < argc; i++)
		words[n++] = argv[i];
	err = tsb_exec(p, &how);
	tsb_warn_errno(p, err, "cannot run /bin/bash");
	return 126;
}

/* A pager of what a decompressor gives: less asks it itself, see $LESSOPEN. */
#define SCRIPT_LESS(unpack) "LESSOPEN='|" unpack " %s' exec less \"$@\""

#define SCRIPT_ZMORE \
	"case ${1-} in --) shift;; -?*) printf \"%s: %s: unknown option; try '%s --help' for help\\n\" " \
	"\"$0\" \"$1\" \"$0\" >&2; exit 1;; esac; [ $# -gt 0 ] || set -- -; n=$#; " \
	"for f do [ $n -eq 1 ] || printf '::::::::::::::\\n%s\\n::::::::::::::\\n' \"$f\"; " \
	"gzip -cdfq -- \"$f\"; done 2>&1 | eval ${PAGER-more}"

/* bzip2's asks between the files, whatever it writes to. */
#define SCRIPT_BZMORE(pager) \
	"if [ $# -eq 0 ]; then bzip2 -cdfq | " pager "; exit; fi; next= key=; for f do " \
	"if [ \"$next\" ]; then printf '%s' \"--More--(Next file: $f)\"; " \
	"key=$(dd bs=1 count=1 2>/dev/null); echo ' '; case $key in e|q) exit;; esac; fi; " \
	"if [ \"$key\" != s ]; then echo \"------> $f <------\"; bzip2 -cdfq \"$f\" | " pager "; fi; " \
	"next=1; done"

#define SCRIPT_XZMORE \
	"if [ $# -eq 0 ]; then xz --format=auto -cdfqQ | eval \"${PAGER:-more}\"; exit; fi; for f do " \
	"if [ ! -e \"$f\" ]; then echo \"$0: 60: cannot open $f: No such file\" >&2; continue; fi; " \
	"echo \"------> $f <------\"; xz --format=auto -cdfqQ -- \"$f\" | eval \"${PAGER:-more}\"; done"

#define SCRIPT_ZFORCE \
	"if [ $# -eq 0 ]; then echo \"$0: invalid number of operands; try \\`$0 --help' for help\" >&2; " \
	"exit 1; fi; r=0; for f do case $f in *[-.]z|*[-.]gz|*.t[ag]z) continue;; esac; " \
	"if [ ! -f \"$f\" ]; then echo \"zforce: $f not a file\"; r=1; continue; fi; " \
	"if gzip -t <\"$f\" 2>/dev/null; then mv \"$f\" \"$f.gz\" && " \
	"echo \"$f -- replaced with $f.gz\" || r=1; fi; done; exit $r"

/* Members one by one; -l and -h are its own, the rest is egrep's. A backslash and a bar of the
 * pattern stand for themselves. */
#define SCRIPT_ZIPGREP \
	"pat= o=; while [ $# -gt 0 ]; do case $1 in -e|-f) o=$o${1#-}; pat=$2; shift;; " \
	"-*) o=$o${1//-/};; *) [ -z \"$pat\" ] || break; pat=$1;; esac; shift; done; " \
	"if [ $# -eq 0 ]; then echo \"usage: ${0##*/} [egrep_options] pattern zipfile [members...]\"; " \
	"echo 'Uses unzip and egrep to search the zip members for a string or pattern.'; exit 1; fi; " \
	"pat=${pat//\\\\/\\\\\\\\}; pat=${pat//|/\\\\|}; zip=$1; shift; list= bare=; case $o in *l*) list=1 o=${o/l/};; esac; case $o in *h*) bare=1;; esac; " \
	"[ -z \"$o\" ] || o=-$o; all=1 r=0; while IFS= read -r m; do " \
	"if [ \"$list\" ]; then unzip -p-L \"$zip\" \"$m\" | grep -E $o \"$pat\" >/dev/null && echo \"$m\"; " \
	"r=$?; elif [ \"$bare\" ]; then unzip -p-L \"$zip\" \"$m\" | grep -E $o \"$pat\"; r=$?; else " \
	"out=$(unzip -p-L \"$zip\" \"$m\" | grep -E $o \"$pat\"); r=$?; [ -z \"$out\" ] || " \
	"while IFS= read -r line; do printf '%s:%s\\n' \"$m\" \"$line\"; done <<<\"$out\"; fi; " \
	"[ $r -ne 0 ] || all=0; [ $r -le 1 ] || break; " \
	"done < <(unzip -Z1 \"$zip\" \"$@\"); [ $r -le 1 ] || exit $r; exit $all"

#define SCRIPT(name_, shown_, asks_, synopsis_, summary_, package_, version_, text_) \
	extern const struct tsb_command cmd_##shown_; \
	static int name_##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		(void)opts; \
		if (argc) \
			script_answer(p, &cmd_##shown_, asks_, argv[0]); \
		return script_run(p, argc, argv, #name_, text_); \
	} \
	const struct tsb_command cmd_##name_ = { \
		.version = TSB_COMMAND_VERSION, .name = #name_, .package = package_, \
		.package_version = version_, .synopsis = synopsis_, .summary = summary_, \
		.run = name_##_run, .flags = TSB_RAW }

#define SCRIPT_FILES "[OPTION]... [FILE]..."

SCRIPT(zless, zless, ASKS_WHOLE, SCRIPT_FILES, "Like 'less', but operate on the uncompressed contents of any compressed FILEs.",
       "gzip", "1.12", SCRIPT_LESS("|-gzip -cdfq --"));
SCRIPT(bzless, bzless, ASKS_NONE, "FILE...", "Like 'less', but operate on the uncompressed contents of bzip2 files.",
       "bzip2", "1.0.8", SCRIPT_BZMORE("less"));
SCRIPT(xzless, xzless, ASKS_WHOLE, SCRIPT_FILES, "Like 'less', but operate on the uncompressed contents of xz files.",
       "XZ Utils", "5.4.1", SCRIPT_LESS("-xz --format=auto -cdfqQ --"));
SCRIPT(lzless, xzless, ASKS_WHOLE, SCRIPT_FILES, "Like 'less', but operate on the uncompressed contents of xz files.",
       "XZ Utils", "5.4.1", SCRIPT_LESS("-xz --format=auto -cdfqQ --"));
SCRIPT(zstdless, zstdless, ASKS_NONE, SCRIPT_FILES, "Like 'less', but operate on the uncompressed contents of zstd files.",
       "zstd", "1.5.4", SCRIPT_LESS("-zstd -cdfq"));
SCRIPT(zmore, zmore, ASKS_LETTER, SCRIPT_FILES, "Like 'more', but operate on the uncompressed contents of any compressed FILEs.",
       "gzip", "1.12", SCRIPT_ZMORE);
SCRIPT(bzmore, bzmore, ASKS_NONE, "FILE...", "Like 'more', but operate on the uncompressed contents of bzip2 files.",
       "bzip2", "1.0.8", SCRIPT_BZMORE("more"));
SCRIPT(xzmore, xzmore, ASKS_WHOLE, SCRIPT_FILES, "Like 'more', but operate on the uncompressed contents of xz files.",
       "XZ Utils", "5.4.1", SCRIPT_XZMORE);
SCRIPT(lzmore, xzmore, ASKS_WHOLE, SCRIPT_FILES, "Like 'more', but operate on the uncompressed contents of xz files.",
       "XZ Utils", "5.4.1", SCRIPT_XZMORE);
SCRIPT(zforce, zforce, ASKS_LETTER, "[FILE]...", "Give compressed FILEs the suffix .gz.", "gzip", "1.12", SCRIPT_ZFORCE);
SCRIPT(zipgrep, zipgrep, ASKS_NONE, "[egrep_options] PATTERN ZIPFILE [MEMBER]...",
       "Search the members of a zip archive.", "zip", "6.00", SCRIPT_ZIPGREP);
