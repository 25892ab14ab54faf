/* The blocking form: extline_run in a process of its own, over pipes. */
#include "process.h"

/* ---- the extensions */

static void echo(void *user, extline_call *call, extline_str args) {
    extline_str text;
    (void)user, (void)args;
    if (extline_args_string(call, "/text", &text) == EXTLINE_OK) extline_call_text_n(call, text.ptr, text.len);
}

static void print(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    printf("stray\n");
    fflush(stdout);
    extline_call_text(call, "printed");
}

static void sleep_well(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    if (extline_call_sleep_ms(call, PATIENCE_MS) == EXTLINE_CANCELLED)
        extline_call_error(call, "cancelled", "cancelled");
    else
        extline_call_text(call, "slept");
}

static void *answer_later(void *call) {
    extline_call_text(call, "later");
    extline_call_release(call);
    return NULL;
}

static void keep(void *user, extline_call *call, extline_str args) {
    pthread_t thread;
    (void)user, (void)args;
    pthread_create(&thread, NULL, answer_later, extline_call_retain(call));
    pthread_detach(thread);
}

static void hang(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_retain(call);
    extline_notify(extline_call_extension(call), "info", "hanging");
    for (;;) pause();
}

static void ask(void *user, extline_call *call, extline_str args) {
    extline_answer *answer = NULL;
    (void)user, (void)args;
    extline_result result = extline_call_tool(extline_call_extension(call), call, "read", "{}", &answer);
    if (result == EXTLINE_OK || result == EXTLINE_REMOTE)
        extline_call_textf(call, "%s: %s", extline_result_name(result), extline_answer_text(answer).ptr);
    else
        extline_call_textf(call, "%s", extline_result_name(result));
    extline_answer_free(answer);
}

static void request(void *user, extline_call *call, extline_str args) {
    extline_answer *answer = NULL;
    (void)user, (void)args;
    extline_result result = extline_request(extline_call_extension(call), call, "x/y", NULL, 20, &answer);
    extline_call_textf(call, "%s", extline_result_name(result));
    if (result == EXTLINE_OK) extline_answer_free(answer);
}

static void forked(void *user, extline_call *call, extline_str args) {
    int status = 0;
    (void)user, (void)args;
    pid_t child = fork();
    if (child == 0) {
        extline_result result = extline_notify(extline_call_extension(call), "info", "from the child");
        /* By a signal, as at an exit valgrind would look for leaks in half a process. */
        if (result == EXTLINE_FORKED && extline_call_text(call, "x") == EXTLINE_FORKED) raise(SIGKILL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    extline_call_text(call, WIFSIGNALED(status) ? "refused" : "not refused");
}

static void run_again(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_extension *ext = extline_call_extension(call);
    extline_call_textf(call, "%s %s", extline_result_name(extline_run(ext)),
                       extline_result_name(extline_set_max_threads(ext, 3)));
}

static void free_it(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_free(extline_call_extension(call)); /* told on stderr, and not done */
    extline_call_text(call, "still here");
}

static void count_drop(void *user) { ++*(int *)user; }

static int extension(const char *name) {
    static const struct {
        const char *name;
        extline_call_callback run;
    } tools[] = {{"echo", echo},       {"print", print},   {"sleep", sleep_well}, {"keep", keep},  {"hang", hang},
                 {"ask", ask},         {"request", request}, {"forked", forked},    {"run", run_again}, {"free", free_it}};
    int drops = 0, count = sizeof tools / sizeof *tools;
    extline_extension *ext = extline_new("test", "1.0.0");
    for (int i = 0; i < count; i++)
        if (extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = tools[i].name, .description = "d",
                                                      .run = tools[i].run, .user = &drops, .drop = count_drop}))
            return 100;
    if (strcmp(name, "requires") == 0 && extline_require(ext, "capability", "rpc") != EXTLINE_OK) return 101;
    if (strcmp(name, "one-thread") == 0 && extline_set_max_threads(ext, 1) != EXTLINE_OK) return 102;
    int status = extline_run(ext);
    if (status != EXTLINE_OK) fprintf(stderr, "ended: %s\n", extline_last_error());
    if (extline_run(ext) != EXTLINE_STATE) return 103;
    extline_free(ext);
    if (drops != count) return 104;
    return status;
}

/* ---- the tests */

#define CALL_OF(tool, id, args) "{\"type\":\"tool_call\",\"id\":\"" id "\",\"name\":\"" tool "\",\"args\":" args "}"

