/* live.c - one query of the live kernel: opens, runs and closes it.
 *
 * open: generates, creates maps, loads (all is verified, nothing attached). start: attaches. poll:
 * delivers rows. deliver_window: lets the other half of the maps fill from now on, and drains the
 * old one once no program still writes to it. So nothing is counted twice or lost. Events of this
 * process are left out: a tracer that sees its own reads would never come to an end. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "planner/plan/call_ends.h"
#include "probes/kernel/btf_subset.h"
#include "probes/kernel/trial.h"
#include "probes/live/live_impl.h"
#include "probes/live/live.h"
#include "probes/live/scope.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

struct rn_live_kernel {
	char node[256];
	struct rn_btf btf;
	struct rn_btf_subset types; /* made when first needed */
	/* the kernel's types: open while a query is being opened and needs more of them than are
	 * known */
	struct rn_btf_image image;
	bool have_btf, no_tls, have_image;
	bool no_handover; /* each program of a search for tags holds all of it: handover.c */
	unsigned refuses; /* RN_REFUSES_LOADS, ... */
	/* NULL: its queries attach their programs one by one */
	struct rn_chains *chains;
	struct rn_searches *searches;
	struct rn_live_functions functions;
	/* operations that are no calls: why the kernel refuses our program */
	char refused[RN_HOOK_MAX][300];
};
struct live_source {
	struct rn_source base;
	struct rn_searches *searches; /* that its search may join; NULL: none */
	struct rn_live live;
};

static const struct rn_source_ops live_ops;

/* The time of day by the clock that stamps the query's events. */
static int64_t time_of(const struct rn_fragment *f)
{
	return f->clock_ns ? rn_mono_ns() + f->clock_ns : rn_epoch_ns();
}

static int get_image(struct rn_live_kernel *p, struct rn_err *err)
{
	int r = p->have_image ? 0 : rn_btf_image_open(&p->image, err);
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf b;

	p->have_image = r == 0;
	if (r || p->image.n)
		return r;
	r = rn_btf_take(&b, &p->image, want, rn_hook_traces(want), err);
	if (!r && !p->have_btf) /* else it is known, without what was found to be of no use */
		p->btf = b;
	return r;
}

static int get_btf(struct rn_live_kernel *p, struct rn_err *err)
{
	int r = p->have_btf ? 0 : get_image(p, err);

	p->have_btf = r == 0;
	return r;
}

static int get_types(struct rn_live_kernel *p, struct rn_err *err)
{
	int r;

	if (p->types.image && rn_btf_subset_stale(&p->types))
		rn_btf_subset_free(&p->types);
	r = p->types.image ? 0 : get_image(p, err);
	if (!r && !p->types.image)
		rn_btf_subset_of(&p->types, &p->btf, &p->image);
	return r;
}

static void drop_image(struct rn_live_kernel *p)
{
	if (p->have_image)
		rn_btf_image_close(&p->image);
	p->have_image = false;
}

static int open_intrinsics(struct rn_live_kernel *kernel, struct rn_live *live, struct rn_err *err)
{
	struct rn_intrinsics_opts opts = {.types = &kernel->types,
					  .wanted = live->out.intrinsics,
					  .tags = live->fragment->tags,
					  .ntags = live->fragment->ntags,
					  .no_map_reads = live->out.no_map_reads,
					  .scan_cap_bytes = live->fragment->scan_cap_bytes,
					  .scan_rate_bytes = live->fragment->scan_rate_bytes,
					  .no_clean = live->fragment->no_clean_cache,
					  .withhold = &live->fragment->withhold,
					  .prints = live->out.shareable,
					  .patterns = live->out.patterns,
					  .npatterns = live->out.npatterns};
	int r = opts.wanted ? get_types(kernel, err) : 0;

	if (!opts.wanted || r)
		return r;
	live->ids = kernel->types.ids;
	if (rn_search_owner(live))
		opts.search = rn_search_owner(live)->intrinsics;
	r = rn_intrinsics_open(&opts, &live->intrinsics, err);
	if (r == -EPERM)
		return rn_live_denied(err, r, "cannot load a BPF program");
	if (r < 0)
		return r;
	live->dec.intrinsics = live->intrinsics;
	for (int i = RN_MAP_MADE; i < RN_MAP_COUNT; i++)
		if (live->out.map[i].used)
			live->maps.fd[i] = rn_intrinsics_map(live->intrinsics, rn_map_name(i));
	return 0;
}

