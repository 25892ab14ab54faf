/* Answers to tool calls: each form of them, and what an answer may not be. */
#include "host.h"

static void say_text(void *user, extline_call *call, extline_str args) {
    (void)args;
    WANT_OK(extline_call_text(call, user));
}

static void a_text(void) {
    char text[] = "16°C, \"fog\"\n";
    extline_extension *ext = with_tool(say_text, text);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "16°C, \\\"fog\\\"\\n"));
    host_ends(ext);
}

static void say_text_n(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_text_n(call, "a\0b and more", 3));
}

static void a_text_with_a_nul(void) {
    extline_extension *ext = with_tool(say_text_n, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "a\\u0000b"));
    host_ends(ext);
}

static void say_formatted(void *user, extline_call *call, extline_str args) {
    static char lots[3000];
    (void)user, (void)args;
    memset(lots, 'x', sizeof lots - 1);
    WANT_OK(extline_call_textf(call, "%.*s|%d%%", (int)sizeof lots - 1, lots, 42));
}

/* Longer than any buffer that it might be formatted in. */
static void a_formatted_text(void) {
    extline_extension *ext = with_tool(say_formatted, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_HAS(host_hears(ext), "xxx|42%\"}]}");
    CHECK_EQ(strlen(line), strlen(RESULT("1", "")) + 2999 + 4);
    host_ends(ext);
}

static char *formatted(char *small, size_t size, size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = extline_format(small, size, length, format, arguments);
    va_end(arguments);
    return text;
}

/* What the forms with a format share: room on the stack for short texts, memory for long ones. */
static void a_format(void) {
    char small[8];
    size_t length = 0;
    CHECK(formatted(small, sizeof small, &length, "%s", "1234567") == small);
    CHECK_EQ(length, 7);
    char *longer = formatted(small, sizeof small, &length, "%s", "12345678");
    CHECK(longer != small);
    CHECK_TEXT(longer, "12345678");
    CHECK_EQ(length, 8);
    free(longer);
}

static void say_json(void *user, extline_call *call, extline_str args) {
    (void)args;
    WANT_OK(extline_call_json(call, user));
}

static void say_json_n(void *user, extline_call *call, extline_str args) {
    (void)args;
    WANT_OK(extline_call_json_n(call, user, strlen(user) - 1));
}

static void a_value(void) {
    char json[] = "{\"a\":[1.10,1E5]}", longer[] = "[1]x";
    extline_extension *ext = with_tool(say_json, json);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("{\\\"a\\\":[1.10,1E5]}")
                                "],\"structured_content\":{\"a\":[1.10,1E5]}}");
    host_ends(ext);
    ext = with_tool(say_json_n, longer);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext),
               "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("[1]") "],\"structured_content\":[1]}");
    host_ends(ext);
}

static void say_rows(void *user, extline_call *call, extline_str args) {
    (void)user;
    WANT(strcmp(args.ptr, "{}") == 0); /* it does not see the choice */
    WANT_OK(extline_call_json(call, "[{\"a\":1,\"b\":\"x\"}]"));
}

#define ROWS(id, text)                                                                            \
    "{\"type\":\"tool_result\",\"id\":\"" id "\",\"content\":[" TEXT(text) "]," \
    "\"structured_content\":[{\"a\":1,\"b\":\"x\"}]}"

static void a_value_in_the_form_that_was_chosen(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d",
                                                       .run = say_rows, .outputs = "labeled, json"}));
    host_begin(ext);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), ROWS("1", "a | b\\n1 | x"));
    host_says(ext, CALL("2", "{\"output\":\"json\"}"));
    CHECK_TEXT(host_hears(ext), ROWS("2", "{\\\"count\\\":1,\\\"items\\\":[{\\\"a\\\":1,\\\"b\\\":\\\"x\\\"}]}"));
    host_says(ext, CALL("3", "{\"output\":\"xml\"}"));
    host_hears_one(ext, "\"kind\":\"validation\"");
    CHECK_HAS(line, "\"field\":\"/output\"");
    host_ends(ext);
}

