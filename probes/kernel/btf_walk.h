/* btf_walk.h - inside probes/: the way from a value of the kernel to a member of what it points to,
 * step by step: sk.__sk_common.skc_dport.
 *
 * Each step is checked against the types of an image (btf_image.h), which may be damaged or
 * hostile: then a step is refused. */
#ifndef RN_PROBES_KERNEL_BTF_WALK_H
#define RN_PROBES_KERNEL_BTF_WALK_H
#include <stdbool.h>
#include "probes/kernel/btf_image.h"

enum { RN_WALK_LOADS = 8 };
enum rn_walk_kind {
	RN_WALK_NUMBER,
	RN_WALK_CHARS,  /* char x[bytes] */
	RN_WALK_STRING, /* char *: the text lies where the value points */
};
/* The way: a is the value that it starts with; nload times a = *(u64 *)(a + off[i]); the value at
 * the end lies at a + off[nload]. By in_register, it is a itself. */
struct rn_walk {
	uint8_t nload;
	int32_t off[RN_WALK_LOADS + 1];
	bool in_register;
	uint8_t kind; /* enum rn_walk_kind */
	uint32_t bytes;
	uint8_t first_bit, bits; /* of a bit field, in the bytes; bits 0: it is none */
	bool is_signed, is_bool, big_endian;
	uint32_t enumeration; /* id of its type; 0: it is no enumeration */
};

/* A place on the way. The caller sets image (searched: rn_btf_image_find) and type, with the rest
 * 0: a value of that type in a register. */
struct rn_btf_cursor {
	const struct rn_btf_image *image;
	uint32_t type;
	bool points;    /* the value is a pointer to `type`, by a cast */
	bool in_memory; /* it lies at off behind the last load */
	int32_t off;
	uint8_t first_bit, bits;
	bool big_endian; /* a typedef on the way to the type says so */
	struct rn_walk walk;
};

/* Goes to a member; follows a pointer if the value is one. -ENOENT: it has none of that name; err
 * tells the nearest. */
int rn_btf_to_member(struct rn_btf_cursor *at, const char *name, size_t len, struct rn_err *err);
/* Goes to element n of an array, or of what a pointer points to. */
int rn_btf_to_element(struct rn_btf_cursor *at, uint32_t n, struct rn_err *err);
/* The value, a pointer or a number, is a pointer to `type`, a struct or a union. */
int rn_btf_cast(struct rn_btf_cursor *at, uint32_t type, struct rn_err *err);
/* The value is a pointer to the member `path` ("inet_conn", "a.b") of that struct. */
int rn_btf_container(struct rn_btf_cursor *at, uint32_t type, const char *path, struct rn_err *err);
/* Ends at a value: a number, or a text. walk gets the whole way. */
int rn_btf_arrive(struct rn_btf_cursor *at, struct rn_walk *walk, struct rn_err *err);
/* A type as C writes it: "struct sock *"; in text[room]. Returns text. */
const char *rn_btf_type_text(const struct rn_btf_image *image, uint32_t type, char *text,
			     size_t room);
/* Parameter n of a function's prototype. Type 0: it has fewer. name: NULL if it has none. */
struct rn_btf_param {
	const char *name;
	uint32_t type;
};
struct rn_btf_param rn_btf_param_of(const struct rn_btf_image *image, uint32_t prototype,
				    unsigned n);
#endif