static void open_stacks(struct rn_live *s, int32_t self)
{
	if (!s->out.uses_stacks)
		return;
	s->dec.stacks = rn_stacks_create();
	rn_stacks_maps(s->dec.stacks, &s->maps.fd[RN_MAP_STACKS0],
		       s->maps.spec[RN_MAP_STACKS0].value_bytes, s->maps.fd[RN_MAP_PROCS],
		       self != getpid());
}

/* Wait, and meanwhile look at new processes, some of which live only for a moment. */
static void wait_and_learn(struct rn_live *s, int timeout_ms)
{
	int64_t end = rn_mono_ns() + timeout_ms * 1000000LL;

	if (!s->maps.spec[RN_MAP_PROCS].used) {
		if (timeout_ms > 0)
			poll(NULL, 0, timeout_ms);
		return;
	}
	do {
		rn_stacks_learn(s->dec.stacks);
		if (timeout_ms > 0)
			poll(NULL, 0, RN_STACK_LEARN_MS);
	} while (rn_mono_ns() < end);
}

static bool covers_tls(const struct rn_fragment *f)
{
	return rn_class_covers(f->cls, RN_OP_TLS_READ) || rn_class_covers(f->cls, RN_OP_TLS_WRITE);
}

static int made(int r, struct rn_err *err)
{
	return r == -EPERM ? rn_live_denied(err, r, "cannot create a BPF map") : r;
}

/* A source that is being opened. */
struct opening {
	struct rn_live_kernel *kernel;
	struct rn_live *live;
	const struct rn_fragment *fragment;
	const struct rn_scope *who;
	struct rn_gen_opts opts;
	struct rn_err *err;
};

static struct rn_gen_opts options_of(const struct rn_live_kernel *kernel,
				     const struct rn_fragment *fragment, const struct rn_scope *who)
{
	struct rn_gen_opts opts = {.btf = &kernel->btf,
				   .node = kernel->node,
				   .scoped = who->npids || who->tree,
				   .follow = who->npids ? who->follow : who->tree,
				   .netns_ino = who->netns_ino,
				   .cgroup = who->cgroup_id,
				   .askers = who->askers,
				   .naskers = who->naskers,
				   .self_pid = rn_live_self(),
				   .clock_ns = rn_clock_behind_ns(CLOCK_MONOTONIC),
				   .boot_ns = rn_clock_behind_ns(CLOCK_BOOTTIME),
				   .ncpus = rn_live_cpus(),
				   .nfsd = rn_live_has_nfsd()};

	if (fragment->clock_ns) { /* the coordinator's clock, as this node knows it */
		opts.boot_ns += fragment->clock_ns - opts.clock_ns;
		opts.clock_ns = fragment->clock_ns;
	}
	return opts;
}

static void begin_source(struct opening *x, const struct rn_scope *scope)
{
	struct rn_live *s = x->live;
	const struct rn_fragment *f = x->fragment;
	const struct rn_class *first;

	s->scope = scope;
	s->arena = rn_arena_create(64 << 20);
	if (f->derived) {
		struct rn_fragment *fine = RN_NEW(s->arena, struct rn_fragment);

		*fine = rn_fragment_fine(s->arena, f);
		x->fragment = f = fine;
	}
	s->fragment = f;
	rn_judge_init(s);
	s->batch = rn_arena_create(256 << 20);
	rn_decoder_init(&s->dec);
	s->dec.cls = f->cls;
	s->dec.node = x->kernel->node;
	first = f->cls->pair ? f->cls->pair->end[0] : f->cls;
	s->dec.event = first->id == RN_CLS_TRACEPOINT ? first->arg : first->name;
	s->dec.tags = f->tags;
	s->dec.ntags = f->ntags;
	s->dec.clock_ns = x->opts.clock_ns;
	s->ncpus = x->opts.ncpus;
	s->nfsd = x->opts.nfsd;
}

