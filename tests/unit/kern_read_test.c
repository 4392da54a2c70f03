/* Many numbers at once: every instruction set against the strict reader of one number, in rows and in runs. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "kern/number.h"
#include "kerns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 60000, ROOM = SIZE / 2 + 1, PADDING = 64 };

static const char *
space(const char *p, const char *end)
{
	while (p < end && memchr(" \t\n\r", *p, 4))
		p++;
	return p;
}

/* what is to be read: whole rows from p, or with cols 0 a run; starts[i] is set to the end of the first i rows or numbers */
static size_t
read_strictly(float *out, const char **after, size_t cols, const char *p, const char *end)
{
	size_t units = 0, n;

	for (after[0] = p; p < end; p = space(p + 1, end)) {
		if (!cols) {
			after[units + 1] = qkv_numbers_read(out + units, 1, &n, p, end);
			if (!n)
				return units;
		} else {
			if (*p != '[')
				return units;
			p = space(p + 1, end);
			p = space(qkv_numbers_read(out + units * cols, cols, &n, p, end), end);
			if (n != cols || p == end || *p != ']')
				return units;
			after[units + 1] = p + 1;
		}
		p = space(after[++units], end);
		if (p == end || *p != ',')
			return units;
	}
	return units;
}

/* whether it reads anything: where nobody has written its vectors, all is left to the strict reader */
static int
reads(const struct qkv_kern *k)
{
	char text[400];
	float out[200];
	size_t count;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i % 2 ? ',' : '1';
	k->read(out, 200, 0, &count, text, text + sizeof text);
	return count > 0;
}

/* all instruction sets read of text what the strict reader does, and stop at most `left` bytes before it does */
static void
check(const char *text, size_t size, size_t cols, size_t left)
{
	static float want[ROOM], got[ROOM];
	static const char *after[ROOM + 1];
	const char *end = text + size;
	size_t unit = cols ? cols : 1, units = read_strictly(want, after, cols, text, end);

	for (size_t k = 0; k < num_kerns; k++) {
		size_t count;
		const char *p = kerns[k]->read(got, ROOM, cols, &count, text, end);

		if (count % unit || count / unit > units || p != after[count / unit] ||
			memcmp(got, want, count * sizeof *got)) {
			size_t i = 0;

			while (i < count && i < units * unit && !memcmp(got + i, want + i, sizeof *got))
				i++;
			fail_msg("%s: %zu numbers up to byte %td, the first wrong one %zu (%a, expected %a), "
				 "of "
				 "%zu rows of %zu in %.*s",
				kerns[k]->name, count, p - text, i, (double)got[i], (double)want[i], units,
				cols, (int)size, text);
		}
		if ((size_t)(after[units] - p) > left && reads(kerns[k]))
			fail_msg("%s: stopped at byte %td, not at %td, of %zu: %.*s", kerns[k]->name,
				p - text, after[units] - text, size, (int)(end - p < 300 ? end - p : 300), p);
	}
}

static char *
put_digits(char *p, uint32_t count)
{
	while (count--)
		*p++ = (char)('0' + random_below(10));
	return p;
}

/* a number in one of the forms that documents have */
static char *
put_number(char *p, uint32_t form)
{
	uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
	float x, next;

	if (random_below(2))
		*p++ = '-';
	switch (form) {
	case 0: /* as printf and Python write them */
		return p + sprintf(p, "%.*f", (int)(1 + random_below(12)), random_bits() * 0x1p-32);
	case 1:
		return p + sprintf(p, "%.17g", (double)(float)(random_bits() * 0x1p-32));
	case 2:
		return p + sprintf(p, "%u", random_below(random_below(2) ? 2 : 100000));
	case 3:
		return p +
			sprintf(p, "%.*g", (int)(1 + random_below(20)),
				from_bits(random_bits() & 0x7effffff));
	case 4: /* any length, any place of the dot */
		*p++ = (char)('1' + random_below(9));
		p = put_digits(p, random_below(22));
		if (random_below(4)) {
			*p++ = '.';
			p = put_digits(p, 1 + random_below(22));
		}
		return p;
	case 5: /* near the middle between two floats */
		memcpy(&x, &(uint32_t){(uint32_t)(bits & 0x0fffffff) | 0x38000000}, sizeof x);
		memcpy(&next, &(uint32_t){((uint32_t)(bits & 0x0fffffff) | 0x38000000) + 1}, sizeof next);
		return p + sprintf(p, "%.*f", (int)(7 + random_below(24)), ((double)x + (double)next) / 2);
	case 6: /* zeros at the end */
		p += sprintf(p, "%u.", random_below(1000));
		p = put_digits(p, 1 + random_below(6));
		for (uint32_t zeros = random_below(12); zeros; zeros--)
			*p++ = '0';
		return p;
	default: /* small, with zeros after the dot */
		p += sprintf(p, "0.");
		for (uint32_t zeros = random_below(12); zeros; zeros--)
			*p++ = '0';
		return put_digits(p, 1 + random_below(18));
	}
}

