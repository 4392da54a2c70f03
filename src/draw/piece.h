/* What text do the pieces of a vocabulary spell? */
#ifndef QKV_DRAW_PIECE_H
#define QKV_DRAW_PIECE_H

#include <stddef.h>

/* whether n tokens, or some of them, are written in the letters that GPT-2 has for bytes */
int qkv_piece_has_bytes(const char *const *tokens, size_t n);

/* writes the text of a token into out (size,), as much as it holds; as it is, where it spells nothing */
void qkv_piece_spell(char *out, size_t size, const char *token, int has_bytes);

/* whether a token stands for no text, but for a beginning, an end, a class, ...: [CLS], </s>, <|endoftext|> */
int qkv_piece_is_special(const char *token);

#endif
