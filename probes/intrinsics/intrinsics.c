/* intrinsics.c - see splice.h: opens the object with the intrinsics that a query wants, fills its
 * tables, and reads its counters. */
#include <asm/unistd.h>
#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/files/spare.h"
#include "planner/plan/plan.h"
#include "probes/catalog/catalog.h"
#include "probes/intrinsics/glob_nfa.h"
#include "probes/kernel/maps.h"
#include "probes/abi/scan_tables.h"
#include "probes/intrinsics/splice_impl.h"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define rn_intrinsics rn_skel /* our own struct has that name */
#include "probes/intrinsics/intrinsics.skel.h"
#include "lang/values/glob.h"
#undef rn_intrinsics
#pragma GCC diagnostic pop

enum { LOG_STATS = 4, CALIBRATE_GIB = 4096 };
static const char *const names[RN_I_COUNT] = {"rn_file",
					      "rn_exe",
					      "rn_name",
					      "rn_match",
					      "rn_glob",
					      "rn_sock",
					      "rn_scan",
					      "rn_found",
					      "rn_tags",
					      "rn_hits",
					      "rn_around",
					      "rn_hash",
					      "rn_sketch",
					      "rn_data",
					      "rn_pipe_early",
					      "rn_pipe_take",
					      "rn_tls_enter",
					      "rn_tls_return",
					      "rn_op_uring_submit",
					      "rn_op_uring_done",
					      "rn_offset",
					      "rn_bytes",
					      "rn_aio_fd",
					      "rn_path_hash",
					      "rn_op_map",
					      "rn_op_fault",
					      "rn_op_lock",
					      "rn_end",
					      "rn_unsearched",
					      "rn_rings",
					      "rn_op_clone",
					      "rn_resolve",
					      "rn_used",
					      "rn_copying",
					      "rn_glob_args"};
_Static_assert(RN_I_COUNT <= 64, "sets of them have 64 bits");
#define NEEDS_TRAITS (1ull << RN_I_BYTES | 1ull << RN_I_AIO_FD)
#define NEEDS_TAGS (1ull << RN_I_SCAN | 1ull << RN_I_PIPE_EARLY)
#define NEEDS_CALLS (1ull << RN_I_TLS_ENTER | 1ull << RN_I_TLS_RETURN)
#define NEEDS_PAYLOAD \
	(NEEDS_TAGS | 1ull << RN_I_HASH | 1ull << RN_I_SKETCH | 1ull << RN_I_DATA | \
	 1ull << RN_I_OFFSET | 1ull << RN_I_END)
#define NEEDS_PATTERNS (1ull << RN_I_MATCH | 1ull << RN_I_GLOB | 1ull << RN_I_GLOB_ARGS)
#define NEEDS_PATHS \
	(1ull << RN_I_FILE | 1ull << RN_I_EXE | 1ull << RN_I_RESOLVE | 1ull << RN_I_NAME | \
	 1ull << RN_I_MATCH | 1ull << RN_I_PATH_HASH)

