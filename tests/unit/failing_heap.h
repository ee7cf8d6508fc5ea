#ifndef TEST_FAILING_HEAP_H
#define TEST_FAILING_HEAP_H
/*
 * An allocator for a whole test program whose n-th call fails: set countdown to n and armed, and look whether live came
 * back to what it was. Sanitizers have an allocator of their own: there FAILING_HEAP_SKIPS is defined, and main()
 * says so.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING_HEAP_SKIPS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define FAILING_HEAP_SKIPS 1
#endif
#endif

#ifdef FAILING_HEAP_SKIPS
int main(void)
{
	printf("1..0 # SKIP the allocator is the sanitizer's\n");
	return 0;
}
#else

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

static bool armed;
static long countdown, live;

static bool fails(void)
{
	return armed && countdown-- == 0;
}

/* The C library's own calls (strdup ...) must come here too. */
#pragma GCC visibility push(default)
void *malloc(size_t n)
{
	void *p = fails() ? NULL : __libc_malloc(n);
	live += p != NULL;
	return p;
}

void *calloc(size_t count, size_t size)
{
	void *p = fails() ? NULL : __libc_calloc(count, size);
	live += p != NULL;
	return p;
}

void *realloc(void *old, size_t n)
{
	void *p = fails() ? NULL : __libc_realloc(old, n);
	live += p && !old;
	return p;
}

int posix_memalign(void **p, size_t align, size_t n)
{
	*p = fails() ? NULL : __libc_memalign(align, n);
	live += *p != NULL;
	return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t n)
{
	void *p = NULL;

	return posix_memalign(&p, align, n) ? NULL : p;
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#pragma GCC visibility pop

#endif
#endif
