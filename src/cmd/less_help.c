/* less's own help, which is a text like others, and brackets that are found. */
#include "cmd/less.h"

#include <string.h>

static const char less_help_text[] =
"\n"
"                   SUMMARY OF LESS COMMANDS\n"
"\n"
"      N is a number typed before a command; ^K is Ctrl-K.\n"
"\n"
"  h H             this help\n"
"  q :q Q :Q ZZ    leave\n"
"\n"
"                          MOVING\n"
"\n"
"  e ^E j ^N RETURN      down one line, or N\n"
"  y ^Y k ^K ^P          up one line, or N\n"
"  f ^F ^V SPACE         down one window, or N lines\n"
"  b ^B ESC-v            up one window, or N lines\n"
"  z w                   the same; N is the new window\n"
"  ESC-SPACE             down one window, also at the end\n"
"  d ^D   u ^U           down, up half a window; N is the new half\n"
"  J   K                 down, up, also beyond the ends\n"
"  ESC-)  RightArrow     to the right half a screen, or N columns\n"
"  ESC-(  LeftArrow      to the left\n"
"  F                     wait at the end for what comes\n"
"  r ^R ^L   R           paint again; R reads again, too\n"
"\n"
"                         SEARCHING\n"
"\n"
"  /pattern   ?pattern   down, up for the N-th line with it\n"
"  n   N                 the same again; the other way\n"
"  ESC-u                 highlighting on and off\n"
"  &pattern              only lines with it\n"
"        Before a pattern: ! or ^N lines without it; * or ^E go on in other files;\n"
"        @ or ^F from the first file on; ^K only highlight; ^R no expression.\n"
"\n"
"                          JUMPING\n"
"\n"
"  g < ESC-<             to the first line, or line N\n"
"  G > ESC->             to the last line, or line N\n"
"  p %                   to N per cent of the file\n"
"  P                     to byte N\n"
"  { ( [   } ) ]         to the bracket that closes, opens it\n"
"  m<letter> M<letter>   mark the first, last line\n"
"  '<letter>             to the mark; '' back; '^ '$ begin, end\n"
"\n"
"                           FILES\n"
"\n"
"  :e E                  another file\n"
"  :n   :p   :x          next, previous, first; or N-th\n"
"  :d                    forget this file\n"
"  = ^G :f               where this is\n"
"\n"
"                           OTHERS\n"
"\n"
"  -<option>   _<option> change, tell an option; --<name>, too\n"
"  !command              the shell\n"
"  V                     version\n";

void less_help(struct less *l)
{
	struct less_file *f;

	if (l->file->help) {
		less_jump(l, 0, 0);
		return;
	}
	f = tsb_alloc(l->p, sizeof(*f));
	*f = (struct less_file){ .name = "HELP", .fd = -1, .opened = true, .ended = true, .help = true,
				 .size = sizeof(less_help_text) - 1, .top = LESS_NONE };
	str_init(&f->text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	str_adds(&f->text, less_help_text);
	l->before_help = l->file;
	l->file->top = l->at[0];
	l->file->top_row = 0;
	less_take(l, f);
}

/* ---- Brackets ---- */

void less_bracket(struct less *l, int c)
{
	static const char opening[] = "{([", closing[] = "})]";
	const char *is_open = strchr(opening, c), *is_close = strchr(closing, c);
	int other = is_open ? closing[is_open - opening] : opening[is_close - closing], b;
	int64_t at = l->at[is_open ? 0 : l->rows - 1], depth = 0;
	bool any = false;

	if (at == LESS_NONE) {
		less_tell(l, is_open ? "Nothing in top line" : "Nothing in bottom line");
		return;
	}
	if (!is_open)
		for (; (b = less_byte(l, at)) >= 0 && b != '\n'; at++)
			;
	for (; (b = is_open ? less_byte(l, at) : at > 0 ? less_byte(l, at - 1) : -1) >= 0;
	     at += is_open ? 1 : -1) {
		if (b == '\n' && !any && less_byte(l, at) >= 0 && (is_open || less_byte(l, at) != '\n')) {
			less_tell(l, is_open ? "No bracket in top line" : "No bracket in bottom line");
			return;
		}
		depth += b == c;
		any |= b == c;
		depth -= any && b == other;
		if (any && !depth) {
			less_jump(l, less_line_begin(l, is_open ? at : at - 1), is_open ? l->rows - 1 : 0);
			return;
		}
	}
	less_tell(l, any ? "No matching bracket" : is_open ? "No bracket in top line" : "No bracket in bottom line");
}
