/* sets.c - sets that programs look values up in, and the table of names of system calls.
 *
 * A long list after `in` is a map of its values. A live set, `pid in live (pid of exec where ...)`,
 * is a second query of this process, of exec, whose programs set bits in a map of processes. The
 * programs of the first query test them. The second starts before the first does, and stops after
 * it. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/live/live_impl.h"
#include "probes/live/scope.h"

/* The constant as programs look it up; false: it equals no value of the field. */
static bool set_value(const struct rn_live *live, enum rn_encoding enc, const struct rn_value *v,
		      uint64_t value[2])
{
	struct rn_file_key key;

	if (enc == RN_ENCODING_FILE && v->kind == RN_STR) {
		rn_intrinsics_key(live->intrinsics, v->s, v->len, &key);
		memcpy(value, &key, sizeof(key));
	} else if ((enc == RN_ENCODING_COMM || enc == RN_ENCODING_TEXT) && v->kind == RN_STR &&
		   v->len <= RN_COMM_BYTES) {
		memcpy(value, v->s, v->len);
	} else if (enc == RN_ENCODING_INT && (v->kind == RN_INT || v->kind == RN_BOOL)) {
		value[0] = (uint64_t)v->i;
	} else {
		return false;
	}
	return true;
}

int rn_set_write(struct rn_live *live, unsigned set, struct rn_err *err)
{
	const struct rn_expr *in = live->out.sets[set];
	LIBBPF_OPTS(bpf_map_batch_opts, o);
	struct rn_set_key *key = rn_calloc(in->narg, sizeof(*key));
	uint64_t *one = rn_calloc(in->narg, sizeof(*one));
	uint32_t n = 0;
	int r = 0;

	for (unsigned i = 1; i < in->narg; i++) {
		if (!set_value(live, live->out.set_enc[set], &in->arg[i]->value, key[n].value))
			continue;
		one[n] = 1;
		key[n++].set = set;
	}
	if (n && bpf_map_update_batch(live->maps.fd[RN_MAP_SETS], key, one, &n, &o))
		r = rn_err_set(err, -errno, "cannot fill the map of values after `in`: %s",
			       strerror(errno));
	free(key);
	free(one);
	return r;
}

int rn_names_write(struct rn_live *live, struct rn_err *err)
{
	for (uint32_t i = 0; live->out.map[RN_MAP_NAMES].used && i <= RN_SYS_MAX; i++) {
		const char *name = i < RN_SYS_MAX ? rn_sys_name(i) : "rt_sigreturn";
		struct rn_value v = rn_strn(name ? name : "", name ? strlen(name) : 0);
		uint64_t h = rn_hash_value(&v);

		if (bpf_map_update_elem(live->maps.fd[RN_MAP_NAMES], &i, &h, BPF_ANY))
			return rn_err_set(err, -errno, "cannot fill the map of names: %s",
					  strerror(errno));
	}
	return 0;
}

/* ---- live sets ---- */

int rn_members_open(struct rn_live_kernel *kernel, struct rn_live *live,
		    const struct rn_fragment *fragment, const struct rn_scope *scope,
		    struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < fragment->nlive && !r; i++)
		r = fragment->live[i]->begin
			    ? rn_live_check_ids(
				      err, "no live set can begin with them",
				      "`pid in live (pid of exec ...)` takes those that begin "
				      "later")
			    : 0;
	for (unsigned i = 0; i < fragment->nlive && !r; i++) {
		r = rn_live_open(kernel, fragment->live[i]->exec, scope, &live->set[i], err);
		live->nsets += !r;
	}
	return r;
}

void rn_members_lend(struct rn_live *live)
{
	for (unsigned i = 0; i < live->nsets; i++) {
		live->maps.lent |= 1ULL << (RN_MAP_LIVE0 + i);
		live->maps.fd[RN_MAP_LIVE0 + i] = rn_live_of(live->set[i])->maps.fd[RN_MAP_MEMBERS];
	}
}

int rn_members_start(struct rn_live *live, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < live->nsets && !r; i++)
		r = live->set[i]->ops->start(live->set[i], err);
	return r;
}

void rn_members_add(struct rn_live *live, unsigned set, const int64_t *pids, unsigned n)
{
	struct rn_live *of = set < live->nsets ? rn_live_of(live->set[set]) : NULL;

	if (of && of->maps.members)
		rn_scope_mark(of->maps.members, pids, n);
}

void rn_members_stop(struct rn_live *live, struct rn_err *err)
{
	for (unsigned i = 0; i < live->nsets; i++)
		live->set[i]->ops->stop(live->set[i], err);
}

void rn_members_ledger(const struct rn_live *live, struct rn_ledger *ledger)
{
	for (unsigned i = 0; i < live->nsets; i++) {
		struct rn_ledger one = {0};

		rn_live_ledger(rn_live_of(live->set[i]), &one);
		ledger->n[RN_L_LOST_SCRATCH] += one.n[RN_L_LOST_SCRATCH];
		ledger->n[RN_L_SKIPPED] += one.n[RN_L_SKIPPED];
	}
}

void rn_members_close(struct rn_live *live)
{
	for (unsigned i = 0; i < live->nsets; i++)
		live->set[i]->ops->close(live->set[i]);
	live->nsets = 0;
}
