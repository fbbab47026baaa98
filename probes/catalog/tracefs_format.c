/* tracefs_format.c - parses the format of a tracepoint's records: see rn_tracefs_parse. The kernel
 * or a module wrote the text. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "lang/values/named.h"
#include "probes/catalog/tracefs.h"

/* Does the kernel print it as an address, (void *)REC->call_site? Many addresses are declared as
 * numbers. */
static bool printed_as_pointer(const char *fmt, const char *name)
{
	static const char cast[] = "(void *)REC->";
	size_t len = strlen(name);

	for (const char *p = fmt; p && (p = strstr(p, cast));) {
		p += sizeof(cast) - 1;
		if (!strncmp(p, name, len) && !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
	}
	return false;
}

/* Fields whose numbers have names though the kernel prints none, or names that do not tell the set.
 */
static const struct {
	const char *group, *field;
	enum rn_unit unit;
} named_fields[] = {
	{"exceptions", "error_code", RN_U_FAULT}, {"irq", "vec", RN_U_SOFTIRQ},
	{"net", "protocol", RN_U_ETHER},          {"sched", "prev_state", RN_U_TASK},
	{"signal", "sig", RN_U_SIGNAL},           {"skb", "protocol", RN_U_ETHER},
	{"task", "clone_flags", RN_U_CLONE},      {"writeback", "reason", RN_U_WRITEBACK},
};

static enum rn_unit names_in_group(const char *group, const char *name)
{
	for (size_t i = 0; group && i < sizeof(named_fields) / sizeof(*named_fields); i++)
		if (!strcmp(named_fields[i].group, group) && !strcmp(named_fields[i].field, name))
			return named_fields[i].unit;
	return RN_U_NONE;
}

/* The set of which the list, that the kernel prints, has names: { 1, "TCP_ESTABLISHED" }, ...
 * RN_U_NONE: none that all kernels number alike. */
static enum rn_unit set_of(const char *list)
{
	const char *quote = list ? strchr(list, '"') : NULL,
		   *close = list ? strchr(list, ')') : NULL;

	return quote && close && quote < close ? rn_named_of_prefix(quote + 1) : RN_U_NONE;
}

/* A number for which the kernel prints names of its own becomes text. One of 64 bits stays a
 * number unless it is flags: it is an id, of which a few are well known. */
static void set_numbering(struct rn_arena *arena, struct rn_tp_field *f, const char *declared,
			  const char *list, bool flags, const struct rn_tp *tp)
{
	const struct rn_numbering *own =
		f->size < 8 || flags
			? rn_tracefs_names(arena, list, flags, declared, f, tp->enumeration)
			: NULL;

	if (!own)
		return;
	f->field.ty = (struct rn_ty){RN_T_STR, RN_U_NONE};
	f->field.kind = RN_KIND_WORD;
	f->field.numbering = own;
	f->field.bits = 0;
	f->field.doc =
		rn_arena_printf(arena, "%s: %s%s", f->field.doc, own->of[0].name,
				own->n > 1 ? rn_arena_printf(arena, ", %s%s", own->of[1].name,
							     own->n > 2 ? ", ..." : "")
					   : "");
}

/* Finds the unit of a number by its declaration, its group and how the kernel prints it. */
static void set_unit(struct rn_arena *arena, struct rn_tp_field *f, const char *declared,
		     const struct rn_tp *tp, const char *fmt)
{
	const char *name = f->field.name, *list = rn_tracefs_symbolic(fmt, name),
		   *flags = list ? NULL : rn_tracefs_flags(fmt, name);
	enum rn_unit named = names_in_group(tp->sys, name);

	if (f->kind == RN_TP_CHARS && !strcmp(name, "rwbs"))
		f->field.words = RN_WORDS_REQUEST;
	if (f->kind != RN_TP_INT)
		return;
	if (f->size == 8 && (strchr(declared, '*') || printed_as_pointer(fmt, name)))
		f->field.ty.unit = RN_U_HEX;
	else if (f->size == 4 && !strcmp(declared, "dev_t"))
		f->field.ty.unit = RN_U_DEV;
	else
		f->field.ty.unit = (uint8_t)(named ? named : set_of(list));
	if (f->size < 8)
		f->field.bits =
			(uint8_t)(f->is_signed ? RN_BITS_SIGNED | (8 * f->size - 1) : 8 * f->size);
	if (!f->field.ty.unit)
		set_numbering(arena, f, declared, flags ? flags : list, flags != NULL, tp);
}

/* comm, prev_comm: the name of a task. */
static bool ends_with_comm(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && !strcmp(name + n - 4, "comm");
}

/* "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;": parse this declaration into f.
 * tp: its sys and enumeration, or NULL in them; fmt: how the kernel prints it, or NULL. False: of
 * no use to a query. */
static bool parse_field(struct rn_arena *arena, const char *line, const struct rn_tp *tp,
			const char *fmt, struct rn_tp_field *f)
{
	const char *decl = strstr(line, "field:"), *semi = decl ? strchr(decl, ';') : NULL;
	unsigned offset, size;
	int sign = 0;
	size_t n;
	bool loc, rel, chars;
	char *d, *name, *bracket;

	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote these numbers
	if (!semi || sscanf(semi, "; offset:%u; size:%u; signed:%d", &offset, &size, &sign) < 2)
		return false;
	decl += 6;
	n = (size_t)(semi - decl);
	loc = n > 11 && !strncmp(decl, "__data_loc ", 11);
	rel = n > 10 && !strncmp(decl, "__rel_loc ", 10);
	d = rn_arena_strndup(arena, decl, n);
	name = strrchr(d, ' ');

	if (!name || offset > UINT16_MAX || size > UINT16_MAX)
		return false;
	*name++ = 0;
	bracket = strchr(name, '[');
	if (bracket)
		*bracket = 0;
	chars = strstr(d, "char") && !strchr(d, '*');
	f->offset = (uint16_t)offset;
	f->size = (uint16_t)size;
	f->is_signed = sign;
	if (loc || rel) {
		if (!strstr(d, "char[]") || size != 4)
			return false;
		f->kind = loc ? RN_TP_LOC : RN_TP_RELLOC;
	} else if (bracket) {
		if (!chars)
			return false;
		f->kind = RN_TP_CHARS;
	} else if (size == 1 || size == 2 || size == 4 || size == 8) {
		f->kind = RN_TP_INT;
	} else {
		return false;
	}
	f->field = (struct rn_field){
		.name = name,
		.ty = {f->kind == RN_TP_INT ? RN_T_INT : RN_T_STR, RN_U_NONE},
		.where = RN_IN_KERNEL | RN_IN_NODE,
		.doc = f->kind == RN_TP_CHARS ? rn_arena_printf(arena, "%s[%u]", d, size) : d};
	if (f->kind == RN_TP_CHARS && size == RN_COMM_BYTES + 1 && ends_with_comm(name))
		f->field.kind = RN_KIND_COMM;
	set_unit(arena, f, d, tp, fmt);
	return strncmp(name, "common_", 7) != 0;
}

static bool offset_of(const char *format, const char *member, uint16_t *offset)
{
	const char *p = strstr(format, member);
	unsigned n;

	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote these numbers
	if (!p || sscanf(p + strlen(member), " offset:%u;", &n) != 1 || n > UINT16_MAX || n % 2)
		return false;
	*offset = (uint16_t)n;
	return true;
}

int rn_tracefs_parse(struct rn_arena *arena, const char *format, struct rn_tp *tp,
		     struct rn_err *err)
{
	const char *fmt = strstr(format, "\nprint fmt:");
	unsigned lines = 0;

	for (const char *p = format; (p = strstr(p, "field:")); p++)
		lines++;
	if (!lines)
		return rn_err_set(err, -EBADMSG, "the format of a tracepoint has no fields");
	tp->field = RN_NEWN(arena, struct rn_tp_field, lines);
	tp->nfields = 0;
	for (const char *p = format; p; p = strchr(p, '\n')) {
		const char *end;
		char *line;

		p += *p == '\n';
		end = strchr(p, '\n');
		line = rn_arena_strndup(arena, p, end ? (size_t)(end - p) : strlen(p));
		if (!strncmp(line, "print fmt:", 10))
			break;
		if (tp->nfields < lines &&
		    parse_field(arena, line, tp, fmt, &tp->field[tp->nfields]))
			tp->nfields++;
	}
	tp->ends.known = offset_of(format, " saddr_v6[16];", &tp->ends.local) &&
			 offset_of(format, " daddr_v6[16];", &tp->ends.peer) &&
			 offset_of(format, "__u16 sport;", &tp->ends.sport) &&
			 offset_of(format, "__u16 dport;", &tp->ends.dport);
	return 0;
}
