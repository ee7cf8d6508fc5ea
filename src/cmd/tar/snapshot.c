/*
 * The snapshot file of --listed-incremental: the directories an archive has seen
 * and what was in them. Written in format 2 (as GNU tar 1.34), read in formats 0,
 * 1 and 2.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/num.h"
#include "cmd/path.h"
#include "cmd/tar/incremental.h"

static const char magic[] = "GNU tar-1.34-2\n";

struct tar_incremental *inc_of(struct tar *t)
{
	struct tar_incremental *inc = t->incremental_state;

	if (inc)
		return inc;
	inc = tsb_alloc(t->p, sizeof(*inc));
	inc->tail = &inc->first;
	inc->fd = -1;
	map_init(&inc->by_name, tsb_heap_of(t->p));
	map_init(&inc->by_inode, tsb_heap_of(t->p));
	t->incremental_state = inc;
	return inc;
}

char *inc_canonical(struct tar *t, const char *name)
{
	const char *cwd = tsb_getcwd(t->p);
	char *path = *name == '/' ? tsb_strdup(t->p, name)
				  : tsb_format(t->p, "%s/%s", strcmp(cwd, "/") ? cwd : "", name);
	size_t to = 0;

	for (const char *at = path; *at; ) {
		size_t n = strcspn(at, "/");

		if (n && !(n == 1 && at[0] == '.')) {
			path[to++] = '/';
			memmove(path + to, at, n);
			to += n;
		}
		at += n;
		at += strspn(at, "/");
	}
	if (!to)
		return tsb_strdup(t->p, "/");
	return tsb_strndup(t->p, path, to);
}

struct inc_dir *inc_find(struct tar *t, const char *name)
{
	char *path = inc_canonical(t, name);
	struct map_entry *e = map_find(&inc_of(t)->by_name, path, strlen(path));

	tsb_free(t->p, path);
	return e ? e->value : NULL;
}

struct inc_dir *inc_find_inode(struct tar *t, uint64_t dev, uint64_t ino)
{
	uint64_t key[2] = { t->check_device ? dev : 0, ino };
	struct map_entry *e = map_find(&inc_of(t)->by_inode, (const char *)key, sizeof(key));

	struct inc_dir *d = e ? e->value : NULL;

	/* It may have become another directory since. */
	return d && d->ino == ino && (!t->check_device || d->dev == dev) ? d : NULL;
}

struct inc_dir *inc_note(struct tar *t, const char *name, struct tsb_time mtime, uint64_t dev,
			 uint64_t ino, bool nfs, char *dump)
{
	struct tar_incremental *inc = inc_of(t);
	struct inc_dir *d = tsb_alloc(t->p, sizeof(*d));
	uint64_t key[2] = { t->check_device ? dev : 0, ino };
	struct map_entry *e;

	d->name = tsb_strdup(t->p, name);
	d->canonical = inc_canonical(t, name);
	d->mtime = mtime;
	d->dev = dev;
	d->ino = ino;
	d->nfs = nfs;
	d->dump = dump;
	*inc->tail = d;
	inc->tail = &d->next;
	e = map_put(&inc->by_name, d->canonical, strlen(d->canonical));
	e->value = e->value ? e->value : d;
	e = map_put(&inc->by_inode, (const char *)key, sizeof(key));
	e->value = e->value ? e->value : d;
	return d;
}

size_t inc_dump_size(const char *dump)
{
	size_t n = 0;

	while (dump[n])
		n += strlen(dump + n) + 1;
	return n + 1;
}

/* ---- Reading ---- */

struct snapshot {
	struct tar *t;
	struct tsb_reader in;
	uint64_t at;		/* bytes read */
	const char *name;	/* for messages */
};

static int next_byte(struct snapshot *s)
{
	int c = tsb_getbyte(&s->in);

	s->at += c >= 0;
	return c;
}

static void TSB_NORETURN out_of_range(struct snapshot *s, const char *what, const char *text,
				      int64_t min, uint64_t max)
{
	tar_fatal(s->t, "%s: byte %llu: (valid range %lld..%llu)\n\t%s %s: "
		  "Numerical result out of range", s->name, (unsigned long long)s->at,
		  (long long)min, (unsigned long long)max, what, text);
}

