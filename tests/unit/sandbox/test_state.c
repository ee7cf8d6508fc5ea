/* Options, sessions, branches and archives. */
#include "box.h"

struct bytes {
	char *p;
	size_t n, at, fail_at;
};

static int keep(void *ctx, int fd, const void *data, size_t n)
{
	struct bytes *b = ctx;
	char *p;

	(void)fd;
	if (b->fail_at && b->n + n > b->fail_at)
		return 1;
	p = realloc(b->p, b->n + n + 1);
	if (!p)
		return 1;
	memcpy(p + b->n, data, n);
	b->p = p;
	b->n += n;
	return 0;
}

static ssize_t give(void *ctx, void *buf, size_t n)
{
	struct bytes *b = ctx;
	size_t left = b->n - b->at;

	if (b->fail_at && b->at >= b->fail_at)
		return -EIO;
	n = n < left ? n : left;
	n = n < 1000 ? n : 1000;
	memcpy(buf, b->p + b->at, n);
	b->at += n;
	return (ssize_t)n;
}

static struct tsb_sandbox *session_box(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;

	opt.session = true;
	return new_box(&opt);
}

static const char set_up[] =
	"cd /tmp; v=1; declare -A m=([k]='a b'); declare -ai l=(1 2); readonly r=fix; export e=out; declare -n ref=v\n"
	"f() { echo \"f $*\"; }; export -f f; g() { :; }; readonly -f g; alias ll='ls -l'; shopt -s extglob nullglob\n"
	"set -o noglob -o pipefail; trap 'echo bye' EXIT; trap '' USR1; trap 'echo debug >/dev/null' DEBUG ERR RETURN\n"
	"pushd /etc >/dev/null; pushd /usr >/dev/null; set -- one 'two words'; umask 077; mkdir -p /home/user/d; echo x >/home/user/d/f\n"
	"ln /home/user/d/f /home/user/hard; ln -s d/f /home/user/sym; mkfifo /home/user/p; touch -d @1000000000 /home/user/d/f; head -c 200000 /dev/zero >/home/user/big; trap - EXIT DEBUG\n";
static const char ask[] =
	"echo $PWD $v ${m[k]} ${l[*]} $e $ref; f 1; alias ll; shopt extglob nullglob; set -o | grep -E 'noglob|pipefail'; trap; dirs; umask\n"
	"cat ~/d/f; readlink ~/sym; stat -c '%h %F %Y' ~/hard ~/p ~/sym | sed 's/ [0-9]*$//' ; cksum <~/big; declare -p r l; (r=2); declare -F\n";
static const char answer[] =
	"/usr 1 a b 1 2 out 1\nf 1\nalias ll='ls -l'\nextglob        \ton\nnullglob       \ton\nnoglob         \ton\npipefail       \ton\n"
	"trap -- '' SIGUSR1\ntrap -- 'echo debug >/dev/null' ERR\ntrap -- 'echo debug >/dev/null' RETURN\n/usr /etc /tmp\n0077\n"
	"x\nd/f\n2 regular file\n1 fifo\n1 symbolic link\n";

/* The answer begins as it should (errors of the readonly come on stderr). */
static void remembers(struct tsb_sandbox *box, const char *why)
{
	struct tsb_result *res = NULL;

	is_int(tsb_run(box, ask, NULL, &res), TSB_OK, why);
	if (!res)
		return;
	if (!ok(!strncmp(tsb_result_out(res, NULL), answer, strlen(answer)), "all of the session"))
		printf("# got <%s>\n", tsb_result_out(res, NULL));
	ok(strstr(tsb_result_out(res, NULL), "declare -r r=\"fix\""), "readonly variables");
	ok(strstr(tsb_result_out(res, NULL), "declare -fx f\ndeclare -fr g\n"), "functions and what they are");
	ok(strstr(tsb_result_err(res, NULL), "r: readonly variable"), "stay so");
	tsb_result_free(res);
}

static void sessions(void)
{
	struct tsb_sandbox *box = session_box(), *branch = NULL, *other = session_box();
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res;

	says(box, set_up, "");
	remembers(box, "the next run");
	opt.fresh = true;
	is_int(tsb_run(box, "echo $PWD ${v-unset}; cd /", &opt, &res), TSB_OK, "one that is apart");
	is_str(tsb_result_out(res, NULL), "/home/user unset\n", "knows nothing of it");
	tsb_result_free(res);
	is_int(tsb_branch(box, &branch), TSB_OK, "branches");
	remembers(branch, "a branch");
	says(branch, "v=branch; rm -r ~/d", "");
	remembers(box, "the first does not change with it");
	is_int(tsb_restore(other, box), TSB_OK, "restores another");
	remembers(other, "which then is as the first");
	is_int(tsb_restore(box, box), TSB_ERR_ARGUMENT, "not from itself");
	is_int(tsb_branch(box, NULL), TSB_ERR_ARGUMENT, "no branch for nobody");
	tsb_sandbox_close(branch);
	tsb_sandbox_close(other);
	tsb_sandbox_close(box);
}

