/*
 * How many multiply-adds does a core do at most? Chains that stay in registers, compiled once per instruction set.
 *
 * Where there is no fused one, a multiplication and an addition, which is more than any kernel with the bits
 * of a fused one can reach.
 */
#include "kern/isa.h"

/* more than latency times units (4 x 2 on today's machines), and few enough for the registers */
#define CHAINS 12

double ISA(peak)(size_t steps);

/* does steps multiply-adds in each lane of each chain; how many floating-point operations that were */
double
ISA(peak)(size_t steps)
{
	volatile float factor = 0.75f, term = 0.25f, result;
	vec sum[CHAINS], a = spread(factor), b = spread(term);

	/* chains that began alike would be one */
	UNROLL
	for (int i = 0; i < CHAINS; i++)
		sum[i] = spread((float)i);
	for (size_t n = 0; n < steps; n++) {
		UNROLL
		for (int i = 0; i < CHAINS; i++)
			sum[i] = HAS_FMA ? fused(sum[i], a, b) : sum[i] * a + b;
	}
	for (int i = 1; i < CHAINS; i++)
		sum[0] += sum[i];
	result = sum[0][0];
	(void)result;
	return 2.0 * CHAINS * LANES * (double)steps;
}
