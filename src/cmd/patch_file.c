/*
 * The file to be patched: found without leaving the working directory through
 * links, looked at, read and cut into lines.
 */
#include "cmd/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "cmd/lines.h"
#include "cmd/path.h"

#define LINKS_MAX 40

/* ---- Names of strangers ---- */

struct tracing {
	struct str path;	/* components so far, as they are without links */
	size_t depth;
	char *rest;
	int links;
};

static int trace_up(struct tracing *k)
{
	const char *slash;

	if (!k->depth)
		return -EXDEV;
	k->depth--;
	slash = strrchr(k->path.p, '/');
	str_cut(&k->path, slash ? (size_t)(slash - k->path.p) : 0);
	return 0;
}

/* A component that is a link: its target comes before the rest. */
static int trace_link(struct patch *t, struct tracing *k, size_t before)
{
	int err;
	char *target = path_readlink(t->p, k->path.p, &err);

	if (!target)
		return err;
	if (*target == '/')
		return -EXDEV;
	if (++k->links > LINKS_MAX)
		return -ELOOP;
	k->rest = tsb_format(t->p, "%s/%s", target, k->rest);
	str_cut(&k->path, before);
	return 0;
}

static int trace_step(struct patch *t, struct tracing *k)
{
	size_t n = strcspn(k->rest, "/"), before = k->path.n;
	bool last = !k->rest[n + strspn(k->rest + n, "/")];
	const char *name = k->rest;
	struct tsb_stat st;

	k->rest += n + strspn(k->rest + n, "/");
	if (!n || (n == 1 && *name == '.'))
		return 0;
	if (n == 2 && name[0] == '.' && name[1] == '.')
		return trace_up(k);
	if (k->path.n)
		str_addc(&k->path, '/');
	str_addn(&k->path, name, n);
	if (!last && !tsb_lstat(t->p, k->path.p, &st) && S_ISLNK(st.mode))
		return trace_link(t, k, before);
	k->depth++;
	return 0;
}

/* 0, or -EXDEV where the directories of a relative name would lead out of here. */
int patch_safe(struct patch *t, const char *name)
{
	struct tracing k = { .rest = tsb_strdup(t->p, name) };
	int err = 0;

	if (*name == '/' || t->explicit_name)
		return 0;
	str_init(&k.path, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	while (*k.rest && !err)
		err = trace_step(t, &k);
	str_end(&k.path);
	return err;
}

int patch_stat(struct patch *t, const char *name, struct tsb_stat *st)
{
	int err = patch_safe(t, name);

	if (err)
		return err;
	return t->follow ? tsb_stat(t->p, name, st) : tsb_lstat(t->p, name, st);
}

/* ---- Looking ---- */

bool patch_get_input(struct patch *t, const char *name, const char *out_name)
{
	if (t->in_error == 1)
		t->in_error = patch_stat(t, name, &t->in_st);
	if (t->in_error == -EXDEV || t->in_error == -ELOOP ||
	    (!t->out_name && patch_safe(t, out_name))) {
		patch_say(t, "Invalid file name %s -- skipping patch\n",
			  patch_quote(t, patch_safe(t, name) ? name : out_name));
		t->unsafe = true;
		return false;
	}
	if (t->in_error) {
		memset(&t->in_st, 0, sizeof(t->in_st));
		t->in_st.mode = t->file_type | 0666;
		return true;
	}
	if ((S_ISREG(t->file_type) || S_ISLNK(t->file_type)) &&
	    (t->in_st.mode & S_IFMT) == t->file_type)
		return true;
	patch_say(t, "File %s is not a %s -- refusing to patch\n", patch_quote(t, name),
		  S_ISLNK(t->file_type) ? "symbolic link" : "regular file");
	return false;
}

/* ---- Reading ---- */

static void scan_lines(struct patch *t)
{
	struct patch_input *in = &t->in;
	size_t cap = in->size / 32 + 16;

	in->n = 0;
	in->line = tsb_alloc(t->p, cap * sizeof(*in->line));
	for (size_t at = 0; at < in->size; in->n++) {
		const char *end = memchr(in->text + at, '\n', in->size - at);

		if ((size_t)in->n + 2 > cap) {
			cap *= 2;
			in->line = tsb_realloc(t->p, in->line, cap * sizeof(*in->line));
		}
		in->line[in->n] = at;
		at = end ? (size_t)(end - in->text) + 1 : in->size;
		if (in->n % 1024 == 0)
			tsb_tick(t->p, 1024);
	}
	in->line[in->n] = in->size;
}

static void read_file(struct patch *t)
{
	struct lines in = { 0 };
	int fd = tsb_open(t->p, t->in_name, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		patch_pfatal(t, fd, "can't open file %s", patch_quote(t, t->in_name));
	lines_open(&in, t->p, fd);
	while (lines_fill(&in))
		tsb_tick(t->p, 1);
	if (in.error)
		patch_pfatal(t, in.error, "Can't read file %s", patch_quote(t, t->in_name));
	tsb_close(t->p, fd);
	t->in.text = in.buf + in.at;
	t->in.size = in.n - in.at;
}

/* Is the revision that the patch wants a word of the file? */
static bool has_revision(const struct patch *t)
{
	size_t n = strlen(t->prereq);
	const char *s = t->in.text, *end = s + t->in.size;

	while (t->in.size && (s = memmem(s, (size_t)(end - s), t->prereq, n)) != NULL) {
		if ((s == t->in.text || strchr(" \t\n", s[-1])) &&
		    (s + n == end || strchr(" \t\n", s[n])))
			return true;
		s++;
	}
	return false;
}

static void check_revision(struct patch *t)
{
	if (!t->prereq)
		return;
	if (has_revision(t)) {
		if (t->verbosity == PATCH_VERBOSE)
			patch_say(t, "Good.  This file appears to be the %s version.\n", t->prereq);
	} else if (t->force) {
		if (t->verbosity != PATCH_SILENT)
			patch_say(t, "Warning: this file doesn't appear to be the %s version -- "
				  "patching anyway.\n", t->prereq);
	} else if (t->batch) {
		patch_fatal(t, "This file doesn't appear to be the %s version -- aborting.",
			    t->prereq);
	} else {
		patch_ask(t, "This file doesn't appear to be the %s version -- patch anyway? [n] ",
			  t->prereq);
		patch_fatal(t, "aborted");
	}
}

void patch_scan(struct patch *t)
{
	memset(&t->in, 0, sizeof(t->in));
	if (!t->in_error && S_ISLNK(t->file_type)) {
		int err;

		t->in.text = path_readlink(t->p, t->in_name, &err);
		if (!t->in.text)
			patch_pfatal(t, err, "Can't read symbolic link %s",
				     patch_quote(t, t->in_name));
		t->in.size = strlen(t->in.text);
	} else if (!t->in_error) {
		read_file(t);
	}
	scan_lines(t);
	check_revision(t);
}
