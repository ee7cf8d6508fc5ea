/*
 * The guest's records and logs, told by its process 1 as they are written, kept outside.
 */
#include "init/vm_in.h"

int vm_records_open(struct vm *vm)
{
	(void)vm;
	return -1;
}
