/*
 * Where the kernel of micro-VMs is installed.
 */
#include <unistd.h>

#include "init/vm.h"

const char *vm_kernel(void)
{
	static const char *const places[] = {"/var/lib/tinybox/kernel", "/usr/local/lib/tinybox/kernel",
		"/usr/lib/tinybox/kernel"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (access(places[i], R_OK | X_OK) == 0)
			return places[i];
	return NULL;
}
