/*
 * What the keeper, outside of the wall, does for the server inside: it holds the state directory,
 * in which the server can open nothing (its user may be another, and Landlock forbids it). The
 * server has the records' files open from the start, and asks for logs by the process's name.
 *
 * DIR/procs/records, records.1: the records of execs, two files that take turns. DIR/procs/pN.log,
 * pN.log.1: the log of one.
 */
#ifndef INIT_KEEP_H
#define INIT_KEEP_H

#include <stdbool.h>
#include <stdint.h>

enum keep_op {
	KEEP_LOG,		/* an empty log: one descriptor */
	KEEP_LOG_TURN,		/* the log becomes the old one: a new, empty one */
	KEEP_LOG_READ,		/* to read: the old one (or -1) and the log */
	KEEP_RECORDS,		/* the old records (or -1) and those to append to */
	KEEP_RECORDS_TURN,	/* the records become the old ones: as KEEP_RECORDS */
};

#define KEEP_NAME 24

/* In the keeper: the directory of the records, made where missing; -1: errno. */
int keep_open(int dir);
/* Answers one request. False: the server is gone. */
bool keep_answer(int channel, int procs);
/* What keep_answer does. False: errno. Descriptors that were not opened are -1. */
bool keep_do(int procs, enum keep_op op, const char *name, int fd[2]);

/* In the server. False: errno, and no descriptors. */
bool keep_ask(int channel, enum keep_op op, const char *name, int fd[2]);

/* The number of a process's name, pN; 0: it is not one. */
uint64_t proc_number(const char *name);

#endif
