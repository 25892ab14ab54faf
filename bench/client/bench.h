/* What the parts of the client share. Each .c file says what it is for. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum protocol { PROTOCOL_LINES, PROTOCOL_EXTENSION, PROTOCOL_MCP, PROTOCOL_MCP_MODERN };
/* What every request of the modern era says of itself. */
#define MODERN_META                                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                               \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                                                   \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}"

/* child.c: the program under test. */
struct child {
    pid_t pid;
    int input;  /* its stdin */
    int output; /* its stdout */
};
extern struct child child;
/* Ends the client and its child with a reason. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));
void child_start(char **argv);
int64_t child_cpu_ns(void);
long child_peak_kb(void);
void child_end(enum protocol protocol);

/* lines.c: whole lines out of the child's stdout. */
int lines_fill(void);             /* 1: bytes came; 0: a read would block */
char *lines_next(size_t *length); /* NULL: no whole line is there */
char *lines_wait(size_t *length); /* waits, at most 30 s */

/* json.c: as much of JSON as a reply needs. */
const char *json_member(const char *line, size_t length, const char *name);
int json_is_string(const char *line, size_t length, const char *name, const char *value);

/* handshake.c: until the tool can be called. */
void handshake(enum protocol protocol);

/* calls.c: calls that are timed. */
struct figures {
    long calls;
    double seconds, p50_us, p99_us, child_cpu_us, client_cpu_us;
};
void calls_prepare(enum protocol protocol, size_t text_bytes);
struct figures calls_one_by_one(long warm_up, long calls, double least_seconds);
int64_t calls_first_answered_ns(void); /* 0: none was */
struct figures calls_in_flight(int in_flight, long warm_up, long calls, double least_seconds);

/* starts.c: many extensions at once, each with a tool of its own. Prints the figures. */
void starts(int count, char **argv);

/* clock.c */
int64_t now_ns(void);
int64_t own_cpu_ns(void);

#endif
