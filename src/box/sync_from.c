/*
 * A directory of a box or a machine to one here. All of it is hostile: what is to be changed is shown
 * first, what was shown is what is written (each content has the digest that was told before), and
 * the directory here changes whole or not at all, if it is still what it was when the changes were
 * found.
 */
#include "box/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/sha256.h"

#define CHANGED "it changed there meanwhile; nothing was changed here"
#define ASK ((size_t)256 << 10)		/* of names in one TREE_GET */

/* ---- What is fetched ---- */

struct taking {
	struct sync_job *j;
	const struct sync_change *c;
	int fd;
};

static int put_content(void *ctx, const void *data, size_t n)
{
	struct taking *t = ctx;

	t->j->bytes += n;
	if (!bx_write_bytes(t->fd, data, n))
		return sync_file_error(t->j, t->c->path, errno);
	sync_show(t->j, false);
	return TBX_OK;
}

/* The frames of one file, into fd. */
static int take_content(struct sync_job *j, const struct sync_change *c, int fd)
{
	struct taking t = { j, c, fd };
	struct wire_frame f;
	uint8_t hash[32];
	int status = bx_take_data(&j->c, 0, put_content, &t, &f, hash);

	if (status)
		return status;
	return f.type == WIRE_TREE_END && !memcmp(hash, c->node->hash, 32) ? TBX_OK :
	       sync_changed(j, c->path, CHANGED);
}

/* The TREE_PUT that begins a file; *link: its target, malloc */
static int take_head(struct sync_job *j, const struct sync_change *c, char **link)
{
	struct wire_frame f;
	bool bad = false;
	uint32_t mode;
	char *path;
	int status;

	*link = NULL;
	do {
		status = bx_receive(&j->c, &f, bx_step(j->store));
		if (status)
			return status;
	} while (f.type == WIRE_ALIVE);
	if (f.type == WIRE_ERROR)
		return bx_wire_error(&j->c, &f);
	if (f.type != WIRE_TREE_PUT || !wire_whole(wire_fields(&f)))
		return bx_fail(j->store, TBX_ERR_PROTOCOL, "%s: a file was expected, not frame %d",
			       j->c.what, (int)f.type);
	mode = (uint32_t)wire_number(wire_fields(&f), WIRE_F_MODE, 0, &bad);
	path = wire_string(wire_fields(&f), WIRE_F_PATH, &bad);
	if (c->node->kind == FT_LINK)
		*link = wire_string(wire_fields(&f), WIRE_F_LINK, &bad);
	if (bad || !path || strcmp(path, c->path) || !(c->node->kind == FT_LINK ? S_ISLNK(mode) && *link :
	    S_ISREG(mode))) {
		status = sync_changed(j, c->path, CHANGED);
		free(*link);
		*link = NULL;
	}
	free(path);
	return status;
}

static int take_link(struct sync_job *j, struct sync_change *c)
{
	uint8_t hash[32];
	char *link;
	int status = take_head(j, c, &link);

	if (status)
		return status;
	bx_sha256(link, strlen(link), hash);
	if (memcmp(hash, c->node->hash, 32)) {
		free(link);
		return sync_changed(j, c->path, CHANGED);
	}
	free(c->link);
	c->link = link;
	return TBX_OK;
}

static int take_file(struct sync_job *j, struct ft_stage *stage, const struct sync_change *c)
{
	char *link;
	int status = take_head(j, c, &link), fd, error;

	if (status)
		return status;
	fd = ft_stage_file(stage, c->path, c->node->mode);
	if (fd < 0)
		return sync_stage_error(j, c->path, fd);
	status = take_content(j, c, fd);
	error = ft_stage_file_done(stage, fd, c->node->mode, c->node->mtime);
	if (!status && error)
		status = sync_stage_error(j, c->path, error);
	j->files += !status;
	return status;
}

static bool is_wanted(const struct sync_change *c, bool links)
{
	return (c->op == SYNC_ADD || c->op == SYNC_CHANGE) &&
		c->node->kind == (links ? FT_LINK : FT_FILE);
}

/* Names for one TREE_GET, from change `i` on; how many changes that were. */
static size_t ask(struct sync_job *j, size_t i, bool links)
{
	struct wire_out *o = &j->c.out;
	size_t from = i;

	wire_begin(o, WIRE_TREE_GET);
	for (; i < j->plan.count && o->size < ASK; i++)
		if (is_wanted(&j->plan.at[i], links))
			wire_text(o, WIRE_F_PATH, j->plan.at[i].path);
	wire_end(o);
	return i - from;
}

