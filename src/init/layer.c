/*
 * What is asked of a host about layers. Sealing moves what a box wrote out of its state directory: one
 * rename, whatever there is of it; a crash before or after it leaves what can be asked again.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "init/docker_stray.h"
#include "init/layer.h"
#include "init/path.h"
#include "init/server.h"
#include "init/verbs.h"
#include "init/vm.h"
#include "init/work.h"

struct asked {
	struct wire_iter it;
	struct wire_in *in;
	char *layers, *name;
	int dir, layer;		/* LAYERS; the layer, -1: it is not there */
};

/* "layer-7": letters, a dash, digits. */
static bool layer_is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"), digits;

	if (!n || name[n] != '-')
		return false;
	digits = strspn(name + n + 1, "0123456789");
	return digits && digits < 20 && n < 20 && !name[n + 1 + digits];
}

static bool say_error(enum wire_error code, const char *a, const char *b, const char *why)
{
	struct wire_out o = {0};

	error_frame(&o, code, why ? 0 : errno, a, b, why);
	return send_frames(1, &o);
}

static bool say_ok(void)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_OK);
	wire_end(&o);
	return send_frames(1, &o);
}

static bool say_gone(void)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_OK);
	wire_u8(&o, WIRE_F_GONE, 1);
	wire_end(&o);
	return send_frames(1, &o);
}

static bool say_damaged(const struct asked *a, struct text *why, enum wire_error code)
{
	bool good = say_error(code, "the layer", a->name, text_string(why));

	text_free(why);
	return good;
}

/* ---- Sealing ---- */

/* The files of a box whose root is the host's are the box's: it must be able to go through. */
static bool give(int layer)
{
	struct stat st;

	if (geteuid() || fstatat(layer, "upper", &st, AT_SYMLINK_NOFOLLOW) || st.st_uid < LAYER_BASE)
		return true;
	return !fchown(layer, LAYER_BASE, LAYER_BASE);
}

/* So that it is there after the machine's end; the box's files are, or are not, like all others. */
static bool settle(const struct asked *a)
{
	return give(a->layer) && !syncfs(a->layer) && !fsync(a->dir);
}

