/*
 * Every member of an archive in turn: those that are wanted go to the action,
 * the rest is passed over.
 */
#include <string.h>
#include <sys/stat.h>

#include "cmd/tar/tar.h"
#include "cmd/util.h"
#include "text/pattern.h"

void tar_skip_member(struct tar *t)
{
	tar_skip(t, t->m.stored);
}

static bool tar_is_old(const struct tar *t)
{
	return t->newer_set && util_time_cmp(t->m.st.mtime, t->newer) < 0;
}

static bool tar_is_label(const struct tar *t)
{
	return t->m.type == 'V';
}

/* What is left of the name goes by --strip-components and --transform. */
static void tar_change_names(struct tar *t)
{
	struct tar_member *m = &t->m;
	char *name = tar_transform(t, m->name, TAR_XFORM_FILE);

	if (tar_is_label(t))
		return;
	name = tsb_strdup(t->p, tar_safe_name(t, name, false));
	if (t->strip) {
		name = tar_strip(t, name);
		m->name = name ? name : tsb_strdup(t->p, "");
	} else {
		m->name = name;
	}
	if (m->type == '1') {
		m->link_name = tar_safe_name(t, tar_transform(t, m->link_name, TAR_XFORM_LINK),
					     true);
		if (t->strip) {
			name = tar_strip(t, m->link_name);
			m->link_name = name ? name : "";
		}
	} else if (m->type == '2') {
		m->link_name = tar_transform(t, m->link_name, TAR_XFORM_SYMLINK);
	}
	if (t->one_top_level && (t->action == TAR_EXTRACT || t->action == TAR_DIFF ||
				 t->show_transformed) && *m->name) {
		const char *at = m->name;
		size_t n = strlen(t->one_top_level);

		while (at[0] == '.' && at[1] == '/')
			at += 2 + strspn(at + 2, "/");
		if (!strcmp(at, "."))
			at = "";
		if (strncmp(at, t->one_top_level, n) || (at[n] && at[n] != '/'))
			m->name = *at ? tsb_format(t->p, "%s/%s", t->one_top_level, at)
				      : tsb_strdup(t->p, t->one_top_level);
	}
}

void tar_check_label(struct tar *t)
{
	struct pattern *want;

	if (!t->label || t->label_checked)
		return;
	t->label_checked = true;
	if (!tar_is_label(t))
		tar_fatal(t, "Archive not labeled to match %s", tar_quote_word(t, t->label));
	want = pattern_compile(tsb_heap_of(t->p), t->label, strlen(t->label), 0);
	if (!pattern_match(want, t->m.orig_name, strlen(t->m.orig_name)))
		tar_fatal(t, "Volume %s does not match %s", tar_quote_word(t, t->m.orig_name),
			  tar_quote_word(t, t->label));
}

void tar_global_label(struct tar *t, bool print)
{
	struct tar_member first = t->m;
	bool tells = t->action == TAR_LIST || (t->action == TAR_EXTRACT && t->verbose);

	if (!t->volume_label)
		return;
	t->m = (struct tar_member){ .type = 'V', .uname = "", .gname = "" };
	t->m.st.mtime.sec = t->start.sec;
	t->m.orig_name = t->m.name = tsb_strdup(t->p, t->volume_label);
	tar_check_label(t);
	if (print)
		t->volume_label = NULL;
	if (print && tells)
		tar_print_header(t, &t->m);
	t->m = first;
}

static void tar_one_member(struct tar *t, void (*each)(struct tar *t))
{
	struct tar_member *m = &t->m;
	bool wanted;

	tar_global_label(t, false);
	tar_check_label(t);
	wanted = tar_wanted(t, m->name) && !tar_is_old(t) && !tar_excluded(t, m->name);
	if (wanted || tar_is_label(t)) {
		tar_global_label(t, true);
		tar_change_names(t);
		if (m->sparse_bad && t->action != TAR_LIST)
			tar_skip_member(t);
		else
			each(t);
		if (m->sparse_bad)
			tar_sparse_bad(t, m);
		return;
	}
	if (m->type == '5' && t->show_omitted)
		tar_say(t, "%s: Omitting", tar_quote_colon(t, m->name));
	tar_skip_member(t);
}

