/* Tools that do what an extension should not. */
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "kit.h"

#define SCHEMA_FAIL "{\"type\":\"object\",\"properties\":{\"how\":{\"type\":\"string\"}},\"required\":[\"how\"]}"
#define SCHEMA_STRAY \
    "{\"type\":\"object\",\"properties\":{\"via\":{\"enum\":[\"print\",\"write\",\"child\",\"at_exit\"]}}," \
    "\"required\":[\"via\"]}"
#define SCHEMA_SIZE \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"n\"]}"

#ifdef _WIN32
/* Its shell has no `cat`, and keeps the status of what found no line. */
#define READ_AND_SAY "set /p line=& echo stray child& exit 0"
#define READ "set /p line="
#else
#define READ_AND_SAY "cat; echo stray child"
#define READ "exec cat"
#endif

static void fail_in_full(extline_call *call) {
    static const char *const causes[] = {"first", "second"};
    extline_error_options error = {EXTLINE_ERROR_OPTIONS_INIT};
    error.kind = "conflict";
    error.message = MESSAGE;
    error.field = "/how";
    error.hint = "ask for something else";
    error.causes = causes;
    error.cause_count = 2;
    error.retry_after_ms = 1500;
    extline_call_fail(call, &error);
}

static void fail(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str how;
    if (extline_args_string(call, "/how", &how) != EXTLINE_OK) return;
    if (strcmp(how.ptr, "full") == 0)
        fail_in_full(call);
    else if (strcmp(how.ptr, "throw") == 0) /* C has no exceptions: it says so */
        extline_call_error(call, "internal", MESSAGE);
    else if (strcmp(how.ptr, "panic") == 0) /* the worst that can still be caught: no answer */
        return;
    else if (strcmp(how.ptr, "return") == 0) /* refused, so there is no answer either */
        extline_call_json(call, "{\"no\":");
    else if (strcmp(how.ptr, "exit") == 0)
        _exit(7);
    else if (strcmp(how.ptr, "abort") == 0)
        abort();
    else
        extline_call_error(call, how.ptr, MESSAGE);
}

static void print_at_exit(void) {
    puts("stray at_exit");
}

static int write_stray(const char *via) {
    if (strcmp(via, "print") == 0) return printf("stray print\nhalf a line") < 0 || fflush(stdout) != 0;
    if (strcmp(via, "write") == 0) return write(STDOUT_FILENO, "stray write\n", 12) != 12;
    if (strcmp(via, "child") == 0) return system(READ_AND_SAY) != 0;
    return atexit(print_at_exit) != 0;
}

static void stray(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str via;
    if (extline_args_string(call, "/via", &via) != EXTLINE_OK) return;
    if (write_stray(via.ptr) != 0)
        extline_call_error(call, "internal", "it could not be written");
    else
        extline_call_text(call, "printed");
}

static void write_to_stderr(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t n;
    if (extline_args_int(call, "/n", &n) != EXTLINE_OK) return;
    char *line = malloc((size_t)n + 1);
    if (line == NULL) abort();
    memset(line, 'x', (size_t)n);
    line[n] = '\n';
    fwrite(line, 1, (size_t)n + 1, stderr);
    free(line);
    extline_call_text(call, "written");
}

static void spawn_child(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    /* Never closed: the end of the kit ends it. */
    FILE *child = popen(READ, "w");
    if (child == NULL)
        extline_call_error(call, "internal", "the child could not be started");
    else
        extline_call_text(call, "started");
}

void add_faults(extline_extension *kit) {
    add_tool(kit, "fail", "Fails in a chosen way.", SCHEMA_FAIL, fail);
    add_tool(kit, "stdout", "Writes to stdout past the protocol.", SCHEMA_STRAY, stray);
    add_tool(kit, "stderr", "Writes to stderr.", SCHEMA_SIZE, write_to_stderr);
    add_tool(kit, "spawn_child", "Starts a process that lives as long as this one.", SCHEMA_NONE, spawn_child);
}
