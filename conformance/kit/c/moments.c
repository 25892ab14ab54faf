/* Events, interceptors and the guard. */
#include <stdlib.h>
#include <time.h>

#include "kit.h"
#include "text.h"

static void wait_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static bool is(extline_str text, const char *wanted) {
    return text.len == strlen(wanted) && memcmp(text.ptr, wanted, text.len) == 0;
}

/* The string there, or an empty one. */
static extline_str string_at(const extline_json *json, const char *pointer) {
    extline_str found = {"", 0};
    extline_json_string(json, pointer, &found);
    return found;
}

static bool is_true(const extline_json *json, const char *pointer) {
    bool found = false;
    return extline_json_bool(json, pointer, &found) == EXTLINE_OK && found;
}

static void record_event(void *user, extline_extension *kit, const extline_event *event) {
    (void)user, (void)kit;
    const extline_json *payload = extline_event_payload(event);
    extline_str name = extline_event_name(event), found;
    int64_t step;
    text label = {NULL, 0, 0};
    put_n(&label, name.ptr, name.len);
    if (extline_json_int(payload, "/step", &step) == EXTLINE_OK) {
        char digits[30];
        snprintf(digits, sizeof digits, " %lld", (long long)step);
        put(&label, digits);
        if (is(name, "turn_start") && step % 10 == 0) wait_ms(20);
    }
    const char *texts[] = {"/tool_name", "/text"};
    for (size_t i = 0; i < 2; i++) {
        if (extline_json_string(payload, texts[i], &found) != EXTLINE_OK) continue;
        put(&label, " ");
        put_n(&label, found.ptr, found.len);
    }
    record(label.ptr);
    forget(&label);
    /* With the error `throw` the handler is to fail: in C there is nothing to throw. */
}

/* Rewrites the arguments to what they are and one member more, which is true. */
static void rewrite_with(extline_call *call, const char *member) {
    extline_str args;
    if (extline_json_text(extline_call_args(call), "/tool_args", &args) != EXTLINE_OK) return;
    const char *end = args.ptr + args.len - 1;
    while (*end != '}') end--;
    const char *last = end - 1;
    while (strchr(" \t\r\n", *last) != NULL) last--;
    text rewritten = {NULL, 0, 0};
    put_n(&rewritten, args.ptr, (size_t)(end - args.ptr));
    put(&rewritten, *last == '{' ? "\"" : ",\"");
    put(&rewritten, member);
    put(&rewritten, "\":true}");
    extline_call_rewrite(call, rewritten.ptr);
    forget(&rewritten);
}

static void first(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    extline_str what = string_at(extline_call_args(call), "/tool_args/do");
    if (is(what, "block")) {
        extline_call_block(call, "the kit says no");
    } else if (is(what, "rewrite")) {
        rewrite_with(call, "first");
    } else if (is(what, "throw")) {
        extline_call_error(call, "internal", MESSAGE);
    } else if (is(what, "late")) {
        wait_ms(700);
        extline_call_block(call, "too late");
    } else {
        if (is(what, "hang")) wait_ms(60000);
        extline_call_allow(call);
    }
}

static void second(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    if (is_true(extline_call_args(call), "/tool_args/first"))
        rewrite_with(call, "second");
    else
        extline_call_allow(call);
}

static void guard(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    const extline_json *asked = extline_call_args(call);
    extline_str what = string_at(asked, "/tool_args/do");
    if (is(what, "veto_ask")) {
        extline_answer *answer = NULL;
        bool said_yes;
        ask_person(call, "May it?", &said_yes, &answer);
        extline_answer_free(answer);
        if (said_yes)
            extline_call_allow(call);
        else
            extline_call_block(call, "the person says no");
        return;
    }
    if (is(what, "veto_hang")) wait_ms(60000);
    if (is(what, "veto_unless"))
        extline_call_ask(call, "it is grave");
    else if (is(what, "veto"))
        extline_call_block(call, "vetoed");
    else if (is(what, "veto_throw"))
        extline_call_error(call, "internal", MESSAGE);
    else if (is_true(asked, "/tool_args/second") && is_true(asked, "/tool_args/veto"))
        extline_call_block(call, "saw second");
    else
        extline_call_allow(call);
}

static void turn_start(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    int64_t step = 0;
    extline_json_int(extline_call_args(call), "/step", &step);
    if (step == 900)
        extline_call_block(call, "enough");
    else if (step == 901)
        extline_call_error(call, "internal", MESSAGE);
    else
        extline_call_allow(call);
}

