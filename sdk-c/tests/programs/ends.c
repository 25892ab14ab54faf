/* How an extension ends. The first argument, if given, is what its setup does. */
#include "common.h"

static void stuck(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(call), UNUSED(args);
    for (;;)
        pause_ms(10);
}

static void computing(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(call), UNUSED(args);
    for (volatile int forever = 1; forever;)
        ;
}

static void patient(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    if (extline_call_sleep_ms(call, 30000) == EXTLINE_CANCELLED)
        extline_call_text(call, "in time");
}

/* Its answer never comes, though its handler has returned. */
static void kept(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_call_retain(call);
}

static void well(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_call_text(call, "well");
}

/* More than a pipe holds. */
static void big(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    char *text = calloc(1, 100001);
    memset(text, 'x', 100000);
    extline_call_text(call, text);
    free(text);
}

static extline_result begin(void *user, extline_extension *ext) {
    const char *what = user;
    if (strcmp(what, "fails") == 0)
        return EXTLINE_IO;
    if (strcmp(what, "gives up") == 0) {
        pause_ms(300);
        return EXTLINE_CANCELLED;
    }
    if (strcmp(what, "slowly") == 0) {
        pause_ms(300);
        add_tool(ext, "late", well);
    }
    return EXTLINE_OK;
}

static extline_result down(void *user, extline_extension *ext) {
    UNUSED(user);
    extline_notify(ext, "info", "down");
    return EXTLINE_OK;
}

static void dropped(void *user) { fprintf(stderr, "dropped %s\n", (const char *)user); }

static void *sleep_for_ever(void *unused) {
    for (;;)
        pause();
    return unused;
}

static void at_exit(void) { fprintf(stderr, "at exit\n"); }

int main(int count, char **arguments) {
    atexit(at_exit);
    extline_extension *ext = extline_new("ends", "1.0.0");
    char *what = count > 1 ? arguments[1] : "nothing";
    must(extline_setup(ext, begin, what, dropped));
    must(extline_teardown(ext, down, NULL, NULL));
    if (strcmp(what, "requires") == 0)
        must(extline_require(ext, "capability", "call_tool"));
    add_tool(ext, "stuck", stuck);
    add_tool(ext, "computing", computing);
    add_tool(ext, "patient", patient);
    add_tool(ext, "kept", kept);
    add_tool(ext, "well", well);
    add_tool(ext, "big", big);
    if (strcmp(what, "threads") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, sleep_for_ever, NULL);
    }
    int status = extline_run(ext);
    if (status != 0)
        fprintf(stderr, "run: %s\n", extline_last_error());
    fprintf(stderr, "after run\n");
    extline_free(ext);
    if (strcmp(what, "lingers") == 0)
        sleep_for_ever(NULL);
    return status;
}
