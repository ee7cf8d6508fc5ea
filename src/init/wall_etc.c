/*
 * The box's /etc. With a root of its own only the three files about the network are written. With
 * the host's /usr it is a directory of the box: users of its own, and what programs of /usr need
 * from the host's /etc: small files are copied, directories mounted read-only. Nothing is taken that
 * is about this host, its users, or their secrets; and as the box's user is nobody on the host, what
 * only root may read cannot be read in those directories.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_MAX (4u << 20)
#define TEXT_MAX 1024

static const char *const copied[] = {"ld.so.cache", "ld.so.conf", "localtime", "timezone",
	"services", "protocols", "mime.types", "bash.bashrc", "profile", "inputrc", "os-release",
	"debian_version", "lsb-release", "gai.conf", "host.conf", "shells", "locale.alias",
	"locale.conf", "ssl/openssl.cnf", "mtab"};
/* each costs as much as ten files: what programs do without (perl's, python's) is not among them */
#define ETC "/etc/"
static const char *const mounted[] = {ETC "alternatives", ETC "ssl/certs", ETC "pki", ETC "fonts",
	ETC "java-11-openjdk", ETC "java-17-openjdk", ETC "java-21-openjdk", ETC "ImageMagick-6",
	ETC "ImageMagick-7", ETC "crypto-policies", ETC "static"};

/* Small ones without the pipe that sendfile makes. */
static bool pour(int to, int from, size_t size)
{
	char small[8192];

	if (size > sizeof(small))
		return sendfile(to, from, NULL, size) == (ssize_t)size;
	return read(from, small, size) == (ssize_t)size && write(to, small, size) == (ssize_t)size;
}

/*
 * What is for all boxes is made by the keeper, who may be the host's root, and whatever a box's user, who is nobody on
 * the host, could not read does not come into it.
 */
static bool for_nobody(const struct wall *w, int etc, const char *name, const struct stat *st)
{
	const char *slash = strrchr(name, '/');
	char above[64] = ".";
	struct stat dir;

	if (!w->sharing || !w->range)
		return true;
	if (slash)
		snprintf(above, sizeof(above), "%.*s", (int)(slash - name), name);
	return st->st_mode & S_IROTH && !fstatat(etc, above, &dir, 0) && dir.st_mode & S_IXOTH &&
	       !fstatat(etc, ".", &dir, 0) && dir.st_mode & S_IXOTH;
}

