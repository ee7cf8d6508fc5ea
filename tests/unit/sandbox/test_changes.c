/*
 * tsb_save_changes(), tsb_load_changes(): what is loaded is what was there, after any work on
 * the files; a set that is torn or changed anywhere is not taken, and nothing crashes on it.
 */
#include "box.h"

#include <sys/mman.h>

struct bytes {
	char *data;
	size_t n, cap, fail_at;
};

static int add(void *ctx, int fd, const void *data, size_t n)
{
	struct bytes *b = ctx;

	(void)fd;
	if (b->fail_at && b->n + n > b->fail_at)
		return -1;
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->data = realloc(b->data, b->cap);
	}
	memcpy(b->data + b->n, data, n);
	b->n += n;
	return 0;
}

static void do_script(struct tsb_sandbox *box, const char *script)
{
	struct tsb_result *r;

	if (tsb_run(box, script, NULL, &r) == TSB_OK)
		tsb_result_free(r);
}

/* The same files, byte for byte and name for name. */
static bool same(struct tsb_sandbox *a, struct tsb_sandbox *b)
{
	struct bytes x = { 0 }, y = { 0 };
	bool equal;

	tsb_save(a, add, &x);
	tsb_save(b, add, &y);
	equal = x.n == y.n && !memcmp(x.data, y.data, x.n);
	free(x.data);
	free(y.data);
	return equal;
}

static struct tsb_sandbox *load(const struct bytes *b, size_t n, size_t *used, int *rc)
{
	struct tsb_sandbox *box = new_box(NULL);
	struct tsb_mark *mark = NULL;

	*rc = tsb_load_changes(box, b->data, n, used, &mark);
	tsb_mark_free(mark);
	return box;
}

static const char *const works[] = {
	"echo hi > a; mkdir -p d/e; ln -s a l; ln a h; mkfifo p",
	"seq 100000 > big; cp big d/e; chmod 600 a; touch -d 2001-01-01 d",
	"rm h; mv d/e/big d/x; rmdir d/e; echo more >> a",
	"truncate -s 5000 big; truncate -s 900000 big; echo tail >> big",
	"truncate -s 100000 d/x; printf x | dd of=d/x bs=1 seek=50000 conv=notrunc 2>/dev/null",
	"for i in {1..300}; do echo $i > d/f$i; done",
	"rm d/f1*; for i in {1..40}; do mv d/f2$i d/g$i 2>/dev/null; done; ln -s $(printf 'x%.0s' {1..200}) long",
	"rm -r d; mkdir d; mkdir d/d; mv d d2; > a; rm big; cp -r /etc e",
	"truncate -s 40M sparse; printf z | dd of=sparse bs=1 seek=39000000 conv=notrunc 2>/dev/null",
	"echo short > big; mv big sparse; rm -rf e; ln -sf b l; mknod q p",
};

static void test_works(void)
{
	struct tsb_limits limits;
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_sandbox *box, *copy;
	struct tsb_mark *mark = NULL;
	struct bytes b = { 0 };
	size_t used, before;
	int rc;

	tsb_limits_default(&limits);
	limits.file_bytes = 8ull << 30;
	opt.limits = &limits;
	box = new_box(&opt);
	is_int(tsb_save_changes(box, &mark, add, &b), TSB_OK, "the first set");
	ok(b.n > 1000 && b.n < 100000, "is the base image");
	before = b.n;
	is_int(tsb_save_changes(box, &mark, add, &b), TSB_OK, "nothing has changed");
	is_int(b.n, before, "so there is nothing to write");
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		do_script(box, works[i]);
		is_int(tsb_save_changes(box, &mark, add, &b), TSB_OK, "saved");
		copy = load(&b, b.n, &used, &rc);
		is_int(rc, TSB_OK, "loaded");
		is_int(used, b.n, "all of it");
		ok(same(box, copy), works[i]);
		tsb_sandbox_close(copy);
	}
	do_script(box, "seq 1000000 > f");
	tsb_save_changes(box, &mark, add, &b);
	before = b.n;
	do_script(box, "echo x >> f");
	tsb_save_changes(box, &mark, add, &b);
	ok(b.n - before < 8000, "one line more costs a page, not the file");
	before = b.n;
	do_script(box, "echo y >> f");
	b.fail_at = b.n + 100;
	ok(tsb_save_changes(box, &mark, add, &b) != TSB_OK, "a write fails");
	b.fail_at = 0;
	b.n = before;
	is_int(tsb_save_changes(box, &mark, add, &b), TSB_OK, "and is done again");
	copy = load(&b, b.n, &used, &rc);
	ok(same(box, copy), "whole");
	tsb_sandbox_close(copy);
	tsb_mark_free(mark);
	tsb_sandbox_close(box);
	free(b.data);
}

