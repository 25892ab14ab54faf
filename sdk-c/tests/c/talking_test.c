/* What an extension says and asks of its own accord: notes, log lines, prompts, other tools, requests. */
#include "host.h"

static void nothing(void *user, extline_call *call, extline_str text) {
    (void)user, (void)text;
    extline_call_none(call);
}

static void notes(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    static const char *const levels[] = {"info", "success", "warn", "error"};
    for (int i = 0; i < 4; i++) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, "{\"type\":\"notify\",\"level\":\"%s\",\"message\":\"a note\"}", levels[i]);
        CHECK_OK(extline_notify(ext, levels[i], "a note"));
        CHECK_TEXT(host_hears(ext), wanted);
    }
    CHECK_FAILS(extline_notify(ext, "loud", "a note"), EXTLINE_ARGUMENT, "loud");
    CHECK_CODE(extline_notify(ext, "info", "\xff"), EXTLINE_UTF8);
    CHECK_OK(extline_clear_notes(ext));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"clear_notes\"}");
    host_ends(ext);
}

static void log_lines(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    CHECK_OK(extline_log(ext, "warn", "careful", "{\"n\":1}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"log\",\"level\":\"warn\",\"message\":\"careful\",\"fields\":{\"n\":1}}");
    CHECK_OK(extline_log(ext, "info", "plain", NULL));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"log\",\"level\":\"info\",\"message\":\"plain\"}");
    CHECK_FAILS(extline_log(ext, "loud", "x", NULL), EXTLINE_ARGUMENT, "loud");
    CHECK_CODE(extline_log(ext, "info", "\xff", NULL), EXTLINE_UTF8);
    CHECK_CODE(extline_log(ext, "info", "x", "nope"), EXTLINE_JSON);
    CHECK_CODE(extline_log(ext, "info", "x", "[]"), EXTLINE_JSON);
    host_ends(ext);
}

