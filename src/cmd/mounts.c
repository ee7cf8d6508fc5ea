/*
 * Reads the list of mounts: four fields a line, with octal escapes for what
 * would end one.
 */
#include "cmd/mounts.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "cmd/procs.h"
#include "cmd/util.h"

static void mounts_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* The word at *at, ended; *at moves behind it. */
static char *mounts_word(char **at)
{
	char *word = *at;
	size_t n = strcspn(word, " \n");

	*at = word + n + (word[n] != '\0');
	word[n] = '\0';
	mounts_unescape(word);
	return word;
}

void mounts_read(struct tsb_proc *p, struct mounts *out)
{
	char *text = procs_slurp(p, "/proc/self/mounts", NULL);
	size_t cap = 0;

	*out = (struct mounts){ NULL, 0 };
	while (text && *text) {
		char *end = strchr(text, '\n'), *at = text;
		struct mounts_item *m;

		if (end)
			*end = '\0';
		out->at = util_grow(p, out->at, out->n, &cap, sizeof(*out->at));
		m = &out->at[out->n++];
		m->source = mounts_word(&at);
		m->target = mounts_word(&at);
		m->type = mounts_word(&at);
		m->options = mounts_word(&at);
		text = end ? end + 1 : NULL;
	}
}

const struct mounts_item *mounts_find(const struct mounts *m, const char *target)
{
	const struct mounts_item *found = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->at[i].target, target))
			found = &m->at[i];
	return found;
}
