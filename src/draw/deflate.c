/*
 * Deflate for pictures of few colours, in the same bytes everywhere.
 *
 * A block is a list of words: a byte, or a run that repeats the byte before. They are counted, and become
 * bits by a Huffman code of their own, which stands before them. zlib's checksum is added up word by word.
 * Blocks know nothing of each other, so they are made side by side, and then joined bit to bit.
 */
#include "draw/deflate.h"

#include "base/mem.h"
#include "base/pool.h"

#include <string.h>

enum {
	BLOCK = 65536, /* bytes that share a code */
	SHORTEST = 3,  /* runs */
	LONGEST = 258,
	END = 256, /* the symbol after a block; those of runs follow */
	RUN = 256, /* words are a byte, or this and the length of a run */
	WORDS = RUN + LONGEST + 1,
	CHECK = 65521, /* Adler-32's modulus */
	SHARE = 8,     /* blocks a worker, in one go */
	MOST = 32,     /* in all */
};

/* a word or symbol as bits, the first lowest */
struct bits {
	uint32_t value;
	unsigned length;
};

/* where bits go: whole bytes to at, up to eight more beyond it */
struct pen {
	unsigned char *at;
	uint64_t pending; /* bits that are no whole byte yet */
	unsigned num;
};

struct block {
	int is_last;
	size_t size, bits;           /* of in, of out */
	uint64_t low, high;          /* of the checksum, as if nothing stood before */
	unsigned char in[BLOCK + 8]; /* and what may be looked at beyond it */
	uint16_t words[BLOCK];       /* of which there are no more than bytes */
	unsigned char
		out[2 * BLOCK + 1024]; /* a word has up to 15 bits, or up to 21 for three bytes or more */
};

struct qkv_deflate {
	qkv_deflate_put *put;
	void *to;
	uint64_t low, high; /* of the checksum */
	struct pen pen;
	unsigned char out[2 * BLOCK + 1024 + 8]; /* of one block, behind what is pending */
	struct qkv_pool *pool;                   /* NULL: the caller alone */
	size_t num, full;                        /* blocks, the first of which are full */
	struct block block[];
};

/* the symbol of a run, and the bits that follow it: from 11 on four symbols share each number of them */
static unsigned
run_symbol(struct bits *more, unsigned length)
{
	unsigned n = length - SHORTEST, extra = 0;

	*more = (struct bits){0, 0};
	if (length == LONGEST)
		return END + 29;
	while (n >> (extra + 3))
		extra++;
	*more = (struct bits){n & ((1u << extra) - 1), extra};
	return END + 1 + 4 * extra + (n >> extra);
}

/* adds bits, 56 at most with those that are pending */
static inline void
add_bits(struct pen *p, struct bits b)
{
	p->pending |= (uint64_t)b.value << p->num;
	p->num += b.length;
}

static inline void
put_bits(struct pen *p, struct bits b)
{
	add_bits(p, b);
	memcpy(p->at, &p->pending,
		sizeof p->pending); /* the lowest byte first, as everywhere that this runs */
	p->at += p->num / 8;
	p->pending >>= p->num & ~7u;
	p->num &= 7;
}

/* how often the byte before p comes again, up to most times; eight bytes from there on may be looked at */
static inline size_t
count_run(const unsigned char *p, size_t most)
{
	uint64_t eight, before;
	size_t n = 0;

	do {
		memcpy(&eight, p + n, sizeof eight);
		memcpy(&before, p + n - 1, sizeof before);
		n += eight == before ? 8 : (size_t)__builtin_ctzll(eight ^ before) / 8;
	} while (eight == before && n < most);
	return n < most ? n : most;
}

