/* Shared by the files of cgroup.h. */
#ifndef INIT_CGROUP_IN_H
#define INIT_CGROUP_IN_H

#include "init/cgroup.h"

#define CG_NAME_MAX 96

struct cgroup {
	char name[CG_NAME_MAX];		/* tinybox-BOX */
	/* v2: directory below which ours is, ours, its init and its run; -1: none */
	int base, box, init, run;
	int spare;			/* an empty group of an exec that has ended, for the next; -1 */
	char spare_name[64];
	bool with[CGROUP_V1];		/* v2 holds this controller for us */
	/* v1: the directory below which ours is, and ours */
	int v1_base[CGROUP_V1], v1[CGROUP_V1];
	uint64_t memory;
	uint32_t pids, cpu;
	/*
	 * In a container, whose groups others made: these of v1 can be read only, so that no exec gets limits
	 * of its own by them; look is v2's, -1 elsewhere.
	 */
	bool fixed[CGROUP_V1];
	int look;
};

/* Small files of a directory. */
bool cg_write(int dir, const char *name, const char *text);
bool cg_write_number(int dir, const char *name, uint64_t n);
/* At most size - 1 bytes, NUL-ended; -1: errno. */
int cg_read(int dir, const char *name, char *buf, size_t size);
/* The number of the line that begins with key ("": the whole file). False: none. */
bool cg_number(int dir, const char *name, const char *key, uint64_t *n);
int cg_dir(int at, const char *name);		/* opens a directory, or -1 */
int cg_make_dir(int at, const char *name);	/* makes it, too */
/* Whether the file of words has this one. */
bool cg_has_word(int dir, const char *file, const char *word);

/* Where groups can be made (cgroup_find.c). */
extern const char *const cg_v1_name[CGROUP_V1];
/*
 * The nearest directory of v2, from our own group up, below which we can make one, with as many of the
 * wanted controllers as there can be; got[] says which. -1: none.
 */
int cg_find_v2(const bool *want, bool *got);
int cg_find_v1(enum cgroup_v1 which);
/* Our own group, to be read; NULL: v2's. -1: none. */
int cg_open_own(const char *controller);
/* That of a process, if part is in its name. */
int cg_open_of(pid_t pid, const char *controller, const char *part);
/* Each directory of v2 that may hold a group of ours. */
void cg_each_v2(void (*f)(int dir, void *ctx), void *ctx);

bool cg_remove(int base, const char *name);
void cg_limit_v2(int dir, uint64_t memory, uint32_t pids, uint32_t cpu, bool *ok);
bool cg_limit_v1(enum cgroup_v1 which, int dir, uint64_t memory, uint32_t pids, uint32_t cpu);

#endif