static void archives(void)
{
	struct tsb_sandbox *box = session_box(), *other = session_box(), *plain = new_box(NULL);
	struct bytes b = { NULL, 0, 0, 0 };

	says(box, set_up, "");
	is_int(tsb_save(box, keep, &b), TSB_OK, "saves");
	ok(b.n > 200000, "all bytes of it");
	is_int(tsb_load(other, give, &b), TSB_OK, "loads");
	remembers(other, "the same again");
	b.at = 0;
	is_int(tsb_load(plain, give, &b), TSB_OK, "files alone");
	says(plain, "cat d/f; stat -c '%h %Y' d/f hard; pwd; echo ${v-unset}", "x\n2 1000000000\n2 1000000000\n/home/user\nunset\n");
	b.fail_at = b.n / 2;
	b.at = 0;
	is_int(tsb_load(plain, give, &b), TSB_ERR_FILE, "a reader that fails");
	says(plain, "cat d/f", "x\n");
	b.fail_at = 0;
	/* Cut short, or one bit wrong: nothing may change. */
	for (size_t cut = 0; cut < b.n; cut += cut < 600 ? 7 : 31013) {
		struct bytes part = { b.p, cut, 0, 0 };

		if (tsb_load(plain, give, &part) != TSB_ERR_FORMAT)
			ok(0, "cut short");
	}
	for (size_t at = 0; at < b.n; at += at < 2000 ? 5 : 40009) {
		b.p[at] ^= 0x41;
		b.at = 0;
		if (tsb_load(plain, give, &b) == TSB_OK)
			ok(0, "a wrong byte");
		b.p[at] ^= 0x41;
	}
	/* the last record, which has the checksum: each byte */
	for (size_t at = b.n - 45; at < b.n; at++) {
		b.p[at] ^= 0x41;
		b.at = 0;
		if (tsb_load(plain, give, &b) != TSB_ERR_FORMAT)
			ok(0, "a wrong byte of the last record");
		b.p[at] ^= 0x41;
	}
	says(plain, "cat d/f; rm -r d; ls -d d hard", "ls: cannot access 'd': No such file or directory\n");
	b.at = 0;
	is_int(tsb_load(plain, give, &b), TSB_OK, "and again whole");
	says(plain, "cat d/f", "x\n");
	free(b.p);
	b = (struct bytes){ NULL, 0, 0, 100000 };
	is_int(tsb_save(box, keep, &b), TSB_ERR_FILE, "a writer that has enough");
	free(b.p);
	is_int(tsb_save(NULL, keep, &b), TSB_ERR_ARGUMENT, "no sandbox");
	is_int(tsb_load(box, NULL, NULL), TSB_ERR_ARGUMENT, "nothing to read from");
	tsb_sandbox_close(box);
	tsb_sandbox_close(other);
	tsb_sandbox_close(plain);
}

static void options(void)
{
	static const char *const env[] = { "A=1", "PATH=/usr/bin", NULL };
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_statistics stats = { .size = sizeof(stats) };
	struct tsb_sandbox *box, *branch;
	struct tsb_limits limits;

	tsb_limits_default(&limits);
	is_int(tsb_limit_set(&limits, "commands", "6"), TSB_OK, "a limit by name");
	opt.limits = &limits;
	opt.env = env;
	opt.cwd = "/tmp";
	opt.hostname = "elsewhere";
	opt.virtual_time = true;
	box = new_box(&opt);
	says(box, "env | grep '^[AP]' | sort; pwd; hostname", "A=1\nPATH=/usr/bin\nPWD=/tmp\n/tmp\nelsewhere\n");
	says(box, "sleep 1000; date -u +%s", "1700001000\n");
	is_int(tsb_branch(box, &branch), TSB_OK, "branches");
	says(branch, "pwd; hostname; date -u +%s", "/tmp\nelsewhere\n1700000000\n");
	is_int(says(branch, "for i in 1 2 3 4 5 6 7; do date; done; echo no", "tinysandbox: commands limit reached (6): commands started in a run; then status 125; to allow more: --limit commands=N\n"), 125, "and its limits") ;
	is_int(tsb_stats(box, &stats), TSB_OK, "statistics");
	ok(stats.runs == 2 && stats.commands >= 4 && stats.fs_entries > 10, "count");
	stats.size = 1;
	is_int(tsb_stats(box, &stats), TSB_ERR_ARGUMENT, "of another version");
	tsb_sandbox_close(branch);
	tsb_sandbox_close(box);
	opt.cwd = "relative";
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "a folder from nowhere");
	opt.cwd = NULL;
	limits.size = 1;
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "limits of another version");
	opt.size = 1;
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "options of another version");
	is_int(tsb_sandbox_open(NULL, NULL), TSB_ERR_ARGUMENT, "nowhere to put it");
	is_int(tsb_sandbox_close(NULL), TSB_OK, "nothing to close");
	is_str(tsb_error(NULL), "", "no error of nothing");
	is_int(tsb_errno(NULL), 0, "nor its number");
	ok(tsb_default_env() && tsb_default_env()[0], "an environment by default");
}

static void questions(void)
{
	static const struct {
		const char *text;
		bool more;
	} cases[] = {
		{ "echo", false }, { "if true; then", true }, { "echo 'a", true }, { "cat <<E\nx\n", true },
		{ "a |", true }, { "f() {", true }, { "echo \\", true }, { ")", false }, { "", false },
		{ "for x in 1; do echo; done", false }, { "$((", true }, { "x=(", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_int(tsb_is_incomplete(cases[i].text, strlen(cases[i].text)), cases[i].more, "more is needed, or not");
	is_int(tsb_is_incomplete(NULL, 0), false, "nothing");
}

int main(void)
{
	questions();
	options();
	sessions();
	archives();
	return done();
}
