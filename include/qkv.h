/*
 * qkv - attention matrices, row block by row block.
 *
 * A reader gives the problems of an input one after another; an attend prepares
 * one, softmax(Q K^T / sqrt(d_k)) V and everything on the way to it, and hands
 * blocks of rows to a consumer, so that nobody has to hold a whole matrix.
 *
 * Ownership: what _open, _next or _new gives, the _free of that type takes (NULL
 * is fine); everything else is borrowed, and lives as long as what it came from.
 * Functions that can fail return -1 and fill their last argument; nothing prints or exits.
 */
#ifndef QKV_H
#define QKV_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QKV_VERSION "0.1.0"

enum qkv_status {
	QKV_OK,
	QKV_EINPUT,  /* the data are wrong, or contradict the settings */
	QKV_EIO,     /* a file cannot be read or written */
	QKV_EMEMORY, /* memory ran out */
	QKV_EUSAGE,  /* the request itself is wrong */
};

/* what went wrong: one line without a newline, "FILE:LINE:COL: place: what is, expected what" */
struct qkv_err {
	enum qkv_status status;
	char text[1024];
};

/* warnings, one a kind: how often it came up, and where first */
enum qkv_note_kind {
	QKV_NOTE_LAYOUT,     /* square weights, and nothing says how they are stored */
	QKV_NOTE_HIDDEN_ROW, /* a query whose keys are all hidden */
	QKV_NOTE_ROW_SUM,    /* a row of ready alpha that does not sum to 1 within 1e-3 */
	QKV_NOTE_NO_TOKEN,   /* a token to leave out that is not there */
	QKV_NOTE_LABELS,     /* axis labels of a picture left out */
	QKV_NOTE_SHORTENED,  /* axis labels of a picture cut short */
	QKV_NOTE_GLYPH,      /* characters that are drawn as boxes */
	QKV_NOTE_POOLED,     /* cells of a picture merged */
	QKV_NOTE_VALUES,     /* values of a picture that do not fit into their cells */
	QKV_NOTES
};

struct qkv_note {
	size_t count;
	char first[256];
};

struct qkv_notes {
	struct qkv_note of[QKV_NOTES];
};

/* writes the warning of a kind that came up into text; its length */
size_t qkv_note_format(char text[512], const struct qkv_notes *notes, enum qkv_note_kind kind);

/* takes size bytes at data; 0, or -1 with e filled */
struct qkv_sink {
	int (*write)(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e);
};

/* ---- reading ---- */

enum qkv_layout {
	QKV_LAYOUT_UNSET,
	QKV_IN_OUT /* Q = X W */,
	QKV_OUT_IN /* Q = X W^T, as PyTorch's Linear */
};

enum qkv_mask_kind {
	QKV_MASK_UNSET,
	QKV_MASK_NONE,
	QKV_MASK_CAUSAL,       /* j <= i, as many keys as queries */
	QKV_MASK_CAUSAL_START, /* j <= i */
	QKV_MASK_CAUSAL_END,   /* j <= i + n_k - n_q */
	QKV_MASK_WINDOW,       /* i - left <= j <= i + right, as many keys as queries */
	QKV_MASK_MATRIX,       /* cells of the document */
};

struct qkv_mask {
	enum qkv_mask_kind kind;
	size_t left, right; /* of a window, in tokens */
};

enum qkv_scale_kind { QKV_SCALE_UNSET, QKV_SCALE_AUTO /* 1/sqrt(d_k) */, QKV_SCALE_NUMBER };

struct qkv_scale {
	enum qkv_scale_kind kind;
	double number; /* the scores are multiplied by it; finite */
};

/* what overrides a document, and how it is read; all zero: nothing */
struct qkv_settings {
	size_t num_heads, num_kv_heads;
	enum qkv_layout weight_layout;
	struct qkv_mask mask; /* never QKV_MASK_MATRIX */
	struct qkv_scale scale;
	int threads;     /* 0: one a processor; changes nothing that is read */
	const char *isa; /* instruction set by name; NULL: the best there is */
};

/* read "causal", "window:2,0", ... ("auto", "none", "0.125"); 0, or -1: not such a text */
int qkv_mask_parse(struct qkv_mask *mask, const char *text);
int qkv_scale_parse(struct qkv_scale *scale, const char *text);

