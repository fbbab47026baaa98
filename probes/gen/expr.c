/* expr.c - typed expressions as BPF: numbers into r0, truth into jumps.
 *
 * They give the same answers as exec/eval/eval.c: 64-bit arithmetic, which expressions placed here
 * do not overflow (planner/split/place.c), signed comparison, division that truncates. An
 * expression's costly fields have been fetched before (rn_gen_need), so that nothing is computed in
 * only one branch. r0..r5 are free at every call; values that must survive go to a temporary on the
 * stack. */
#include <linux/bpf.h>
#include <string.h>
#include "probes/gen/gen_impl.h"

static bool is_text(const struct rn_expr *e)
{
	return e->ty.type == RN_T_STR || e->ty.type == RN_T_IP || e->ty.type == RN_T_TAGS;
}

static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

/* r0 = a / c or a % c for a constant c > 0; BPF divides unsigned numbers only. */
static void divide(struct rn_gen *g, const struct rn_expr *e)
{
	struct rn_emit *b = g->e;
	int op = e->op == RN_OP_DIV ? BPF_DIV : BPF_MOD, positive = rn_emit_label(b),
	    done = rn_emit_label(b);

	rn_gen_eval(g, e->arg[0]);
	if (e->arg[1]->kind != RN_E_CONST || e->arg[1]->value.i <= 0) {
		rn_gen_fail(g, "division by anything but a positive constant is not in the kernel");
		return;
	}
	rn_emit_movi(b, BPF_REG_1, e->arg[1]->value.i);
	rn_emit_jmpi(b, BPF_JSGE, BPF_REG_0, 0, positive);
	rn_emit_movi(b, BPF_REG_2, 0);
	rn_emit_alu(b, BPF_SUB, BPF_REG_2, BPF_REG_0);
	rn_emit_alu(b, op, BPF_REG_2, BPF_REG_1);
	rn_emit_movi(b, BPF_REG_0, 0);
	rn_emit_alu(b, BPF_SUB, BPF_REG_0, BPF_REG_2);
	rn_emit_ja(b, done);
	rn_emit_bind(b, positive);
	rn_emit_alu(b, op, BPF_REG_0, BPF_REG_1);
	rn_emit_bind(b, done);
}

/* bucket(x, step): the multiple of step at or below x. */
static void bucket(struct rn_gen *g, const struct rn_expr *e)
{
	struct rn_emit *b = g->e;
	int positive = rn_emit_label(b), done = rn_emit_label(b);
	int64_t step = e->arg[1]->value.i;

	if (e->arg[1]->kind != RN_E_CONST || e->arg[1]->value.kind != RN_INT || step <= 0) {
		rn_gen_fail(g,
			    "bucket() with anything but a positive constant is not in the kernel");
		return;
	}
	rn_gen_eval(g, e->arg[0]);
	rn_emit_movi(b, BPF_REG_1, step);
	rn_emit_mov(b, BPF_REG_2, BPF_REG_0);
	rn_emit_jmpi(b, BPF_JSGE, BPF_REG_0, 0, positive);
	rn_emit_movi(b, BPF_REG_2, 0); /* x < 0: distance up is (-x) mod step */
	rn_emit_alu(b, BPF_SUB, BPF_REG_2, BPF_REG_0);
	rn_emit_alu(b, BPF_MOD, BPF_REG_2, BPF_REG_1);
	rn_emit_jmpi(b, BPF_JEQ, BPF_REG_2, 0, done);
	rn_emit_alu(b, BPF_ADD, BPF_REG_0, BPF_REG_2);
	rn_emit_alu(b, BPF_SUB, BPF_REG_0, BPF_REG_1);
	rn_emit_jmpi(b, BPF_JSLT, BPF_REG_0, 0, done);
	/* there is no multiple below: the least number */
	rn_emit_movi(b, BPF_REG_0, INT64_MIN);
	rn_emit_ja(b, done);
	rn_emit_bind(b, positive);
	rn_emit_alu(b, BPF_MOD, BPF_REG_2, BPF_REG_1);
	rn_emit_alu(b, BPF_SUB, BPF_REG_0, BPF_REG_2);
	rn_emit_bind(b, done);
}

