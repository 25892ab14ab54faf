/* Every pointer of every function may be NULL by mistake: it is told, and nothing happens. */
#include "host.h"

#define IS_NULL(call) \
    do { \
        WANT_CODE(call, EXTLINE_NULL_POINTER); \
        WANT(strstr(extline_last_error(), "NULL") != NULL); \
    } while (0)

/* What gives no result code gives what is empty. */
#define IS_EMPTY(str) \
    do { \
        extline_str str_ = (str); \
        WANT(str_.ptr != NULL && str_.len == 0 && *str_.ptr == '\0'); \
    } while (0)

static void nothing(void *user, extline_call *call, extline_str text) { (void)user, (void)call, (void)text; }
static void no_event(void *user, extline_extension *ext, const extline_event *event) { (void)user, (void)ext, (void)event; }
static extline_result no_stage(void *user, extline_extension *ext) { (void)user, (void)ext; return EXTLINE_OK; }
static void no_answer(void *user, extline_extension *ext, extline_answer *answer) { (void)user, (void)ext, (void)answer; }
static void a_part(void *user, extline_str part) { (void)user, (void)part; }
static void no_wake(void *user) { (void)user; }
static void no_cancel(void *user, extline_call *call) { (void)user, (void)call; }

static void life(void) {
    CHECK(extline_new(NULL, "1.0.0") == NULL);
    CHECK_HAS(extline_last_error(), "NULL");
    CHECK(extline_new("test", NULL) == NULL);
    CHECK_HAS(extline_last_error(), "NULL");
    extline_free(NULL);
    IS_NULL(extline_set_max_threads(NULL, 1));
    CHECK_EQ(extline_run(NULL), EXTLINE_NULL_POINTER);
}

static void registrations(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d", .run = nothing};
    extline_command_options command = {EXTLINE_COMMAND_OPTIONS_INIT, .name = "c", .description = "d", .run = nothing};
    extline_panel_options panel = {EXTLINE_PANEL_OPTIONS_INIT, .id = "p"};

    IS_NULL(extline_tool(NULL, &tool));
    IS_NULL(extline_tool(ext, NULL));
    tool.name = NULL;
    IS_NULL(extline_tool(ext, &tool));
    tool.name = "t", tool.run = NULL;
    IS_NULL(extline_tool(ext, &tool));

    IS_NULL(extline_command(NULL, &command));
    IS_NULL(extline_command(ext, NULL));
    command.name = NULL;
    IS_NULL(extline_command(ext, &command));
    command.name = "c", command.run = NULL;
    IS_NULL(extline_command(ext, &command));

    IS_NULL(extline_panel(NULL, &panel));
    IS_NULL(extline_panel(ext, NULL));
    panel.id = NULL;
    IS_NULL(extline_panel(ext, &panel));

    IS_NULL(extline_on(NULL, "turn_start", no_event, NULL, NULL));
    IS_NULL(extline_on(ext, NULL, no_event, NULL, NULL));
    IS_NULL(extline_on(ext, "turn_start", NULL, NULL, NULL));
    const char *tools[] = {"bash", NULL};
    IS_NULL(extline_on_tools(NULL, "tool_call", tools, 1, no_event, NULL, NULL));
    IS_NULL(extline_on_tools(ext, NULL, tools, 1, no_event, NULL, NULL));
    IS_NULL(extline_on_tools(ext, "tool_call", NULL, 1, no_event, NULL, NULL));
    IS_NULL(extline_on_tools(ext, "tool_call", tools, 2, no_event, NULL, NULL));
    IS_NULL(extline_on_tools(ext, "tool_call", tools, 1, NULL, NULL, NULL));
    IS_NULL(extline_intercept(NULL, "tool_call", nothing, NULL, NULL));
    IS_NULL(extline_intercept(ext, NULL, nothing, NULL, NULL));
    IS_NULL(extline_intercept(ext, "tool_call", NULL, NULL, NULL));
    IS_NULL(extline_guard(NULL, "g", nothing, NULL, NULL));
    IS_NULL(extline_guard(ext, NULL, nothing, NULL, NULL));
    IS_NULL(extline_guard(ext, "g", NULL, NULL, NULL));
    IS_NULL(extline_on_failure(NULL, "tool_call", "block"));
    IS_NULL(extline_on_failure(ext, NULL, "block"));
    IS_NULL(extline_on_failure(ext, "tool_call", NULL));
    IS_NULL(extline_call_advise(NULL, "allow", NULL));
    IS_NULL(extline_method(NULL, "x/y", nothing, NULL, NULL));
    IS_NULL(extline_method(ext, NULL, nothing, NULL, NULL));
    IS_NULL(extline_method(ext, "x/y", NULL, NULL, NULL));
    IS_NULL(extline_setup(NULL, no_stage, NULL, NULL));
    IS_NULL(extline_setup(ext, NULL, NULL, NULL));
    IS_NULL(extline_teardown(NULL, no_stage, NULL, NULL));
    IS_NULL(extline_teardown(ext, NULL, NULL, NULL));
    IS_NULL(extline_require(NULL, "capability", "rpc"));
    IS_NULL(extline_require(ext, NULL, "rpc"));
    IS_NULL(extline_require(ext, "capability", NULL));
    IS_NULL(extline_unregister_tool(NULL, "t"));
    IS_NULL(extline_unregister_tool(ext, NULL));
    extline_free(ext);
}

