/* expr.c - typed expressions as BPF: numbers into r0, truth into jumps.
 *
 * They give the same answers as exec/eval/eval.c: 64-bit arithmetic, which expressions placed here
 * do not overflow (planner/split/place.c), signed comparison, division that truncates. An
 * expression's costly fields have been fetched before (rn_gen_need), so that nothing is computed in
 * only one branch. r0..r5 are free at every call; values that must survive go to a temporary on the
 * stack. */
#include <linux/bpf.h>
#include <string.h>
#include "lang/values/glob.h"
#include "planner/split/place.h"
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
static void divide(struct rn_gen *gen, const struct rn_expr *expr)
{
	struct rn_emit *emit = gen->emit;
	int op = expr->op == RN_OP_MOD ? BPF_MOD : BPF_DIV, positive = rn_emit_label(emit),
	    done = rn_emit_label(emit);

	rn_gen_eval(gen, expr->arg[0]);
	if (expr->arg[1]->kind != RN_E_CONST || expr->arg[1]->value.i <= 0) {
		rn_gen_fail(gen,
			    "division by anything but a positive constant is not in the kernel");
		return;
	}
	rn_emit_movi(emit, BPF_REG_1, expr->arg[1]->value.i);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_0, 0, positive);
	rn_emit_movi(emit, BPF_REG_2, 0);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_2, BPF_REG_0);
	rn_emit_alu(emit, op, BPF_REG_2, BPF_REG_1);
	rn_emit_movi(emit, BPF_REG_0, 0);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_0, BPF_REG_2);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, positive);
	rn_emit_alu(emit, op, BPF_REG_0, BPF_REG_1);
	rn_emit_bind(emit, done);
}

/* bucket(x, step): the multiple of step at or below x. */
static void bucket(struct rn_gen *gen, const struct rn_expr *expr)
{
	struct rn_emit *emit = gen->emit;
	int positive = rn_emit_label(emit), done = rn_emit_label(emit);
	int64_t step = expr->arg[1]->value.i;

	if (expr->arg[1]->kind != RN_E_CONST || expr->arg[1]->value.kind != RN_INT || step <= 0) {
		rn_gen_fail(gen,
			    "bucket() with anything but a positive constant is not in the kernel");
		return;
	}
	rn_gen_eval(gen, expr->arg[0]);
	rn_emit_movi(emit, BPF_REG_1, step);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_0);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_0, 0, positive);
	rn_emit_movi(emit, BPF_REG_2, 0); /* x < 0: distance up is (-x) mod step */
	rn_emit_alu(emit, BPF_SUB, BPF_REG_2, BPF_REG_0);
	rn_emit_alu(emit, BPF_MOD, BPF_REG_2, BPF_REG_1);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_2, 0, done);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_0, BPF_REG_2);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_0, BPF_REG_1);
	rn_emit_jmpi(emit, BPF_JSLT, BPF_REG_0, 0, done);
	/* there is no multiple below: the least number */
	rn_emit_movi(emit, BPF_REG_0, INT64_MIN);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, positive);
	rn_emit_alu(emit, BPF_MOD, BPF_REG_2, BPF_REG_1);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_0, BPF_REG_2);
	rn_emit_bind(emit, done);
}

/* if(c, a, b) */
static void choose(struct rn_gen *gen, const struct rn_expr *expr)
{
	int other = rn_emit_label(gen->emit), done = rn_emit_label(gen->emit);

	if (expr->narg != 3 || is_text(expr->arg[1]) || is_text(expr->arg[2])) {
		rn_gen_fail(gen, "a choice of texts is not in the kernel");
		return;
	}
	rn_gen_branch(gen, expr->arg[0], false, other);
	rn_gen_eval(gen, expr->arg[1]);
	rn_emit_ja(gen->emit, done);
	rn_emit_bind(gen->emit, other);
	rn_gen_eval(gen, expr->arg[2]);
	rn_emit_bind(gen->emit, done);
}

