/*
 * Where a syntax error is and how far it goes, as V8 marks it; a whole text that is compiled as a function's body ends
 * where it ends, and not at a bracket in it. Included into quickjs.c before js_parse_error(), which asks guest_mistake().
 */
static const uint8_t *guest_whole, *guest_whole_end;	/* "function (...) {\n" text "\n}": compile_text() */
static const uint8_t *guest_from;	/* the beginning of what is wrong, for the next error */
static enum { GUEST_TOKEN, GUEST_BEFORE, GUEST_SPAN, GUEST_THROUGH, GUEST_SIDE, GUEST_NOTHING, GUEST_EMPTY, GUEST_END } guest_where;
static int guest_marked;		/* characters of the last error; 0: none to mark; -1: none, but the place */

static inline JSParseState *guest_before(JSParseState *s)
{
	guest_where = GUEST_BEFORE;
	return s;
}

static inline JSParseState *guest_span(JSParseState *s, const uint8_t *from)
{
	guest_from = from;
	guest_where = GUEST_SPAN;
	return s;
}

/* With the token itself. */
static inline JSParseState *guest_through(JSParseState *s, const uint8_t *from)
{
	guest_from = from;
	guest_where = GUEST_THROUGH;
	return s;
}

/* What is assigned to: it ends before the operator. */
static inline JSParseState *guest_side_of(JSParseState *s, const uint8_t *from)
{
	guest_from = from;
	guest_where = from ? GUEST_SIDE : GUEST_TOKEN;
	return s;
}

static inline JSParseState *guest_empty(JSParseState *s)
{
	guest_where = GUEST_EMPTY;
	return s;
}

static inline JSParseState *guest_no_mark(JSParseState *s)
{
	guest_where = GUEST_NOTHING;
	return s;
}

static inline JSParseState *guest_ends(JSParseState *s)
{
	guest_where = GUEST_END;
	return s;
}

static bool guest_word(unsigned c)
{
	return c == '_' || c == '$' || c == '#' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool guest_blank(unsigned c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The token that ends before p: its first byte; *end behind its last. */
static const uint8_t *guest_token_back(const uint8_t *start, const uint8_t *p, const uint8_t **end)
{
	while (p > start && guest_blank(p[-1]))
		p--;
	*end = p;
	if (p == start)
		return p;
	p--;
	if (*p == '"' || *p == '\'' || *p == '`') {
		const uint8_t *q = p;

		while (q > start && (*--q != *p || (q > start && q[-1] == '\\')))
			;
		return *q == *p ? q : p;
	}
	while (guest_word(*p) && p > start && guest_word(p[-1]))
		p--;
	return p;
}

/* The end of what is before an operator of assignment, which ends before p. */
static const uint8_t *guest_operand_end(const uint8_t *start, const uint8_t *p)
{
	while (p > start && guest_blank(p[-1]))
		p--;
	while (p > start && p[-1] && strchr("=+-*/%&|^<>?", p[-1]))
		p--;
	while (p > start && guest_blank(p[-1]))
		p--;
	return p;
}

/* The bracket that a list before p begins with. */
static inline const uint8_t *guest_list_back(JSParseState *s)
{
	const uint8_t *p = s->token.ptr;

	while (p > s->buf_start && *--p != '(')
		;
	return p;
}

/* "await" as a name is before the token. */
static inline bool guest_awaits(JSParseState *s)
{
	const uint8_t *end, *p = guest_token_back(s->buf_start, s->token.ptr, &end);

	return end - p == 5 && !memcmp(p, "await", 5);
}

/* What of a number is one, or of a text that does not end. */
static const uint8_t *guest_token_ahead(const uint8_t *p, const uint8_t *end)
{
	if (*p == '"' || *p == '\'') {
		while (p < end && *p != '\n' && *p != '\r')
			p++;
		return p;
	}
	if (*p < '0' || *p > '9')
		return p + 1;
	if (*p == '0' && p + 1 < end && strchr("xXbBoO", p[1]) && p[1]) {
		int base = (p[1] | 32) == 'x' ? 16 : (p[1] | 32) == 'b' ? 2 : 8;

		for (p += 2; p < end && (base == 16 ? strchr("0123456789abcdefABCDEF", *p) && *p :
					 *p >= '0' && *p < '0' + base); p++)
			;
		return p;
	}
	while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
		p++;
	if (p < end && (*p | 32) == 'e')
		p += p + 1 < end && (p[1] == '+' || p[1] == '-') ? 2 : 1;
	return p;
}

static int guest_characters(const uint8_t *p, const uint8_t *end)
{
	int n = 0;

	for (; p < end && *p != '\n'; p++)
		n += (*p & 0xc0) != 0x80;
	return n;
}

/* The place in the text where the error is; moves *line, which is the token's; gives the column. */
static int guest_mistake(JSParseState *s, const char **fmt, int *line)
{
	const uint8_t *from = s->token.ptr, *to = s->buf_ptr, *p, *limit = guest_whole ? guest_whole_end - 2 : s->buf_end;
	const uint8_t *was = from;

	switch (guest_where) {
	case GUEST_BEFORE: case GUEST_EMPTY:
		from = guest_token_back(s->buf_start, from, &to);
		break;
	case GUEST_SPAN:
		guest_token_back(s->buf_start, from, &to);
		from = guest_from;
		break;
	case GUEST_THROUGH:
		from = guest_from;
		break;
	case GUEST_SIDE:
		to = guest_operand_end(s->buf_start, from);
		from = guest_from;
		break;
	case GUEST_END:
		from = limit;
		break;
	case GUEST_TOKEN: case GUEST_NOTHING:
		if (to <= from)
			to = guest_token_ahead(from, limit);
		break;
	}
	if (from < s->buf_start || from > s->buf_end)
		from = was;
	if (from >= limit) {		/* the bracket of ours, or no more */
		if ((guest_where == GUEST_TOKEN && !strncmp(*fmt, "Unexpected", 10)) || from > limit)
			*fmt = "Unexpected end of input";
		from = to = limit;
	}
	if (guest_where == GUEST_NOTHING)
		to = from;
	for (p = from; p < was; p++)
		*line -= *p == '\n';
	for (p = was; p < from; p++)
		*line += *p == '\n';
	for (p = from; p > s->buf_start && p[-1] != '\n'; p--)
		;
	guest_marked = to > from ? guest_characters(from, to < limit ? to : limit) : 0;
	if (guest_where == GUEST_EMPTY)
		guest_marked = -1;
	guest_where = GUEST_TOKEN;
	return guest_characters(p, from) + 1;
}
