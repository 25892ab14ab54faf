/* Events, interceptors, guards, methods that the host asks for, setup and teardown. */
#include "host.h"

static void intercepted(void *user, extline_call *call, extline_str payload) {
    const extline_json *frame = extline_call_args(call);
    extline_str what = {"", 0};
    (void)user;
    WANT(strstr(payload.ptr, "\"event_intercept\"") != NULL);
    extline_json_string(frame, "/tool_args/do", &what);
    if (strcmp(what.ptr, "allow") == 0) WANT_OK(extline_call_allow(call));
    if (strcmp(what.ptr, "block") == 0) WANT_OK(extline_call_block(call, "no"));
    if (strcmp(what.ptr, "rewrite") == 0) WANT_OK(extline_call_rewrite(call, "{\"do\":\"other\"}"));
    if (strcmp(what.ptr, "fail") == 0) WANT_OK(extline_call_error(call, "internal", "it was to fail"));
    if (strcmp(what.ptr, "misuse") == 0) {
        WANT_CODE(extline_call_text(call, "x"), EXTLINE_STATE);
        WANT_CODE(extline_call_json(call, "{}"), EXTLINE_STATE);
        WANT_CODE(extline_respond_display(call, "x"), EXTLINE_STATE);
        WANT_CODE(extline_call_replace_text(call, "x"), EXTLINE_STATE);
        WANT_CODE(extline_call_replace_result(call, "{}"), EXTLINE_STATE);
        WANT_CODE(extline_call_handled(call), EXTLINE_STATE);
        WANT_CODE(extline_call_system_prompt(call, "x"), EXTLINE_STATE);
        WANT_CODE(extline_call_update(call, "x"), EXTLINE_STATE);
        WANT_CODE(extline_call_block(call, "\xff"), EXTLINE_UTF8);
        WANT_CODE(extline_call_rewrite(call, "nope"), EXTLINE_JSON);
        WANT_CODE(extline_call_rewrite(call, "[]"), EXTLINE_JSON);
        WANT_OK(extline_call_allow(call));
        WANT_CODE(extline_call_allow(call), EXTLINE_ANSWERED);
        WANT_CODE(extline_call_block(call, "x"), EXTLINE_ANSWERED);
        WANT_CODE(extline_call_rewrite(call, "{}"), EXTLINE_ANSWERED);
    }
}

#define ASK(what) \
    "{\"type\":\"event_intercept\",\"id\":\"1\",\"event\":\"tool_call\",\"phase\":\"intercept\",\"tool_id\":\"c\"," \
    "\"tool_name\":\"bash\",\"tool_args\":{\"do\":\"" what "\"}}"
#define DECISION(members) "{\"type\":\"event_intercept_response\",\"id\":\"1\"" members "}"

static void an_interceptor(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_intercept(ext, "tool_call", intercepted, NULL, NULL));
    host_begin(ext);
    host_says(ext, ASK("allow"));
    CHECK_TEXT(host_hears(ext), DECISION(""));
    host_says(ext, ASK("block"));
    CHECK_TEXT(host_hears(ext), DECISION(",\"block\":true,\"reason\":\"no\""));
    host_says(ext, ASK("rewrite"));
    CHECK_TEXT(host_hears(ext), DECISION(",\"modified_args\":{\"do\":\"other\"}"));
    host_says(ext, ASK("misuse"));
    CHECK_TEXT(host_hears(ext), DECISION(""));
    host_says(ext, ASK("fail"));
    host_hears_one(ext, "event_intercept_response");
    CHECK_HAS(line, "\"block\":true");
    CHECK_HAS(line, "it was to fail");
    host_says(ext, ASK("say nothing"));
    host_hears_one(ext, "event_intercept_response");
    CHECK_HAS(line, "\"block\":true");
    CHECK_HAS(line, "without an answer");
    host_forgets(ext);
    host_ends(ext);
}

static void replaced(void *user, extline_call *call, extline_str payload) {
    (void)payload;
    WANT_CODE(extline_call_rewrite(call, "{}"), EXTLINE_STATE);
    WANT_CODE(extline_call_ask(call, "it pushes"), EXTLINE_STATE); /* only a guard asks */
    if (user != NULL)
        WANT_OK(extline_call_replace_text(call, "better"));
    else
        WANT_OK(extline_call_system_prompt(call, "be kind"));
}

