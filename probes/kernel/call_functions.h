/* call_functions.h - the kernel's functions that do the system calls, from its types.
 *
 * A program on such a function runs at this call alone. One on sys_enter or sys_exit runs at all
 * calls, and makes each of them leave the short way into the kernel. */
#ifndef RN_PROBES_KERNEL_CALL_FUNCTIONS_H
#define RN_PROBES_KERNEL_CALL_FUNCTIONS_H
#include <stdbool.h>
#include <stdint.h>
#include "probes/abi/abi.h"
#include "probes/kernel/btf_image.h"

struct rn_function {
	uint32_t id;   /* for attach_btf_id; 0: this kernel's types have no such function */
	uint32_t type; /* its prototype's */
	uint8_t nargs;
	bool has_result; /* a number or a pointer; only rn_functions_find tells */
	char name[56];
};
struct rn_call_functions {
	struct rn_function call[RN_SYS_FIRST_FREE]; /* by number */
	/* those that all calls of some kind go through: of tasks under seccomp, of traced tasks,
	 * of 32-bit programs */
	struct rn_function refused, emulated, compat;
	bool takes_compat; /* this kernel runs 32-bit programs */
};

/* Finds the functions of these names, up to 64, for programs that read their arguments one by one.
 * True: it has each of them, of up to six arguments that are numbers or pointers. */
bool rn_functions_find(struct rn_function *out, const char *const *names, unsigned n,
		       const struct rn_btf_image *kernel);

/* Finds them in the kernel's image, which rn_btf_image_find has passed over. nr_of gives the number
 * of a call by its name; -1: there is none. RUNNEL_WITHOUT hides functions by their names. */
void rn_call_functions_find(struct rn_call_functions *out, const struct rn_btf_image *kernel,
			    int (*nr_of)(const char *name));
#endif
