/*
 * What lives on between the runs of a sandbox with a session: the shell with its
 * variables, functions and options, and the working directory. A run works on a
 * copy and hands it in when it has ended by itself; a run that was stopped
 * leaves the session as it was.
 */
#ifndef SANDBOX_SESSION_H
#define SANDBOX_SESSION_H

#include <stddef.h>

struct shell;
struct tsb_heap;
struct str;

struct session {
	struct tsb_heap *heap;	/* NULL: nothing ran yet */
	struct shell *shell;
	char *cwd;		/* NULL: the sandbox's */
};

struct session *session_new(void);
void session_free(struct session *s);
/* A copy, without a process. NULL: no memory. */
struct session *session_copy(const struct session *s);
/* Takes over heap and shell of a run that has ended; cwd is copied. */
int session_adopt(struct session *s, struct tsb_heap *heap, struct shell *shell, const char *cwd);

#endif
