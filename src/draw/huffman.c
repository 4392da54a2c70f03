/*
 * Huffman codes as deflate wants them.
 *
 * The two rarest trees become one until one is left (Huffman 1952); since sums come in ascending order, two queues will
 * do (van Leeuwen 1976). Where that makes codes that are too long, the counts are made more alike, and it begins anew.
 */
#include "draw/deflate.h"

#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* the depth of each of n leaves, n > 1, whose weights ascend; the greatest */
static unsigned
find_depths(unsigned *depth, const uint64_t *leaf, size_t n)
{
	uint64_t sum[QKV_SYMBOLS];
	size_t parent[2 * QKV_SYMBOLS], next = 0, first = 0;

	for (size_t made = 0; made + 1 < n; made++) {
		sum[made] = 0;
		for (int two = 0; two < 2; two++) {
			int is_leaf = next < n && (first == made || leaf[next] <= sum[first]);

			sum[made] += is_leaf ? leaf[next] : sum[first];
			parent[is_leaf ? next++ : n + first++] = n + made;
		}
	}
	depth[2 * n - 2] = 0;
	for (size_t i = 2 * n - 2; i-- > 0;)
		depth[i] = depth[parent[i]] + 1;
	return depth[0];
}

void
qkv_huffman_lengths(uint8_t *lengths, const uint32_t *count, size_t n, unsigned limit)
{
	uint64_t used[QKV_SYMBOLS], weight[QKV_SYMBOLS];
	unsigned depth[2 * QKV_SYMBOLS] = {1};
	size_t num = 0;

	for (size_t i = 0; i < n; i++) {
		lengths[i] = 0;
		if (count[i])
			used[num++] = (uint64_t)count[i] << 16 | i;
	}
	qsort(used, num, sizeof *used, compare);
	for (size_t i = 0; i < num; i++)
		weight[i] = used[i] >> 16;
	while (num > 1 && find_depths(depth, weight, num) > limit)
		for (size_t i = 0; i < num; i++)
			weight[i] = weight[i] / 2 + 1;
	for (size_t i = 0; i < num; i++)
		lengths[used[i] & 0xffff] = (uint8_t)depth[i];
}

void
qkv_huffman_codes(uint16_t *codes, const uint8_t *lengths, size_t n)
{
	unsigned count[16] = {0}, next[16] = {0};

	for (size_t i = 0; i < n; i++)
		count[lengths[i]]++;
	count[0] = 0;
	for (unsigned l = 1; l < 16; l++)
		next[l] = (next[l - 1] + count[l - 1]) << 1;
	for (size_t i = 0; i < n; i++) {
		unsigned code = lengths[i] ? next[lengths[i]]++ : 0, turned = 0;

		for (unsigned l = 0; l < lengths[i]; l++)
			turned = turned << 1 | (code >> l & 1);
		codes[i] = (uint16_t)turned;
	}
}