/* turns what is in b into words; how many, and how often each */
static size_t
find_words(struct block *b, uint32_t count[WORDS])
{
	uint64_t low = 0, high = 0;
	uint16_t *word = b->words;

	for (size_t i = 0; i < b->size;) {
		unsigned v = b->in[i++];
		size_t run = count_run(b->in + i, b->size - i);

		*word = (uint16_t)v;
		count[*word++]++;
		low += v;
		high += low;
		while (run >= SHORTEST) {
			size_t n = run < LONGEST ? run : LONGEST;

			*word = (uint16_t)(RUN + n);
			count[*word++]++;
			high += n * low + v * (n * (n + 1) / 2);
			low += n * v;
			run -= n;
			i += n;
		}
	}
	b->low = low % CHECK;
	b->high = high % CHECK;
	return (size_t)(word - b->words);
}

/* the lengths of the codes that follow: each by a code of its own, runs of zeros shortened */
static void
put_lengths(struct pen *p, const uint8_t *lengths, size_t n)
{
	static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	uint8_t symbols[QKV_SYMBOLS + 1], zeros[QKV_SYMBOLS + 1], own[19];
	uint32_t count[19] = {0};
	uint16_t codes[19];
	size_t num = 0, last = 19;

	for (size_t i = 0; i < n; num++) {
		size_t run = 0;

		while (run < 138 && i + run < n && !lengths[i + run])
			run++;
		symbols[num] = run < 3 ? lengths[i] : run < 11 ? 17 : 18;
		zeros[num] = (uint8_t)run;
		count[symbols[num]]++;
		i += run < 3 ? 1 : run;
	}
	qkv_huffman_lengths(own, count, 19, 7);
	qkv_huffman_codes(codes, own, 19);
	while (last > 4 && !own[order[last - 1]])
		last--;
	put_bits(p, (struct bits){(uint32_t)last - 4, 4});
	for (size_t i = 0; i < last; i++)
		put_bits(p, (struct bits){own[order[i]], 3});
	for (size_t i = 0; i < num; i++) {
		put_bits(p, (struct bits){codes[symbols[i]], own[symbols[i]]});
		if (symbols[i] == 17)
			put_bits(p, (struct bits){zeros[i] - 3u, 3});
		if (symbols[i] == 18)
			put_bits(p, (struct bits){zeros[i] - 11u, 7});
	}
}

/* what each word becomes: its code, and of a run the rest of its length and the distance, whose code is one 0 */
static void
set_bits(struct bits *of, const uint16_t *codes, const uint8_t *lengths)
{
	for (unsigned v = 0; v < 256; v++)
		of[v] = (struct bits){codes[v], lengths[v]};
	for (unsigned n = SHORTEST; n <= LONGEST; n++) {
		struct bits more;
		unsigned s = run_symbol(&more, n);

		of[RUN + n] =
			(struct bits){codes[s] | more.value << lengths[s], lengths[s] + more.length + 1};
	}
}

/* a block as bits */
static void
compress(void *arg, size_t index, size_t worker)
{
	struct block *b = &((struct qkv_deflate *)arg)->block[index];
	uint32_t words[WORDS] = {0}, count[QKV_SYMBOLS] = {0};
	uint8_t lengths[QKV_SYMBOLS + 1];
	uint16_t codes[QKV_SYMBOLS];
	struct bits of[WORDS], more;
	size_t num = find_words(b, words);
	struct pen pen = {b->out, 0, 0};

	(void)worker;
	memcpy(count, words, 256 * sizeof *count);
	count[END] = 1;
	for (unsigned n = SHORTEST; n <= LONGEST; n++)
		count[run_symbol(&more, n)] += words[RUN + n];
	qkv_huffman_lengths(lengths, count, QKV_SYMBOLS, 15);
	qkv_huffman_codes(codes, lengths, QKV_SYMBOLS);
	lengths[QKV_SYMBOLS] = 1; /* of the one distance */
	set_bits(of, codes, lengths);
	/* a block with its own codes, for 286 symbols and one distance */
	put_bits(&pen, (struct bits){(uint32_t)b->is_last | 2 << 1, 3});
	put_bits(&pen, (struct bits){QKV_SYMBOLS - 257, 10});
	put_lengths(&pen, lengths, QKV_SYMBOLS + 1);
	for (size_t i = 0; i + 1 < num; i += 2) {
		add_bits(&pen, of[b->words[i]]);
		put_bits(&pen, of[b->words[i + 1]]);
	}
	if (num % 2)
		put_bits(&pen, of[b->words[num - 1]]);
	put_bits(&pen, (struct bits){codes[END], lengths[END]});
	b->bits = (size_t)(pen.at - b->out) * 8 + pen.num;
}

