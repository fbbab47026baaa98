/* progress.c - the line of progress. Rows on the same terminal show progress themselves, so the
 * line is drawn only while none come. */
#include <string.h>
#include <time.h>
#include "repl/out/progress.h"
#include "exec/fleet/fleet.h"
#include "lang/base/clock.h"
#include "lang/base/str.h"

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct rn_progress *p = self;

	return p->to->begin ? p->to->begin(p->to->self, r) : 0;
}

static int row(void *self, const struct rn_value *v)
{
	struct rn_progress *p = self;

	p->rows++;
	if (p->shown && !p->apart)
		rn_progress_erase(p);
	return p->to->row(p->to->self, v);
}

static void other(void *self, int column)
{
	struct rn_progress *p = self;

	p->to->other(p->to->self, column);
}

static void share(void *self, double share)
{
	struct rn_progress *p = self;

	p->to->share(p->to->self, share);
}

static void partial(void *self, const struct rn_extent *covered)
{
	struct rn_progress *p = self;

	p->to->partial(p->to->self, covered);
}

static int snapshot(void *self, bool starts)
{
	struct rn_progress *p = self;

	rn_progress_erase(p);
	return p->to->snapshot(p->to->self, starts);
}

static int end(void *self)
{
	struct rn_progress *p = self;

	rn_progress_erase(p);
	return p->to->end ? p->to->end(p->to->self) : 0;
}

void rn_progress_begin(struct rn_progress *progress, const struct rn_terminal *term)
{
	progress->f = stderr;
	progress->width = term->width;
	progress->begin_ns = rn_mono_ns();
}

struct rn_output rn_progress_output(struct rn_progress *progress, const struct rn_output *to,
				    const struct rn_terminal *term)
{
	rn_progress_begin(progress, term);
	progress->to = to;
	return (struct rn_output){.self = progress,
				  .begin = begin,
				  .row = row,
				  .other = to->other ? other : NULL,
				  .share = to->share ? share : NULL,
				  .partial = to->partial ? partial : NULL,
				  .snapshot = to->snapshot ? snapshot : NULL,
				  .end = end};
}

int rn_progress_nodes(char *to, size_t n, const struct rn_fleet_status *status)
{
	if (!status->nodes)
		return 0;
	if (status->attached < status->nodes)
		return snprintf(to, n, "%u of %u nodes attached, %u answering, %u late; ",
				status->attached, status->nodes, status->answering, status->late);
	return snprintf(to, n, "%u node%s attached, %u answering, %u late; ", status->attached,
			status->nodes == 1 ? "" : "s", status->answering, status->late);
}

/* True: events do not count yet, and only that was shown. */
static bool waits_for_first(struct rn_progress *p)
{
	time_t s = (time_t)(p->first_ns / 1000000000);
	struct timespec now;
	struct tm tm;
	char text[16];

	clock_gettime(CLOCK_REALTIME, &now);
	if (!p->first_ns || now.tv_sec * 1000000000LL + now.tv_nsec >= p->first_ns)
		return false;
	(void)strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&s, &tm));
	fprintf(p->f, "\rfirst window begins %s\033[K", text);
	fflush(p->f);
	return p->shown = true;
}

void rn_progress_first(struct rn_progress *progress, int64_t first_ns)
{
	progress->first_ns = first_ns;
	if (!progress->waits)
		waits_for_first(progress);
}

static void draw(struct rn_progress *p, char *line)
{
	/* a line that wraps could not be written over */
	if (p->width && strlen(line) >= p->width)
		line[p->width - 1] = 0;
	fprintf(p->f, "\r%s\033[K", line);
	fflush(p->f);
	p->shown = true;
}

/* "3 of 4 nodes ready; waiting for a, b, c and 2 more". Returns its length. */
static size_t wait_text(char *to, size_t cap, const struct rn_fleet_status *s, bool counts)
{
	size_t n = 0;

	if (counts && s->ready + s->failed)
		n = (size_t)snprintf(to, cap, "%u of %u nodes ready", s->ready,
				     s->ready + s->failed + s->nawaited);
	if (counts && s->failed)
		n += (size_t)snprintf(to + n, cap - n, ", %u failed", s->failed);
	n += (size_t)snprintf(to + n, cap - n, "%swaiting for ", n ? "; " : "");
	for (unsigned i = 0; i < s->nawaited && i < RN_FLEET_AWAITED; i++)
		n += (size_t)snprintf(to + n, cap - n, "%s%.60s", i ? ", " : "", s->awaited[i]);
	if (s->nawaited > RN_FLEET_AWAITED)
		n += (size_t)snprintf(to + n, cap - n, " and %u more",
				      s->nawaited - RN_FLEET_AWAITED);
	return n;
}

/* "3 of 4 nodes ready; waiting for down: ssh root@10.0.0.7, 4 s". If there is no room, the counts
 * and the end of how the node is reached are left out: the seconds say that something happens. */
static void show_wait(struct rn_progress *p, const struct rn_fleet_status *s)
{
	char line[512], seconds[24], reached[256] = "";
	size_t width = p->width ? p->width : sizeof(line), n, ns;
	int room;

	ns = (size_t)snprintf(seconds, sizeof(seconds), ", %lld s",
			      (long long)(s->waited_ns / 1000000000));
	n = wait_text(line, sizeof(line), s, true);
	if (n + ns >= width)
		n = wait_text(line, sizeof(line), s, false);
	if (s->nawaited == 1 && s->reached_by)
		snprintf(reached, sizeof(reached), ": %s", s->reached_by);
	room = (int)width - 1 - (int)n - (int)ns;
	if ((int)strlen(reached) > room && room > 5)
		snprintf(reached + room - 3, 4, "...");
	else if ((int)strlen(reached) > room)
		reached[0] = 0;
	snprintf(line + n, sizeof(line) - n, "%s%s", reached, seconds);
	rn_str_printable(line);
	draw(p, line);
}

void rn_progress_show(struct rn_progress *progress, const struct rn_fleet_status *status)
{
	char line[256], *text, n[32];
	int64_t seen = status->seen;
	int used = rn_progress_nodes(line, sizeof(line), status);
	size_t left = sizeof(line) - (size_t)used;
	long long seconds = (long long)((rn_mono_ns() - progress->begin_ns) / 1000000000);
	bool moving = progress->rows != progress->told;

	if (status->waits) {
		show_wait(progress, status);
		return;
	}
	if (progress->waits || waits_for_first(progress))
		return;
	text = line + used;
	progress->told = progress->rows;
	if (moving && !progress->apart) /* the rows may not be on the screen yet */
		return;
	if (progress->rows)
		snprintf(text, left, "%s row%s, %lld s", rn_text_commas(n, progress->rows),
			 progress->rows == 1 ? "" : "s", seconds);
	else if (seen && progress->groups)
		snprintf(text, left, "%s event%s, %lld s", rn_text_commas(n, seen),
			 seen == 1 ? "" : "s", seconds);
	else if (seen)
		snprintf(text, left, "waiting: %s event%s seen, none matched yet",
			 rn_text_commas(n, seen), seen == 1 ? "" : "s");
	else
		snprintf(text, left, progress->groups ? "%lld s" : "waiting: nothing yet, %lld s",
			 seconds);
	draw(progress, line);
}

void rn_progress_erase(struct rn_progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", progress->f);
	fflush(progress->f);
	progress->shown = false;
}