/* port(ip): the last two of its 18 bytes, the higher one first; 0 without an address. */
static void port(struct rn_gen *gen, const struct rn_expr *expr)
{
	const struct rn_expr *address = expr->arg[0];
	enum rn_encoding enc;
	int at;

	if (address->kind != RN_E_FIELD || !rn_gen_enc(gen, address->field, &enc) ||
	    enc != RN_ENCODING_IP) {
		rn_gen_fail(gen, "%s is not in the kernel", rn_expr_text(gen->arena, expr));
		return;
	}
	at = rn_gen_ip(gen, address->field) + RN_IP_BYTES - 2;
	rn_emit_ldx(gen->emit, BPF_B, BPF_REG_0, BPF_REG_10, at, NULL);
	rn_emit_ldx(gen->emit, BPF_B, BPF_REG_1, BPF_REG_10, at + 1, NULL);
	rn_emit_alui(gen->emit, BPF_LSH, BPF_REG_0, 8);
	rn_emit_alu(gen->emit, BPF_OR, BPF_REG_0, BPF_REG_1);
}

/* Evaluates both sides: r0 = left, r1 = right. */
static void both(struct rn_gen *g, const struct rn_expr *a, const struct rn_expr *b)
{
	if (b->kind == RN_E_CONST) {
		rn_gen_eval(g, a);
		rn_emit_movi(g->emit, BPF_REG_1, b->value.i);
		return;
	}
	rn_gen_eval(g, a);
	rn_gen_push(g, BPF_REG_0);
	rn_gen_eval(g, b);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_0);
	rn_gen_pop(g, BPF_REG_0);
}

static void arithmetic(struct rn_gen *g, const struct rn_expr *e)
{
	static const uint8_t codes[] = {
		[RN_OP_ADD] = BPF_ADD,  [RN_OP_SUB] = BPF_SUB,    [RN_OP_MUL] = BPF_MUL,
		[RN_OP_BITOR] = BPF_OR, [RN_OP_BITXOR] = BPF_XOR, [RN_OP_BITAND] = BPF_AND,
		[RN_OP_SHL] = BPF_LSH,  [RN_OP_SHR] = BPF_ARSH,
	};
	int op = codes[e->op];

	if (e->arg[1]->kind == RN_E_CONST && fits32(e->arg[1]->value.i)) {
		rn_gen_eval(g, e->arg[0]);
		rn_emit_alui(g->emit, op, BPF_REG_0, (int32_t)e->arg[1]->value.i);
		return;
	}
	both(g, e->arg[0], e->arg[1]);
	rn_emit_alu(g->emit, op, BPF_REG_0, BPF_REG_1);
}

/* r0 = 1 or 0 */
static void truth(struct rn_gen *g, const struct rn_expr *e)
{
	int no = rn_emit_label(g->emit), done = rn_emit_label(g->emit);

	rn_gen_branch(g, e, false, no);
	rn_emit_movi(g->emit, BPF_REG_0, 1);
	rn_emit_ja(g->emit, done);
	rn_emit_bind(g->emit, no);
	rn_emit_movi(g->emit, BPF_REG_0, 0);
	rn_emit_bind(g->emit, done);
}

/* The functions that the kernel part has, marked so in lang/catalog/funcs.c: a number into r0, or
 * truth into a jump. */
