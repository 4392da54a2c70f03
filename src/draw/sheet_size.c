/* Sheets: how many cells a terminal has room for, and how large they are. */
#include "draw/sheet.h"

#include "base/utf8.h"
#include "draw/script.h"

#include <string.h>

enum {
	COLUMN = QKV_SHEET_COLUMN,
	ROW = QKV_SHEET_ROW,
	LABEL = QKV_LABEL_LIMIT / COLUMN, /* columns of a label at most */
	NUMBER = 6,                       /* columns kept for the number of a bar */
	LEAST = 8,                        /* cells a side that are shown however narrow the terminal is */
	VALUE = 6,                        /* columns of a cell with a value in it */
};

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* columns of the label of a token at most */
static size_t
token_width(const char *text)
{
	const char *end = text + strlen(text);
	size_t columns = 1;

	while (text < end && columns < LABEL) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, text, end), wide = qkv_char_columns(code);

		columns += wide || qkv_char_kind(code) == QKV_CHAR_MARK ? wide : sizeof "\\u200b" - 1;
		text += length;
	}
	return smaller(columns, LABEL);
}

static size_t
widest_token(const char *const *tokens, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n && most < LABEL; i++)
		most = larger(most, token_width(tokens[i]));
	return most;
}

size_t
qkv_sheet_side(const struct qkv_doc *doc, const struct qkv_draw_options *o)
{
	size_t used = 0;

	if (!o->bare)
		used += 1 +
			larger(widest_token(doc->query_tokens, doc->n_q),
				widest_token(doc->key_tokens, doc->n_k));
	if (!o->bare && !(o->no_row_sums && o->no_col_sums))
		used += 1 + NUMBER;
	return o->term.width > used + LEAST ? o->term.width - used : LEAST;
}

void
qkv_sheet_size(
	struct qkv_panel *panels, size_t count, const struct qkv_doc *doc, const struct qkv_draw_options *o)
{
	size_t side = qkv_sheet_side(doc, o), widest = 0, cell = o->cell, low;

	for (size_t i = 0; i < count; i++)
		if (qkv_stage_has_key_columns(panels[i].stage))
			widest = larger(widest, panels[i].wide);
	if (!cell)
		cell = o->annotate && VALUE * widest <= side ? VALUE : 2 * widest <= side ? 2 : 1;
	low = cell * ROW / 2;
	/* without colours a letter is one cell */
	if (o->term.colours == QKV_COLOURS_NONE)
		low = (low + ROW - 1) / ROW * ROW;
	for (size_t i = 0; i < count; i++) {
		panels[i].cell_w = cell * COLUMN;
		panels[i].cell_h = low;
		if (!o->cell && !qkv_stage_has_key_columns(panels[i].stage))
			panels[i].cell_w = 2 * panels[i].wide <= side ? 2 * COLUMN : COLUMN;
	}
}
