/* folded.c - stacks for flame graphs: a line for each row, its frames joined by `;`, a blank, and a
 * number. flamegraph.pl, inferno and speedscope read it.
 *
 *	$ runnel -o folded 'count of sample 99hz by proc, ustack for 10s' | flamegraph.pl >x.svg
 *	nginx;main;worker_cycle;epoll_wait 17
 *
 * All columns that are no numbers are frames, in their order; the last number is the weight. A row
 * without a weight, or without a frame, is left out. Blanks in names stay, line ends are escaped,
 * and a `;` that joins no frames becomes `:`. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/output.h"

static bool is_number(struct rn_ty ty)
{
	return (ty.type == RN_T_INT && ty.unit != RN_U_EPOCH && !rn_unit_is_code(ty.unit)) ||
	       ty.type == RN_T_FLOAT;
}

static bool is_frame(struct rn_ty ty)
{
	return !is_number(ty) && ty.type != RN_T_HIST && ty.type != RN_T_LIST;
}

/* A frame is text without the marks of the format. */
static void put_frame(struct rn_printer *p, const struct rn_value *value, unsigned col, bool more)
{
	bool stack = p->cols[col].ty.type == RN_T_STACK;
	const char *raw = value->kind == RN_STR && p->cols[col].ty.type != RN_T_IP
				  ? rn_arena_strndup(p->arena, value->s, value->len)
				  : rn_value_show(p->arena, p->cols[col].ty, value);
	size_t cap = 4 * strlen(raw) + 20, n;
	char *text = rn_arena_alloc(p->arena, cap);

	n = rn_text_clean(text, cap, raw, strlen(raw));
	for (size_t i = 0; i < n && !stack; i++)
		if (text[i] == ';')
			text[i] = ':';
	fprintf(p->to, "%s%.*s", more ? ";" : "", (int)n, text);
}

static int begin(void *self, const struct rn_answer_shape *r)
{
	rn_printer_columns(self, r);
	return 0;
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_printer *p = self;
	int weight = -1;
	bool any = false;

	for (unsigned i = 0; i < p->ncols; i++)
		if (is_number(p->cols[i].ty) && value[i].kind != RN_NULL)
			weight = (int)i;
	for (unsigned i = 0; weight >= 0 && i < p->ncols; i++) {
		if (!is_frame(p->cols[i].ty) || value[i].kind == RN_NULL ||
		    (value[i].kind == RN_STR && !value[i].len))
			continue;
		put_frame(p, &value[i], i, any);
		any = true;
	}
	if (any && value[weight].kind == RN_FLOAT)
		fprintf(p->to, " %.0f\n", value[weight].f);
	else if (any)
		fprintf(p->to, " %" PRId64 "\n", value[weight].i);
	p->rows++;
	p->other = p->partial = false;
	rn_arena_reset(p->arena);
	return rn_printer_flush(p, false);
}

static int end(void *self)
{
	return rn_printer_flush(self, true);
}

struct rn_printer *rn_printer_folded(FILE *to)
{
	struct rn_printer *p = rn_calloc(1, sizeof(*p));

	rn_printer_init(p, to);
	p->out.begin = begin;
	p->out.row = row;
	p->out.end = end;
	return p;
}