static const struct function {
	const char *name;
	void (*value)(struct rn_gen *g, const struct rn_expr *e);
	void (*branch)(struct rn_gen *g, const struct rn_expr *e, bool want, int label);
} functions[] = {
	{"bucket", .value = bucket}, {"cidr", .branch = rn_gen_cidr}, {"div", .value = divide},
	{"if", .value = choose},     {"len", .value = rn_gen_len},    {"port", .value = port},
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

void rn_gen_eval(struct rn_gen *gen, const struct rn_expr *expr)
{
	const struct function *f = expr->kind == RN_E_CALL ? function(expr->func->name) : NULL;

	if (gen->rc)
		return;
	switch (expr->kind) {
	case RN_E_CONST:
		if (expr->value.kind != RN_INT && expr->value.kind != RN_BOOL)
			rn_gen_fail(gen, "a constant that is no integer is not in the kernel");
		rn_emit_movi(gen->emit, BPF_REG_0, expr->value.i);
		return;
	case RN_E_FIELD: rn_gen_load(gen, expr->field, BPF_REG_0); return;
	case RN_E_OP:
		switch (expr->op) {
		case RN_OP_ADD:
		case RN_OP_SUB:
		case RN_OP_MUL:
		case RN_OP_BITOR:
		case RN_OP_BITXOR:
		case RN_OP_BITAND:
		case RN_OP_SHL:
		case RN_OP_SHR: arithmetic(gen, expr); return;
		case RN_OP_DIV:
		case RN_OP_MOD: divide(gen, expr); return;
		case RN_OP_NEG:
			rn_gen_eval(gen, expr->arg[0]);
			rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_0);
			rn_emit_movi(gen->emit, BPF_REG_0, 0);
			rn_emit_alu(gen->emit, BPF_SUB, BPF_REG_0, BPF_REG_1);
			return;
		default: truth(gen, expr); return;
		}
	case RN_E_CALL:
		if (f && f->value) {
			f->value(gen, expr);
			return;
		}
		/* fall through */
	case RN_E_IN: truth(gen, expr); return;
	default: rn_gen_fail(gen, "%s is not in the kernel", rn_expr_text(gen->arena, expr));
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
		rn_emit_jmpi(g->emit, jump_code(e->op, want), BPF_REG_0, (int32_t)b->value.i,
			     label);
		return;
	}
	both(g, a, b);
	rn_emit_jmp(g->emit, jump_code(e->op, want), BPF_REG_0, BPF_REG_1, label);
}

/* Jumps if the value is among many: a lookup in the map of sets. */
static void in_set(struct rn_gen *gen, const struct rn_expr *expr, enum rn_encoding enc, int in)
{
	struct rn_emit *e = gen->emit;
	const struct rn_expr *x = expr->arg[0];
	int key, value;

	key = gen->set_off ? gen->set_off : rn_gen_stack(gen, sizeof(struct rn_set_key));
	gen->set_off = key;
	value = key + (int)offsetof(struct rn_set_key, value);
	if (enc == RN_ENCODING_TEXT) { /* a task's name in a tracepoint's record */
		rn_gen_text(gen, x->field, BPF_REG_1);
		for (int i = 0; i < 16; i += 8) {
			rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_1,
				    RN_SCRATCH_TEXT + (int)offsetof(struct rn_bpf_str, text) + i,
				    NULL);
			rn_emit_stx(e, BPF_DW, BPF_REG_10, value + i, BPF_REG_2);
		}
	} else if (is_text(x)) {
		rn_gen_store(gen, x->field, BPF_REG_10, value);
	} else {
		rn_gen_eval(gen, x);
		rn_emit_stx(e, BPF_DW, BPF_REG_10, value, BPF_REG_0);
		rn_emit_sti(e, BPF_DW, BPF_REG_10, value + 8, 0);
	}
	rn_emit_sti(e, BPF_DW, BPF_REG_10, key, rn_gen_set(gen, expr, enc));
	rn_emit_mov(e, BPF_REG_2, BPF_REG_10);
	rn_emit_alui(e, BPF_ADD, BPF_REG_2, key);
	rn_emit_map(e, BPF_REG_1, RN_MAP_SETS);
	rn_emit_call(e, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, in);
}

/* Does a set hold what is compared as the key of a set? Words are numbers that are known here. */
static bool is_set_key(enum rn_encoding enc)
{
	return enc == RN_ENCODING_INT || enc == RN_ENCODING_COMM || enc == RN_ENCODING_TEXT ||
	       enc == RN_ENCODING_FILE;
}

static void in_numbers(struct rn_gen *gen, const struct rn_expr *expr, int in)
{
	rn_gen_eval(gen, expr->arg[0]);
	for (unsigned i = 1; i < expr->narg; i++) {
		const struct rn_value *v = &expr->arg[i]->value;

		if (v->kind != RN_INT && v->kind != RN_BOOL)
			continue; /* equal to no integer */
		if (fits32(v->i)) {
			rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_0, (int32_t)v->i, in);
		} else {
			rn_emit_movi(gen->emit, BPF_REG_1, v->i);
			rn_emit_jmp(gen->emit, BPF_JEQ, BPF_REG_0, BPF_REG_1, in);
		}
	}
}

