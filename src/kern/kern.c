/*
 * Which instruction sets there are, and which of them this machine has.
 *
 * A set is a name in isas.h, a function that asks the machine, and the files named
 * in isa.h compiled for it.
 */
#include "kern/kern.h"

#include "kern/isas.h"

#include <string.h>

#define DECLARATION(isa)                                                                                     \
	int qkv_usable_##isa(void);                                                                          \
	extern const struct qkv_kern qkv_kern_##isa;
#define ENTRY(isa) &qkv_kern_##isa,
#define NAME(isa) ", " #isa

QKV_ISAS(DECLARATION)

static const struct qkv_kern *const kerns[] = {QKV_ISAS(ENTRY)};

#if defined __x86_64__

int
qkv_usable_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && qkv_usable_avx2();
}

int
qkv_usable_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi");
}

#elif defined __aarch64__

int
qkv_usable_neon(void)
{
	return 1; /* part of the architecture */
}

#endif

int
qkv_usable_portable(void)
{
	return 1;
}

const struct qkv_kern *
qkv_kern_find(const char *isa)
{
	for (size_t i = 0; i < sizeof kerns / sizeof *kerns; i++)
		if ((!isa || !strcmp(isa, kerns[i]->name)) && kerns[i]->usable())
			return kerns[i];
	return NULL;
}

const char *
qkv_kern_names(void)
{
	static const char names[] = QKV_ISAS(NAME);

	return names + 2;
}

int
qkv_kern_choose(const struct qkv_kern **kern, const char *isa, struct qkv_err *e)
{
	*kern = qkv_kern_find(isa);
	return *kern
		? 0
		: qkv_fail(e, QKV_EUSAGE, "instruction set %s is not on this machine, expected one of %s",
			  isa, qkv_kern_names());
}

size_t
qkv_kern_packed(const struct qkv_kern *kern, size_t k, size_t n)
{
	return (n + kern->panel - 1) / kern->panel * kern->panel * k;
}
