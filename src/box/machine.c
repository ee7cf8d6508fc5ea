/*
 * What only a micro-VM has: its kernel, and how it is run.
 */
#include "box/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool bx_is_machine(const json_t *record)
{
	const char *kind = json_string_value(bx_at(record, "placement.workspace.sandbox"));

	return kind && !strcmp(kind, "microvm");
}

static int put_kernel(struct tbx_store *store, const char *kernel, bool local, json_t *out)
{
	char *path;

	if (!local && *kernel != '/')
		return bx_fail(store, TBX_ERR_ARGUMENT, "--kernel: an absolute path is needed on "
			       "another machine");
	path = local ? realpath(kernel, NULL) : strdup(kernel);
	if (!path)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--kernel: %s (tools/microvm-kernel makes such "
			       "a directory)", strerror(errno));
	bx_put(out, "kernel", bx_json_text(path));
	free(path);
	return TBX_OK;
}

/* A directory, or a disk with a file system that the guest's kernel knows. */
static int put_image(struct tbx_store *store, const char *image, bool local, json_t *out)
{
	char *path = local ? realpath(image, NULL) : *image == '/' ? strdup(image) : NULL;
	struct stat st;

	if (!path)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--image: %s", local ? strerror(errno) :
			       "an absolute path is needed on another machine");
	bx_put(out, "image", bx_json_text(path));
	if (local && (stat(path, &st) || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))) {
		free(path);
		return bx_fail(store, TBX_ERR_ARGUMENT, "--image: it is neither a directory nor a disk");
	}
	free(path);
	return TBX_OK;
}

int bx_put_machine(struct tbx_store *store, const struct tbx_spec *spec, const json_t *record,
		   json_t *out)
{
	static const char *const kinds[] = {"auto", "kvm", "tcg"};
	json_t *machine;
	int status = TBX_OK;

	if (!bx_is_machine(record)) {
		if (!spec->kernel && !spec->accel)
			return TBX_OK;
		return bx_fail(store, TBX_ERR_ARGUMENT, "--kernel and --accel are for the microvm "
			       "sandbox");
	}
	machine = json_object();
	bx_put(out, "machine", machine);
	for (size_t i = 0; spec->accel && i < 3; i++)
		if (!strcmp(spec->accel, kinds[i]))
			bx_put(machine, "accel", json_string(spec->accel));
	if (spec->accel && !bx_text(machine, "accel"))
		return bx_fail(store, TBX_ERR_ARGUMENT, "--accel is auto, kvm or tcg");
	if (spec->image)
		status = put_image(store, spec->image, !bx_is_ssh(json_object_get(record, "target")),
				   machine);
	if (!status && spec->kernel)
		status = put_kernel(store, spec->kernel, !bx_is_ssh(json_object_get(record, "target")),
				    machine);
	return status;
}
