/* Tools that take their time, are cancelled, or answer later. The first argument, if given, is how
 * many handlers may run at a time. */
#include <stdatomic.h>

#include "common.h"

/* Until it is cancelled, for 30 s at most. */
static void nap(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    for (int looks = 0; looks < 30000 && !extline_call_cancelled(call); looks++)
        pause_ms(1);
    extline_call_text(call, extline_call_cancelled(call) ? "cancelled" : "slept");
}

/* The 2 seconds of the issue. */
static void doze(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_result slept = extline_call_sleep_ms(call, 2000);
    extline_call_text(call, slept == EXTLINE_CANCELLED ? "woken" : "slept");
}

static void compute(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    while (!extline_call_cancelled(call))
        ;
    extline_call_text(call, "stopped");
}

/* The name of the thread that runs it. */
static void quick(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    char name[64] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    extline_call_text(call, name);
}

static atomic_bool told;

/* Lets those go on that wait for it. */
static void tell(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    atomic_store(&told, true);
    extline_call_text(call, "told");
}

/* Keeps its thread until then, sees no cancel. */
static void keep(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    while (!atomic_load(&told))
        pause_ms(1);
    extline_call_text(call, "kept");
}

static void echo(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_str text;
    if (extline_args_string(call, "/text", &text) != EXTLINE_OK)
        return;
    extline_call_text_n(call, text.ptr, text.len);
}

static void large(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    int64_t size;
    if (extline_args_int(call, "/n", &size) != EXTLINE_OK)
        return;
    char *text = malloc((size_t)size);
    memset(text, 'y', (size_t)size);
    extline_call_text_n(call, text, (size_t)size);
    free(text);
}

static int running;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

/* How many of its calls run at this moment. */
static void alone(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    pthread_mutex_lock(&counting);
    int now = ++running;
    pthread_mutex_unlock(&counting);
    pause_ms(20);
    pthread_mutex_lock(&counting);
    running--;
    pthread_mutex_unlock(&counting);
    extline_call_textf(call, "%d", now);
}

static void *answer_later(void *argument) {
    extline_call *call = argument;
    pause_ms(50);
    if (extline_call_cancelled(call))
        extline_call_text(call, "cancelled meanwhile");
    else
        extline_call_text(call, "later");
    extline_call_release(call);
    return NULL;
}

/* Answered by another thread, when the handler has returned. */
static void later(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    in_a_thread(answer_later, call);
}

static void *answer_when_told(void *argument) {
    extline_call *call = argument;
    while (!atomic_load(&told))
        pause_ms(1);
    extline_call_text(call, "when told");
    extline_call_release(call);
    return NULL;
}

/* The same, after a call of `tell`. */
static void when_told(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    in_a_thread(answer_when_told, call);
}

/* Given back by another thread, without an answer. */
static void *let_go(void *argument) {
    pause_ms(20);
    extline_call_release(argument);
    return NULL;
}

static void forgotten(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    in_a_thread(let_go, call);
}

static void silent(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(call), UNUSED(args);
}

/* Answers when its cancel comes, in whichever thread that is. */
static void tell_cancel(void *user, extline_call *call) {
    extline_call_text(call, user);
    extline_call_release(call);
}

static void waits_for_cancel(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_call_on_cancel(extline_call_retain(call), tell_cancel, "told", NULL);
}

static void *say(void *argument) {
    extline_call *call = argument;
    for (int times = 0; times < 50; times++)
        extline_notify(extline_call_extension(call), "info", "said");
    return NULL;
}

/* Four threads of the author's talk at once. */
static void spread(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    pthread_t threads[4];
    for (int at = 0; at < 4; at++)
        pthread_create(&threads[at], NULL, say, call);
    for (int at = 0; at < 4; at++)
        pthread_join(threads[at], NULL);
    extline_call_text(call, "all said");
}

/* Talks until it is cancelled. */
static void chatter(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    while (!extline_call_cancelled(call))
        extline_notify(extline_call_extension(call), "info", "x");
    extline_call_text(call, "quiet");
}

int main(int count, char **arguments) {
    extline_extension *ext = extline_new("calls", "1.0.0");
    if (count > 1)
        must(extline_set_max_threads(ext, (uint32_t)atoi(arguments[1])));
    add_tool(ext, "nap", nap);
    add_tool(ext, "doze", doze);
    add_tool(ext, "compute", compute);
    add_tool(ext, "quick", quick);
    add_tool(ext, "keep", keep);
    add_tool(ext, "echo", echo);
    add_tool(ext, "large", large);
    add_tool(ext, "alone", alone);
    add_tool(ext, "later", later);
    add_tool(ext, "when_told", when_told);
    add_tool(ext, "tell", tell);
    add_tool(ext, "forgotten", forgotten);
    add_tool(ext, "silent", silent);
    add_tool(ext, "waits_for_cancel", waits_for_cancel);
    add_tool(ext, "spread", spread);
    add_tool(ext, "chatter", chatter);
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
