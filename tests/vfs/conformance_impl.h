/* Shared by the two files of the conformance suite. */
#ifndef TESTS_VFS_CONFORMANCE_IMPL_H
#define TESTS_VFS_CONFORMANCE_IMPL_H

#include <stdbool.h>

#include "conformance.h"

struct suite {
	tsb_conformance_make_fn *make;
	tsb_conformance_report_fn *report;
	void *ctx;
	unsigned lacks;
	int failures, checks;
	struct tsb_fs *fs;		/* the filesystem of the test that runs */
	struct tsb_caller who;
};

bool suite_check(struct suite *s, bool good, const char *name, const char *detail);
bool suite_check_int(struct suite *s, long long got, long long want, const char *name);
#define CHECK(s, cond, name) suite_check((s), (cond), (name), #cond)
#define EQUAL(s, got, want, name) \
	suite_check_int((s), (long long)(got), (long long)(want), (name))

/* A new filesystem with these limits becomes s->fs. */
void suite_fresh(struct suite *s, uint64_t bytes, uint64_t entries, uint64_t file_bytes);
void suite_end(struct suite *s);

/* An open file of s->fs (or fs), or NULL with *rc. */
struct tsb_file *suite_open(struct suite *s, struct tsb_fs *fs, const char *path, int flags,
			    uint32_t mode, int *rc);
int suite_close(struct tsb_file *f);
void suite_usage(struct tsb_fs *fs, uint64_t *bytes, uint64_t *entries);

/* conformance_model.c */
void suite_random(struct suite *s);

#endif
