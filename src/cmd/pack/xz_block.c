/*
 * xz -lvv: what the headers of the blocks tell.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/pack/xz.h"

static bool read_at(struct xz *x, uint64_t at, void *buf, size_t n)
{
	char *to = buf;

	if (tsb_lseek(x->p, x->list_fd, (int64_t)at, 0) < 0)
		return false;
	while (n) {
		ssize_t got = tsb_read(x->p, x->list_fd, to, n);

		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
	}
	return true;
}

/* The oldest xz that reads it: ARM64's filter came with 5.4.0, empty LZMA2 with 5.0.2. */
static uint32_t version_needed(const lzma_filter *filters, uint64_t plain)
{
	uint32_t version = XZ_OLDEST;

	for (; filters->id != LZMA_VLI_UNKNOWN; filters++) {
		if (filters->id == LZMA_FILTER_ARM64)
			return 50040002;
		if (filters->id == LZMA_FILTER_LZMA2 && !plain)
			version = 50000022;
	}
	return version;
}

static bool block_told(struct xz *x, const lzma_index_iter *it, lzma_block *block,
		       struct xz_block *out)
{
	unsigned char check[LZMA_CHECK_SIZE_MAX];
	uint32_t size = lzma_check_size(block->check);
	char *filters;

	out->sizes = block->compressed_size != LZMA_VLI_UNKNOWN &&
		     block->uncompressed_size != LZMA_VLI_UNKNOWN;
	snprintf(out->flags, sizeof(out->flags), "%c%c",
		 block->compressed_size != LZMA_VLI_UNKNOWN ? 'c' : '-',
		 block->uncompressed_size != LZMA_VLI_UNKNOWN ? 'u' : '-');
	if (lzma_block_compressed_size(block, it->block.unpadded_size) != LZMA_OK ||
	    !read_at(x, it->block.compressed_file_offset + it->block.total_size - size, check, size))
		return false;
	out->header = block->header_size;
	out->packed = block->compressed_size;
	out->memory = lzma_raw_decoder_memusage(block->filters);
	out->version = version_needed(block->filters, it->block.uncompressed_size);
	memcpy(out->check, "---", 4);
	bool number = size == 4 || size == 8;
	for (uint32_t i = 0; i < size; i++)	/* numbers are stored the lowest byte first */
		snprintf(out->check + 2 * i, 3, "%02x", check[number ? size - 1 - i : i]);
	if (lzma_str_from_filters(&filters, block->filters, LZMA_STR_DECODER | LZMA_STR_GETOPT_LONG,
				  &x->allocator) != LZMA_OK)
		return false;
	out->filters = filters;
	return true;
}

lzma_ret xz_block_read(struct xz *x, const lzma_index_iter *it, struct xz_block *out)
{
	unsigned char header[LZMA_BLOCK_HEADER_SIZE_MAX];
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	lzma_block block = { .filters = filters, .check = it->stream.flags->check };
	lzma_ret r;

	if (!read_at(x, it->block.compressed_file_offset, header, 1) || !header[0])
		return LZMA_DATA_ERROR;
	block.header_size = lzma_block_header_size_decode(header[0]);
	if (!read_at(x, it->block.compressed_file_offset, header, block.header_size))
		return LZMA_DATA_ERROR;
	r = lzma_block_header_decode(&block, &x->allocator, header);
	if (r != LZMA_OK)
		return r;
	if (!block_told(x, it, &block, out))
		r = LZMA_DATA_ERROR;
	lzma_filters_free(filters, &x->allocator);
	return r;
}
