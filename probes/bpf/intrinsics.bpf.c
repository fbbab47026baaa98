/* intrinsics.bpf.c - the object that holds every intrinsic, and for each a donor: the smallest
 * program that calls it.
 *
 * Donors are never attached. The handler of their section (probes/intrinsics/splice.c) takes the
 * code, fully relocated, when libbpf is about to load it.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#include "probes/bpf/file.bpf.h"
#include "probes/bpf/match.bpf.h"
#include "probes/bpf/sock.bpf.h"
#include "probes/bpf/scan.bpf.h"
#include "probes/bpf/search.bpf.h"
#include "probes/bpf/uring.bpf.h"
#include "probes/bpf/mapped.bpf.h"
#include "probes/bpf/aio.bpf.h"
#include "probes/bpf/bytes.bpf.h"
#include "probes/bpf/hash.bpf.h"
#include "probes/bpf/tls.bpf.h"
#include "probes/bpf/ends.bpf.h"
#include "probes/bpf/unsearched.bpf.h"
#include "probes/bpf/clone.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define DONOR(name) SEC("?runnel_donor") int donor_##name(__u64 *ctx)

DONOR(rn_file)
{
	struct rn_bpf_file out = {};
	return rn_file(ctx[0], ctx[1], &out);
}
DONOR(rn_exe)
{
	struct rn_bpf_file out = {};
	return rn_exe(ctx[0], &out);
}
DONOR(rn_resolve)
{
	struct rn_bpf_file out = {};
	return rn_resolve(&out);
}
DONOR(rn_name)
{
	struct rn_bpf_file out = {};
	return rn_name(ctx[0], ctx[1], &out);
}
DONOR(rn_match)
{
	struct rn_file_key key = {};
	return rn_match(ctx[0], &key);
}
DONOR(rn_path_hash)
{
	struct rn_file_key key = {};
	return rn_path_hash(&key);
}
DONOR(rn_glob)
{
	struct rn_bpf_str str = {};
	return rn_glob(ctx[0], &str);
}
DONOR(rn_glob_args)
{
	struct rn_bpf_data args = {};
	return rn_glob_args(ctx[0], &args);
}
DONOR(rn_sock)
{
	struct rn_bpf_sock out = {};
	return rn_sock(ctx[0], ctx[1], ctx[2], &out);
}
DONOR(rn_scan)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	return rn_scan(&call);
}
DONOR(rn_found)
{
	return rn_found();
}
DONOR(rn_hash)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	return rn_hash(&call);
}
DONOR(rn_sketch)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	struct rn_bpf_sketch out = {};
	return rn_sketch(&call, &out);
}
DONOR(rn_data)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	/* a query's program does not keep it on the stack either */
	struct taker *t = taker();
	return t ? rn_data(&call, (struct rn_bpf_data *)t->buf) : 0;
}
DONOR(rn_pipe_early)
{
	struct rn_bpf_call call = {.arg = {ctx[0], ctx[1], ctx[2]}};
	return rn_pipe_early(&call);
}
DONOR(rn_op_map)
{
	struct rn_bpf_call call = {.arg = {ctx[0], ctx[1], ctx[2]}};
	return rn_op_map(&call);
}
DONOR(rn_op_fault)
{
	struct rn_bpf_call call = {.arg = {ctx[0], ctx[1]}};
	return rn_op_fault(&call);
}
DONOR(rn_op_lock)
{
	struct rn_bpf_call call = {.arg = {ctx[0]}};
	return rn_op_lock(&call);
}
DONOR(rn_used)
{
	return rn_used(ctx[0], ctx[1]);
}
DONOR(rn_copying)
{
	struct rn_bpf_call call = {.arg = {ctx[0]}};
	return rn_copying(&call);
}
DONOR(rn_op_clone)
{
	struct rn_bpf_call call = {.arg = {ctx[0], ctx[1], ctx[2]}, .ret = ctx[3]};
	return rn_op_clone(&call);
}
DONOR(rn_pipe_take)
{
	return rn_pipe_take();
}
DONOR(rn_tags)
{
	struct rn_bpf_tags out = {};
	return rn_tags(&out);
}
DONOR(rn_hits)
{
	struct rn_bpf_hits out = {};
	return rn_hits(&out);
}
DONOR(rn_around)
{
	struct rn_bpf_around out = {};
	return rn_around(&out);
}
DONOR(rn_tls_enter)
{
	struct rn_bpf_call call = {.nr = ctx[0]};
	return rn_tls_enter(&call);
}
DONOR(rn_tls_return)
{
	struct rn_bpf_call call = {.ret = ctx[0]};
	return rn_tls_return(&call);
}
DONOR(rn_op_uring_submit)
{
	struct rn_bpf_call call = {.arg = {ctx[0]}};
	return rn_op_uring_submit(&call);
}
DONOR(rn_op_uring_done)
{
	struct rn_bpf_call call = {.arg = {ctx[0]}};
	return rn_op_uring_done(&call);
}
DONOR(rn_offset)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	return rn_offset(&call);
}
DONOR(rn_end)
{
	struct rn_bpf_call call = {.nr = ctx[0], .ret = ctx[1]};
	return rn_end(&call, ctx[2]);
}
DONOR(rn_unsearched)
{
	struct rn_bpf_call call = {.nr = ctx[0]};
	return rn_unsearched(&call);
}
DONOR(rn_rings)
{
	struct rn_bpf_call call = {.arg = {ctx[0]}};
	return rn_rings(&call);
}
DONOR(rn_bytes)
{
	struct rn_bpf_call call = {.nr = ctx[0]};
	return rn_bytes(&call);
}
DONOR(rn_aio_fd)
{
	struct rn_bpf_call call = {.nr = ctx[0]};
	return rn_aio_fd(&call);
}
/* Run once through BPF_PROG_TEST_RUN. */
SEC("?raw_tp") int calibrate(__u64 *ctx)
{
	return rn_calibrate(ctx[0], ctx[1]);
}
