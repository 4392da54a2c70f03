/* What a problem can say of itself, and the texts of its settings. */
#include "load/problem.h"

#include "base/mem.h"
#include "kern/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const qkv_stage_names[QKV_STAGES] = {
	[QKV_Q] = "q",
	[QKV_K] = "k",
	[QKV_V] = "v",
	[QKV_SCORES] = "scores",
	[QKV_SCALED] = "scaled",
	[QKV_MASKED] = "masked",
	[QKV_ALPHA] = "alpha",
	[QKV_CONTEXT] = "context",
	[QKV_OUTPUT] = "output",
};

static const struct {
	const char *name;
	enum qkv_mask_kind kind;
} masks[] = {
	{"none", QKV_MASK_NONE},
	{"causal", QKV_MASK_CAUSAL},
	{"causal-start", QKV_MASK_CAUSAL_START},
	{"causal-end", QKV_MASK_CAUSAL_END},
};

/* a decimal number of tokens at *text, which moves behind it */
static int
width(size_t *n, const char **text)
{
	const char *p = *text;

	for (*n = 0; *p >= '0' && *p <= '9' && *n < 1000000000; p++)
		*n = 10 * *n + (size_t)(*p - '0');
	if (p == *text || (*p >= '0' && *p <= '9'))
		return -1;
	*text = p;
	return 0;
}

int
qkv_mask_parse(struct qkv_mask *mask, const char *text)
{
	struct qkv_mask window = {.kind = QKV_MASK_WINDOW};

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
		if (!strcmp(text, masks[i].name)) {
			*mask = (struct qkv_mask){.kind = masks[i].kind};
			return 0;
		}
	if (strncmp(text, "window:", 7))
		return -1;
	text += 7;
	if (width(&window.left, &text) || *text++ != ',' || width(&window.right, &text) || *text)
		return -1;
	*mask = window;
	return 0;
}

void
qkv_mask_print(char buf[64], const struct qkv_mask *mask)
{
	const char *name = "matrix";

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
		if (masks[i].kind == mask->kind)
			name = masks[i].name;
	if (mask->kind == QKV_MASK_WINDOW)
		snprintf(buf, 64, "window:%zu,%zu", mask->left, mask->right);
	else
		snprintf(buf, 64, "%s", name);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void
qkv_mask_span(size_t *first, size_t *last, const struct qkv_mask *mask, size_t i, size_t n_q, size_t n_k)
{
	*first = 0;
	*last = n_k;
	switch (mask->kind) {
	case QKV_MASK_CAUSAL:
	case QKV_MASK_CAUSAL_START:
		*last = least(i + 1, n_k);
		break;
	case QKV_MASK_CAUSAL_END:
		*last = i + 1 + n_k > n_q ? least(i + 1 + n_k - n_q, n_k) : 0;
		break;
	case QKV_MASK_WINDOW:
		*first = least(i > mask->left ? i - mask->left : 0, n_k);
		*last = least(i + mask->right + 1, n_k);
		break;
	default:
		break;
	}
}

int
qkv_scale_parse(struct qkv_scale *scale, const char *text)
{
	const char *end = text + strlen(text), *bad, *next;
	struct qkv_scale s = {QKV_SCALE_NUMBER, 1.0};
	char padded[64] = "-0";
	size_t sign = *text == '-', n = (size_t)(end - text);

	if (!strcmp(text, "auto"))
		s.kind = QKV_SCALE_AUTO;
	if (!strcmp(text, "auto") || !strcmp(text, "none")) {
		*scale = s;
		return 0;
	}
	/* people leave out the zero before a dot, which JSON does not allow */
	if (text[sign] == '.' && n < sizeof padded - 2) {
		memcpy(padded + 2, text + sign, n - sign);
		text = padded + !sign;
		end = padded + 2 + n - sign;
	}
	next = qkv_number_read(&s.number, text, end, &bad);
	if (next != end || !isfinite(s.number))
		return -1;
	*scale = s;
	return 0;
}

int
qkv_part_fail(
	const struct qkv_problem *p, const struct qkv_part *part, struct qkv_err *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	qkv_text_fail_in(part->file ? part->file : p->text, part->at, part->place, e, format, args);
	va_end(args);
	return -1;
}

int
qkv_layer_fail(
	const struct qkv_problem *p, const struct qkv_layer *l, struct qkv_err *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	qkv_text_fail_in(p->text, l->at, l->place, e, format, args);
	va_end(args);
	return -1;
}

int
qkv_layer_hides(const struct qkv_layer *l)
{
	return l->mask.kind != QKV_MASK_NONE || l->key_mask.data || l->bias.data;
}

int
qkv_layer_allows(const struct qkv_layer *l, const struct qkv_doc *doc, size_t h, size_t i, size_t j)
{
	size_t first, last, cell = i * doc->n_k + j, head = h * doc->n_q * doc->n_k;

	qkv_mask_span(&first, &last, &l->mask, i, doc->n_q, doc->n_k);
	if (j < first || j >= last || (l->key_mask.data && l->key_mask.data[j] < 1))
		return 0;
	if (l->mask_matrix.data && l->mask_matrix.data[(l->mask_matrix.shape[0] > 1 ? head : 0) + cell] < 1)
		return 0;
	return !l->bias.data || isfinite(l->bias.data[(l->bias.shape[0] > 1 ? head : 0) + cell]);
}

void
qkv_problem_free(struct qkv_problem *p)
{
	struct qkv_arena arena;

	if (!p)
		return;
	arena = p->arena;
	qkv_mem_free(p);
	qkv_arena_free(&arena);
}
