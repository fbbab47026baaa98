/* main_gen_trace.c - gen_trace FILE EVENTS SEED: writes a generated recording (gen_trace.h). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/gen_trace.h"

int main(int argc, char **argv)
{
	struct rn_err err = {0};

	if (argc != 4) {
		fprintf(stderr, "usage: gen_trace FILE EVENTS SEED\n");
		return 2;
	}
	if (rn_gen_trace(argv[1], (unsigned)atol(argv[2]), (uint64_t)atol(argv[3]), &err) < 0) {
		fprintf(stderr, "gen_trace: %s\n", err.text);
		return 1;
	}
	return 0;
}
