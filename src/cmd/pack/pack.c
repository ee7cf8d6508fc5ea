/*
 * See pack.h.
 */
#include "cmd/pack/pack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "base/num.h"
#include "base/opt.h"

void pack_in_open(struct pack_in *in, struct tsb_proc *p, int fd)
{
	unsigned char *buf = in->buf;

	memset(in, 0, sizeof(*in));
	in->p = p;
	in->fd = fd;
	in->buf = buf ? buf : heap_alloc(tsb_heap_of(p), PACK_BLOCK);
}

static bool pack_read_more(struct pack_in *in)
{
	ssize_t got;

	if (in->eof || in->error)
		return false;
	tsb_tick(in->p, 1);
	/* Files are opened without waiting, so that a FIFO can be refused; reading waits. */
	while ((got = tsb_read(in->p, in->fd, in->buf + in->n, PACK_BLOCK - in->n)) == -EAGAIN)
		tsb_poll_in(in->p, in->fd, -1);
	if (got <= 0) {
		in->eof = true;
		in->error = (int)got;
		return false;
	}
	in->n += (size_t)got;
	in->total += (uint64_t)got;
	return true;
}

bool pack_fill(struct pack_in *in)
{
	if (in->at < in->n)
		return true;
	in->at = in->n = 0;
	return pack_read_more(in);
}

bool pack_need(struct pack_in *in, size_t n)
{
	if (in->n - in->at >= n)
		return true;
	memmove(in->buf, in->buf + in->at, in->n - in->at);
	in->n -= in->at;
	in->at = 0;
	while (in->n < n)
		if (!pack_read_more(in))
			return false;
	return true;
}

void pack_out_open(struct pack_out *out, struct tsb_proc *p, int fd)
{
	unsigned char *buf = out->buf;

	memset(out, 0, sizeof(*out));
	out->p = p;
	out->fd = fd;
	out->buf = buf ? buf : heap_alloc(tsb_heap_of(p), PACK_BLOCK);
}

bool pack_flush(struct pack_out *out)
{
	tsb_tick(out->p, 1);
	if (out->n && out->fd >= 0 && !out->error)
		out->error = tsb_write_all(out->p, out->fd, out->buf, out->n);
	out->total += out->n;
	out->n = 0;
	return !out->error;
}

void pack_put(struct pack_out *out, const void *data, size_t n)
{
	const unsigned char *from = data;

	while (n) {
		size_t part = PACK_BLOCK - out->n < n ? PACK_BLOCK - out->n : n;

		memcpy(out->buf + out->n, from, part);
		out->n += part;
		from += part;
		n -= part;
		if (out->n == PACK_BLOCK)
			pack_flush(out);
	}
}

void pack_copy(struct pack_in *in, struct pack_out *out)
{
	while (pack_fill(in) && !out->error) {
		pack_put(out, in->buf + in->at, in->n - in->at);
		in->at = in->n;
	}
}

/* ---- Memory ---- */

static void *pack_array(struct tsb_proc *p, size_t items, size_t size)
{
	return heap_array(tsb_heap_of(p), items, size);
}

void *pack_zalloc(void *ctx, unsigned items, unsigned size)
{
	return pack_array(ctx, items, size);
}

void *pack_bzalloc(void *ctx, int items, int size)
{
	return pack_array(ctx, (size_t)items, (size_t)size);
}

void *pack_lzma_alloc(void *ctx, size_t items, size_t size)
{
	return pack_array(ctx, items, size);
}

void *pack_zstd_alloc(void *ctx, size_t size)
{
	return pack_array(ctx, 1, size);
}

void pack_free(void *ctx, void *at)
{
	tsb_free(ctx, at);
}

/* ---- Files and messages ---- */