/* A number and its NUL: false at the end of the file. */
static bool read_field(struct snapshot *s, const char *what, int64_t min, uint64_t max,
		       int64_t *out)
{
	char text[32];
	size_t n = 0;
	uint64_t v = 0;
	int64_t signed_v = 0;
	int c;
	bool good;

	while ((c = next_byte(s)) >= 0 && n < sizeof(text) - 1 &&
	       ((c >= '0' && c <= '9') || (!n && c == '-' && min < 0)))
		text[n++] = (char)c;
	text[n] = '\0';
	if (c < 0 && !n)
		return false;
	if (c < 0)
		tar_fatal(s->t, "%s: Unexpected EOF in snapshot file", s->name);
	if (c)
		tar_fatal(s->t, "%s: byte %llu: %s %s followed by invalid byte 0x%02x", s->name,
			  (unsigned long long)s->at, what, text, (unsigned)c);
	if (*text == '-') {
		good = num_i64(text, &signed_v) == NUM_OK && signed_v >= min;
		v = (uint64_t)signed_v;
	} else {
		good = num_u64(text, &v) == NUM_OK && v <= max;
	}
	if (!good)
		out_of_range(s, what, text, min, max);
	*out = (int64_t)v;
	return true;
}

static void need_field(struct snapshot *s, const char *what, int64_t min, uint64_t max, int64_t *out)
{
	if (!read_field(s, what, min, max, out))
		tar_fatal(s->t, "%s: Unexpected EOF in snapshot file", s->name);
}

static bool read_time(struct snapshot *s, struct tsb_time *time)
{
	int64_t nsec;

	if (!read_field(s, "sec", INT64_MIN, INT64_MAX, &time->sec))
		return false;
	need_field(s, "nsec", 0, 999999999, &nsec);
	time->nsec = (int32_t)nsec;
	return true;
}

/* Bytes up to a NUL: their number with it, 0 at the end of the file. */
static size_t read_string(struct snapshot *s, struct str *out)
{
	char *text;
	size_t n = tsb_getdelim(&s->in, &text, 0);

	s->at += n;
	if (!n || text[n - 1])
		return 0;
	str_addn(out, text, n);
	tsb_tick(s->t->p, 1);
	return n;
}

static void read_format_2(struct snapshot *s)
{
	struct tar *t = s->t;

	if (!read_time(s, &t->newer))
		tar_fatal(t, "%s: Unexpected EOF in snapshot file", s->name);
	for (;;) {
		struct str name, dump;
		struct tsb_time mtime;
		int64_t nfs, dev, ino;
		size_t n;

		if (!read_field(s, "nfs", 0, 1, &nfs))
			return;
		if (!read_time(s, &mtime))
			break;
		need_field(s, "dev", 0, UINT64_MAX, &dev);
		need_field(s, "ino", 0, UINT64_MAX, &ino);
		str_init(&name, tsb_heap_of(t->p), STR_MAX_DEFAULT);
		str_init(&dump, tsb_heap_of(t->p), STR_MAX_DEFAULT);
		if (!read_string(s, &name))
			break;
		while ((n = read_string(s, &dump)) > 1)
			;
		if (next_byte(s) != 0)
			tar_fatal(t, "%s: byte %llu: Missing record terminator", s->name,
				  (unsigned long long)s->at);
		if (!n)
			str_addc(&dump, 0);
		inc_note(t, name.p, mtime, (uint64_t)dev, (uint64_t)ino, nfs, str_take(&dump, NULL));
	}
	tar_fatal(t, "%s: Unexpected EOF in snapshot file", s->name);
}

/* A decimal number at *at, which is moved behind it and the one byte there. */
static int64_t old_number(struct snapshot *s, char **at, size_t line, const char *what)
{
	char *end = *at;
	int64_t v;

	while ((*end >= '0' && *end <= '9') || (end == *at && *end == '-'))
		end++;
	if (end == *at || num_i64(tsb_strndup(s->t->p, *at, (size_t)(end - *at)), &v) != NUM_OK)
		tar_fatal(s->t, "%s:%zu: Invalid %s: %s", s->name, line, what,
			  tsb_strerror(end == *at ? EINVAL : ERANGE));
	if (*end != ' ' && !(*end == '\n' && !strcmp(what, "time stamp")) && *end)
		tar_fatal(s->t, "%s:%zu: Invalid %s", s->name, line, what);
	if (!*end && strcmp(what, "time stamp"))
		tar_fatal(s->t, "%s:%zu: Invalid %s", s->name, line, what);
	*at = *end ? end + 1 : end;
	return v;
}

