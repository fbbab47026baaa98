/* causes.c - where each hop got its data from.
 *
 * A hop takes data from a hop that put the same tag into the same object:
 *  - over TCP, from the hop that sent the byte with the same number (connections.c);
 *  - out of a channel without positions (a pipe, a Unix socket), in the order in which it went in
 *    (channels.c);
 *  - from a file, from its latest earlier hop.
 * A server of FUSE writes to /dev/fuse what others then read from a file of its file system, and
 * the reverse: there the place in the file is known. A copy in the kernel puts out what it read,
 * and nothing else. All other output of a process is linked by process.c. */
#include <sys/socket.h>
#include "exec/flow/flow_impl.h"

static bool is_text(const struct rn_value *v)
{
	return v->kind == RN_STR && v->len;
}

/* ---- objects ---- */

static bool is_address(const struct rn_value *v)
{
	static const char zero[RN_IP_BYTES];

	return v->kind == RN_STR && v->len == RN_IP_BYTES && memcmp(v->s, zero, RN_IP_BYTES);
}

bool rn_flow_has_ends(const struct rn_flow_hop *hop)
{
	return is_address(rn_flow_text(hop, F_LOCAL)) && is_address(rn_flow_text(hop, F_PEER));
}

bool rn_flow_is_loopback(const char *address)
{
	static const char v4[13] = {[10] = '\xff', '\xff', 127}, v6[16] = {[15] = 1};

	return !memcmp(address, v4, sizeof(v4)) || !memcmp(address, v6, sizeof(v6));
}

static const char *show_address(struct rn_flow *f, const struct rn_value *v)
{
	char text[64];
	size_t n = rn_ip_show((const unsigned char *)v->s, text, sizeof(text));

	return rn_arena_strndup(f->keys, text, n);
}

static const char *path_key(struct rn_flow *f, const struct rn_flow_hop *h,
			    const struct rn_value *path)
{
	return rn_arena_printf(f->keys, "f|%u|%s", h->node, path->s);
}

/* The object that a hop puts data into (out) or takes it from. */
enum kind {
	K_NONE,
	K_FILE,
	K_FIFO /* anything with an inode, and no positions */,
	K_PATH /* a file known by its path only */,
	K_PIPE,
	K_INET,
	K_DATAGRAM,
	K_UNIX,
	K_FUSE,
	K_TLS /* its connection is unknown */
};

static bool is_channel(const struct rn_flow_hop *h, const struct rn_value *path)
{
	return rn_flow_starts(path, "pipe:[") || rn_flow_starts(path, "socket:[") ||
	       rn_flow_is_fuse(h, path);
}

bool rn_flow_waits(const struct rn_flow_hop *hop)
{
	return hop->in && hop->out && is_channel(hop, rn_flow_text(hop, F_SOURCE));
}

/* MSG_PEEK is a flag of receiving calls; the same number means something else for splice. */
bool rn_flow_keeps(const struct rn_flow_hop *hop)
{
	bool receives = rn_flow_starts(rn_flow_text(hop, F_NAME), "recv") ||
			rn_flow_is(rn_flow_text(hop, F_NAME), "io_uring_recv");

	return (receives && rn_flow_number(hop, F_FLAGS) & MSG_PEEK) ||
	       rn_flow_is(rn_flow_text(hop, F_NAME), "tee");
}

/* A terminal: input was typed, or is another program's. For its master, the other end is
 * unknown. */
static bool is_terminal(const struct rn_value *path)
{
	return rn_flow_starts(path, "/dev/pts/") || rn_flow_starts(path, "/dev/tty") ||
	       rn_flow_is(path, "/dev/ptmx") || rn_flow_is(path, "/dev/console");
}

/* For a copy, this is about its source. */
static bool has_no_position(const struct rn_flow_hop *h, bool out)
{
	return rn_flow_has(h, F_OFFSET) && rn_flow_number(h, F_OFFSET) < 0 && !(out && h->in);
}

static enum kind kind_of_inode(const struct rn_flow_hop *h, bool out)
{
	return has_no_position(h, out) ? K_FIFO : K_FILE;
}

