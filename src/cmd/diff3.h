/*
 * diff3's parts: the two differences and what they are together (diff3_make),
 * their output (diff3_show), options (diff3.c).
 */
#ifndef CMD_DIFF3_H
#define CMD_DIFF3_H

#include "base/str.h"
#include "base/vec.h"
#include "cmd/diffutils.h"

/* Lines low .. high of a file, from 1; high is low - 1 if there are none. */
struct diff3_range {
	int64_t low, high;
	struct slice *line;
};

/* A difference of two files: [0] of the one, [1] of the common one. */
struct diff3_pair {
	struct diff3_range of[2];
};
typedef VEC(struct diff3_pair) diff3_pairs;

/* Which of the three differs from the others. */
enum diff3_kind { DIFF3_FIRST, DIFF3_SECOND, DIFF3_THIRD, DIFF3_ALL };

struct diff3_block {
	enum diff3_kind kind;
	struct diff3_range of[3];	/* [2]: the common file */
};

struct diff3 {
	struct tsb_proc *p;
	bool show_second, flagging, overlap_only, simple_only, final_write, merge, text;
	bool strip_cr, initial_tab, script;
	int way, ways;			/* how many of -A -e -E -3 -x -X */
	const char *program, *label[3];
	int n_labels;

	const char *file[3];
	int inside[3], outside[3];	/* operand -> place in blocks, and back */
	int64_t horizon;
	VEC(struct diff3_block) blocks;
};

/* The differences between two files, by the program. */
void diff3_read(struct diff3 *d, const char *a, const char *b, diff3_pairs *out);
void diff3_join(struct diff3 *d, const diff3_pairs threads[2]);

void diff3_show(struct diff3 *d);
bool diff3_show_script(struct diff3 *d);
bool diff3_show_merge(struct diff3 *d);

#endif
