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
static void part(struct rn_json *json, const struct rn_extent *p)
{
	rn_json_open(json, "partial", '{');
	rn_json_int(json, "from", p->hull.begin);
	rn_json_int(json, "until", p->hull.end);
	if (p->ns != p->hull.end - p->hull.begin)
		rn_json_int(json, "covered", p->ns);
	rn_json_close(json, '}');
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_printer *p = self;
	struct rn_json json = {.to = p->to};

	rn_json_open(&json, NULL, '{');
	for (unsigned i = 0; i < p->ncols; i++) {
		rn_json_key(&json, p->cols[i].label);
		rn_json_value(p->to, p->cols[i].ty, &value[i], p->arena);
	}
	if (p->partial)
		part(&json, &p->covered);
	if (p->other)
		rn_json_bool(&json, "other", true);
	rn_json_close(&json, '}');
	putc('\n', p->to);
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
