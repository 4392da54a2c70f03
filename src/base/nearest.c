/*
 * Which of the known names was meant by an unknown one?
 *
 * The optimal string alignment distance (Damerau, Communications of the ACM 7/3, 1964;
 * table as of Wagner and Fischer, Journal of the ACM 21/1, 1974): the fewest bytes to
 * insert, remove, replace, or swap with a neighbour. Case is no difference.
 */
#include "base/nearest.h"

#include <string.h>

#define LENGTH 64 /* of the longest name that is looked at */

static char
fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* the distance of a (n,) and b (m,), both of at most LENGTH bytes */
static size_t
distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t table[LENGTH + 1][LENGTH + 1]; /* [i][j]: of the first i bytes of a and j of b */

	for (size_t j = 0; j <= m; j++)
		table[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		table[i][0] = i;
		for (size_t j = 1; j <= m; j++) {
			char x = fold(a[i - 1]), y = fold(b[j - 1]);
			size_t d = table[i - 1][j - 1] + (x != y);

			d = least(d, least(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && x == fold(b[j - 2]) && y == fold(a[i - 2]))
				d = least(d, table[i - 2][j - 2] + 1);
			table[i][j] = d;
		}
	}
	return table[n][m];
}

const char *
qkv_nearest(const char *name, const char *const *names, size_t count)
{
	size_t n = strlen(name), best = LENGTH;
	const char *found = NULL;

	for (size_t i = 0; i < count && n <= LENGTH; i++) {
		size_t m = strlen(names[i]), d;

		if (m > LENGTH)
			continue;
		d = distance(name, n, names[i], m);
		/* one slip in three bytes is a slip; more is another word */
		if (d < best && d <= (n > m ? n : m) / 3) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
