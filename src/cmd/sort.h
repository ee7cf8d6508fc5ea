/*
 * sort's parts: keys (sort_key.c), numbers in keys (sort_number.c), the order
 * in memory (sort_memory.c), --debug (sort_debug.c), options (sort_options.c), files (sort.c).
 */
#ifndef CMD_SORT_H
#define CMD_SORT_H

#include <stdint.h>

#include <tinysandbox/command.h>

#include "cmd/lines.h"

#define SORT_NO_WORD SIZE_MAX
#define SORT_FAILURE 2

enum sort_ignore { SORT_IGNORE_NONE, SORT_IGNORE_NONDICTIONARY, SORT_IGNORE_NONPRINTING };

struct sort_key {
	size_t sword, schar;	/* sword SORT_NO_WORD: from the start of the line */
	size_t eword, echar;	/* eword SORT_NO_WORD: to its end */
	bool skip_start, skip_end;	/* -b of the two positions */
	enum sort_ignore ignore;
	bool fold, numeric, general, human, month, random, reverse, version;
	bool obsolete;		/* given as +1 -2 */
	struct sort_key *next;
};

struct sort_line {
	const char *at;
	size_t n;		/* without the delimiter */
};

struct sort {
	struct tsb_proc *p;
	struct sort_key global, *keys, *last_key, *open_key;
	const char *output;
	const char *files0, *random_source, *compress, *temp;
	size_t batch;		/* files that are merged at once; 0: 16 */
	bool stable, unique, merge, zero, debug;
	int check;		/* 0, 'c' or 'C' */
	int tab;		/* -1: blanks */
	int delim;
	int status;		/* of options: the first error */
	uint8_t fold_table[256], blank[256];
	uint8_t ignored[3][256];
	unsigned char seed[16];	/* -R */
	struct sink out;
	size_t written;
};

/* ---- sort_key.c ---- */
struct sort_key *sort_key_new(struct sort *s);
/* -k POS1[,POS2]; 0 or the exit status. */
int sort_key_parse(struct sort *s, const char *arg);
/* Option letters at *at for a key; where the first other character is. which:
 * 1 the start's -b, 2 the end's, 3 both. */
const char *sort_key_letters(struct sort_key *k, const char *at, int which);
bool sort_key_default(const struct sort_key *k);	/* has no ordering option but -r */
void sort_key_opts(const struct sort_key *k, char out[16]);
void sort_tables(struct sort *s);
struct sort_line sort_key_text(const struct sort *s, const struct sort_key *k,
			       const struct sort_line *line);
/* Compares by the keys from k on, without the last resort. */
/* Of two texts of that key, as sort_key_text() gives them. */
int sort_compare_texts(struct sort *s, const struct sort_key *k, const struct sort_line *a,
		       const struct sort_line *b);
int sort_compare_keys(struct sort *s, const struct sort_key *k, const struct sort_line *a,
		      const struct sort_line *b);
/* The whole order, with the last resort unless -s or -u. */
int sort_compare(struct sort *s, const struct sort_line *a, const struct sort_line *b);
static inline bool sort_has_last_resort(const struct sort *s)
{
	return !s->stable && !s->unique;
}
int sort_compare_bytes(const struct sort_line *a, const struct sort_line *b);

/* ---- sort_number.c ---- */
int sort_compare_numeric(const struct sort_line *a, const struct sort_line *b);
int sort_compare_human(const struct sort_line *a, const struct sort_line *b);
int sort_compare_general(struct sort *s, const struct sort_line *a, const struct sort_line *b);
int sort_compare_random(struct sort *s, const struct sort_line *a, const struct sort_line *b);
int sort_month(const struct sort_line *a);
/* 64 bits that order as the numbers do; *exact: equal bits mean equal numbers. */
uint64_t sort_prefix_numeric(const struct sort_line *a, bool *exact);
uint64_t sort_prefix_human(const struct sort_line *a, bool *exact);
uint64_t sort_prefix_general(struct sort *s, const struct sort_line *a);
/* How many bytes of the text are the number (for --debug). */
size_t sort_number_length(struct sort *s, const struct sort_key *k, const struct sort_line *a);

/* ---- sort_memory.c ---- */
/* Sorts and writes all lines of text (each ends with the delimiter). */
void sort_memory(struct sort *s, const char *text, size_t n);

/* ---- sort_debug.c ---- */
void sort_debug_warnings(struct sort *s);
void sort_debug_line(struct sort *s, const struct sort_line *line);

/* ---- sort_options.c ---- */
extern const struct tsb_opt sort_opts[];
extern const struct sort sort_defaults;
int sort_incompatible(struct sort *s, const char *opts);	/* the exit status */
/* The arguments with +POS [-POS] as options of a name that nobody can type. */
char **sort_modern(struct tsb_proc *p, int *argc, char **argv);

/* ---- sort.c ---- */
void sort_write(struct sort *s, const struct sort_line *line);

#endif
