/*
 * The tensors of a document: nested arrays, which the scanner has lifted, or
 * {"shape":[r,c],"dtype":"float32","data":"BASE64"}, little-endian.
 */
#include "load/json.h"

#include "base/base64.h"
#include "base/mem.h"
#include "load/dtype.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void
qkv_json_index(char buf[256], const struct qkv_part *part, size_t element)
{
	size_t at[QKV_RANK];
	int n = 0;

	for (size_t d = part->rank; d--; element /= part->shape[d])
		at[d] = element % part->shape[d];
	for (size_t d = 0; d < part->rank; d++)
		n += snprintf(buf + n, 256 - (size_t)n, "[%zu]", at[d]);
}

static int
shape(struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m)
{
	struct qkv_member item;

	if (!cJSON_IsArray(m->node))
		return qkv_json_fail(
			j, m->node, m->place, "%s, expected an array of integers", qkv_json_kind(j, m->node));
	part->count = 1;
	for (item.node = m->node->child, item.place = m->place; item.node; item.node = item.node->next) {
		size_t length = 0;

		if (qkv_json_count(&length, j, &item, 0))
			return -1;
		if (part->rank == QKV_RANK)
			return qkv_json_fail(
				j, m->node, m->place, "more than %d axes, expected less", QKV_RANK);
		part->shape[part->rank++] = length;
		if (length && part->count > SIZE_MAX / 8 / length)
			return qkv_json_fail(
				j, m->node, m->place, "more elements than memory can hold, expected less");
		part->count *= length;
	}
	return 0;
}

static int
dtype(const struct qkv_dtype **row, const struct qkv_json *j, const struct qkv_member *m)
{
	const char *name = cJSON_IsString(m->node) ? m->node->valuestring : "";

	if (!strncmp(name, "torch.", 6))
		name += 6;
	for (size_t i = 0; i < QKV_DTYPES; i++)
		if (!strcmp(name, qkv_dtypes[i].name)) {
			*row = &qkv_dtypes[i];
			return 0;
		}
	return qkv_json_fail(j, m->node, m->place, "%s, expected one of float32, float64, float16, bfloat16",
		*name ? m->node->valuestring : qkv_json_kind(j, m->node));
}

/* whether the one escape that a base64 string may have, "\/", begins at byte i */
static int
is_escape(const char *text, size_t length, size_t i)
{
	return text[i] == '\\' && i + 1 < length && text[i + 1] == '/';
}

/* the text without these backslashes; its length */
static size_t
unescape(char *out, const char *text, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		if (!is_escape(text, length, i))
			out[n++] = text[i];
	return n;
}

/* where its byte number n stands in the text with them */
static size_t
find_escaped(const char *text, size_t length, size_t n)
{
	size_t i = 0;

	for (; i < length && (is_escape(text, length, i) || n--); i++)
		;
	return i;
}

/* the bytes of a base64 string, to be freed */
static unsigned char *
bytes(size_t *length, const struct qkv_json *j, const struct qkv_member *m)
{
	const struct qkv_value *v = qkv_json_value(j, m->node);
	const char *whole = j->text->data + v->at + 1, *text = whole;
	size_t escaped, size, bad;
	unsigned char *raw;
	char *plain = NULL;

	if (v->kind != QKV_VALUE_TEXT) {
		qkv_json_fail(
			j, m->node, m->place, "%s, expected a string in base64", qkv_json_kind(j, m->node));
		return NULL;
	}
	size = escaped = v->is.end - 1 - (v->at + 1);
	if (memchr(text, '\\', size)) {
		plain = qkv_mem_new(size, 1, j->e);
		if (!plain)
			return NULL;
		size = unescape(plain, text, size);
		text = plain;
	}
	raw = qkv_mem_new(size / 4 + 1, 3, j->e);
	if (raw && qkv_base64_read(raw, length, text, size, &bad)) {
		qkv_text_fail(j->text, v->at + 1 + find_escaped(whole, escaped, bad), j->e,
			"%s: not base64 here, expected A-Z a-z 0-9 + / and = at the end", m->place);
		qkv_mem_free(raw);
		raw = NULL;
	}
	qkv_mem_free(plain);
	return raw;
}