/* Evaluates both sides: r0 = left, r1 = right. */
static void both(struct rn_gen *g, const struct rn_expr *a, const struct rn_expr *b)
{
	if (b->kind == RN_E_CONST) {
		rn_gen_eval(g, a);
		rn_emit_movi(g->e, BPF_REG_1, b->value.i);
		return;
	}
	rn_gen_eval(g, a);
	rn_gen_push(g, BPF_REG_0);
	rn_gen_eval(g, b);
	rn_emit_mov(g->e, BPF_REG_1, BPF_REG_0);
	rn_gen_pop(g, BPF_REG_0);
}

static void arithmetic(struct rn_gen *g, const struct rn_expr *e)
{
	int op = e->op == RN_OP_ADD ? BPF_ADD : e->op == RN_OP_SUB ? BPF_SUB : BPF_MUL;

	if (e->arg[1]->kind == RN_E_CONST && fits32(e->arg[1]->value.i)) {
		rn_gen_eval(g, e->arg[0]);
		rn_emit_alui(g->e, op, BPF_REG_0, (int32_t)e->arg[1]->value.i);
		return;
	}
	both(g, e->arg[0], e->arg[1]);
	rn_emit_alu(g->e, op, BPF_REG_0, BPF_REG_1);
}

/* r0 = 1 or 0 */
static void truth(struct rn_gen *g, const struct rn_expr *e)
{
	int no = rn_emit_label(g->e), done = rn_emit_label(g->e);

	rn_gen_branch(g, e, false, no);
	rn_emit_movi(g->e, BPF_REG_0, 1);
	rn_emit_ja(g->e, done);
	rn_emit_bind(g->e, no);
	rn_emit_movi(g->e, BPF_REG_0, 0);
	rn_emit_bind(g->e, done);
}

/* The functions that the kernel part has, marked so in lang/catalog/funcs.c: a number into r0, or
 * truth into a jump. */
static const struct function {
	const char *name;
	void (*value)(struct rn_gen *g, const struct rn_expr *e);
	void (*branch)(struct rn_gen *g, const struct rn_expr *e, bool want, int label);
} functions[] = {
	{"bucket", .value = bucket},
	{"cidr", .branch = rn_gen_cidr},
};

static const struct function *function(const char *name)
{
	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

bool rn_gen_has_func(const char *name)
{
	return function(name) != NULL;
}

void rn_gen_eval(struct rn_gen *g, const struct rn_expr *e)
{
	const struct function *f = e->kind == RN_E_CALL ? function(e->func->name) : NULL;

	if (g->rc)
		return;
	switch (e->kind) {
	case RN_E_CONST:
		if (e->value.kind != RN_INT && e->value.kind != RN_BOOL)
			rn_gen_fail(g, "a constant that is no integer is not in the kernel");
		rn_emit_movi(g->e, BPF_REG_0, e->value.i);
		return;
	case RN_E_FIELD: rn_gen_load(g, e->field, BPF_REG_0); return;
	case RN_E_OP:
		switch (e->op) {
		case RN_OP_ADD:
		case RN_OP_SUB:
		case RN_OP_MUL: arithmetic(g, e); return;
		case RN_OP_DIV:
		case RN_OP_MOD: divide(g, e); return;
		case RN_OP_NEG:
			rn_gen_eval(g, e->arg[0]);
			rn_emit_mov(g->e, BPF_REG_1, BPF_REG_0);
			rn_emit_movi(g->e, BPF_REG_0, 0);
			rn_emit_alu(g->e, BPF_SUB, BPF_REG_0, BPF_REG_1);
			return;
		default: truth(g, e); return;
		}
	case RN_E_CALL:
		if (f && f->value) {
			f->value(g, e);
			return;
		}
		/* fall through */
	case RN_E_IN: truth(g, e); return;
	default: rn_gen_fail(g, "%s is not in the kernel", rn_expr_text(g->a, e));
	}
}

/* Jump codes by operator, and those of their negation. */
static int jump_code(enum rn_op op, bool want)
{
	switch (op) {
	case RN_OP_EQ: return want ? BPF_JEQ : BPF_JNE;
	case RN_OP_NE: return want ? BPF_JNE : BPF_JEQ;
	case RN_OP_LT: return want ? BPF_JSLT : BPF_JSGE;
	case RN_OP_LE: return want ? BPF_JSLE : BPF_JSGT;
	case RN_OP_GT: return want ? BPF_JSGT : BPF_JSLE;
	default: return want ? BPF_JSGE : BPF_JSLT;
	}
}

static void compare(struct rn_gen *g, const struct rn_expr *e, bool want, int label)
{
	const struct rn_expr *a = e->arg[0], *b = e->arg[1];

	if (is_text(a) || is_text(b)) {
		rn_gen_str_eq(g, a->kind == RN_E_CONST ? b : a, a->kind == RN_E_CONST ? a : b,
			      want == (e->op == RN_OP_EQ), label);
		return;
	}
	if (b->kind == RN_E_CONST && fits32(b->value.i)) {
		rn_gen_eval(g, a);
		rn_emit_jmpi(g->e, jump_code(e->op, want), BPF_REG_0, (int32_t)b->value.i, label);
		return;
	}
	both(g, a, b);
	rn_emit_jmp(g->e, jump_code(e->op, want), BPF_REG_0, BPF_REG_1, label);
}

static void in_list(struct rn_gen *g, const struct rn_expr *e, bool want, int label)
{
	int in = want ? label : rn_emit_label(g->e);

	if (is_text(e->arg[0])) {
		for (unsigned i = 1; i < e->narg; i++)
			rn_gen_str_eq(g, e->arg[0], e->arg[i], true, in);
	} else {
		rn_gen_eval(g, e->arg[0]);
		for (unsigned i = 1; i < e->narg; i++) {
			if (e->arg[i]->value.kind != RN_INT && e->arg[i]->value.kind != RN_BOOL)
				continue; /* equal to no integer */
			if (fits32(e->arg[i]->value.i)) {
				rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_0, (int32_t)e->arg[i]->value.i,
					     in);
			} else {
				rn_emit_movi(g->e, BPF_REG_1, e->arg[i]->value.i);
				rn_emit_jmp(g->e, BPF_JEQ, BPF_REG_0, BPF_REG_1, in);
			}
		}
	}
	if (!want) {
		rn_emit_ja(g->e, label);
		rn_emit_bind(g->e, in);
	}
}