static int check_askers(struct opening *x)
{
	if (x->who->naskers <= RN_ASKERS_MAX)
		return 0;
	return rn_err_set(x->err, -E2BIG,
			  "more than %d processes that ask and answer on one machine",
			  RN_ASKERS_MAX);
}

static int open_functions(struct opening *x)
{
	const struct rn_named *named = x->live->named;
	int r = rn_live_find_functions(x->live, x->err);

	if (!r && rn_live_may_trace(x->live) && !(x->kernel->refuses & RN_REFUSES_TRACED) &&
	    rn_live_functions_try(&x->kernel->functions, &x->kernel->btf)) {
		r = get_image(x->kernel, x->err);
		if (!r)
			rn_live_find_traced(x->live, &x->kernel->image);
	}
	x->opts.traced = named[0].traced;
	x->opts.ntraced = named[0].ntraced;
	x->live->taken = x->kernel->functions.taken;
	x->opts.places_from = named[0].user.operands ? named[0].user.n : 0;
	x->opts.places = x->opts.places_from + (named[1].user.operands ? named[1].user.n : 0);
	x->opts.session = named[0].kprobe == RN_KPROBE_SESSION;
	return r;
}

/* TLS libraries were looked for, if the class covers their events. Their absence matters only to a
 * query that asks for nothing else. */
static int open_libraries(struct opening *x)
{
	const struct rn_fragment *fragment = x->fragment;
	struct rn_live *live = x->live;
	bool all = true;

	if (!covers_tls(fragment))
		return 0;
	x->opts.tls = live->tls.n > 0;
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++)
		all &= nr == RN_OP_TLS_READ || nr == RN_OP_TLS_WRITE ||
		       !rn_class_covers(fragment->cls, nr);
	live->tls_alone = all;
	if (x->opts.tls || !all)
		return 0;
	rn_err_set(x->err, -ENOENT,
		   "no TLS library was found on this machine: nothing that any process has mapped, "
		   "or that lies in the usual "
		   "places, is a libssl with the functions SSL_read and SSL_write");
	rn_err_hint(x->err,
		    "if a program brings its own libssl, start it before the query; libraries "
		    "inside of programs (static) cannot be seen");
	return -ENOENT;
}

/* Can a program on a raw tracepoint read the registers of a call, and any program members? */
static void find_types(struct opening *x)
{
	bool tags = x->fragment->cls->id == RN_CLS_TAG, members = rn_gen_has_members(x->fragment);
	struct rn_btf_ids *ids = &x->live->ids;

	rn_btf_ids_of(ids, &x->kernel->btf);
	x->live->members = members;
	if (!ids->cast || !rn_intrinsics_jit() ||
	    !((tags && !x->kernel->no_handover) ||
	      (members && !(x->kernel->refuses & RN_REFUSES_LOADS))))
		return;
	x->opts.regs_type = ids->regs;
	x->opts.task_type = tags ? ids->task : 0;
	x->live->loads = members && ids->regs;
}

/* A query of system calls shares what is attached with others of this process. */
static int take_place(struct opening *x)
{
	struct rn_chain_place *place = &x->live->place;

	x->opts.chained = x->kernel->chains && !x->opts.functions &&
			  rn_class_is_syscall(x->fragment->cls) &&
			  x->fragment->cls->id != RN_CLS_TAG && rn_intrinsics_jit() &&
			  rn_chain_take(x->kernel->chains, &x->kernel->btf, place);
	x->opts.place = place->nr;
	return 0;
}

