/*
 * Which bits has each character's glyph: GNU Unifont's text as a C table.
 *
 *	glyphs unifont.hex VERSION >glyphs.c
 *
 * A line is CODE:BITS in hexadecimal: 16 rows from the top, 8 or 16 pixels each, the leftmost in the
 * highest bit. The table has two levels, of 64 characters a leaf, as src/draw/glyph.h declares it.
 * Left out is what shows no shape of its own: blanks but the space, the number boxes of unassigned
 * characters and the dashed boxes of controls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODES = 0x10000, LEAF = 64, WORDS = 4 * CODES };

static uint32_t entries[CODES]; /* 2 * index of the first word, plus 1 where wide; 0: no glyph */
static uint64_t words[WORDS];
static size_t num_words = 1;

static int
is_blank(const uint16_t row[16])
{
	for (int i = 0; i < 16; i++)
		if (row[i])
			return 0;
	return 1;
}

/* a frame with a code number, white on black; the black square U+2B1B looks alike from outside, and has none */
static int
is_number_box(const uint16_t row[16])
{
	static const int full[] = {1, 7, 8, 14};

	for (int i = 0; i < 4; i++)
		if (row[full[i]] != 0x7FFE)
			return 0;
	return !row[0] && !row[15] && row[3] != 0x7FFE;
}

static int
is_dashed_box(const uint16_t row[16])
{
	return row[0] == 0xAAAA && row[1] == 0x0001 && row[14] == 0x8000 && row[15] == 0x5555;
}

/* keeps the glyph of code, whose rows are digits long in bits; returns 0, or -1: not such a line */
static int
keep(unsigned long code, const char *bits)
{
	uint16_t row[16];
	size_t length = strspn(bits, "0123456789ABCDEFabcdef"), width = length / 16; /* digits of a row */

	if (code >= CODES || (length != 32 && length != 64))
		return -1;
	for (size_t i = 0; i < 16; i++) {
		char text[5] = "";

		memcpy(text, bits + i * width, width);
		row[i] = (uint16_t)strtoul(text, NULL, 16);
	}
	if (width == 4 && (is_number_box(row) || is_dashed_box(row)))
		return 0;
	if (code != ' ' && is_blank(row))
		return 0;
	entries[code] = (uint32_t)(2 * num_words + (width == 4));
	for (size_t i = 0; i < width; i++) {
		char text[17] = "";

		memcpy(text, bits + 16 * i, 16);
		words[num_words++] = strtoull(text, NULL, 16);
	}
	return 0;
}

/* writes the leaves that have glyphs, and where each is; leaf 0 has none */
static void
write_leaves(void)
{
	static uint16_t leaves[CODES / LEAF];
	static const uint32_t none[LEAF];
	uint16_t count = 0;

	printf("const uint32_t qkv_glyph_entries[][%d] = {\n{0},\n", LEAF);
	for (size_t i = 0; i < CODES / LEAF; i++) {
		const uint32_t *leaf = entries + i * LEAF;

		if (!memcmp(leaf, none, sizeof none))
			continue;
		leaves[i] = ++count;
		for (size_t j = 0; j < LEAF; j++)
			printf("%s%" PRIu32 "%s", j ? "," : "{", leaf[j], j == LEAF - 1 ? "},\n" : "");
	}
	printf("};\nconst uint16_t qkv_glyph_leaves[] = {\n");
	for (size_t i = 0; i < CODES / LEAF; i++)
		printf("%d,%s", leaves[i], i % 16 == 15 ? "\n" : "");
	printf("};\n");
}

int
main(int argc, char **argv)
{
	char line[128];
	FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
	unsigned long number = 0;

	if (!in) {
		fprintf(stderr, "glyphs: %s\n",
			argc == 3 ? "cannot read the font" : "usage: glyphs unifont.hex VERSION");
		return 1;
	}
	while (fgets(line, sizeof line, in)) {
		char *colon;
		unsigned long code = strtoul(line, &colon, 16);

		number++;
		if (*colon != ':' || keep(code, colon + 1)) {
			fprintf(stderr, "glyphs: %s:%lu: expected CODE:BITS of Unifont's plane 0\n", argv[1],
				number);
			return 1;
		}
	}
	if (ferror(in) || num_words == 1) {
		fprintf(stderr, "glyphs: %s: no glyphs could be read\n", argv[1]);
		return 1;
	}
	fclose(in);
	printf("/* made by src/gen/glyphs.c from GNU Unifont (GPL 2 or later with the font embedding "
	       "exception, or\n"
	       " * SIL Open Font License 1.1; https://unifoundry.com/unifont/) */\n"
	       "#include \"draw/glyph.h\"\n\nconst char qkv_glyph_version[] = \"%s\";\n",
		argv[2]);
	write_leaves();
	printf("const uint64_t qkv_glyph_words[] = {\n");
	for (size_t i = 0; i < num_words; i++)
		printf("0x%" PRIx64 ",%s", words[i], i % 8 == 7 ? "\n" : "");
	printf("\n};\n");
	return fflush(stdout) || ferror(stdout);
}