static void other_points(void) {
    int other = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_intercept(ext, "assistant_message", replaced, &other, NULL));
    CHECK_OK(extline_intercept(ext, "before_agent_start", replaced, NULL, NULL));
    host_begin(ext);
    host_says(ext, "{\"type\":\"event_intercept\",\"id\":\"1\",\"event\":\"assistant_message\",\"text\":\"plain\"}");
    CHECK_TEXT(host_hears(ext), DECISION(",\"replace_text\":\"better\""));
    host_says(ext, "{\"type\":\"event_intercept\",\"id\":\"1\",\"event\":\"before_agent_start\",\"system_prompt\":\"x\"}");
    CHECK_TEXT(host_hears(ext), DECISION(",\"system_prompt\":\"be kind\""));
    host_ends(ext);
}

static void failing(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    WANT_OK(extline_call_error(call, "internal", "it was to fail"));
}

static void what_failure_means_can_be_chosen(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_intercept(ext, "turn_start", failing, NULL, NULL));
    CHECK_OK(extline_on_failure(ext, "turn_start", "block"));
    host_begin_with(ext, ACK);
    host_hears_one(ext, "\"on_failure\":{\"turn_start\":\"block\"}");
    host_forgets(ext);
    host_says(ext, "{\"type\":\"event_intercept\",\"id\":\"1\",\"event\":\"turn_start\",\"step\":1}");
    host_hears_one(ext, "\"block\":true");
    host_forgets(ext);
    host_ends(ext);
}

static void guarded(void *user, extline_call *call, extline_str payload) {
    extline_str command;
    (void)user, (void)payload;
    WANT_OK(extline_json_string(extline_call_args(call), "/tool_args/command", &command));
    WANT_CODE(extline_call_rewrite(call, "{}"), EXTLINE_STATE); /* a guard may not rewrite */
    if (strstr(command.ptr, "rm -rf") != NULL)
        WANT_OK(extline_call_blockf(call, "refused: %s", "rm -rf"));
    else if (strstr(command.ptr, "git push") != NULL)
        WANT_OK(extline_call_ask(call, "it pushes"));
    else
        WANT_OK(extline_call_allow(call));
}

#define GUARD(command) \
    "{\"type\":\"event_intercept\",\"id\":\"1\",\"event\":\"tool_call\",\"phase\":\"guard\",\"tool_id\":\"c\"," \
    "\"tool_name\":\"bash\",\"tool_args\":{\"command\":\"" command "\"}}"

static void a_guard(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_guard(ext, "no_rm", guarded, NULL, NULL));
    host_begin(ext);
    host_says(ext, GUARD("ls"));
    CHECK_TEXT(host_hears(ext), DECISION(""));
    host_says(ext, GUARD("rm -rf /"));
    CHECK_TEXT(host_hears(ext), DECISION(",\"block\":true,\"reason\":\"refused: rm -rf\""));
    host_says(ext, GUARD("git push"));
    CHECK_TEXT(host_hears(ext), DECISION(",\"block\":true,\"ask\":true,\"reason\":\"it pushes\""));
    host_ends(ext);
}

static char told[200];

static void on_event(void *user, extline_extension *ext, const extline_event *event) {
    int64_t step = -1;
    extline_str name = extline_event_name(event);
    (void)user, (void)ext;
    extline_json_int(extline_event_payload(event), "/step", &step);
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s %d;", name.ptr, (int)step);
}

static void events(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    *told = '\0';
    CHECK_OK(extline_on(ext, "turn_start", on_event, NULL, NULL));
    CHECK_OK(extline_on(ext, "session_start", on_event, NULL, NULL));
    host_begin(ext);
    host_says(ext, "{\"type\":\"event\",\"event\":\"session_start\"}");
    host_says(ext, "{\"type\":\"event\",\"event\":\"turn_start\",\"step\":1}");
    host_says(ext, "{\"type\":\"event\",\"event\":\"turn_start\",\"step\":2}");
    host_says(ext, "{\"type\":\"event\",\"event\":\"turn_end\",\"stop\":\"end\"}");
    CHECK_TEXT(told, "session_start -1;turn_start 1;turn_start 2;");
    host_ends(ext);
}

static void events_of_some_tools(void) {
    const char *tools[] = {"bash", "mcp_*"};
    extline_extension *ext = extline_new("test", "1.0.0");
    *told = '\0';
    CHECK_OK(extline_on_tools(ext, "tool_result", tools, 2, on_event, NULL, NULL));
    CHECK_OK(extline_on_tools(ext, "tool_result", tools, 1, on_event, NULL, NULL));
    host_begin(ext);
    host_says(ext, "{\"type\":\"event\",\"event\":\"tool_result\",\"step\":1,\"tool_name\":\"read\"}");
    host_says(ext, "{\"type\":\"event\",\"event\":\"tool_result\",\"step\":2,\"tool_name\":\"bash\"}");
    host_says(ext, "{\"type\":\"event\",\"event\":\"tool_result\",\"step\":3,\"tool_name\":\"mcp_x\"}");
    CHECK_TEXT(told, "tool_result 2;tool_result 2;tool_result 3;");
    host_ends(ext);
}

