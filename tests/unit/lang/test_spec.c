/*
 * Every script of the behaviour tests (tests/spec, tests/cmd, run from the
 * source directory): if it parses, what is printed of it parses to an equal
 * tree. Scripts are the text between a "#### title" and the next "## " line.
 */
#include "lang.h"

#include <dirent.h>

static unsigned scripts, unreadable;

/* See test_print.c: bash's own print of these reads differently. */
static bool not_readable(const char *printed)
{
	return strstr(printed, "coproc") || strstr(printed, "<<") || strstr(printed, "esac)");
}

static bool same_again(struct lang *t, const struct script *s, struct str *out)
{
	struct script *again;

	print_node(out, s->body);
	again = lang_parse(t, out->p);
	return again && ast_equal(s->body, again->body);
}

static void check(const char *file, const char *title, const char *text)
{
	struct lang t;
	struct script *s;
	struct str out;

	lang_init(&t);
	str_init(&out, t.heap, STR_MAX_DEFAULT);
	s = lang_parse(&t, text);
	if (s && s->body) {
		scripts++;
		if (!same_again(&t, s, &out)) {
			unreadable++;
			if (!not_readable(out.p)) {
				ok(false, title);
				printf("# in %s\n", file);
			}
		}
	}
	lang_end(&t);
}

static void check_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4096], title[256] = "", *text = calloc(1, 1 << 20);
	bool in_script = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "#### ", 5) == 0) {
			if (in_script)
				check(path, title, text);
			snprintf(title, sizeof(title), "%.*s", (int)strcspn(line + 5, "\n"), line + 5);
			in_script = true;
			text[0] = '\0';
		} else if (strncmp(line, "## ", 3) == 0) {
			if (in_script)
				check(path, title, text);
			in_script = false;
		} else if (in_script && strlen(text) + strlen(line) < (1 << 20) - 1) {
			strcat(text, line);
		}
	}
	if (in_script)
		check(path, title, text);
	if (f)
		fclose(f);
	free(text);
}

static void check_directory(const char *path, unsigned depth)
{
	DIR *d = depth ? opendir(path) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char name[1024];
		size_t n = strlen(e->d_name);

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (n > 5 && strcmp(e->d_name + n - 5, ".test") == 0)
			check_file(name);
		else
			check_directory(name, depth - 1);
	}
	if (d)
		closedir(d);
}

int main(void)
{
	check_directory("tests/spec", 4);
	check_directory("tests/cmd", 4);
	check_directory("../tests/spec", 4);
	check_directory("../tests/cmd", 4);
	ok(true, "all scripts read");
	printf("# %u scripts, %u that bash prints unreadably\n", scripts, unreadable);
	return done();
}
