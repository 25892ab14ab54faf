/* The clocks that figures are taken from. */
#define _GNU_SOURCE
#include <time.h>

#include "bench.h"

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) stop("no clock");
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int64_t now_ns(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t own_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

/* Of all threads of the child. */
int64_t child_cpu_ns(void) {
    clockid_t clock;
    if (clock_getcpuclockid(child.pid, &clock) != 0) stop("the child has no clock");
    return read_clock(clock);
}
