/* Answers that say what went wrong. */
#include "host.h"

static void say_error(void *user, extline_call *call, extline_str args) {
    (void)args;
    WANT_OK(extline_call_error(call, user, "it was to fail"));
}

static void each_kind(void) {
    static const char *const kinds[] = {"validation", "not_found", "permission", "transient",   "timeout",
                                        "cancelled",  "conflict",  "stale",      "budget",      "unsupported",
                                        "too_large",  "protocol",  "internal",   "fatal"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char kind[20], wanted[100];
        snprintf(kind, sizeof kind, "%s", kinds[i]);
        snprintf(wanted, sizeof wanted, "\"error\":{\"kind\":\"%s\",\"message\":\"it was to fail\"}", kind);
        extline_extension *ext = with_tool(say_error, kind);
        host_says(ext, CALL("1", "{}"));
        host_hears_one(ext, "\"type\":\"tool_result\"");
        CHECK_HAS(line, "\"is_error\":true");
        CHECK_HAS(line, wanted);
        host_ends(ext);
    }
}

static void say_unknown_kind(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_CODE(extline_call_error(call, "", "it was to fail"), EXTLINE_ARGUMENT);
    WANT_CODE(extline_call_error(call, "Bad Kind!", "it was to fail"), EXTLINE_ARGUMENT);
    WANT(strstr(extline_last_error(), "Bad Kind!") != NULL);
    WANT_OK(extline_call_errorf(call, "not_found", "no city %s, %d tries", "Atlantis", 3));
}

static void a_kind_that_there_is_not(void) {
    extline_extension *ext = with_tool(say_unknown_kind, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"type\":\"tool_result\"");
    CHECK_HAS(line, "\"error\":{\"kind\":\"not_found\",\"message\":\"no city Atlantis, 3 tries\"}");
    host_ends(ext);
}

static void say_all(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    const char *const causes[] = {"first", "second"};
    extline_error_options error = {EXTLINE_ERROR_OPTIONS_INIT,
                                   .kind = "conflict",
                                   .message = "it was to fail",
                                   .field = "/how",
                                   .hint = "ask for something else",
                                   .causes = causes,
                                   .cause_count = 2,
                                   .retry_after_ms = 1500};
    WANT_OK(extline_call_fail(call, &error));
}

static void everything_an_error_can_say(void) {
    extline_extension *ext = with_tool(say_all, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"type\":\"tool_result\"");
    CHECK_HAS(line, "\"error\":{\"kind\":\"conflict\",\"message\":\"it was to fail\",\"field\":\"/how\","
                    "\"hint\":\"ask for something else\",\"causes\":[\"first\",\"second\"],\"retry_after_ms\":1500}");
    host_ends(ext);
}

static void say_sized(void *user, extline_call *call, extline_str args) {
    struct {
        extline_error_options known;
        char later[64]; /* what a newer header has */
    } error = {{.struct_size = sizeof error, .kind = "internal", .message = "from later", .hint = "hint"}, "set"};
    (void)user, (void)args;
    /* What this library cannot know of it must not be wanted. */
    WANT_CODE(extline_call_fail(call, &error.known), EXTLINE_ARGUMENT);
    WANT(strstr(extline_last_error(), "older") != NULL);
    memset(error.later, 0, sizeof error.later);
    error.known.struct_size = 0;
    WANT_CODE(extline_call_fail(call, &error.known), EXTLINE_ARGUMENT);
    WANT(strstr(extline_last_error(), "struct_size") != NULL);
    error.known.struct_size = sizeof(size_t);
    WANT(extline_call_fail(call, &error.known) != EXTLINE_OK); /* too small for a message */
    error.known.struct_size = sizeof error;
    WANT_OK(extline_call_fail(call, &error.known));
}

static void options_of_other_sizes(void) {
    extline_extension *ext = with_tool(say_sized, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"message\":\"from later\"");
    host_ends(ext);
}

/* As an older program has it, whose options end with the hint: what is behind is not read. */
static void say_older(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    size_t size = offsetof(extline_error_options, causes);
    extline_error_options *error = malloc(size); /* AddressSanitizer sees a read behind it */
    extline_error_options options = {.struct_size = size, .kind = "internal", .message = "from before", .hint = "h"};
    memcpy(error, &options, size);
    WANT_OK(extline_call_fail(call, error));
    free(error);
}

static void options_of_an_older_program(void) {
    extline_extension *ext = with_tool(say_older, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"message\":\"from before\",\"hint\":\"h\"}");
    host_ends(ext);
}

TESTS(TEST(each_kind), TEST(a_kind_that_there_is_not), TEST(everything_an_error_can_say), TEST(options_of_other_sizes),
      TEST(options_of_an_older_program))
