/* Plain from 1e-5 to below 1e16, else d.ddd with an exponent: tables in the order of the exponents. */
#include "kern/number_layout.h"

#define UP(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8, x##9
#define DOWN(x) x##9, x##8, x##7, x##6, x##5, x##4, x##3, x##2, x##1, x##0

const double qkv_number_powers[] = {1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, DOWN(1e-2),
	DOWN(1e-1), DOWN(1e-), 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, UP(1e1), UP(1e2), UP(1e3), 1e40,
	1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47};

/* zeros, counting the one before the dot; digits before the dot; one digit, and an exponent */
#define FRACTION(row, zeros)                                                                                 \
	{                                                                                                    \
		row, "", 0, 0,                                                                               \
		{                                                                                            \
			0, (zeros) + 2, (zeros) + 3, (zeros) + 4, (zeros) + 5, (zeros) + 6, (zeros) + 7,     \
				(zeros) + 8, (zeros) + 9, (zeros) + 10                                       \
		}                                                                                            \
	}
#define LENGTH(whole, count) ((count) > (whole) ? (count) + 1 : (whole))
#define WITH_DOT(row, whole, ending)                                                                         \
	{                                                                                                    \
		row, ending, sizeof ending - 1, whole,                                                       \
		{                                                                                            \
			0, whole, LENGTH(whole, 2), LENGTH(whole, 3), LENGTH(whole, 4), LENGTH(whole, 5),    \
				LENGTH(whole, 6), LENGTH(whole, 7), LENGTH(whole, 8), LENGTH(whole, 9)       \
		}                                                                                            \
	}
#define WHOLE(row, whole) WITH_DOT(row, whole, "")
#define POWER(ending) WITH_DOT("1.23456789", 1, ending)
#define TEN(x)                                                                                               \
	POWER(x "0"), POWER(x "1"), POWER(x "2"), POWER(x "3"), POWER(x "4"), POWER(x "5"), POWER(x "6"),    \
		POWER(x "7"), POWER(x "8"), POWER(x "9")
#define TEN_DOWN(x)                                                                                          \
	POWER(x "9"), POWER(x "8"), POWER(x "7"), POWER(x "6"), POWER(x "5"), POWER(x "4"), POWER(x "3"),    \
		POWER(x "2"), POWER(x "1"), POWER(x "0")

const struct qkv_number_layout qkv_number_layouts[] = {
	POWER("e-45"),
	POWER("e-44"),
	POWER("e-43"),
	POWER("e-42"),
	POWER("e-41"),
	POWER("e-40"),
	TEN_DOWN("e-3"),
	TEN_DOWN("e-2"),
	TEN_DOWN("e-1"),
	POWER("e-9"),
	POWER("e-8"),
	POWER("e-7"),
	POWER("e-6"),
	FRACTION("0.0000123456789", 5),
	FRACTION("0.000123456789", 4),
	FRACTION("0.00123456789", 3),
	FRACTION("0.0123456789", 2),
	FRACTION("0.123456789", 1),
	WHOLE("1.23456789", 1),
	WHOLE("12.3456789", 2),
	WHOLE("123.456789", 3),
	WHOLE("1234.56789", 4),
	WHOLE("12345.6789", 5),
	WHOLE("123456.789", 6),
	WHOLE("1234567.89", 7),
	WHOLE("12345678.9", 8),
	WHOLE("123456789", 9),
	WHOLE("1234567890", 10),
	WHOLE("12345678900", 11),
	WHOLE("123456789000", 12),
	WHOLE("1234567890000", 13),
	WHOLE("12345678900000", 14),
	WHOLE("123456789000000", 15),
	WHOLE("1234567890000000", 16),
	POWER("e16"),
	POWER("e17"),
	POWER("e18"),
	POWER("e19"),
	TEN("e2"),
	POWER("e30"),
	POWER("e31"),
	POWER("e32"),
	POWER("e33"),
	POWER("e34"),
	POWER("e35"),
	POWER("e36"),
	POWER("e37"),
	POWER("e38"),
};
