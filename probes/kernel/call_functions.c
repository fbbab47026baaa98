/* call_functions.c - see call_functions.h.
 *
 * SYSCALL_DEFINE makes __x64_sys_NAME, with the registers of the call as its argument. For a call
 * without arguments the types have only __do_sys_NAME, at the same address. */
#include <stdio.h>
#include <string.h>
#include "probes/kernel/btf.h"
#include "probes/kernel/call_functions.h"

/* Calls whose function has another name. For some of them, the function with the call's own name is
 * an older call, which 32-bit programs make. */
static const struct {
	const char *call, *function;
} renamed[] = {
	{"stat", "newstat"},   {"fstat", "newfstat"},      {"lstat", "newlstat"},
	{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
};
/* Functions that only 32-bit programs reach: in the table of 64-bit calls they are missing. */
static const char *const of_compat[] = {"uselib", "set_thread_area", "get_thread_area"};

/* The call that the function does; -1: none that we know. */
static int call_of(const char *function, int (*nr_of)(const char *name))
{
	for (unsigned i = 0; i < sizeof(renamed) / sizeof(*renamed); i++) {
		if (!strcmp(renamed[i].function, function))
			return nr_of(renamed[i].call);
		if (!strcmp(renamed[i].call, function))
			return -1;
	}
	for (unsigned i = 0; i < sizeof(of_compat) / sizeof(*of_compat); i++)
		if (!strcmp(of_compat[i], function))
			return -1;
	return nr_of(function);
}

static struct rn_function *call_function(struct rn_call_functions *out, const char *name,
					 int (*nr_of)(const char *name))
{
	enum { PREFIX = sizeof("__x64_sys_") - 1, PLAIN = sizeof("__do_sys_") - 1 };
	bool plain = !strncmp(name, "__do_sys_", PLAIN);
	int nr;

	if (!plain && strncmp(name, "__x64_sys_", PREFIX) != 0)
		return NULL;
	nr = call_of(name + (plain ? PLAIN : PREFIX), nr_of);
	if (nr < 0 || nr >= RN_SYS_FIRST_FREE || (plain && out->call[nr].id))
		return NULL;
	return &out->call[nr];
}

static struct rn_function *place_of(struct rn_call_functions *out, const char *name,
				    int (*nr_of)(const char *name))
{
	if (!strcmp(name, "__secure_computing"))
		return &out->refused;
	if (!strcmp(name, "ptrace_notify"))
		return &out->emulated;
	if (!strcmp(name, "ia32_sys_call"))
		return &out->compat;
	return name[0] == '_' ? call_function(out, name, nr_of) : NULL;
}

/* Is its only argument the registers of the call? */
static bool takes_registers(const struct rn_btf_image *kernel, const struct btf_type *proto)
{
	const struct btf_param *arg = (const struct btf_param *)(proto + 1);
	const struct btf_type *t =
		BTF_INFO_VLEN(proto->info) == 1 ? rn_btf_image_type(kernel, arg->type) : NULL;

	if (t && BTF_INFO_KIND(t->info) == BTF_KIND_PTR)
		t = rn_btf_image_type(kernel, t->type);
	if (t && BTF_INFO_KIND(t->info) == BTF_KIND_CONST)
		t = rn_btf_image_type(kernel, t->type);
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT &&
	       !strcmp(rn_btf_image_str(kernel, t->name_off), "pt_regs");
}

static bool is_other_name(unsigned kind)
{
	return kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE ||
	       kind == BTF_KIND_RESTRICT || kind == BTF_KIND_TYPE_TAG;
}

/* Is it a number or a pointer? A struct may take two registers, or none. */
static bool in_register(const struct rn_btf_image *kernel, uint32_t type)
{
	const struct btf_type *t = rn_btf_image_type(kernel, type);
	unsigned kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;

	for (unsigned k = 0; k < 16 && t && is_other_name(kind); k++) {
		t = rn_btf_image_type(kernel, t->type);
		kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
	}
	return kind == BTF_KIND_INT || kind == BTF_KIND_PTR || kind == BTF_KIND_ENUM ||
	       kind == BTF_KIND_ENUM64;
}

/* Are all arguments in a register each? */
static bool in_registers(const struct rn_btf_image *kernel, const struct btf_type *proto)
{
	enum { REGISTERS = 6 };
	const struct btf_param *arg = (const struct btf_param *)(proto + 1);
	unsigned n = BTF_INFO_VLEN(proto->info);
	bool all = n <= REGISTERS;

	for (unsigned i = 0; i < n && all; i++)
		all = in_register(kernel, arg[i].type);
	return all;
}

bool rn_functions_find(struct rn_function *out, const char *const *names, unsigned n,
		       const struct rn_btf_image *kernel)
{
	unsigned found = 0;

	memset(out, 0, n * sizeof(*out));
	for (uint32_t id = 1; id <= kernel->n && found < n; id++) {
		const struct btf_type *t = rn_btf_image_type(kernel, id), *proto;
		const char *name;

		if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC)
			continue;
		name = rn_btf_image_str(kernel, t->name_off);
		for (unsigned i = 0; i < n; i++) {
			if (out[i].id || strcmp(name, names[i]) != 0)
				continue;
			proto = rn_btf_image_type(kernel, t->type);
			if (!proto || BTF_INFO_KIND(proto->info) != BTF_KIND_FUNC_PROTO ||
			    !in_registers(kernel, proto))
				return false;
			out[i] = (struct rn_function){.id = id,
						      .type = t->type,
						      .nargs = (uint8_t)BTF_INFO_VLEN(proto->info),
						      .has_result =
							      in_register(kernel, proto->type)};
			snprintf(out[i].name, sizeof(out[i].name), "%.55s", name);
			found++;
		}
	}
	return found == n;
}

void rn_call_functions_find(struct rn_call_functions *out, const struct rn_btf_image *kernel,
			    int (*nr_of)(const char *name))
{
	memset(out, 0, sizeof(*out));
	for (uint32_t id = 1; id <= kernel->n; id++) {
		const struct btf_type *t = rn_btf_image_type(kernel, id), *proto;
		struct rn_function *f;
		const char *name;

		if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC)
			continue;
		name = rn_btf_image_str(kernel, t->name_off);
		/* its beginning has no place for a program, but it says what the kernel can do */
		out->takes_compat |= !strcmp(name, "do_fast_syscall_32");
		f = place_of(out, name, nr_of);
		proto = f ? rn_btf_image_type(kernel, t->type) : NULL;
		if (!proto || BTF_INFO_KIND(proto->info) != BTF_KIND_FUNC_PROTO ||
		    rn_btf_without(name))
			continue;
		/* __do_sys_NAME of a call with arguments takes these */
		if ((name[0] == '_' && f != &out->refused && !takes_registers(kernel, proto)) ||
		    strlen(name) >= sizeof(f->name))
			continue;
		f->id = id;
		f->type = t->type;
		f->nargs = (uint8_t)BTF_INFO_VLEN(proto->info);
		snprintf(f->name, sizeof(f->name), "%s", name);
	}
}
