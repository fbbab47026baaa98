/* fuzz_hosts.c - libFuzzer target of the hosts file, and of `on NODES` over it. The first line of
 * the input is the words of `on`, the rest is the file: what is read has names that a node may
 * bear, each once; what is not has an error. */
#include "exec/hosts/hosts.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 16 };

static void choose(struct rn_arena *a, const struct rn_hosts *h, const char *const *on)
{
	const char *const *below, *unknown = rn_hosts_unknown(h, on);
	bool asked;

	for (unsigned i = 0; i < h->n; i++) {
		const struct rn_host_entry *e = &h->entries[i];
		bool chosen = rn_host_chosen(e->name, e->group, e->local, on);

		below = rn_hosts_below(e->name, e->group, on, &asked);
		MUST(asked || !rn_host_chosen(e->name, e->group, false, on));
		MUST(!chosen || e->local || asked);
		for (; below && *below; below++)
			MUST(strlen(*below) < 4096);
	}
	if (unknown)
		rn_hosts_nearest(a, h, unknown);
}

static void check(const struct rn_hosts *h)
{
	MUST(h->n);
	for (unsigned i = 0; i < h->n; i++) {
		const struct rn_host_entry *e = &h->entries[i];

		MUST(e->command && strlen(e->command) < 65536 && e->line);
		MUST(!strcmp(e->name, "*") ? e->kind == RN_HOST_NATS : rn_host_is_name(e->name));
		MUST(!e->group || *e->group);
		for (unsigned k = 0; k < i && strcmp(e->name, "*"); k++)
			MUST(strcmp(e->name, h->entries[k].name));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *words = fuzz_line(&data, &n), *save = NULL;
	const char *on[WORDS + 1] = {0};
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_err err = {0};
	struct rn_hosts *h =
		rn_hosts_load(a, fuzz_file(0, data, n), "/usr/bin/run'nel", "runnel", &err);

	MUST(h || (err.code < 0 && *err.text));
	on[0] = strtok_r(words, " ", &save);
	for (unsigned i = 1; i < WORDS && on[i - 1]; i++)
		on[i] = strtok_r(NULL, " ", &save);
	if (h) {
		check(h);
		choose(a, h, on);
		choose(a, h, NULL);
	}
	rn_arena_destroy(a);
	free(words);
	return 0;
}
