/*
 * Backups of files about to be overwritten, for cp, mv, ln and install: the
 * options -b, --backup[=CONTROL] and -S, the environment's VERSION_CONTROL and
 * SIMPLE_BACKUP_SUFFIX, and the names.
 */
#ifndef CMD_BACKUP_H
#define CMD_BACKUP_H

#include <tinysandbox/command.h>

enum backup_type {
	BACKUP_NONE, BACKUP_SIMPLE, BACKUP_EXISTING, BACKUP_NUMBERED
};

/* Part of the command's options; zeroed is no backup. */
struct backup {
	bool wanted;
	const char *control;	/* argument of --backup */
	const char *suffix;	/* argument of -S */
	enum backup_type type;	/* from backup_prepare() on */
};

tsb_opt_fn backup_option;

/* The rows for a command's table, in two places because GNU's messages name
 * options in their order; `field` is the struct backup in its options. */
#define BACKUP_OPTS(type_, field) \
	{ TSB_OPTION_CALL, 0, "backup", "CONTROL", \
	  "make a backup of each existing destination file", \
	  offsetof(type_, field), 'B', TSB_ARG_OPTIONAL, backup_option }, \
	{ TSB_OPTION_CALL, 'b', NULL, NULL, "like --backup but does not accept an argument", \
	  offsetof(type_, field), 'b', TSB_ARG_NONE, backup_option }
#define BACKUP_SUFFIX_OPT(type_, field) \
	{ TSB_OPTION_CALL, 'S', "suffix", "SUFFIX", "override the usual backup suffix", \
	  offsetof(type_, field), 'S', 0, backup_option }

/* Settles type and suffix after parsing: 0, or the exit status of a bad word. */
int backup_prepare(struct tsb_proc *p, struct backup *b);
/* The name that path would be moved to. */
char *backup_name(struct tsb_proc *p, const struct backup *b, const char *path);
/* Moves path there: 0 and *name, or -errno. */
int backup_rename(struct tsb_proc *p, const struct backup *b, const char *path, char **name);

#endif
