/* fuzz_format.c - libFuzzer target of tracepoints' formats: the input is the text of a file
 * `format`. */
#include "probes/catalog/tracefs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	char *text = fuzz_text(data, n);
	struct rn_err err = {0};
	struct rn_tp tp = {0};
	int r = rn_tracefs_parse(a, text, &tp, &err);

	MUST(!r == !*err.text);
	for (unsigned i = 0; !r && i < tp.nfields; i++) {
		const struct rn_tp_field *f = &tp.field[i];

		MUST(f->field.name && f->field.doc && strlen(f->field.name) <= n &&
		     !strpbrk(f->field.name, " ;\n"));
		MUST((f->field.ty.type == RN_T_INT) == (f->kind == RN_TP_INT));
		MUST(f->kind != RN_TP_INT || f->size == 1 || f->size == 2 || f->size == 4 ||
		     f->size == 8);
		MUST((f->field.bits & ~RN_BITS_SIGNED) < 8 * sizeof(int64_t));
	}
	free(text);
	rn_arena_destroy(a);
	return 0;
}