static void serve(void *user, extline_call *call, extline_str params) {
    extline_str what;
    (void)user;
    WANT_CODE(extline_respond_display(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_block(call, "x"), EXTLINE_STATE);
    if (strcmp(params.ptr, "{}") == 0) {
        WANT_OK(extline_call_error(call, "not_found", "no such thing"));
        return;
    }
    if (strcmp(params.ptr, "[]") == 0) {
        WANT_OK(extline_call_text_json(call, "\"\\u0061\""));
        return;
    }
    WANT_OK(extline_json_string(extline_call_args(call), "/what", &what));
    WANT_CODE(extline_call_part(call, "nope"), EXTLINE_JSON);
    WANT_OK(extline_call_part(call, "\"one\""));
    WANT_OK(extline_call_json(call, "{\"found\":1.0}"));
    WANT_CODE(extline_call_part(call, "\"two\""), EXTLINE_ANSWERED);
}

static void a_method(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_method(ext, "test/find", serve, NULL, NULL));
    CHECK_OK(extline_start_detached(ext));
    CHECK_HAS(host_hears(ext), "\"methods\":[\"test/find\"]");
    host_says(ext, ACK);
    host_forgets(ext);
    host_says(ext, "{\"type\":\"request\",\"id\":\"1\",\"method\":\"test/find\",\"params\":{\"what\":\"x\"}}");
    CHECK_TEXT(host_hears(ext), "{\"type\":\"response_part\",\"id\":\"1\",\"seq\":1,\"data\":\"one\"}");
    CHECK_TEXT(host_hears(ext), "{\"type\":\"response\",\"id\":\"1\",\"result\":{\"found\":1.0}}");
    host_says(ext, "{\"type\":\"request\",\"id\":\"2\",\"method\":\"test/find\",\"params\":{}}");
    CHECK_TEXT(host_hears(ext), "{\"type\":\"response\",\"id\":\"2\",\"error\":{\"code\":\"not_found\",\"message\":\"no such thing\"}}");
    host_says(ext, "{\"type\":\"request\",\"id\":\"3\",\"method\":\"test/find\",\"params\":[]}");
    CHECK_TEXT(host_hears(ext), "{\"type\":\"response\",\"id\":\"3\",\"result\":\"\\u0061\"}");
    host_ends(ext);
}

static void nothing(void *user, extline_call *call, extline_str text) {
    (void)user, (void)text;
    extline_call_none(call);
}

static extline_result set_up(void *user, extline_extension *ext) {
    ++*(int *)user;
    WANT(strcmp(extline_host_name(ext).ptr, "test") == 0);
    WANT_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "from_setup", .description = "d",
                                                      .run = nothing}));
    WANT_OK(extline_on(ext, "turn_start", on_event, NULL, NULL));
    return EXTLINE_OK;
}
static extline_result tear_down(void *user, extline_extension *ext) {
    (void)ext;
    *(int *)user += 100;
    return EXTLINE_OK;
}

static void advise(void *user, extline_call *call, extline_str args) {
    (void)user;
    if (strstr(args.ptr, "Rome") != NULL) WANT_OK(extline_call_advise(call, "allow", NULL));
    else if (strstr(args.ptr, "Hell") != NULL) WANT_OK(extline_call_advise(call, "deny", "it is too hot"));
    else if (strstr(args.ptr, "Ur") != NULL) WANT_OK(extline_call_json(call, "{\"key\":\"{city}\"}"));
    else {
        WANT_CODE(extline_call_advise(call, "perhaps", NULL), EXTLINE_ARGUMENT);
        WANT_CODE(extline_call_advise(call, NULL, NULL), EXTLINE_NULL_POINTER);
        WANT_CODE(extline_call_json(call, "{\"tier\":\"none\"}"), EXTLINE_ARGUMENT);
        CHECK_HAS(extline_last_error(), "/tier: expected \"read\", \"write\" or \"exec\", found \"none\"");
        CHECK_HAS(extline_call_name(call).ptr, "weather");
        WANT_OK(extline_call_error(call, "internal", "nobody knows"));
    }
}

static const char *advised(extline_extension *ext, const char *tool, const char *args) {
    char frame[256];
    snprintf(frame, sizeof frame,
             "{\"type\":\"request\",\"id\":\"1\",\"method\":\"tool.approval\",\"params\":{\"tool\":\"%s\",\"args\":%s}}", tool, args);
    host_says(ext, frame);
    return host_hears(ext);
}

