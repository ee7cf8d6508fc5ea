/* top on a terminal: a look every few seconds, and keys that change what it shows. */
#include "cmd/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/vdu.h"

struct topping {
	struct top *t;
	struct vdu v;
	const char *message;	/* in the line above the title, until the next key */
	bool quit;
};

/* ---- Painting ---- */

/* In the summary numbers are bold, with the blanks around them. */
static void top_put_numbers(struct str *out, const char *p, size_t n)
{
	static const char of[] = " 0123456789.";

	for (size_t i = 0; i < n;) {
		size_t k = 0;
		bool digit = false;

		while (i + k < n && strchr(of, p[i + k]) && p[i + k]) {
			digit |= p[i + k] >= '0' && p[i + k] <= '9';
			k++;
		}
		if (!k) {
			str_addc(out, p[i++]);
			continue;
		}
		if (digit)
			str_adds(out, "\033[1m");
		str_addn(out, p + i, k);
		if (digit)
			str_adds(out, "\033[0m");
		i += k;
	}
}

static void top_put_line(struct topping *s, const char *p, size_t n, bool summary, bool title)
{
	struct str *out = &s->v.out;
	bool running = !summary && !title && n > 50 && strstr(tsb_strndup(s->t->p, p, n), " R ");

	n = n > (size_t)s->v.columns ? (size_t)s->v.columns : n;
	if (summary && n > 4 && memcmp(p, "top ", 4)) {
		top_put_numbers(out, p, n);
		return;
	}
	if (title || running)
		str_adds(out, title ? "\033[7m" : "\033[1m");
	str_addn(out, p, n);
	if (title)
		str_fill(out, ' ', (size_t)s->v.columns - n);
	if (title || running)
		str_adds(out, "\033[0m");
}

static void top_paint(struct topping *s)
{
	const char *at = s->t->out.p;
	bool summary = true, title = false;
	uint64_t rows = 0;

	str_adds(&s->v.out, "\033[H");
	for (int row = 0; row < s->v.rows && *at; row++) {
		size_t n = strcspn(at, "\n");

		if (summary && !n) {	/* the empty line is that of messages */
			if (s->message)
				str_addf(&s->v.out, "\033[7m%s\033[0m", s->message);
			summary = false;
			title = true;
		} else if (!summary && !title && s->t->most && rows++ >= s->t->most) {
			break;
		} else {
			str_adds(&s->v.out, "\033[K");
			top_put_line(s, at, n, summary, title);
			title = false;
		}
		if (summary || title)
			str_adds(&s->v.out, "\033[K");
		at += n + (at[n] == '\n');
		if (row + 1 < s->v.rows && *at)
			str_adds(&s->v.out, "\r\n");
	}
	str_adds(&s->v.out, "\033[J");
	vdu_flush(&s->v);
}

/* ---- Questions ---- */

static int top_message_row(const struct topping *s)
{
	const char *at = strstr(s->t->out.p, "\n\n");
	int row = *s->t->out.p != '\n';

	for (const char *p = s->t->out.p; at && p < at; p++)
		row += *p == '\n';
	return row < s->v.rows ? row : s->v.rows - 1;
}

static char *top_ask(struct topping *s, const char *question)
{
	struct str text;
	int c;

	str_init(&text, tsb_heap_of(s->t->p), 4096);
	for (;;) {
		vdu_go(&s->v, top_message_row(s), 0);
		str_addf(&s->v.out, "\033[K\033[1m%s\033[0m %s", question, text.p);
		c = vdu_key(&s->v, -1);
		if (c == '\n' || c == '\r')
			return text.p;
		if (c == 127 || c == 8)
			str_cut(&text, text.n - (text.n > 0));
		else if (c < 0 || c == 27)
			return NULL;
		else if (c >= 32 && c < 256)
			str_addc(&text, c);
	}
}

static void top_ask_delay(struct topping *s)
{
	char *end, *text = top_ask(s, tsb_format(s->t->p, "Change delay from %.1f to", s->t->seconds));
	double n;

	if (!text || !*text)
		return;
	n = strtod(text, &end);
	if (end == text || *end || !(n >= 0) || n > 1e8)
		s->message = " Unacceptable floating point ";
	else
		s->t->seconds = n;
}

static void top_ask_user(struct topping *s)
{
	char *text = top_ask(s, "Which user (blank for all)");
	uint32_t gid;

	if (!text)
		return;
	if (*text && !accounts_user(s->t->p, text, &s->t->uid, &gid)) {
		s->message = " Invalid user ";
		return;
	}
	s->t->any_user = s->t->pids = NULL;
	s->t->user = *text ? text : NULL;
}

static bool top_number(struct topping *s, const char *text, int64_t least, int64_t most, int64_t *n)
{
	if (num_i64(text, n) == NUM_OK && *n >= least && *n <= most)
		return true;
	s->message = " Unacceptable integer ";
	return false;
}

static void top_kill(struct topping *s)
{
	char *pid = top_ask(s, "PID to signal/kill [default pid = 1]"), *signal;
	int64_t n = 1, sig = 15;
	int rc;

	if (!pid || (*pid && !top_number(s, pid, 1, INT32_MAX, &n)))
		return;
	signal = top_ask(s, tsb_format(s->t->p, "Send pid %lld signal [15/sigterm]", (long long)n));
	if (!signal || (*signal && !top_number(s, signal, 0, 64, &sig)) || !sig)
		return;
	rc = tsb_kill(s->t->p, (int)n, (int)sig);
	if (rc < 0)
		s->message = tsb_format(s->t->p, " Failed signal pid '%lld' with '%lld': %s ", (long long)n,
					(long long)sig, tsb_strerror(rc));
}

