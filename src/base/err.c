/* Errors and warnings as text; what the program prints, and nothing else. */
#include "base/err.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* one row a kind: what is said before the count, and after it before the first place */
static const struct {
	const char *text, *link;
} kinds[QKV_NOTES] = {
	[QKV_NOTE_LAYOUT] =
		{"square weights that are not symmetric, and no weight_layout: taken as in_out (Q = X W)",
			"first "},
	[QKV_NOTE_HIDDEN_ROW] = {"queries whose keys are all hidden get no weights", "first "},
	[QKV_NOTE_ROW_SUM] = {"rows of alpha do not sum to 1 within 0.001", "first "},
	[QKV_NOTE_NO_TOKEN] = {"tokens to hide that the document does not have", "first "},
	[QKV_NOTE_LABELS] = {"labels that do not fit are left out", ""},
	[QKV_NOTE_SHORTENED] = {"labels are shortened", "first "},
	[QKV_NOTE_GLYPH] = {"characters that cannot be drawn are boxes", "first "},
	[QKV_NOTE_POOLED] = {"cells are merged", "first "},
	[QKV_NOTE_VALUES] = {"values that do not fit into their cells are left out", ""},
};

/* keeps a message one line of UTF-8, and whole characters of it */
static void
tidy(char *text, size_t room, int length)
{
	uint32_t code;

	if (length < 0)
		text[0] = 0;
	if (length >= 0 && (size_t)length >= room) {
		size_t end = room - 4;

		while (end && ((unsigned char)text[end] & 0xC0) == 0x80)
			end--;
		memcpy(text + end, "...", 4);
	}
	while (*text) {
		size_t n = qkv_utf8_read(&code, text, text + strlen(text));

		if (!n || code < ' ' || (code >= 0x7F && code < 0xA0)) {
			*text++ = '?';
			n = n ? n - 1 : 0;
			memmove(text, text + n, strlen(text + n) + 1);
		} else {
			text += n;
		}
	}
}

int
qkv_fail(struct qkv_err *e, enum qkv_status status, const char *format, ...)
{
	va_list args;

	e->status = status;
	va_start(args, format);
	tidy(e->text, sizeof e->text, vsnprintf(e->text, sizeof e->text, format, args));
	va_end(args);
	return -1;
}

int
qkv_fail_prefix(struct qkv_err *e, const char *format, ...)
{
	char rest[sizeof e->text];
	int length;
	va_list args;

	memcpy(rest, e->text, sizeof rest);
	va_start(args, format);
	length = vsnprintf(e->text, sizeof e->text, format, args);
	va_end(args);
	if (length >= 0 && (size_t)length < sizeof e->text)
		length += snprintf(e->text + length, sizeof e->text - (size_t)length, "%s", rest);
	tidy(e->text, sizeof e->text, length);
	return -1;
}

void
qkv_note_add(struct qkv_notes *n, enum qkv_note_kind kind, size_t count, const char *format, ...)
{
	struct qkv_note *note = &n->of[kind];
	va_list args;

	if (!count)
		return;
	if (!note->count) {
		va_start(args, format);
		tidy(note->first, sizeof note->first,
			vsnprintf(note->first, sizeof note->first, format, args));
		va_end(args);
	}
	note->count += count;
}

void
qkv_notes_join(struct qkv_notes *n, const struct qkv_notes *later)
{
	for (int kind = 0; kind < QKV_NOTES; kind++) {
		struct qkv_note *note = &n->of[kind];

		if (!note->count)
			memcpy(note->first, later->of[kind].first, sizeof note->first);
		note->count += later->of[kind].count;
	}
}

size_t
qkv_note_format(char text[512], const struct qkv_notes *notes, enum qkv_note_kind kind)
{
	const struct qkv_note *note = &notes->of[kind];

	return (size_t)snprintf(
		text, 512, "%s: %zu, %s%s", kinds[kind].text, note->count, kinds[kind].link, note->first);
}
