/* Commands whose descriptors are a terminal's. */
#include "box.h"

/* As says(), with a terminal; errors and output both count. */
static void tells(struct tsb_sandbox *box, const char *script, const char *out, const char *err)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res = NULL;

	opt.terminal = true;
	is_int(tsb_run(box, script, &opt, &res), TSB_OK, "runs");
	if (!res)
		return;
	is_str(tsb_result_out(res, NULL), out, script);
	is_str(tsb_result_err(res, NULL), err, "and the errors");
	tsb_result_free(res);
}

static void nohup(struct tsb_sandbox *box)
{
	tells(box, "nohup echo hi; cat nohup.out; stat -c %a nohup.out; rm nohup.out", "hi\n600\n",
	      "nohup: ignoring input and appending output to 'nohup.out'\n");
	tells(box, "nohup sh -c 'echo o; echo e >&2; cat'; cat nohup.out; rm nohup.out",
	      "o\ne\ncat: -: Bad file descriptor\n",
	      "nohup: ignoring input and appending output to 'nohup.out'\n");
	tells(box, "nohup sh -c 'echo o; echo e >&2' >f; cat f", "o\ne\n",
	      "nohup: ignoring input and redirecting stderr to stdout\n");
	tells(box, "echo in >f; nohup cat <f; cat nohup.out; rm nohup.out", "in\n",
	      "nohup: appending output to 'nohup.out'\n");
	tells(box, "nohup echo hi >f 2>&1; cat f", "nohup: ignoring input\nhi\n", "");
	tells(box, "nohup sh -c 'echo e >&2' </dev/null >f; cat f", "e\n",
	      "nohup: redirecting stderr to stdout\n");
	tells(box, "nohup nocmd; echo $?; cat nohup.out; rm nohup.out", "127\n",
	      "nohup: ignoring input and appending output to 'nohup.out'\n"
	      "nohup: failed to run command 'nocmd': No such file or directory\n");
	tells(box, "cd /etc; nohup echo away; cat ~/nohup.out", "away\n",
	      "nohup: ignoring input and appending output to '/home/user/nohup.out'\n");
	tells(box, "cd /etc; HOME=/usr nohup echo hi; echo $?; unset HOME; nohup echo hi; echo $?", "125\n125\n",
	      "nohup: failed to open 'nohup.out': Permission denied\n"
	      "nohup: failed to open '/usr/nohup.out': Permission denied\n"
	      "nohup: failed to open 'nohup.out': Permission denied\n");
}

static void others(struct tsb_sandbox *box)
{
	tells(box, "for fd in 0 1 2; do test -t $fd; echo $?; done; tty; [ -t 0 ]; echo $?; tty </dev/null", "0\n0\n0\n/dev/tty\n0\nnot a tty\n", "");
	tells(box, "touch a b; ls; ls | cat; ls --color=auto -d /tmp a", "a  b  f  nohup.out\na\nb\nf\nnohup.out\n"
	      "\033[0m\033[30;42m/tmp\033[0m  a\n", "");
	tells(box, "printf 'a\\nb\\n' | grep --color=auto a; echo x | sed -u s/x/y/; echo $- | grep -c i", "\033[01;31m\033[Ka\033[m\033[K\ny\n0\n", "");
}

int main(void)
{
	struct tsb_sandbox *box = new_box(NULL);

	nohup(box);
	others(box);
	tsb_sandbox_close(box);
	return done();
}
