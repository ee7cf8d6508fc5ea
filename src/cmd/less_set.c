/*
 * less's options: what each changes, on the command line and when it is typed, and the words for it.
 */
#include "cmd/less.h"

#include <stddef.h>
#include <string.h>

#include "base/num.h"

#define PLACE(field) offsetof(struct less_options, field)

/* Off and on, or three values; `first`: what it is at first. */
static const struct {
	const char *name;
	int letter, kinds, first;
	size_t place;
	const char *says[3];
} less_switches[] = {
	{ "search-skip-screen", 'a', 3, LESS_OFF, PLACE(skip),
	  { "Search includes displayed screen", "Search skips displayed screen",
	    "Search includes all of displayed screen" } },
	{ "auto-buffers", 'B', 2, 1, PLACE(buffers),
	  { "Don't automatically allocate buffers", "Automatically allocate buffers when needed" } },
	{ "clear-screen", 'c', 3, LESS_OFF, PLACE(clear),
	  { "Repaint by scrolling from bottom of screen", "Repaint by painting from top of screen",
	    "Repaint by painting from top of screen" } },
	{ "dumb", 'd', 2, 0, PLACE(dumb), { "Assume intelligent terminal", "Assume dumb terminal" } },
	{ "quit-at-eof", 'e', 3, LESS_OFF, PLACE(eof),
	  { "Don't quit at end-of-file", "Quit at end-of-file", "Quit immediately at end-of-file" } },
	{ "force", 'f', 2, 0, PLACE(force), { "Open only regular files", "Open even non-regular files" } },
	{ "quit-if-one-screen", 'F', 2, 0, PLACE(one_screen),
	  { "Don't quit if end-of-file on first screen", "Quit if end-of-file on first screen" } },
	{ "hilite-search", 'g', 3, LESS_CAPITAL, PLACE(hilite),
	  { "Don't highlight search matches", "Highlight matches for previous search only",
	    "Highlight all matches for previous search pattern" } },
	{ "ignore-case", 'i', 3, LESS_OFF, PLACE(caseless),
	  { "Case is significant in searches", "Ignore case in searches",
	    "Ignore case in searches and in patterns" } },
	{ "status-column", 'J', 2, 0, PLACE(status), { "Don't display a status column", "Display a status column" } },
	{ "quit-on-intr", 'K', 2, 0, PLACE(quit_on_intr),
	  { "Interrupt (ctrl-C) returns to prompt", "Interrupt (ctrl-C) exits less" } },
	{ "no-lessopen", 'L', 2, 1, PLACE(no_open), { "Don't use the LESSOPEN filter", "Use the LESSOPEN filter" } },
	{ "long-prompt", 'm', 3, LESS_OFF, PLACE(prompt), { "Short prompt", "Medium prompt", "Long prompt" } },
	{ "line-numbers", 'n', 3, LESS_SMALL, PLACE(numbers),
	  { "Don't use line numbers", "Use line numbers", "Constantly display line numbers" } },
	{ "quiet", 'q', 3, LESS_OFF, PLACE(quiet),
	  { "Ring the bell for errors AND at eof/bof", "Ring the bell for errors but not at eof/bof",
	    "Never ring the bell" } },
	{ "silent", 'q', 3, LESS_OFF, PLACE(quiet),
	  { "Ring the bell for errors AND at eof/bof", "Ring the bell for errors but not at eof/bof",
	    "Never ring the bell" } },
	{ "raw-control-chars", 'r', 3, LESS_OFF, PLACE(raw),
	  { "Display control characters as ^X", "Display control characters directly (not recommended)",
	    "Display ANSI sequences directly, other control characters as ^X" } },
	{ "squeeze-blank-lines", 's', 2, 0, PLACE(squeeze),
	  { "Display all blank lines", "Squeeze multiple blank lines" } },
	{ "chop-long-lines", 'S', 2, 0, PLACE(chop), { "Fold long lines", "Chop long lines" } },
	{ "underline-special", 'u', 3, LESS_OFF, PLACE(underline),
	  { "Display underlined text in underline mode", "Backspaces cause overstrike", "Print backspace as ^H" } },
	{ "hilite-unread", 'w', 3, LESS_OFF, PLACE(unread),
	  { "Don't highlight first unread line", "Highlight first unread line after forward-screen",
	    "Highlight first unread line after any forward movement" } },
	{ "no-init", 'X', 2, 0, PLACE(no_init),
	  { "Send init strings to terminal", "Don't use init strings to terminal" } },
	{ "tilde", '~', 2, 1, PLACE(tildes),
	  { "Don't show tildes after end of file", "Show tildes after end of file" } },
	{ "file-size", 0, 2, 0, PLACE(file_size), { "Don't get size of each file", "Get size of each file" } },
	{ "follow-name", 0, 2, 0, PLACE(follow_name),
	  { "F command follows file descriptor", "F command follows file name" } },
	{ "incsearch", 0, 2, 0, PLACE(incremental),
	  { "Incremental search is off", "Incremental search is on" } },
	{ "mouse", 0, 3, LESS_OFF, PLACE(mouse),
	  { "Ignore mouse input", "Use the mouse for scrolling", "Use the mouse for scrolling (reverse)" } },
	{ "no-keypad", 0, 2, 0, PLACE(no_keypad), { "Use keypad mode", "Don't use keypad mode" } },
	{ "no-histdups", 0, 2, 0, PLACE(no_dups),
	  { "Allow duplicates in history list", "Remove duplicates from history list" } },
	{ "save-marks", 0, 2, 0, PLACE(save_marks),
	  { "Don't save marks in history file", "Save marks in history file" } },
	{ "use-color", 0, 2, 0, PLACE(colors), { "Don't use color", "Use color" } },
};

