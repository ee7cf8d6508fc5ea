/*
 * Compressors: which program an archive needs, and running it beside us.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "cmd/tar/tar.h"

static const struct {
	const char *magic;
	size_t n;
	const char *program, *option;
} tar_magics[] = {
	{ "\037\235", 2, "compress", "-Z" },
	{ "\037\213", 2, "gzip", "-z" },
	{ "BZh", 3, "bzip2", "-j" },
	{ "LZIP", 4, "lzip", "--lzip" },
	{ "\xFFLZMA", 5, "xz", "--lzma" },
	{ "\x5d\0\0", 3, "xz", "--lzma" },
	{ "\211LZO\000\015\012\032\012", 9, "lzop", "--lzop" },
	{ "\xFD" "7zXZ", 5, "xz", "-J" },
	{ "\x28\xB5\x2F\xFD", 4, "zstd", "--zstd" },
};

const char *tar_compressor_magic(const unsigned char *block, size_t n)
{
	for (size_t i = 0; i < sizeof(tar_magics) / sizeof(*tar_magics); i++)
		if (n >= tar_magics[i].n && !memcmp(block, tar_magics[i].magic, tar_magics[i].n))
			return tar_magics[i].program;
	return NULL;
}

const char *tar_compressor_option(const unsigned char *block, size_t n)
{
	for (size_t i = 0; i < sizeof(tar_magics) / sizeof(*tar_magics); i++)
		if (n >= tar_magics[i].n && !memcmp(block, tar_magics[i].magic, tar_magics[i].n))
			return tar_magics[i].option;
	return "-I";
}

const char *tar_compressor_of(const char *name)
{
	static const struct { const char *suffix, *program; } suffixes[] = {
		{ "gz", "gzip" }, { "tgz", "gzip" }, { "taz", "gzip" }, { "Z", "compress" },
		{ "taZ", "compress" }, { "bz2", "bzip2" }, { "tbz", "bzip2" }, { "tbz2", "bzip2" },
		{ "tz2", "bzip2" }, { "lz", "lzip" }, { "lzma", "xz" }, { "tlz", "xz" },
		{ "lzo", "lzop" }, { "xz", "xz" }, { "txz", "xz" }, { "zst", "zstd" },
		{ "tzst", "zstd" },
	};
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash ? slash : name, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot + 1, suffixes[i].suffix))
			return suffixes[i].program;
	return NULL;
}

static const char **tar_words(struct tar *t, const char *text, bool decompress)
{
	const char **words = tsb_alloc(t->p, (strlen(text) / 2 + 4) * sizeof(*words));
	size_t n = 0;

	while (*(text += strspn(text, " \t\n"))) {
		size_t len = strcspn(text, " \t\n");

		words[n++] = tsb_strndup(t->p, text, len);
		text += len;
	}
	if (decompress)
		words[n++] = "-d";
	return words;
}

/* The compressor runs between the archive and us; the end of the pipe. */
int tar_start_compressor(struct tar *t, const char *program, int archive_fd, bool decompress,
			 int *pid)
{
	const char *const shell[] = { "/bin/sh", "-c", program, NULL };
	int fd[2], err = tsb_pipe(t->p, fd), ours, theirs;
	struct tsb_fd_map maps[2];
	struct tsb_spawn how = { .size = sizeof(how), .fds = maps, .n_fds = 2 };

	if (err < 0)
		tar_fatal(t, "Cannot open pipe: %s", tsb_strerror(err));
	ours = fd[decompress ? 0 : 1];
	theirs = fd[decompress ? 1 : 0];
	tsb_set_cloexec(t->p, ours, true);
	tsb_set_cloexec(t->p, theirs, true);
	maps[0] = (struct tsb_fd_map){ decompress ? 0 : 1, archive_fd };
	maps[1] = (struct tsb_fd_map){ decompress ? 1 : 0, theirs };
	/* A pure name is run as it is: a shell would do the same and no more. */
	if (decompress || !strpbrk(program, " \t\n|&;<>()$`\\\"'*?[#~=%")) {
		how.argv = tar_words(t, program, decompress);
		err = tsb_spawn(t->p, &how, pid);
	}
	if ((err < 0 || !how.argv) && !decompress) {
		how.argv = shell;
		err = tsb_spawn(t->p, &how, pid);
	}
	if (err < 0) {
		char *text = tsb_format(t->p, "tar (child): %s: Cannot exec: %s\n"
					"tar (child): Error is not recoverable: exiting now\n",
					how.argv[0], tsb_strerror(err));

		tsb_write_all(t->p, 2, text, strlen(text));
		tar_fatal(t, "Child returned status 2");
	}
	tsb_close(t->p, theirs);
	if (!decompress)
		tsb_signal(t->p, 13, TSB_SIG_IGNORE);
	return ours;
}
