/* Commands: each answer of them, and a panel. */
#include "host.h"

#define RESPONSE(members) "{\"type\":\"command_response\",\"id\":\"1\"," members "}"

static void respond(void *user, extline_call *call, extline_str args) {
    static const char *const lines[] = {"one", "two"};
    extline_panel_content panel = {EXTLINE_PANEL_CONTENT_INIT, .id = "p", .title = "P", .lines = lines, .line_count = 2,
                                   .footer = "f"};
    (void)user;
    if (strcmp(args.ptr, "prompt") == 0) WANT_OK(extline_respond_prompt(call, "a text"));
    if (strcmp(args.ptr, "insert") == 0) WANT_OK(extline_respond_insert(call, "a text"));
    if (strcmp(args.ptr, "display") == 0) WANT_OK(extline_respond_display(call, "a text"));
    if (strcmp(args.ptr, "text") == 0) WANT_OK(extline_call_text(call, "a text"));
    if (strcmp(args.ptr, "text_json") == 0) WANT_OK(extline_call_text_json(call, "\"a \\u0074ext\""));
    if (strcmp(args.ptr, "noop") == 0) WANT_OK(extline_respond_noop(call));
    if (strcmp(args.ptr, "none") == 0) WANT_OK(extline_call_none(call));
    if (strcmp(args.ptr, "error") == 0) WANT_OK(extline_respond_error(call, "a text"));
    if (strcmp(args.ptr, "call_error") == 0) WANT_OK(extline_call_error(call, "internal", "a text"));
    if (strcmp(args.ptr, "panel") == 0) WANT_OK(extline_respond_open_panel(call, &panel));
    if (strcmp(args.ptr, "promptf") == 0) WANT_OK(extline_respond_promptf(call, "%s %d", "a text", 2));
    if (strcmp(args.ptr, "displayf") == 0) WANT_OK(extline_respond_displayf(call, "%s %d", "a text", 2));
    if (strcmp(args.ptr, "errorf") == 0) WANT_OK(extline_respond_errorf(call, "%s %d", "a text", 2));
    if (strcmp(args.ptr, "tool") == 0) WANT_OK(extline_respond_tool_prompt(call, "t", "{\"a\":1}", "a text"));
}

