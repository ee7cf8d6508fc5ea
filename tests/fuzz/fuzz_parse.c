/*
 * Any bytes as a script: parsing must end, and what is printed of a tree must
 * parse to an equal tree again.
 *
 * bash's own layout cannot be read back in a few shapes (a here-document in
 * the test of an if, `coproc` before a simple command, a pattern `(esac)`, a
 * reserved word as the first argument behind a redirection); the printer is
 * faithful to it, so scripts that have any of these, or change how the text
 * below them is read, are only parsed and printed.
 */
#include "base/heap.h"
#include "lang/parse.h"
#include "lang/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `! !` before nothing is an empty command, which bash prints as nothing. */
static bool fuzz_has_bangs(const uint8_t *s, size_t n)
{
	static const uint8_t between[] = " \t\\\n";	/* and its NUL, which is dropped */
	size_t i = 0;

	while (i < n) {
		if (s[i++] != '!')
			continue;
		while (i < n && memchr(between, s[i], sizeof(between)))
			i++;
		if (i < n && s[i] == '!')
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct script *fuzz_parse(struct tsb_heap *heap, const char *text, size_t n, bool extglob)
{
	struct parse_options opt = { .name = "fuzz", .extglob = extglob, .depth_max = 100,
				     .source_max = 1u << 20 };
	struct parse_error err = { .line = 0 };

	str_init(&err.message, heap, STR_MAX_DEFAULT);
	str_init(&err.detail, heap, STR_MAX_DEFAULT);
	return parse_script(heap, text, n, &opt, &err);
}

static bool fuzz_has(const struct str *s, const char *z)
{
	size_t n = strlen(z);

	for (size_t i = 0; i + n <= s->n; i++)
		if (memcmp(s->p + i, z, n) == 0)
			return true;
	return false;
}

/* Must the printed text parse to an equal tree? */
static bool fuzz_is_readable(const struct str *text)
{
	static const char *const never[] = { "<<", "coproc", "esac", "$'", "extglob",
					       "alias" };
	static const char *const behind_redir[] = {
		"do", "fi", "then", "el", "if", "while", "until", "for", "select", "case",
		"function", "time", "{", "}", "!", "[[", "]]", "in"
	};

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (fuzz_has(text, never[i]))
			return false;
	if (!fuzz_has(text, "<") && !fuzz_has(text, ">"))
		return true;
	for (size_t i = 0; i < sizeof(behind_redir) / sizeof(*behind_redir); i++)
		if (fuzz_has(text, behind_redir[i]))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsb_heap *heap = heap_new(NULL, NULL, NULL, NULL);
	bool extglob = size && data[0] & 1;
	bool bangs = fuzz_has_bangs(data, size);
	struct script *first, *second;
	struct str text;

	first = fuzz_parse(heap, (const char *)data, size, extglob);
	if (first && first->body && !bangs) {
		str_init(&text, heap, STR_MAX_DEFAULT);
		print_node(&text, first->body);
		second = fuzz_parse(heap, text.p, text.n, extglob);
		if (second ? !ast_equal(first->body, second->body) && fuzz_is_readable(&text) :
			     fuzz_is_readable(&text)) {
			fprintf(stderr, "not the same again:\n%s\n", text.p);
			abort();
		}
	}
	heap_end(heap);
	return 0;
}
