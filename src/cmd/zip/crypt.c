/*
 * The traditional encryption of zip archives: three keys, moved on by every byte
 * of plain text. It is weak, and what everyone's tools read. Twelve bytes go
 * before the data; the last tells whether the password may be right.
 */
#include "cmd/zip/zip.h"

#include <zlib.h>

static uint32_t crypt_crc(uint32_t crc, unsigned byte)
{
	return get_crc_table()[(crc ^ byte) & 255] ^ crc >> 8;
}

static void crypt_move(struct zip_keys *k, unsigned byte)
{
	k->at[0] = crypt_crc(k->at[0], byte);
	k->at[1] = (k->at[1] + (k->at[0] & 255)) * 134775813u + 1;
	k->at[2] = crypt_crc(k->at[2], k->at[1] >> 24);
}

static unsigned crypt_byte(const struct zip_keys *k)
{
	uint32_t t = (k->at[2] & 0xffff) | 2;

	return t * (t ^ 1) >> 8 & 255;
}

static void zip_keys_init(struct zip_keys *k, const char *password)
{
	k->at[0] = 0x12345678;
	k->at[1] = 0x23456789;
	k->at[2] = 0x34567890;
	for (; *password; password++)
		crypt_move(k, (unsigned char)*password);
}

void zip_decrypt(struct zip_keys *k, unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		data[i] ^= (unsigned char)crypt_byte(k);
		crypt_move(k, data[i]);
	}
}

void zip_encrypt(struct zip_keys *k, unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned mask = crypt_byte(k);

		crypt_move(k, data[i]);
		data[i] ^= (unsigned char)mask;
	}
}

void zip_encrypt_head(struct tsb_proc *p, struct zip_keys *k, const char *password, uint32_t dos_time,
		      unsigned char head[ZIP_CRYPT_HEAD])
{
	zip_keys_init(k, password);
	tsb_random(p, head, ZIP_CRYPT_HEAD - 2);
	head[ZIP_CRYPT_HEAD - 2] = (unsigned char)dos_time;
	head[ZIP_CRYPT_HEAD - 1] = (unsigned char)(dos_time >> 8);
	zip_encrypt(k, head, ZIP_CRYPT_HEAD);
}

bool zip_decrypt_head(struct zip_keys *k, const char *password, const struct zip_entry *e,
		      unsigned char head[ZIP_CRYPT_HEAD])
{
	unsigned want = e->flags & 8 ? e->dos_time >> 8 & 255 : e->crc >> 24;

	zip_keys_init(k, password);
	zip_decrypt(k, head, ZIP_CRYPT_HEAD);
	return head[ZIP_CRYPT_HEAD - 1] == want;
}
