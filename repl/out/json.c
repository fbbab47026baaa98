/* json.c - one JSON object a line, keyed by the columns' labels; values as repl/render/json.c
 * writes them. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/output.h"

static int begin(void *self, const struct rn_answer_shape *r)
{
	rn_printer_columns(self, r);
	return 0;
}

/* `covered` is given only if there is a gap between `from` and `until`. */
static void part(FILE *to, const struct rn_extent *p)
{
	fprintf(to, ", \"partial\": {\"from\": %lld, \"until\": %lld", (long long)p->hull.begin,
		(long long)p->hull.end);
	if (p->ns != p->hull.end - p->hull.begin)
		fprintf(to, ", \"covered\": %lld", (long long)p->ns);
	putc('}', to);
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_printer *p = self;

	putc('{', p->to);
	for (unsigned i = 0; i < p->ncols; i++) {
		if (i)
			fputs(", ", p->to);
		rn_json_string(p->to, p->cols[i].label, strlen(p->cols[i].label));
		fputs(": ", p->to);
		rn_json_value(p->to, p->cols[i].ty, &value[i], p->arena);
	}
	if (p->partial)
		part(p->to, &p->covered);
	fputs(p->other ? ", \"other\": true}\n" : "}\n", p->to);
	p->rows++;
	p->other = p->partial = false;
	rn_arena_reset(p->arena);
	return rn_printer_flush(p, false);
}

static int end(void *self)
{
	return rn_printer_flush(self, true);
}

struct rn_printer *rn_printer_json(FILE *to)
{
	struct rn_printer *p = rn_calloc(1, sizeof(*p));

	rn_printer_init(p, to);
	p->out.begin = begin;
	p->out.row = row;
	p->out.end = end;
	return p;
}
