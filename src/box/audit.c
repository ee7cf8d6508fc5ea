/*
 * Audit logs, verified: whether each line continues the one before, and the last is the one that
 * the head beside the log names.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/chain.h"

#define TRIES 50	/* while somebody writes */

struct place {
	struct tbx_store *store;
	const json_t *target;	/* NULL: here */
	char *log, *head;
};

/* An empty text for a file that is not there; malloc. */
static int read_one(const struct place *p, const char *path, char **text, size_t *n)
{
	int status;

	*text = NULL;
	*n = 0;
	if (p->target) {
		status = bx_ssh_read(p->store, p->target, path, text);
		*n = status ? 0 : strlen(*text);
		return status;
	}
	if (!access(path, F_OK))
		return bx_read_all(p->store, path, text, n);
	*text = calloc(1, 1);
	return *text ? TBX_OK : bx_memory(p->store);
}

/* Both as they were at one moment. */
static int read_both(const struct place *p, char **log, size_t *n, char **head, size_t *head_n)
{
	char *again = NULL;
	size_t m;
	bool same = false;
	int status = TBX_OK;

	for (int i = 0; !status && !same && i < TRIES; i++) {
		status = read_one(p, p->head, head, head_n);
		if (!status)
			status = read_one(p, p->log, log, n);
		if (!status)
			status = read_one(p, p->head, &again, &m);
		same = !status && m == *head_n && !memcmp(again, *head, m);
		free(again);
		again = NULL;
		if (!status && !same && i + 1 < TRIES) {
			free(*log);
			free(*head);
			*log = *head = NULL;
		}
	}
	return status;
}

static int verify(const struct place *p, json_t *root)
{
	char *log = NULL, *head = NULL;
	size_t n = 0, head_n = 0;
	int status = read_both(p, &log, &n, &head, &head_n);

	if (!status) {
		struct chain_told told = chain_verify(log, n, head_n || !n ? head : NULL, head_n);

		bx_put_number(root, "lines", told.lines);
		bx_put(root, "hash", json_string(told.hex));
		json_object_set_new(root, "whole", json_boolean(!told.why));
		if (told.why) {
			bx_put(root, "why", json_string(told.why));
			bx_put_number(root, "line", told.lines + 1);
		}
	}
	free(log);
	free(head);
	return status;
}

/* The path of a box's log; malloc, or NULL. */
static char *log_of(const struct bx *b)
{
	char *dir = bx_json_copy(json_object_get(b->record, "dir"));
	char *path = dir ? bx_format("%s/audit", dir) : NULL;

	free(dir);
	return path;
}

int tbx_audit(struct tbx_store *store, const char *box, struct tbx_doc **doc)
{
	struct bx b = {.store = store, .dir = -1, .lock = -1};
	int status = box ? bx_open(store, box, BX_LOCK_NONE, &b) : TBX_OK;
	struct place p = {.store = store};
	json_t *root;

	if (status)
		return status;
	if (box && bx_is_ssh(json_object_get(b.record, "target")))
		p.target = json_object_get(b.record, "target");
	p.log = box ? log_of(&b) : bx_format("%s/events", store->path);
	p.head = p.log ? bx_format("%s.head", p.log) : NULL;
	root = json_object();
	if (box)
		bx_put(root, "box", json_string(b.id));
	bx_put(root, "path", bx_json_text(p.log));
	status = p.head ? verify(&p, root) : bx_memory(store);
	bx_close(&b);
	free(p.log);
	free(p.head);
	if (!status)
		return bx_doc(store, root, doc);
	json_decref(root);
	return status;
}
