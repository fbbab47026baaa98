/* clock.h - the current time, in nanoseconds. Any thread may call these functions. */
#ifndef RN_LANG_BASE_CLOCK_H
#define RN_LANG_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

/* The time by the clock with this number. */
static inline int64_t rn_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Time since a moment before this machine started, without suspended time: CLOCK_MONOTONIC. */
static inline int64_t rn_mono_ns(void)
{
	return rn_clock_ns(CLOCK_MONOTONIC);
}

/* Since the epoch: CLOCK_REALTIME. */
static inline int64_t rn_epoch_ns(void)
{
	return rn_clock_ns(CLOCK_REALTIME);
}

/* The moment `ms` milliseconds from now, by CLOCK_MONOTONIC: for pthread_cond_timedwait. */
static inline struct timespec rn_mono_after_ms(int64_t ms)
{
	int64_t ns = rn_mono_ns() + ms * 1000000;

	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* How far a clock is behind the epoch clock: the smallest of a few readings. */
int64_t rn_clock_behind_ns(clockid_t clock);
/* The same for the monotonic clock. A process calls this once. Its event clock, rn_mono_ns() plus
 * the result, then never jumps. */
int64_t rn_event_clock_base(void);
#endif
