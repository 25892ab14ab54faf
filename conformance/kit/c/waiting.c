/* Tools that take their time, and tell of it. */
#include <stdatomic.h>
#include <time.h>

#include "kit.h"

#define SCHEMA_NAME "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"
#define SCHEMA_COUNT \
    "{\"type\":\"object\",\"properties\":{\"count\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"count\"]}"
#define SCHEMA_TIME \
    "{\"type\":\"object\",\"properties\":{\"ms\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"ms\"]}"
#define SCHEMA_UPDATES \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":0}," \
    "\"ms\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"n\",\"ms\"]}"
#define SCHEMA_NOTES \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"n\"]}"
#define SCHEMA_LOG \
    "{\"type\":\"object\",\"properties\":{\"level\":{\"enum\":[\"info\",\"warn\",\"error\"]}," \
    "\"message\":{\"type\":\"string\"}},\"required\":[\"level\",\"message\"]}"

static void hold_tool(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str name;
    if (extline_args_string(call, "/name", &name) == EXTLINE_OK) hold(call, name);
}

static void release_tool(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str name;
    if (extline_args_string(call, "/name", &name) != EXTLINE_OK) return;
    release(name);
    extline_call_text(call, "released");
}

static void counter(void *user, extline_call *call, extline_str args) {
    static atomic_int calls;
    (void)user, (void)args;
    extline_call_textf(call, "%d", atomic_fetch_add(&calls, 1) + 1);
}

static void order(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t count;
    if (extline_args_int(call, "/count", &count) == EXTLINE_OK) answer_labels(call, (size_t)count);
}

static void cancelled(extline_call *call) {
    extline_call_error(call, "cancelled", "cancelled");
}

static void sleep_tool(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t ms;
    if (extline_args_int(call, "/ms", &ms) != EXTLINE_OK) return;
    if (extline_call_sleep_ms(call, (uint32_t)ms) != EXTLINE_OK)
        cancelled(call);
    else
        extline_call_text(call, "slept");
}

static void answer_as_cancelled(void *user, extline_call *call) {
    (void)user;
    cancelled(call);
    extline_call_release(call);
}

static void await_cancel(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_update(call, "waiting");
    extline_call_on_cancel(extline_call_retain(call), answer_as_cancelled, NULL, NULL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void busy(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t ms;
    if (extline_args_int(call, "/ms", &ms) != EXTLINE_OK) return;
    double end = now() + (double)ms / 1000;
    while (now() < end && !extline_call_cancelled(call)) continue;
    extline_call_textf(call, "cancelled: %s", extline_call_cancelled(call) ? "true" : "false");
}

static void updates(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t n, ms;
    if (extline_args_int(call, "/n", &n) != EXTLINE_OK) return;
    if (extline_args_int(call, "/ms", &ms) != EXTLINE_OK) return;
    for (int64_t i = 1; i <= n; i++) {
        char message[40];
        snprintf(message, sizeof message, "step %d", (int)i);
        extline_update_options update = {EXTLINE_UPDATE_OPTIONS_INIT};
        update.message = message;
        update.done = (double)i;
        update.total = (double)n;
        extline_call_update_with(call, &update);
        if (extline_call_sleep_ms(call, (uint32_t)ms) != EXTLINE_OK) {
            cancelled(call);
            return;
        }
    }
    extline_call_text(call, "done");
}

static void notify_then(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t n;
    if (extline_args_int(call, "/n", &n) != EXTLINE_OK) return;
    for (int64_t i = 1; i <= n; i++) {
        char note[40];
        snprintf(note, sizeof note, "note %d", (int)i);
        extline_notify(extline_call_extension(call), "info", note);
    }
    extline_call_text(call, "done");
}

static void log_tool(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str level, message;
    if (extline_args_string(call, "/level", &level) != EXTLINE_OK) return;
    if (extline_args_string(call, "/message", &message) != EXTLINE_OK) return;
    extline_log(extline_call_extension(call), level.ptr, message.ptr, NULL);
    extline_call_text(call, "logged");
}

void add_waiting(extline_extension *kit) {
    add_tool(kit, "hold", "Waits until its name is released.", SCHEMA_NAME, hold_tool);
    add_tool(kit, "release", "Lets what holds a name go on.", SCHEMA_NAME, release_tool);
    add_tool(kit, "counter", "Counts its calls.", SCHEMA_NONE, counter);
    add_tool(kit, "order", "Tells in which order events came.", SCHEMA_COUNT, order);
    add_tool(kit, "sleep", "Waits for a while.", SCHEMA_TIME, sleep_tool);
    add_tool(kit, "await_cancel", "Waits for its cancel.", SCHEMA_NONE, await_cancel);
    add_tool(kit, "busy", "Computes until it is cancelled.", SCHEMA_TIME, busy);
    add_tool(kit, "updates", "Tells how far it is.", SCHEMA_UPDATES, updates);
    add_tool(kit, "notify_then", "Writes notes, then answers.", SCHEMA_NOTES, notify_then);
    add_tool(kit, "log", "Writes a log line.", SCHEMA_LOG, log_tool);
}