/* Does a query of this process search for the same tags already? Then this one shares it. */
static int join_search(struct opening *x)
{
	struct rn_searches *all = x->kernel->searches;

	if (!all || !x->opts.regs_type || x->fragment->cls->id != RN_CLS_TAG)
		return 0;
	x->opts.joins = rn_search_join(all, &x->opts, x->live);
	x->opts.shares = !x->opts.joins;
	x->opts.place = x->live->search_place;
	return 0;
}

/* May programs be on the functions of the calls alone? */
static int find_functions(struct opening *x)
{
	struct rn_live_functions *known = &x->kernel->functions;
	uint16_t nr[RN_FUNCTIONS_MAX];
	const char *why;
	int r;

	known->taken[0] = 0;
	if (!rn_class_is_syscall(x->fragment->cls) || x->fragment->cls->id == RN_CLS_TAG)
		return 0;
	x->live->known = known;
	if (!rn_gen_function_calls(x->fragment, nr, &why) ||
	    !rn_live_functions_try(known, &x->kernel->btf))
		return 0;
	r = known->found ? 0 : get_image(x->kernel, x->err);
	if (r)
		return r;
	if (!known->found)
		rn_call_functions_find(&known->list, &x->kernel->image, rn_sys_nr);
	known->found = true;
	x->opts.functions = &known->list;
	return 0;
}

static int generate(struct opening *x)
{
	return rn_gen_fragment(x->live->arena, x->fragment, &x->opts, &x->live->out, x->err);
}

static int make_maps(struct opening *x)
{
	struct rn_maps *m = &x->live->maps;

	memcpy(m->spec, x->live->out.map, sizeof(m->spec));
	if (x->live->place.chains)
		rn_chain_lend(&x->live->place, m);
	if (rn_search_owner(x->live))
		rn_search_lend(x->live, m);
	rn_members_lend(x->live);
	return made(rn_maps_create(m, x->err), x->err);
}

static int begin_stacks(struct opening *x)
{
	open_stacks(x->live, x->opts.self_pid);
	return 0;
}

static int find_intrinsics(struct opening *x)
{
	return open_intrinsics(x->kernel, x->live, x->err);
}

static int write_tables(struct opening *x)
{
	static const uint32_t first;
	struct rn_live *s = x->live;

	if (s->out.map[RN_MAP_CALLS].used &&
	    bpf_map_update_elem(s->maps.fd[RN_MAP_CALLS], &first, s->out.calls, BPF_ANY))
		return rn_err_set(x->err, -errno, "cannot fill the map of calls: %s",
				  strerror(errno));
	if (s->out.map[RN_MAP_PLACES].used && rn_live_write_places(s, x->err))
		return x->err->code;
	return rn_names_write(s, x->err);
}

static int write_sets(struct opening *x)
{
	int r = 0;

	for (unsigned i = 0; i < x->live->out.nsets && !r; i++)
		r = rn_set_write(x->live, i, x->err);
	return r;
}

static int write_scope(struct opening *x)
{
	struct rn_live *s = x->live;
	int r = s->maps.scope ? rn_live_check_ids(x->err, "no query can be about some of them",
						  "ask by name: where proc = java")
			      : 0;

	r = r || !s->maps.scope ? r : rn_scope_fill(s->maps.scope, x->who, x->err);
	if (r || !s->out.map[RN_MAP_CGROUP].used)
		return r;
	return rn_scope_cgroup(s->maps.fd[RN_MAP_CGROUP], x->who, x->err);
}

static int finish_maps(struct opening *x)
{
	return made(rn_maps_ready(&x->live->maps, x->err), x->err);
}

static int load_programs(struct opening *x)
{
	struct rn_live *s = x->live;
	int r;

	s->kernel = x->kernel->have_image ? &x->kernel->image : NULL;
	r = rn_live_load(s, &x->kernel->btf, x->err);
	s->kernel = NULL;
	return r;
}

static int prepare_stacks(struct opening *x)
{
	if (x->live->out.uses_kstack)
		rn_stacks_prepare(x->live->dec.stacks);
	return 0;
}

