/* Calls that are timed: one at a time, and many in flight.
 *
 * Each is `echo` with a text that looks like source code. Requests are built once; only the seven
 * digits of the id are written anew. While warming up every reply is compared in full; later one
 * is known by its length and its id, and compared in full again when the length is another. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { DIGITS = 7, FIRST_ID = 1000000, LAST_ID = 9990000, SAMPLES = 1000000, BATCH = 32768 };

static enum protocol protocol;
static char *requests; /* `copies` of the same line */
static size_t request_length, copies, id_offset;
static char *text; /* as it must stand in the reply */
static size_t text_length;
static size_t reply_length, reply_id_offset; /* of the last reply compared in full; 0: none */
static long next_id = FIRST_ID;
static int64_t first_answered;

/* Its escapes (\t \" \n) are written the same way by every encoder. */
static void make_text(size_t bytes) {
    static const char line[] = "\\tlet row = table.get(\\\"key\\\")?; // the next row, or none\\n";
    text = realloc(text, 2 * bytes + 2);
    if (!text) stop("no memory");
    const char *from = line;
    text_length = 0;
    for (size_t made = 0; made < bytes; made++) {
        if (*from == 0) from = line;
        if (*from == '\\') text[text_length++] = *from++;
        text[text_length++] = *from++;
    }
}

static char *append(char *to, const char *part) { return stpcpy(to, part); }

void calls_prepare(enum protocol with, size_t text_bytes) {
    static const char *before[] = {"{\"type\":\"tool_call\",\"id\":\"", "{\"type\":\"tool_call\",\"id\":\"",
                                   "{\"jsonrpc\":\"2.0\",\"id\":", "{\"jsonrpc\":\"2.0\",\"id\":"};
    static const char *between[] = {
        "\",\"name\":\"echo\",\"args\":{\"text\":\"", "\",\"name\":\"echo\",\"args\":{\"text\":\"",
        ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"",
        ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\""};
    static const char *behind[] = {"\"}}\n", "\"}}\n", "\"}}}\n", "\"}," MODERN_META "}}\n"};
    protocol = with;
    reply_length = 0;
    make_text(text_bytes);
    id_offset = strlen(before[with]);
    request_length = id_offset + DIGITS + strlen(between[with]) + text_length + strlen(behind[with]);
    copies = request_length < BATCH ? BATCH / request_length : 1;
    requests = realloc(requests, request_length * copies + 1);
    if (!requests) stop("no memory");
    char *at = requests;
    for (size_t copy = 0; copy < copies; copy++) {
        at = append(at, before[with]);
        at = append(at, "0000000");
        at = append(at, between[with]);
        memcpy(at, text, text_length);
        at = append(at + text_length, behind[with]);
    }
}

static void set_id(size_t copy, long id) {
    char *digit = requests + copy * request_length + id_offset + DIGITS;
    for (int n = 0; n < DIGITS; n++, id /= 10) *--digit = (char)('0' + id % 10);
}

static long read_id(const char *at) {
    long id = 0;
    for (int n = 0; n < DIGITS; n++) {
        if (at[n] < '0' || at[n] > '9') return -1;
        id = 10 * id + (at[n] - '0');
    }
    return id;
}

/* The id of a reply; -1 for a line that is none. Ends the run for one that is wrong. */
static long check_reply(const char *line, size_t length, int in_full) {
    if (!in_full && length == reply_length) {
        long id = read_id(line + reply_id_offset);
        if (id >= 0) return id;
    }
    const char *at = json_member(line, length, "id");
    if (!at) return -1;
    if (*at == '"') at++;
    if (protocol == PROTOCOL_EXTENSION && !json_is_string(line, length, "type", "tool_result")) return -1;
    if (protocol >= PROTOCOL_MCP && json_member(line, length, "method")) return -1;
    long id = at + DIGITS < line + length ? read_id(at) : -1;
    errno = 0;
    if (id < 0 || !memmem(line, length, text, text_length) || json_member(line, length, "error") ||
        memmem(line, length, "\"is_error\":true", 15) || memmem(line, length, "\"isError\":true", 14)) {
        stop("a wrong reply: %.*s", (int)(length < 400 ? length : 400), line);
    }
    reply_length = length;
    reply_id_offset = (size_t)(at - line);
    if (!first_answered) first_answered = now_ns();
    return id;
}

int64_t calls_first_answered_ns(void) { return first_answered; }

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(child.input, bytes, count);
        if (written < 0 && errno != EINTR) stop("cannot write to the child");
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
}

