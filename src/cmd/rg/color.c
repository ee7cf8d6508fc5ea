/*
 * Colors: --colors, and the escape sequences.
 */
#include "cmd/rg/rg.h"

static const char *const color_names[] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"
};

/* A name, a number to 255, or r,g,b; decimal or 0x. -1: none of them. */
static int color_value(const char *s)
{
	unsigned part[3] = { 0 }, n = 0;

	for (int i = 0; i < 8; i++)
		if (!strcasecmp(color_names[i], s))
			return i;
	for (; *s && n < 3; n++) {
		bool hex = s[0] == '0' && (s[1] | 32) == 'x', any = false;

		for (s += hex ? 2 : 0; *s && *s != ','; s++, any = true) {
			int d = *s >= '0' && *s <= '9' ? *s - '0' : hex && (*s | 32) >= 'a' &&
				(*s | 32) <= 'f' ? (*s | 32) - 'a' + 10 : -1;

			if (d < 0)
				return -1;
			part[n] = part[n] * (hex ? 16 : 10) + (unsigned)d;
			if (part[n] > 255)
				return -1;
		}
		if (!any)
			return -1;
		s += *s == ',';
	}
	if (n == 1)
		return 16 + (int)part[0];
	return n == 3 ? 1000 + (int)(part[0] << 16 | part[1] << 8 | part[2]) : -1;
}

static const char *bad_color(struct rg *g, const char *value)
{
	bool digits = strchr("0123456789", *value) && *value;

	if (digits && strchr(value, ','))
		return tsb_format(g->p, "unrecognized RGB color triple, should be '[0-255],[0-255],"
				  "[0-255]' (or a hex triple), but is '%s'", value);
	if (digits)
		return tsb_format(g->p, "unrecognized ansi256 color number, should be '[0-255]' (or a "
				  "hex number), but is '%s'", value);
	return tsb_format(g->p, "unrecognized color name '%s'. Choose from: black, blue, green, red, "
			  "cyan, magenta, yellow, white", value);
}

static const char *set_style(struct rg *g, struct rg_style *s, const char *v)
{
	static const char *const names[] = { "bold", "nobold", "intense", "nointense", "underline",
					     "nounderline" };
	int i = 0;

	while (i < 6 && strcasecmp(names[i], v))
		i++;
	switch (i) {
	case 0: case 1: s->bold = i == 0; return NULL;
	case 2: case 3: s->intense = i == 2; return NULL;
	case 4: case 5: s->underline = i == 4; return NULL;
	default:
		return tsb_format(g->p, "unrecognized style attribute '%s'. Choose from: nobold, bold, "
				  "nointense, intense, nounderline, underline.", v);
	}
}

const char *rg_color_spec(struct rg *g, const char *spec)
{
	static const char *const outs[] = { "path", "line", "column", "match" };
	const char *a = strchr(spec, ':'), *b = a ? strchr(a + 1, ':') : NULL;
	const char *out = a ? tsb_strndup(g->p, spec, (size_t)(a - spec)) : spec, *kind;
	struct rg_style *s;
	int i = 0, v;

	if (!a || (b && strchr(b + 1, ':')))
		return tsb_format(g->p, "invalid color spec format: '%s'. Valid format is "
				  "'(path|line|column|match):(fg|bg|style):(value)'.", spec);
	while (i < 4 && strcasecmp(outs[i], out))
		i++;
	if (i == 4)
		return tsb_format(g->p, "unrecognized output type '%s'. Choose from: path, line, "
				  "column, match.", out);
	s = &g->styles[i];
	if (!b && !strcasecmp(a + 1, "none")) {
		*s = (struct rg_style){ -1, -1, false, false, false };
		return NULL;
	}
	if (!b)
		return tsb_format(g->p, "invalid color spec format: '%s'. Valid format is "
				  "'(path|line|column|match):(fg|bg|style):(value)'.", spec);
	kind = tsb_strndup(g->p, a + 1, (size_t)(b - a - 1));
	if (!strcasecmp(kind, "style"))
		return set_style(g, s, b + 1);
	if (strcasecmp(kind, "fg") && strcasecmp(kind, "bg"))
		return tsb_format(g->p, "unrecognized spec type '%s'. Choose from: fg, bg, style, none.",
				  kind);
	v = color_value(b + 1);
	if (v < 0)
		return bad_color(g, b + 1);
	*(strcasecmp(kind, "fg") ? &s->bg : &s->fg) = v;
	return NULL;
}

static void put_color(struct rg *g, int c, int base, bool intense)
{
	if (c < 0)
		return;
	if (c >= 1000)
		rg_puts(g, tsb_format(g->p, "\033[%d;2;%d;%d;%dm", base + 8, (c - 1000) >> 16,
				      (c - 1000) >> 8 & 255, (c - 1000) & 255));
	else if (c >= 16)
		rg_puts(g, tsb_format(g->p, "\033[%d;5;%dm", base + 8, c - 16));
	else if (intense)
		rg_puts(g, tsb_format(g->p, "\033[%d;5;%dm", base + 8, c + 8));
	else
		rg_puts(g, tsb_format(g->p, "\033[%dm", base + c));
}

void rg_style_begin(struct rg *g, enum rg_what what)
{
	const struct rg_style *s = &g->styles[what];

	if (!g->use_color)
		return;
	rg_puts(g, "\033[0m");
	if (s->bold)
		rg_puts(g, "\033[1m");
	if (s->underline)
		rg_puts(g, "\033[4m");
	put_color(g, s->fg, 30, s->intense);
	put_color(g, s->bg, 40, s->intense);
}

void rg_style_end(struct rg *g, enum rg_what what)
{
	(void)what;
	if (g->use_color)
		rg_puts(g, "\033[0m");
}

void rg_styled(struct rg *g, enum rg_what what, const void *text, size_t n)
{
	rg_style_begin(g, what);
	rg_put(g, text, n);
	rg_style_end(g, what);
}