static void top_renice(struct topping *s)
{
	char *pid = top_ask(s, "PID to renice [default pid = 1]"), *value;
	int64_t n = 1, nice;
	int rc;

	if (!pid || (*pid && !top_number(s, pid, 1, INT32_MAX, &n)))
		return;
	value = top_ask(s, tsb_format(s->t->p, "Renice PID %lld to value", (long long)n));
	if (!value || !*value || !top_number(s, value, -20, 19, &nice))
		return;
	rc = tsb_set_nice(s->t->p, (int)n, (int)nice);
	if (rc < 0)
		s->message = tsb_format(s->t->p, " Failed renice of PID %lld to %lld: %s ", (long long)n,
					(long long)nice, tsb_strerror(rc));
}

static void top_ask_rows(struct topping *s)
{
	char *text = top_ask(s, tsb_format(s->t->p, "Maximum tasks = %llu, change to (0 is unlimited)",
					   (unsigned long long)s->t->most));
	int64_t n;

	if (text && *text && top_number(s, text, 0, 100000, &n))
		s->t->most = (uint64_t)n;
}

static const char top_help[] =
"Help for Interactive Commands - procps-ng 4.0.2\n"
"\n"
"  l t m     summary: load, tasks and processors, memory on and off\n"
"  1         all processors or each\n"
"  M N P T   sort by memory, PID, processor, time;  < > another column;  R reverse\n"
"  c i S     command lines; idle tasks; time of ended children\n"
"  u U       only one user's;  n # so many tasks\n"
"  k r       signal, renice a task\n"
"  d s       another delay;  SPACE RETURN look now\n"
"  q         leave\n"
"\n"
"Press any key to go on ";

static void top_show_help(struct topping *s)
{
	str_addf(&s->v.out, "\033[H\033[2J%s", top_help);
	s->quit = vdu_key(&s->v, -1) == VDU_END;
	str_adds(&s->v.out, "\033[2J");
}

/* ---- Keys ---- */

static void top_sort(struct topping *s, int field)
{
	s->t->field = field;
}

static void top_next_column(struct topping *s, int step)
{
	static const int order[] = { TOP_PID, TOP_USER, TOP_PR, TOP_NI, TOP_VIRT, TOP_RES, TOP_STATE, TOP_CPU,
				     TOP_MEM, TOP_TIME, TOP_COMMAND };
	int n = sizeof(order) / sizeof(*order), i = 0;

	while (i < n - 1 && order[i] != s->t->field)
		i++;
	i += step;
	if (i >= 0 && i < n)
		s->t->field = order[i];
}

static void top_key(struct topping *s, int c)
{
	struct top *t = s->t;

	s->message = NULL;
	switch (c) {
	case 'q': case VDU_INTERRUPT: case VDU_END: s->quit = true; break;
	case 'h': case '?': top_show_help(s); break;
	case ' ': case '\n': case '\r': case VDU_LATE: case VDU_RESIZED: break;
	case 'M': top_sort(s, TOP_MEM); break;
	case 'N': top_sort(s, TOP_PID); break;
	case 'P': top_sort(s, TOP_CPU); break;
	case 'T': top_sort(s, TOP_TIME); break;
	case '<': top_next_column(s, -1); break;
	case '>': top_next_column(s, 1); break;
	case 'R': t->reverse = !t->reverse; break;
	case 'c': t->command_line = !t->command_line; break;
	case 'i': t->idle = !t->idle; break;
	case 'S': t->cumulative = !t->cumulative; break;
	case '1': t->single = !t->single; break;
	case 'l': t->no_load = !t->no_load; break;
	case 't': t->no_tasks = !t->no_tasks; break;
	case 'm': t->no_memory = !t->no_memory; break;
	case 'n': case '#': top_ask_rows(s); break;
	case 'u': case 'U': top_ask_user(s); break;
	case 'd': case 's': case 'k': case 'r':
		if (t->secure)
			s->message = " Unavailable in secure mode ";
		else if (c == 'k')
			top_kill(s);
		else if (c == 'r')
			top_renice(s);
		else
			top_ask_delay(s);
		break;
	default: s->message = " Unknown command - try 'h' for help "; break;
	}
}

int top_screen(struct top *t)
{
	struct topping s = { .t = t };
	uint64_t turns = 0;

	vdu_init(&s.v, t->p, 1);
	if (!vdu_good(&s.v) || !tsb_isatty(t->p, 0))
		return -1;
	vdu_begin(&s.v);
	str_adds(&s.v.out, "\033[?25l\033[H\033[2J");
	while (!s.quit) {
		int c;

		t->width = s.v.columns;
		top_look(t);
		top_paint(&s);
		if (++turns >= t->turns)
			break;
		c = vdu_key(&s.v, (int64_t)(t->seconds * 1e9));
		turns -= c != VDU_LATE && turns;
		top_key(&s, c);
	}
	str_addf(&s.v.out, "\033[%d;1H\033[K\033[?25h\r\n", s.v.rows);
	vdu_end(&s.v);
	return 0;
}