struct qkv_reader;
struct qkv_problem;

/* opens a file of problems in JSON, or standard input for "-"; NULL: one problem, made of what is attached alone */
int qkv_reader_open(struct qkv_reader **r, const char *path, struct qkv_err *e);

/* opens the size bytes at text, borrowed, which messages call name */
int qkv_reader_open_text(
	struct qkv_reader **r, const char *name, const char *text, size_t size, struct qkv_err *e);

/* joins a file to every problem, in place of what it has under that key: "tokens", one a line, or a key of numbers
 * such as "Q", an array in NPY; mapped, and not copied if it is float32, little-endian and in C order */
int qkv_reader_attach(struct qkv_reader *r, const char *key, const char *path, struct qkv_err *e);

/* reads the next problem: 1, or 0 after the last, or -1; it borrows r */
int qkv_reader_next(struct qkv_problem **p, struct qkv_reader *r, const struct qkv_settings *s,
	struct qkv_notes *notes, struct qkv_err *e);

/* whether a further document follows, read or not */
int qkv_reader_more(const struct qkv_reader *r);

void qkv_reader_free(struct qkv_reader *r);
void qkv_problem_free(struct qkv_problem *p);

/* ---- computing ---- */

/* shapes: n_q queries, n_k keys, d_k wide heads, values d_v wide */
enum qkv_stage {
	QKV_Q,       /* (n_q, d_k) */
	QKV_K,       /* (n_k, d_k), one a key/value head */
	QKV_V,       /* (n_k, d_v), one a key/value head */
	QKV_SCORES,  /* (n_q, n_k): Q K^T */
	QKV_SCALED,  /* (n_q, n_k): scores times scale */
	QKV_MASKED,  /* (n_q, n_k): scaled plus bias, hidden cells -infinity */
	QKV_ALPHA,   /* (n_q, n_k): softmax of masked by rows */
	QKV_CONTEXT, /* (n_q, d_v): alpha V */
	QKV_OUTPUT,  /* (n_q, d_out), one a layer: contexts side by side, times W_O, plus b_O */
	QKV_STAGES
};

extern const char *const qkv_stage_names[QKV_STAGES];

#define QKV_ANY ((size_t)-1)  /* in a range: every layer */
#define QKV_MEAN ((size_t)-2) /* as a head: the mean of the selected heads */
#define QKV_NONE ((size_t)-3) /* as a head: a matrix of the whole layer */

/* heads first to last, inclusive, of one layer or of every one */
struct qkv_range {
	size_t layer, first, last;
};

struct qkv_attend_options {
	unsigned stages;                /* 1u << stage of each; 0: alpha */
	const struct qkv_range *layers; /* num_layers ranges of layers (their .layer unused); none: all */
	size_t num_layers;
	const struct qkv_range *heads; /* num_heads ranges; none: all */
	size_t num_heads;
	/* queries and keys, likewise (their .layer unused), without those of num_hide_tokens tokens; values and sums
	 * stay what they are among all */
	const struct qkv_range *queries, *keys;
	size_t num_queries, num_keys;
	const char *const *hide_tokens;
	size_t num_hide_tokens;
	int no_col_sums; /* they are of no use: where queries are left out, their rows need not be computed */
	int average;     /* the mean over the selected heads of a layer instead of each */
	int threads;     /* 0: one a processor; changes no bit of the result */
	const char *isa; /* instruction set by name; NULL: the best there is */
};

/* what will come of a layer */
struct qkv_shown {
	size_t layer, matrices;
	size_t cols; /* of a matrix of the last stage */
};

