/* readdir() in the order of names, "." and ".." first: what the sandbox does. For the real tools, by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct kept { DIR *d; struct dirent **at; size_t n, next; struct kept *link; };
static struct kept *all;

static int compare(const void *a, const void *b)
{
	const char *x = (*(struct dirent *const *)a)->d_name, *y = (*(struct dirent *const *)b)->d_name;
	int p = !strcmp(x, ".") ? 0 : !strcmp(x, "..") ? 1 : 2, q = !strcmp(y, ".") ? 0 : !strcmp(y, "..") ? 1 : 2;
	return p != q ? p - q : strcmp(x, y);
}

struct dirent *readdir(DIR *d)
{
	struct dirent *(*real)(DIR *) = (struct dirent *(*)(DIR *))dlsym(RTLD_NEXT, "readdir"), *e;
	struct kept *k = all;
	while (k && k->d != d) k = k->link;
	if (!k) {
		k = calloc(1, sizeof(*k)); k->d = d; k->link = all; all = k;
		while ((e = real(d))) {
			k->at = realloc(k->at, (k->n + 1) * sizeof(e));
			k->at[k->n] = malloc(e->d_reclen + 1); memcpy(k->at[k->n++], e, e->d_reclen);
		}
		if (k->n) qsort(k->at, k->n, sizeof(e), compare);
	}
	return k->next < k->n ? k->at[k->next++] : NULL;
}
struct dirent64 *readdir64(DIR *d) { return (struct dirent64 *)readdir(d); }
int closedir(DIR *d)
{
	struct kept **k = &all;
	while (*k && (*k)->d != d) k = &(*k)->link;
	if (*k) *k = (*k)->link;
	return ((int (*)(DIR *))dlsym(RTLD_NEXT, "closedir"))(d);
}
void rewinddir(DIR *d)
{
	struct kept **k = &all;
	while (*k && (*k)->d != d) k = &(*k)->link;
	if (*k) *k = (*k)->link;
	((void (*)(DIR *))dlsym(RTLD_NEXT, "rewinddir"))(d);
}