static enum kind kind_of(const struct rn_flow_hop *hop, bool out)
{
	bool is_source = !out && is_text(rn_flow_text(hop, F_SOURCE));
	const struct rn_value *text = rn_flow_text(hop, is_source ? F_SOURCE : F_FILE),
			      *proto = rn_flow_text(hop, F_PROTO);

	if (rn_flow_starts(rn_flow_text(hop, F_NAME), "tls_"))
		return K_TLS;
	if (rn_flow_starts(text, "pipe:["))
		return K_PIPE;
	if (rn_flow_is_fuse(hop, text))
		return K_FUSE;
	if (is_terminal(text))
		return K_NONE;
	if (is_source)
		return rn_flow_starts(text, "socket:[")    ? K_INET
		       : rn_flow_number(hop, F_SOURCE_INO) ? kind_of_inode(hop, out)
							   : K_PATH;
	if (rn_flow_is(proto, "udp"))
		return K_DATAGRAM;
	if (rn_flow_has_ends(hop))
		return K_INET;
	if (rn_flow_starts(text, "socket:["))
		return rn_flow_is(proto, "unix") && rn_flow_number(hop, F_INO) ? K_UNIX : K_NONE;
	return rn_flow_number(hop, F_INO) ? kind_of_inode(hop, out)
	       : is_text(text)            ? K_PATH
					  : K_NONE;
}

/* A file is its device and inode. So a hard link or another name is the same file, and a new file
 * of an old name is not. If these are unknown (a recording without them), it is the path. */
static const char *file_key(struct rn_flow *f, const struct rn_flow_hop *h, bool out)
{
	bool source = !out && is_text(rn_flow_text(h, F_SOURCE));
	int64_t ino = rn_flow_number(h, source ? F_SOURCE_INO : F_INO);

	if (ino)
		return rn_arena_printf(f->keys, "i|%u|%lld|%lld", h->node,
				       (long long)rn_flow_number(h, source ? F_SOURCE_DEV : F_DEV),
				       (long long)ino);
	return path_key(f, h, rn_flow_text(h, source ? F_SOURCE : F_FILE));
}

/* The key of a pipe, or of one direction of a connection whose bytes have no numbers. Loopback
 * addresses belong to one namespace of one node. */
static const char *channel_key(struct rn_flow *f, const struct rn_flow_hop *h, enum kind kind,
			       bool out)
{
	long long netns = rn_flow_number(h, F_NETNS);

	if (kind == K_PIPE)
		return rn_arena_printf(f->keys, "c|%u|%s", h->node,
				       rn_flow_text(h, !out && is_text(rn_flow_text(h, F_SOURCE))
							       ? F_SOURCE
							       : F_FILE)
					       ->s);
	if (!rn_flow_has_ends(h) || (!out && is_text(rn_flow_text(h, F_SOURCE))))
		return NULL;
	return rn_arena_printf(f->keys, "s|%s|%s|%s",
			       rn_flow_is_loopback(rn_flow_text(h, F_LOCAL)->s)
				       ? rn_arena_printf(f->keys, "%u|%lld", h->node, netns)
				       : "",
			       show_address(f, rn_flow_text(h, out ? F_LOCAL : F_PEER)),
			       show_address(f, rn_flow_text(h, out ? F_PEER : F_LOCAL)));
}

static const char *numbered_key(struct rn_flow *f, char what, const struct rn_flow_hop *h,
				int64_t n)
{
	return rn_arena_printf(f->keys, "%c|%u|%lld", what, h->node, (long long)n);
}

const char *rn_flow_object(struct rn_flow *flow, const struct rn_flow_hop *hop)
{
	const char *object = rn_flow_text(hop, F_FILE)->s;

	if (rn_flow_has_ends(hop))
		object = rn_arena_printf(flow->keys, "%s -> %s",
					 show_address(flow, rn_flow_text(hop, F_LOCAL)),
					 show_address(flow, rn_flow_text(hop, F_PEER)));
	if (is_text(rn_flow_text(hop, F_SOURCE)))
		object = rn_arena_printf(flow->keys, "%s => %s", rn_flow_text(hop, F_SOURCE)->s,
					 object);
	return object;
}

