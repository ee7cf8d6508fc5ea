/*
 * pax's extended headers: records "LENGTH KEY=VALUE\n", for one member or for
 * all that follow, and --pax-option.
 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/tar/header.h"

struct pax_pair {
	const char *key, *value;
	size_t n;
	bool sparse_part;
	struct pax_pair *next;
};

struct tar_pax_options {
	struct pax_pair *global;	/* key=value: in a global header */
	struct pax_pair *each;		/* key:=value: in every member's */
	struct pax_pair *deleted;	/* delete=PATTERN */
	struct pax_pair *read_global, *read_local;	/* of the archive read */
	const char *exthdr_name, *globexthdr_name;
	bool times_to_headers;
};

static struct tar_pax_options *pax_of(struct tar *t)
{
	if (!t->pax)
		t->pax = tsb_alloc(t->p, sizeof(*t->pax));
	return t->pax;
}

static void pax_append(struct tar *t, struct pax_pair **list, const char *key, const char *value,
		       size_t n)
{
	struct pax_pair *pair = tsb_alloc(t->p, sizeof(*pair));

	while (*list)
		list = &(*list)->next;
	pair->key = key;
	pair->value = value;
	pair->n = n;
	*list = pair;
}

/* ---- --pax-option ---- */

static void pax_one_option(struct tar *t, char *text)
{
	struct tar_pax_options *o = pax_of(t);
	char *equal = strchr(text, '=');

	text += strspn(text, " \t");
	if (!equal)
		tar_usage(t, "Keyword %s is unknown or not yet implemented", text);
	if (equal > text && equal[-1] == ':') {
		equal[-1] = '\0';
		pax_append(t, &o->each, text, equal + 1, strlen(equal + 1));
		return;
	}
	*equal = '\0';
	if (!strcmp(text, "delete"))
		pax_append(t, &o->deleted, equal + 1, "", 0);
	else if (!strcmp(text, "exthdr.name"))
		o->exthdr_name = equal + 1;
	else if (!strcmp(text, "globexthdr.name"))
		o->globexthdr_name = equal + 1;
	else if (!strcmp(text, "exthdr.mtime") || !strcmp(text, "globexthdr.mtime"))
		o->times_to_headers = true;
	else
		pax_append(t, &o->global, text, equal + 1, strlen(equal + 1));
}

bool tar_pax_has_global(const struct tar *t)
{
	return t->pax && t->pax->global;
}

void tar_pax_option(struct tar *t, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ",");

		pax_one_option(t, tsb_strndup(t->p, text, n));
		text += n + (text[n] != 0);
	}
}

static bool pax_is_deleted(const struct tar *t, const char *key)
{
	for (const struct pax_pair *d = t->pax ? t->pax->deleted : NULL; d; d = d->next) {
		size_t n = strlen(d->key);

		if (!strcmp(d->key, key) ||
		    (n && d->key[n - 1] == '*' && !strncmp(d->key, key, n - 1)))
			return true;
	}
	return false;
}

/* ---- Writing ---- */

void tar_pax_record(struct str *out, const char *key, const char *value, size_t n)
{
	size_t rest = strlen(key) + n + 3, length = rest + 1;
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", length) + rest != length)
		length++;
	str_addf(out, "%zu %s=", length, key);
	str_addn(out, value, n);
	str_addc(out, '\n');
}

/* Seconds with as many decimals as they have. */
const char *tar_time_text(struct tar *t, struct tsb_time time)
{
	int64_t sec = time.sec;
	int32_t nsec = time.nsec;
	char *text;
	size_t n;

	if (!nsec)
		return tsb_format(t->p, "%lld", (long long)sec);
	if (sec < 0) {
		sec++;
		nsec = 1000000000 - nsec;
		text = tsb_format(t->p, "%s%lld.%09d", sec ? "" : "-", (long long)sec, nsec);
	} else {
		text = tsb_format(t->p, "%lld.%09d", (long long)sec, nsec);
	}
	for (n = strlen(text); text[n - 1] == '0'; n--)
		text[n - 1] = '\0';
	return text;
}

