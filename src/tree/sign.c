/*
 * A journal lies in a tree that others write to: only one that was signed with a secret of the store is obeyed.
 */
#include "tree/tree.h"

#include <string.h>

#include "tree/sum.h"

/* The inner sum keeps what is appended to the data from being a sum of it. */
void ft_sign(const uint8_t key[FT_HASH], const uint8_t *data, size_t n, uint8_t hash[FT_HASH])
{
	struct sum sum;

	sum_begin(&sum);
	sum_add(&sum, data, n);
	sum_end(&sum, hash);
	sum_begin(&sum);
	sum_add(&sum, key, FT_HASH);
	sum_add(&sum, hash, FT_HASH);
	sum_end(&sum, hash);
}

bool ft_is_signed(const uint8_t key[FT_HASH], const uint8_t *data, size_t n)
{
	uint8_t hash[FT_HASH];

	if (n < FT_HASH)
		return false;
	ft_sign(key, data, n - FT_HASH, hash);
	return !memcmp(hash, data + n - FT_HASH, FT_HASH);
}