/* The load of a store goes on where it was. */
static void test_going_on(void)
{
	struct tsb_sandbox *box = new_box(NULL), *copy = new_box(NULL), *third;
	struct tsb_mark *mark = NULL, *mark2 = NULL;
	struct bytes b = { 0 };
	size_t used;
	int rc;

	do_script(box, "seq 10 > a; mkdir d");
	tsb_save_changes(box, &mark, add, &b);
	is_int(tsb_load_changes(copy, b.data, b.n, &used, &mark2), TSB_OK, "loaded");
	do_script(copy, "seq 20 > d/b; rm a");
	is_int(tsb_save_changes(copy, &mark2, add, &b), TSB_OK, "goes on");
	third = load(&b, b.n, &used, &rc);
	ok(same(copy, third), "in the same list");
	tsb_mark_free(mark);
	tsb_mark_free(mark2);
	tsb_sandbox_close(box);
	tsb_sandbox_close(copy);
	tsb_sandbox_close(third);
	free(b.data);
}

static void torn_maps(const struct bytes *b)
{
	size_t used, wrong = 0;

	for (size_t n = 0; n < b->n; n += b->n / 50) {
		struct tsb_sandbox *torn = new_box(NULL);
		struct tsb_mark *m = NULL;

		tsb_map_changes(torn, b->data, n, true, &used, &m);
		wrong += used != 0;
		tsb_mark_free(m);
		tsb_sandbox_close(torn);
	}
	is_int(wrong, 0, "a torn one is not there, trusted or not");
}

