/* Where digits, dot and exponent of a written number stand. */
#ifndef QKV_KERN_NUMBER_LAYOUT_H
#define QKV_KERN_NUMBER_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 10^-38 to 10^47, each rounded once; 10^i is qkv_number_powers[i + QKV_NUMBER_POWER] */
enum { QKV_NUMBER_POWER = 38, QKV_NUMBER_POWERS = 86 };
extern const double qkv_number_powers[QKV_NUMBER_POWERS];

/* how numbers of one decimal exponent look */
struct qkv_number_layout {
	char row[16];           /* "12.3456789": figure n stands for digit n, 0 for a zero */
	char ending[4];         /* "e-45" */
	uint8_t ending_length;  /* 0: none */
	uint8_t whole;          /* digits before the dot; 0: "0." and perhaps more zeros */
	uint8_t lengths[9 + 1]; /* of what stands before the ending, by the number of digits */
};

/* of d.ddd * 10^exponent at [exponent + QKV_NUMBER_LAYOUT], from that of the least subnormal on */
enum { QKV_NUMBER_LAYOUT = 45, QKV_NUMBER_LAYOUTS = 84 };
extern const struct qkv_number_layout qkv_number_layouts[QKV_NUMBER_LAYOUTS];

/* writes the ending of a number of count digits; its end, beyond which three bytes may be written */
static inline char *
qkv_number_layout_end(char *number, size_t count, const struct qkv_number_layout *l)
{
	char *end = number + l->lengths[count];

	memcpy(end, l->ending, sizeof l->ending);
	return end + l->ending_length;
}

/* writes a number of count digits, the last not zero, after them zeros up to nine; its end. 20 bytes may be written */
static inline char *
qkv_number_layout_write(char *number, const char digits[16], size_t count, const struct qkv_number_layout *l)
{
	if (!l->whole) {
		memcpy(number, "0.000000", 8);
		memcpy(number + l->lengths[9] - 9, digits, 9);
	} else {
		memcpy(number + 8, "00000000", 8);
		memcpy(number, digits, 9);
		if (count > l->whole) {
			number[l->whole] = '.';
			memcpy(number + l->whole + 1, digits + l->whole, 8);
		}
	}
	return qkv_number_layout_end(number, count, l);
}

#endif