static void each_answer(void) {
    static const struct {
        const char *asked, *answer;
    } cases[] = {
        {COMMAND("1", "prompt"), RESPONSE("\"action\":\"prompt\",\"prompt\":\"a text\"")},
        {COMMAND("1", "insert"), RESPONSE("\"action\":\"insert\",\"insert\":\"a text\"")},
        {COMMAND("1", "display"), RESPONSE("\"action\":\"display\",\"display\":\"a text\"")},
        {COMMAND("1", "text"), RESPONSE("\"action\":\"display\",\"display\":\"a text\"")},
        {COMMAND("1", "text_json"), RESPONSE("\"action\":\"display\",\"display\":\"a text\"")},
        {COMMAND("1", "noop"), RESPONSE("\"action\":\"noop\"")},
        {COMMAND("1", "none"), RESPONSE("\"action\":\"noop\"")},
        {COMMAND("1", "error"), RESPONSE("\"action\":\"noop\",\"error\":\"a text\"")},
        {COMMAND("1", "call_error"), RESPONSE("\"action\":\"noop\",\"error\":\"a text\"")},
        {COMMAND("1", "promptf"), RESPONSE("\"action\":\"prompt\",\"prompt\":\"a text 2\"")},
        {COMMAND("1", "displayf"), RESPONSE("\"action\":\"display\",\"display\":\"a text 2\"")},
        {COMMAND("1", "errorf"), RESPONSE("\"action\":\"noop\",\"error\":\"a text 2\"")},
        {COMMAND("1", "panel"), RESPONSE("\"action\":\"open_panel\",\"open_panel\":{\"id\":\"p\",\"title\":\"P\","
                                         "\"lines\":[\"one\",\"two\"],\"footer\":\"f\"}")},
        {COMMAND("1", "tool"), RESPONSE("\"action\":\"tool_prompt\",\"prompt\":\"a text\",\"tool_name\":\"t\","
                                        "\"tool_args\":{\"a\":1}")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        extline_extension *ext = with_command(respond, NULL);
        host_says(ext, cases[i].asked);
        CHECK_TEXT(host_hears_one(ext, "command_response"), cases[i].answer);
        CHECK_TEXT(host_hears(ext), "");
        host_ends(ext);
    }
}

static void nothing(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT(extline_call_args(call) == NULL); /* a command's argument is no JSON */
}

static void a_command_that_does_not_answer_is_answered_for(void) {
    extline_extension *ext = with_command(nothing, NULL);
    host_says(ext, COMMAND("1", ""));
    host_hears_one(ext, "command_response");
    CHECK_HAS(line, "\"action\":\"noop\",\"error\":\"");
    CHECK_HAS(line, "c returned without an answer");
    host_ends(ext);
}

static void misuse(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str text;
    extline_panel_content panel = {EXTLINE_PANEL_CONTENT_INIT, .id = "\xff"};
    WANT_CODE(extline_respond_prompt(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_respond_insert(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_respond_display(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_respond_error(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_respond_open_panel(call, &panel), EXTLINE_UTF8);
    panel.struct_size = 0;
    WANT_CODE(extline_respond_open_panel(call, &panel), EXTLINE_ARGUMENT);
    WANT_CODE(extline_respond_tool_prompt(call, "t", "nope", "p"), EXTLINE_JSON);
    WANT_CODE(extline_respond_tool_prompt(call, "t", "[]", "p"), EXTLINE_JSON);
    /* What belongs to another kind of call. */
    WANT_CODE(extline_call_block(call, "no"), EXTLINE_STATE);
    WANT(strstr(extline_last_error(), "command") != NULL);
    WANT_CODE(extline_call_allow(call), EXTLINE_STATE);
    WANT_CODE(extline_call_rewrite(call, "{}"), EXTLINE_STATE);
    WANT_CODE(extline_call_replace_text(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_replace_result(call, "{}"), EXTLINE_STATE);
    WANT_CODE(extline_call_handled(call), EXTLINE_STATE);
    WANT_CODE(extline_call_system_prompt(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_update(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_image(call, "x", 1, "image/png"), EXTLINE_STATE);
    WANT_CODE(extline_call_json(call, "{}"), EXTLINE_STATE);
    WANT_CODE(extline_args_string(call, "/a", &text), EXTLINE_STATE);
    WANT(!extline_args_has(call, "/a"));
    WANT_OK(extline_respond_display(call, "right at last"));
    WANT_CODE(extline_respond_display(call, "twice"), EXTLINE_ANSWERED);
    WANT_CODE(extline_respond_prompt(call, "twice"), EXTLINE_ANSWERED);
    WANT_CODE(extline_respond_insert(call, "twice"), EXTLINE_ANSWERED);
    WANT_CODE(extline_respond_noop(call), EXTLINE_ANSWERED);
    WANT_CODE(extline_respond_error(call, "twice"), EXTLINE_ANSWERED);
}

static void misused(void) {
    extline_extension *ext = with_command(misuse, NULL);
    host_says(ext, COMMAND("1", ""));
    CHECK_TEXT(host_hears(ext), RESPONSE("\"action\":\"display\",\"display\":\"right at last\""));
    host_ends(ext);
}

static void misuse_tool(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_CODE(extline_respond_prompt(call, "x"), EXTLINE_STATE);
    WANT(strstr(extline_last_error(), "tool") != NULL);
    WANT_CODE(extline_respond_insert(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_respond_display(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_respond_noop(call), EXTLINE_STATE);
    WANT_CODE(extline_respond_error(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_respond_tool_prompt(call, "t", "{}", "p"), EXTLINE_STATE);
    WANT_CODE(extline_call_block(call, "no"), EXTLINE_STATE);
    WANT_CODE(extline_call_allow(call), EXTLINE_STATE);
    WANT_CODE(extline_call_rewrite(call, "{}"), EXTLINE_STATE);
    WANT_CODE(extline_call_replace_text(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_system_prompt(call, "x"), EXTLINE_STATE);
    WANT_CODE(extline_call_part(call, "{}"), EXTLINE_STATE);
    WANT_OK(extline_call_none(call));
}

static void answers_of_another_kind_of_call(void) {
    extline_extension *ext = with_tool(misuse_tool, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"content\":[]");
    host_ends(ext);
}

/* A panel: what was typed, where it is drawn, and its end. */
static struct {
    char keys[100];
    uint64_t width, height;
    int closes;
} panel;

static void draw(extline_extension *ext, const char *text) {
    const char *lines[] = {text};
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p", .lines = lines, .line_count = 1};
    WANT_OK(extline_panel_render(ext, &content));
}
static void on_key(void *user, extline_extension *ext, extline_str key, extline_str text) {
    (void)user;
    WANT(extline_panel_is_open(ext, "p"));
    strcat(strcat(panel.keys, key.ptr), text.ptr);
    draw(ext, panel.keys);
}
static void on_resize(void *user, extline_extension *ext, uint64_t width, uint64_t height) {
    (void)user, (void)ext;
    panel.width = width, panel.height = height;
}
static void on_close(void *user, extline_extension *ext) {
    (void)user;
    panel.closes++;
    WANT(!extline_panel_is_open(ext, "p"));
}

static extline_extension *with_panel(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    memset(&panel, 0, sizeof panel);
    CHECK_OK(extline_panel(ext, &(extline_panel_options){EXTLINE_PANEL_OPTIONS_INIT, .id = "p", .on_key = on_key,
                                                         .on_resize = on_resize, .on_close = on_close}));
    host_begin(ext);
    return ext;
}

static void a_panel(void) {
    static const char *const lines[] = {"one"};
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p", .title = "P", .lines = lines,
                                     .line_count = 1, .footer = "f",
                                     .view = "{\"kind\":\"lines\",\"lines\":[\"1\"]}"};
    extline_extension *ext = with_panel();
    CHECK(!extline_panel_is_open(ext, "p"));
    CHECK_OK(extline_panel_open(ext, &content));
    CHECK(extline_panel_is_open(ext, "p"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"open_panel\",\"panel\":{\"id\":\"p\",\"title\":\"P\",\"lines\":[\"one\"],"
                                "\"footer\":\"f\",\"view\":{\"kind\":\"lines\",\"lines\":[\"1\"]}}}");
    host_says(ext, "{\"type\":\"panel_key\",\"panel_id\":\"p\",\"key\":\"rune\",\"text\":\"a\"}");
    CHECK_TEXT(host_hears(ext), "{\"type\":\"panel_render\",\"panel_id\":\"p\",\"title\":\"P\",\"lines\":[\"runea\"],"
                                "\"footer\":\"f\"}");
    host_says(ext, "{\"type\":\"panel_resize\",\"panel_id\":\"p\",\"width\":80,\"height\":24}");
    CHECK_EQ(panel.width, 80);
    CHECK_EQ(panel.height, 24);
    CHECK_OK(extline_panel_close(ext, "p"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"panel_close\",\"panel_id\":\"p\"}");
    CHECK(!extline_panel_is_open(ext, "p"));
    host_ends(ext);
}

static void a_panel_that_the_user_closes(void) {
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p"};
    extline_extension *ext = with_panel();
    CHECK_OK(extline_panel_open(ext, &content));
    host_forgets(ext);
    host_says(ext, "{\"type\":\"panel_close\",\"panel_id\":\"p\"}");
    CHECK_EQ(panel.closes, 1);
    content.title = "too late";
    extline_panel_render(ext, &content); /* whatever it says, nothing is drawn */
    CHECK_TEXT(host_hears(ext), "");
    host_ends(ext);
}

static void panels_that_are_wrong(void) {
    static const char *const lines[] = {"\xff"};
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT, .id = "p", .lines = lines, .line_count = 1};
    extline_extension *ext = with_panel();
    CHECK_CODE(extline_panel_open(ext, &content), EXTLINE_UTF8);
    CHECK_CODE(extline_panel_render(ext, &content), EXTLINE_UTF8);
    content.line_count = 0;
    content.view = "nope";
    CHECK_CODE(extline_panel_open(ext, &content), EXTLINE_JSON);
    CHECK_CODE(extline_panel_render(ext, &content), EXTLINE_JSON);
    content.struct_size = 0;
    CHECK_CODE(extline_panel_open(ext, &content), EXTLINE_ARGUMENT);
    CHECK_CODE(extline_panel_render(ext, &content), EXTLINE_ARGUMENT);
    CHECK_CODE(extline_panel_close(ext, "\xff"), EXTLINE_UTF8);
    CHECK_TEXT(host_hears(ext), "");
    host_ends(ext);
}

TESTS(TEST(each_answer), TEST(a_command_that_does_not_answer_is_answered_for), TEST(misused),
      TEST(answers_of_another_kind_of_call), TEST(a_panel), TEST(a_panel_that_the_user_closes),
      TEST(panels_that_are_wrong))
