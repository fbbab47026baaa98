/* members.h - inside probes/: arguments of functions and tracepoints of the kernel by their names,
 * and what they point to: sk.__sk_common.skc_dport, cast(arg0, "struct sock").sk_rcvbuf.
 *
 * A member is a field of its class: rn_class_field finds it by its whole text. The types are those
 * of the running kernel. */
#ifndef RN_PROBES_CATALOG_MEMBERS_H
#define RN_PROBES_CATALOG_MEMBERS_H
#include "probes/catalog/catalog.h"
#include "probes/kernel/btf_walk.h"

enum { RN_MEMBER_STEPS = 8, RN_MEMBER_TEXT = 500 };
/* rn_field.own of a field with RN_F_MEMBER. */
struct rn_arg_member {
	struct rn_field field;
	struct rn_walk walk;
	/* the value that it starts with */
	enum rn_member_root {
		RN_ROOT_ARG,    /* argument n of a function */
		RN_ROOT_RET,    /* its result */
		RN_ROOT_TRACE,  /* argument n of a tracepoint, which is attached to by its name */
		RN_ROOT_TASK,   /* the thread that is at work */
		RN_ROOT_RECORD, /* a field of a tracepoint's record */
	} root;
	uint8_t n;
	const struct rn_tp_field *record;
};

/* The types of the running kernel, opened with the first question; not thread-safe, as the
 * catalogue. */
struct rn_types;
struct rn_types *rn_types_new(struct rn_arena *arena);
void rn_types_free(struct rn_types *types);
/* The field of a class of functions of the kernel, or of a tracepoint, by its text. NULL: there is
 * none; why, if not NULL, says the reason; its second line, if there is one, the way out. It lives
 * as long as the arena. */
const struct rn_field *rn_types_member(void *types, const struct rn_class *cls, const char *text,
				       char *why, size_t why_bytes);
/* Gives a class of functions of the kernel, of a tracepoint, or of a profile, these fields. A
 * function that is named alone has its arguments among those that `describe` shows. */
void rn_types_give(struct rn_types *types, struct rn_class *cls);
/* Does the kernel's type information have this function with the parameters that members of cls
 * rely on? If not, it must not be probed for them. */
bool rn_types_fits(struct rn_types *types, const struct rn_class *cls, const char *function);
#endif
