/* client PROTOCOL [PHASE...] -- PROGRAM [ARGUMENT...]
 * client starts EXTENSIONS -- PROGRAM [ARGUMENT...]
 *
 * Starts a program, waits until its tool `echo` can be called, times the phases, ends it, and
 * prints one JSON object. It knows the protocols line by line and no more, so what it costs is the
 * same for every program.
 *
 * PROTOCOL  lines      the extension protocol; replies are any lines with the id of the call
 *           extension  the extension protocol
 *           mcp        the Model Context Protocol over stdio, revision 2025-11-25
 *           mcp-modern revision 2026-07-28 of it, without a handshake
 * PHASE     one:TEXT:WARM_UP:CALLS:SECONDS        one call at a time
 *           many:TEXT:WARM_UP:CALLS:SECONDS:OPEN  OPEN calls at a time
 *           TEXT is the length of the argument; a phase takes CALLS calls and SECONDS at least
 *
 * `starts` starts many extensions at once, see starts.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static enum protocol protocol_named(const char *name) {
    if (strcmp(name, "lines") == 0) return PROTOCOL_LINES;
    if (strcmp(name, "extension") == 0) return PROTOCOL_EXTENSION;
    if (strcmp(name, "mcp") == 0) return PROTOCOL_MCP;
    if (strcmp(name, "mcp-modern") == 0) return PROTOCOL_MCP_MODERN;
    stop("no such protocol: %s", name);
}

static void run_phase(enum protocol protocol, const char *phase, int is_first) {
    char mode[8];
    size_t text;
    long warm_up, calls;
    double seconds;
    int open = 1;
    int fields = sscanf(phase, "%7[a-z]:%zu:%ld:%ld:%lf:%d", mode, &text, &warm_up, &calls, &seconds, &open);
    int is_many = strcmp(mode, "many") == 0;
    if (fields != (is_many ? 6 : 5) || (!is_many && strcmp(mode, "one") != 0)) stop("no such phase: %s", phase);
    calls_prepare(protocol, text);
    struct figures figures = is_many ? calls_in_flight(open, warm_up, calls, seconds)
                                     : calls_one_by_one(warm_up, calls, seconds);
    printf("%s{\"phase\":\"%s\",\"calls\":%ld,\"seconds\":%.6f,\"calls_per_s\":%.1f,\"child_cpu_us\":%.3f,"
           "\"client_cpu_us\":%.3f,\"peak_kb\":%ld",
           is_first ? "" : ",", phase, figures.calls, figures.seconds, (double)figures.calls / figures.seconds,
           figures.child_cpu_us, figures.client_cpu_us, child_peak_kb());
    if (!is_many) printf(",\"p50_us\":%.3f,\"p99_us\":%.3f", figures.p50_us, figures.p99_us);
    printf("}");
}

int main(int count, char **arguments) {
    int at = 1;
    errno = 0;
    if (at >= count) stop("usage: client PROTOCOL [PHASE...] -- PROGRAM [ARGUMENT...]");
    if (strcmp(arguments[1], "starts") == 0) {
        if (count < 5 || strcmp(arguments[3], "--") != 0) stop("usage: client starts EXTENSIONS -- PROGRAM [ARGUMENT...]");
        starts(atoi(arguments[2]), arguments + 4);
        return 0;
    }
    enum protocol protocol = protocol_named(arguments[at++]);
    int first = at;
    while (at < count && strcmp(arguments[at], "--") != 0) at++;
    if (at + 1 >= count) stop("no program behind --");

    int64_t before = now_ns();
    child_start(arguments + at + 1);
    handshake(protocol);
    printf("{\"start_ms\":%.3f,\"start_cpu_ms\":%.3f,\"phases\":[", (double)(now_ns() - before) / 1e6,
           (double)child_cpu_ns() / 1e6);
    for (int phase = first; phase < at; phase++) run_phase(protocol, arguments[phase], phase == first);
    int64_t answered = calls_first_answered_ns();
    printf("]");
    if (answered) printf(",\"answer_ms\":%.3f", (double)(answered - before) / 1e6);
    printf(",\"peak_kb\":%ld}\n", child_peak_kb());
    child_end(protocol >= PROTOCOL_MCP ? PROTOCOL_MCP : PROTOCOL_EXTENSION);
    return 0;
}