/* ---- links ---- */

/* A device without a disk, as those of FUSE are. */
static bool is_anonymous(int64_t dev)
{
	return !(dev >> 20) && dev;
}

static bool from_unix(struct rn_flow *f, struct rn_flow_hop *h, const struct rn_value *tag)
{
	int64_t peer = rn_flow_number(h, F_PEER_INO);
	uint32_t unknown = rn_flow_unknown(f, h);

	if (peer)
		return rn_flow_take(f, numbered_key(f, 'x', h, peer), h, tag, false, unknown);
	/* the sender has closed since, or many send to one socket */
	return rn_flow_take(f, numbered_key(f, 'y', h, rn_flow_number(h, F_INO)), h, tag, false,
			    unknown) ||
	       rn_flow_take(f, numbered_key(f, 'z', h, 0), h, tag, true, unknown);
}

static void to_unix(struct rn_flow *f, struct rn_flow_hop *h)
{
	int64_t peer = rn_flow_number(h, F_PEER_INO);

	/* by the sender; by the receiver, or, if that is unknown (not accepted yet, not connected),
	 * for any */
	rn_flow_put(f, numbered_key(f, 'x', h, rn_flow_number(h, F_INO)), h);
	rn_flow_put(f, peer ? numbered_key(f, 'y', h, peer) : numbered_key(f, 'z', h, 0), h);
}

/* Finds the server's reply with the data that h reads of a file of FUSE. */
static struct rn_flow_hop *reply_to(struct rn_flow *f, struct rn_flow_hop *h,
				    const struct rn_value *tag, struct rn_flow_fuse *p)
{
	struct rn_flow_hop *reply;

	p->what = numbered_key(f, 'u', h, rn_flow_number(h, F_DEV));
	reply = rn_flow_covering(f, p, h, tag);
	if (reply || !is_anonymous(rn_flow_number(h, F_DEV)))
		return reply;
	p->what = numbered_key(f, 'u', h, 0);
	p->strict = true;
	return rn_flow_covering(f, p, h, tag);
}

/* For a file that a server of FUSE serves: takes what the server wrote, if it is later than the
 * last write to the file. If both were at work at the same time, it may be either. */
static void from_file(struct rn_flow *flow, struct rn_flow_hop *hop, const struct rn_value *tag,
		      bool source)
{
	uint32_t choices = 0;
	struct rn_flow_hop *from = rn_flow_written(flow, file_key(flow, hop, false), hop, tag,
						   &choices),
			   *reply = NULL;
	struct rn_flow_fuse p = {0};

	if (flow->fuse && !source && rn_flow_number(hop, F_INO))
		reply = reply_to(flow, hop, tag, &p);
	if (reply && (!from || reply->number > from->number)) {
		if (from && from->end_ns > reply->begin_ns)
			p.choices += choices;
		rn_flow_cause(flow, hop, reply, tag, RN_LINK_FUSE, p.choices);
		hop->in_how = reply->out_how = p.strict ? RN_HOW_ORDER : RN_HOW_EXACT;
	} else if (from) {
		if (reply && from->end_ns > hop->begin_ns)
			choices += p.choices;
		rn_flow_cause(flow, hop, from, tag, RN_LINK_FILE, choices);
	}
}

static bool from_fuse(struct rn_flow *f, struct rn_flow_hop *h, const struct rn_value *tag)
{
	int64_t dev = rn_flow_number(h, F_FUSE_DEV);
	struct rn_flow_fuse p = {
		.what = numbered_key(f, 'w', h, dev), .request = true, .strict = !dev};
	struct rn_flow_hop *from = rn_flow_covering(f, &p, h, tag);

	if (!from)
		return false;
	rn_flow_cause(f, h, from, tag, RN_LINK_FUSE, p.choices);
	h->in_how = from->out_how = dev ? RN_HOW_EXACT : RN_HOW_ORDER;
	return true;
}