static void in_list(struct rn_gen *gen, const struct rn_expr *expr, bool want, int label)
{
	int in = want ? label : rn_emit_label(gen->emit);
	const struct rn_expr *x = expr->arg[0];
	/* a path has to be found for each comparison, but its key is there */
	enum { FEW_FILES = 1 };
	enum rn_encoding enc = RN_ENCODING_INT;
	unsigned few;

	if (is_text(x) && !rn_expr_numbered(x) &&
	    (x->kind != RN_E_FIELD || !rn_gen_enc(gen, x->field, &enc))) {
		rn_gen_fail(gen, "a set of `%s` is not in the kernel", rn_expr_text(gen->arena, x));
		return;
	}
	few = enc == RN_ENCODING_FILE && rn_gen_set_fits(gen, expr) ? FEW_FILES : RN_KERNEL_IN;
	if (expr->narg - 1 > few && is_set_key(enc))
		in_set(gen, expr, enc, in);
	else if (!is_text(x))
		in_numbers(gen, expr, in);
	else
		for (unsigned i = 1; i < expr->narg; i++)
			rn_gen_str_eq(gen, x, expr->arg[i], true, in);
	if (!want) {
		rn_emit_ja(gen->emit, label);
		rn_emit_bind(gen->emit, in);
	}
}

/* a and b (is_and) or a or b: jumps to label if the outcome is want. */
static void logic(struct rn_gen *g, const struct rn_expr *e, bool want, int label)
{
	bool is_and = e->op == RN_OP_AND;

	/* both must agree: the first that differs decides against the jump */
	if (is_and == want) {
		int skip = rn_emit_label(g->emit);

		rn_gen_branch(g, e->arg[0], !want, skip);
		rn_gen_branch(g, e->arg[1], want, label);
		rn_emit_bind(g->emit, skip);
	} else {
		rn_gen_branch(g, e->arg[0], want, label);
		rn_gen_branch(g, e->arg[1], want, label);
	}
}

void rn_gen_branch(struct rn_gen *gen, const struct rn_expr *expr, bool want, int label)
{
	if (gen->rc)
		return;
	if (expr->kind == RN_E_OP)
		switch (expr->op) {
		case RN_OP_NOT: rn_gen_branch(gen, expr->arg[0], !want, label); return;
		case RN_OP_AND:
		case RN_OP_OR: logic(gen, expr, want, label); return;
		case RN_OP_EQ:
		case RN_OP_NE:
		case RN_OP_LT:
		case RN_OP_LE:
		case RN_OP_GT:
		case RN_OP_GE: compare(gen, expr, want, label); return;
		case RN_OP_GLOB:
		case RN_OP_NGLOB:
			rn_gen_glob(gen, expr->arg[0], expr->arg[1],
				    want == (expr->op == RN_OP_GLOB), label);
			return;
		case RN_OP_REGEX: rn_gen_fail(gen, "regex: not in the kernel"); return;
		default: break;
		}
	if (expr->kind == RN_E_IN) {
		in_list(gen, expr, want, label);
		return;
	}
	if (expr->kind == RN_E_CALL) {
		const struct function *f = function(expr->func->name);

		if (!f) {
			rn_gen_fail(gen, "%s() is not in the kernel", expr->func->name);
			return;
		}
		if (f->branch) {
			f->branch(gen, expr, want, label);
			return;
		}
	}
	rn_gen_eval(gen, expr);
	rn_emit_jmpi(gen->emit, want ? BPF_JNE : BPF_JEQ, BPF_REG_0, 0, label);
}

/* ---- what the name of an event decides ----
 *
 * A condition on the events of one class of a list may have fields that other events lack:
 * name = "execve" and file ~ "*ls". In the programs of those it is decided without them. */

static struct rn_expr *decided(struct rn_gen *gen, const struct rn_expr *of, bool yes)
{
	struct rn_expr *e = rn_expr_new(gen->arena, RN_E_CONST, of->ty, of->span);