static int open_ring(struct opening *x)
{
	struct rn_live *s = x->live;

	if (!s->out.map[RN_MAP_RING].used)
		return 0;
	return rn_ring_open(&s->ring, s->maps.fd[RN_MAP_RING], s->out.map[RN_MAP_RING].entries,
			    x->err);
}

static int open_live(struct rn_live_kernel *kernel, struct rn_live *live,
		     const struct rn_fragment *fragment, const struct rn_scope *scope,
		     struct rn_err *err)
{
	static int (*const steps[])(struct opening * x) = {
		check_askers,    open_functions, open_libraries, take_place,
		join_search,     generate,       make_maps,      begin_stacks,
		find_intrinsics, write_tables,   write_sets,     write_scope,
		finish_maps,     load_programs,  prepare_stacks, open_ring,
	};
	static const struct rn_scope all;
	struct opening x = {.kernel = kernel,
			    .live = live,
			    .fragment = fragment,
			    .who = scope ? scope : &all,
			    .err = err};
	pthread_t thread;
	bool looking = false;
	int r;

	/* rows will come */
	if (!fragment->adds && (!fragment->grouped || fragment->agg_place != RN_AT_KERNEL ||
				rn_fragment_spills(fragment)))
		rn_maps_begin_ring(&live->maps);
	if (covers_tls(fragment) && !kernel->no_tls)
		looking = rn_tls_begin(&live->tls, &thread);
	r = rn_members_open(kernel, live, fragment, scope, err);
	r = r ? r : get_btf(kernel, err);
	x.opts = options_of(kernel, fragment, x.who);
	find_types(&x);
	r = r ? r : find_functions(&x);
	if (looking)
		pthread_join(thread, NULL);
	begin_source(&x, scope);
	for (unsigned i = 0; !r && i < sizeof(steps) / sizeof(*steps); i++)
		r = steps[i](&x);
	return r;
}

void rn_live_free(struct rn_live *live)
{
	struct live_source *src =
		(struct live_source *)((char *)live - offsetof(struct live_source, live));

	rn_members_close(live);
	rn_search_give(live);
	rn_chain_give(&live->place);
	rn_judge_free(live);
	free(live->probe_fd);
	rn_tls_free(&live->tls);
	rn_live_free_named(live);
	for (unsigned i = 0; i < live->out.nprogs; i++)
		if (live->prog_fd[i] >= 0)
			close(live->prog_fd[i]);
	rn_ring_close(&live->ring);
	rn_maps_close(&live->maps);
	if (live->intrinsics)
		rn_intrinsics_close(live->intrinsics);
	rn_decoder_free(&live->dec);
	rn_arena_destroy(live->batch);
	rn_arena_destroy(live->arena);
	free(src);
}

static void close_source(struct rn_source *source)
{
	struct rn_live *live = &((struct live_source *)source)->live;

	rn_live_detach(live, true);
	if (!rn_search_keeps(live))
		rn_live_free(live);
}

struct rn_live *rn_live_of(struct rn_source *source)
{
	return &((struct live_source *)source)->live;
}

static struct live_source *new_source(void)
{
	struct live_source *src = rn_calloc(1, sizeof(*src));

	src->base.ops = &live_ops;
	for (unsigned i = 0; i < RN_MAP_COUNT; i++)
		src->live.maps.fd[i] = -1;
	for (unsigned i = 0; i < RN_PROGS_MAX; i++)
		src->live.prog_fd[i] = src->live.link_fd[i] = -1;
	return src;
}

/* If the kernel refuses the program that hooks hand events to, each hook gets all of it. If it
 * refuses to load members of its structs, a helper reads them. If the kernel has a tracepoint of
 * operations that are no calls but refuses our program for it, it counts as a kernel without the
 * tracepoint. The query runs as far as it can, and what it misses is counted. */
static int open_as_far_as_it_goes(struct rn_live_kernel *kernel, struct live_source **src,
				  const struct rn_fragment *fragment, const struct rn_scope *scope,
				  struct rn_err *err)
{
	int r;

