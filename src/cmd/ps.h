/*
 * Inside ps: options in three styles become a struct ps, which says whom to show
 * (ps_select.c), in which columns (ps_columns.c, ps_values.c) and how
 * (ps_show.c).
 */
#ifndef CMD_PS_H
#define CMD_PS_H

#include "base/str.h"
#include "cmd/procs.h"

struct ps;
struct ps_row;

enum ps_align { PS_LEFT, PS_RIGHT, PS_USER, PS_REST, PS_PID };

typedef void ps_value_fn(struct ps *ps, struct str *out, const struct procs_item *it);
/* How two processes compare; NULL: by the text of the column. */
typedef int ps_order_fn(const struct procs_item *a, const struct procs_item *b);

struct ps_column {
	const char *name, *header;
	int width;		/* PS_PID: the least */
	enum ps_align align;
	ps_value_fn *value;
	ps_order_fn *order;	/* NULL: bytes of the value */
};

struct ps_format {		/* one column that is shown */
	const struct ps_column *column;
	const char *header;
	int width;
};

struct ps_key {
	const struct ps_column *column;
	bool reverse;
};

enum ps_list_kind { PS_BY_PID, PS_BY_PPID, PS_BY_COMM, PS_BY_EUID, PS_BY_RUID, PS_BY_RGID,
		    PS_BY_EGID, PS_BY_SID, PS_BY_TTY, PS_BY_PGRP };

struct ps_want {
	enum ps_list_kind kind;
	int64_t number;
	const char *text;
};

enum { PS_UNIX_F = 1, PS_UNIX_L = 2, PS_UNIX_J = 4, PS_UNIX_C = 8, PS_UNIX_EXTRA = 16,
       PS_UNIX_Y = 32, PS_UNIX_P = 64, PS_UNIX_LWP = 128, PS_UNIX_SPID = 256, PS_UNIX_M = 512 };

/* How threads are asked for: m, -m, H, -L, -T. A process has one here. */
enum { PS_THREADS_M = 1, PS_THREADS_UNIX_M = 2, PS_THREADS_H = 4, PS_THREADS_L = 8,
       PS_THREADS_T = 16 };

/* With m a process is two lines: what all its threads share, and the thread. */
enum ps_part { PS_WHOLE, PS_SHARED, PS_THREAD };

struct ps {
	struct tsb_proc *p;
	bool bsd;			/* a BSD option was given */
	bool force_bsd;			/* second try: -aux */
	/* Whom. */
	bool all, with_tty, not_leaders, deselect, running, bsd_a, bsd_x, this_tty;
	bool quick;
	struct ps_want *wants;
	size_t n_wants, cap_wants;
	/* What. */
	unsigned unix_format, threads;
	char bsd_format;		/* j l s u v X Z, or 0 */
	struct ps_format *formats;
	size_t n_formats, cap_formats;
	bool user_formats;		/* -o: not the defaults */
	const char *extra;		/* -O, O */
	bool extra_bsd;
	struct ps_key *keys;
	size_t n_keys, cap_keys;
	/* How. */
	bool no_header, forest, hierarchy, comm_only, environ, numeric, cumulative;
	bool repeat_header;
	int wide;
	int columns, rows;		/* 0: unknown */
	/* For the values. */
	int pid_width;
	double uptime;
	uint64_t memory_kb;
	int64_t now, boot;
	const char *prefix;		/* of the tree, while a row is shown */
	const char *lead;		/* what each line begins with, or NULL */
	bool conflict;			/* no second try helps */
	const char *error;
};

/* ps_columns.c */
const struct ps_column *ps_column_find(const char *name, size_t n);
bool ps_column_in(const struct ps_column *c, enum ps_part part);
void ps_column_list(struct ps *ps);		/* L */
/* "pid,user:20=WHO": false with ps->error. */
bool ps_format_add(struct ps *ps, const char *text);
void ps_format_named(struct ps *ps, const char *names);	/* known ones, comma between */
void ps_format_default(struct ps *ps);
bool ps_sort_add(struct ps *ps, const char *text);
/* O: letters, each a key, or columns. */
bool ps_sort_or_format(struct ps *ps, const char *text);

/* ps_select.c: false with ps->error. */
bool ps_want_list(struct ps *ps, enum ps_list_kind kind, const char *text);
bool ps_selected(struct ps *ps, const struct procs_item *it, const struct procs_item *me);

/* ps_show.c: how many were shown. */
size_t ps_show(struct ps *ps);

extern const struct ps_column ps_columns[];
extern const size_t ps_columns_n;

#endif