/* refuses what is not finite, but for -infinity where infinite is not 0; node: where the elements stand */
static int
check_finite(const struct qkv_part *part, const struct qkv_json *j, const cJSON *node, int infinite)
{
	char index[256];

	for (size_t i = 0; i < part->count; i++) {
		float x = part->data[i];

		if (isfinite(x) || (infinite && x < 0))
			continue;
		qkv_json_index(index, part, i);
		return qkv_json_fail(j, node, part->place,
			"element %s is %s in float32, expected a finite number", index,
			isnan(x)        ? "NaN"
				: x > 0 ? "infinite"
					: "-infinite");
	}
	return 0;
}

static int
convert(struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m,
	const struct qkv_dtype *row, const unsigned char *raw, int infinite)
{
	float *data = qkv_arena_new(j->arena, part->count, sizeof *data, j->e);

	for (size_t i = 0; data && i < part->count; i++)
		data[i] = qkv_dtype_read(row, raw + i * row->size, 0);
	part->data = data;
	return data ? check_finite(part, j, m->node, infinite) : -1;
}

static int
from_object(struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m, int infinite)
{
	static const char *const names[] = {"shape", "dtype", "data"};
	struct qkv_member member[3];
	const struct qkv_dtype *row = NULL;
	unsigned char *raw;
	size_t length;
	int result;

	if (qkv_json_keys(j, m->node, m->place, names, 3))
		return -1;
	for (size_t i = 0; i < 3; i++) {
		if (qkv_json_member(&member[i], j, m->node, m->place, names[i]))
			return -1;
		if (!member[i].node)
			return qkv_json_fail(j, m->node, m->place,
				"no key \"%s\", expected shape, dtype and data", names[i]);
	}
	if (shape(part, j, &member[0]) || dtype(&row, j, &member[1]))
		return -1;
	raw = bytes(&length, j, &member[2]);
	if (!raw)
		return -1;
	if (length != part->count * row->size)
		result = qkv_json_fail(j, member[2].node, member[2].place,
			"%zu bytes, expected %zu for %zu elements of %s", length, part->count * row->size,
			part->count, row->name);
	else
		result = convert(part, j, &member[2], row, raw, infinite);
	qkv_mem_free(raw);
	return result;
}

/* "3 axes (2 x 2 x 1)" into buf */
static void
print_shape(char buf[256], const struct qkv_part *part)
{
	int n = snprintf(buf, 256, part->rank == 1 ? "%zu axis" : "%zu axes", part->rank);

	for (size_t d = 0; d < part->rank; d++)
		n += snprintf(buf + n, 256 - (size_t)n, "%s%zu", d ? " x " : " (", part->shape[d]);
	snprintf(buf + n, 256 - (size_t)n, part->rank ? ")" : "");
}

static int
check_axes(const struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m, size_t least,
	size_t most)
{
	static const char *const example[] = {"", "a vector such as [1,2]", "a matrix such as [[1,2],[3,4]]",
		"matrices such as [[[1,2],[3,4]]]"};
	size_t show = least < 3 ? least : 3;
	char found[256], range[32] = "";

	for (size_t d = 0; d < part->rank; d++)
		if (!part->shape[d])
			return qkv_json_fail(j, m->node, m->place, "empty, expected %s", example[show]);
	if (part->rank >= least && part->rank <= most)
		return 0;
	print_shape(found, part);
	if (most > least)
		snprintf(range, sizeof range, " to %zu", most);
	return qkv_json_fail(j, m->node, m->place, "%s, expected %zu%s: %s%s", found, least, range,
		example[show], part->rank > most ? " (is there an axis of batches too many?)" : "");
}

int
qkv_json_tensor(struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m, size_t least,
	size_t most, int infinite)
{
	const struct qkv_value *v;

	*part = (struct qkv_part){0};
	if (!m->node)
		return 0;
	v = qkv_json_value(j, m->node);
	part->at = v->at;
	part->file = v->file;
	part->place = m->place;
	if (v->kind == QKV_VALUE_TENSOR) {
		part->data = v->is.tensor->data;
		part->rank = v->is.tensor->rank;
		part->count = v->is.tensor->count;
		memcpy(part->shape, v->is.tensor->shape, sizeof part->shape);
		/* the scanner has looked at those of the document */
		if (v->file && check_finite(part, j, m->node, infinite))
			return -1;
	} else if (!cJSON_IsObject(m->node)) {
		return qkv_json_fail(j, m->node, m->place,
			"%s, expected an array of numbers of %zu axes, such as %s", qkv_json_kind(j, m->node),
			least, least == 1 ? "[1,2]" : "[[1,2],[3,4]]");
	} else if (from_object(part, j, m, infinite)) {
		return -1;
	}
	return check_axes(part, j, m, least, most);
}
