/* The memory filesystem beyond the contract: large trees, sharing, accounting. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/mem.h"
#include "vfs/mem_fs.h"

#include "tap.h"

static const struct tsb_caller who = { 1000, 1000, 1, { 5, 0 } };

static struct tsb_fs *mem(uint64_t bytes, uint64_t entries)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	opt.bytes_max = opt.file_bytes_max = bytes;
	opt.entries_max = entries;
	return tsb_mem_new(&opt);
}

static struct tsb_file *open_file(struct tsb_fs *fs, const char *path, int flags)
{
	struct tsb_file *f = calloc(1, fs->ops->file_size);
	*f = (struct tsb_file){ fs->ops, fs, flags };
	if (!fs->ops->open(fs, &who, path, flags, 0644, f))
		return f;
	free(f);
	return NULL;
}

static void close_file(struct tsb_file *f)
{
	f->ops->close(f);
	free(f);
}

static void put(struct tsb_fs *fs, const char *path, const char *text, size_t n)
{
	struct tsb_file *f = open_file(fs, path, O_WRONLY | O_CREAT);
	fs->ops->write_at(f, &who, text, n, 0);
	close_file(f);
}

static uint64_t bytes_used(struct tsb_fs *fs)
{
	struct tsb_statfs s;
	fs->ops->statfs(fs, &s);
	return s.bytes_total - s.bytes_free;
}

static uint64_t entries_used(struct tsb_fs *fs)
{
	struct tsb_statfs s;
	fs->ops->statfs(fs, &s);
	return s.entries_total - s.entries_free;
}

static void small(void)
{
	struct tsb_fs *fs = mem(1 << 20, 100), *b;
	ok(sizeof(struct memfs) <= 400, "an idle branch is at most 400 bytes");
	ok(sizeof(struct inode) <= 192, "an inode with its first bytes is small");
	is_int(fs->ops->branch(fs, &b), 0, "branch");
	is_int(vfs_mem_limit(b, 10, 2, 5), 0, "limits of a branch");
	put(b, "/f", "123456789", 9);
	is_int(bytes_used(b), 5, "hold for it");
	put(fs, "/f", "123456789", 9);
	is_int(bytes_used(fs), 9, "and not for its source");
	b->ops->free(b);
	fs->ops->free(fs);
}

static void free_of_charge(void)
{
	struct tsb_fs *fs = mem(1000, 3), *b;
	struct tsb_statfs s;
	put(fs, "/image", "x", 1);
	is_int(vfs_mem_free_of_charge(fs), 0, "an image free of charge");
	fs->ops->branch(fs, &b);
	b->ops->statfs(b, &s);
	ok(s.bytes_free == 1000 && s.entries_free == 3, "leaves all of the limits");
	b->ops->unlink(b, &who, "/image");
	b->ops->statfs(b, &s);
	ok(s.bytes_free == 1001 && s.entries_free == 4, "what is removed of it can be used");
	b->ops->free(b);
	fs->ops->free(fs);
}

/* Chains of 2,000 directories hung below one another: deeper than any path. */
static void deep(void)
{
	enum { CHAIN = 2000, CHAINS = 10 };
	struct tsb_fs *fs = mem(1000, 1u << 20);
	char *path = malloc(2 * CHAIN + 8), to[4 * CHAIN];
	int bad = 0;
	for (int chain = 0; chain < CHAINS; chain++) {
		strcpy(path, "/c");
		for (int i = 0; i < CHAIN; i++) {
			bad += fs->ops->mkdir(fs, &who, path, 0755) != 0;
			if (i + 1 < CHAIN)
				strcat(path, "/c");
		}
		/* The older chains go to the end of this one. */
		if (chain) {
			snprintf(to, sizeof(to), "%s/c", path);
			bad += fs->ops->rename(fs, &who, "/old", to, 0) != 0;
		}
		bad += fs->ops->rename(fs, &who, "/c", "/old", 0) != 0;
	}
	is_int(bad, 0, "a tree 20,000 deep");
	is_int(entries_used(fs), CHAIN * CHAINS, "is counted");
	fs->ops->free(fs);
	ok(true, "and freed without recursion");
	free(path);
}

static void wide(void)
{
	enum { FILES = 100000 };
	struct tsb_fs *fs = mem(1u << 30, 1u << 20), *b;
	struct tsb_stat st;
	char path[32];
	int bad = 0;
	for (int i = 0; i < FILES; i++) {
		sprintf(path, "/file%d", i * 7919 % FILES);
		put(fs, path, "content", 7);
	}
	is_int(entries_used(fs), FILES, "100,000 files in a directory");
	is_int(bytes_used(fs), FILES * 7, "their bytes");
	fs->ops->branch(fs, &b);
	for (int i = 0; i < FILES; i += 2) {
		sprintf(path, "/file%d", i);
		bad += b->ops->unlink(b, &who, path) != 0;
	}
	is_int(bad, 0, "half of them removed in a branch");
	is_int(entries_used(b), FILES / 2, "which counts the other half");
	for (int i = 0; i < FILES; i++) {
		sprintf(path, "/file%d", i);
		bad += fs->ops->lstat(fs, &who, path, &st) != 0;
		bad += (b->ops->lstat(b, &who, path, &st) == 0) != i % 2;
	}
	is_int(bad, 0, "every file where it should be");
	for (int i = 1; i < FILES; i += 2) {
		sprintf(path, "/file%d", i);
		bad += b->ops->unlink(b, &who, path) != 0;
	}
	ok(!bad && !entries_used(b) && !bytes_used(b), "emptied");
	b->ops->free(b);
	fs->ops->free(fs);
}