	while ((r = open_live(kernel, &(*src)->live, fragment, scope, err)) < 0) {
		unsigned hook = (*src)->live.no_hook;
		bool tls = hook && rn_hook_in_library(rn_hook_row(hook));
		bool handover = (*src)->live.no_handover && !kernel->no_handover;
		unsigned refuses = (*src)->live.refuses & ~kernel->refuses;
		bool joined = rn_search_owner(&(*src)->live) != NULL;

		if (r == -EMFILE || r == -ENFILE) { /* this says nothing about the kernel */
			hook = 0;
			refuses = handover = joined = false;
		}
		close_source(&(*src)->base);
		if (handover || refuses || joined) {
			kernel->no_handover |= handover && !joined;
			kernel->refuses |= refuses;
			if (joined)
				kernel->searches = NULL; /* then it searches by itself */
			*src = new_source();
			if (err)
				*err = (struct rn_err){0};
			continue;
		}
		*src = hook && (tls ? !kernel->no_tls && fragment->cls->id != RN_CLS_TLS
				    : kernel->btf.trace[hook] != 0)
			       ? new_source()
			       : NULL;
		if (!*src)
			return r;
		kernel->no_tls |= tls;
		kernel->btf.trace[hook] = 0;
		if (err)
			snprintf(kernel->refused[hook], sizeof(kernel->refused[hook]),
				 "%.120s: %.170s", err->text, err->hint);
		if (err)
			*err = (struct rn_err){0};
	}
	return r;
}

int rn_live_open(struct rn_live_kernel *kernel, const struct rn_fragment *fragment,
		 const struct rn_scope *scope, struct rn_source **out, struct rn_err *err)
{
	struct live_source *src = new_source();
	int r;

	r = open_as_far_as_it_goes(kernel, &src, fragment, scope, err);
	drop_image(kernel);
	if (!r)
		src->searches = kernel->searches;
	if (!r)
		*out = &src->base;
	return r;
}

static void gate(struct rn_source *source, int64_t from_ns)
{
	struct live_source *src = (struct live_source *)source;
	struct rn_live *s = &src->live;
	uint64_t first = from_ns == INT64_MAX ? UINT64_MAX : (uint64_t)(from_ns - s->dec.clock_ns);

	if (s->maps.globals)
		__atomic_store_n(&s->maps.globals->first, first, __ATOMIC_SEQ_CST);
}

static int start(struct rn_source *source, struct rn_err *err)
{
	struct live_source *src = (struct live_source *)source;
	struct rn_live *s = &src->live;
	int r;

	if (s->fragment->held)
		gate(source, INT64_MAX);
	rn_live_hold_calls(s, true);
	r = rn_members_start(s, err);
	r = r ? r : rn_live_attach(s, err);
	if (!r)
		rn_live_hold_calls(s, false);
	if (!r)
		rn_live_look(s); /* what begins later is seen by the attached programs */
	if (!r)
		rn_search_look(s);
	if (!r && s->out.shareable)
		rn_search_offer(src->searches, s);
	s->started = r == 0;
	s->begin_ns = time_of(s->fragment);
	return r;
}

static int poll_source(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		       struct rn_err *err)
{
	struct live_source *src = (struct live_source *)source;

	rn_live_attach_late(&src->live);
	if (src->live.out.map[RN_MAP_RING].used)
		return rn_live_rows(&src->live, sink, timeout_ms, err);
	if (!src->live.stopped)
		wait_and_learn(&src->live, timeout_ms);
	return 0;
}

