/* bench.h - what the benchmarks share: clocks, the median, a CPU of one's own. */
#ifndef RN_TESTS_BENCH_BENCH_H
#define RN_TESTS_BENCH_BENCH_H
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}
static inline void bench_pin(int cpu)
{
	cpu_set_t s;
	CPU_ZERO(&s);
	CPU_SET(cpu, &s);
	sched_setaffinity(0, sizeof(s), &s);
}
static inline int bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
/* Sorts v. */
static inline double bench_median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), bench_by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
#endif