static void prompts(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    CHECK_OK(extline_submit(ext, "do it"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"submit\",\"text\":\"do it\"}");
    CHECK_OK(extline_submit_slash(ext, "/compact"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"submit_slash\",\"text\":\"/compact\"}");
    CHECK_CODE(extline_submit(ext, "\xff"), EXTLINE_UTF8);
    CHECK_CODE(extline_submit_slash(ext, "\xff"), EXTLINE_UTF8);
    host_ends(ext);
}

/* Before the host is known nothing is lost: it is said after `ready`, or refused with a code. */
static void before_the_start(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_result result = extline_notify(ext, "info", "early");
    CHECK(result == EXTLINE_OK || result == EXTLINE_STATE);
    extline_free(ext);
}

static void after_the_end(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    CHECK_OK(extline_feed_eof(ext));
    host_lets(ext);
    CHECK_CODE(extline_notify(ext, "info", "late"), EXTLINE_CLOSED);
    CHECK_CODE(extline_submit(ext, "late"), EXTLINE_CLOSED);
    CHECK_CODE(extline_next(ext), EXTLINE_CLOSED);
    extline_free(ext);
}

static int answers, drops;

static void on_answer(void *user, extline_extension *ext, extline_answer *answer) {
    (void)ext;
    answers++;
    WANT(!extline_answer_is_error(answer));
    WANT(!extline_answer_truncated(answer));
    WANT(strcmp(extline_answer_text(answer).ptr, "one") == 0);
    WANT(extline_answer_error_kind(answer).len == 0);
    extline_call_text(user, "asked");
    extline_call_release(user);
}
static void on_drop(void *user) {
    (void)user;
    drops++;
}

static void ask(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_answer *answer = NULL;
    extline_extension *ext = extline_call_extension(call);
    /* It would wait for itself. */
    WANT_CODE(extline_call_tool(ext, call, "read", "{}", &answer), EXTLINE_STATE);
    WANT_CODE(extline_request(ext, call, "x/y", NULL, 0, &answer), EXTLINE_STATE);
    WANT(answer == NULL);
    bool yes = true;
    size_t chosen = 7;
    extline_str line = {"", 0};
    const char *const places[] = {"north", NULL};
    WANT_CODE(extline_ui_confirm(call, "Well?", NULL, &yes), EXTLINE_STATE);
    WANT_CODE(extline_ui_confirm(call, NULL, NULL, &yes), EXTLINE_NULL_POINTER);
    WANT_CODE(extline_ui_confirm(call, "Well?", NULL, NULL), EXTLINE_NULL_POINTER);
    WANT_CODE(extline_ui_select(call, "Well?", places, 1, &chosen), EXTLINE_STATE);
    WANT_CODE(extline_ui_select(call, "Well?", places, 2, &chosen), EXTLINE_NULL_POINTER);
    WANT_CODE(extline_ui_input(call, "Well?", false, &line), EXTLINE_STATE);
    WANT_CODE(extline_ui_input(call, "\xff", false, &line), EXTLINE_UTF8);
    WANT(yes && chosen == 7 && line.len == 0);
    /* This host keeps no secrets. */
    WANT_CODE(extline_secret(call, "EXTLINE_NO_SUCH_SECRET", &line), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_secret(call, NULL, &line), EXTLINE_NULL_POINTER);
    WANT_CODE(extline_secret(call, "PATH", NULL), EXTLINE_NULL_POINTER);
    WANT_OK(extline_secret(call, "PATH", &line));
    WANT(line.len == strlen(getenv("PATH")) && strcmp(line.ptr, getenv("PATH")) == 0);
    WANT_CODE(extline_call_tool_then(ext, call, "read", "nope", on_answer, NULL, NULL), EXTLINE_JSON);
    WANT_CODE(extline_call_tool_then(ext, call, "read", "[]", on_answer, NULL, NULL), EXTLINE_JSON);
    WANT_OK(extline_call_tool_then(ext, call, "read", "{\"path\":\"a\"}", on_answer,
                                   extline_call_retain(call), on_drop));
}

static void another_tool(void) {
    extline_extension *ext = with_tool(ask, NULL);
    answers = drops = 0;
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"call_tool\",\"id\":\"1\",\"name\":\"read\",\"args\":{\"path\":\"a\"},\"parent_id\":\"1\"}");
    CHECK_EQ(answers, 0);
    host_says(ext, "{\"type\":\"tool_result\",\"id\":\"1\",\"name\":\"read\",\"content\":[" TEXT("one") "]}");
    CHECK_EQ(answers, 1);
    CHECK_EQ(drops, 1);
    CHECK_TEXT(host_hears(ext), RESULT("1", "asked"));
    host_ends(ext);
    CHECK_EQ(drops, 1);
}

static void on_failure(void *user, extline_extension *ext, extline_answer *answer) {
    (void)user, (void)ext;
    answers++;
    WANT(extline_answer_is_error(answer));
    WANT(strstr(extline_answer_text(answer).ptr, "no such file") != NULL);
}

static void a_tool_that_fails(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    answers = 0;
    CHECK_OK(extline_call_tool_then(ext, NULL, "read", "{}", on_failure, NULL, NULL));
    host_forgets(ext);
    host_says(ext, "{\"type\":\"tool_result\",\"id\":\"1\",\"name\":\"read\",\"content\":[" TEXT("no such file") "],\"is_error\":true}");
    CHECK_EQ(answers, 1);
    host_ends(ext);
}

static void on_over(void *user, extline_extension *ext, extline_answer *answer) {
    (void)user, (void)ext;
    answers++;
    WANT(extline_answer_is_error(answer));
}

/* Who asked is told that no answer comes any more. */
static void an_answer_that_never_comes(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    answers = drops = 0;
    CHECK_OK(extline_call_tool_then(ext, NULL, "read", "{}", on_over, NULL, on_drop));
    CHECK_OK(extline_feed_eof(ext));
    host_lets(ext);
    extline_free(ext);
    CHECK(answers <= 1);
    CHECK_EQ(drops, 1);
}

static void a_host_without_call_tool(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    host_begin_with(ext, ACK_WITH("\"tools\""));
    host_forgets(ext);
    drops = 0;
    CHECK_FAILS(extline_call_tool_then(ext, NULL, "read", "{}", on_over, NULL, on_drop), EXTLINE_UNSUPPORTED, "call_tool");
    CHECK_EQ(drops, 0); /* never given away */
    CHECK_CODE(extline_request_then(ext, NULL, "x/y", "{}", 0, on_over, NULL, on_drop), EXTLINE_UNSUPPORTED);
    CHECK_EQ(drops, 0);
    CHECK_TEXT(host_hears(ext), "");
    host_ends(ext);
}

static void on_response(void *user, extline_extension *ext, extline_answer *answer) {
    int64_t found = 0;
    (void)ext;
    answers++;
    WANT(!extline_answer_is_error(answer));
    WANT_OK(extline_json_int(extline_answer_json(answer), "/found", &found));
    *(int64_t *)user = found;
}
static void on_refusal(void *user, extline_extension *ext, extline_answer *answer) {
    (void)user, (void)ext;
    answers++;
    WANT(extline_answer_is_error(answer));
    WANT(strcmp(extline_answer_error_kind(answer).ptr, "not_found") == 0);
}

#define ACK_METHODS \
    "{\"type\":\"hello_ack\",\"protocol_version\":1,\"capabilities\":[\"tools\",\"rpc\"],\"methods\":[\"x/y\"]," \
    "\"zot_version\":\"\",\"provider\":\"none\",\"model\":\"none\",\"cwd\":\"/\",\"extension_dir\":\"/\",\"data_dir\":\"/\"}"

static void requests(void) {
    int64_t found = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    host_begin_with(ext, ACK_METHODS);
    host_forgets(ext);
    answers = 0;
    CHECK(extline_host_serves(ext, "x/y"));
    CHECK_FAILS(extline_request_then(ext, NULL, "z/z", NULL, 0, on_response, NULL, NULL), EXTLINE_UNSUPPORTED, "z/z");
    CHECK_CODE(extline_request_then(ext, NULL, "x/y", "nope", 0, on_response, NULL, NULL), EXTLINE_JSON);
    CHECK_OK(extline_request_then(ext, NULL, "x/y", "{\"q\":1}", 2000, on_response, &found, NULL));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"request\",\"id\":\"1\",\"method\":\"x/y\",\"params\":{\"q\":1},\"deadline_ms\":2000}");
    host_says(ext, "{\"type\":\"response\",\"id\":\"1\",\"result\":{\"found\":42}}");
    CHECK_EQ(found, 42);
    CHECK_OK(extline_request_then(ext, NULL, "x/y", NULL, 0, on_refusal, NULL, NULL));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"request\",\"id\":\"2\",\"method\":\"x/y\"}");
    host_says(ext, "{\"type\":\"response\",\"id\":\"2\",\"error\":{\"code\":\"not_found\",\"message\":\"no\"}}");
    CHECK_EQ(answers, 2);
    host_ends(ext);
}