static void pax_add(struct tar *t, struct str *out, const char *key, const char *value)
{
	if (pax_is_deleted(t, key))
		return;
	for (const struct pax_pair *e = t->pax ? t->pax->each : NULL; e; e = e->next)
		if (!strcmp(e->key, key))
			return;
	tar_pax_record(out, key, value, strlen(value));
}

static void pax_add_number(struct tar *t, struct str *out, const char *key, uint64_t v)
{
	pax_add(t, out, key, tsb_format(t->p, "%llu", (unsigned long long)v));
}

static void pax_sparse(struct tar *t, struct tar_member *m, struct str *out)
{
	struct str list;

	if (t->sparse_major == 1) {
		pax_add(t, out, "GNU.sparse.major", "1");
		pax_add(t, out, "GNU.sparse.minor", "0");
		pax_add(t, out, "GNU.sparse.name", m->name);
		pax_add_number(t, out, "GNU.sparse.realsize", m->real_size);
		return;
	}
	pax_add_number(t, out, "GNU.sparse.size", m->real_size);
	pax_add_number(t, out, "GNU.sparse.numblocks", m->n_map);
	str_init(&list, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < m->n_map; i++) {
		if (!t->sparse_minor) {
			pax_add_number(t, out, "GNU.sparse.offset", m->map[i].offset);
			pax_add_number(t, out, "GNU.sparse.numbytes", m->map[i].bytes);
		}
		str_addf(&list, "%s%llu,%llu", i ? "," : "",
			 (unsigned long long)m->map[i].offset, (unsigned long long)m->map[i].bytes);
	}
	if (!t->sparse_minor)
		return;
	pax_add(t, out, "GNU.sparse.name", m->name);
	pax_add(t, out, "GNU.sparse.map", list.p);
}

void tar_pax_records(struct tar *t, struct tar_member *m, struct str *out)
{
	if (m->sparse)
		pax_sparse(t, m, out);
	if (m->st.uid > 07777777)
		pax_add_number(t, out, "uid", m->st.uid);
	if (m->st.gid > 07777777)
		pax_add_number(t, out, "gid", m->st.gid);
	if (m->stored > 077777777777ull)
		pax_add_number(t, out, "size", m->stored);
	if (m->st.mtime.nsec || m->st.mtime.sec < 0 || m->st.mtime.sec > 077777777777ll)
		pax_add(t, out, "mtime", tar_time_text(t, m->st.mtime));
	pax_add(t, out, "atime", tar_time_text(t, m->st.atime));
	pax_add(t, out, "ctime", tar_time_text(t, m->st.ctime));
	if (m->dump)
		tar_pax_record(out, "GNU.dumpdir", m->dump, m->n_dump);
	for (const struct pax_pair *e = t->pax ? t->pax->each : NULL; e; e = e->next)
		tar_pax_record(out, e->key, e->value, e->n);
}

/* %d, %f, %p, %n of exthdr.name. */
static char *pax_name(struct tar *t, const char *format, const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) : 0;
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (; *format; format++) {
		if (*format != '%' || !format[1]) {
			str_addc(&out, *format);
			continue;
		}
		switch (*++format) {
		case 'd': slash ? str_addn(&out, name, len) : str_addc(&out, '.'); break;
		case 'f': str_adds(&out, slash ? slash + 1 : name); break;
		case 'p': str_addf(&out, "%d", tsb_getpid(t->p)); break;
		case 'n': str_addf(&out, "%d", 1); break;
		case '%': str_addc(&out, '%'); break;
		default: str_addf(&out, "%%%c", *format); break;
		}
	}
	return str_take(&out, NULL);
}