static int stage_other(struct sync_job *j, struct ft_stage *stage, const struct sync_change *c)
{
	int error = 0;

	if (c->op == SYNC_REMOVE) {
		j->deleted++;
		error = ft_stage_remove(stage, c->path);
	} else if (c->op == SYNC_MODE) {
		error = ft_stage_mode(stage, c->path, c->node->mode);
	} else if (c->node->kind == FT_DIR) {
		j->dirs++;
		error = ft_stage_dir(stage, c->path, c->node->mode);
	} else if (c->node->kind == FT_LINK) {
		j->link_count++;
		error = ft_stage_link(stage, c->path, c->link);
	}
	return error ? sync_stage_error(j, c->path, error) : TBX_OK;
}

static int fetch_one(struct sync_job *j, struct ft_stage *stage, struct sync_change *c)
{
	if (!is_wanted(c, !stage))
		return stage ? stage_other(j, stage, c) : TBX_OK;
	return stage ? take_file(j, stage, c) : take_link(j, c);
}

/*
 * All changes into the stage in their order, or (stage NULL) the targets of all links, which are shown
 * too.
 */
static int fetch(struct sync_job *j, struct ft_stage *stage)
{
	struct wire_frame f;
	int status = TBX_OK;

	for (size_t i = 0; !status && i < j->plan.count; ) {
		size_t end = i + ask(j, i, !stage);

		status = sync_flush(j, 0);
		j->trips++;
		for (; !status && i < end; i++)
			status = fetch_one(j, stage, &j->plan.at[i]);
		if (!status)
			status = bx_answer(&j->c, &f, bx_step(j->store));
	}
	return status;
}

static int fetch_links(struct sync_job *j)
{
	for (size_t i = 0; i < j->plan.count; i++)
		if (is_wanted(&j->plan.at[i], true))
			return fetch(j, NULL);
	return TBX_OK;
}

/* ---- What happens here ---- */

/* While the changes were looked at somebody may have worked here. */
static int still_same(struct sync_job *j)
{
	struct ft_node now = {.kind = FT_DIR};
	int status = sync_scan(j, &now);

	if (!status && memcmp(now.hash, j->here.hash, FT_HASH))
		status = bx_fail(j->store, TBX_ERR_FILE, "%s: it changed while the changes were reviewed; nothing "
				 "was changed, try again", j->dir);
	ft_free(&now);
	return status;
}

/* Directories before what is in them: the order of the plan. */
static int apply(struct sync_job *j, struct ft_stage *stage)
{
	int status = fetch(j, stage), error;

	if (!status)
		status = still_same(j);
	if (status)
		return status;
	sync_show(j, true);
	error = ft_stage_commit(stage);
	return error ? sync_stage_error(j, "", error) : TBX_OK;
}

static int change(struct sync_job *j)
{
	struct ft_stage stage;
	int error, status;

	sync_stage(j, &stage);
	error = ft_stage_lock(&stage, j->root);
	sync_count(j);
	status = error ? sync_stage_error(j, "", error) : apply(j, &stage);
	ft_stage_end(&stage);
	return status;
}

/* The fingerprint is that of what is here now. */
static int look_again(struct sync_job *j)
{
	struct ft_node now = {.kind = FT_DIR};
	int status = sync_scan(j, &now);

	memcpy(j->there.hash, now.hash, FT_HASH);
	ft_free(&now);
	return status;
}

static int review(struct sync_job *j, bool *taken)
{
	struct tbx_doc *doc;
	json_t *root = json_object();
	int status;

	bx_put(root, "changes", sync_changes(j));
	bx_put(root, "skipped", sync_skipped(j));
	status = bx_doc(j->store, root, &doc);
	*taken = !status && (!j->opt->review || !j->opt->review(j->opt->ctx, doc));
	tbx_doc_free(doc);
	return status;
}

int tbx_sync_from(struct tbx_store *store, const struct tbx_sync *opt, struct tbx_doc **doc)
{
	struct sync_job j;
	const char *word = "received";
	bool taken = true;
	int status = sync_begin(store, opt, &j);

	if (!status)
		status = sync_scan(&j, &j.here);
	if (!status)
		status = sync_look(&j, WIRE_TREE_LOOK, true);
	if (!status)
		status = fetch_links(&j);
	if (!status && !j.plan.count)
		word = "unchanged";
	else if (!status && j.opt->dry)
		word = "planned";
	else if (!status)
		status = review(&j, &taken);
	if (!status && !taken)
		word = "refused";
	if (!status && !strcmp(word, "received"))
		status = change(&j);
	if (!status)
		status = look_again(&j);
	return sync_end(&j, status, word, doc);
}
