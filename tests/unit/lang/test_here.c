/* Here-documents: bodies, delimiters, warnings. */
#include "lang.h"

static const struct word *body(struct lang *t, const char *script)
{
	return lang_first(t, script)->redirs->word;
}

static void check_bodies(struct lang *t)
{
	const struct node *n;

	is_str(body(t, "cat <<E\na\nb\nE\n")->text.p, "a\nb\n", "two lines");
	is_str(body(t, "cat <<E\nE\n")->text.p, "", "empty");
	is_str(body(t, "cat <<E\na\nE")->text.p, "a\n", "no newline at the end");
	is_str(body(t, "cat <<-E\n\ta\n\t\tb\n\tE\n")->text.p, "a\nb\n", "tabs");
	is_str(body(t, "cat <<E\n\ta\n\tE\nE\n")->text.p, "\ta\n\tE\n", "tabs stay");
	is_str(body(t, "cat <<E\na\\\nb\nE\n")->text.p, "ab\n", "line continuation");
	is_str(body(t, "cat <<'E'\na\\\nb\nE\n")->text.p, "a\\\nb\n", "none when quoted");
	is_str(body(t, "cat <<E\na\\\\\nb\nE\n")->text.p, "a\\\\\nb\n", "an escaped backslash");
	is_str(body(t, "cat <<E\na\\\nE\nE\n")->text.p, "aE\n", "a joined line is no delimiter");
	is_int(body(t, "cat <<E\na\nE\n")->parts->kind, PART_DOUBLE, "a string");
	is_int(body(t, "cat <<\\E\na\nE\n")->parts->kind, PART_SINGLE, "plain text");
	is_str(body(t, "cat <<E\n\"a\" 'b' \\$ \\\" \\a\nE\n")->parts->parts->text.p,
	       "\"a\" 'b' $ \\\" \\a\n", "quotes are plain");
	is_int(body(t, "cat <<E\n$x\nE\n")->parts->parts->kind, PART_PARAM, "expands");
	n = lang_first(t, "a <<X <<Y; b <<Z\n1\nX\n2\nY\n3\nZ\nc");
	is_str(n->redirs->word->text.p, "1\n", "first");
	is_str(n->redirs->next->word->text.p, "2\n", "second");
	is_str(n->next->redirs->word->text.p, "3\n", "third");
	is_str(n->next->next->simple.words->text.p, "c", "behind them");
	n = lang_first(t, "echo $(cat <<X\n1\nX\n) b");
	is_str(n->simple.words->next->parts->command->redirs->word->text.p, "1\n", "in $( )");
	n = lang_first(t, "a <<X && b\n1\nX\nc");
	is_str(n->binary.a->redirs->word->text.p, "1\n", "before &&");
	n = lang_first(t, "a <<X $(b\nc)\n1\nX\n");
	is_str(n->redirs->word->text.p, "1\n", "not at a newline inside $( )");
}

static void check_delimiters(struct lang *t)
{
	static const char *const cases[][2] = {
		{ "'a b'", "a b" }, { "\"a b\"", "a b" }, { "a\\ b", "a b" }, { "a'b'c", "abc" },
		{ "\"a$b\"", "a$b" }, { "\"a\\$b\"", "a$b" }, { "\"a\\b\"", "a\\b" }, { "$x", "$x" },
		{ "$(a b)", "$(a b)" }, { "${x}", "${x}" }, { "''", "" }, { "$'a\\tb'", "a\tb" },
		{ "a#b", "a#b" }, { "-", "-" }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char script[100];

		snprintf(script, sizeof(script), "cat <<%s%s\nx\n%s\n", cases[i][0][0] == '-' ? " " : "",
			 cases[i][0], cases[i][1]);
		is_str(lang_first(t, script)->redirs->end.p, cases[i][1], cases[i][0]);
		is_str(body(t, script)->text.p, "x\n", "body");
	}
	is_str(lang_first(t, "cat <<\"a'b\"\na'b\n")->redirs->delimiter.p, "'a'\\''b'", "printed");
}

static void warning(struct lang *t, const char *script, unsigned line, const char *message)
{
	struct script *s = lang_parse(t, script);

	if (!ok(s && s->warnings, script))
		return;
	is_int(s->warnings->line, line, "line");
	is_str(s->warnings->message, message, "message");
}

static void check_warnings(struct lang *t)
{
	struct script *s;

	warning(t, "cat <<E\nabc", 2,
		"here-document at line 1 delimited by end-of-file (wanted `E')");
	warning(t, "a\ncat <<E", 2,
		"here-document at line 2 delimited by end-of-file (wanted `E')");
	warning(t, "echo $(cat <<E\nabc\nE)", 3,
		"here-document at line 1 delimited by end-of-file (wanted `E')") ;
	warning(t, "echo $(cat <<E)\nabc\nE\n", 1,
		"command substitution: 1 unterminated here-document");
	s = lang_parse(t, "echo $(cat <<E)\nabc\nE\n");
	is_str(s->body->list.first->simple.words->next->parts->command->redirs->word->text.p,
	       "abc\n", "it is read after the line");
	s = lang_parse(t, "cat <<X\n1\n");
	is_str(s->body->list.first->redirs->word->text.p, "1\n", "what there is");
	ok(!lang_parse(t, "cat <<X\nX\n")->warnings, "no warning");
}

int main(void)
{
	struct lang t;

	lang_init(&t);
	check_bodies(&t);
	check_delimiters(&t);
	check_warnings(&t);
	lang_end(&t);
	return done();
}
