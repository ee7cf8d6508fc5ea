/*
 * --json: one object a line.
 */
#include "cmd/rg/rg.h"

#include "base/letters.h"
#include "base/utf8.h"

/* {"text":"..."}, or {"bytes":"..."} in base64 where it is no UTF-8. */
static void add_data(struct str *s, const char *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	if (!utf8_valid(p, n)) {
		char out[LETTERS_MAX];

		str_adds(s, "{\"bytes\":\"");
		for (size_t i = 0; i < n; i += 3) {
			letters_encode(&letters_64, (const unsigned char *)p + i,
				       n - i < 3 ? n - i : 3, out);
			str_addn(s, out, 4);
		}
		str_adds(s, "\"}");
		return;
	}
	str_adds(s, "{\"text\":\"");
	for (size_t i = 0; i < n; i++) {
		static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
		unsigned char c = (unsigned char)p[i];
		const char *at;
		size_t k = i;

		while (k < n && (unsigned char)p[k] >= 0x20 && p[k] != '"' && p[k] != '\\')
			k++;
		if (k > i) {
			str_addn(s, p + i, k - i);
			i = k - 1;
			continue;
		}
		at = c ? strchr(plain, c) : NULL;

		if (at)
			str_addf(s, "\\%c", letter[at - plain]);
		else
			str_addf(s, "\\u00%c%c", hex[c >> 4], hex[c & 15]);
	}
	str_adds(s, "\"}");
}

static void put(struct rg *g, struct str *s)
{
	str_addc(s, '\n');
	if (!g->quiet)
		rg_put(g, s->p, s->n);
	str_end(s);
}

void rg_json_begin(struct rg_file *f)
{
	str_init(&f->json_begin, f->g->heap, STR_MAX_DEFAULT);
	str_adds(&f->json_begin, "{\"type\":\"begin\",\"data\":{\"path\":");
	add_data(&f->json_begin, f->path, strlen(f->path));
	str_adds(&f->json_begin, "}}");
}

void rg_json_lines(struct rg_file *f, size_t from, size_t to, bool match)
{
	struct str s;

	if (f->json_begin.n)
		put(f->g, &f->json_begin);
	str_init(&s, f->g->heap, STR_MAX_DEFAULT);
	str_addf(&s, "{\"type\":\"%s\",\"data\":{\"path\":", match ? "match" : "context");
	add_data(&s, f->path, strlen(f->path));
	str_adds(&s, ",\"lines\":");
	add_data(&s, f->buf + from, to - from);
	if (f->g->show_numbers)
		str_addf(&s, ",\"line_number\":%llu", (unsigned long long)rg_line_number(f, from));
	else
		str_adds(&s, ",\"line_number\":null");
	str_addf(&s, ",\"absolute_offset\":%llu,\"submatches\":[", (unsigned long long)
		 (f->base + from));
	for (size_t i = 0; match && i < f->n_spans; i++) {
		const struct rg_span *m = &f->spans[i];

		str_adds(&s, i ? ",{\"match\":" : "{\"match\":");
		add_data(&s, f->buf + m->from, m->to - m->from);
		str_addf(&s, ",\"start\":%zu,\"end\":%zu}", m->from - from, m->to - from);
	}
	str_adds(&s, "]}}");
	put(f->g, &s);
}

static void add_time(struct str *s, const struct rg *g, bool human_first)
{
	struct tsb_time now = tsb_clock(g->p, TSB_CLOCK_MONOTONIC);
	int64_t ns = (now.sec - g->started.sec) * 1000000000 + now.nsec - g->started.nsec;
	double sec = (double)ns / 1e9;

	if (human_first)
		str_addf(s, "{\"human\":\"%.6fs\",\"nanos\":%lld,\"secs\":%lld}", sec,
			 (long long)(ns % 1000000000), (long long)(ns / 1000000000));
	else
		str_addf(s, "{\"secs\":%lld,\"nanos\":%lld,\"human\":\"%.6fs\"}",
			 (long long)(ns / 1000000000), (long long)(ns % 1000000000), sec);
}

void rg_json_end(struct rg_file *f)
{
	struct rg *g = f->g;
	uint64_t printed = g->out_bytes - f->printed_before;
	struct str s;

	g->total.printed += printed;
	if (f->json_begin.n) {
		str_end(&f->json_begin);
		return;
	}
	str_init(&s, g->heap, STR_MAX_DEFAULT);
	str_adds(&s, "{\"type\":\"end\",\"data\":{\"path\":");
	add_data(&s, f->path, strlen(f->path));
	if (f->binary_at < 0)
		str_adds(&s, ",\"binary_offset\":null");
	else
		str_addf(&s, ",\"binary_offset\":%lld", (long long)f->binary_at);
	str_adds(&s, ",\"stats\":{\"elapsed\":");
	add_time(&s, g, false);
	str_addf(&s, ",\"searches\":1,\"searches_with_match\":%d,\"bytes_searched\":%llu,"
		 "\"bytes_printed\":%llu,\"matched_lines\":%llu,\"matches\":%llu}}}",
		 f->matched_lines > 0, (unsigned long long)f->bytes, (unsigned long long)printed,
		 (unsigned long long)f->stat_lines, (unsigned long long)f->matches);
	put(g, &s);
}

void rg_json_summary(struct rg *g)
{
	const struct rg_stats *t = &g->total;
	struct str s;

	str_init(&s, g->heap, STR_MAX_DEFAULT);
	str_adds(&s, "{\"data\":{\"elapsed_total\":");
	add_time(&s, g, true);
	str_addf(&s, ",\"stats\":{\"bytes_printed\":%llu,\"bytes_searched\":%llu,\"elapsed\":",
		 (unsigned long long)t->printed, (unsigned long long)t->bytes);
	add_time(&s, g, true);
	str_addf(&s, ",\"matched_lines\":%llu,\"matches\":%llu,\"searches\":%llu,"
		 "\"searches_with_match\":%llu}},\"type\":\"summary\"}", (unsigned long long)t->lines,
		 (unsigned long long)t->matches, (unsigned long long)t->searched,
		 (unsigned long long)t->with_match);
	put(g, &s);
}