static void answers_and_ends(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("echo", "1", "{\"text\":\"é\"}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "é"));
    process_ends_well(&run);
}

static void the_end_of_stdin_is_the_end(void) {
    process run = process_begin("plain");
    close(run.in);
    run.in = -1;
    CHECK_EQ(process_end(&run), 0);
}

static void sigterm_is_143(void) {
    process run = process_begin("plain");
    CHECK_EQ(process_terminate(&run), EXTLINE_TERMINATED);
}

/* Two in one write, to be heard in the order in which they end. */
static void a_slow_call_holds_no_other_up(void) {
    process run = process_begin("plain");
    process_says(&run, CALL_OF("sleep", "slow", "{}") "\n" CALL_OF("echo", "1", "{\"text\":\"fast\"}") "\n");
    CHECK_TEXT(process_hears(&run), RESULT("1", "fast"));
    process_says_line(&run, "{\"type\":\"tool_cancel\",\"id\":\"slow\"}");
    CHECK_HAS(process_hears_one(&run, "\"id\":\"slow\""), "\"kind\":\"cancelled\"");
    process_ends_well(&run);
}

static void a_cancel_reaches_a_busy_single_thread(void) {
    process run = process_begin("one-thread");
    process_says(&run, CALL_OF("sleep", "slow", "{}") "\n{\"type\":\"tool_cancel\",\"id\":\"slow\"}\n");
    CHECK_HAS(process_hears_one(&run, "\"id\":\"slow\""), "\"kind\":\"cancelled\"");
    process_ends_well(&run);
}

static void answers_from_another_thread(void) {
    process run = process_begin("plain");
    for (int i = 0; i < 20; i++) {
        process_says_line(&run, CALL_OF("keep", "1", "{}"));
        CHECK_TEXT(process_hears(&run), RESULT("1", "later"));
    }
    process_ends_well(&run);
}

static void prints_to_stderr(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("print", "1", "{}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "printed"));
    process_ends_well(&run);
    CHECK_HAS(said_on_stderr, "stray\n");
}

static void calls_a_tool_and_waits(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("ask", "1", "{}"));
    CHECK_HAS(process_hears(&run), "{\"type\":\"call_tool\",\"id\":\"1\",\"name\":\"read\",\"args\":{},\"parent_id\":\"1\"}");
    process_says_line(&run, "{\"type\":\"tool_result\",\"id\":\"1\",\"name\":\"read\",\"content\":[" TEXT("one") "]}");
    CHECK_TEXT(process_hears(&run), RESULT("1", "OK: one"));
    process_says_line(&run, CALL_OF("ask", "2", "{}"));
    process_hears_one(&run, "call_tool");
    process_says_line(&run, "{\"type\":\"tool_result\",\"id\":\"2\",\"name\":\"read\",\"content\":[" TEXT("no") "],\"is_error\":true}");
    CHECK_TEXT(process_hears(&run), RESULT("2", "REMOTE: no"));
    process_says_line(&run, CALL_OF("ask", "3", "{}"));
    process_hears_one(&run, "call_tool");
    process_says_line(&run, "{\"type\":\"tool_cancel\",\"id\":\"3\"}");
    process_hears_one(&run, "{\"type\":\"call_tool_cancel\",\"id\":\"3\"}");
    process_hears_one(&run, "\"type\":\"tool_result\",\"id\":\"3\"");
    process_says_line(&run, CALL_OF("request", "4", "{}"));
    CHECK_TEXT(process_hears(&run), RESULT("4", "UNSUPPORTED"));
    process_ends_well(&run);
}

static void the_child_of_a_fork_says_nothing(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("forked", "1", "{}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "refused"));
    process_ends_well(&run);
}

static void is_run_once(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("run", "1", "{}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "STATE STATE"));
    process_ends_well(&run);
}

static void is_not_freed_by_its_own_handler(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("free", "1", "{}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "still here"));
    process_ends_well(&run);
    CHECK_HAS(said_on_stderr, "extline_free");
}

static void what_is_required_and_missing_ends_it(void) {
    process run = process_start("requires");
    process_says_line(&run, ACK_WITH("\"tools\""));
    CHECK_EQ(process_end(&run), EXTLINE_REQUIRED);
    CHECK_HAS(said_on_stderr, "rpc");
}

/* The host closes stdout: what is written goes nowhere, and no SIGPIPE ends the process. */
static void a_host_that_is_gone(void) {
    process run = process_begin("plain");
    close(run.out);
    run.out = open("/dev/null", O_RDONLY | O_CLOEXEC);
    process_says_line(&run, CALL_OF("echo", "1", "{\"text\":\"x\"}"));
    int status = process_end(&run);
    CHECK(status >= 0);
}

/* A handler that never returns holds the end up for the time that the host gives, no longer. */
static void a_handler_that_hangs_ends_with_the_session(void) {
    process run = process_begin("plain");
    process_says_line(&run, CALL_OF("hang", "1", "{}"));
    process_hears_one(&run, "hanging");
    process_says_line(&run, SHUTDOWN);
    process_hears_one(&run, "{\"type\":\"shutdown_ack\"}");
    CHECK(process_end(&run) >= 0);
}

TESTS_WITH(extension, TEST(answers_and_ends), TEST(the_end_of_stdin_is_the_end), TEST(sigterm_is_143),
           TEST(a_slow_call_holds_no_other_up), TEST(a_cancel_reaches_a_busy_single_thread),
           TEST(answers_from_another_thread), TEST(prints_to_stderr), TEST(calls_a_tool_and_waits),
           TEST(the_child_of_a_fork_says_nothing), TEST(is_run_once), TEST(is_not_freed_by_its_own_handler),
           TEST(what_is_required_and_missing_ends_it), TEST(a_host_that_is_gone),
           TEST(a_handler_that_hangs_ends_with_the_session))