static void to_file(struct rn_flow *f, struct rn_flow_hop *h)
{
	const char *key = file_key(f, h, true), *path = path_key(f, h, rn_flow_text(h, F_FILE));

	rn_flow_put(f, key, h);
	if (strcmp(key, path))
		rn_flow_put(f, path, h); /* for hops that know only the path */
	if (!f->fuse || !is_anonymous(rn_flow_number(h, F_DEV)))
		return;
	rn_flow_put(f, numbered_key(f, 'w', h, rn_flow_number(h, F_DEV)), h);
	rn_flow_put(f, numbered_key(f, 'w', h, 0), h);
}

static bool from_datagram(struct rn_flow *f, struct rn_flow_hop *h, const struct rn_value *tag)
{
	if (h->cause)
		rn_flow_cause(f, h, h->cause, tag, RN_LINK_ORDER, h->alternatives + f->any_lossy);
	return h->cause;
}

/* Are the bytes of its connection numbered? Then both ends are paired by these alone: if the
 * numbers find no other end, this was not seen. */
static bool is_numbered(const struct rn_flow_hop *h, enum kind kind)
{
	return kind == K_INET && rn_flow_number(h, F_SEQ);
}

/* Finds where one tag in hop's input came from. */
static void link_tag(struct rn_flow *flow, struct rn_flow_hop *hop, enum kind kind,
		     const struct rn_value *tag)
{
	const char *key;
	bool found = false;

	switch (kind) {
	case K_NONE: return;
	case K_FILE:
	case K_PATH: from_file(flow, hop, tag, is_text(rn_flow_text(hop, F_SOURCE))); return;
	case K_FIFO:
		found = rn_flow_take(flow, file_key(flow, hop, false), hop, tag, false,
				     rn_flow_unknown(flow, hop));
		break;
	case K_FUSE: found = from_fuse(flow, hop, tag); break;
	case K_UNIX: found = from_unix(flow, hop, tag); break;
	case K_DATAGRAM: found = from_datagram(flow, hop, tag); break;
	case K_TLS: found = rn_flow_take(flow, "tls", hop, tag, true, flow->any_lossy); break;
	case K_PIPE:
	case K_INET:
		key = hop->cause || is_numbered(hop, kind) ? NULL
							   : channel_key(flow, hop, kind, false);
		found = hop->cause ||
			(key && rn_flow_take(flow, key, hop, tag, false,
					     kind == K_PIPE ? rn_flow_unknown(flow, hop)
							    : flow->any_lossy));
		break;
	}
	if (found && hop->in_how < RN_HOW_ORDER)
		hop->in_how = RN_HOW_ORDER;
	else if (!hop->in_how)
		hop->in_how = RN_HOW_UNMATCHED;
}

static void link_out(struct rn_flow *flow, struct rn_flow_hop *hop)
{
	enum kind kind = kind_of(hop, true);
	const char *key;

	switch (kind) {
	case K_NONE: return;
	case K_FILE:
	case K_FIFO:
	case K_PATH: to_file(flow, hop); return;
	case K_FUSE:
		rn_flow_put(flow, numbered_key(flow, 'u', hop, rn_flow_number(hop, F_FUSE_DEV)),
			    hop);
		break;
	case K_UNIX: to_unix(flow, hop); break;
	case K_DATAGRAM: break;
	case K_TLS: rn_flow_put(flow, "tls", hop); break;
	case K_PIPE:
	case K_INET:
		key = hop->out_how || is_numbered(hop, kind) ? NULL
							     : channel_key(flow, hop, kind, true);
		if (key)
			rn_flow_put(flow, key, hop);
		break;
	}
	if (!hop->out_how)
		hop->out_how = RN_HOW_UNMATCHED;
}

void rn_flow_link(struct rn_flow *flow, struct rn_flow_hop *hop)
{
	enum kind kind = hop->in ? kind_of(hop, false) : K_NONE;
	struct rn_value tag;

	for (uint32_t at = 0; hop->in && rn_flow_tag(hop, &at, &tag);)
		link_tag(flow, hop, kind, &tag);
	if (hop->out)
		link_out(flow, hop);
}
