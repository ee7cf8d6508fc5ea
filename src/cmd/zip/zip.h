/*
 * zip archives: what zip and unzip share. The central directory is read whole;
 * data goes through in blocks.
 */
#ifndef CMD_ZIP_ZIP_H
#define CMD_ZIP_ZIP_H

#include "cmd/pack/pack.h"
#include "text/civil.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };
enum { ZIP_LOCAL_SIZE = 30, ZIP_CENTRAL_SIZE = 46, ZIP_END_SIZE = 22 };

struct zip_entry {
	char *name;
	unsigned made_by, host, needs, flags, method, internal;
	uint32_t dos_time, external, crc;
	uint64_t packed, plain, offset;
	const unsigned char *extra;
	size_t n_extra;
	const char *comment;
	size_t n_comment;
	struct tsb_time mtime;
	uint32_t mode;		/* of Unix; 0: not known */
	bool is_dir, has_ut;
	long user;		/* the caller's */
};

struct zip_file {
	struct tsb_proc *p;
	int fd;
	uint64_t size, directory, end;	/* offsets of the central directory and its end record */
	uint64_t directory_size;
	int64_t in_front;	/* bytes before what calls itself the beginning */
	uint64_t n_said;	/* entries, by the end record */
	struct zip_entry *entries;
	size_t n;
	char *comment;
	size_t n_comment;
	unsigned char *raw;	/* the central directory */
	struct zone zone;
};

enum zip_status { ZIP_OK, ZIP_NO_END, ZIP_BAD, ZIP_MISSING };

/* Reads the directory of an open file. */
enum zip_status zip_read(struct zip_file *z, struct tsb_proc *p, int fd);
/* An entry of the central directory at those bytes: how many it takes; 0: none. */
size_t zip_entry_read(struct zip_file *z, struct zip_entry *e, const unsigned char *at, size_t left);
/* Where an entry's data begins; 0: its local header is not there. The sum that
 * the local header names is the one that counts. */
uint64_t zip_data_offset(struct zip_file *z, struct zip_entry *e);
/* The data descriptor that stands at that offset. */
size_t zip_descriptor_size(struct zip_file *z, const struct zip_entry *e, uint64_t at);
/* Percent saved times ten, rounded as Info-ZIP does. */
int zip_ratio(uint64_t plain, uint64_t packed);
/* The time in its DOS form, local. */
uint32_t zip_dos_time(const struct zone *zone, int64_t sec);
/* A name against an Info-ZIP pattern, in which * matches slashes. */
bool zip_match(struct tsb_proc *p, const char *pattern, const char *name, bool icase,
	       bool no_slash);

/* ---- crypt.c ---- */
enum { ZIP_CRYPT_HEAD = 12, ZIP_ENCRYPTED = 1, ZIP_DESCRIPTOR = 8 };	/* bits of flags */
struct zip_keys {
	uint32_t at[3];
};

void zip_encrypt(struct zip_keys *k, unsigned char *data, size_t n);
void zip_decrypt(struct zip_keys *k, unsigned char *data, size_t n);
/* The bytes before the data of an entry with a data descriptor. */
void zip_encrypt_head(struct tsb_proc *p, struct zip_keys *k, const char *password,
		      uint32_t dos_time, unsigned char head[ZIP_CRYPT_HEAD]);
/* false: that password is wrong. */
bool zip_decrypt_head(struct zip_keys *k, const char *password, const struct zip_entry *e,
		      unsigned char head[ZIP_CRYPT_HEAD]);

#endif