#define ACK_TERVA "{\"type\":\"hello_ack\",\"protocol_version\":6,\"zot_version\":\"1\",\"terva_version\":\"1\"}"

static void on_shown(void *user, extline_extension *ext, extline_answer *answer) {
    (void)user, (void)ext;
    answers++;
    WANT(!extline_answer_is_error(answer));
}

/* A fork has frames of its own, and answers none of them. */
static void a_fork(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    host_begin_with(ext, ACK_TERVA);
    host_forgets(ext);
    answers = 0;
    CHECK(extline_host_serves(ext, "ui.status") && !extline_host_serves(ext, "ui.widget"));
    CHECK_OK(extline_request_then(ext, NULL, "ui.status", "{\"key\":\"build\",\"text\":\"3 of 5\"}", 0, on_shown, NULL, NULL));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"status_segment\",\"id\":\"build\",\"text\":\"3 of 5\"}");
    host_lets(ext);
    CHECK_EQ(answers, 1);
    host_ends(ext);
}

TESTS(TEST(notes), TEST(log_lines), TEST(prompts), TEST(before_the_start), TEST(after_the_end), TEST(another_tool),
      TEST(a_tool_that_fails), TEST(an_answer_that_never_comes), TEST(a_host_without_call_tool), TEST(requests), TEST(a_fork))