static void pass_on(void *user, extline_call *call, extline_str args) {
    extline_str text;
    (void)args;
    WANT_OK(extline_args_json(call, user, &text));
    /* One that was handed out is known to be whole, a part of it is not. */
    WANT_CODE(extline_call_text_json_n(call, text.ptr, text.len - 1), EXTLINE_JSON);
    if (*text.ptr != '"') {
        WANT_CODE(extline_call_text_json_n(call, text.ptr, text.len), EXTLINE_JSON);
        WANT(strstr(extline_last_error(), "a string is expected") != NULL);
        WANT_OK(extline_call_none(call));
        return;
    }
    WANT_OK(extline_call_add_text(call, "first"));
    WANT_OK(extline_call_text_json_n(call, text.ptr, text.len));
    WANT_CODE(extline_call_text_json_n(call, text.ptr, text.len), EXTLINE_ANSWERED);
}

static void say_text_json(void *user, extline_call *call, extline_str args) {
    extline_str text;
    (void)args;
    WANT_OK(extline_args_string(call, "/text", &text));
    WANT_CODE(extline_call_text_json_n(call, text.ptr, text.len), EXTLINE_JSON);
    WANT_CODE(extline_call_text_json(call, "\"a\nb\""), EXTLINE_JSON);
    WANT_CODE(extline_call_text_json(call, "\"abc"), EXTLINE_JSON);
    WANT(strstr(extline_last_error(), "column 4") != NULL);
    WANT_CODE(extline_call_text_json(call, "7"), EXTLINE_JSON);
    WANT_CODE(extline_call_text_json(call, "\"a\",\"b\""), EXTLINE_JSON);
    WANT_CODE(extline_call_text_json_n(call, "\"\xff\"", 3), EXTLINE_UTF8);
    WANT_OK(extline_call_text_json(call, user));
}

/* Its escapes are the author's own: none is resolved, none is made. */
static void a_text_in_json(void) {
    char text[] = "/text", list[] = "/list", own[] = "\"\\u0041/\\/\\ud800\"";
    extline_extension *ext = with_tool(pass_on, text);
    host_says(ext, CALL("1", "{\"list\":[1],\"text\":\"\\u0041\\n\\/b\"}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("first") ","
                                TEXT("\\u0041\\n\\/b") "]}");
    host_ends(ext);
    ext = with_tool(pass_on, list);
    host_says(ext, CALL("1", "{\"list\":[1]}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}");
    host_ends(ext);
    ext = with_tool(say_text_json, own);
    host_says(ext, CALL("1", "{\"text\":\"a\\\"b\"}"));
    /* What cannot stand on the wire becomes U+FFFD, as in every frame. */
    CHECK_TEXT(host_hears(ext), RESULT("1", "\\u0041/\\/\\ufffd"));
    host_ends(ext);
}

static void say_image(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_image(call, "\x89PNG\r\n\x1a\n", 8, "image/png"));
}

static void an_image(void) {
    extline_extension *ext = with_tool(say_image, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[{\"type\":\"image\","
                                "\"mime_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}]}");
    host_ends(ext);
}

static void say_nothing(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_none(call));
}

static void nothing(void) {
    extline_extension *ext = with_tool(say_nothing, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}");
    host_ends(ext);
}

static void say_blocks(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_add_text(call, "before"));
    WANT_OK(extline_call_add_image(call, "x", 1, "image/png"));
    WANT_OK(extline_call_add_text_n(call, "after all", 5));
    WANT_OK(extline_call_activate(call, "t"));
    WANT_OK(extline_call_details(call, "{\"lines\":0}"));
    WANT_OK(extline_call_view(call, "{\"kind\":\"lines\",\"lines\":[\"all\"]}"));
    WANT_OK(extline_call_effects(call, "[{\"kind\":\"process\",\"command\":\"make\",\"pid\":7,\"exit_code\":0}]"));
    WANT_OK(extline_call_trust(call, "untrusted"));
    WANT_OK(extline_call_finish(call));
}

static void several_blocks(void) {
    extline_extension *ext = with_tool(say_blocks, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext),
               "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("before")
               ",{\"type\":\"image\",\"mime_type\":\"image/png\",\"data\":\"eA==\"}," TEXT("after")
               "],\"activate_tools\":[\"t\"],\"details\":{\"lines\":0},\"view\":{\"kind\":\"lines\",\"lines\":[\"all\"]},"
               "\"effects\":[{\"kind\":\"process\","
               "\"command\":\"make\",\"pid\":7,\"exit_code\":0}],\"trust\":\"untrusted\"}");
    host_ends(ext);
}

