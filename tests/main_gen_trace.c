/* main_gen_trace.c - `gen_trace PATH [EVENTS [SEED]]`: writes a generated recording. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/gen_trace.h"

int main(int argc, char **argv)
{
	unsigned events = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 60000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct rn_err err = {0};

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: gen_trace PATH [EVENTS [SEED]]\n");
		return 2;
	}
	if (rn_gen_trace(argv[1], events, seed, &err)) {
		fprintf(stderr, "gen_trace: %s\n", err.text);
		return 1;
	}
	return 0;
}
