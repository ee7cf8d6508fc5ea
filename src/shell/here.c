/*
 * Where the text of a here-document waits to be read: in a pipe if it fits into
 * one (nobody blocks), else in an unnamed file, as bash does it.
 */
#include "shell/doing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static int here_pipe(struct shell *sh, struct slice text)
{
	int fd[2];
	int err = tsb_pipe(sh->p, fd);

	if (err)
		return err;
	err = text.n ? tsb_write_all(sh->p, fd[1], text.p, text.n) : 0;
	tsb_close(sh->p, fd[1]);
	if (err) {
		tsb_close(sh->p, fd[0]);
		return err;
	}
	return fd[0];
}

static const char *here_directory(struct shell *sh)
{
	struct slice v;

	if (var_get_text(sh, "TMPDIR", &v) && v.n && !tsb_access(sh->p, v.p, TSB_W_OK))
		return v.p;
	return "/tmp";
}

/* A file of a name nobody has, which it loses at once. */
static int here_file(struct shell *sh, struct slice text)
{
	struct str path;
	uint64_t chance;
	int out, in = -EEXIST;

	str_init(&path, sh->heap, STR_MAX_DEFAULT);
	tsb_random(sh->p, &chance, sizeof(chance));
	str_addf(&path, "%s/sh-thd.%llx", here_directory(sh), (unsigned long long)chance);
	out = tsb_open(sh->p, path.p, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (out >= 0) {
		int err = tsb_write_all(sh->p, out, text.p, text.n);

		in = err ? err : tsb_open(sh->p, path.p, O_RDONLY, 0);
		tsb_unlink(sh->p, path.p);
		tsb_close(sh->p, out);
	} else {
		in = out;
	}
	str_end(&path);
	return in;
}

int here_open(struct shell *sh, struct slice text)
{
	if (text.n <= kernel_limits(proc_kernel(sh->p))->pipe_bytes)
		return here_pipe(sh, text);
	return here_file(sh, text);
}
