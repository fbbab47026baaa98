/* frames_impl.h - what the files that write and read frames share: the table of their kinds, and
 * the messages that several bodies have. Private to exec/wire. */
#ifndef RN_EXEC_WIRE_FRAMES_IMPL_H
#define RN_EXEC_WIRE_FRAMES_IMPL_H
#include "exec/wire/codec.h"
#include "exec/wire/pack.h"
#include "exec/wire/wire.pb-c.h"

struct rn_encoder {
	struct rn_arena *arena; /* of the message */
	/* whose states PARTIALS have */
	const struct rn_agg_call *aggs;
	unsigned naggs, nkeys;
	/* what a body has packed; the message borrows it until it is written */
	struct rn_pack packed;
};

struct rn_frame_decoder {
	struct rn_arena *arena; /* the caller's, whose cap holds */
	struct rn_err *err;
	const struct rn_agg_call *aggs;
	unsigned naggs, nkeys;
	bool full; /* something did not fit into the arena */
};

/* One kind of frame. */
struct rn_frame_form {
	enum rn_frame_kind kind;
	Rn__Wire__Frame__BodyCase body; /* also the number of the member in wire.proto */
	bool in_order;                  /* see rn_frame_in_order */
	/* Fills the body, which is there and empty. NULL: there is nothing in it. */
	void (*encode)(struct rn_encoder *encoder, const struct rn_frame *frame,
		       Rn__Wire__Frame *m);
	/* The way back, into a frame whose members are 0. Checks what the message's type cannot
	 * say. 0, or the code of d->err. */
	int (*decode)(struct rn_frame_decoder *decoder, const Rn__Wire__Frame *m,
		      struct rn_frame *out);
};
/* NULL: there is none. */
const struct rn_frame_form *rn_frame_form(enum rn_frame_kind kind);
const struct rn_frame_form *rn_frame_form_of_body(uint64_t body);

/* ---- encode.c ---- */

/* As protobuf-c wants it, which does not write through it. NULL becomes "". */
char *rn_encode_text(const char *s);
/* NULL if it is empty. */
Rn__Wire__Span *rn_encode_span(struct rn_arena *arena, struct rn_span s);
void rn_encode_fragment(struct rn_arena *arena, Rn__Wire__Fragment *message,
			const struct rn_fragment *fragment);

/* ---- decode.c ---- */

/* Sets the error "bad frame: WHAT"; -EBADMSG. */
int rn_decode_bad(struct rn_frame_decoder *decoder, const char *what);
/* n of so many bytes, zeroed, in the caller's arena. NULL, and the error is set, if they do not
 * fit. n: of what has been unpacked, or checked. */
void *rn_decode_take(struct rn_frame_decoder *decoder, size_t each, size_t n);
#define RN_DECODE_TAKE(d, type, n) ((type *)rn_decode_take((d), sizeof(type), (n)))
struct rn_span rn_decode_span(const Rn__Wire__Span *message);
int rn_decode_fragment(struct rn_frame_decoder *decoder, const Rn__Wire__Fragment *message,
		       struct rn_fragment **out);
#endif
