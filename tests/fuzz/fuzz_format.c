/* fuzz_format.c - libFuzzer target of tracepoints' formats: the input is the text of a file
 * `format`. */
#include "lang/catalog/numbering.h"
#include "probes/catalog/tracefs.h"
#include "tests/fuzz/fuzz.h"

static const struct rn_numbering *enumeration(struct rn_arena *arena, const char *name)
{
	static const struct rn_numbered of[] = {{3, "SOME"}, {-1, "OTHER"}};
	static const struct rn_numbering all = {of, 2};

	(void)arena;
	return *name == 's' ? &all : NULL;
}

/* A number's text tells the number. */
static void check_text(struct rn_arena *a, const struct rn_numbering *numbering, int64_t number)
{
	const char *text = rn_numbering_text(a, numbering, number);
	int64_t back = number;

	MUST(rn_numbering_knows(numbering, text, strlen(text)));
	MUST(!numbering->flags ||
	     (rn_numbering_bits(numbering, text, strlen(text), &back) && back == number));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	char *text = fuzz_text(data, n);
	struct rn_err err = {0};
	struct rn_tp tp = {.enumeration = enumeration};
	int r = rn_tracefs_parse(a, text, &tp, &err);

	MUST(!r == !*err.text);
	for (unsigned i = 0; !r && i < tp.nfields; i++) {
		const struct rn_tp_field *f = &tp.field[i];

		MUST(f->field.name && f->field.doc && strlen(f->field.name) <= n &&
		     !strpbrk(f->field.name, " ;\n"));
		MUST((f->field.ty.type == RN_T_INT) ==
		     (f->kind == RN_TP_INT && !f->field.numbering));
		for (unsigned k = 0; f->field.numbering && k < f->field.numbering->n; k++) {
			const struct rn_numbered *of = f->field.numbering->of;

			MUST(*of[k].name);
			MUST(f->field.numbering->flags || !k || of[k - 1].number < of[k].number);
			check_text(a, f->field.numbering, of[k].number);
			MUST(rn_numbering_knows(f->field.numbering, of[k].name,
						strlen(of[k].name)));
		}
		MUST(f->kind != RN_TP_INT || f->size == 1 || f->size == 2 || f->size == 4 ||
		     f->size == 8);
		MUST((f->field.bits & ~RN_BITS_SIGNED) < 8 * sizeof(int64_t));
	}
	free(text);
	rn_arena_destroy(a);
	return 0;
}