/* Two lists, one above the other, mapped: nothing of them is copied, and nobody writes to them. */
static void test_mapped(void)
{
	struct tsb_sandbox *box = new_box(NULL), *one = new_box(NULL), *two = new_box(NULL);
	struct tsb_mark *mark = NULL, *base, *m1 = NULL, *m2 = NULL;
	struct bytes low = { 0 }, high = { 0 }, whole = { 0 }, before;
	size_t used;

	do_script(box, "seq 100000 > big; echo small > s; mkdir d; cp big d/b");
	tsb_save_changes(box, &mark, add, &low);
	base = tsb_mark_copy(mark);
	do_script(box, "rm d/b; echo more >> big; printf x | dd of=big bs=1 seek=70000 conv=notrunc 2>/dev/null");
	tsb_save_changes(box, &mark, add, &high);
	before.data = malloc(low.n);
	memcpy(before.data, low.data, low.n);
	is_int(tsb_map_changes(one, low.data, low.n, false, &used, &m1), TSB_OK, "the lower one");
	is_int(used, low.n, "all of it");
	is_int(tsb_map_changes(one, high.data, high.n, true, &used, &m1), TSB_OK, "the upper one, trusted");
	is_int(used, high.n, "all of it");
	ok(same(box, one), "together they are what was saved");
	is_int(tsb_map_changes(two, low.data, low.n, true, &used, &m2), TSB_OK, "for another one");
	do_script(one, "for i in 0 5000 9000 300000; do printf zz | dd of=big bs=1 seek=$i conv=notrunc 2>/dev/null; done; "
		       "truncate -s 100 d/b; truncate -s 20000 big; echo tail >> s");
	do_script(two, "echo two >> d/b; truncate -s 7 big; cat d/b d/b > c");
	ok(!memcmp(before.data, low.data, low.n), "writes do not reach it");
	ok(!same(one, two), "nor one another");
	is_int(tsb_save_changes(one, &m1, add, &whole), TSB_OK, "what is new is saved");
	ok(whole.n < 60000, "and nothing else");
	tsb_mark_free(m1);
	m1 = NULL;
	whole.n = 0;
	is_int(tsb_save_changes(one, &m1, add, &whole), TSB_OK, "or all of it");
	tsb_mark_free(m2);
	tsb_sandbox_close(two);
	two = new_box(NULL);
	m2 = NULL;
	is_int(tsb_load_changes(two, whole.data, whole.n, &used, &m2), TSB_OK, "which is loaded");
	ok(same(one, two), "as it was");
	whole.n = 0;
	is_int(tsb_save_changes(box, &base, add, &whole), TSB_OK, "a copy of a mark is of its own moment");
	is_int(whole.n, high.n, "and knows what came after it");
	torn_maps(&low);
	ok(!tsb_mark_copy(NULL), "of none there is no copy");
	tsb_mark_free(mark);
	tsb_mark_free(base);
	tsb_mark_free(m1);
	tsb_mark_free(m2);
	tsb_sandbox_close(box);
	tsb_sandbox_close(one);
	tsb_sandbox_close(two);
	free(before.data);
	free(low.data);
	free(high.data);
	free(whole.data);
}

/* What was saved is mapped where it was said that it would be. */
static void *map_image(uint64_t at, const struct bytes *b)
{
	void *p = mmap((void *)(uintptr_t)at, b->n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != MAP_FAILED)
		memcpy(p, b->data, b->n);
	return p == MAP_FAILED ? NULL : p;
}

static void not_images(const struct bytes *low, const struct tsb_memory *there, struct tsb_mark *m, uint64_t at)
{
	struct bytes none = { 0 };

	is_int(tsb_save_image(m, at, there, 0, add, &none), TSB_ERR_SUPPORT, "content that will not be there");
	is_int(tsb_save_image(m, at + 4, there, 1, add, &none), TSB_ERR_SUPPORT, "a crooked address");
	none.fail_at = 100;
	is_int(tsb_save_image(m, at, there, 1, add, &none), TSB_ERR_FILE, "where nothing can be written");
	is_int(tsb_save_image(NULL, at, there, 1, add, &none), TSB_ERR_ARGUMENT, "no mark");
	ok(low->n && none.n <= 100, "nothing more was written");
	free(none.data);
}