	e->value = rn_bool(yes);
	return e;
}

static bool is_decided(const struct rn_expr *e, bool yes)
{
	return e->kind == RN_E_CONST && e->value.kind == RN_BOOL && !e->value.i == !yes;
}

static bool is_matched(const struct rn_gen *gen, const struct rn_value *pattern, bool glob,
		       const char *name)
{
	const char *text = rn_arena_strndup(gen->arena, pattern->s, pattern->len);

	return glob ? rn_glob_text(text, name, (unsigned)strlen(name)) : !strcmp(text, name);
}

static bool is_any(const struct rn_gen *gen, const struct rn_expr *e, bool glob, const char *name)
{
	for (unsigned i = 1; name && i < e->narg; i++)
		if (is_matched(gen, &e->arg[i]->value, glob, name))
			return true;
	return false;
}

/* How many of the program's names match what the first argument is compared with; *of: how many it
 * has. 0 of 0: they are not known. The name in a pair is that of the first event, which another
 * program saw; and a taker is handed events of other programs. */
static unsigned matched(const struct rn_gen *gen, const struct rn_expr *e, bool glob, unsigned *of)
{
	const struct rn_expr *name = e->arg[0];
	enum rn_encoding enc;
	unsigned n = 0;

	*of = 0;
	if (gen->pair || gen->hook == RN_HOOK_TAKER || name->kind != RN_E_FIELD ||
	    name->field->id != RN_F_NAME || !rn_gen_enc(gen, name->field, &enc))
		return 0;
	for (unsigned i = 1; i < e->narg; i++)
		if (e->arg[i]->kind != RN_E_CONST || e->arg[i]->value.kind != RN_STR)
			return 0;
	if (enc == RN_ENCODING_EVENT ||
	    (enc == RN_ENCODING_TRACEPOINT_INDEX && gen->tp_match >= 0)) {
		*of = 1;
		return is_any(gen, e, glob, rn_gen_const_text(gen, name->field, enc));
	}
	if (enc != RN_ENCODING_SYSCALL_NR || gen->all_nr)
		return 0;
	for (; *of < gen->nnr; ++*of)
		n += is_any(gen, e, glob, rn_sys_name(gen->nr[*of]));
	return n;
}

static struct rn_expr *narrow_logic(struct rn_gen *gen, struct rn_expr *e)
{
	struct rn_expr *left = rn_gen_narrow(gen, e->arg[0]),
		       *right = rn_gen_narrow(gen, e->arg[1]);
	bool ends = e->op == RN_OP_OR; /* one of this value decides */

	if (is_decided(left, ends) || is_decided(right, !ends))
		return left;
	if (is_decided(right, ends) || is_decided(left, !ends))
		return right;
	return left == e->arg[0] && right == e->arg[1]
		       ? e
		       : rn_expr_op(gen->arena, e->op, e->ty, left, right);
}

struct rn_expr *rn_gen_narrow(struct rn_gen *gen, struct rn_expr *expr)
{
	bool glob = expr->op == RN_OP_GLOB || expr->op == RN_OP_NGLOB,
	     other = expr->op == RN_OP_NE || expr->op == RN_OP_NGLOB;
	struct rn_expr *below;
	unsigned n, of;

	if (expr->kind == RN_E_IN) {
		n = expr->index ? 0 : matched(gen, expr, false, &of);
		return !expr->index && of && (!n || n == of) ? decided(gen, expr, n) : expr;
	}
	if (expr->kind != RN_E_OP)
		return expr;
	switch (expr->op) {
	case RN_OP_AND:
	case RN_OP_OR: return narrow_logic(gen, expr);
	case RN_OP_NOT:
		below = rn_gen_narrow(gen, expr->arg[0]);
		return below->kind == RN_E_CONST ? decided(gen, expr, !below->value.i) : expr;
	case RN_OP_EQ:
	case RN_OP_NE:
	case RN_OP_GLOB:
	case RN_OP_NGLOB:
		n = matched(gen, expr, glob, &of);
		return of && (!n || n == of) ? decided(gen, expr, (n != 0) != other) : expr;
	default: return expr;
	}
}
