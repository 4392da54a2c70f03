/* Colour maps: which colour stands at a place between low and high. */
#ifndef QKV_DRAW_COLOURS_H
#define QKV_DRAW_COLOURS_H

#include "qkv.h"

/* 0xRRGGBB at step t of n of a map, t <= n */
unsigned qkv_map_colour(enum qkv_map map, unsigned t, unsigned n);

#endif