static long call_one_by_one(long calls, double least_seconds, uint32_t *took_ns, int in_full) {
    int64_t least = now_ns() + (int64_t)(least_seconds * 1e9), answered = 0;
    long done = 0;
    while (done < SAMPLES && (done < calls || answered < least)) {
        long id = next_id++, reply;
        set_id(0, id);
        int64_t asked = now_ns();
        write_all(requests, request_length);
        do {
            size_t length;
            char *line;
            while (!(line = lines_next(&length))) lines_fill();
            reply = check_reply(line, length, in_full);
        } while (reply < 0);
        answered = now_ns();
        errno = 0;
        if (reply != id) stop("call %ld was answered by %ld", id, reply);
        if (took_ns) took_ns[done] = (uint32_t)(answered - asked);
        done++;
    }
    return done;
}

/* Keeps `in_flight` calls open; those that may be sent at once go in one write. */
static long call_in_flight(int in_flight, long calls, double least_seconds, int in_full) {
    static char is_open[10000000]; /* by id */
    int64_t least = now_ns() + (int64_t)(least_seconds * 1e9);
    long sent = 0, done = 0;
    size_t unwritten = 0, written = 0;
    fcntl(child.input, F_SETFL, O_NONBLOCK);
    fcntl(child.output, F_SETFL, O_NONBLOCK);
    for (;;) {
        int is_full = 0;
        while (!is_full) {
            if (written == unwritten) {
                int more = next_id < LAST_ID && (sent < calls || now_ns() < least);
                long batch = more ? in_flight - (sent - done) : 0;
                if (batch > (long)copies) batch = (long)copies;
                if (batch <= 0) break;
                for (long copy = 0; copy < batch; copy++) {
                    is_open[next_id] = 1;
                    set_id((size_t)copy, next_id++);
                }
                sent += batch;
                written = 0;
                unwritten = (size_t)batch * request_length;
            }
            ssize_t count = write(child.input, requests + written, unwritten - written);
            if (count > 0) written += (size_t)count;
            else if (errno == EAGAIN) is_full = 1;
            else if (errno != EINTR) stop("cannot write to the child");
        }
        struct pollfd ends[] = {{child.output, POLLIN, 0}, {is_full ? child.input : -1, POLLOUT, 0}};
        if (done == sent) break;
        if (poll(ends, 2, 30000) == 0) {
            errno = 0;
            stop("no answer for 30 s");
        }
        if (!ends[0].revents || !lines_fill()) continue;
        size_t length;
        char *line;
        while ((line = lines_next(&length))) {
            long id = check_reply(line, length, in_full);
            if (id < 0) continue;
            errno = 0;
            if (id >= next_id || !is_open[id]) stop("%ld was answered and not asked", id);
            is_open[id] = 0;
            done++;
        }
    }
    fcntl(child.input, F_SETFL, 0);
    fcntl(child.output, F_SETFL, 0);
    return done;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

struct clocks {
    int64_t wall, child, own;
};

static struct clocks read_clocks(void) { return (struct clocks){now_ns(), child_cpu_ns(), own_cpu_ns()}; }

static struct figures figures_since(struct clocks before, long calls) {
    struct clocks after = read_clocks();
    return (struct figures){
        .calls = calls,
        .seconds = (double)(after.wall - before.wall) / 1e9,
        .child_cpu_us = (double)(after.child - before.child) / 1e3 / (double)calls,
        .client_cpu_us = (double)(after.own - before.own) / 1e3 / (double)calls,
    };
}

struct figures calls_one_by_one(long warm_up, long calls, double least_seconds) {
    static uint32_t took_ns[SAMPLES];
    call_one_by_one(warm_up, 0, NULL, 1);
    struct clocks before = read_clocks();
    long done = call_one_by_one(calls, least_seconds, took_ns, 0);
    struct figures figures = figures_since(before, done);
    qsort(took_ns, (size_t)done, sizeof *took_ns, compare);
    figures.p50_us = took_ns[done / 2] / 1e3;
    figures.p99_us = took_ns[done * 99 / 100] / 1e3;
    return figures;
}

struct figures calls_in_flight(int in_flight, long warm_up, long calls, double least_seconds) {
    call_in_flight(in_flight, warm_up, 0, 1);
    struct clocks before = read_clocks();
    long done = call_in_flight(in_flight, calls, least_seconds, 0);
    return figures_since(before, done);
}