static void replace_plain(extline_call *call, const char *message) {
    text better = {NULL, 0, 0};
    const char *plain;
    while ((plain = strstr(message, "plain")) != NULL) {
        put_n(&better, message, (size_t)(plain - message));
        put(&better, "better");
        message = plain + strlen("plain");
    }
    put(&better, message);
    extline_call_replace_text(call, better.ptr);
    forget(&better);
}

static void assistant_message(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    extline_str message = string_at(extline_call_args(call), "/text");
    if (is(message, "throw"))
        extline_call_error(call, "internal", MESSAGE);
    else if (is(message, "erase"))
        extline_call_replace_text(call, "");
    else if (strstr(message.ptr, "forbidden") != NULL)
        extline_call_block(call, "an unkind word");
    else if (strstr(message.ptr, "plain") != NULL)
        replace_plain(call, message.ptr);
    else
        extline_call_allow(call);
}

static void before_agent_start(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    extline_str prompt = string_at(extline_call_args(call), "/system_prompt");
    if (is(prompt, "throw")) {
        extline_call_error(call, "internal", MESSAGE);
    } else if (is(prompt, "remove")) {
        extline_call_system_prompt(call, "");
    } else if (is(prompt, "keep")) {
        extline_call_allow(call);
    } else {
        text longer = {NULL, 0, 0};
        put_n(&longer, prompt.ptr, prompt.len);
        put(&longer, " (kit)");
        extline_call_system_prompt(call, longer.ptr);
        forget(&longer);
    }
}

/* The text of the result, where it is one block: the kit is shown no others. */
static void tool_result(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    extline_str found = string_at(extline_call_args(call), "/result/content/0/text");
    if (is(found, "throw"))
        extline_call_error(call, "internal", MESSAGE);
    else if (is(found, "withhold"))
        extline_call_block(call, "not for you");
    else if (is(found, "fail"))
        extline_call_replace_result(
            call, "{\"content\":[{\"type\":\"text\",\"text\":\"it was no good\"}],\"is_error\":true}");
    else if (is(found, "cut"))
        extline_call_replace_text(call, "***");
    else if (is(found, "all"))
        extline_call_replace_result(
            call, "{\"content\":[{\"type\":\"text\",\"text\":\"***\"}],\"structured_content\":{\"n\":1},"
                  "\"details\":{\"d\":2},\"is_error\":false}");
    else
        extline_call_allow(call);
}

static void user_prompt_submit(void *user, extline_call *call, extline_str payload) {
    (void)user, (void)payload;
    extline_str prompt = string_at(extline_call_args(call), "/text");
    if (is(prompt, "throw"))
        extline_call_error(call, "internal", MESSAGE);
    else if (is(prompt, "handled"))
        extline_call_handled(call);
    else if (strstr(prompt.ptr, "forbidden") != NULL)
        extline_call_block(call, "not here");
    else if (strstr(prompt.ptr, "plain") != NULL)
        replace_plain(call, prompt.ptr);
    else
        extline_call_allow(call);
}

void add_moments(extline_extension *kit) {
    const char *events[] = {"session_start", "turn_start", "turn_end", "tool_call", "assistant_message"};
    const char *tools[] = {"bash", "mcp_*"};
    for (size_t i = 0; i < 5; i++) must(extline_on(kit, events[i], record_event, NULL, NULL));
    must(extline_on_tools(kit, "tool_result", tools, 2, record_event, NULL, NULL));
    must(extline_intercept(kit, "tool_call", first, NULL, NULL));
    must(extline_intercept(kit, "tool_call", second, NULL, NULL));
    must(extline_intercept(kit, "turn_start", turn_start, NULL, NULL));
    must(extline_intercept(kit, "assistant_message", assistant_message, NULL, NULL));
    must(extline_intercept(kit, "before_agent_start", before_agent_start, NULL, NULL));
    must(extline_intercept(kit, "tool_result", tool_result, NULL, NULL));
    must(extline_intercept(kit, "user_prompt_submit", user_prompt_submit, NULL, NULL));
    must(extline_guard(kit, "kit", guard, NULL, NULL));
    must(extline_on_failure(kit, "turn_start", "allow"));
    must(extline_on_failure(kit, "tool_result", "block"));
}