static void pax_block(struct tar *t, const char *name, int type, struct tsb_time mtime,
		      const char *records, size_t n)
{
	unsigned char *b = tar_new_block(t);
	size_t len = strlen(name);

	memcpy(b, name, len < TAR_NAME ? len : TAR_NAME);
	memcpy(b + H_MODE, "0000644", 7);
	memcpy(b + H_UID, "0000000", 7);
	memcpy(b + H_GID, "0000000", 7);
	tar_put_octal(b + H_SIZE, 11, n);
	tar_put_octal(b + H_MTIME, 11, mtime.sec < 0 ? 0 : (uint64_t)mtime.sec);
	b[H_TYPE] = (unsigned char)type;
	memcpy(b + H_MAGIC, "ustar\0" "00", 8);
	tar_checksum(b);
	tar_consume(t, 1);
	tar_write_text(t, records, n);
}

void tar_pax_write(struct tar *t, struct tar_member *m, const char *records, size_t n)
{
	const char *format = t->pax && t->pax->exthdr_name ? t->pax->exthdr_name
							   : "%d/PaxHeaders/%f";
	char *bare = tsb_strdup(t->p, tar_safe_name(t, m->orig_name, false));
	size_t len = strlen(bare);

	while (len > 1 && bare[len - 1] == '/')
		bare[--len] = '\0';
	pax_block(t, pax_name(t, format, bare), 'x', m->st.mtime, records, n);
}

void tar_pax_write_global(struct tar *t)
{
	const char *format = t->pax && t->pax->globexthdr_name ? t->pax->globexthdr_name
							       : "/tmp/GlobalHead.%n";
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	if (t->label)
		tar_pax_record(&out, "GNU.volume.label", t->label, strlen(t->label));
	for (const struct pax_pair *g = t->pax ? t->pax->global : NULL; g; g = g->next)
		tar_pax_record(&out, g->key, g->value, g->n);
	if (t->pax && out.n)
		for (const struct pax_pair *e = t->pax->each; e; e = e->next)
			tar_pax_record(&out, e->key, e->value, e->n);
	if (out.n)
		pax_block(t, pax_name(t, format, "x"), 'g', t->start, out.p, out.n);
}

/* ---- Reading ---- */

void tar_pax_forget(struct tar *t)
{
	if (t->pax)
		t->pax->read_local = NULL;
}

/* One record at text: its length, 0 at what is none (said). */
static size_t pax_read_one(struct tar *t, const char *text, size_t n, struct pax_pair **list)
{
	size_t length = 0, i = 0, head;
	const char *equal;
	char *value;

	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		length = length > n ? length : length * 10 + (size_t)(text[i] - '0');
	if (length > n) {
		tar_error(t, "Extended header length %s is out of range",
			  tsb_strndup(t->p, text, strnlen(text, n)));
		return 0;
	}
	if (!i || i == n || text[i] != ' ') {
		tar_error(t, !i ? "Malformed extended header: missing length"
				: "Malformed extended header: missing blank after length");
		return 0;
	}
	head = i + 1;
	if (length <= head) {
		tar_error(t, "Malformed extended header: missing equal sign");
		return 0;
	}
	equal = memchr(text + head, '=', length - head);
	if (!equal) {
		tar_error(t, "Malformed extended header: missing equal sign");
		return 0;
	}
	if (text[length - 1] != '\n') {
		tar_error(t, "Malformed extended header: missing newline");
		return 0;
	}
	i = (size_t)(equal - text);
	value = tsb_alloc(t->p, length - i - 1);
	memcpy(value, equal + 1, length - i - 2);	/* there may be NULs in it */
	pax_append(t, list, tsb_strndup(t->p, text + head, i - head), value, length - i - 2);
	return length;
}

void tar_pax_read(struct tar *t, const char *text, size_t n, bool global)
{
	struct tar_pax_options *o = pax_of(t);
	struct pax_pair **list = global ? &o->read_global : &o->read_local;

	if (global)
		*list = NULL;
	while (n && *text) {
		size_t used = pax_read_one(t, text, n, list);

		tsb_tick(t->p, 1);
		if (!used)
			break;
		/* Lists are appended to from their end. */
		if (*list && (*list)->next)
			list = &(*list)->next;
		text += used;
		n -= used;
	}
}

static struct tsb_time pax_time(struct tar *t, const char *key, const char *value)
{
	bool negative = *value == '-';
	const char *dot = strchr(value, '.');
	struct tsb_time time = { 0, 0 };
	int32_t scale = 100000000;

