/*
 * The image of a box behind docker: a reference that its engine has or fetches, or a directory or an
 * archive of that machine.
 */
#include "box/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REFERENCE_MOST 512

/* [HOST[:PORT]/]NAME[:TAG][@DIGEST], near enough that it can be nothing else; the engine says the rest. */
static bool is_reference(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > REFERENCE_MOST || !isalnum((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._/:@+-", *s))
			return false;
	return true;
}

static int put_file(struct tbx_store *store, const char *from, bool local, json_t *image)
{
	char *path = local ? realpath(from, NULL) : *from == '/' ? strdup(from) : NULL;
	struct stat st;
	int error = errno;

	bx_put(image, "kind", json_string("file"));
	bx_put(image, "from", bx_json_text(path));
	if (!path)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--image: %s", local ? strerror(error) :
			       "an absolute path is needed on another machine");
	if (local && (stat(path, &st) || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))) {
		free(path);
		return bx_fail(store, TBX_ERR_ARGUMENT, "--image: it is neither a directory nor an archive");
	}
	free(path);
	return TBX_OK;
}

int bx_spec_image(struct tbx_store *store, const struct tbx_spec *spec, const json_t *record,
		  json_t *out)
{
	bool docker = spec->sandbox && !strcmp(spec->sandbox, "docker");
	const char *from = spec->image ? spec->image : spec->source == TBX_SOURCE_IMAGE ? spec->from : NULL;
	json_t *image;

	/* machine.c has that of a micro-VM */
	if (!docker) {
		if ((spec->image && !bx_is_machine(record)) || spec->read_only_root)
			return bx_fail(store, TBX_ERR_ARGUMENT, "an image, and a root that cannot be "
				       "written, need the docker sandbox");
		return TBX_OK;
	}
	if (spec->read_only_root)
		json_object_set_new(out, "read_only_root", json_true());
	if (!from && spec->source != TBX_SOURCE_SNAPSHOT && spec->source != TBX_SOURCE_TEMPLATE)
		return bx_fail(store, TBX_ERR_ARGUMENT, "a box behind docker begins from an image: "
			       "--image REFERENCE, or a directory or an archive (./NAME)");
	if (!from)
		return TBX_OK;
	if (spec->source == TBX_SOURCE_SNAPSHOT || spec->source == TBX_SOURCE_TEMPLATE)
		return bx_fail(store, TBX_ERR_ARGUMENT, "a box that begins from a snapshot or a template has "
			       "its image from there, and none of --image");
	image = json_object();
	bx_put(out, "image", json_incref(image));
	json_decref(image);
	if (*from == '/' || *from == '.')
		return put_file(store, from, !bx_is_ssh(json_object_get(record, "target")), image);
	if (!is_reference(from))
		return bx_fail(store, TBX_ERR_ARGUMENT, "--image: it is no reference of an image, and a "
			       "directory or an archive begins with a slash or a dot");
	bx_put(image, "kind", json_string("reference"));
	bx_put(image, "from", json_string(from));
	return TBX_OK;
}

void bx_put_image(struct wire_out *o, const json_t *image)
{
	const char *kind = bx_text(image, "kind");
	char *from = bx_json_copy(json_object_get(image, "from"));

	if (kind && from)
		wire_text(o, strcmp(kind, "file") ? WIRE_F_IMAGE : WIRE_F_ROOT, from);
	free(from);
}
