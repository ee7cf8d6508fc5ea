/*
 * Mounts inside of a directory that is to be a box's root. An overlay shows what is below a mount, and no mount itself:
 * the box would miss files without a word, or, with an ordinary user's mounts, it cannot be made (EINVAL).
 */
#include "init/wall_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* \040 and its like, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		bool octal = s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7';

		*to++ = octal ? (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0') : *s;
		s += octal ? 3 : 0;
	}
	*to = 0;
}

/* The fifth word of a line of mountinfo, ended and plain; NULL: there is none. */
static char *place_of(char *line)
{
	for (unsigned i = 0; i < 4; i++) {
		line += strcspn(line, " ");
		line += *line == ' ';
	}
	line[strcspn(line, " ")] = 0;
	unescape(line);
	return *line == '/' ? line : NULL;
}

/* What every box has its own of. */
static bool is_ours(const char *name)
{
	static const char *const own[] = {"proc", "sys", "dev"};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		size_t n = strlen(own[i]);

		if (!strncmp(name, own[i], n) && (!name[n] || name[n] == '/'))
			return true;
	}
	return false;
}

char *wall_mount_below(const char *dir)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t n = strlen(dir), cap = 0;
	char *line = NULL, *place, *found = NULL;
	bool all = !wall_has_range();

	while (n && dir[n - 1] == '/')
		n--;
	while (f && !found && getline(&line, &cap, f) > 0) {
		place = place_of(line);
		if (place && !strncmp(place, dir, n) && place[n] == '/' && (all || !is_ours(place + n + 1)))
			found = strdup(place);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}