static char *
put_space(char *p, uint32_t most)
{
	for (uint32_t n = random_below(most + 1); n; n--)
		*p++ = " \n\t\r"[random_below(4)];
	return p;
}

/* rows of cols, or a run of count numbers, of one form (all: of any), with up to most white space everywhere */
static size_t
put_text(char *text, size_t count, size_t cols, uint32_t form, uint32_t most)
{
	char *p = text;

	for (size_t i = 0; i < count; i++) {
		if (cols && i % cols == 0) {
			*p++ = '[';
			p = put_space(p, most);
		}
		p = put_space(put_number(p, form < 8 ? form : random_below(8)), most);
		if (cols && i % cols == cols - 1) {
			*p++ = ']';
			p = put_space(p, most);
		}
		*p++ = ',';
		p = put_space(p, most);
	}
	return (size_t)(p - text);
}

/* the last block, which is left out, and the row that it cuts */
static void
test_forms(void **unused)
{
	static char text[SIZE];

	(void)unused;
	for (uint32_t i = 0; i < 3000; i++) {
		size_t cols = random_below(4) ? random_below(9) : random_below(90), most = random_below(5);
		size_t count = 200 + random_below(300), size;

		count -= cols ? count % cols : 0;
		size = put_text(text, count, cols, i % 9, (uint32_t)(most > 3 ? random_below(40) : most / 2));
		memset(text + size, ' ', PADDING);
		check(text, size + PADDING, cols, 0);
		check(text, size - 1 - random_below(200), cols, PADDING + (cols + 1) * 200);
	}
}

/* any byte may be any other: what is read before it is right, and no more is read than is right */
static void
test_damage(void **unused)
{
	static const char bytes[] = "0123456789..--++eE,,[[]]  \n\"xN{}:/\\;\1\177\200\377";
	static char text[SIZE];

	(void)unused;
	for (uint32_t i = 0; i < 30000; i++) {
		size_t cols = random_below(5), size, at;

		size = put_text(text, cols ? cols * 20 : 40, cols, random_below(9), random_below(3));
		for (uint32_t n = 1 + random_below(2); n; n--) {
			at = random_below(3) ? 64 + random_below((uint32_t)size - 65)
					     : random_below((uint32_t)size);
			if (random_below(3))
				text[at] = bytes[random_below(sizeof bytes)];
			else
				memmove(text + at, text + at + 1, --size - at);
		}
		memset(text + size, ' ', PADDING);
		check(text, size + PADDING, cols, SIZE);
	}
}

/* texts that are wrong in one place, after enough that is right: nothing beyond the place is read */
static void
test_wrong(void **unused)
{
	static const char *const wrong[] = {"01", "-01", "00", "-", ".", "1.", ".5", "-.5", "1..2", "1.2.3",
		"1-2", "--1", "1e", "1e+", "1e5.5", "+1", "1 2", "", ",", "[", "]", "[1", "1]", "1]]",
		"[[1]]", "1],[2", "1e39", "-1e39", "340282356779733661637539395458142568448", "null", "NaN",
		"\"1\"", "1x", "0x10", "1/2", "\0011", "1\177", "\200", "{", "}", ":"};
	static const char *const right[] = {"0", "-0", "-0.0", "0.0", "1e5", "1E-5", "-1.5e+3", "1e-46",
		"340282356779733661637539395458142568447", "7.038531e-26", "1e-400",
		"0.1234567890123456789012345678901234567890", "16777217", "9007199254740993", "4294967297.5",
		"1.00000005960464477539", "1.000000059604644775390625",
		"1.000000059604644775390625000000000001", "123456789012345", "1234567890123456",
		"12345678901234567", "123456789012345678", "1234567890123456.1234567890123456",
		"0.000000000000000000000000000001", "  5", "5\n\n\n\t"};
	char text[2000];

	(void)unused;
	for (size_t cols = 0; cols < 4; cols++)
		for (size_t before = 0; before < 70; before++) {
			for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
				size_t size = put_text(text, cols ? cols * 16 : 30, cols, 2, 0);

				memset(text + size, ' ', before);
				size += before;
				size += (size_t)sprintf(text + size, "%s%s%s", cols ? "[" : "", wrong[i],
					cols == 2      ? ",5],[1,2],"
						: cols ? "],[1],"
						       : ",5,");
				memset(text + size, ' ', PADDING);
				/* where 1.2 may be read, 1.2.3 is left */
				check(text, size + PADDING, cols, cols ? 0 : before + 1 + strlen(wrong[i]));
			}
			for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
				size_t size = put_text(text, cols ? cols * 16 : 30, cols, 2, 0);

				memset(text + size, ' ', before);
				size += before;
				size += (size_t)sprintf(text + size, "%s%s%s", cols ? "[" : "", right[i],
					cols == 3           ? ",5,6],[1,2,3],"
						: cols == 2 ? ",5],[1,2],"
						: cols      ? "],[1],"
							    : ",5,");
				memset(text + size, ' ', PADDING);
				check(text, size + PADDING, cols, 0);
			}
		}
}

