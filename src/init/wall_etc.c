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
	"debian_version", "lsb-release", "issue", "gai.conf", "host.conf", "magic", "shells",
	"locale.alias", "locale.conf", "ssl/openssl.cnf", "ca-certificates.conf", "login.defs",
	"manpath.config", "mtab"};
static const char *const mounted[] = {"alternatives", "ssl/certs", "pki", "ld.so.conf.d", "fonts",
	"perl", "python3", "python3.11", "python3.12", "python3.13", "java-17-openjdk",
	"java-21-openjdk", "ImageMagick-6", "ImageMagick-7", "crypto-policies", "static"};

static bool copy_link(int etc, int root, const char *name)
{
	char target[256], path[64];
	ssize_t n = readlinkat(etc, name, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = 0;
	snprintf(path, sizeof(path), "etc/%s", name);
	return tree_link(root, path, target);
}

/* False: it is there and could not be copied. */
static bool copy(int etc, int root, const char *name)
{
	int from = openat(etc, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), to;
	char path[64];
	struct stat st;
	bool ok;

	if (from < 0)
		return errno == ENOENT || errno == EACCES || errno == ENOTDIR ||
		       (errno == ELOOP && copy_link(etc, root, name));
	if (fstat(from, &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)COPY_MAX) {
		close(from);
		return true;
	}
	snprintf(path, sizeof(path), "etc/%s", name);
	to = tree_make_file(root, path, 0644);
	ok = to >= 0 && sendfile(to, from, NULL, (size_t)st.st_size) == (ssize_t)st.st_size;
	close(from);
	if (to >= 0)
		close(to);
	return ok;
}

static bool mount_one(int root, const char *name)
{
	char from[64], to[64];
	struct stat st;
	int tree;
	bool ok;

	snprintf(from, sizeof(from), "/etc/%s", name);
	if (stat(from, &st) || !S_ISDIR(st.st_mode))
		return true;
	tree = tree_open(AT_FDCWD, from, TREE_READONLY | TREE_RECURSIVE);
	snprintf(to, sizeof(to), "etc/%s", name);
	ok = tree >= 0 && tree_make_dir(root, to, 0755) && tree_put(tree, root, to);
	if (tree >= 0)
		close(tree);
	return ok;
}

static bool users(const struct wall *w, int root)
{
	const struct spec *s = w->spec;
	char passwd[TEXT_MAX], group[TEXT_MAX], user[160] = "", own[64] = "";
	int n;

	if (s->uid && s->uid != 65534)
		snprintf(user, sizeof(user), "user:x:%u:%u:user:/home/user:/bin/bash\n", s->uid,
			 s->gid);
	if (s->gid && s->gid != 65534)
		snprintf(own, sizeof(own), "user:x:%u:\n", s->gid);
	n = snprintf(passwd, sizeof(passwd), "root:x:0:%u:root:/root:/bin/bash\n%s"
		     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		     s->uid ? 0 : s->gid, user);
	if (n >= (int)sizeof(passwd))
		return false;
	snprintf(group, sizeof(group), "root:x:0:\ntty:x:5:\n%snogroup:x:65534:\n", own);
	if (*user) {
		int home;

		home = tree_dir(root, "home/user", 0755);
		/* where there is one id only, all is the user's already */
		if (home < 0 || (w->range && fchown(home, s->uid, s->gid))) {
			if (home >= 0)
				close(home);
			return false;
		}
		close(home);
	}
	return tree_text(root, "etc/passwd", passwd) && tree_text(root, "etc/group", group) &&
	       tree_text(root, "etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\n"
			 "hosts: files dns\nservices: files\nprotocols: files\n");
}

static bool names(const struct wall *w, int root)
{
	char text[TEXT_MAX];
	int etc;
	bool ok;

	snprintf(text, sizeof(text), "127.0.0.1\tlocalhost %s\n::1\tlocalhost ip6-localhost\n",
		 w->host);
	ok = tree_text(root, "etc/hosts", text);
	snprintf(text, sizeof(text), "%s\n", w->host);
	ok = ok && tree_text(root, "etc/hostname", text);
	if (w->spec->network != SPEC_NETWORK_OPEN)
		return ok && tree_text(root, "etc/resolv.conf", "");
	/* the file itself: the link may lead to /run */
	etc = open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC);
	if (etc >= 0) {
		ssize_t n = read(etc, text, sizeof(text) - 1);

		text[n < 0 ? 0 : n] = 0;
		close(etc);
		ok = ok && tree_text(root, "etc/resolv.conf", text);
	}
	return ok;
}

const char *wall_etc(const struct wall *w, int root)
{
	int etc;
	bool ok = true;

	if (!names(w, root))
		return "the files of /etc cannot be written";
	if (w->spec->root)
		return NULL;
	etc = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (etc < 0)
		return "the host's /etc cannot be opened";
	for (size_t i = 0; ok && i < sizeof(copied) / sizeof(*copied); i++)
		ok = copy(etc, root, copied[i]);
	close(etc);
	return ok && users(w, root) ? NULL : "the box's /etc cannot be filled";
}

const char *wall_etc_mounts(int root)
{
	for (size_t i = 0; i < sizeof(mounted) / sizeof(*mounted); i++) {
		if (!mount_one(root, mounted[i]))
			return "the host's directories of /etc cannot be mounted";
	}
	return NULL;
}