	if (num_i64(tsb_strndup(t->p, value, dot ? (size_t)(dot - value) : strlen(value)),
		    &time.sec) != NUM_OK || time.sec > INT64_MAX / 2 || time.sec < INT64_MIN / 2) {
		tar_error(t, "Malformed extended header: invalid %s=%s", key, value);
		return (struct tsb_time){ 0, 0 };
	}
	for (dot = dot ? dot + 1 : ""; *dot >= '0' && *dot <= '9'; dot++, scale /= 10)
		time.nsec += (*dot - '0') * scale;
	if (negative && time.nsec) {
		time.sec--;
		time.nsec = 1000000000 - time.nsec;
	}
	return time;
}

static uint64_t pax_number(struct tar *t, const char *key, const char *value, uint64_t old)
{
	uint64_t v;

	if (num_u64(value, &v) == NUM_OK && v <= INT64_MAX / 2)
		return v;
	tar_error(t, "Malformed extended header: invalid %s=%s", key, value);
	return old;
}

/* Ended twice, whatever the archive says. */
static void pax_dump(struct tar *t, struct tar_member *m, const struct pax_pair *pair)
{
	char *dump = tsb_alloc(t->p, pair->n + 2);

	memcpy(dump, pair->value, pair->n);
	m->dump = dump;
	m->n_dump = pair->n;
}

static void pax_apply_one(struct tar *t, struct tar_member *m, const struct pax_pair *pair)
{
	const char *key = pair->key, *value = pair->value;
	static const char *const quiet[] = { "comment", "charset", "hdrcharset", "GNU.volume.label",
					     NULL };

	if (!strcmp(key, "path")) {
		m->orig_name = value;
	} else if (!strcmp(key, "linkpath")) {
		m->link_name = value;
	} else if (!strcmp(key, "uname")) {
		m->uname = value;
	} else if (!strcmp(key, "gname")) {
		m->gname = value;
	} else if (!strcmp(key, "mtime")) {
		m->st.mtime = pax_time(t, key, value);
	} else if (!strcmp(key, "atime")) {
		m->st.atime = pax_time(t, key, value);
		m->has_atime = true;
	} else if (!strcmp(key, "ctime")) {
		m->st.ctime = pax_time(t, key, value);
	} else if (!strcmp(key, "uid")) {
		m->st.uid = (uint32_t)pax_number(t, key, value, m->st.uid);
	} else if (!strcmp(key, "gid")) {
		m->st.gid = (uint32_t)pax_number(t, key, value, m->st.gid);
	} else if (!strcmp(key, "size")) {
		m->st.size = m->stored = pax_number(t, key, value, m->st.size);
	} else if (!strcmp(key, "GNU.volume.label") && !t->volume_label_read) {
		t->volume_label = value;
		t->volume_label_read = true;
	} else if (!strcmp(key, "GNU.dumpdir")) {
		pax_dump(t, m, pair);
	} else if (!strncmp(key, "GNU.sparse.", 11) && tar_sparse_pax(t, m, key + 11, value)) {
		return;
	} else if (strncmp(key, "SCHILY.", 7) && strncmp(key, "RHT.", 4)) {
		for (size_t i = 0; quiet[i]; i++)
			if (!strcmp(quiet[i], key))
				return;
		tar_warn(t, TAR_W_UNKNOWN_KEYWORD, "Ignoring unknown extended header keyword '%s'",
			 key);
	}
}

static void pax_apply_list(struct tar *t, struct tar_member *m, const struct pax_pair *list)
{
	for (; list; list = list->next)
		if (!pax_is_deleted(t, list->key))
			pax_apply_one(t, m, list);
}

void tar_pax_apply(struct tar *t, struct tar_member *m)
{
	if (!t->pax)
		return;
	pax_apply_list(t, m, t->pax->read_global);
	pax_apply_list(t, m, t->pax->global);
	pax_apply_list(t, m, t->pax->read_local);
	pax_apply_list(t, m, t->pax->each);
}
