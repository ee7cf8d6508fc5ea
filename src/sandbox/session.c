/*
 * The session's heap is charged to the run that made it while that run lasts,
 * and to nobody afterwards: heap_detach() lets go of the run's budget and pool.
 */
#include "sandbox/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "shell/shell.h"

struct session *session_new(void)
{
	return calloc(1, sizeof(struct session));
}

static void drop_content(struct session *s)
{
	if (s->heap)
		heap_end(s->heap);
	free(s->cwd);
	memset(s, 0, sizeof(*s));
}

void session_free(struct session *s)
{
	if (!s)
		return;
	drop_content(s);
	free(s);
}

struct session *session_copy(const struct session *s)
{
	struct session *copy = session_new();

	if (!copy)
		return NULL;
	if (s->cwd && !(copy->cwd = strdup(s->cwd)))
		goto fail;
	if (s->shell) {
		copy->heap = heap_new(NULL, NULL, NULL, NULL);
		if (copy->heap)
			copy->shell = shell_copy(s->shell, copy->heap);
		if (!copy->shell)
			goto fail;
	}
	return copy;
fail:
	session_free(copy);
	return NULL;
}

int session_adopt(struct session *s, struct tsb_heap *heap, struct shell *shell, const char *cwd)
{
	char *kept = strdup(cwd);

	if (!kept)
		return -1;
	drop_content(s);
	heap_detach(heap);
	s->heap = heap;
	s->shell = shell;
	s->cwd = kept;
	return 0;
}