/* a and b (is_and) or a or b: jumps to label if the outcome is want. */
static void logic(struct rn_gen *g, const struct rn_expr *e, bool want, int label)
{
	bool is_and = e->op == RN_OP_AND;

	/* both must agree: the first that differs decides against the jump */
	if (is_and == want) {
		int skip = rn_emit_label(g->e);

		rn_gen_branch(g, e->arg[0], !want, skip);
		rn_gen_branch(g, e->arg[1], want, label);
		rn_emit_bind(g->e, skip);
	} else {
		rn_gen_branch(g, e->arg[0], want, label);
		rn_gen_branch(g, e->arg[1], want, label);
	}
}

void rn_gen_branch(struct rn_gen *g, const struct rn_expr *e, bool want, int label)
{
	if (g->rc)
		return;
	if (e->kind == RN_E_OP)
		switch (e->op) {
		case RN_OP_NOT: rn_gen_branch(g, e->arg[0], !want, label); return;
		case RN_OP_AND:
		case RN_OP_OR: logic(g, e, want, label); return;
		case RN_OP_EQ:
		case RN_OP_NE:
		case RN_OP_LT:
		case RN_OP_LE:
		case RN_OP_GT:
		case RN_OP_GE: compare(g, e, want, label); return;
		case RN_OP_GLOB:
		case RN_OP_NGLOB:
			rn_gen_glob(g, e->arg[0], e->arg[1], want == (e->op == RN_OP_GLOB), label);
			return;
		case RN_OP_REGEX: rn_gen_fail(g, "regex: not in the kernel"); return;
		default: break;
		}
	if (e->kind == RN_E_IN) {
		in_list(g, e, want, label);
		return;
	}
	if (e->kind == RN_E_CALL) {
		const struct function *f = function(e->func->name);

		if (!f) {
			rn_gen_fail(g, "%s() is not in the kernel", e->func->name);
			return;
		}
		if (f->branch) {
			f->branch(g, e, want, label);
			return;
		}
	}
	rn_gen_eval(g, e);
	rn_emit_jmpi(g->e, want ? BPF_JNE : BPF_JEQ, BPF_REG_0, 0, label);
}
