/* numbering.h - names of numbers that each kernel numbers for itself: why a packet was dropped.
 *
 * Such a number says nothing on another kernel. So the field is a text: its name, or the number in
 * decimal if it has none. A node gives a name the number of its own kernel, and turns numbers into
 * texts before anything leaves it. Names that all kernels number alike are lang/values/named.h.
 *
 * Numbers may be flags: GFP_KERNEL|__GFP_ZERO|0x8000000. Their text is the one that the kernel
 * prints (trace_print_flags_seq in kernel/trace/trace_output.c): the first name of the list whose
 * bits are all set, then of the bits that are left the next; at last in hex those without a name.
 * No bit: 0. `flags & (A|B)` is such a text of the bits that both sides have. */
#ifndef RN_LANG_CATALOG_NUMBERING_H
#define RN_LANG_CATALOG_NUMBERING_H
#include "lang/catalog/catalog.h"

struct rn_numbering {
	const struct rn_numbered {
		int64_t number;
		const char *name;
	} * of; /* sorted by number, each once; a name may have several. Flags: as they are tried */
	unsigned n;
	bool flags;
};

/* Have all numbers the same names in both? NULL: a field that has none. */
bool rn_numbering_same(const struct rn_numbering *a, const struct rn_numbering *b);
/* The number's text; from the arena, or a name of the set. */
const char *rn_numbering_text(struct rn_arena *arena, const struct rn_numbering *numbering,
			      int64_t number);
/* Is the text that of a number without a name, as such a number is shown? Not for flags. */
bool rn_numbering_unnamed(const struct rn_numbering *numbering, const char *text, size_t len,
			  int64_t *number);
/* The bits of flags that stand in any order. False: a part is neither a name nor a number in hex;
 * *number has the bits of the others. */
bool rn_numbering_bits(const struct rn_numbering *numbering, const char *text, size_t len,
		       int64_t *number);
/* The text of flags in the order in which they are shown; any other text as it is. */
struct rn_value rn_numbering_ordered(struct rn_arena *arena, const struct rn_numbering *numbering,
				     const struct rn_value *text);
/* Does the text stand for any number? */
bool rn_numbering_knows(const struct rn_numbering *numbering, const char *text, size_t len);
/* Is it sure that the glob matches no text of a number without a name? */
bool rn_numbering_glob(const char *glob, size_t len);
/* Returns the name without what all names of the C enumeration begin with: NO_SOCKET for
 * SKB_DROP_REASON_NO_SOCKET, if the field's doc begins with "enum skb_drop_reason". Any other text
 * is returned as it is. */
const char *rn_numbering_short(const struct rn_field *field, const char *name);
#endif
