/*
 * How names look in messages. Each call returns a fresh string of the process.
 */
#ifndef CMD_QUOTE_H
#define CMD_QUOTE_H

#include "text/escape.h"

struct tsb_proc;

/* 'name', always quoted, with $'\n' for what a shell could not show. */
const char *quote_af(struct tsb_proc *p, const char *s);
/* As quote_af(), but only where a shell needs it or it holds a colon. */
const char *quote_f(struct tsb_proc *p, const char *s);
/* ‘text’, C escapes inside; 'text' where the locale is C. */
const char *quote_text(struct tsb_proc *p, const char *s);
/* For a command that has changed the environment that says which. */
const char *quote_text_as(struct tsb_proc *p, bool utf8, const char *s);
/* The style with QUOTE_BYTES where the locale is C. */
enum quote_style quote_style_here(struct tsb_proc *p, enum quote_style style);
/* The style $QUOTING_STYLE names, else that of quote_af(). A bad one is said. */
enum quote_style quote_env_style(struct tsb_proc *p);
const char *quote_styled(struct tsb_proc *p, enum quote_style style, const char *s);

#endif
