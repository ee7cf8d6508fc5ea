/*
 * Verifying lists of checksums: lines as the commands print them, in any of
 * their forms.
 */
#include "cmd/sums.h"

#include <string.h>
#include <strings.h>

#include "cmd/lines.h"
#include "cmd/quote.h"

struct sums_list {
	struct sums *s;
	const char *name;
	bool from_stdin;
	int reversed;		/* is it "digest name" with one blank? -1: not known */
	size_t line, bad_lines, unreadable, wrong;
	bool any, matched;
};

struct sums_line {
	enum digest_kind kind;
	size_t bytes;
	const char *hex;
	char *file;
};

static bool check_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t check_hex_digits(const char *s)
{
	return strspn(s, "0123456789abcdefABCDEF");
}

/* Undoes the escapes of a name in place: false where there is an unknown one. */
static bool check_unescape(char *name)
{
	char *to = name;

	for (; *name; name++) {
		char c = *name;

		if (c == '\\') {
			c = *++name;
			if (c != 'n' && c != 'r' && c != '\\')
				return false;
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : '\\';
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* "name) = digest" */
static bool check_tagged(struct sums_line *l, char *s, bool escaped)
{
	char *end = strrchr(s, ')');

	if (!end)
		return false;
	*end++ = '\0';
	l->file = s;
	if (escaped && !check_unescape(s))
		return false;
	while (check_is_blank(*end))
		end++;
	if (*end++ != '=')
		return false;
	while (check_is_blank(*end))
		end++;
	l->hex = end;
	return check_hex_digits(end) == l->bytes * 2 && !end[l->bytes * 2];
}

/* Of cksum without -a: the tag tells the algorithm. */
static bool check_find_tag(struct sums_line *l, const char *s)
{
	size_t n = strcspn(s, " -(");

	for (int kind = DIGEST_MD5; kind <= DIGEST_SM3; kind++) {
		const char *tag = digest_tag((enum digest_kind)kind);

		if (n == strlen(tag) && !strncmp(s, tag, n)) {
			l->kind = (enum digest_kind)kind;
			l->bytes = digest_bytes(l->kind);
			return true;
		}
	}
	return false;
}

/* The "-128" of a BLAKE2b tag at *s. */
static bool check_tag_length(struct sums_line *l, char **s)
{
	size_t bits = 0;

	if (l->kind != DIGEST_BLAKE2B || **s != '-')
		return true;
	for (++*s; **s >= '0' && **s <= '9' && bits < 1000; ++*s)
		bits = bits * 10 + (size_t)(**s - '0');
	l->bytes = bits / 8;
	return bits && bits <= 512 && bits % 8 == 0;
}

/* "digest  name", "digest *name" or "digest name" */
static bool check_plain(struct sums_list *list, struct sums_line *l, char *s, bool escaped)
{
	size_t n = check_hex_digits(s);

	if (l->kind == DIGEST_BLAKE2B) {
		if (!n || n % 2 || n > 2 * DIGEST_BYTES_MAX)
			return false;
		l->bytes = n / 2;
	}
	if (n != l->bytes * 2 || !check_is_blank(s[n]))
		return false;
	l->hex = s;
	s += n;
	*s++ = '\0';
	if (!*s)
		return false;
	if (!s[1] || (*s != ' ' && *s != '*')) {
		if (!list->reversed)
			return false;
		list->reversed = 1;
	} else if (list->reversed != 1) {
		list->reversed = 0;
		s++;
	}
	l->file = s;
	return !escaped || check_unescape(s);
}

static bool check_parse(struct sums_list *list, struct sums_line *l, char *s)
{
	bool escaped, find = list->s->is_cksum && !list->s->kind_given;
	const char *tag;

	l->kind = (enum digest_kind)list->s->kind;
	l->bytes = digest_bytes(l->kind);
	while (check_is_blank(*s))
		s++;
	escaped = *s == '\\';
	s += escaped;
	if (find && !check_find_tag(l, s))
		return false;
	tag = digest_tag(l->kind);
	if (strncmp(s, tag, strlen(tag)))
		return check_plain(list, l, s, escaped);
	s += strlen(tag);
	if (!check_tag_length(l, &s))
		return false;
	s += *s == ' ';
	return *s == '(' && check_tagged(l, s + 1, escaped);
}

static bool check_matches(const struct sums_line *l, const unsigned char *digest)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < l->bytes; i++) {
		int high = l->hex[2 * i] | 32, low = l->hex[2 * i + 1] | 32;

		/* The digits 0 - 9 have that bit already. */
		if (high != digits[digest[i] >> 4] || low != digits[digest[i] & 15])
			return false;
	}
	return true;
}

static void check_say(struct sums_list *list, const char *file, const char *verdict)
{
	bool escape = strchr(file, '\n') != NULL;

	if (list->s->status)
		return;
	if (escape)
		tsb_putc(list->s->p, '\\');
	sums_put_name(list->s->p, file, escape);
	tsb_printf(list->s->p, ": %s\n", verdict);
	tsb_flush(list->s->p);
}

static void check_file(struct sums_list *list, const struct sums_line *l)
{
	unsigned char out[DIGEST_BYTES_MAX];
	struct sums *s = list->s;
	bool missing = false;
	struct digest d;

	list->any = true;
	if (!sums_file(s, l->file, l->kind, l->bytes, &d, out, s->ignore_missing ? &missing : NULL)) {
		list->unreadable++;
		check_say(list, l->file, "FAILED open or read");
	} else if (missing) {
		return;
	} else if (check_matches(l, out)) {
		list->matched = true;
		if (!s->quiet)
			check_say(list, l->file, "OK");
	} else {
		list->wrong++;
		check_say(list, l->file, "FAILED");
	}
}

static void check_line(struct sums_list *list, char *line, size_t n)
{
	struct sums_line l = { 0 };

	list->line++;
	if (*line == '#')
		return;
	if (n && line[n - 1] == '\n')
		line[--n] = '\0';
	if (n && line[n - 1] == '\r')
		line[--n] = '\0';
	if (!n)
		return;
	if (check_parse(list, &l, line) && !(list->from_stdin && !strcmp(l.file, "-"))) {
		check_file(list, &l);
		return;
	}
	list->bad_lines++;
	if (list->s->warn)
		tsb_warn(list->s->p, "%s: %zu: improperly formatted %s checksum line",
			 quote_f(list->s->p, list->name), list->line, digest_tag(l.kind));
}

static void check_summary(struct sums_list *list)
{
	struct tsb_proc *p = list->s->p;
	size_t n = list->bad_lines;

	if (list->s->status)
		return;
	if (n)
		tsb_warn(p, n == 1 ? "WARNING: %zu line is improperly formatted"
				   : "WARNING: %zu lines are improperly formatted", n);
	n = list->unreadable;
	if (n)
		tsb_warn(p, n == 1 ? "WARNING: %zu listed file could not be read"
				   : "WARNING: %zu listed files could not be read", n);
	n = list->wrong;
	if (n)
		tsb_warn(p, n == 1 ? "WARNING: %zu computed checksum did NOT match"
				   : "WARNING: %zu computed checksums did NOT match", n);
	if (list->s->ignore_missing && !list->matched)
		tsb_warn(p, "%s: no file was verified", quote_f(p, list->name));
}

bool sums_check(struct sums *s, const char *name)
{
	struct sums_list list = { .s = s, .name = name, .reversed = -1 };
	int fd = input_open(s->p, name), error;
	struct tsb_reader in;
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s", quote_f(s->p, name));
		return false;
	}
	list.from_stdin = input_is_stdin(name);
	if (list.from_stdin)
		list.name = "standard input";
	tsb_reader_init(&in, s->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n')))
		check_line(&list, line, n);
	error = in.error;
	tsb_reader_end(&in);
	input_close(s->p, fd);
	if (error) {
		tsb_warn(s->p, "%s: read error", quote_f(s->p, list.name));
		return false;
	}
	if (!list.any)
		tsb_warn(s->p, "%s: no properly formatted checksum lines found",
			 quote_f(s->p, list.name));
	else
		check_summary(&list);
	return list.any && list.matched && !list.wrong && !list.unreadable &&
	       (!s->strict || !list.bad_lines);
}