static void
flush(struct qkv_deflate *d)
{
	size_t size = (size_t)(d->pen.at - d->out);

	d->pen.at = d->out;
	d->put(d->to, d->out, size);
}

/* appends b to the stream */
static void
join(struct qkv_deflate *d, const struct block *b)
{
	const unsigned char *in = b->out;
	struct pen pen = d->pen;
	size_t left = b->bits;

	for (; left >= 64; left -= 64, in += 8, pen.at += 8) {
		uint64_t eight;

		memcpy(&eight, in, sizeof eight);
		pen.pending |= eight << pen.num;
		memcpy(pen.at, &pen.pending, sizeof pen.pending);
		pen.pending = eight >> 1 >> (63 - pen.num);
	}
	for (size_t n; left; left -= n, in++) {
		n = left < 8 ? left : 8;
		put_bits(&pen, (struct bits){*in & ((1u << n) - 1), (unsigned)n});
	}
	d->pen = pen;
	d->high = (d->high + b->size * d->low + b->high) % CHECK;
	d->low = (d->low + b->low) % CHECK;
}

/* makes bits of the first count blocks, which are free again; the last is not flushed */
static void
put_blocks(struct qkv_deflate *d, size_t count)
{
	if (d->pool && count > 1)
		qkv_pool_run(d->pool, count, compress, d);
	else
		for (size_t i = 0; i < count; i++)
			compress(d, i, 0);
	for (size_t i = 0; i < count; i++) {
		join(d, &d->block[i]);
		d->block[i].size = 0;
		if (!d->block[i].is_last)
			flush(d);
	}
	d->full = 0;
}

int
qkv_deflate_new(struct qkv_deflate **d, qkv_deflate_put *put, void *to, int threads, struct qkv_err *e)
{
	struct qkv_pool *pool = NULL;
	size_t num = 1;

	*d = NULL;
	if (threads != 1) {
		if (qkv_pool_new(&pool, threads, e))
			return -1;
		num = SHARE * qkv_pool_size(pool);
		num = num < MOST ? num : MOST;
	}
	*d = qkv_mem_new(1, sizeof **d + num * sizeof *(*d)->block, e);
	if (!*d) {
		qkv_pool_free(pool);
		return -1;
	}
	(*d)->pool = pool;
	(*d)->num = num;
	(*d)->put = put;
	(*d)->to = to;
	(*d)->low = 1;
	(*d)->pen.at = (*d)->out;
	put_bits(
		&(*d)->pen, (struct bits){0x0178, 16}); /* deflate, a window of 32768, and a multiple of 31 */
	return 0;
}

void
qkv_deflate_add(struct qkv_deflate *d, const unsigned char *data, size_t size)
{
	while (size) {
		struct block *b = &d->block[d->full];
		size_t n = size < BLOCK - b->size ? size : BLOCK - b->size;

		memcpy(b->in + b->size, data, n);
		b->size += n;
		data += n;
		size -= n;
		if (b->size == BLOCK && ++d->full == d->num)
			put_blocks(d, d->num);
	}
}

void
qkv_deflate_end(struct qkv_deflate *d)
{
	d->block[d->full].is_last = 1;
	put_blocks(d, d->full + 1);
	put_bits(&d->pen, (struct bits){0, (8 - d->pen.num) % 8});
	for (int shift = 8; shift >= 0; shift -= 8)
		put_bits(&d->pen, (struct bits){d->high >> shift & 255, 8});
	for (int shift = 8; shift >= 0; shift -= 8)
		put_bits(&d->pen, (struct bits){d->low >> shift & 255, 8});
	flush(d);
}

void
qkv_deflate_free(struct qkv_deflate *d)
{
	if (!d)
		return;
	qkv_pool_free(d->pool);
	qkv_mem_free(d);
}