/* False: it is there and could not be copied. `to` is the box's /etc. */
static bool copy(const struct wall *w, int etc, int to, const char *name)
{
	int from = openat(etc, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), fd;
	char target[256];
	struct stat st;
	ssize_t n;
	bool ok;

	if (from < 0 && errno == ELOOP) {
		n = readlinkat(etc, name, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = 0;
		return n <= 0 || wall_link(w, to, name, target);
	}
	if (from < 0)
		return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
	if (fstat(from, &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)COPY_MAX ||
	    !for_nobody(w, etc, name, &st)) {
		close(from);
		return true;
	}
	fd = w->fresh ? openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) :
		tree_make_file(to, name, 0644);
	ok = fd >= 0 && pour(fd, from, (size_t)st.st_size);
	close(from);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool mount_one(const struct wall *w, int root, const char *path)
{
	int tree = tree_open(AT_FDCWD, path, TREE_READONLY | TREE_RECURSIVE);
	bool ok;

	if (tree < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	ok = wall_put(w, tree, root, path + 1);
	close(tree);
	return ok;
}

/* The places of those that will be mounted, so that none has to be made in the box's layer. */
static bool places(int etc, int to)
{
	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++) {
		const char *name = mounted[i] + strlen(ETC);

		if (!faccessat(etc, name, F_OK, 0) && !tree_make_dir(to, name, 0755))
			return false;
	}
	return true;
}

static bool put_text(const struct wall *w, int etc, const char *name, const char *text)
{
	size_t n = strlen(text);
	int fd = w->fresh ? openat(etc, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) :
		tree_make_file(etc, name, 0644);
	bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* The user's home; where there is one id only, all is the user's already, and wall_shared.c gives it away. */
static bool home(const struct wall *w, int root)
{
	int dir = tree_dir(root, "home/user", 0755);
	bool ok = dir >= 0 && (!w->range || w->sharing || !fchown(dir, w->spec->uid, w->spec->gid));

	if (dir >= 0)
		close(dir);
	return ok;
}

static bool users(const struct wall *w, int root, int etc)
{
	const struct spec *s = w->spec;
	char passwd[TEXT_MAX], group[TEXT_MAX], user[160] = "", own[64] = "";

	if (s->uid && s->uid != 65534)
		snprintf(user, sizeof(user), "user:x:%u:%u:user:/home/user:/bin/bash\n", s->uid,
			 s->gid);
	if (s->gid && s->gid != 65534)
		snprintf(own, sizeof(own), "user:x:%u:\n", s->gid);
	snprintf(passwd, sizeof(passwd), "root:x:0:%u:root:/root:/bin/bash\n%s"
		 "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		 s->uid ? 0 : s->gid, user);
	snprintf(group, sizeof(group), "root:x:0:\ntty:x:5:\n%snogroup:x:65534:\n", own);
	return (!*user || home(w, root)) && put_text(w, etc, "passwd", passwd) &&
	       put_text(w, etc, "group", group) &&
	       put_text(w, etc, "nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\n"
			"hosts: files dns\nservices: files\nprotocols: files\n");
}

static bool names(const struct wall *w, int etc)
{
	char text[TEXT_MAX];
	ssize_t n;
	int fd;
	bool ok;

	snprintf(text, sizeof(text), "127.0.0.1\tlocalhost %s\n::1\tlocalhost ip6-localhost\n",
		 w->host);
	ok = put_text(w, etc, "hosts", text);
	snprintf(text, sizeof(text), "%s\n", w->host);
	ok = ok && put_text(w, etc, "hostname", text);
	if (w->spec->network != SPEC_NETWORK_OPEN)
		return ok;
	/* the file itself: the link may lead to /run */
	fd = open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ok;
	n = read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = 0;
	close(fd);
	return ok && put_text(w, etc, "resolv.conf", text);
}

size_t wall_etc_copied(const char *const **name)
{
	*name = copied;
	return sizeof(copied) / sizeof(*copied);
}

size_t wall_etc_mounted(const char *const **path)
{
	*path = mounted;
	return sizeof(mounted) / sizeof(*mounted);
}

static int open_etc(const struct wall *w, int root)
{
	if (!w->fresh)
		return tree_dir(root, "etc", 0755);
	if (mkdirat(root, "etc", 0755) && errno != EEXIST)
		return -1;
	return openat(root, "etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool wall_etc_no_names(const struct wall *w, int root)
{
	int etc;
	bool ok;

	if (!w->sharing && w->spec->network == SPEC_NETWORK_OPEN)
		return true;
	etc = open_etc(w, root);
	ok = etc >= 0 && put_text(w, etc, "resolv.conf", "");
	if (etc >= 0)
		close(etc);
	return ok;
}

const char *wall_etc(const struct wall *w, int root)
{
	int to = open_etc(w, root);
	bool ok = to >= 0 && names(w, to);

	if (to >= 0)
		close(to);
	return ok ? NULL : "the box's /etc cannot be filled";
}

const char *wall_etc_shared(const struct wall *w, int root)
{
	int etc = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int to = open_etc(w, root);
	bool ok = etc >= 0 && to >= 0 && tree_make_dir(to, "ssl", 0755) && places(etc, to) &&
		users(w, root, to);

	for (size_t i = 0; ok && i < sizeof(copied) / sizeof(*copied); i++)
		ok = copy(w, etc, to, copied[i]);
	if (etc >= 0)
		close(etc);
	if (to >= 0)
		close(to);
	return ok ? NULL : "the box's /etc cannot be filled";
}

uint32_t wall_etc_there(int etc)
{
	uint32_t there = 0;

	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++)
		there |= (uint32_t)!faccessat(etc, mounted[i] + strlen(ETC), F_OK, 0) << i;
	return there;
}

const char *wall_etc_mounts(const struct wall *w, int root)
{
	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++) {
		if (w->host_has.etc >> i & 1 && !mount_one(w, root, mounted[i]))
			return "the host's directories of /etc cannot be mounted";
	}
	return NULL;
}