/* Two layers, each with an image; the upper one's points into the lower one's. */
static void test_image(void)
{
	const uint64_t at[] = { UINT64_C(0x210000000000), UINT64_C(0x220000000000) };
	struct tsb_sandbox *box = new_box(NULL), *one = new_box(NULL), *two = new_box(NULL), *read = new_box(NULL);
	struct tsb_mark *mark = NULL, *m1 = NULL, *m2 = NULL;
	struct bytes low = { 0 }, high = { 0 }, image = { 0 }, upper = { 0 };
	struct tsb_memory there[3];
	char *data[2];
	size_t used;

	for (size_t i = 0; i < sizeof(works) / sizeof(*works) - 4; i++)
		do_script(box, works[i]);
	tsb_save_changes(box, &mark, add, &low);
	tsb_map_changes(read, low.data, low.n, true, &used, &m1);
	there[0] = (struct tsb_memory){ low.data, low.n };
	not_images(&low, there, m1, at[0]);
	is_int(tsb_save_image(m1, at[0], there, 1, add, &image), TSB_OK, "an image");
	ok(image.n < low.n / 2, "of which the content is no part");
	data[0] = map_image(at[0], &image);
	tsb_mark_free(m1);
	m1 = NULL;
	is_int(tsb_map_image(one, image.data, image.n, &m1), TSB_ERR_FORMAT, "at another address it is none");
	is_int(tsb_map_image(one, data[0], 50, &m1), TSB_ERR_FORMAT, "nor a part of it");
	is_int(tsb_map_image(one, data[0], image.n, &m1), TSB_OK, "at its own it is");
	is_int(tsb_map_image(two, data[0], image.n, &m2), TSB_OK, "for any number of sandboxes");
	ok(same(box, one) && same(read, two), "with all that was there");

	do_script(one, "seq 5 >> a; rm -rf d2/d; mkdir -p n/m; cp big n/m/b; for i in {1..100}; do echo $i > n/f$i; done");
	ok(!same(one, two) && same(read, two), "writes are one's own");
	tsb_save_changes(one, &m1, add, &high);
	there[1] = (struct tsb_memory){ data[0], image.n };
	is_int(tsb_save_image(m1, at[1], there, 2, add, &upper), TSB_OK, "an image above an image");
	data[1] = map_image(at[1], &upper);
	tsb_sandbox_close(read);
	read = new_box(NULL);
	tsb_mark_free(m2);
	m2 = NULL;
	is_int(tsb_map_image(read, data[1], upper.n, &m2), TSB_OK, "is mapped");
	ok(same(one, read), "it has all of both");
	is_int(tsb_map_changes(two, high.data, high.n, false, &used, &m1), TSB_OK, "sets go on above an image");
	ok(same(one, two), "just so");
	do_script(read, "rm -rf n d d2 e; > big; find . -type f | xargs rm -f");
	do_script(two, "find . | sort | tail -3; cat n/m/b | cksum; rm -r n");
	ok(same(box, box), "all of it can go");
	tsb_mark_free(mark);
	tsb_mark_free(m1);
	tsb_mark_free(m2);
	tsb_sandbox_close(box);
	tsb_sandbox_close(one);
	tsb_sandbox_close(two);
	tsb_sandbox_close(read);
	munmap(data[0], image.n);
	munmap(data[1], upper.n);
	free(low.data);
	free(high.data);
	free(image.data);
	free(upper.data);
}

static void test_damage(void)
{
	struct tsb_sandbox *box = new_box(NULL), *copy;
	struct tsb_mark *mark = NULL;
	struct bytes b = { 0 };
	size_t used, first, wrong = 0, step;
	int rc;

	tsb_save_changes(box, &mark, add, &b);
	first = b.n;
	do_script(box, "seq 2000 > a; mkdir d; ln -s x y; rm /etc/issue");
	tsb_save_changes(box, &mark, add, &b);
	step = b.n / 500 + 1;
	for (size_t n = 0; n < b.n; n += step) {
		copy = load(&b, n, &used, &rc);
		wrong += rc != TSB_OK || used != (n < first ? 0 : first);
		tsb_sandbox_close(copy);
	}
	is_int(wrong, 0, "a torn set is not there, those before it are");
	for (size_t at = 0; at < b.n; at += step) {
		b.data[at] ^= 0x41;
		copy = load(&b, b.n, &used, &rc);
		wrong += used == b.n;
		tsb_sandbox_close(copy);
		b.data[at] ^= 0x41;
	}
	is_int(wrong, 0, "nor is one with a wrong byte");
	is_int(tsb_load_changes(box, b.data, b.n, &used, NULL), TSB_ERR_ARGUMENT, "no mark");
	tsb_mark_free(mark);
	tsb_sandbox_close(box);
	free(b.data);
}

int main(void)
{
	test_works();
	test_going_on();
	test_mapped();
	test_image();
	test_damage();
	return done();
}
