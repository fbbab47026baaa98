/* clock.c - the distance of two clocks. */
#include "lang/base/clock.h"

int64_t rn_clock_behind_ns(clockid_t clock)
{
	int64_t best = INT64_MAX, behind = 0;

	for (int i = 0; i < 5; i++) {
		int64_t a = rn_clock_ns(clock), epoch = rn_epoch_ns(), b = rn_clock_ns(clock);

		if (b - a < best) {
			best = b - a;
			behind = epoch - a - (b - a) / 2;
		}
	}
	return behind;
}

int64_t rn_event_clock_base(void)
{
	return rn_clock_behind_ns(CLOCK_MONOTONIC);
}