const char *rn_intrinsic_name(enum rn_intrinsic i)
{
	return (unsigned)i < RN_I_COUNT ? names[i] : "?";
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

static struct bpf_program *donor(const struct rn_skel *s, const char *intrinsic)
{
	char name[40];

	snprintf(name, sizeof(name), "donor_%s", intrinsic);
	return bpf_object__find_program_by_name(s->obj, name);
}

static uint8_t trait_arg(int8_t arg)
{
	return arg < 0 ? RN_TRAIT_NONE : (uint8_t)arg;
}

static void fill_traits(struct rn_bpf_trait *to)
{
	for (unsigned i = 0; i < RN_SYS_MAX; i++) {
		const struct rn_sys_trait *t = rn_sys_trait(i);

		to[i] = (struct rn_bpf_trait){.payload = t->payload,
					      .dir = t->dir,
					      .path = t->path,
					      .fd = trait_arg(t->fd_arg),
					      .src = trait_arg(t->src_arg),
					      .srcpos = trait_arg(t->srcpos_arg),
					      .topos = trait_arg((int8_t)(t->topos - 1)),
					      .buf = trait_arg(t->buf_arg),
					      .len = trait_arg(t->len_arg),
					      .off = trait_arg(t->off_arg),
					      .flags = trait_arg(t->flags_arg)};
	}
}

/* Set the secret seed of the hashes of names. */
static int set_seed(struct rn_skel *s, struct rn_err *err)
{
	uint64_t seed[4];

	static_assert(sizeof(seed) == sizeof(s->rodata->rn_seed), "seed");

	if (getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return rn_err_set(err, -errno, "the kernel gives no random numbers: %s",
				  strerror(errno));
	seed[2] |= 1;
	seed[3] |= 1;
	memcpy((void *)s->rodata->rn_seed, seed, sizeof(seed));
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The clocks as they are now, for probes/bpf/clean.bpf.h, read within a millisecond. */
static void set_clocks(struct rn_skel *s)
{
	enum { MS = 1000000, TRIES = 100 };

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);

		s->rodata->rn_coarse = clock_ns(CLOCK_REALTIME_COARSE);
		s->rodata->rn_real = clock_ns(CLOCK_REALTIME) - begin;
		s->rodata->rn_tai = clock_ns(CLOCK_TAI) - begin;
		if (clock_ns(CLOCK_MONOTONIC) - begin < MS)
			return;
	}
	s->rodata->rn_keep_clean = 0;
}

static int set_tables(struct rn_skel *s, const struct rn_intrinsics_opts *opts, struct rn_err *err)
{
	unsigned npat = opts->npatterns ? opts->npatterns : 1;

	s->rodata->rn_withhold = opts->withhold && opts->withhold->payload;
	s->rodata->rn_hash_least = opts->withhold ? opts->withhold->hash_least : 0;
	if (s->rodata->rn_withhold)
		memcpy(s->bss->rn_hash_key, opts->withhold->hash_key, sizeof(s->bss->rn_hash_key));
	s->rodata->rn_many = opts->ntags > 64;
	s->rodata->rn_prints =
		(opts->prints || opts->wanted >> RN_I_AROUND & 1) && !s->rodata->rn_withhold;
	if (opts->wanted & NEEDS_TAGS) {
		int stride = rn_scan_tables_fill(&s->bss->rn_tab, opts->tags, opts->ntags, err);

		if (stride < 0)
			return stride;
		s->rodata->rn_stride = (uint32_t)stride;
		s->rodata->rn_wide = s->bss->rn_tab.gram == 8;
		s->rodata->rn_chain = (uint32_t)s->bss->rn_tab.chain;
		s->rodata->rn_bitmap = (uint32_t)s->bss->rn_tab.bitmap;
		s->rodata->rn_longest = (uint32_t)s->bss->rn_tab.longest;
		s->rodata->rn_scan_rate = opts->scan_rate_bytes;
		s->rodata->rn_keep_clean = !opts->no_clean;
		set_clocks(s);
	}
	if (opts->scan_cap_bytes)
		s->rodata->rn_scan_cap = opts->scan_cap_bytes < RN_SCAN_CAP_MAX
						 ? opts->scan_cap_bytes
						 : RN_SCAN_CAP_MAX;
	if (opts->wanted & (NEEDS_PAYLOAD | NEEDS_TRAITS))
		fill_traits(s->bss->rn_traits);
	if (opts->npatterns > RN_MAX_PATTERNS)
		return rn_err_set(err, -EINVAL,
				  "%u patterns are used, at most %d are possible in the kernel",
				  opts->npatterns, RN_MAX_PATTERNS);
	bpf_map__set_max_entries(s->maps.rn_patterns, npat);
	bpf_map__set_max_entries(s->maps.paths, opts->max_paths ? opts->max_paths : 65536);
	if (!(opts->wanted & NEEDS_PATHS)) {
		bpf_map__set_max_entries(s->maps.paths, 1);
		bpf_map__set_max_entries(s->maps.paths_beyond,
					 (uint32_t)libbpf_num_possible_cpus());
	}
	return set_seed(s, err);
}

/* Leave out maps that no wanted code touches: creating a large map takes longer than relocating all
 * the code. Code that touches another map does not load. */
static void leave_out_maps(struct rn_skel *s, uint64_t wanted)
{
#define BY(i) (1ull << RN_I_##i)
	static const uint64_t uring = BY(URING_SUBMIT) | BY(URING_DONE);
	static const uint64_t finds = BY(SCAN) | BY(FOUND) | BY(TAGS) | BY(HITS) | BY(AROUND);
	const struct {
		struct bpf_map *map;
		uint64_t by;
	} maps[] = {
		{s->maps.rn_finds, finds},
		{s->maps.rn_finds_shared, BY(FOUND)},
		{s->maps.rn_aio_reads, BY(SCAN) | BY(PIPE_EARLY)},
		{s->maps.rn_again, BY(SCAN)},
		{s->maps.rn_clean, BY(SCAN)},
		{s->maps.rn_returned, BY(SCAN)},
		{s->maps.rn_early, BY(END)},
		{s->maps.rn_fuse_asked,
		 BY(SCAN) | BY(HASH) | BY(SKETCH) | BY(DATA) | BY(OFFSET) | BY(END)},
		{s->maps.rn_names, BY(FILE) | BY(EXE) | BY(RESOLVE)},
		{s->maps.rn_once, BY(UNSEARCHED) | BY(RINGS) | BY(USED)},
		{s->maps.rn_changed, BY(UNSEARCHED) | BY(COPYING)},
		{s->maps.rn_patterns, NEEDS_PATTERNS},
		{s->maps.rn_piped, BY(PIPE_EARLY) | BY(PIPE_TAKE)},
		{s->maps.rn_streams, BY(SCAN) | BY(PIPE_EARLY) | BY(TLS_ENTER)},
		{s->maps.rn_taker, BY(HASH) | BY(SKETCH) | BY(DATA)},
		{s->maps.rn_tls, NEEDS_CALLS},
		{s->maps.rn_unseen, BY(OP_LOCK)},
		{s->maps.rn_shared, BY(OP_LOCK)},
		{s->maps.uring_reqs, uring},
		{s->maps.uring_multis, uring},
		{s->maps.uring_now, uring},
	};

#undef BY
	for (unsigned i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		bpf_map__set_autocreate(maps[i].map, wanted & maps[i].by);
}

/* Take maps of the query that searches: what it finds, and what it learns of other calls than those
 * with tags. */
static int share_maps(struct rn_skel *s, const struct rn_intrinsics *search)
{
	int r = bpf_map__reuse_fd(s->maps.rn_finds_shared,
				  bpf_map__fd(search->skel->maps.rn_finds));

	return r ? r
		 : bpf_map__reuse_fd(s->maps.rn_fuse_asked,
				     bpf_map__fd(search->skel->maps.rn_fuse_asked));
}

/* Opens the object with the donors of `wanted` switched on. */
static struct rn_skel *open_object(struct rn_intrinsics *intrinsics,
				   const struct rn_intrinsics_opts *opts, uint64_t wanted,
				   struct rn_err *err)
{
	char path[40];
	LIBBPF_OPTS(bpf_object_open_opts, oo, .btf_custom_path = path);
	struct rn_skel *s;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", intrinsics->types);
	s = rn_intrinsics__open_opts(&oo);

	if (!s) {
		rn_err_set(err, -errno, "the precompiled BPF object cannot be opened: %s",
			   strerror(errno));
		return NULL;
	}
	for (unsigned i = 0; i < RN_I_COUNT; i++) {
		bpf_program__set_autoload(donor(s, names[i]), wanted >> i & 1);
		bpf_program__set_log_buf(donor(s, names[i]), intrinsics->log,
					 sizeof(intrinsics->log));
		/* the reason alone: with its path it would not fit, and older kernels then return
		 * ENOSPC */
		if (intrinsics->why)
			bpf_program__set_log_level(donor(s, names[i]), LOG_STATS);
	}
	bpf_program__set_autoload(s->progs.calibrate, wanted & NEEDS_PAYLOAD);
	leave_out_maps(s, wanted);
	s->rodata->rn_cast = intrinsics->ids.cast != 0;
	s->rodata->rn_type_file = intrinsics->ids.file;
	s->rodata->rn_type_socket = intrinsics->ids.socket;
	s->rodata->rn_type_sock = intrinsics->ids.sock;
	s->rodata->rn_type_tcp = intrinsics->ids.tcp;
	s->rodata->rn_type_task = intrinsics->ids.task;
	s->rodata->rn_type_word = intrinsics->ids.word;
	s->rodata->rn_type_dentry = intrinsics->ids.dentry;
	s->rodata->rn_uptodate = intrinsics->ids.uptodate;
	s->rodata->rn_map_reads = !opts->no_map_reads;
	s->rodata->rn_nr_mmap = __NR_mmap;
	s->rodata->rn_nr_msync = __NR_msync;
	s->rodata->rn_nr_munmap = __NR_munmap;
	s->rodata->rn_nr_ptrace = __NR_ptrace;
	s->rodata->rn_nr_setsockopt = __NR_setsockopt;
	if (set_tables(s, opts, err) || (opts->search && share_maps(s, opts->search))) {
		rn_intrinsics__destroy(s);
		return NULL;
	}
	return s;
}

/* Put the last lines of a verifier's log before its statistics on one line. */
static void last_lines(char *log, char *out, size_t cap)
{
	char *stats = strstr(log, "verification time ");
	size_t n = stats ? (size_t)(stats - log) : strlen(log);
	unsigned lines = 0;

	while (n && (log[n - 1] == '\n' || log[n - 1] == ' '))
		n--;
	log[n] = 0;
	while (n && lines < 4)
		lines += log[--n] == '\n';
	for (char *c = log + n; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	snprintf(out, cap, "%s", log + n);
}

static void drop_code(struct rn_intrinsics *x)
{
	for (unsigned i = 0; i < RN_I_COUNT; i++)
		free(x->code[i].insn);
	memset(x->code, 0, sizeof(x->code));
}

/* How many descriptors an object takes: for its maps and programs, and for those that libbpf loads
 * to try the kernel. */
static unsigned files_of(const struct rn_skel *s)
{
	enum { TRIES = 8 };
	unsigned n = TRIES;
	struct bpf_map *m;

	bpf_object__for_each_map(m, s->obj)
		n += bpf_map__autocreate(m);
	for (unsigned i = 0; i < RN_I_COUNT; i++)
		n += bpf_program__autoload(donor((struct rn_skel *)s, names[i]));
	return n;
}

/* Something did not load: find out which program, and what the verifier says. Each is loaded alone,
 * with a log. Without free descriptors, libbpf takes what it cannot try for missing in the kernel,
 * and fails in strange ways. */
static int explain(struct rn_intrinsics *intrinsics, const struct rn_intrinsics_opts *opts,
		   int code, struct rn_err *err)
{
	char tail[400];

	if (code == -EMFILE || code == -ENFILE || rn_files_spare(files_of(intrinsics->skel), NULL))
		return rn_err_set(err, code == -ENFILE ? code : -EMFILE,
				  "the precompiled BPF functions do not load: %s",
				  strerror(code == -ENFILE ? ENFILE : EMFILE));
	intrinsics->verify = intrinsics->why = true;
	for (unsigned i = 0; i < RN_I_COUNT; i++) {
		struct rn_skel *s = opts->wanted >> i & 1
					    ? open_object(intrinsics, opts, 1ull << i, NULL)
					    : NULL;
		int ret;

		if (!s)
			continue;
		intrinsics->log[0] = 0;
		drop_code(intrinsics);
		ret = rn_intrinsics__load(s);
		rn_intrinsics__destroy(s);
		if (!ret)
			continue;
		last_lines(intrinsics->log, tail, sizeof(tail));
		rn_err_set(err, ret == -EPERM ? -EPERM : -ENOTSUP,
			   "%s does not load on this kernel: %s%s%s", names[i], strerror(-ret),
			   tail[0] ? ": " : "", tail);
		return ret == -EPERM ? -EPERM : -ENOTSUP;
	}
	return rn_err_set(err, code, "the precompiled BPF functions do not load: %s",
			  strerror(-code));
}

static int load_patterns(struct rn_skel *s, const struct rn_intrinsics_opts *o, struct rn_err *err)
{
	struct rn_bpf_pattern p;

	for (uint32_t i = 0; i < o->npatterns && o->wanted & NEEDS_PATTERNS; i++) {
		if (!rn_glob_compile(&p, o->patterns[i]))
			return rn_err_set(err, -EINVAL,
					  "the pattern \"%.80s\" is longer than %d bytes",
					  o->patterns[i], RN_PATTERN_BYTES - 1);
		if (bpf_map_update_elem(bpf_map__fd(s->maps.rn_patterns), &i, &p, BPF_ANY))
			return rn_err_set(err, -errno, "a pattern cannot be stored: %s",
					  strerror(errno));
	}
	return 0;
}

/* Find where pages of the page cache are: write random bytes to a memfd, and let BPF find them. A
 * failure is no error: rn_scan_pages then counts what it cannot search. */
static void calibrate(struct rn_skel *s)
{
	uint64_t ctx[8] = {0};
	char page[4096] = {0};
	int fd = memfd_create("runnel", MFD_CLOEXEC);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	if (fd < 0)
		return;
	if (getrandom(s->bss->rn_magic, sizeof(s->bss->rn_magic), 0) == sizeof(s->bss->rn_magic)) {
		memcpy(page, s->bss->rn_magic, sizeof(s->bss->rn_magic));
		ctx[0] = (uint64_t)fd;
		if (write(fd, page, sizeof(page)) == sizeof(page))
			while (!s->bss->rn_page_base && ctx[1] < CALIBRATE_GIB &&
			       !bpf_prog_test_run_opts(bpf_program__fd(s->progs.calibrate), &run))
				ctx[1] += RN_CALIBRATE_STEP;
	}
	close(fd);
}

bool rn_intrinsics_jit(void)
{
	char c = '1';
	int fd = open("/proc/sys/net/core/bpf_jit_enable", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	if (read(fd, &c, 1) != 1)
		c = '1';
	close(fd);
	return c != '0';
}

/* Pass the kernel's types to libbpf, as a file. */
static int take_types(struct rn_intrinsics *x, const struct rn_btf_subset *have, struct rn_err *err)
{
	struct rn_btf_subset own = {0};
	int ret = have ? 0 : rn_btf_subset_read(&own, err);

	if (ret)
		return ret;
	x->ids = have ? have->ids : own.ids;
	x->types = rn_btf_subset_file(have ? have : &own, err);
	rn_btf_subset_free(&own);
	return x->types < 0 ? x->types : 0;
}

static int load(struct rn_intrinsics *intrinsics, const struct rn_intrinsics_opts *opts,
		struct rn_err *err)
{
	int ret;

	ret = take_types(intrinsics, opts->types, err);
	if (ret)
		return ret;
	intrinsics->jit = rn_intrinsics_jit();
	if (!intrinsics->ids.file || !intrinsics->ids.socket || !intrinsics->ids.sock ||
	    !intrinsics->ids.tcp || !intrinsics->ids.task || !intrinsics->ids.word ||
	    !intrinsics->ids.dentry || opts->no_casts || !intrinsics->jit)
		intrinsics->ids.cast = 0;
	intrinsics->skel = open_object(intrinsics, opts, opts->wanted, err);
	if (!intrinsics->skel)
		return err && err->code ? err->code : -EINVAL;
	ret = rn_intrinsics__load(intrinsics->skel);
	if (ret)
		return explain(intrinsics, opts, ret, err);
	intrinsics->btf_fd = bpf_object__btf_fd(intrinsics->skel->obj);
	ret = load_patterns(intrinsics->skel, opts, err);
	if (!ret && opts->wanted & NEEDS_PAYLOAD)
		calibrate(intrinsics->skel);
	return ret;
}

/* libbpf keeps section handlers for the whole process, and releasing the last one corrupts memory
 * in version 1.1. So they are registered once. */
static pthread_once_t registered = PTHREAD_ONCE_INIT;

static void register_handler(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, o, .prog_prepare_load_fn = rn_splice_on_load);

	libbpf_register_prog_handler("runnel_donor", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &o);
}

/* libbpf's print function is also global: silent from the first thread that loads to the last one
 * that is done, then as before. */
static pthread_mutex_t silence = PTHREAD_MUTEX_INITIALIZER;
static libbpf_print_fn_t was;
static unsigned silencers;

static void keep_silent(bool on)
{
	pthread_mutex_lock(&silence);
	if (on && !silencers++)
		was = libbpf_set_print(quiet);
	if (!on && !--silencers)
		libbpf_set_print(was);
	pthread_mutex_unlock(&silence);
}

int rn_intrinsics_open(const struct rn_intrinsics_opts *opts, struct rn_intrinsics **out,
		       struct rn_err *err)
{
	struct rn_intrinsics *intrinsics = rn_calloc(1, sizeof(*intrinsics));
	int ret;

	*out = NULL;
	intrinsics->wanted = opts->wanted;
	intrinsics->verify = opts->verify;
	intrinsics->types = -1;
	keep_silent(true);
	pthread_once(&registered, register_handler);
	ret = load(intrinsics, opts, err);
	keep_silent(false);
	if (ret) {
		rn_intrinsics_close(intrinsics);
		return ret;
	}
	*out = intrinsics;
	return 0;
}

void rn_intrinsics_close(struct rn_intrinsics *intrinsics)
{
	if (!intrinsics)
		return;
	drop_code(intrinsics);
	if (intrinsics->types >= 0)
		close(intrinsics->types);
	rn_intrinsics__destroy(intrinsics->skel);
	free(intrinsics);
}

int rn_intrinsics_map(const struct rn_intrinsics *intrinsics, const char *name)
{
	struct bpf_map *m = bpf_object__find_map_by_name(intrinsics->skel->obj, name);

	return m ? bpf_map__fd(m) : -ENOENT;
}

int64_t rn_intrinsics_memory(const struct rn_intrinsics *intrinsics)
{
	struct bpf_map *m;
	int64_t n = 0;

	bpf_object__for_each_map(m, intrinsics->skel->obj)
		n += rn_map_memory(bpf_map__fd(m));
	return n;
}

bool rn_intrinsics_missed(const struct rn_intrinsics *intrinsics)
{
	return __atomic_load_n(&intrinsics->skel->bss->rn_missed, __ATOMIC_RELAXED) != 0;
}

bool rn_intrinsics_pages(const struct rn_intrinsics *intrinsics)
{
	return intrinsics->skel->bss->rn_page_base != 0;
}

/* Shared mappings that were made and not searched. */
static uint64_t maps_not_seen(const struct rn_intrinsics *x)
{
	int fd = bpf_map__fd(x->skel->maps.rn_unseen);
	struct rn_unseen_key key, *last = NULL;
	uint64_t n = 0;

	for (; !bpf_map_get_next_key(fd, last, &key); last = &key)
		n++;
	return n;
}

/* Asynchronous I/O: reads that were submitted, and whose completion no call has reported. */
static uint64_t reads_not_seen(const struct rn_intrinsics *x)
{
	int fd = bpf_map__fd(x->skel->maps.rn_aio_reads);
	struct rn_aio_key key, *last = NULL;
	uint64_t sum = 0;
	int64_t n;

	while (!bpf_map_get_next_key(fd, last, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &n) && n > 0)
			sum += (uint64_t)n;
		last = &key;
	}
	return sum;
}

/* Ways that are not searched: each counts once. */
static void count_ways(const struct rn_intrinsics *x, struct rn_bpf_stats *out)
{
	int fd = bpf_map__fd(x->skel->maps.rn_once);
	struct rn_once_key key, *last = NULL;

	for (; !bpf_map_get_next_key(fd, last, &key); last = &key)
		if (key.path < RN_PATH_COUNT)
			out->path[key.path].uncovered++;
}

void rn_intrinsics_counts(const struct rn_intrinsics *intrinsics, struct rn_bpf_stats *out)
{
	enum { WORDS = sizeof(*out) / sizeof(uint64_t) };
	const struct bpf_map *m = intrinsics->skel->maps.rn_scratch;
	int cpus = libbpf_num_possible_cpus();
	size_t each = (bpf_map__value_size(m) + 7) & ~7u;
	char *v = cpus > 0 ? rn_calloc((size_t)cpus, each) : NULL;
	uint32_t zero = 0;

	memset(out, 0, sizeof(*out));
	if (v && !bpf_map_lookup_elem(bpf_map__fd(m), &zero, v))
		for (size_t c = 0; c < (size_t)cpus; c++)
			for (int w = 0; w < WORDS; w++)
				((uint64_t *)out)[w] += ((uint64_t *)(v + c * each))[w];
	free(v);
}

void rn_intrinsics_stats(const struct rn_intrinsics *intrinsics, struct rn_bpf_stats *out)
{
	rn_intrinsics_counts(intrinsics, out);
	out->path[RN_PATH_AIO].uncovered += reads_not_seen(intrinsics);
	out->path[RN_PATH_MMAP].uncovered += maps_not_seen(intrinsics);
	count_ways(intrinsics, out);
}

void rn_intrinsics_joined(struct rn_intrinsics *intrinsics)
{
	__atomic_store_n(&intrinsics->skel->bss->rn_joined, clock_ns(CLOCK_MONOTONIC),
			 __ATOMIC_SEQ_CST);
}

/* The same as rn_keep_text (probes/bpf/text.bpf.h). */
void rn_intrinsics_key(const struct rn_intrinsics *intrinsics, const char *text, size_t n,
		       struct rn_file_key *key)
{
	const __u64 *seed = intrinsics->skel->rodata->rn_seed;
	uint64_t a = seed[0] ^ n, b = seed[1] + n, x;

	for (size_t at = 0; at < n; at += 8) {
		x = 0;
		memcpy(&x, text + at, n - at < 8 ? n - at : 8);
		a = (a ^ x) * seed[2];
		a ^= a >> 32;
		b = (b ^ x) * seed[3];
		b ^= b >> 29;
	}
	*key = n ? (struct rn_file_key){.a = a | 1, .b = b} : (struct rn_file_key){0};
}

int rn_intrinsics_path(const struct rn_intrinsics *intrinsics, const struct rn_file_key *key,
		       char *out, bool *cut)
{
	static const struct rn_file_key none;
	struct rn_bpf_path p;

	*cut = false;
	if (!memcmp(key, &none, sizeof(none)))
		return 0;
	/* not in `paths_beyond`, which may drop it at any time: as many names are missing as the
	 * ledger counts */
	if (bpf_map_lookup_elem(bpf_map__fd(intrinsics->skel->maps.paths), key, &p) ||
	    p.len > sizeof(p.text))
		return -1;
	memcpy(out, p.text, p.len);
	*cut = p.cut;
	return p.len;
}

void rn_intrinsics_forget(const struct rn_intrinsics *intrinsics, const struct rn_file_key *key)
{
	bpf_map_delete_elem(bpf_map__fd(intrinsics->skel->maps.paths), key);
	__atomic_add_fetch(&intrinsics->skel->bss->rn_names_round, 1, __ATOMIC_SEQ_CST);
}
