/*
 * The base image: what a sandbox finds in its filesystem, as tables of directories,
 * links and files. Built once; sandboxes branch from it.
 */
#include "vfs/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/mem.h"

struct image_dir {
	const char *path;
	uint32_t mode;
	bool users;		/* else root's */
};
static const struct image_dir image_dirs[] = {
	{ "/dev", 0755, false }, { "/etc", 0755, false }, { "/etc/skel", 0755, false },
	{ "/home", 0755, false }, { "/home/user", 0755, true }, { "/media", 0755, false },
	{ "/mnt", 0755, false }, { "/opt", 0755, false }, { "/proc", 0555, false },
	{ "/root", 0700, false }, { "/run", 0755, false }, { "/run/lock", 01777, false },
	{ "/srv", 0755, false }, { "/sys", 0555, false }, { "/tmp", 01777, false },
	{ "/usr", 0755, false }, { "/usr/bin", 0755, false }, { "/usr/include", 0755, false },
	{ "/usr/lib", 0755, false }, { "/usr/local", 0755, false },
	{ "/usr/local/bin", 0755, false }, { "/usr/local/etc", 0755, false },
	{ "/usr/local/lib", 0755, false }, { "/usr/local/sbin", 0755, false },
	{ "/usr/local/share", 0755, false }, { "/usr/sbin", 0755, false },
	{ "/usr/share", 0755, false }, { "/usr/src", 0755, false }, { "/var", 0755, false },
	{ "/var/cache", 0755, false }, { "/var/lib", 0755, false }, { "/var/log", 0755, false },
	{ "/var/spool", 0755, false }, { "/var/tmp", 01777, false },
};

static const struct { const char *path, *target; } image_links[] = {
	{ "/bin", "usr/bin" }, { "/lib", "usr/lib" }, { "/sbin", "usr/sbin" },
	{ "/etc/mtab", "../proc/self/mounts" }, { "/var/lock", "/run/lock" },
	{ "/var/run", "/run" },
};

/* %s is the host name. */
static const struct { const char *path, *text; } image_files[] = {
	{ "/etc/passwd",
	  "root:x:0:0:root:/root:/bin/bash\n"
	  "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
	  "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
	  "user:x:1000:1000:User:/home/user:/bin/bash\n" },
	{ "/etc/group", "root:x:0:\ndaemon:x:1:\ntty:x:5:\nusers:x:100:\nnogroup:x:65534:\n"
	  "user:x:1000:\n" },
	{ "/etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
	  "127.0.1.1\t%s\n" },
	{ "/etc/hostname", "%s\n" },
	{ "/etc/os-release",
	  "PRETTY_NAME=\"tinysandbox\"\nNAME=\"tinysandbox\"\nID=tinysandbox\n"
	  "ID_LIKE=debian\nVERSION_ID=\"12\"\nVERSION=\"12\"\n" },
	{ "/etc/debian_version", "12.0\n" },
	{ "/etc/issue", "tinysandbox 12 \\n \\l\n\n" },
	{ "/etc/shells", "/bin/sh\n/usr/bin/sh\n/bin/bash\n/usr/bin/bash\n" },
	{ "/etc/nsswitch.conf",
	  "passwd:         files\ngroup:          files\nhosts:          files\n" },
	{ "/etc/profile",
	  "PATH=\"/usr/local/bin:/usr/bin:/bin\"\nexport PATH\n" },
	{ "/etc/fstab", "tmpfs / tmpfs defaults 0 0\n" },
	{ "/etc/timezone", "Etc/UTC\n" },
	{ "/etc/resolv.conf", "" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int image_add_file(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
			  const char *text, size_t n)
{
	const struct tsb_fs_ops *ops = fs->ops;
	struct tsb_file *f = calloc(1, ops->file_size);
	ssize_t done = 0;
	int rc = -1;
	if (!f)
		return -1;
	*f = (struct tsb_file){ ops, fs, O_WRONLY };
	if (!ops->open(fs, who, path, O_WRONLY | O_CREAT, 0644, f)) {
		done = n ? ops->write_at(f, who, text, n, 0) : 0;
		rc = ops->close(f);
	}
	free(f);
	return rc || done != (ssize_t)n ? -1 : 0;
}

/* text with the host name in place of its %s, if it has one. */
static int image_add_text(struct tsb_fs *fs, const struct tsb_caller *who, const char *path,
			  const char *text, const char *hostname)
{
	const char *at = strstr(text, "%s");
	size_t head = at ? (size_t)(at - text) : strlen(text);
	size_t host_n = at ? strlen(hostname) : 0, tail = at ? strlen(at + 2) : 0;
	char *all = malloc(head + host_n + tail + 1);
	int rc;
	if (!all)
		return -1;
	memcpy(all, text, head);
	memcpy(all + head, hostname, host_n);
	memcpy(all + head + host_n, at ? at + 2 : "", tail);
	rc = image_add_file(fs, who, path, all, head + host_n + tail);
	free(all);
	return rc;
}

static int image_fill(struct tsb_fs *fs, struct tsb_time now, const char *hostname)
{
	struct tsb_caller root = { 0, 0, 0, now }, user = { IMAGE_UID, IMAGE_GID, 0, now };
	int rc = 0;
	for (size_t i = 0; !rc && i < COUNT(image_dirs); i++)
		rc = fs->ops->mkdir(fs, image_dirs[i].users ? &user : &root, image_dirs[i].path,
				    image_dirs[i].mode);
	for (size_t i = 0; !rc && i < COUNT(image_links); i++)
		rc = fs->ops->symlink(fs, &root, image_links[i].target, image_links[i].path);
	for (size_t i = 0; !rc && i < COUNT(image_files); i++)
		rc = image_add_text(fs, &root, image_files[i].path, image_files[i].text, hostname);
	return rc;
}

struct tsb_fs *vfs_image_new(const struct tsb_mem_options *opt, const char *hostname)
{
	struct tsb_mem_options all = *opt;
	struct tsb_fs *fs;
	all.bytes_max = all.entries_max = all.file_bytes_max = UINT64_MAX;
	fs = tsb_mem_new(&all);
	if (!fs)
		return NULL;
	if (image_fill(fs, opt->now, hostname) || vfs_mem_free_of_charge(fs) ||
	    vfs_mem_limit(fs, opt->bytes_max, opt->entries_max, opt->file_bytes_max)) {
		tsb_fs_free(fs);
		return NULL;
	}
	return fs;
}