/* A call's functions, in a handler; none of them answers it. */
static void ask_all(void *user, extline_call *call, extline_str text) {
    (void)user, (void)text;
    extline_str out;
    int64_t whole;
    double number;
    bool truth;
    size_t length;
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p"};
    extline_update_options update = {EXTLINE_UPDATE_OPTIONS_INIT};
    extline_error_options error = {EXTLINE_ERROR_OPTIONS_INIT, .kind = "internal", .message = "m"};

    IS_NULL(extline_call_text(NULL, "x"));
    IS_NULL(extline_call_text(call, NULL));
    IS_NULL(extline_call_text_n(NULL, "x", 1));
    IS_NULL(extline_call_text_n(call, NULL, 1));
    IS_NULL(extline_call_textf(NULL, "%d", 1));
    IS_NULL(extline_call_text_json(NULL, "\"\""));
    IS_NULL(extline_call_text_json(call, NULL));
    IS_NULL(extline_call_text_json_n(NULL, "\"\"", 2));
    IS_NULL(extline_call_text_json_n(call, NULL, 2));
    IS_NULL(extline_call_json(NULL, "{}"));
    IS_NULL(extline_call_json(call, NULL));
    IS_NULL(extline_call_json_n(NULL, "{}", 2));
    IS_NULL(extline_call_json_n(call, NULL, 2));
    IS_NULL(extline_call_image(NULL, "x", 1, "image/png"));
    IS_NULL(extline_call_image(call, NULL, 1, "image/png"));
    IS_NULL(extline_call_image(call, "x", 1, NULL));
    IS_NULL(extline_call_none(NULL));
    IS_NULL(extline_call_add_text(NULL, "x"));
    IS_NULL(extline_call_add_text(call, NULL));
    IS_NULL(extline_call_add_text_n(NULL, "x", 1));
    IS_NULL(extline_call_add_text_n(call, NULL, 1));
    IS_NULL(extline_call_add_image(NULL, "x", 1, "image/png"));
    IS_NULL(extline_call_add_image(call, NULL, 1, "image/png"));
    IS_NULL(extline_call_add_image(call, "x", 1, NULL));
    IS_NULL(extline_call_add_json(NULL, "{}"));
    IS_NULL(extline_call_add_json(call, NULL));
    IS_NULL(extline_call_details(NULL, "{}"));
    IS_NULL(extline_call_details(call, NULL));
    IS_NULL(extline_call_view(NULL, "{}"));
    IS_NULL(extline_call_view(call, NULL));
    IS_NULL(extline_call_effects(NULL, "[]"));
    IS_NULL(extline_call_effects(call, NULL));
    IS_NULL(extline_call_activate(NULL, "t"));
    IS_NULL(extline_call_activate(call, NULL));
    IS_NULL(extline_call_trust(NULL, "untrusted"));
    IS_NULL(extline_call_trust(call, NULL));
    IS_NULL(extline_call_finish(NULL));
    IS_NULL(extline_call_error(NULL, "internal", "m"));
    IS_NULL(extline_call_error(call, NULL, "m"));
    IS_NULL(extline_call_error(call, "internal", NULL));
    IS_NULL(extline_call_errorf(NULL, "internal", "%d", 1));
    IS_NULL(extline_call_errorf(call, NULL, "%d", 1));
    IS_NULL(extline_respond_promptf(NULL, "%d", 1));
    IS_NULL(extline_respond_displayf(NULL, "%d", 1));
    IS_NULL(extline_respond_errorf(NULL, "%d", 1));
    IS_NULL(extline_call_blockf(NULL, "%d", 1));
    IS_NULL(extline_call_fail(NULL, &error));
    IS_NULL(extline_call_fail(call, NULL));
    error.message = NULL;
    IS_NULL(extline_call_fail(call, &error));
    error.message = "m", error.cause_count = 1;
    IS_NULL(extline_call_fail(call, &error));
    const char *const causes[] = {NULL};
    error.causes = causes;
    IS_NULL(extline_call_fail(call, &error));
    IS_NULL(extline_respond_prompt(NULL, "x"));
    IS_NULL(extline_respond_prompt(call, NULL));
    IS_NULL(extline_respond_insert(NULL, "x"));
    IS_NULL(extline_respond_insert(call, NULL));
    IS_NULL(extline_respond_display(NULL, "x"));
    IS_NULL(extline_respond_display(call, NULL));
    IS_NULL(extline_respond_error(NULL, "x"));
    IS_NULL(extline_respond_error(call, NULL));
    IS_NULL(extline_respond_noop(NULL));
    IS_NULL(extline_respond_open_panel(NULL, &content));
    IS_NULL(extline_respond_open_panel(call, NULL));
    IS_NULL(extline_respond_tool_prompt(NULL, "t", "{}", "p"));
    IS_NULL(extline_respond_tool_prompt(call, NULL, "{}", "p"));
    IS_NULL(extline_respond_tool_prompt(call, "t", NULL, "p"));
    IS_NULL(extline_call_allow(NULL));
    IS_NULL(extline_call_block(NULL, "x"));
    IS_NULL(extline_call_block(call, NULL));
    IS_NULL(extline_call_ask(NULL, "x"));
    IS_NULL(extline_call_ask(call, NULL));
    IS_NULL(extline_call_rewrite(NULL, "{}"));
    IS_NULL(extline_call_rewrite(call, NULL));
    IS_NULL(extline_call_replace_text(NULL, "x"));
    IS_NULL(extline_call_replace_text(call, NULL));
    IS_NULL(extline_call_replace_result(NULL, "{}"));
    IS_NULL(extline_call_replace_result(call, NULL));
    IS_NULL(extline_call_handled(NULL));
    IS_NULL(extline_call_system_prompt(NULL, "x"));
    IS_NULL(extline_call_system_prompt(call, NULL));
    IS_NULL(extline_call_update(NULL, "x"));
    IS_NULL(extline_call_update(call, NULL));
    IS_NULL(extline_call_updatef(NULL, "%d", 1));
    IS_NULL(extline_call_update_with(NULL, &update));
    IS_NULL(extline_call_update_with(call, NULL));
    IS_NULL(extline_call_part(NULL, "{}"));
    IS_NULL(extline_call_part(call, NULL));
    WANT(!extline_call_cancelled(NULL));
    IS_NULL(extline_call_on_cancel(NULL, no_cancel, NULL, NULL));
    IS_NULL(extline_call_on_cancel(call, NULL, NULL, NULL));
    IS_NULL(extline_call_sleep_ms(NULL, 0));
    IS_EMPTY(extline_call_id(NULL));
    IS_EMPTY(extline_call_name(NULL));
    IS_EMPTY(extline_call_session_id(NULL));
    IS_EMPTY(extline_call_operation_key(NULL));
    WANT(!extline_call_reconcile(NULL));
    WANT(extline_call_deadline_ms(NULL) == -1);
    WANT(extline_call_extension(NULL) == NULL);
    WANT(extline_call_args(NULL) == NULL);
    WANT(extline_call_retain(NULL) == NULL);
    extline_call_release(NULL);

    IS_NULL(extline_args_string(NULL, "/a", &out));
    IS_NULL(extline_args_string(call, NULL, &out));
    IS_NULL(extline_args_string(call, "/a", NULL));
    IS_NULL(extline_args_int(NULL, "/a", &whole));
    IS_NULL(extline_args_int(call, NULL, &whole));
    IS_NULL(extline_args_int(call, "/a", NULL));
    IS_NULL(extline_args_double(NULL, "/a", &number));
    IS_NULL(extline_args_double(call, NULL, &number));
    IS_NULL(extline_args_double(call, "/a", NULL));
    IS_NULL(extline_args_bool(NULL, "/a", &truth));
    IS_NULL(extline_args_bool(call, NULL, &truth));
    IS_NULL(extline_args_bool(call, "/a", NULL));
    IS_NULL(extline_args_length(NULL, "/a", &length));
    IS_NULL(extline_args_length(call, NULL, &length));
    IS_NULL(extline_args_length(call, "/a", NULL));
    IS_NULL(extline_args_json(NULL, "/a", &out));
    IS_NULL(extline_args_json(call, NULL, &out));
    IS_NULL(extline_args_json(call, "/a", NULL));
    WANT(!extline_args_has(NULL, "/a"));
    WANT(!extline_args_has(call, NULL));

    const extline_json *json = extline_call_args(call);
    int32_t type;
    IS_NULL(extline_json_string(NULL, "/a", &out));
    IS_NULL(extline_json_string(json, NULL, &out));
    IS_NULL(extline_json_string(json, "/a", NULL));
    IS_NULL(extline_json_int(NULL, "/a", &whole));
    IS_NULL(extline_json_int(json, NULL, &whole));
    IS_NULL(extline_json_int(json, "/a", NULL));
    IS_NULL(extline_json_double(NULL, "/a", &number));
    IS_NULL(extline_json_double(json, NULL, &number));
    IS_NULL(extline_json_double(json, "/a", NULL));
    IS_NULL(extline_json_bool(NULL, "/a", &truth));
    IS_NULL(extline_json_bool(json, NULL, &truth));
    IS_NULL(extline_json_bool(json, "/a", NULL));
    IS_NULL(extline_json_length(NULL, "/a", &length));
    IS_NULL(extline_json_length(json, NULL, &length));
    IS_NULL(extline_json_length(json, "/a", NULL));
    IS_NULL(extline_json_member_count(NULL, "/a", &length));
    IS_NULL(extline_json_member_count(json, NULL, &length));
    IS_NULL(extline_json_member_count(json, "/a", NULL));
    IS_NULL(extline_json_text(NULL, "/a", &out));
    IS_NULL(extline_json_text(json, NULL, &out));
    IS_NULL(extline_json_text(json, "/a", NULL));
    IS_NULL(extline_json_type(NULL, "/a", &type));
    IS_NULL(extline_json_type(json, NULL, &type));
    IS_NULL(extline_json_type(json, "/a", NULL));
    WANT(!extline_json_has(NULL, "/a"));
    WANT(!extline_json_has(json, NULL));

    WANT_OK(extline_call_text(call, "still open"));
}

