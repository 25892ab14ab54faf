/* The forms for programs with a loop of their own: detached, fed by hand, and on descriptors. */
#include "process.h"

static void echo(void *user, extline_call *call, extline_str args) {
    extline_str text;
    (void)user, (void)args;
    if (extline_args_string(call, "/text", &text) == EXTLINE_OK) extline_call_text_n(call, text.ptr, text.len);
}

static void fed_byte_by_byte(void) {
    const char *said = CALL("1", "{\"text\":\"é😀\"}") "\n";
    extline_extension *ext = with_tool(echo, NULL);
    for (const char *at = said; *at != '\0'; at++) CHECK_OK(extline_feed(ext, at, 1));
    CHECK_TEXT(host_hears(ext), "");
    CHECK_OK(extline_next(ext));
    CHECK_CODE(extline_next(ext), EXTLINE_AGAIN);
    CHECK_TEXT(host_hears(ext), RESULT("1", "é😀"));
    host_ends(ext);
}

static void one_handler_at_a_time(void) {
    extline_str output;
    const char *said = CALL("1", "{\"text\":\"a\"}") "\n" CALL("2", "{\"text\":\"b\"}") "\n";
    extline_extension *ext = with_tool(echo, NULL);
    CHECK_CODE(extline_take_output(ext, &output), EXTLINE_AGAIN);
    CHECK_OK(extline_feed(ext, said, strlen(said)));
    CHECK_OK(extline_next(ext));
    CHECK_TEXT(host_hears(ext), RESULT("1", "a"));
    CHECK_OK(extline_next(ext));
    CHECK_TEXT(host_hears(ext), RESULT("2", "b"));
    host_ends(ext);
}

static void wrong_order(void) {
    extline_str output;
    int fd;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_CODE(extline_feed(ext, "x", 1), EXTLINE_STATE);
    CHECK_CODE(extline_feed_eof(ext), EXTLINE_STATE);
    CHECK_CODE(extline_take_output(ext, &output), EXTLINE_STATE);
    CHECK_CODE(extline_output_failed(ext), EXTLINE_STATE);
    CHECK_CODE(extline_next(ext), EXTLINE_STATE);
    CHECK_CODE(extline_step(ext, EXTLINE_READ), EXTLINE_STATE);
    CHECK_CODE(extline_fds(ext, &fd, &fd, &fd), EXTLINE_STATE);
    CHECK_EQ(extline_timeout_ms(ext), -1);
    CHECK_EQ(extline_exit_status(ext), -1);
    CHECK_OK(extline_start_detached(ext));
    CHECK_CODE(extline_start_detached(ext), EXTLINE_STATE);
    CHECK_CODE(extline_step(ext, EXTLINE_READ), EXTLINE_STATE); /* there is no descriptor */
    CHECK_CODE(extline_fds(ext, &fd, &fd, &fd), EXTLINE_STATE);
    extline_free(ext);
}

static void next_from_a_handler(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_CODE(extline_next(extline_call_extension(call)), EXTLINE_STATE);
    WANT_OK(extline_call_none(call));
}

static void a_handler_runs_no_other(void) {
    extline_extension *ext = with_tool(next_from_a_handler, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"content\":[]");
    host_ends(ext);
}

static void the_end_by_shutdown(void) {
    extline_extension *ext = with_tool(echo, NULL);
    CHECK_EQ(extline_exit_status(ext), -1);
    host_says(ext, SHUTDOWN);
    host_hears_one(ext, "shutdown_ack");
    CHECK_CODE(extline_next(ext), EXTLINE_CLOSED);
    CHECK_EQ(extline_exit_status(ext), 0);
    extline_free(ext);
}

static void the_end_of_the_input(void) {
    extline_extension *ext = with_tool(echo, NULL);
    CHECK_OK(extline_feed_eof(ext));
    host_lets(ext);
    CHECK_CODE(extline_next(ext), EXTLINE_CLOSED);
    CHECK(extline_exit_status(ext) >= 0);
    extline_free(ext);
}

static void the_host_is_gone(void) {
    extline_extension *ext = with_tool(echo, NULL);
    CHECK_OK(extline_output_failed(ext));
    host_lets(ext);
    CHECK_CODE(extline_next(ext), EXTLINE_CLOSED);
    extline_free(ext);
}

