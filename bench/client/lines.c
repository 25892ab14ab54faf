/* Whole lines out of the child's stdout. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { ROOM = 1 << 16 };

static char *buffer;
static size_t capacity;
static size_t start, searched, end; /* no line end stands between start and searched */

int lines_fill(void) {
    if (start == end) start = searched = end = 0;
    if (capacity - end < ROOM && start > 0) {
        memmove(buffer, buffer + start, end - start);
        end -= start;
        searched -= start;
        start = 0;
    }
    if (capacity - end < ROOM) {
        capacity = capacity == 0 ? 4 * ROOM : 2 * capacity;
        buffer = realloc(buffer, capacity);
        if (!buffer) stop("no memory");
    }
    for (;;) {
        ssize_t count = read(child.output, buffer + end, capacity - end);
        if (count > 0) {
            end += (size_t)count;
            return 1;
        }
        if (count == 0) {
            errno = 0;
            stop("the child closed its stdout");
        }
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) stop("cannot read from the child");
    }
}

char *lines_next(size_t *length) {
    if (searched == end) return NULL;
    char *line_end = memchr(buffer + searched, '\n', end - searched);
    if (!line_end) {
        searched = end;
        return NULL;
    }
    char *line = buffer + start;
    *length = (size_t)(line_end - line);
    start = searched = (size_t)(line_end + 1 - buffer);
    return line;
}

char *lines_wait(size_t *length) {
    char *line;
    while (!(line = lines_next(length))) {
        struct pollfd output = {child.output, POLLIN, 0};
        if (poll(&output, 1, 30000) == 0) {
            errno = 0;
            stop("the child said nothing for 30 s");
        }
        lines_fill();
    }
    return line;
}