static void calls(void) {
    extline_extension *ext = with_tool(ask_all, NULL);
    host_says(ext, CALL("1", "{\"a\":1}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[{\"type\":\"text\",\"text\":\"still open\"}]}");
    CHECK_TEXT(host_hears(ext), "");
    extline_free(ext);
}

static void events(void) {
    IS_EMPTY(extline_event_name(NULL));
    CHECK(extline_event_payload(NULL) == NULL);
}

static void host(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p"};
    extline_answer *answer = NULL;
    IS_NULL(extline_notify(NULL, "info", "x"));
    IS_NULL(extline_notify(ext, NULL, "x"));
    IS_NULL(extline_notify(ext, "info", NULL));
    IS_NULL(extline_clear_notes(NULL));
    IS_NULL(extline_log(NULL, "info", "x", NULL));
    IS_NULL(extline_log(ext, NULL, "x", NULL));
    IS_NULL(extline_log(ext, "info", NULL, NULL));
    IS_NULL(extline_submit(NULL, "x"));
    IS_NULL(extline_submit(ext, NULL));
    IS_NULL(extline_submit_slash(NULL, "/x"));
    IS_NULL(extline_submit_slash(ext, NULL));
    IS_NULL(extline_panel_open(NULL, &content));
    IS_NULL(extline_panel_open(ext, NULL));
    IS_NULL(extline_panel_render(NULL, &content));
    IS_NULL(extline_panel_render(ext, NULL));
    content.line_count = 1;
    IS_NULL(extline_panel_open(ext, &content));
    IS_NULL(extline_panel_render(ext, &content));
    content.line_count = 0, content.id = NULL;
    IS_NULL(extline_panel_open(ext, &content));
    IS_NULL(extline_panel_render(ext, &content));
    IS_NULL(extline_panel_close(NULL, "p"));
    IS_NULL(extline_panel_close(ext, NULL));
    CHECK(!extline_panel_is_open(NULL, "p"));
    CHECK(!extline_panel_is_open(ext, NULL));
    IS_NULL(extline_call_tool(NULL, NULL, "t", "{}", &answer));
    IS_NULL(extline_call_tool(ext, NULL, NULL, "{}", &answer));
    IS_NULL(extline_call_tool(ext, NULL, "t", "{}", NULL));
    IS_NULL(extline_call_tool_then(NULL, NULL, "t", "{}", no_answer, NULL, NULL));
    IS_NULL(extline_call_tool_then(ext, NULL, NULL, "{}", no_answer, NULL, NULL));
    IS_NULL(extline_call_tool_then(ext, NULL, "t", "{}", NULL, NULL, NULL));
    IS_NULL(extline_request(NULL, NULL, "m", "{}", 0, &answer));
    IS_NULL(extline_request(ext, NULL, NULL, "{}", 0, &answer));
    IS_NULL(extline_request(ext, NULL, "m", "{}", 0, NULL));
    IS_NULL(extline_request_in_parts(NULL, NULL, "m", "{}", 0, a_part, NULL, &answer));
    IS_NULL(extline_request_in_parts(ext, NULL, NULL, "{}", 0, a_part, NULL, &answer));
    IS_NULL(extline_request_in_parts(ext, NULL, "m", "{}", 0, NULL, NULL, &answer));
    IS_NULL(extline_request_in_parts(ext, NULL, "m", "{}", 0, a_part, NULL, NULL));
    bool yes;
    size_t chosen;
    extline_str line;
    IS_NULL(extline_ui_confirm(NULL, "t", NULL, &yes));
    IS_NULL(extline_ui_select(NULL, "t", NULL, 0, &chosen));
    IS_NULL(extline_ui_input(NULL, "t", false, &line));
    IS_NULL(extline_secret(NULL, "KEY", &line));
    IS_NULL(extline_request_then(NULL, NULL, "m", "{}", 0, no_answer, NULL, NULL));
    IS_NULL(extline_request_then(ext, NULL, NULL, "{}", 0, no_answer, NULL, NULL));
    IS_NULL(extline_request_then(ext, NULL, "m", "{}", 0, NULL, NULL, NULL));
    CHECK(answer == NULL);
    CHECK(extline_answer_is_error(NULL)); /* there is no answer */
    CHECK(!extline_answer_truncated(NULL));
    IS_EMPTY(extline_answer_text(NULL));
    IS_EMPTY(extline_answer_error_kind(NULL));
    CHECK(extline_answer_json(NULL) == NULL);
    extline_answer_free(NULL);
    IS_EMPTY(extline_host_name(NULL));
    IS_EMPTY(extline_host_version(NULL));
    IS_EMPTY(extline_host_provider(NULL));
    IS_EMPTY(extline_host_model(NULL));
    IS_EMPTY(extline_host_cwd(NULL));
    IS_EMPTY(extline_extension_dir(NULL));
    IS_EMPTY(extline_data_dir(NULL));
    IS_EMPTY(extline_session_id(NULL));
    CHECK(extline_config(NULL) == NULL);
    CHECK(!extline_host_supports(NULL, "rpc"));
    CHECK(!extline_host_supports(ext, NULL));
    CHECK(!extline_host_serves(NULL, "x/y"));
    CHECK(!extline_host_serves(ext, NULL));
    CHECK_TEXT(host_hears(ext), "");
    extline_free(ext);
}

static void forms(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    int fd = 0;
    extline_str out;
    IS_NULL(extline_start_detached(NULL));
    IS_NULL(extline_start(NULL));
    CHECK_OK(extline_start_detached(ext));
    IS_NULL(extline_feed(NULL, "x", 1));
    IS_NULL(extline_feed(ext, NULL, 1));
    CHECK_OK(extline_feed(ext, NULL, 0)); /* no bytes need no place */
    IS_NULL(extline_feed_eof(NULL));
    IS_NULL(extline_take_output(NULL, &out));
    IS_NULL(extline_take_output(ext, NULL));
    IS_NULL(extline_output_failed(NULL));
    IS_NULL(extline_on_wake(NULL, no_wake, NULL, NULL));
    IS_NULL(extline_on_wake(ext, NULL, NULL, NULL));
    IS_NULL(extline_fds(NULL, &fd, &fd, &fd));
    IS_NULL(extline_step(NULL, 0));
    IS_NULL(extline_next(NULL));
    CHECK_EQ(extline_interest(NULL), 0);
    CHECK_EQ(extline_timeout_ms(NULL), -1);
    CHECK_EQ(extline_exit_status(NULL), -1);
    extline_free(ext);
}

TESTS(TEST(life), TEST(registrations), TEST(calls), TEST(events), TEST(host), TEST(forms))
