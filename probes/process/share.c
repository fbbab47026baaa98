/* share.c - see share.h. */
#include "probes/process/share.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOT_SHARES = 8, REST_SHARES = 2, SECOND = 1000000000 };

static int64_t left_of(struct rn_share_of *x, const struct rn_share *s, int64_t shares, int64_t now)
{
	int64_t ns = now - x->ns, back = shares * s->per_second;

	if (ns > 0) {
		if (ns / SECOND > x->used / back)
			x->used = 0;
		else
			x->used -= (int64_t)((double)back * (double)ns / SECOND);
		if (x->used < 0)
			x->used = 0;
		x->ns = now;
	}
	return shares * s->most - x->used;
}

static struct rn_share_of *place(struct rn_share *s, uint32_t uid)
{
	return &s->of[uid * 2654435761u >> 26];
}

int64_t rn_share_left(struct rn_share *share, uint32_t uid, int64_t now)
{
	int64_t one, rest;

	if (!uid)
		return left_of(&share->root, share, ROOT_SHARES, now);
	one = left_of(place(share, uid), share, 1, now);
	rest = left_of(&share->rest, share, REST_SHARES, now);
	return one < rest ? one : rest;
}

void rn_share_take(struct rn_share *share, uint32_t uid, int64_t n, int64_t now)
{
	rn_share_left(share, uid, now);
	if (!uid) {
		share->root.used += n;
		return;
	}
	place(share, uid)->used += n;
	share->rest.used += n;
}

/* A process can make root the owner of its files in /proc; any other owner shown is true. */
uint32_t rn_share_user(int pid)
{
	char path[40], line[256];
	uint32_t uid = UINT32_MAX;
	struct stat st;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st))
		return uid;
	if (st.st_uid)
		return st.st_uid;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Uid:", 4)) {
			uid = (uint32_t)strtoul(line + 4, NULL, 10);
			break;
		}
	if (f)
		(void)fclose(f);
	return uid;
}