/* what a document says of itself; tokens are UTF-8 */
struct qkv_doc {
	size_t index; /* of the document in its input */
	size_t n_q, n_k;
	const char *const *query_tokens, *const *key_tokens; /* n_q and n_k of them */
	const size_t *query_index, *key_index; /* (n_q,), (n_k,): where some are left out, what those that
	                                        * remain are called; NULL: 0, 1, ... */
	const char *left_out; /* which tokens are, in words for a caption, "keys: 3 of 12, ..."; NULL: none */
	int self_attention;   /* queries and keys are the same tokens */
	size_t num_layers;    /* all of them, selected or not: layer indices are below */
	int has_layers;       /* the input had an axis of layers */
	size_t num_heads, num_kv_heads;   /* heads of a layer, selected or not; 0: not known */
	size_t head_limit;                /* every head index is below */
	const char *weight_layout;        /* NULL: there were no weights */
	size_t shown_layers, shown_heads; /* how many layers, and matrices a layer at most, will come */
	const struct qkv_shown *shown;    /* (shown_layers,): each of them */
	size_t slots, slot_rows; /* blocks that are made side by side, and the rows of one, at most */
};

/* one matrix: a stage of a head, of the mean of heads, or of a layer */
struct qkv_matrix {
	const struct qkv_doc *doc;
	enum qkv_stage stage;
	size_t layer;
	size_t head; /* or QKV_MEAN, QKV_NONE */
	size_t rows, cols;
	size_t d_k; /* 0: not known */
	int has_scale;
	float scale;
	const char *mask; /* "none", "causal", "window:2,0", "matrix", ... */
};

/* consecutive rows of a matrix */
struct qkv_block {
	const struct qkv_matrix *matrix;
	size_t row, rows;
	size_t stride;     /* floats from one row to the next */
	const float *data; /* (rows, matrix->cols) */
	const unsigned char *
		hidden; /* (rows, matrix->cols) dense, 1 where a mask hides; NULL: nowhere, or not asked for */
	size_t slot;    /* of those made side by side; below matrix->doc->slots */
	const double *row_sums;    /* (rows,), of alpha; else NULL */
	const double *row_entropy; /* (rows,), of alpha, in nats; NULL: not asked for */
	const size_t *
		row_argmax; /* (rows,), of alpha, the first key among all, or QKV_NONE; NULL: not asked for */
};

#define QKV_WANTS_HIDDEN 1u  /* blocks shall say which cells are hidden */
#define QKV_WANTS_FIGURES 2u /* and, of alpha, bring row_entropy and row_argmax */

/*
 * Takes matrices in this order: document by document, layer by layer, head by
 * head, stage by stage (k and v under the indices of the key/value heads), and
 * last in a layer the output. Each returns 0, or -1 with e filled, which ends the run.
 */
struct qkv_consumer {
	unsigned wants; /* QKV_WANTS_... */
	int (*doc_begin)(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e);
	int (*matrix_begin)(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e);
	int (*rows)(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e);
	/* col_sums: (cols + 1,), of alpha, the last being the total of the matrix; NULL: there are none, or they
	 * are of no use */
	int (*matrix_end)(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e);
	int (*doc_end)(struct qkv_consumer *c, struct qkv_err *e);
	void (*free)(struct qkv_consumer *c);
	/* or NULL; comes before rows for every block, on any thread, for different slots at the same time, also while rows
	 * is at work on another, which is on any thread too */
	void (*ahead)(struct qkv_consumer *c, const struct qkv_block *b);
};

struct qkv_attend;

/* prepares all layers of p, borrowed: whatever can be wrong with it is found here */
int qkv_attend_open(struct qkv_attend **a, const struct qkv_problem *p, const struct qkv_attend_options *o,
	struct qkv_err *e);

/* computes, and hands everything to c; fails only where c does, or where memory ends */
int qkv_attend_run(struct qkv_attend *a, struct qkv_consumer *c, struct qkv_notes *notes, struct qkv_err *e);

/* what a was opened for, with all its tokens */
const struct qkv_doc *qkv_attend_doc(const struct qkv_attend *a);

void qkv_attend_free(struct qkv_attend *a);

/* the name of the instruction set that isa (NULL: the best) stands for, or NULL: unknown, or not on this machine */
const char *qkv_isa_name(const char *isa);

/* ---- writing ---- */

enum qkv_header { QKV_HEADER_LABELS, QKV_HEADER_INDEX, QKV_HEADER_NONE };