/* Broken lines are skipped and told, not fatal. */
static void what_is_no_frame(void) {
    extline_extension *ext = with_tool(echo, NULL);
    host_says(ext, "no json");
    host_says(ext, "{\"type\":\"weather_alert\"}");
    host_says(ext, "\xff\xfe");
    host_forgets(ext);
    host_says(ext, CALL("1", "{\"text\":\"on\"}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "on"));
    host_ends(ext);
}

static void count_drop(void *user) { ++*(int *)user; }
static void no_wake(void *user) { (void)user; }

static void the_wake_callback_is_dropped_once(void) {
    int drops[2] = {0};
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_on_wake(ext, no_wake, &drops[0], count_drop));
    CHECK_OK(extline_on_wake(ext, no_wake, &drops[1], count_drop)); /* takes its place */
    CHECK_EQ(drops[0], 1);
    host_begin(ext);
    CHECK_CODE(extline_on_wake(ext, no_wake, &drops[1], count_drop), EXTLINE_STATE);
    host_ends(ext);
    CHECK_EQ(drops[0], 1);
    CHECK_EQ(drops[1], 1);
}

static void freed_with_work_waiting(void) {
    const char *said = CALL("1", "{\"text\":\"a\"}") "\n";
    extline_extension *ext = with_tool(echo, NULL);
    CHECK_OK(extline_feed(ext, said, strlen(said)));
    extline_free(ext);
}

/* ---- on descriptors: an extension with its own loop */

static void *answer_later(void *call) {
    usleep(10000);
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

static int extension(const char *name) {
    int in = -1, out = -1, wake = -1;
    extline_extension *ext = extline_new("test", "1.0.0");
    (void)name;
    extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d", .run = echo});
    extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "keep", .description = "d", .run = keep});
    if (extline_start(ext) != EXTLINE_OK || extline_fds(ext, &in, &out, &wake) != EXTLINE_OK) {
        fprintf(stderr, "%s\n", extline_last_error());
        return 100;
    }
    if (extline_fds(ext, NULL, NULL, NULL) != EXTLINE_OK) return 103; /* any of them may be left out */
    printf("stray\n");
    fflush(stdout);
    for (;;) {
        extline_result result;
        uint32_t ready = 0, interest = extline_interest(ext);
        struct pollfd fds[] = {{in, POLLIN, 0}, {out, POLLOUT, 0}, {wake, POLLIN, 0}};
        if (!(interest & EXTLINE_READ)) fds[0].fd = -1;
        if (!(interest & EXTLINE_WRITE)) fds[1].fd = -1;
        if (poll(fds, 3, extline_timeout_ms(ext)) < 0 && errno != EINTR) return 101;
        if (fds[0].fd >= 0 && fds[0].revents) ready |= EXTLINE_READ;
        if (fds[1].fd >= 0 && fds[1].revents) ready |= EXTLINE_WRITE;
        if (fds[2].revents) ready |= EXTLINE_WAKE;
        result = extline_step(ext, ready);
        while (result == EXTLINE_OK || result == EXTLINE_AGAIN) {
            result = extline_next(ext);
            if (result != EXTLINE_OK) break;
        }
        if (result == EXTLINE_CLOSED) break;
        if (result != EXTLINE_AGAIN && result != EXTLINE_OK) return 102;
    }
    int status = extline_exit_status(ext);
    extline_free(ext);
    return status;
}

static void a_loop_of_its_own(void) {
    process run = process_begin("loop");
    process_says_line(&run, CALL("1", "{\"text\":\"a\"}"));
    CHECK_TEXT(process_hears(&run), RESULT("1", "a"));
    process_says_line(&run, "{\"type\":\"tool_call\",\"id\":\"2\",\"name\":\"keep\",\"args\":{}}");
    CHECK_TEXT(process_hears(&run), RESULT("2", "later"));
    process_ends_well(&run);
    CHECK_HAS(said_on_stderr, "stray");
}

static void a_loop_that_sigterm_ends(void) {
    process run = process_begin("loop");
    CHECK_EQ(process_terminate(&run), EXTLINE_TERMINATED);
}

TESTS_WITH(extension, TEST(fed_byte_by_byte), TEST(one_handler_at_a_time), TEST(wrong_order), TEST(a_handler_runs_no_other),
           TEST(the_end_by_shutdown), TEST(the_end_of_the_input), TEST(the_host_is_gone), TEST(what_is_no_frame),
           TEST(the_wake_callback_is_dropped_once), TEST(freed_with_work_waiting), TEST(a_loop_of_its_own),
           TEST(a_loop_that_sigterm_ends))