void pack_copy_stat(struct tsb_proc *p, int fd, const struct tsb_stat *from)
{
	struct tsb_setattr set = { TSB_SET_ATIME | TSB_SET_MTIME, 0, 0, 0, from->atime,
				   from->mtime };

	tsb_fsetattr(p, fd, &set);
	set.mask = TSB_SET_UID | TSB_SET_GID;
	set.uid = from->uid;
	set.gid = from->gid;
	tsb_fsetattr(p, fd, &set);
	set.mask = TSB_SET_MODE;
	set.mode = from->mode & 0777;
	tsb_fsetattr(p, fd, &set);
}

void pack_say(struct tsb_proc *p, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	tsb_write_all(p, 2, text.p, text.n);
	str_end(&text);
}

int pack_help(struct tsb_proc *p, const struct tsb_command *cmd)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_help(&text, cmd, cmd->name);
	tsb_put(p, text.p, text.n);
	tsb_exit(p, 0);
}

const char *pack_self(struct tsb_proc *p)
{
	return strchr(tsb_name(p), '/') ? tsb_name(p) : tsb_format(p, "/usr/bin/%s", tsb_name(p));
}

bool pack_asks(const char *arg, const char *option)
{
	size_t n = strlen(arg);

	return n >= strlen("--h") && !strncmp(arg, option, n);
}

void pack_answer(struct tsb_proc *p, const struct tsb_command *cmd, bool version)
{
	const char *self = pack_self(p);
	/* zegrep starts zgrep; of xz's, a link has its own name */
	bool own = strstr(self, cmd->name) || !strcmp(cmd->package, "XZ Utils");
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (version)
		opt_version(&text, cmd, cmd->name);
	else
		opt_help(&text, cmd, own ? self : tsb_format(p, "/usr/bin/%s", cmd->name));
	tsb_put(p, text.p, text.n);
	tsb_exit(p, 0);
}

void pack_answer_word(struct tsb_proc *p, const struct tsb_command *cmd, const char *arg)
{
	if (!strcmp(arg, "--help") || !strcmp(arg, "--version"))
		pack_answer(p, cmd, arg[2] == 'v');
}

void pack_answer_letter(struct tsb_proc *p, const struct tsb_command *cmd, const char *arg)
{
	if (!strncmp(arg, "--h", 3) || !strncmp(arg, "--v", 3))
		pack_answer(p, cmd, arg[2] == 'v');
}

char **pack_arguments(struct tsb_proc *p, const char *const names[2], int *argc, char **argv)
{
	const char *envs[] = { tsb_getenv(p, names[0]), tsb_getenv(p, names[1]) };
	size_t room = (size_t)*argc + 1, n = 0;
	char **all;

	for (int i = 0; i < 2; i++)
		room += envs[i] ? strlen(envs[i]) / 2 + 1 : 0;
	all = tsb_alloc(p, room * sizeof(*all));
	for (int i = 0; i < 2; i++) {
		const char *at = envs[i] ? envs[i] : "";

		while (*(at += strspn(at, " \t\n"))) {
			size_t len = strcspn(at, " \t\n");

			all[n++] = tsb_strndup(p, at, len);
			at += len;
		}
	}
	memcpy(all + n, argv, (size_t)*argc * sizeof(*all));
	*argc += (int)n;
	return all;
}

bool pack_options(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		  struct opt_parsed *out, const char *name, const char *hint, int *status)
{
	struct tsb_command plain = *cmd;
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));
	struct str text;

	all[0] = tsb_strdup(p, name);
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	plain.flags &= ~(unsigned)TSB_RAW;
	opt_parse(out, &plain, tsb_heap_of(p), p, argc + 1, all);
	*status = out->status;
	if (out->result == OPT_RUN)
		return true;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (out->result == OPT_HELP)
		opt_help(&text, cmd, name);
	else if (out->result == OPT_VERSION)
		opt_version(&text, cmd, name);
	else if (out->result == OPT_BAD) {
		pack_say(p, "%s: %s\n%s", name, out->error.p, hint);
		*status = cmd->usage_status ? cmd->usage_status : 1;
	}
	tsb_put(p, text.p, text.n);
	return false;
}
