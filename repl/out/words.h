/* words.h - values in words for people, where a number or letters of the kernel say less: the name
 * of a device, what a block device is asked for, pointers in hexadecimal, thousands apart. With
 * printer->numbers, a name has the number that it stands for beside it. */
#ifndef RN_REPL_OUT_WORDS_H
#define RN_REPL_OUT_WORDS_H
#include "repl/out/output.h"

/* Returns the value of a column in such words, in the printer's arena or a constant; NULL: it has
 * none, and is shown as ever. row: all values of its row. On a terminal numbers that count have
 * commas. A device has its name if all rows are of this machine. */
const char *rn_words_of(const struct rn_printer *printer, unsigned column,
			const struct rn_value *row);
/* "write, sync, meta" for the letters that blk_fill_rwbs (block/blk-core.c of Linux) writes; NULL:
 * these are others. */
const char *rn_words_request(struct rn_arena *arena, const char *letters, size_t n);
/* "vda1" for a device as major << 20 | minor of this machine; NULL: it has no name here. */
const char *rn_words_device(struct rn_arena *arena, int64_t device);
#endif
