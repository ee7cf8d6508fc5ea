/*
 * Memory that is not needed while nothing happens: the program's own pages, which the kernel maps
 * by the sixteen and which are in its cache anyway.
 */
#include "init/slim.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/* Only segments that are never written: what is dropped there is what the file says. */
void slim_down(void)
{
	const ElfW(Ehdr) *head = &__ehdr_start;
	const ElfW(Phdr) *p = head ? (const void *)((const char *)head + head->e_phoff) : NULL;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	malloc_trim(0);
	/* a program that was moved to its place has other addresses than its headers say */
	if (!head || head->e_type != ET_EXEC)
		return;
	for (int i = 0; i < head->e_phnum; i++, p++) {
		uintptr_t from = p->p_vaddr & ~(page - 1);

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
			madvise((void *)from, p->p_memsz + (p->p_vaddr - from), MADV_DONTNEED);
	}
}