static void sparse(void)
{
	struct tsb_fs *fs = mem((uint64_t)1 << 62, 10);
	struct tsb_file *f = open_file(fs, "/f", O_RDWR | O_CREAT);
	struct tsb_stat st;
	char c = 'x';
	is_int(fs->ops->truncate(f, &who, (uint64_t)1 << 61), 0, "a hole of 2 EiB");
	is_int(bytes_used(fs), 0, "costs nothing");
	is_int(fs->ops->write_at(f, &who, &c, 1, ((uint64_t)1 << 61) - 1), 1, "its last byte");
	is_int(bytes_used(fs), 4096, "costs a page");
	fs->ops->fstat(f, &st);
	is_int(st.blocks, 8, "of eight blocks");
	is_int(fs->ops->truncate(f, &who, 3), 0, "cut");
	is_int(bytes_used(fs), 0, "given back");
	close_file(f);
	fs->ops->free(fs);
}

/* Big content, branched, changed here and there. */
static void big_content(void)
{
	enum { PAGES = 2000 };
	struct tsb_fs *fs = mem(1u << 30, 10), *b;
	char *buf = malloc(PAGES * 4096), *got = malloc(PAGES * 4096);
	struct tsb_file *f, *g;
	for (size_t i = 0; i < PAGES * 4096; i++)
		buf[i] = (char)(i / 4096 + i);
	put(fs, "/f", buf, PAGES * 4096);
	fs->ops->branch(fs, &b);
	f = open_file(b, "/f", O_RDWR);
	for (size_t i = 0; i < PAGES * 4096; i += 100001)
		b->ops->write_at(f, &who, "changed", 7, i);
	g = open_file(fs, "/f", O_RDWR);
	is_int(fs->ops->read_at(g, got, PAGES * 4096, 0), PAGES * 4096, "read all");
	ok(!memcmp(buf, got, PAGES * 4096), "the source is untouched");
	for (size_t i = 0; i < PAGES * 4096; i += 100001)
		memcpy(buf + i, "changed", i + 7 <= PAGES * 4096 ? 7 : PAGES * 4096 - i);
	b->ops->read_at(f, got, PAGES * 4096, 0);
	ok(!memcmp(buf, got, PAGES * 4096), "the branch is changed");
	is_int(bytes_used(b), PAGES * 4096, "and charged as a whole");
	is_int(b->ops->truncate(f, &who, 5000), 0, "cut in the branch");
	is_int(bytes_used(b), 5000, "charged what is left");
	is_int(fs->ops->read_at(g, got, 10, 8000000), 10, "not in the source");
	close_file(f);
	close_file(g);
	b->ops->free(b);
	fs->ops->free(fs);
	free(buf);
	free(got);
}

static void restore_within_quota(void)
{
	struct tsb_fs *fs = mem(100, 10), *big = mem(1000, 10);
	char text[200];
	memset(text, 'x', sizeof(text));
	put(fs, "/f", "old", 3);
	put(big, "/f", text, 200);
	is_int(fs->ops->restore(fs, big), -ENOSPC, "restore: too large");
	is_int(bytes_used(fs), 3, "restore: nothing has changed");
	is_int(big->ops->restore(big, fs), 0, "restore: the other way");
	is_int(bytes_used(big), 3, "restore: counted");
	big->ops->free(big);
	fs->ops->free(fs);
}

static struct tsb_fs *shared_base, *shared_fs;

/* Branches the base again and again, and works in one filesystem with the others. */
static void *worker(void *arg)
{
	char path[32];
	for (int i = 0; i < 300; i++) {
		struct tsb_fs *b;
		struct tsb_stat st;
		shared_base->ops->branch(shared_base, &b);
		for (int k = 0; k < 20; k++) {
			sprintf(path, "/f%d", (i * 20 + k) % 200);
			put(b, path, "changed", 7);
			b->ops->unlink(b, &who, path);
		}
		b->ops->free(b);
		sprintf(path, "/w%d-%d", *(int *)arg, i);
		put(shared_fs, path, "mine", 4);
		shared_fs->ops->rename(shared_fs, &who, path, "/common", 0);
		shared_fs->ops->lstat(shared_fs, &who, "/common", &st);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];
	int id[4], missing = 0;
	struct tsb_stat st;
	char path[32];
	shared_base = mem(1u << 20, 1000);
	shared_fs = mem(1u << 20, 1000);
	for (int i = 0; i < 200; i++) {
		sprintf(path, "/f%d", i);
		put(shared_base, path, "base", 4);
	}
	for (int i = 0; i < 4; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, worker, &id[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 200; i++) {
		sprintf(path, "/f%d", i);
		missing += shared_base->ops->lstat(shared_base, &who, path, &st) != 0 ||
			   st.size != 4;
	}
	is_int(missing, 0, "threads: the base is untouched");
	is_int(entries_used(shared_fs), 1, "threads: one filesystem of many");
	is_int(bytes_used(shared_fs), 4, "threads: counts exactly");
	shared_base->ops->free(shared_base);
	shared_fs->ops->free(shared_fs);
}

int main(void)
{
	small();
	free_of_charge();
	deep();
	wide();
	sparse();
	big_content();
	restore_within_quota();
	threads();
	return done();
}
