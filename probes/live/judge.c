/* judge.c - conditions on names for which the kernel has a number, such as user = root: the first
 * row with a number is judged here, and the verdict is written to the map that the kernel's
 * programs ask (by_verdict in probes/gen/gen.c).
 *
 * Numbers of users, and of cgroups in the one hierarchy of version 2, stand for the same name as
 * long as a query runs: a cgroup's number is not given twice, and the kernel lets nobody rename
 * one. So a verdict holds for good. */
#include <bpf/bpf.h>
#include <string.h>
#include "lang/base/map.h"
#include "lang/values/glob.h"
#include "probes/live/live_impl.h"

struct rn_verdict {
	UT_hash_handle hh;
	struct rn_verdict_key key;
};

static bool is_text(const struct rn_value *x, const struct rn_expr *constant)
{
	return x->len == constant->value.len && !memcmp(x->s, constant->value.s, x->len);
}

static bool is_like(const struct rn_value *x, const struct rn_expr *pattern)
{
	return rn_glob(pattern->value.s, pattern->value.len, x->s, x->len);
}

/* expr: of the form that rn_expr_judged accepts */
static bool holds(const struct rn_expr *expr, const struct rn_value *name)
{
	if (expr->kind == RN_E_IN) {
		for (unsigned i = 1; i < expr->narg; i++)
			if (is_text(name, expr->arg[i]))
				return true;
		return false;
	}
	switch (expr->op) {
	case RN_OP_NOT: return !holds(expr->arg[0], name);
	case RN_OP_AND: return holds(expr->arg[0], name) && holds(expr->arg[1], name);
	case RN_OP_OR: return holds(expr->arg[0], name) || holds(expr->arg[1], name);
	case RN_OP_EQ: return is_text(name, expr->arg[1]);
	case RN_OP_NE: return !is_text(name, expr->arg[1]);
	case RN_OP_GLOB: return is_like(name, expr->arg[1]);
	default: return !is_like(name, expr->arg[1]);
	}
}

void rn_judge_init(struct rn_live *live)
{
	live->verdicts = (struct rn_verdicts){0};
	for (unsigned i = 0; i < live->fragment->nwhere; i++)
		live->verdicts.any |= live->fragment->where[i].judged;
}

static void judge(struct rn_live *s, unsigned conjunct, uint64_t number,
		  const struct rn_value *name)
{
	struct rn_verdict_key key = {number, conjunct};
	struct rn_verdicts *v = &s->verdicts;
	struct rn_verdict *known;
	uint64_t verdict;

	HASH_FIND(hh, v->known, &key, sizeof(key), known);
	if (known || v->full)
		return;
	verdict = holds(s->fragment->where[conjunct].expr, name);
	if (bpf_map_update_elem(s->maps.fd[RN_MAP_VERDICTS], &key, &verdict, BPF_ANY)) {
		v->full = true;
		return;
	}
	known = rn_calloc(1, sizeof(*known));
	known->key = key;
	HASH_ADD(hh, v->known, key, sizeof(key), known);
}

void rn_judge_row(struct rn_live *live, const unsigned char *rec, const struct rn_value *row)
{
	const struct rn_fragment *f = live->fragment;
	const struct rn_layout *l = &live->out.rec;

	for (unsigned i = 0; live->verdicts.any && i < f->nwhere; i++) {
		const struct rn_field *field =
			f->where[i].judged ? rn_expr_judged(f->where[i].expr) : NULL;

		for (unsigned k = 0; field && k < l->n; k++) {
			uint64_t number;

			if (l->fields[k].field != field || row[k].kind != RN_STR)
				continue;
			memcpy(&number, rec + l->fields[k].off, sizeof(number));
			judge(live, i, number, &row[k]);
		}
	}
}

void rn_judge_free(struct rn_live *live)
{
	struct rn_verdict *v, *next;

	HASH_ITER(hh, live->verdicts.known, v, next)
	{
		HASH_DELETE(hh, live->verdicts.known, v);
		free(v);
	}
}