struct qkv_write_options {
	int tsv;         /* for qkv_csv_new: tabs and escapes instead of commas and quotes */
	int layout_long; /* one line a cell */
	enum qkv_header header;
	int no_row_sums, no_col_sums;
	int precision;   /* significant digits, 1 to 9; 0: the shortest that reads back */
	int bom;         /* a byte order mark first */
	int bare;        /* the matrix alone */
	int by_head;     /* for qkv_json_new: an object a head (NDJSON) instead of a document */
	const char *isa; /* as for qkv_attend_open; changes no byte */
};

/* each writes to the sink s, borrowed */
int qkv_csv_new(
	struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e);
int qkv_json_new(
	struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e);

/* one array of float32 a document, heads x rows x columns, or layers x heads x rows x columns where it has layers */
int qkv_npy_new(struct qkv_consumer **c, struct qkv_sink *s, struct qkv_err *e);

enum qkv_range_by { QKV_RANGE_ALL, QKV_RANGE_LAYER, QKV_RANGE_HEAD };

/* how values between the ends of a scale become positions on it; by square root with their sign kept */
enum qkv_norm { QKV_NORM_LINEAR, QKV_NORM_SQRT, QKV_NORM_LOG };

enum qkv_map {
	QKV_MAP_VIRIDIS,
	QKV_MAP_CIVIDIS,
	QKV_MAP_MAGMA,
	QKV_MAP_GREY,
	QKV_MAP_BALANCE, /* two-sided about 0: blue, white, red; always that of stages other than alpha */
	QKV_MAPS
};

struct qkv_extent;

/* how many colours a terminal has; none: shades of ASCII */
enum qkv_colours { QKV_COLOURS_NONE, QKV_COLOURS_256, QKV_COLOURS_TRUE };

struct qkv_term_options {
	size_t width; /* columns of the terminal; 0: 80 */
	enum qkv_colours colours;
};

/* all zero: the usual picture; texts are borrowed */
struct qkv_draw_options {
	int no_row_sums, no_col_sums;
	int bare;          /* cells alone: no labels, bars, titles, headings */
	int raw_labels;    /* tokens as they are, not the text that pieces of words spell */
	int annotate;      /* values in cells where they fit */
	int dark;          /* light on dark */
	int pool_mean;     /* cells that share a pixel show their mean, not the largest */
	const char *title; /* NULL: what is shown */
	size_t cell;       /* pixels a cell, in a terminal columns; 0: chosen from the size */
	size_t zoom;       /* pixels a pixel; 0: 1 */
	size_t columns;    /* of the grid; 0: chosen */
	size_t max_size; /* pixels a side of a matrix, beyond which cells are pooled unless cell is given; 0: 2048 */
	enum qkv_map map;
	int reversed; /* the map */
	enum qkv_norm norm;
	enum qkv_range_by range_by; /* what shares a scale, stage by stage */
	int robust;                 /* scales from the 2nd to the 98th percentile */
	int has_vmin, has_vmax;
	float vmin, vmax;             /* ends of every scale, finite */
	struct qkv_term_options term; /* for qkv_term_new, and the first run before it; all zero for others */
	const char *isa;              /* as for qkv_attend_open; changes no pixel */
	int threads;                  /* to compress with, as in qkv_attend_options; likewise */
	const struct qkv_extent
		*extent; /* of all pictures that share scales; NULL or empty: this one has its own */
};

/* a picture of each document's matrices, in one figure; notes, borrowed, gets what had to be left out */
int qkv_png_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e);

/* the same figure as SVG 1.1 with real text, cells of small inputs with their tokens and value as titles */
int qkv_svg_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e);

/* the same as text for a terminal: a document after the other */
int qkv_term_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e);

/*
 * The scales of a document, for pictures that share them: a first run through the consumer, for the same options,
 * fills x, borrowed, anew.
 */
int qkv_extent_new(struct qkv_extent **x, struct qkv_err *e);
int qkv_extent_consumer(
	struct qkv_consumer **c, struct qkv_extent *x, const struct qkv_draw_options *o, struct qkv_err *e);
/* empty: each picture has its own */
void qkv_extent_clear(struct qkv_extent *x);
void qkv_extent_free(struct qkv_extent *x);

/* whether a picture of rows by cols cells needs a quarter of the memory where its scales are known before */
int qkv_extent_saves(const struct qkv_draw_options *o, size_t rows, size_t cols);

#ifdef __cplusplus
}
#endif

#endif