/* a row that does not begin with a bracket, or begins with a zero too much, wherever in a block that is */
static void
test_begin(void **unused)
{
	static const char *const begins[] = {"[", "", "[0", "[ 0", "[-0", "[ -", "[1 ", "[1,", "[ 1,"};
	char text[1000];

	(void)unused;
	for (size_t before = 0; before < 70; before++)
		for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
			char *p = text + sprintf(text, "[%*s", (int)before, "");

			for (int row = 0; row < 4; row++) {
				if (row)
					p += sprintf(p, "%s", row == 2 ? begins[k] : "[");
				for (int i = 1; i <= 40; i++)
					p += sprintf(p, i > 1 ? ",%d" : "%d", i % 10);
				p += sprintf(p, "],");
			}
			memset(p, ' ', PADDING);
			check(text, (size_t)(p - text) + PADDING, 40, 0);
		}
}

/* a row with twice the numbers, wherever a stretch ends in it */
static void
test_long_row(void **unused)
{
	char text[2000 + PADDING];

	(void)unused;
	for (size_t cols = 1; cols <= 3; cols++)
		for (int space = 0; space < 200; space++) {
			char *p = text;

			for (size_t row = 0; row < 20; row++) {
				p += sprintf(p, "%s%*s[", row ? "," : "", row == 5 ? space : 0, "");
				for (size_t i = 0; i < cols * (row == 9 ? 2 : 1); i++)
					p += sprintf(p, i ? ",123.5" : "1.5");
				p += sprintf(p, " ]");
			}
			memset(p, ' ', PADDING);
			check(text, (size_t)(p - text) + PADDING, cols, SIZE);
		}
}

/* a run begins with a number, not with white space before one */
static void
test_space_before(void **unused)
{
	char text[200 + PADDING];

	(void)unused;
	for (const char *space = " \n\t\r"; *space; space++) {
		size_t size = (size_t)sprintf(text, "%c46224", *space);

		for (int i = 0; i < 60; i++)
			size += (size_t)sprintf(text + size, ",1");
		memset(text + size, ' ', PADDING);
		check(text, size + PADDING, 0, 0);
	}
}

/* texts that begin and end with a page, beside which nothing may be read */
static void
test_pages(void **unused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char text[SIZE];

	(void)unused;
	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map, page, PROT_NONE), 0);
	assert_int_equal(mprotect(map + 3 * page, page, PROT_NONE), 0);
	for (size_t i = 0; i < 400; i++) {
		size_t cols = random_below(4),
		       size = put_text(text, 1200, cols, (uint32_t)i % 9, random_below(2));

		size = size > page ? page + random_below((uint32_t)(size > 2 * page ? page : size - page) + 1)
				   : size;
		memcpy(map + page, text, size);
		check(map + page, size, cols, SIZE);
		memcpy(map + 3 * page - size, text, size);
		check(map + 3 * page - size, size, cols, SIZE);
	}
	munmap(map, 4 * page);
}

/* no more than there is room for, and in one call much more than one stretch */
static void
test_room(void **unused)
{
	static char text[SIZE];
	static float want[ROOM], got[ROOM];
	size_t size = put_text(text, 3000, 3, 0, 0), count;

	(void)unused;
	memset(text + size, ' ', PADDING);
	for (size_t k = 0; k < num_kerns && reads(kerns[k]); k++) {
		kerns[k]->read(want, ROOM, 3, &count, text, text + size + PADDING);
		assert_int_equal(count, 3000);
		for (size_t room = 0; room < 3000; room += 1 + room / 3) {
			memset(got, 0, sizeof got);
			kerns[k]->read(got, room, 3, &count, text, text + size + PADDING);
			assert_int_equal(count, room / 3 * 3);
			assert_memory_equal(got, want, count * sizeof *got);
			for (size_t i = room; i < ROOM; i++)
				assert_true(got[i] == 0);
		}
	}
}

static void
test_commas(void **unused)
{
	char text[300];

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		size_t size = random_below(sizeof text), want = 0, stop = 0, count;

		for (size_t j = 0; j < size; j++)
			text[j] = random_below(200) ? ",,[]0123456789 .-"[random_below(17)]
						    : ":}"[random_below(2)];
		for (; stop < size && text[stop] != ':' && text[stop] != '}'; stop++)
			want += text[stop] == ',';
		for (size_t k = 0; k < num_kerns; k++) {
			assert_ptr_equal(kerns[k]->commas(&count, text, text + size), text + stop);
			assert_int_equal(count, want);
		}
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_long_row),
		cmocka_unit_test(test_space_before),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_commas),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}