static void say_added_json(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_add_text(call, "found"));
    WANT_OK(extline_call_add_json(call, "{\"n\":1}"));
    WANT_OK(extline_call_finish(call));
}

static void blocks_and_a_value(void) {
    extline_extension *ext = with_tool(say_added_json, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("found") "," TEXT(
                                    "{\\\"n\\\":1}") "],\"structured_content\":{\"n\":1}}");
    host_ends(ext);
}

static void say_finish(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_finish(call));
}

static void finished_with_nothing_added(void) {
    extline_extension *ext = with_tool(say_finish, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}");
    host_ends(ext);
}

/* What was added goes with what answers: a text after it is one block more, or refused; never lost
 * without a word. */
static void add_and_answer(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_details(call, "{\"n\":1}"));
    WANT_OK(extline_call_text(call, "done"));
}

static void details_beside_a_plain_answer(void) {
    extline_extension *ext = with_tool(add_and_answer, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("done") "],\"details\":{\"n\":1}}");
    host_ends(ext);
}

static void answer_twice(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_error_options error = {EXTLINE_ERROR_OPTIONS_INIT, .kind = "internal", .message = "m"};
    WANT_OK(extline_call_text(call, "once"));
    WANT_CODE(extline_call_text(call, "twice"), EXTLINE_ANSWERED);
    WANT(strstr(extline_last_error(), "answer") != NULL);
    WANT_CODE(extline_call_text_n(call, "x", 1), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_textf(call, "%d", 2), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_json(call, "{}"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_json_n(call, "{}", 2), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_image(call, "x", 1, "image/png"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_none(call), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_finish(call), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_add_text(call, "x"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_add_text_n(call, "x", 1), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_add_image(call, "x", 1, "image/png"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_add_json(call, "{}"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_details(call, "{}"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_view(call, "{}"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_effects(call, "[]"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_activate(call, "t"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_trust(call, "untrusted"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_error(call, "internal", "m"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_errorf(call, "internal", "m"), EXTLINE_ANSWERED);
    WANT_CODE(extline_call_fail(call, &error), EXTLINE_ANSWERED);
}

static void a_second_answer_is_refused(void) {
    extline_extension *ext = with_tool(answer_twice, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "once"));
    CHECK_TEXT(host_hears(ext), "");
    host_ends(ext);
}

static void never(void *user, extline_call *call, extline_str args) { (void)user, (void)call, (void)args; }

static void a_handler_that_does_not_answer_is_answered_for(void) {
    extline_extension *ext = with_tool(never, NULL);
    host_says(ext, CALL("1", "{}"));
    host_hears_one(ext, "\"type\":\"tool_result\"");
    CHECK_HAS(line, "\"is_error\":true");
    CHECK_HAS(line, "\"kind\":\"internal\"");
    CHECK_HAS(line, "t returned without an answer");
    host_ends(ext);
}

static void answer_wrongly(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_CODE(extline_call_text(call, "\xff"), EXTLINE_UTF8);
    WANT(strstr(extline_last_error(), "UTF-8") != NULL);
    WANT_CODE(extline_call_text_n(call, "a\xc3", 2), EXTLINE_UTF8);
    WANT_CODE(extline_call_textf(call, "%s", "\xed\xa0\x80"), EXTLINE_UTF8);
    /* The locale of these tests has no such character, so printf fails. */
    WANT_CODE(extline_call_textf(call, "%ls", L"\u20ac"), EXTLINE_ARGUMENT);
    WANT(strstr(extline_last_error(), "printf refuses") != NULL);
    WANT_CODE(extline_format_refused(), EXTLINE_ARGUMENT);
    WANT_CODE(extline_call_json(call, "\"\xff\""), EXTLINE_UTF8);
    WANT_CODE(extline_call_json_n(call, "\"\xff\"", 3), EXTLINE_UTF8);
    WANT_CODE(extline_call_json(call, "{\"no\":"), EXTLINE_JSON);
    WANT_CODE(extline_call_json(call, ""), EXTLINE_JSON);
    WANT_CODE(extline_call_json_n(call, "{} {}", 5), EXTLINE_JSON);
    WANT_CODE(extline_call_image(call, "x", 1, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_add_text(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_add_text_n(call, "\xff", 1), EXTLINE_UTF8);
    WANT_CODE(extline_call_add_image(call, "x", 1, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_add_json(call, "nope"), EXTLINE_JSON);
    WANT_CODE(extline_call_details(call, "nope"), EXTLINE_JSON);
    WANT_CODE(extline_call_view(call, "nope"), EXTLINE_JSON);
    WANT_CODE(extline_call_effects(call, "nope"), EXTLINE_JSON);
    WANT_CODE(extline_call_effects(call, "{}"), EXTLINE_JSON);
    WANT(strstr(extline_last_error(), "the effects: expected ") != NULL);
    WANT_CODE(extline_call_activate(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_trust(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_trust(call, "some"), EXTLINE_ARGUMENT);
    WANT_CODE(extline_call_error(call, "internal", "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_error(call, "\xff", "m"), EXTLINE_UTF8);
    WANT_CODE(extline_call_errorf(call, "internal", "\xff"), EXTLINE_UTF8);
    WANT_OK(extline_call_text(call, "right at last"));
}

/* What is refused answers nothing: the handler may do better. */
static void wrong_answers_are_refused(void) {
    extline_extension *ext = with_tool(answer_wrongly, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "right at last"));
    host_ends(ext);
}

static void answer_too_much(void *user, extline_call *call, extline_str args) {
    size_t length = 5 * 1000 * 1000;
    char *lots = malloc(length);
    (void)args;
    memset(lots, 'x', length);
    *(extline_result *)user = extline_call_text_n(call, lots, length);
    free(lots);
}

/* A host reads no frame of more than `frame_bytes`: the call gets an error that fits. */
static void an_answer_that_is_too_large_is_an_error_of_its_call(void) {
    extline_result result = EXTLINE_OK;
    extline_extension *ext = with_tool(answer_too_much, &result);
    host_says(ext, CALL("1", "{}"));
    CHECK_CODE(result, EXTLINE_TOO_LARGE);
    host_hears_one(ext, "\"type\":\"tool_result\"");
    CHECK_HAS(line, "\"kind\":\"too_large\"");
    host_ends(ext);
}

TESTS(TEST(a_text), TEST(a_text_with_a_nul), TEST(a_formatted_text), TEST(a_format), TEST(a_value), TEST(a_value_in_the_form_that_was_chosen), TEST(a_text_in_json), TEST(an_image), TEST(nothing),
      TEST(several_blocks), TEST(blocks_and_a_value), TEST(finished_with_nothing_added),
      TEST(details_beside_a_plain_answer), TEST(a_second_answer_is_refused),
      TEST(a_handler_that_does_not_answer_is_answered_for), TEST(wrong_answers_are_refused),
      TEST(an_answer_that_is_too_large_is_an_error_of_its_call))