static int deliver_window(struct rn_source *source, const struct rn_sink *sink, int64_t window_ns,
			  bool snapshot, struct rn_err *err)
{
	struct live_source *src = (struct live_source *)source;
	struct rn_live *s = &src->live;
	unsigned half = (unsigned)s->epoch & 1;

	if (s->out.map[RN_MAP_RING].used && !rn_fragment_spills(s->fragment))
		return 0;
	if (!snapshot && s->fragment->every_ns && !s->stopped) {
		s->epoch ^= 1;
		__atomic_store_n(&s->maps.globals->epoch, s->epoch, __ATOMIC_SEQ_CST);
		rn_live_settle();
	}
	return rn_live_groups(s, sink, half, window_ns, snapshot, err);
}

static int stop(struct rn_source *source, struct rn_err *err)
{
	struct rn_live *s = rn_live_of(source);

	rn_live_look(s);
	rn_search_look(s);
	/* until now all was seen; some of what follows is, until all is detached */
	s->end_ns = time_of(s->fragment);
	rn_live_detach(s, false); /* the answer need not wait for all of it */
	rn_live_settle();
	rn_members_stop(s, err);
	rn_live_count_late(s);
	s->stopped = true;
	return 0;
}

static void ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct live_source *src = (struct live_source *)source;
	const struct rn_live *s = &src->live;

	rn_live_ledger(s, l);
	rn_members_ledger(s, l);
	l->begin_ns = s->begin_ns;
	l->end_ns = s->end_ns ? s->end_ns : time_of(s->fragment);
	l->answered = true;
}

const char *rn_live_hooks(struct rn_live_kernel *kernel, const struct rn_fragment *fragment,
			  struct rn_arena *arena)
{
	static const struct rn_scope all;
	struct rn_fragment fine;
	struct rn_live live = {.arena = arena, .fragment = &fine};
	struct rn_err err = {0};
	struct opening x = {
		.kernel = kernel, .live = &live, .fragment = &fine, .who = &all, .err = &err};
	const char *text = NULL;
	int r;

	if (!fragment)
		return kernel->functions.taken[0] ? kernel->functions.taken : NULL;
	fine = rn_fragment_fine(arena, fragment);
	if (rn_trial_close(rn_trial_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0)) ||
	    get_btf(kernel, &err))
		return NULL;
	x.opts = options_of(kernel, fragment, &all);
	find_types(&x);
	if (rn_live_named(&fine)) {
		if (!open_functions(&x))
			text = rn_live_named_text(&live, arena);
		drop_image(kernel);
		rn_live_free_named(&live);
		return text;
	}
	r = find_functions(&x);
	drop_image(kernel);
	if (r || !live.known || generate(&x))
		return NULL;
	live.functions = rn_live_has_functions(&live);
	text = rn_live_hooks_text(&live, arena);
	return live.functions ? rn_arena_printf(arena,
						"%s. If a task sleeps in such a call when the "
						"query begins, it has the tracepoints",
						text)
			      : text;
}

static void cost(struct rn_source *source, struct rn_cost *c)
{
	struct live_source *src = (struct live_source *)source;

	rn_live_cost(&src->live, c);
}

static void add_members(struct rn_source *source, unsigned set, const int64_t *pids, unsigned n)
{
	rn_members_add(&((struct live_source *)source)->live, set, pids, n);
}

static const struct rn_source_ops live_ops = {
	.add_members = add_members,
	.start = start,
	.poll = poll_source,
	.deliver_window = deliver_window,
	.stop = stop,
	.ledger = ledger,
	.close = close_source,
	.cost = cost,
	.gate = gate,
};

const char *rn_live_refused(const struct rn_live_kernel *kernel, unsigned hook)
{
	return kernel->refused[hook][0] ? kernel->refused[hook] : NULL;
}

struct rn_live_kernel *rn_live_create(const char *node, struct rn_shared *shared)
{
	struct rn_live_kernel *k = rn_calloc(1, sizeof(*k));

	k->chains = shared ? shared->chains : NULL;
	k->searches = shared ? shared->searches : NULL;
	snprintf(k->node, sizeof(k->node), "%s", node ? node : "");
	return k;
}

void rn_live_destroy(struct rn_live_kernel *kernel)
{
	if (kernel)
		rn_btf_subset_free(&kernel->types);
	free(kernel);
}