/* Lines of "[+]DEVICE INODE NAME", in format 1 with times before them. */
static void read_format_01(struct snapshot *s, bool with_times, char *line)
{
	struct tar *t = s->t;
	size_t number = 1, n;

	if (with_times) {
		if (!(n = tsb_getdelim(&s->in, &line, '\n')))
			return;
		number++;
	}
	t->newer.sec = old_number(s, &line, number, "time stamp");
	t->newer.nsec = *line && *line != '\n' ? (int32_t)old_number(s, &line, number, "time stamp")
					       : 0;
	while ((n = tsb_getdelim(&s->in, &line, '\n'))) {
		struct tsb_time mtime = { 0, 0 };
		int64_t dev, ino;
		bool nfs = *line == '+';

		tsb_tick(t->p, 1);
		number++;
		line[n - (line[n - 1] == '\n')] = '\0';
		line += nfs;
		if (with_times) {
			mtime.sec = old_number(s, &line, number, "modification time (seconds)");
			mtime.nsec = (int32_t)old_number(s, &line, number,
							 "modification time (nanoseconds)");
		}
		dev = old_number(s, &line, number, "device number");
		ino = old_number(s, &line, number, "inode number");
		inc_note(t, tar_unquote(t, line), mtime, (uint64_t)dev, (uint64_t)ino, nfs, NULL);
	}
}

static void read_any(struct snapshot *s)
{
	struct tar *t = s->t;
	uint64_t version = 0;
	char *line, *at;
	size_t n = tsb_getdelim(&s->in, &line, '\n');

	s->at = n;
	if (!n)
		return;
	if (strncmp(line, "GNU tar", 7)) {
		read_format_01(s, false, line);
		return;
	}
	at = line[7] == '-' ? strchr(line + 8, '-') : NULL;
	if (!at) {
		tar_say(t, "Bad incremental file format");
		tsb_exit(t->p, 1);
	}
	num_u64(tsb_strndup(t->p, at + 1, strspn(at + 1, "0123456789")), &version);
	if (version == 2) {
		read_format_2(s);
	} else if (version < 2) {
		read_format_01(s, version == 1, line);
	} else {
		tar_say(t, "Unsupported incremental format version: %llu",
			(unsigned long long)version);
		tsb_exit(t->p, 1);
	}
}

void inc_read(struct tar *t)
{
	struct tar_incremental *inc = inc_of(t);
	struct snapshot s = { .t = t, .name = tar_quote_colon(t, t->snapshot) };
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | (t->level_zero ? O_TRUNC : 0);

	t->newer = (struct tsb_time){ INT64_MIN, 0 };
	t->newer_set = t->newer_ctime = true;
	inc->fd = tsb_open(t->p, t->snapshot, flags, 0666);
	if (inc->fd < 0) {
		tar_cannot(t, "open", t->snapshot, inc->fd);
		return;
	}
	/* Its names are those below -C, which comes first if it is there. */
	if (t->names.n && t->names.at[0].kind == TAR_NAME_DIR)
		tar_enter_dir(t, 1);
	tsb_reader_init(&s.in, t->p, inc->fd);
	read_any(&s);
	if (s.in.error)
		tar_cannot(t, "read", t->snapshot, s.in.error);
	tsb_reader_end(&s.in);
}

/* ---- Writing ---- */

static void put_field(struct str *out, long long v)
{
	str_addf(out, "%lld", v);
	str_addc(out, 0);
}

static void put_dir(struct str *out, const struct inc_dir *d)
{
	put_field(out, d->nfs);
	put_field(out, d->mtime.sec);
	put_field(out, d->mtime.nsec);
	str_addf(out, "%llu", (unsigned long long)d->dev);
	str_addc(out, 0);
	str_addf(out, "%llu", (unsigned long long)d->ino);
	str_addc(out, 0);
	str_addn(out, d->name, strlen(d->name) + 1);
	for (const char *at = d->dump; at && *at; at += strlen(at) + 1)
		if (*at == 'Y' || *at == 'N' || *at == 'D')
			str_addn(out, at, strlen(at) + 1);
	str_addn(out, "\0", 2);
}

void inc_write(struct tar *t)
{
	struct tar_incremental *inc = inc_of(t);
	struct str out;
	int err;

	if (inc->fd < 0)
		return;
	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_adds(&out, magic);
	put_field(&out, t->start.sec);
	put_field(&out, t->start.nsec);
	if (tsb_lseek(t->p, inc->fd, 0, 0) < 0)
		tar_cannot(t, "seek", t->snapshot, -ESPIPE);
	err = tsb_ftruncate(t->p, inc->fd, 0);
	if (err < 0)
		tar_cannot(t, "truncate", t->snapshot, err);
	err = 0;
	for (const struct inc_dir *d = inc->first; d && err >= 0; d = d->next) {
		if (d->found)
			put_dir(&out, d);
		if (out.n > 65536) {
			err = tsb_write_all(t->p, inc->fd, out.p, out.n);
			str_reset(&out);
		}
	}
	if (err >= 0)
		err = tsb_write_all(t->p, inc->fd, out.p, out.n);
	if (err < 0)
		tar_cannot(t, "write", t->snapshot, err);
	err = tsb_close(t->p, inc->fd);
	if (err < 0)
		tar_cannot(t, "close", t->snapshot, err);
	str_end(&out);
}
