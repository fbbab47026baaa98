/* sim_flow_impl.h - inside of sim_flow: data that knows where it came from, channels, calls.
 *
 * sim_flow.c has the programs and the time. sim_flow_world.c makes nodes, processes and channels.
 * sim_flow_channels.c moves data in and out of channels. sim_flow_calls.c makes the event of a
 * call: which tags end in it, where, and what is around them. */
#ifndef RN_TESTS_SUPPORT_SIM_FLOW_IMPL_H
#define RN_TESTS_SUPPORT_SIM_FLOW_IMPL_H
#include "tests/support/sim_flow.h"

/* ---- data: sim_flow_calls.c ---- */

/* Bytes, and for each the hop that moved it last, or SIM_OWN. */
struct sim_data {
	char *bytes;
	int *from;
	unsigned n, cap;
};
void sim_data_add(struct sim_data *data, const char *bytes, const int *from, unsigned n);
void sim_data_own(struct sim_data *data, const char *bytes, unsigned n); /* made by the process */
void sim_data_copy(struct sim_data *to, const struct sim_data *data); /* adds it to what is there */
void sim_data_free(struct sim_data *data);

/* The last bytes of a stream: a tag may begin in them, and end in the next call. */
struct sim_tail {
	struct sim_data data;
};
/* Finds the tags that end in data, and fills what a hop says of them. tail: what precedes the data
 * in its stream; NULL: it is a message of its own. False: no tag ends there, so it is no hop. */
bool sim_hop_search(const struct sim_flow *flow, struct sim_hop *hop, const struct sim_data *data,
		    const struct sim_tail *tail);
/* The stream went on by that. */
void sim_tail_move(struct sim_tail *tail, const struct sim_data *data);

/* ---- the world: sim_flow_world.c ---- */

enum sim_way { SIM_TCP, SIM_UDP, SIM_PIPE, SIM_UNIX, SIM_UNIX_DATAGRAM, SIM_FILE, SIM_WAYS };
enum {
	SIM_INPUTS = 16,
	SIM_OUTPUTS = 4,
	SIM_QUEUE = 32,
	SIM_PROCESSES = 60,
	SIM_CHANNELS = 200,
	SIM_THREADS = 200,
	SIM_REUSED = 1000
};

/* Data on its way: one write. more: its message goes on in the next one. A file has a place instead
 * of data. */
struct sim_item {
	struct sim_data data;
	int64_t at_ns; /* when it can be read */
	bool more;
	int ttl;
	int64_t offset;
	unsigned bytes;
};
/* A socket, pipe or file as one side sees it. */
struct sim_end {
	unsigned node;
	char file[40], local[32], peer[32];
	int64_t dev, ino, peer_ino, offset;
	uint32_t seq;
	struct sim_tail tail;
	unsigned holder; /* 1 + the thread that is amid a message */
};
struct sim_channel {
	enum sim_way way;
	bool shared;       /* a pipe of several writers or readers: each call is a message */
	bool rewrites;     /* a file whose writers begin at 0 again */
	unsigned from, to; /* the processes that it was made for */
	struct sim_end put, got;
	struct sim_item *item;
	unsigned head, n, cap;
	int64_t last_ns;
	struct sim_data content; /* of a file */
};
/* How a process makes what it puts out. */
enum sim_manner { SIM_VERBATIM, SIM_HEADER, SIM_COUNTED, SIM_ALONE, SIM_FORM, SIM_MANNERS };
struct sim_process {
	unsigned node;
	int pid;
	unsigned input[SIM_INPUTS], ninputs, output[SIM_OUTPUTS], noutputs;
	enum sim_manner manner;
	char header[24]; /* of its forms */
	bool returned;   /* somebody else's message brought such a text back */
	unsigned swallows, retries, fans, joins; /* per cent of messages */
	bool forks;                              /* a child puts each message out */
	bool copies;                             /* files to sockets within the kernel */
	unsigned begins;                         /* messages that it still makes itself */
	unsigned made, taken; /* bits of tags that it has made itself, and taken in */
	struct sim_data held; /* a message that waits for another one */
	int held_ttl;
	int64_t held_ns; /* when the call that took it returned */
};
enum sim_op_kind { SIM_PUT, SIM_GET_REST, SIM_COPY };
struct sim_op {
	enum sim_op_kind kind;
	unsigned channel, to; /* to: of a copy */
	struct sim_data data;
	bool more;
	int ttl;
	int64_t delay_ns, offset;
	unsigned bytes;
	int child;        /* the process that does it; 0: the thread's own */
	int64_t start_ns; /* true time: when the child began */
};
struct sim_thread {
	unsigned process;
	int tid[2]; /* that takes in, that puts out */
	int64_t begin_ns, next_ns;
	struct sim_op op[SIM_QUEUE];
	unsigned nops;
	struct sim_data message; /* what it has read so far */
	int ttl;
	int child; /* that makes the call; 0: none */
	int64_t start_ns;
};
struct sim_world {
	struct sim_flow *flow;
	uint64_t random;
	struct sim_process process[SIM_PROCESSES];
	struct sim_channel channel[SIM_CHANNELS];
	struct sim_thread thread[SIM_THREADS];
	unsigned nprocesses, nchannels, nthreads, nchildren;
	unsigned straddles;   /* per cent of messages whose tag is cut */
	unsigned lost, drops; /* per cent: of datagrams on the way, of events */
	unsigned unused; /* tags that no message has had, if each is for one; else SIM_REUSED */
	int64_t now_ns;
};
void sim_world_make(struct sim_world *world);
void sim_world_free(struct sim_world *world);

/* ---- moving data: sim_flow_channels.c ---- */

/* Puts data into a channel, by a call of the thread that takes place now and began at its
 * begin_ns. Returns when the call returns. */
int64_t sim_put(struct sim_world *world, struct sim_thread *thread, struct sim_channel *channel,
		const struct sim_data *data, bool more, int ttl);
/* Can a whole message be taken from there now? Else, *later is when, or stays as it is. */
bool sim_ready(const struct sim_world *world, const struct sim_channel *channel, int64_t *later);
/* How many bytes the message at the head has. */
unsigned sim_message_bytes(const struct sim_channel *channel);
/* The same with the one behind it, if that can be taken now too. */
unsigned sim_messages_bytes(const struct sim_world *world, const struct sim_channel *channel);
/* The data of that message, to be looked at. The caller frees it. */
struct sim_data sim_peek(const struct sim_channel *channel);
/* Takes the next bytes of the channel into the thread's message. Returns when the call returns. */
int64_t sim_get(struct sim_world *world, struct sim_thread *thread, struct sim_channel *channel,
		unsigned bytes);
/* Reads a place of a file, likewise. */
int64_t sim_get_place(struct sim_world *world, struct sim_thread *thread,
		      struct sim_channel *channel, int64_t offset, unsigned bytes);
/* Copies a place of a file into a TCP connection within the kernel. */
int64_t sim_copy(struct sim_world *world, struct sim_thread *thread, struct sim_channel *file,
		 int64_t offset, unsigned bytes, struct sim_channel *to, int ttl);
#endif