static void tar_say_block(struct tar *t, const char *what)
{
	char *text;

	if (!t->block_numbers)
		return;
	text = tsb_format(t->p, "block %llu: ** %s **\n", (unsigned long long)t->m.at_block, what);
	tar_out(t, text, strlen(text));
}

/* Behind a block of zeros: is that the end? */
static bool tar_at_zeros(struct tar *t)
{
	uint64_t at = t->m.at_block;
	unsigned char *b;

	tar_say_block(t, "Block of NULs");
	if (t->ignore_zeros)
		return false;
	b = tar_block(t);
	if (!b || (!b[0] && !memcmp(b, b + 1, TAR_BLOCK - 1)))
		return true;
	tar_warn(t, TAR_W_ALONE_ZERO_BLOCK, "A lone zero block at %llu",
		 (unsigned long long)at + 1);
	return true;
}

void tar_read_all(struct tar *t, void (*each)(struct tar *t))
{
	enum tar_header last = TAR_H_UNREAD, status;
	bool done = false;

	tar_open(t, TAR_READ);
	while (!done && !tar_all_found(t)) {
		tsb_tick(t->p, 1);
		status = tar_read_header(t);
		switch (status) {
		case TAR_H_OK:
			tar_one_member(t, each);
			break;
		case TAR_H_ZERO:
			done = tar_at_zeros(t);
			break;
		case TAR_H_END: case TAR_H_UNREAD:
			if (t->block_numbers) {
				t->m.at_block = tar_block_number(t);
				tar_say_block(t, "End of File");
			}
			done = true;
			break;
		case TAR_H_BAD:
			if (last == TAR_H_UNREAD)
				tar_error(t, "This does not look like a tar archive");
			if (last != TAR_H_BAD)
				tar_error(t, "Skipping to next header");
			break;
		}
		last = status;
	}
	if (t->label && !t->label_checked && t->action != TAR_CREATE)
		tar_fatal(t, "Archive not labeled to match %s", tar_quote_word(t, t->label));
	tar_close(t);
	tar_enter_dir(t, 0);
}

/* --test-label: without names it is printed, else it must be one of them. */
void tar_test_label(struct tar *t)
{
	bool any = false, same = false;

	tar_open(t, TAR_READ);
	if (tar_read_header(t) != TAR_H_OK || (!tar_is_label(t) && !t->volume_label))
		t->m.name = NULL;
	else if (t->volume_label)
		t->m = (struct tar_member){ .type = 'V', .uname = "", .gname = "",
			.name = tsb_strdup(t->p, t->volume_label), .orig_name = t->volume_label };
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		any |= name->kind == TAR_NAME_FILE;
		same |= t->m.name && !strcmp(name->text, t->m.name);
		name->found = 1;
	}
	if (t->label && !t->m.name)
		tar_fatal(t, "Archive not labeled to match %s", tar_quote_word(t, t->label));
	if (t->m.name)
		tar_check_label(t);
	if (t->m.name && t->verbose && !any) {
		t->verbose = 2;		/* in long, but of the header only its name is read */
		t->m.st.mtime = (struct tsb_time){ t->volume_label ? t->start.sec : 0, 0 };
		tar_print_header(t, &t->m);
	} else if (t->m.name && (!any || t->verbose)) {
		tar_out(t, t->m.name, strlen(t->m.name));
		tar_out(t, "\n", 1);
	}
	if (any && !same) {
		if (t->verbose)
			tar_say(t, "Archive label mismatch");
		t->status = t->status ? t->status : 1;
	}
	tar_close(t);
}