static const struct {
	const char *name;
	int letter;
	int64_t first;
	size_t place;
	const char *asks, *says;
} less_numbers[] = {
	{ "buffers", 'b', 64, PLACE(buffer), "Max buffer space per file (K): ", "Max buffer space per file: %lldK" },
	{ "max-back-scroll", 'h', -1, PLACE(back_limit), "Backwards scroll limit: ",
	  "Backwards scroll limit is %lld lines" },
	{ "max-forw-scroll", 'y', -1, PLACE(down_limit), "Forward scroll limit: ",
	  "Forward scroll limit is %lld lines" },
	{ "window", 'z', -1, PLACE(window), "Scroll window size: ", "Scroll window size is %lld lines" },
	{ "shift", '#', 0, PLACE(shift), "Horizontal shift: ", "Horizontal shift %lld columns" },
	{ "line-num-width", 0, 7, PLACE(number_width), "Line number width: ", "Line number width is %lld chars" },
	{ "status-col-width", 0, 2, PLACE(status_width), "Status column width: ",
	  "Status column width is %lld chars" },
	{ "wheel-lines", 0, 0, PLACE(wheel), "Lines to scroll on mouse wheel: ",
	  "Scroll %lld line(s) on mouse wheel" },
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static int *switch_of(struct less *l, size_t i)
{
	return (int *)(void *)((char *)&l->o + less_switches[i].place);
}

static int64_t *number_of(struct less *l, size_t i)
{
	return (int64_t *)(void *)((char *)&l->o + less_numbers[i].place);
}

void less_defaults(struct less *l)
{
	for (size_t i = 0; i < COUNT(less_switches); i++)
		*switch_of(l, i) = less_switches[i].first;
	for (size_t i = 0; i < COUNT(less_numbers); i++)
		*number_of(l, i) = less_numbers[i].first;
	l->o.jump = 1;
	l->o.rscroll = ">";
}

/* What a letter makes of a value: its own form, or off if it is that already. */
static int less_flip(int value, bool capital)
{
	int wanted = capital ? LESS_CAPITAL : LESS_SMALL;

	return value == wanted ? LESS_OFF : wanted;
}

static bool less_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

/* A row of the table; COUNT: none. Three values have two letters. */
static size_t less_switch(int letter, const char *name)
{
	size_t i = 0;

	for (; i < COUNT(less_switches); i++) {
		bool three = less_switches[i].kinds == 3;

		if (letter && (less_switches[i].letter == letter || (three && less_switches[i].letter == (letter | 32))))
			break;
		if (!letter && !(three ? strcasecmp : strcmp)(less_switches[i].name, name))
			break;
	}
	return i;
}

static size_t less_number_option(int letter, const char *name)
{
	size_t i = 0;

	while (i < COUNT(less_numbers) && (letter ? less_numbers[i].letter != letter :
					   strcmp(less_numbers[i].name, name) != 0))
		i++;
	return i;
}

static void less_set_tabs(struct less *l, const char *value)
{
	int64_t last = 0, n = 0;

	l->o.tabs.n = 0;
	for (; *value && l->o.tabs.n < 128; value++) {
		if (*value >= '0' && *value <= '9' && n < 100000)
			n = n * 10 + *value - '0';
		if (value[1] >= '0' && value[1] <= '9')
			continue;
		if (n > last) {
			*vec_add(tsb_heap_of(l->p), &l->o.tabs) = n;
			last = n;
		}
		n = 0;
	}
}

static void less_set_jump(struct less *l, const char *value)
{
	bool negative = *value == '-';
	int64_t n = 0;

	value += negative;
	if (*value == '.') {	/* a part of the screen */
		int64_t of = 1;

		for (value++; *value >= '0' && *value <= '9' && of < 1000000; value++, of *= 10)
			n = n * 10 + *value - '0';
		n = n * (l->rows ? l->rows : l->term.rows - 1) / of;
	} else {
		for (; *value >= '0' && *value <= '9' && n < 100000; value++)
			n = n * 10 + *value - '0';
	}
	l->o.jump = negative ? -n : n ? n : 1;
}

static void less_set_prompt(struct less *l, const char *value)
{
	static const char kinds[] = "smM=h";
	const char *kind = *value ? strchr(kinds, *value) : NULL;

	l->o.prompts[kind ? kind - kinds : 0] = value[kind != NULL] ? value + (kind != NULL) : NULL;
}

static void less_set_text(struct less *l, int letter, const char *name, const char *value)
{
	if (letter == 'x')
		less_set_tabs(l, value);
	else if (letter == 'j')
		less_set_jump(l, value);
	else if (letter == 'P')
		less_set_prompt(l, value);
	else if (letter == 'p')
		l->o.pattern = value;
	else if (letter == 't')
		l->o.tag = value;
	else if (!letter && !strcmp(name, "rscroll"))
		l->o.rscroll = !strcmp(value, "-") ? NULL : value;
}

const char *less_set(struct less *l, int letter, const char *name, const char *value, bool reset)
{
	size_t i = less_switch(letter, name), n = less_number_option(letter, name);
	int64_t number;

	if (i < COUNT(less_switches)) {
		int first = less_switches[i].first;
		bool capital = letter ? less_upper(letter) : less_upper(*name);

		*switch_of(l, i) = reset ? first : less_switches[i].kinds == 2 ? !first : less_flip(first, capital);
		return NULL;
	}
	if (n < COUNT(less_numbers)) {
		if (reset)
			number = less_numbers[n].first;
		else if (num_i64(value, &number) != NUM_OK)
			return "Number is required after";
		*number_of(l, n) = number < -100000 ? -100000 : number > 100000 ? 100000 : number;
		return NULL;
	}
	if (value)
		less_set_text(l, letter, name, value);
	return NULL;
}

/* ---- Typed ---- */

static void less_type_number(struct less *l, size_t n, bool only_tell)
{
	const char *says = less_numbers[n].says, *mark = strstr(says, "%lld");
	char *text = only_tell ? NULL : less_ask(l, less_numbers[n].asks, NULL);
	int64_t value;

	if (!only_tell && !text)
		return;
	if (text && num_i64(text, &value) == NUM_OK) {
		*number_of(l, n) = value < -100000 ? -100000 : value > 100000 ? 100000 : value;
		less_paint_again(l);
	}
	less_paint(l);
	less_tell(l, "%.*s%lld%s", (int)(mark - says), says, (long long)*number_of(l, n), mark + 4);
}

static void less_type_text(struct less *l, const struct tsb_opt *o, bool only_tell)
{
	static const struct { int letter; const char *asks; } texts[] = {
		{ 'x', "Tab stops: " }, { 'j', "Target line: " }, { 'P', "prompt: " },
	};
	char *text;

	for (size_t i = 0; i < COUNT(texts) && !only_tell; i++)
		if (texts[i].letter == o->short_name && (text = less_ask(l, texts[i].asks, NULL))) {
			less_set_text(l, o->short_name, "", text);
			less_paint_again(l);
			return;
		}
	if (only_tell && o->short_name == 'j')
		less_tell(l, "Target line is %s%lld", "", (long long)l->o.jump);
	else
		less_tell(l, "Cannot change the -%c option", o->short_name ? o->short_name : '-');
}

static void less_type_switch(struct less *l, size_t i, bool capital, int how)
{
	int *value = switch_of(l, i);

	if (how == '+')
		*value = less_switches[i].first;
	else if (how == '-')
		*value = less_switches[i].kinds == 2 ? !*value : less_flip(*value, capital);
	else if (how == '!')
		*value = less_switches[i].kinds == 2 ? !less_switches[i].first :
			 less_flip(less_switches[i].first, capital);
	if (less_switches[i].letter == 'i' && l->sought.text && how != '_')
		less_compile(l, &l->sought, l->sought.text, false);
	if (strchr("ig", less_switches[i].letter) && how != '_') {
		less_sought_changed(l);
		less_paint(l);
	}
	if (how != '_' && l->at[0] != LESS_NONE && strchr("SnrusJw~", less_switches[i].letter)) {
		bool now = l->squished;

		l->spans_of = LESS_NONE;
		less_paint_again(l);
		if (now)
			less_paint(l);
	}
	/* What it does to the screen is seen when the message is gone. */
	less_tell(l, "%s", less_switches[i].says[*value]);
}

void less_option_key(struct less *l, bool only_tell)
{
	const char *sign = only_tell ? "_" : "-", *name = "";
	int how = only_tell ? '_' : '-', c;
	const struct tsb_opt *o;
	size_t i;

	less_bottom(l);
	str_adds(&l->term.out, sign);
	c = vdu_key(&l->term, -1);
	if (!only_tell && (c == '+' || c == '!')) {
		how = c;
		str_addc(&l->term.out, c);
		c = vdu_key(&l->term, -1);
	}
	if (c < 32 || c > 126 || c == 127) {
		less_bottom(l);
		return;
	}
	if (c == *sign) {
		name = less_ask(l, only_tell ? "__" : "--", NULL);
		if (!name)
			return;
		c = 0;
	}
	o = c ? less_by_letter(c) : less_by_long_name(name);
	if (!o) {
		less_tell(l, c ? "There is no -%c option" : "There is no --%.0d%s option", c, name);
		return;
	}
	i = less_switch(c, name);
	if (i < COUNT(less_switches))
		less_type_switch(l, i, c ? less_upper(c) : less_upper(*name), how);
	else if ((i = less_number_option(c, name)) < COUNT(less_numbers))
		less_type_number(l, i, only_tell);
	else
		less_type_text(l, o, only_tell);
}
