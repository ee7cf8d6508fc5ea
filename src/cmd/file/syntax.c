/*
 * JSON and CSV: the only kinds that are read to their end.
 */
#include "cmd/file/file.h"

enum { JSON_DEPTH = 250, CSV_LINES = 10, JSON_TICK = 4096 };

/* ---- JSON ---- */

struct json {
	struct file_look *f;
	const unsigned char *at, *end;
	size_t steps;
};

static void json_blanks(struct json *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' ||
				  *j->at == '\t'))
		j->at++;
}

/* Behind the opening quote. */
static bool json_string(struct json *j)
{
	while (j->at < j->end) {
		unsigned char c = *j->at++;

		if (!c)
			return false;
		if (c == '"')
			return true;
		if (c != '\\')
			continue;
		if (j->at == j->end || !*j->at)
			return false;
		c = *j->at++;
		if (c == 'u') {
			for (int i = 0; i < 4; i++, j->at++)
				if (j->at == j->end || !strchr("0123456789abcdefABCDEF", *j->at) ||
				    !*j->at)
					return false;
		} else if (!strchr("\"\\/bfnrt", c)) {
			return false;
		}
	}
	return false;
}

static size_t json_digits(struct json *j)
{
	const unsigned char *from = j->at;

	while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
		j->at++;
	return (size_t)(j->at - from);
}

static bool json_number(struct json *j)
{
	size_t got;

	if (j->at < j->end && *j->at == '-')
		j->at++;
	got = json_digits(j);
	if (j->at < j->end && *j->at == '.') {
		j->at++;
		got += json_digits(j);
	}
	if (got && j->at < j->end && (*j->at == 'e' || *j->at == 'E')) {
		j->at++;
		if (j->at < j->end && (*j->at == '+' || *j->at == '-'))
			j->at++;
		return json_digits(j);
	}
	return got;
}

static bool json_word(struct json *j, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n))
		return false;
	j->at += n;
	return true;
}

static bool json_value(struct json *j, int depth);

/* Behind the opening bracket. Each turn is an element and what follows it; a comma
 * before the closing bracket is let pass, as the real tool does. */
static bool json_inside(struct json *j, int depth, bool object)
{
	unsigned char close = object ? '}' : ']';

	json_blanks(j);
	while (j->at < j->end) {
		if (*j->at == close) {
			j->at++;
			return true;
		}
		if (object) {
			if (*j->at++ != '"' || !json_string(j))
				return false;
			json_blanks(j);
			if (j->at == j->end || *j->at++ != ':')
				return false;
		}
		if (!json_value(j, depth + 1))
			return false;
		json_blanks(j);
		if (j->at == j->end || (*j->at != ',' && *j->at != close))
			return false;
		if (*j->at == ',') {
			j->at++;
			json_blanks(j);
		}
	}
	return false;
}

static bool json_value(struct json *j, int depth)
{
	if (++j->steps % JSON_TICK == 0)
		tsb_tick(j->f->p, JSON_TICK);
	json_blanks(j);
	if (j->at == j->end || depth > JSON_DEPTH)
		return false;
	switch (*j->at) {
	case '"': j->at++; return json_string(j);
	case '[': j->at++; return json_inside(j, depth, false);
	case '{': j->at++; return json_inside(j, depth, true);
	case 't': return json_word(j, "true");
	case 'f': return json_word(j, "false");
	case 'n': return json_word(j, "null");
	default: return json_number(j);
	}
}

/* One value, or more: then all objects or all arrays, however they are parted. */
bool file_json(struct file_look *f)
{
	struct json j = { .f = f, .at = f->at, .end = f->at + f->n };
	bool many = false;
	char kind;

	json_blanks(&j);
	kind = j.at < j.end ? (char)*j.at : '\0';
	if ((kind != '[' && kind != '{') || !json_value(&j, 0))
		return false;
	for (json_blanks(&j); j.at < j.end; json_blanks(&j)) {
		many = true;
		if ((char)*j.at != kind || !json_value(&j, 0))
			return false;
	}
	str_adds(&f->text, many ? "New Line Delimited JSON text data" : "JSON text data");
	f->mime = many ? "application/x-ndjson" : "application/json";
	return true;
}

/* ---- CSV ---- */

static const unsigned char *skip_quoted(const unsigned char *at, const unsigned char *end)
{
	bool quote = false;

	while (at < end) {
		unsigned char c = *at++;

		if (c != '"' && quote)
			return at - 1;
		quote = c == '"' && !quote;
	}
	return end;
}

bool file_csv(struct file_look *f)
{
	const unsigned char *at = f->at, *end = at + f->n;
	size_t commas = 0, want = 0, lines = 0;

	if (f->encoding == FILE_NO_TEXT)
		return false;
	while (at < end && lines < CSV_LINES) {
		unsigned char c = *at++;

		if (c == '"')
			at = skip_quoted(at, end);
		else if (c == ',')
			commas++;
		if (c != '\n')
			continue;
		if (++lines == CSV_LINES)
			break;
		if (!commas || (want && commas != want))
			return false;
		want = commas;
		commas = 0;
	}
	if (!want || (lines == CSV_LINES ? commas != want : lines <= 2))
		return false;
	str_adds(&f->text, "CSV text");
	f->mime = "text/csv";
	return true;
}