static bool box_runs(int box)
{
	int lock = openat(box, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	bool runs = lock >= 0 && !fcntl(lock, F_GETLK, &l) && l.l_type != F_UNLCK;

	if (lock >= 0)
		close(lock);
	return runs;
}

static bool is_empty(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool empty = true;

	while (d && empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

static bool open_layer(struct asked *a)
{
	if (a->layer >= 0)
		return true;
	if (mkdirat(a->dir, a->name, 0700) && errno != EEXIST)
		return false;
	a->layer = openat(a->dir, a->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return a->layer >= 0;
}

static bool nothing(struct asked *a)
{
	if (a->layer >= 0)
		unlinkat(a->dir, a->name, AT_REMOVEDIR);
	return say_gone();
}

static bool seal_failed(const struct asked *a)
{
	return say_error(WIRE_ERROR_SYSTEM, "the layer cannot be sealed:", a->name, NULL);
}

/* A server that lives has put it at "sealed"; one that is gone left it where it was. */
static bool seal_list(struct asked *a, int box)
{
	bool sealed = !faccessat(box, "sealed", F_OK, AT_SYMLINK_NOFOLLOW);

	if (!sealed && (box_runs(box) || faccessat(box, "files", F_OK, AT_SYMLINK_NOFOLLOW)))
		return nothing(a);
	if (!open_layer(a) || renameat(box, sealed ? "sealed" : "files", a->layer, "files") || !settle(a))
		return seal_failed(a);
	return say_ok();
}

static bool not_upper(const char *name)
{
	return strcmp(name, "upper") != 0;
}

/* Into `new` first: half a copy is none. */
static bool fill_new(struct asked *a, int from, bool link, struct text *why)
{
	int to = -1;
	bool good = open_layer(a) && (remove_tree(a->layer, "new") || errno == ENOENT) &&
		!mkdirat(a->layer, "new", 0700);

	if (good)
		to = openat(a->layer, "new", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	good = to >= 0 && layer_put(from, to, link, link ? layer_is_own : not_upper, why);
	if (!good && !why->size)
		text_add(why, text_errno(errno));
	if (to >= 0)
		close(to);
	return good;
}

static bool publish_new(struct asked *a)
{
	int to = openat(a->layer, "new", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = to >= 0 && !renameat(to, "upper", a->layer, "upper");

	if (to >= 0)
		close(to);
	unlinkat(a->layer, "new", AT_REMOVEDIR);
	return good && settle(a);
}

static bool copy_upper(struct asked *a, int store)
{
	struct text why = {0};
	bool good;

	umask(0);
	if (!fill_new(a, store, false, &why)) {
		good = say_damaged(a, &why, WIRE_ERROR_FILE);
		remove_tree(a->dir, a->name);
		return good;
	}
	text_free(&why);
	return publish_new(a) ? say_ok() : seal_failed(a);
}

static bool seal_upper(struct asked *a, int box, bool copy)
{
	int store = openat(box, "overlay", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good;

	if (store < 0 || is_empty(store, "upper"))
		good = nothing(a);
	else if (copy)
		good = copy_upper(a, store);
	else if (box_runs(box))
		good = say_error(WIRE_ERROR_STATE, "the layer cannot be moved:", a->name,
				 "the box runs on it");
	else if (!open_layer(a) || renameat(store, "upper", a->layer, "upper") || !settle(a))
		good = seal_failed(a);
	else
		good = say_ok();
	if (store >= 0)
		close(store);
	return good;
}

static int open_box(const char *path)
{
	int fd = *path == '/' ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A machine's disks: of one that is stopped, or paused behind a sync. */
static bool seal_disks(struct asked *a, int box, bool memory)
{
	if (open_layer(a) && vm_disks_copy(box, a->layer, memory) && settle(a))
		return say_ok();
	remove_tree(a->dir, a->name);
	return seal_failed(a);
}

static bool do_seal(struct asked *a)
{
	bool bad = false, copy = wire_number(a->it, WIRE_F_COPY, 0, &bad), good;
	char *path = wire_string(a->it, WIRE_F_DIR, &bad), *kind = wire_string(a->it, WIRE_F_KIND, &bad);
	bool list = kind && !strcmp(kind, "virtual"), disks = kind && !strcmp(kind, "microvm");
	int box = path && !bad ? open_box(path) : -1;

	if (a->layer >= 0 && !faccessat(a->layer, list ? "files" : disks ? "state" : "upper", F_OK, AT_SYMLINK_NOFOLLOW))
		good = settle(a) ? say_ok() : seal_failed(a);	/* it was done before */
	else if (box < 0)
		good = say_error(WIRE_ERROR_FILE, "this is not a box's state directory:", path, NULL);
	else if (disks)
		good = seal_disks(a, box, wire_number(a->it, WIRE_F_MEMORY, 0, &bad));
	else
		good = list ? seal_list(a, box) : seal_upper(a, box, copy);
	if (box >= 0)
		close(box);
	free(path);
	free(kind);
	return good;
}

/* ---- The others ---- */

static bool do_hash(struct asked *a)
{
	uint64_t size = 0, count = 0;
	struct wire_out o = {0};
	struct text why = {0};
	uint8_t hash[32];

	if (!layer_hash(a->layer, hash, &size, &count, &why))
		return say_damaged(a, &why, WIRE_ERROR_FILE);
	wire_begin(&o, WIRE_OK);
	wire_bytes(&o, WIRE_F_HASH, hash, sizeof(hash));
	wire_u64(&o, WIRE_F_SIZE, size);
	wire_u64(&o, WIRE_F_COUNT, count);
	wire_end(&o);
	return send_frames(1, &o);
}

static bool do_check(struct asked *a)
{
	bool bad = false, every = wire_number(a->it, WIRE_F_FOLLOW, 0, &bad);
	struct wire_field_in hash;
	struct text why = {0};

	if (!wire_find(a->it, WIRE_F_HASH, &hash) || hash.size != 32)
		return say_error(WIRE_ERROR_REQUEST, "the request has no HASH", NULL, NULL);
	if (!layer_check(a->layer, hash.data, every, &why))
		return say_damaged(a, &why, WIRE_ERROR_FILE);
	return say_ok();
}

static bool do_list(struct asked *a)
{
	int fd = openat(a->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct wire_out o = {0};
	struct dirent *e;

	wire_begin(&o, WIRE_OK);
	while (d && (e = readdir(d)))
		if (layer_is_name(e->d_name))
			wire_text(&o, WIRE_F_LAYER, e->d_name);
	wire_end(&o);
	if (d)
		closedir(d);
	return send_frames(1, &o);
}

static bool do_remove(struct asked *a)
{
	if (remove_tree(a->dir, a->name) || errno == ENOENT)
		return say_ok();
	return say_error(WIRE_ERROR_SYSTEM, "cannot remove the layer", a->name, NULL);
}

static bool do_read(struct asked *a)
{
	int fd = openat(a->layer, "manifest", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint8_t *buffer = malloc(WIRE_DATA_MAX);
	struct wire_out o = {0};
	ssize_t n = 1;

	if (fd < 0 || !buffer) {
		free(buffer);
		return say_error(WIRE_ERROR_FILE, "the layer has no manifest:", a->name, NULL);
	}
	while (n > 0 && (n = read(fd, buffer, WIRE_DATA_MAX)) > 0) {
		wire_data(&o, WIRE_DATA_OUT, buffer, (size_t)n);
		if (!send_frames(1, &o))
			n = -1;
	}
	close(fd);
	free(buffer);
	return n ? false : say_ok();
}

static bool do_export(struct asked *a)
{
	struct wire_out o = {0};
	struct text why = {0};
	uint8_t hash[32];

	if (!layer_export(a->layer, hash, &why))
		return say_damaged(a, &why, WIRE_ERROR_FILE);
	wire_begin(&o, WIRE_OK);
	wire_bytes(&o, WIRE_F_HASH, hash, sizeof(hash));
	wire_end(&o);
	return send_frames(1, &o);
}

static bool do_import(struct asked *a)
{
	struct text why = {0};
	bool good;

	if (a->layer >= 0 || !open_layer(a))
		return say_error(WIRE_ERROR_STATE, "the layer cannot be made:", a->name,
				 a->layer >= 0 ? "it is there" : NULL);
	if (layer_import(a->layer, a->in, &why)) {
		settle(a);
		return do_hash(a);
	}
	good = say_damaged(a, &why, WIRE_ERROR_FILE);
	remove_tree(a->dir, a->name);
	return good;
}

/* Lowest first, each on top of what there is. */
static bool merge_from(struct asked *a, const struct wire_field_in *f, struct text *why)
{
	bool bad = false, good;
	char *name = wire_copy(f, &bad);
	int from = name && layer_is_name(name) ?
		openat(a->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	int to = openat(a->layer, "new", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	good = from >= 0 && to >= 0 && layer_put(from, to, true, layer_is_own, why);
	if (!good && !why->size) {
		text_add(why, name ? name : "");
		text_add(why, ": ");
		text_add(why, text_errno(errno));
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	free(name);
	return good;
}

static bool do_merge(struct asked *a)
{
	struct wire_iter it = a->it;
	struct wire_field_in f;
	struct text why = {0};
	bool good = open_layer(a) && (remove_tree(a->layer, "new") || errno == ENOENT) &&
		!mkdirat(a->layer, "new", 0700);

	umask(0);
	if (good && !faccessat(a->layer, "upper", F_OK, AT_SYMLINK_NOFOLLOW))
		return settle(a) ? say_ok() : seal_failed(a);
	if (!good)
		return seal_failed(a);
	while (good && wire_step(&it, &f))
		if (f.name == WIRE_F_FROM)
			good = merge_from(a, &f, &why);
	if (good)
		return publish_new(a) ? say_ok() : seal_failed(a);
	good = say_damaged(a, &why, WIRE_ERROR_FILE);
	remove_tree(a->dir, a->name);
	return good;
}

/* LAYERS is ours alone to write in; a box's user may go through. */
static int open_layers(const char *path)
{
	struct stat st;
	int fd;

	mkdir(path, 0711);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if ((st.st_mode & 07777) != 0711)
		fchmod(fd, 0711);
	return fd;
}

static void more_files(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static bool needs_layer(enum wire_type type)
{
	return type == WIRE_LAYER_HASH || type == WIRE_LAYER_CHECK || type == WIRE_LAYER_READ ||
		type == WIRE_LAYER_EXPORT;
}

/* An image of a container engine, as a file in a layer; see docker_stray.h. */
static bool do_engine(struct asked *a, bool save)
{
	bool bad = false, good;
	char *image = save ? NULL : wire_string(a->it, WIRE_F_IMAGE, &bad);
	struct wire_field_in hash;
	struct docker d = {0};

	if (bad || !wire_find(a->it, WIRE_F_HASH, &hash) || hash.size != 32 ||
	    (!save && (!image || !docker_is_image(image)))) {
		free(image);
		return say_error(WIRE_ERROR_REQUEST, "the request does not say which image", NULL, NULL);
	}
	errno = 0;
	good = save ? open_layer(a) && docker_save_image(&d, a->layer, hash.data) && settle(a) :
		a->layer >= 0 && docker_load_image(&d, a->layer, hash.data, image);
	if (!good && save)
		remove_tree(a->dir, a->name);
	good = good ? say_ok() : say_error(WIRE_ERROR_FILE, "the image", a->name,
					   d.why.size ? text_string(&d.why) : "the layer is not there");
	docker_free(&d);
	free(image);
	return good;
}

static bool dispatch(struct asked *a, enum wire_type type)
{
	if (needs_layer(type) && a->layer < 0)
		return say_error(WIRE_ERROR_FILE, "the layer is not there:", a->name, NULL);
	switch (type) {
	case WIRE_LAYER_SEAL: return do_seal(a);
	case WIRE_LAYER_HASH: return do_hash(a);
	case WIRE_LAYER_CHECK: return do_check(a);
	case WIRE_LAYER_LIST: return do_list(a);
	case WIRE_LAYER_REMOVE: return do_remove(a);
	case WIRE_LAYER_READ: return do_read(a);
	case WIRE_LAYER_EXPORT: return do_export(a);
	case WIRE_LAYER_IMPORT: return do_import(a);
	case WIRE_ENGINE_SAVE: return do_engine(a, true);
	case WIRE_ENGINE_LOAD: return do_engine(a, false);
	default: return do_merge(a);
	}
}

bool layer_request(const struct wire_frame *f, struct wire_in *in)
{
	struct asked a = {.it = wire_fields(f), .in = in, .dir = -1, .layer = -1};
	enum wire_type type = f->type;
	uint8_t *copy = malloc(f->size + 1);
	struct wire_frame own = {type, copy, f->size};
	bool bad = false, good;

	/* an import reads on while its fields are still needed */
	if (copy)
		memcpy(copy, f->body, f->size);
	a.it = wire_fields(copy ? &own : f);
	a.layers = wire_string(a.it, WIRE_F_LAYERS, &bad);
	a.name = wire_string(a.it, WIRE_F_LAYER, &bad);
	errno = 0;
	if (!copy || bad || !a.layers || *a.layers != '/' ||
	    (type != WIRE_LAYER_LIST && (!a.name || !layer_is_name(a.name)))) {
		good = say_error(WIRE_ERROR_REQUEST, "the request names no layer", NULL, NULL);
	} else if ((a.dir = open_layers(a.layers)) < 0) {
		good = say_error(WIRE_ERROR_FILE, "the directory of layers cannot be used:", a.layers,
				 NULL);
	} else {
		more_files();
		if (a.name)
			a.layer = openat(a.dir, a.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		good = dispatch(&a, type);
	}
	if (a.layer >= 0)
		close(a.layer);
	if (a.dir >= 0)
		close(a.dir);
	free(a.layers);
	free(a.name);
	free(copy);
	return good;
}