static void a_function_says_whether_a_call_is_to_be_approved(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_tool_options options = {EXTLINE_TOOL_OPTIONS_INIT, .name = "weather", .description = "d", .run = serve,
        .gated_by = advise, .approval_tier = "read",
        .schema = "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}"};
    CHECK_OK(extline_tool(ext, &options));
    CHECK_OK(extline_start_detached(ext));
    CHECK_HAS(host_hears(ext), "\"methods\":[\"tool.approval\"]");
    host_says(ext, ACK);
    CHECK_HAS(host_hears_one(ext, "register_tool"), "\"approval\":{\"gated\":true,\"dynamic\":true,\"tier\":\"read\"}");
    host_forgets(ext);
    CHECK_HAS(advised(ext, "weather", "{\"city\":\"Rome\"}"), "\"result\":{\"policy\":\"allow\"}");
    CHECK_HAS(advised(ext, "weather", "{\"city\":\"Hell\"}"), "\"result\":{\"policy\":\"deny\",\"reason\":\"it is too hot\"}");
    CHECK_HAS(advised(ext, "weather", "{\"city\":\"Ur\"}"), "\"result\":{\"key\":\"{city}\"}");
    CHECK_HAS(advised(ext, "weather", "{\"city\":\"Bonn\"}"), "\"error\":{\"code\":\"internal\",\"message\":\"nobody knows\"}");
    CHECK_HAS(advised(ext, "weather", "{}"), "\"error\":{\"code\":\"validation\"");
    CHECK_HAS(advised(ext, "none", "{}"), "\"error\":{\"code\":\"not_found\"");
    host_says(ext, "{\"type\":\"request\",\"id\":\"2\",\"method\":\"tool.approval\"}");
    CHECK_HAS(host_hears(ext), "\"error\":{\"code\":\"validation\"");
    host_ends(ext);
}

static void setup_and_teardown(void) {
    int ran = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_setup(ext, set_up, &ran, NULL));
    CHECK_OK(extline_teardown(ext, tear_down, &ran, NULL));
    CHECK_OK(extline_start_detached(ext));
    host_lets(ext);
    CHECK_EQ(ran, 0);
    host_says(ext, ACK);
    CHECK_EQ(ran, 1);
    host_hears_one(ext, "\"name\":\"from_setup\"");
    host_hears_one(ext, "{\"type\":\"ready\"}");
    host_says(ext, "{\"type\":\"shutdown\",\"reason\":\"exit\"}");
    CHECK_EQ(ran, 101);
    host_hears_one(ext, "shutdown_ack");
    CHECK_EQ(extline_exit_status(ext), 0);
    extline_free(ext);
}

static extline_result fail_to_set_up(void *user, extline_extension *ext) {
    (void)user, (void)ext;
    return EXTLINE_IO;
}

static void a_setup_that_fails_ends_it(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_setup(ext, fail_to_set_up, NULL, NULL));
    CHECK_OK(extline_start_detached(ext));
    extline_feed(ext, ACK "\n", strlen(ACK "\n"));
    while (extline_next(ext) == EXTLINE_OK) continue;
    CHECK(extline_exit_status(ext) != 0);
    extline_free(ext);
}

/* The host says what it took: something required that it did not take ends the extension. */
static void what_is_required_and_refused_ends_it(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d",
                                                       .run = nothing, .required = true}));
    CHECK_OK(extline_start_detached(ext));
    const char *said = ACK "\n{\"type\":\"registered\",\"tools\":[],\"commands\":[],\"events\":[],\"intercept\":[],"
                           "\"guards\":[],\"rejected\":[{\"kind\":\"tool\",\"name\":\"t\",\"code\":\"duplicate\",\"message\":\"taken\"}]}\n";
    CHECK_OK(extline_feed(ext, said, strlen(said)));
    while (extline_next(ext) == EXTLINE_OK) continue;
    CHECK_EQ(extline_exit_status(ext), EXTLINE_REQUIRED);
    extline_free(ext);
}

static void a_capability_that_is_required_and_missing_ends_it(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_require(ext, "capability", "rpc"));
    CHECK_OK(extline_start_detached(ext));
    const char *said = ACK_WITH("\"tools\"") "\n";
    CHECK_OK(extline_feed(ext, said, strlen(said)));
    while (extline_next(ext) == EXTLINE_OK) continue;
    CHECK_EQ(extline_exit_status(ext), EXTLINE_REQUIRED);
    extline_free(ext);
}

TESTS(TEST(an_interceptor), TEST(other_points), TEST(what_failure_means_can_be_chosen), TEST(a_guard), TEST(events),
      TEST(events_of_some_tools),
      TEST(a_method), TEST(a_function_says_whether_a_call_is_to_be_approved), TEST(setup_and_teardown), TEST(a_setup_that_fails_ends_it),
      TEST(what_is_required_and_refused_ends_it), TEST(a_capability_that_is_required_and_missing_ends_it))
